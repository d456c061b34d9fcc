// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTLANERUNS_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTLANERUNS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_Factors.hpp>
#include <impl/scan/host/WaveScan_HostSegments.hpp>
#include <impl/scan/host/WaveScan_Lanes.hpp>

#include <algorithm>
#include <concepts>
#include <limits>

/// @file
/// @brief Weighted recurrences, a run of a line in each lane of vectors: a step takes as few
/// operations as in a loop over one run, whatever the weights are.
///
/// Elements are loaded and stored along the runs, as many from each as there are lanes, and such
/// squares transposed in registers.

namespace wavescan::Impl {

/// @brief Consecutive runs of one line; `available` says whether a target's lanes can have them.
template <class Target, class Recurrence, class In>
struct HostLaneRuns {
  static constexpr bool available = false;
};

/// @brief Whether each element has a weight of the elements' type.
template <class T, class Weights>
inline constexpr bool has_lane_weights = false;
template <class T>
inline constexpr bool has_lane_weights<T, Lines<const T>> = true;
template <class T>
inline constexpr bool has_lane_weights<T, Lines<T>> = true;

/// @brief The weights of segments that grow in the lanes of a vector: `append` for each element,
/// `commit` after every `few` of them or fewer, at last `hand_over` for each lane.
template <class Target, class A>
class LaneProducts;

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/scan/host/WaveScan_HostLaneRuns.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class A>
class LaneProducts<WAVESCAN_TARGET, A> {
  using algebra = LaneAlgebra<WAVESCAN_TARGET, A>;
  using vector = typename algebra::vector;

 public:
  static constexpr Index few = 64;

  WAVESCAN_TARGET_FUNCTION LaneProducts() : product_(vector::all(A{}.one())) {}
  WAVESCAN_TARGET_INLINED void append(vector w) {
    product_ = algebra::compose(product_, algebra::weights_of(w));
  }
  template <class Factors>
  void commit(Index, const Factors&) {}
  template <class Segments>
  void hand_over(Segments& segments, Index k, const typename A::value_type& value, int lane) const {
    segments.set(k, {product_.v[lane], value});
  }

 private:
  vector product_;
};

/// @brief Products of floating-point numbers, which neither underflow nor overflow: as
/// FactorProduct keeps one, but that the smallest product on the way tells whether all were normal
/// numbers, and that every product is moved towards 1 whenever it is committed.
template <std::floating_point T>
class LaneProducts<WAVESCAN_TARGET, PlusTimes<T>> {
  using product_type = FactorProduct<T>;
  using limits = std::numeric_limits<T>;
  using vector = TargetVector<WAVESCAN_TARGET, T>;

 public:
  static constexpr Index few = product_type::few;

  WAVESCAN_TARGET_FUNCTION LaneProducts()
      : product_(vector::all(1)),
        committed_(product_),
        smallest_(vector::all(limits::max())),
        moves_(vector::all(0)) {}

  WAVESCAN_TARGET_INLINED void append(vector w) {
    product_ = product_ * w;
    smallest_ = min(product_.magnitude(), smallest_);
  }

  /// @param factors called with a lane and the number of one of the `count` last factors
  template <class Factors>
  WAVESCAN_TARGET_FUNCTION void commit(Index count, const Factors& factors) {
    const vector largest = vector::all(limits::max());
    const auto normal =
        (smallest_.v >= vector::all(limits::min()).v) & (product_.magnitude().v <= largest.v);
    bool all_normal = true;
    for (int lane = 0; lane < vector::lanes; ++lane) all_normal &= normal[lane] != 0;
    if (!all_normal) *this = multiplied_anew(*this, count, factors);
    const vector size = product_.magnitude(), one = vector::all(1), none = vector::all(0);
    const auto small = size < vector::all(1 / far), large = vector::all(far) < size;
    product_ = product_ * vector::select(small, vector::all(far * far),
                                         vector::select(large, vector::all(1 / far / far), one));
    moves_ = moves_ + vector::select(large, one, vector::select(small, vector::all(-1), none));
    committed_ = product_;
    smallest_ = largest;
  }

  template <class Segments>
  void hand_over(Segments& segments, Index k, const T& value, int lane) const {
    product_type product = products_[lane];
    product.factor = product_.v[lane];
    product.exponent += 2 * far_exponent * static_cast<int>(moves_.v[lane]);
    segments.set(k, value, product);
  }

 private:
  static constexpr int far_exponent = 3 * limits::max_exponent / 8;
  static constexpr T power_of_2(int n) { return n == 0 ? T(1) : 2 * power_of_2(n - 1); }
  static constexpr T far = power_of_2(far_exponent);

  /// Not to be inlined, and by value: what is seldom needed must not drive others out of registers.
  template <class Factors>
  WAVESCAN_NOT_INLINED WAVESCAN_TARGET_FUNCTION static LaneProducts multiplied_anew(
      LaneProducts p, Index count, const Factors factors) {
    for (int lane = 0; lane < vector::lanes; ++lane) {
      product_type& product = p.products_[lane];
      product.factor = p.product_.v[lane];
      product.committed = p.committed_.v[lane];
      product = product.rescaled(false, count, [&](Index i) { return factors(lane, i); });
      p.product_.v[lane] = product.factor;
    }
    return p;
  }

  vector product_;
  vector committed_;                      ///< `product_` when it was committed
  vector smallest_;                       ///< magnitude of a product since
  vector moves_;                          ///< by 2^(2 far_exponent)
  product_type products_[vector::lanes];  ///< but for what the vectors hold
};

/// Lanes save more than transposing takes: two do not, and squares of more than sixteen do not fit
/// in registers.
template <class A, class Weights, class T>
  requires(AlgebraOfLanes<A>&& std::same_as<T, typename A::value_type> && sizeof(T) >= 4 &&
           WAVESCAN_TARGET::vector_bytes >= 4 * sizeof(T) && has_lane_weights<T, Weights>)
class HostLaneRuns<WAVESCAN_TARGET, WeightedRecurrence<A, Weights>, const T> {
  using recurrence_type = WeightedRecurrence<A, Weights>;
  using problem_type = ScanProblem<recurrence_type, const T>;
  using algebra = LaneAlgebra<WAVESCAN_TARGET, A>;
  using products = LaneProducts<WAVESCAN_TARGET, A>;
  using vector = typename algebra::vector;
  static constexpr int lanes = vector::lanes;
  static constexpr int sets = 2;  ///< of runs, that a processor works on at once

 public:
  static constexpr bool available = true;
  static constexpr int runs = sets * lanes;
  using segments_type = HostSegments<recurrence_type, runs>;
  static constexpr Index step = lanes;  ///< runs are as long as a multiple of this
  /// Neighbouring runs begin an odd number of these apart. Two are a cache line at most: so many
  /// runs may want the same place in the first-level cache.
  static constexpr Index unit = std::max<Index>(32 / static_cast<Index>(sizeof(T)), lanes);

  static bool supports(const problem_type& problem) {
    return problem.in.stride == 1 && problem.recurrence.weight.stride == 1;
  }

  HostLaneRuns(const problem_type& problem, Index line, Index begin, Index length)
      : problem_(problem), line_(line), begin_(begin), length_(length) {}

  WAVESCAN_TARGET_FUNCTION void reduce(segments_type& segments) const {
    constexpr Index few = products::few;
    static_assert(few % lanes == 0);
    const Squares squares = this->squares();
    vector values[sets];
    products weights[sets];
    // Nothing enters the first elements.
    for (int set = 0; set < sets; ++set) {
      vector x[lanes], w[lanes];
      squares.load(set, 0, x, w);
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i) {
        values[set] =
            i == 0 ? x[i] : algebra::advance(values[set], algebra::weights_of(w[i]), x[i]);
        weights[set].append(w[i]);
      }
    }
    for (Index first = 0, j = lanes; first < length_; first = j) {
      for (const Index next = std::min(first + few, length_); j < next; j += lanes) {
        WAVESCAN_UNROLL_RUNS
        for (int set = 0; set < sets; ++set) {
          vector x[lanes], w[lanes];
          squares.load(set, j, x, w);
          WAVESCAN_UNROLL_RUNS
          for (int i = 0; i < lanes; ++i) {
            values[set] = algebra::advance(values[set], algebra::weights_of(w[i]), x[i]);
            weights[set].append(w[i]);
          }
        }
      }
      for (int set = 0; set < sets; ++set)
        weights[set].commit(j - first, [&](int lane, Index i) {
          return problem_.recurrence.weight(line_, place(set * lanes + lane, first + i));
        });
    }
    for (int k = 0; k < runs; ++k)
      weights[k / lanes].hand_over(segments, k, values[k / lanes].v[k % lanes], k % lanes);
  }

  /// @brief Whether `scan` can store results there.
  static bool writes_to(const Lines<T>& target) { return target.stride == 1; }

  /// @brief Scans elements [begin, end) of all runs; element j of run k goes to target(k, j).
  void scan(Index begin, Index end, T* states, const Lines<T>& target) const {
    if (problem_.kind == ScanKind::Inclusive)
      scan<true>(begin, end, states, target);
    else
      scan<false>(begin, end, states, target);
  }

 private:
  /// @brief The addresses of elements and weights, in variables, which no store can change.
  struct Squares {
    const T *x, *w;
    Index length;
    /// @brief Elements j, j + 1, ... of all runs of a set, and their weights.
    WAVESCAN_TARGET_INLINED void load(int set, Index j, vector (&xs)[lanes],
                                      vector (&ws)[lanes]) const {
      load(x + set * lanes * length + j, xs);
      load(w + set * lanes * length + j, ws);
    }

    WAVESCAN_TARGET_INLINED void load(const T* from, vector (&rows)[lanes]) const {
      WAVESCAN_UNROLL_RUNS
      for (int lane = 0; lane < lanes; ++lane, from += length) rows[lane] = vector::load(from);
      vector::transpose(rows);
    }
  };
  Squares squares() const {
    return {&problem_.in(line_, begin_), &problem_.recurrence.weight(line_, begin_), length_};
  }

  Index place(int run, Index j) const { return begin_ + run * length_ + j; }

  template <bool Inclusive>
  WAVESCAN_TARGET_FUNCTION void scan(Index begin, Index end, T* states,
                                     const Lines<T>& target) const {
    const Squares squares = this->squares();
    T* const to = &target(0, 0);
    const Index to_stride = target.line_stride;
    vector s[sets];
    for (int set = 0; set < sets; ++set) s[set] = vector::load(states + set * lanes);
    for (Index j = begin; j < end; j += lanes) {
      WAVESCAN_UNROLL_RUNS
      for (int set = 0; set < sets; ++set) {
        vector x[lanes], w[lanes], y[lanes];
        squares.load(set, j, x, w);
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i) {
          const vector next = algebra::advance(s[set], algebra::weights_of(w[i]), x[i]);
          y[i] = Inclusive ? next : s[set];
          s[set] = next;
        }
        vector::transpose(y);
        WAVESCAN_UNROLL_RUNS
        for (int lane = 0; lane < lanes; ++lane)
          y[lane].store(to + (set * lanes + lane) * to_stride + j);
      }
    }
    for (int set = 0; set < sets; ++set) s[set].store(states + set * lanes);
  }

  const problem_type& problem_;
  Index line_, begin_, length_;
};

}  // namespace wavescan::Impl

#endif
