// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_AFFINEMAP_HPP
#define WAVESCAN_IMPL_FILTER_AFFINEMAP_HPP

#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

/// @file
/// @brief Effects of samples of a recurrence of varying coefficients on the outputs before them.

namespace wavescan::Impl::filter {

/// @brief Coefficients of a recurrence: those of y_{j-1}, y_{j-2}, ...
template <class T, int K>
struct VaryingCoefficients {
  Lines<const T> line[K];
  int order;  ///< up to K
};

/// @brief Takes the outputs s, the newest one first, on by a sample, and returns the new output.
/// The newest one, which comes last, is what the next sample waits for.
template <class T, int K>
KOKKOS_FORCEINLINE_FUNCTION T push_output(StateVector<T, K>& s, const T* c, T y) {
  for (int k = K - 1; k >= 0; --k) y = accumulated(c[k], s.value[k], y);
  for (int k = K - 1; k > 0; --k) s.value[k] = s.value[k - 1];
  s.value[0] = y;
  return y;
}

/// @brief The effect of a run of samples on the outputs before it: s becomes sum s_k column[k] +
/// state.
///
/// The columns are the states that follow from states of one 1 if no samples come, so a sample
/// takes K + 1 states on by itself: K^2 + K multiplications, where a product of matrices has K^3.
template <class T, int K>
struct AffineMap {
  using State = StateVector<T, K>;
  State column[K];
  State state;

  KOKKOS_FORCEINLINE_FUNCTION static AffineMap identity() {
    AffineMap map{};
    for (int k = 0; k < K; ++k) map.column[k].value[k] = T(1);
    return map;
  }
  /// @brief The map to a state, whatever was before; `value` is that state.
  KOKKOS_FORCEINLINE_FUNCTION static AffineMap constant(const State& s) {
    AffineMap map{};
    map.state = s;
    return map;
  }

  KOKKOS_FORCEINLINE_FUNCTION State value() const { return state; }

  /// @brief Goes on by a sample.
  KOKKOS_FORCEINLINE_FUNCTION void push(const T* c, T x) {
    for (int k = 0; k < K; ++k) static_cast<void>(push_output(column[k], c, T(0)));
    static_cast<void>(push_output(state, c, x));
  }
  /// @brief The state that follows from s and the samples.
  KOKKOS_FORCEINLINE_FUNCTION State after(const State& s) const { return after(s, state); }
  /// @brief This map after the one before.
  KOKKOS_FORCEINLINE_FUNCTION AffineMap after(const AffineMap& before) const {
    AffineMap map;
    for (int k = 0; k < K; ++k) map.column[k] = after(before.column[k], State{});
    map.state = after(before.state);
    return map;
  }
  KOKKOS_FORCEINLINE_FUNCTION State after(const State& s, State added) const {
    for (int k = 0; k < K; ++k)
      for (int r = 0; r < K; ++r)
        added.value[r] = accumulated(column[k].value[r], s.value[k], added.value[r]);
    return added;
  }
};

}  // namespace wavescan::Impl::filter

#endif
