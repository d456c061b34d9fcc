// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_SEGMENT_HPP
#define WAVESCAN_PERF_SEGMENT_HPP

#include <Kokkos_Core.hpp>
#include <limits>

/// @file
/// @brief What users of a plain scan write to get a weighted one: pairs of a value and of the
/// weight that the piece of the line puts on all that comes before it.

namespace wavescan::Perf {

template <class T>
struct Segment {
  T weight, value;
};

/// @brief y_j = w_j y_{j-1} + x_j
template <class T>
struct LinearRecurrence {
  using value_type = T;
  KOKKOS_FUNCTION Segment<T> operator()(const Segment<T>& a, const Segment<T>& b) const {
    return {a.weight * b.weight, a.value * b.weight + b.value};
  }
  KOKKOS_FUNCTION Segment<T> identity() const { return {1, 0}; }
};

/// @brief y_j = max(y_{j-1} + w_j, x_j)
template <class T>
struct MaximumWithGaps {
  using value_type = T;
  KOKKOS_FUNCTION Segment<T> operator()(const Segment<T>& a, const Segment<T>& b) const {
    const T handed_on = a.value + b.weight;
    return {a.weight + b.weight, handed_on < b.value ? b.value : handed_on};
  }
  /// Half of the lowest number: weights can still be added.
  KOKKOS_FUNCTION Segment<T> identity() const { return {0, std::numeric_limits<T>::lowest() / 2}; }
};

}  // namespace wavescan::Perf

#endif
