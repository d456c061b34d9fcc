// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_BACKUP_HPP
#define WAVESCAN_IMPL_SOR_BACKUP_HPP

#include <impl/WaveScan_SOR_Problem.hpp>

#include <cstddef>

namespace wavescan::Impl {

/// @brief Copies the interior of x to or from an array without halo.
template <class T>
struct CopyInterior {
  Grid<T> x;
  Grid<T> copy;
  bool restore;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    if (restore)
      x(i, j) = copy(i - 1, j - 1);
    else
      copy(i - 1, j - 1) = x(i, j);
  }
};

/// @brief A copy of the interior to which a diverged solve returns.
template <ExecutionSpace Exec, class T>
class SORBackup {
 public:
  SORBackup() = default;  // keeps nothing
  SORBackup(const Exec& exec, Index interior_points)
      : values_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::backup"),
                static_cast<std::size_t>(interior_points)) {}

  bool keeps() const { return values_.size() > 0; }
  void save(const Exec& exec, const SORProblem<T>& problem) const { copy(exec, problem, false); }
  void restore(const Exec& exec, const SORProblem<T>& problem) const { copy(exec, problem, true); }

 private:
  void copy(const Exec& exec, const SORProblem<T>& problem, bool restore) const {
    if (!keeps()) return;
    const auto p = in_memory_order(problem);
    const Grid<T> stored{values_.data(), p.interior_rows(), p.interior_columns(),
                         p.interior_columns(), 1};
    Kokkos::parallel_for(restore ? "WaveScan::sor::restore" : "WaveScan::sor::save",
                         interior_policy(exec, p), CopyInterior<T>{p.x, stored, restore});
  }

  Kokkos::View<T*, typename Exec::memory_space> values_;
};

}  // namespace wavescan::Impl

#endif
