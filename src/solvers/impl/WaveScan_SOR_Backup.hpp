// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_BACKUP_HPP
#define WAVESCAN_IMPL_SOR_BACKUP_HPP

#include <impl/WaveScan_SOR_Copy.hpp>

#include <cstddef>

namespace wavescan::Impl {

/// @brief A copy of the interior of x, to which a diverged solve returns and with which updates are
/// measured.
template <ExecutionSpace Exec, class T>
class SORBackup {
 public:
  SORBackup() = default;  // keeps nothing
  SORBackup(const Exec& exec, Index interior_points)
      : values_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::backup"),
                static_cast<std::size_t>(interior_points)) {}

  bool keeps() const { return values_.size() > 0; }

  void save(const Exec& exec, const Grid<T>& x) const {
    if (keeps()) copy_entries(exec, "WaveScan::sor::save", read_only(interior(x)), kept(x));
  }
  void restore(const Exec& exec, const Grid<T>& x) const {
    if (keeps()) copy_entries(exec, "WaveScan::sor::restore", read_only(kept(x)), interior(x));
  }

  /// @brief What is kept of the interior of x, in the same order in memory.
  Grid<T> kept(const Grid<T>& x) const {
    const Index rows = x.rows - 2;
    const Index columns = x.columns - 2;
    return x.column_stride <= x.row_stride ? Grid<T>{values_.data(), rows, columns, columns, 1}
                                           : Grid<T>{values_.data(), rows, columns, 1, rows};
  }

 private:
  Kokkos::View<T*, typename Exec::memory_space> values_;
};

}  // namespace wavescan::Impl

#endif
