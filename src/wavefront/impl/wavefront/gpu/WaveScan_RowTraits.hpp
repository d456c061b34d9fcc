// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_ROWTRAITS_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_ROWTRAITS_HPP

#include <WaveScan_Algebras.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <type_traits>

/// @file
/// @brief The arithmetic of segments for the recurrences that loops have and scans do not: weights
/// computed for each entry, and operators that distribute themselves.

namespace wavescan::Impl {

/// @brief An operator with a constant weight: a segment holds all weights but that of its first
/// element, so its own weight is the same for every length.
template <Algebra A>
  requires is_same_operator<A>
struct ScanTraits<WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>> {
  using recurrence = WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>;
  using value_type = typename A::value_type;
  using weight_type = NoWeight;
  using element_weight = NoWeight;
  using segment = value_type;
  static constexpr int streams = 1;
  static constexpr bool ordered = true;
  A algebra;
  value_type weight;

  explicit ScanTraits(const recurrence& r) : algebra(r.algebra), weight(r.weight.value) {}
  KOKKOS_FUNCTION weight_type weight_of(Index) const { return {}; }
  __device__ weight_type compose(weight_type, weight_type) const { return {}; }
  __device__ segment join(const segment& a, const segment& b, weight_type) const {
    return Impl::advance(algebra, a, weight, b);
  }
  __device__ value_type leave(const value_type& s, const segment& b, weight_type) const {
    return join(s, b, {});
  }
  __device__ value_type state(const segment& p) const { return p; }
  __device__ value_type advance(const value_type& s, const value_type& x, element_weight) const {
    return join(s, x, {});
  }
  __device__ segment append(const segment& p, const value_type& x, element_weight) const {
    return join(p, x, {});
  }
  __device__ segment start(const value_type& s) const { return s; }
};

/// @brief A weight for each entry, composed along the row.
template <Algebra A, class L>
struct ScanTraits<WeightedRecurrence<A, LoopWeights<L>>> : ElementWeightTraits<A> {
  explicit ScanTraits(const WeightedRecurrence<A, LoopWeights<L>>& r)
      : ElementWeightTraits<A>{r.algebra} {}
};

/// @brief The arithmetic of a loop's rows, divided into blocks of K columns.
template <class Problem, int K>
struct RowTraits : ScanTraits<typename Problem::recurrence_type> {
  using base = ScanTraits<typename Problem::recurrence_type>;
  using typename base::element_weight;
  using typename base::segment;
  using typename base::value_type;
  using typename base::weight_type;

  weight_type weight_of_columns[K];  ///< of 1, 2, ... K columns

  explicit RowTraits(const Problem& problem) : base(problem.recurrence) {
    for (int k = 0; k < K; ++k) weight_of_columns[k] = this->weight_of(k + 1);
  }

  __device__ element_weight entry_weight([[maybe_unused]] const Problem& problem,
                                         [[maybe_unused]] Index i, [[maybe_unused]] Index j) const {
    if constexpr (base::streams == 2)
      return static_cast<element_weight>(loop_weight(problem.loop, i, j, problem.inputs(i, j)));
    else
      return {};
  }

  /// @brief The segment of one entry, which something may enter.
  __device__ segment single(const value_type& x, [[maybe_unused]] const element_weight& w) const {
    if constexpr (base::streams == 2)
      return {w, x};
    else
      return x;
  }
};

}  // namespace wavescan::Impl

#endif
