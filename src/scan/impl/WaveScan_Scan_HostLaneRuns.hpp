// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTLANERUNS_HPP
#define WAVESCAN_IMPL_SCAN_HOSTLANERUNS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Scan_HostLaneProducts.hpp>
#include <impl/WaveScan_Scan_HostLanes.hpp>
#include <impl/WaveScan_Scan_HostSegments.hpp>
#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_Scan_HostVectors.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

/// @file
/// @brief Weighted recurrences, a run of a line in each lane of vectors: a step takes as few
/// operations as in a loop over one run, whatever the weights are.
///
/// Elements are loaded and stored along the runs, as many from each as there are lanes, and such
/// squares transposed in registers.

namespace wavescan::Impl {

/// @brief Consecutive runs of one line; `available` says whether lanes can have them.
template <class Recurrence, class In>
struct HostLaneRuns {
  static constexpr bool available = false;
};

#if defined(WAVESCAN_HOST_VECTORS)

/// @brief Whether numbers lie in memory as vectors take them, or one is for all.
template <class T>
bool is_contiguous(const Lines<T>& lines) {
  return lines.stride == 1;
}
template <class T>
bool is_contiguous(const ConstantWeight<T>&) {
  return true;
}

/// @brief Whether lanes save more than transposing takes: two do not, and squares of more than
/// sixteen do not fit in registers.
template <class T>
inline constexpr bool enough_lanes = HostVector<T>::lanes >= 4 && sizeof(T) >= 4;

/// @brief Whether each element has a weight of the elements' type.
template <class T, class Weights>
inline constexpr bool has_lane_weights = false;
template <class T>
inline constexpr bool has_lane_weights<T, Lines<const T>> = true;
template <class T>
inline constexpr bool has_lane_weights<T, Lines<T>> = true;

template <class A, class Weights, class T>
  requires(LaneAlgebra<A>::available&& std::same_as<T, typename A::value_type>&& enough_lanes<T> &&
           (has_lane_weights<T, Weights> || shifts_take_long<WeightedRecurrence<A, Weights>>))
class HostLaneRuns<WeightedRecurrence<A, Weights>, const T> {
  using recurrence_type = WeightedRecurrence<A, Weights>;
  using problem_type = ScanProblem<recurrence_type, const T>;
  using algebra = LaneAlgebra<A>;
  using vector = HostVector<T>;
  using type = typename vector::type;
  static constexpr int lanes = vector::lanes;
  static constexpr int sets = 2;  ///< of runs, that a processor works on at once
  static constexpr bool one_weight = is_constant_weight<Weights>;

 public:
  static constexpr bool available = true;
  static constexpr int runs = sets * lanes;
  using segments_type = HostSegments<recurrence_type, runs>;
  static constexpr Index step = lanes;  ///< runs are as long as a multiple of this
  /// Neighbouring runs begin an odd number of these apart. Two are a cache line at most: so many
  /// runs may want the same place in the first-level cache.
  static constexpr Index unit = std::max<Index>(32 / static_cast<Index>(sizeof(T)), lanes);

  static bool suits(const problem_type& problem) {
    return problem.in.stride == 1 && is_contiguous(problem.recurrence.weight);
  }

  HostLaneRuns(const problem_type& problem, Index line, Index begin, Index length)
      : problem_(problem), line_(line), begin_(begin), length_(length) {}

  void reduce(segments_type& segments) const {
    if constexpr (one_weight) {
      // Where powers of the weight are at hand, vectors of one run are joined as they are.
      const recurrence_type& r = problem_.recurrence;
      const HostVectorScan<recurrence_type> vectors(r);
      const T power = r.algebra.power(r.weight.value, length_);
      for (int k = 0; k < runs; ++k)
        segments.set(k, {power, vectors.reduce(&problem_.in(line_, place(k, 0)), length_)});
    } else {
      reduce_steps(segments);
    }
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
  /// @brief Values of all runs of a set: elements along the lines of memory that begin at `first`.
  struct Elements {
    const T* first;
    Index length;
    void load(int set, Index j, type (&rows)[lanes]) const {
      const T* const from = first + set * lanes * length + j;
      WAVESCAN_UNROLL_RUNS
      for (int lane = 0; lane < lanes; ++lane) rows[lane] = vector::load(from + lane * length);
      vector::transpose(rows);
    }
  };
  /// @brief One number in their stead.
  struct Same {
    type value;
    void load(int, Index, type (&rows)[lanes]) const {
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i) rows[i] = value;
    }
  };
  /// @brief Where elements and weights are: in variables, which no store can change.
  struct Columns {
    Elements x;
    std::conditional_t<one_weight, Same, Elements> w;
    /// @brief Calls use(i, x, w) with element j + i of all runs of a set and its weight.
    template <class Use>
    void for_each(int set, Index j, const Use& use) const {
      type xs[lanes], ws[lanes];
      x.load(set, j, xs);
      w.load(set, j, ws);
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i) use(i, xs[i], ws[i]);
    }
  };
  Columns columns() const {
    const auto& w = problem_.recurrence.weight;
    const Elements x{&problem_.in(line_, begin_), length_};
    if constexpr (one_weight)
      return {x, {vector::all(w.value)}};
    else
      return {x, {&w(line_, begin_), length_}};
  }

  Index place(int run, Index j) const { return begin_ + run * length_ + j; }

  void reduce_steps(segments_type& segments) const {
    constexpr Index few = LaneProducts<A>::few;
    static_assert(few % lanes == 0);
    const Columns columns = this->columns();
    type values[sets];
    LaneProducts<A> weights[sets];
    // Nothing enters the first elements.
    for (int set = 0; set < sets; ++set)
      columns.for_each(set, 0, [&](int i, type x, type w) {
        values[set] = i == 0 ? x : algebra::advance(values[set], algebra::weights_of(w), x);
        weights[set].append(w);
      });
    for (Index first = 0, j = lanes; first < length_; first = j) {
      for (const Index next = std::min(first + few, length_); j < next; j += lanes) {
        WAVESCAN_UNROLL_RUNS
        for (int set = 0; set < sets; ++set)
          columns.for_each(set, j, [&](int, type x, type w) {
            values[set] = algebra::advance(values[set], algebra::weights_of(w), x);
            weights[set].append(w);
          });
      }
      for (int set = 0; set < sets; ++set)
        weights[set].settle(j - first, [&](int lane, Index i) {
          return problem_.recurrence.weight(line_, place(set * lanes + lane, first + i));
        });
    }
    for (int k = 0; k < runs; ++k)
      weights[k / lanes].hand_over(segments, k, values[k / lanes][k % lanes], k % lanes);
  }

  template <bool Inclusive>
  void scan(Index begin, Index end, T* states, const Lines<T>& target) const {
    const Columns columns = this->columns();
    T* const to = &target(0, 0);
    const Index to_stride = target.line_stride;
    type s[sets];
    for (int set = 0; set < sets; ++set) s[set] = vector::load(states + set * lanes);
    for (Index j = begin; j < end; j += lanes) {
      WAVESCAN_UNROLL_RUNS
      for (int set = 0; set < sets; ++set) {
        type y[lanes];
        columns.for_each(set, j, [&](int i, type x, type w) {
          const type next = algebra::advance(s[set], algebra::weights_of(w), x);
          y[i] = Inclusive ? next : s[set];
          s[set] = next;
        });
        vector::transpose(y);
        WAVESCAN_UNROLL_RUNS
        for (int lane = 0; lane < lanes; ++lane)
          vector::store(to + (set * lanes + lane) * to_stride + j, y[lane]);
      }
    }
    for (int set = 0; set < sets; ++set) vector::store(states + set * lanes, s[set]);
  }

  const problem_type& problem_;
  Index line_, begin_, length_;
};

#endif  // WAVESCAN_HOST_VECTORS

}  // namespace wavescan::Impl

#endif
