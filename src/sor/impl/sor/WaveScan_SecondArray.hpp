// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SECONDARRAY_HPP
#define WAVESCAN_IMPL_SOR_SECONDARRAY_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace wavescan::Impl::sor {

/// @brief Another array for the values of x, halo included, in the same order in memory, made when
/// it is first asked for.
template <ExecutionSpace Exec, class T>
class SecondArray {
 public:
  /// @brief Returns an array like x. Its rows have the same alignment, so that kernels that work on
  /// one can work on the other, as fast: relative to lines of the cache, or to 16 bytes where lines
  /// would waste much.
  Grid<T> like(const Exec& exec, const Grid<T>& x) const {
    if (is_transposed_in_memory(x)) return transposed(like(exec, transposed(x)));
    constexpr Index lines = 32;
    const Index unit = x.columns < 2 * lines ? 16 / static_cast<Index>(sizeof(T)) : lines;
    const Index whole = (x.columns + unit - 1) / unit * unit;
    T* const values = room(exec, (whole + unit) * x.rows + lines);  // for any x of these extents
    const auto place = static_cast<Index>(reinterpret_cast<std::uintptr_t>(x.data) / sizeof(T));
    return {values + place % lines, x.rows, x.columns, whole + x.row_stride % unit, 1};
  }
  Box<T> like(const Exec& exec, const Box<T>& x) const {
    if (is_transposed_in_memory(x)) return transposed(like(exec, transposed(x)));
    T* const values = room(exec, x.planes * x.rows * x.columns);
    return {values, x.planes, x.rows, x.columns, x.rows * x.columns, x.columns, 1};
  }

 private:
  T* room(const Exec& exec, Index count) const {
    return memory_.template uncleared_room<T>(exec, "WaveScan::sor::second_array", count);
  }
  WorkMemory<Exec> memory_;
};

}  // namespace wavescan::Impl::sor

#endif
