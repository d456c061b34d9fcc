// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_SCANTRAITS_HPP
#define WAVESCAN_IMPL_SCAN_GPU_SCANTRAITS_HPP

#include <WaveScan_Algebras.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>

#include <concepts>

/// @file
/// @brief Requirements of the GPU scans on a recurrence: the arithmetic of segments of known
/// length.
///
/// A *segment* sums up consecutive elements. With a constant weight the segment's own weight
/// depends on its length only, so that just values travel, and the weights of the few lengths that
/// occur are computed once a kernel. With weights per element a segment is a weight and a value;
/// without weights it is a value.
///
/// - `segment`          the type
/// - `identity()`     the segment of no elements; its value is the negative zero of floating-point
///                    sums, which alone leaves the sign of zeros as it is
/// - `empty_state()`  what an exclusive scan starts with: the operator's own identity
/// - `join(a, b, w)`  segment a followed by segment b, where w = weight_of(length of b)
/// - `enter(s, b, w)` segment b with state s, which enters it, made part of it
/// - `weight_of(k)`   the weight of k elements, or nothing
/// - `compose(v, w)`  the weight of the lengths of v and w together
/// - `append(p, x, v)` segment p followed by element x of weight v
/// - `start(s)`       the segment of a line's first element, after which the state is s
/// - `streams`        arrays read: 1, or 2 with weights per element
/// - `ordered`        whether operands must keep their order

namespace wavescan::Impl {

struct NoWeight {};

/// @brief The value that changes no bit of what it is added to.
template <class Recurrence>
KOKKOS_FUNCTION typename Recurrence::value_type neutral_value(const Recurrence& recurrence) {
  return recurrence.identity();
}
template <std::floating_point T>
KOKKOS_FUNCTION T neutral_value(const PlainRecurrence<Plus<T>>&) {
  return -T(0);
}
template <std::floating_point T, class Weight>
KOKKOS_FUNCTION T neutral_value(const WeightedRecurrence<PlusTimes<T>, Weight>&) {
  return -T(0);
}

template <class Recurrence>
struct ScanTraits;

template <Operator Op>
struct ScanTraits<PlainRecurrence<Op>> {
  using recurrence = PlainRecurrence<Op>;
  using value_type = typename Op::value_type;
  using weight_type = NoWeight;
  using element_weight = NoWeight;
  using segment = value_type;
  static constexpr int streams = 1;
  static constexpr bool ordered = !commutes<Op>;
  Op op;

  explicit ScanTraits(const recurrence& r) : op(r.op) {}
  __device__ segment identity() const { return neutral_value(recurrence{op}); }
  __device__ value_type empty_state() const { return op.identity(); }
  KOKKOS_FUNCTION weight_type weight_of(Index) const { return {}; }
  __device__ weight_type compose(weight_type, weight_type) const { return {}; }
  __device__ segment join(const segment& a, const segment& b, weight_type) const {
    return op(a, b);
  }
  __device__ value_type leave(const value_type& s, const segment& b, weight_type) const {
    return op(s, b);
  }
  __device__ segment enter(const value_type& s, const segment& b, weight_type) const {
    return op(s, b);
  }
  __device__ value_type state(const segment& p) const { return p; }
  __device__ value_type advance(const value_type& s, const value_type& x, element_weight) const {
    return op(s, x);
  }
  __device__ segment append(const segment& p, const value_type& x, element_weight) const {
    return op(p, x);
  }
  __device__ segment start(const value_type& s) const { return s; }
  template <int N>
  __device__ segment reduce(const value_type (&x)[N], const element_weight (&)[1]) const {
    // Groups of up to four shorten the chain of dependent operations.
    constexpr int group = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
    segment sum = identity();
#pragma unroll
    for (int i = 0; i < N; i += group) {
      segment part = x[i];
      if constexpr (group == 2) part = op(part, x[i + 1]);
      if constexpr (group == 4) part = op(op(part, x[i + 1]), op(x[i + 2], x[i + 3]));
      sum = i == 0 ? part : op(sum, part);
    }
    return sum;
  }
};

template <Algebra A>
struct ScanTraits<WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>> {
  using recurrence = WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>;
  using value_type = typename A::value_type;
  using weight_type = typename A::weight_type;
  using element_weight = NoWeight;
  using segment = value_type;
  static constexpr int streams = 1;
  static constexpr bool ordered = false;  // ⋄ commutes, theorem 1
  A algebra;
  weight_type weight;
  weight_type weight2;
  value_type neutral;

  explicit ScanTraits(const recurrence& r)
      : algebra(r.algebra),
        weight(r.weight.value),
        weight2(r.algebra.power(weight, 2)),
        neutral(neutral_value(r)) {}
  __device__ segment identity() const { return neutral; }
  __device__ value_type empty_state() const { return algebra.zero(); }
  KOKKOS_FUNCTION weight_type weight_of(Index length) const {
    return algebra.power(weight, length);
  }
  __device__ weight_type compose(const weight_type& a, const weight_type& b) const {
    return algebra.compose(a, b);
  }
  __device__ segment join(const segment& a, const segment& b, const weight_type& w) const {
    return Impl::advance(algebra, a, w, b);
  }
  __device__ value_type leave(const value_type& s, const segment& b, const weight_type& w) const {
    return join(s, b, w);
  }
  __device__ segment enter(const value_type& s, const segment& b, const weight_type& w) const {
    return join(s, b, w);
  }
  __device__ value_type state(const segment& p) const { return p; }
  __device__ value_type advance(const value_type& s, const value_type& x, element_weight) const {
    return Impl::advance(algebra, s, weight, x);
  }
  __device__ segment append(const segment& p, const value_type& x, element_weight w) const {
    return advance(p, x, w);
  }
  __device__ segment start(const value_type& s) const { return s; }
  template <int N>
  __device__ segment reduce(const value_type (&x)[N], const element_weight (&)[1]) const {
    segment sum = x[0];
    if constexpr (N % 2 == 0) {
      // Pairs halve the chain of dependent operations.
      sum = Impl::advance(algebra, x[0], weight, x[1]);
#pragma unroll
      for (int i = 2; i < N; i += 2)
        sum = Impl::advance(algebra, sum, weight2, Impl::advance(algebra, x[i], weight, x[i + 1]));
    } else {
#pragma unroll
      for (int i = 1; i < N; ++i) sum = Impl::advance(algebra, sum, weight, x[i]);
    }
    return sum;
  }
};

/// @brief The arithmetic of segments where each element has a weight of its own, in scans and
/// loops.
template <Algebra A>
struct ElementWeightTraits {
  using value_type = typename A::value_type;
  using weight_type = NoWeight;
  using element_weight = typename A::weight_type;
  using segment = WeightedSegment<A>;
  static constexpr int streams = 2;
  static constexpr bool ordered = true;
  A algebra;

  KOKKOS_FUNCTION weight_type weight_of(Index) const { return {}; }
  __device__ weight_type compose(weight_type, weight_type) const { return {}; }
  __device__ segment join(const segment& a, const segment& b, weight_type) const {
    return {composed(a.weight, b.weight), leave(a.value, b, {})};
  }
  __device__ value_type leave(const value_type& s, const segment& b, weight_type) const {
    return Impl::advance(algebra, s, b.weight, b.value);
  }
  __device__ value_type state(const segment& p) const { return p.value; }
  __device__ value_type advance(const value_type& s, const value_type& x,
                                const element_weight& w) const {
    return Impl::advance(algebra, s, w, x);
  }
  __device__ segment append(const segment& p, const value_type& x, const element_weight& w) const {
    return {composed(p.weight, w), advance(p.value, x, w)};
  }
  /// What is before the line does not enter it, so the weight does not matter.
  __device__ segment start(const value_type& s) const { return {algebra.one(), s}; }

 private:
  /// In the second case of theorem 1 a segment's weight is that of its first element.
  __device__ element_weight composed(const element_weight& w, const element_weight& v) const {
    if constexpr (is_same_operator<A>)
      return w;
    else
      return algebra.compose(w, v);
  }
};

template <Algebra A>
struct ScanTraits<WeightedRecurrence<A, Lines<const typename A::weight_type>>>
    : ElementWeightTraits<A> {
  using recurrence = WeightedRecurrence<A, Lines<const typename A::weight_type>>;
  using base = ElementWeightTraits<A>;
  using typename base::element_weight;
  using typename base::segment;
  using typename base::value_type;
  value_type neutral;

  explicit ScanTraits(const recurrence& r) : base{r.algebra}, neutral(neutral_value(r)) {}
  __device__ segment identity() const { return {this->algebra.one(), neutral}; }
  __device__ value_type empty_state() const { return this->algebra.zero(); }
  __device__ segment enter(const value_type& s, const segment& b, NoWeight) const {
    return {b.weight, this->leave(s, b, {})};
  }
  template <int N>
  __device__ segment reduce(const value_type (&x)[N], const element_weight (&w)[N]) const {
    segment sum{w[0], x[0]};
#pragma unroll
    for (int i = 1; i < N; ++i) sum = this->append(sum, x[i], w[i]);
    return sum;
  }
};

}  // namespace wavescan::Impl

#endif
