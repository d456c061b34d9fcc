// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SECONDARRAY_HPP
#define WAVESCAN_IMPL_SOR_SECONDARRAY_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>

#include <cstddef>
#include <cstdint>

namespace wavescan::Impl {

/// @brief Another array for the values of x, halo included, made when it is first asked for.
///
/// Its rows lie as far off alignment as those of x, so that kernels that work on one can work on
/// the other, as fast.
template <ExecutionSpace Exec, class T>
class SORSecondArray {
 public:
  Grid<T> like(const Exec& exec, const Grid<T>& x) const {
    if (x.column_stride > x.row_stride) return transposed(like(exec, transposed(x)));
    constexpr Index alignment = 16 / static_cast<Index>(sizeof(T));
    const Index line = x.columns < 512 ? alignment : 128 / static_cast<Index>(sizeof(T));
    const Index pitch = (x.columns + line - 1) / line * line + x.row_stride % line;
    const auto needed = static_cast<std::size_t>(pitch * x.rows + alignment);
    if (values_.size() < needed)
      values_ = values_type(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::second_array"),
          needed);
    const auto place = static_cast<Index>(reinterpret_cast<std::uintptr_t>(x.data) / sizeof(T));
    return {values_.data() + place % alignment, x.rows, x.columns, pitch, 1};
  }

 private:
  using values_type = Kokkos::View<T*, typename Exec::memory_space>;
  mutable values_type values_;
};

}  // namespace wavescan::Impl

#endif
