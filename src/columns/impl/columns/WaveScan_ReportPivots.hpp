// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_REPORTPIVOTS_HPP
#define WAVESCAN_IMPL_COLUMNS_REPORTPIVOTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_PivotReport.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace wavescan::Impl::columns {

/// @brief The largest size of numbers; infinity if one is none.
template <class T>
struct LargestSize {
  const T* numbers;
  KOKKOS_FUNCTION void operator()(Index i, T& largest) const {
    const T size = Kokkos::fabs(numbers[i]);
    if (!(size <= largest))
      largest = Kokkos::isnan(size) ? Kokkos::Experimental::infinity_v<T> : size;
  }
};

/// @brief Finds the sizes of pivots in the factors of a plan; waits for them.
/// @param factors arrays of so many entries, one behind the other; that in the middle has the
///                reciprocal pivots
template <ExecutionSpace Exec, class T>
PivotReport report_pivots(const Exec& exec, const T* factors, Index entries, int arrays) {
  const auto largest = [&](int number) {
    T size(0);
    Kokkos::parallel_reduce("WaveScan::columns::report",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, entries),
                            LargestSize<T>{factors + number * entries}, Kokkos::Max<T>(size));
    return static_cast<double>(size);
  };
  PivotReport report;
  if (entries == 0) return report;
  report.smallest_pivot = 1 / largest(arrays / 2);
  for (int k = 0; k < arrays; ++k)
    if (k != arrays / 2) report.largest_factor = std::max(report.largest_factor, largest(k));
  return report;
}

}  // namespace wavescan::Impl::columns

#endif
