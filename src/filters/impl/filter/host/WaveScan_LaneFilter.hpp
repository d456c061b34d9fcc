// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_FILTER_HOST_LANEFILTER_HPP
#define WAVESCAN_IMPL_FILTER_HOST_LANEFILTER_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <algorithm>
#include <concepts>

/// @file
/// @brief Filters of several runs of samples on a host, a run in each lane of vectors: lines of
/// their own, or parts of a line.
///
/// Where samples of a run are neighbours, they are loaded and stored along the runs, as many from
/// each as there are lanes, and such squares transposed in registers, and reversed where runs go
/// backwards through memory. Where runs are neighbours,
/// vectors lie in memory as they are needed.

namespace wavescan::Impl::filter {

/// @brief Runs of samples: `lines` are the runs.
template <class T>
struct Runs {
  Lines<const T> in;
  Lines<T> out;
  int count;  ///< up to LaneFilter's `runs`
  Index length;
};

/// @brief Copies samples from j on of some runs to a square of [samples][lanes], or from there.
template <bool Loads, class T>
WAVESCAN_NOT_INLINED void copy_square(const Runs<T>& r, int first_run, int runs, Index j,
                                      int samples, T* square, int lanes) {
  for (int lane = 0; lane < runs; ++lane)
    for (int i = 0; i < samples; ++i)
      if constexpr (Loads)
        square[i * lanes + lane] = r.in(first_run + lane, j + i);
      else
        r.out(first_run + lane, j + i) = square[i * lanes + lane];
}

/// @brief The best target: wider vectors gain nothing, for memory is what is waited for, and
/// squares to transpose get larger.
#if defined(WAVESCAN_HAS_TARGETS)
using BestTarget = Avx2;
#else
using BestTarget = Baseline;
#endif

/// @brief Sets of runs, each of which fills a vector, that a processor works on at once.
template <int States>
inline constexpr int lane_sets = States <= 2 ? 2 : 1;

/// @brief The states of runs, as vectors read them: state i of a run lies at i * lane_pitch + run.
template <class T>
inline constexpr int lane_pitch = lane_sets<1>* std::max(Baseline::vector_bytes,
                                                         BestTarget::vector_bytes) /
                                  static_cast<int>(sizeof(T));

/// @brief A filter without feedback of so few taps that its states, one for each of them, stay in
/// registers.
template <class T, int Taps>
struct ShortForm {
  using value_type = T;
  static constexpr int states = Taps;
  T b[Taps + 1];

  explicit ShortForm(const FiniteForm<T, T>& form) { std::copy_n(form.b, Taps + 1, b); }
};

/// @brief A form's step in the lanes of vectors.
template <class Target, class Form>
struct LaneForm;

/// @brief Whether samples are finite, in the lanes of vectors.
template <class Target, class T>
struct FiniteSamples;

/// @brief The filter; `available` says whether a target's lanes can do it.
template <class Target, class Form>
struct LaneFilter {
  static constexpr bool available = false;
};

/// @brief A form's filter, for callers that are compiled once for all forms and targets.
template <class T>
class AnyLaneFilter {
 public:
  template <class Form>
  static AnyLaneFilter of() {
    using Lanes = LaneFilter<BestTarget, Form>;
    const bool has_lanes = dispatch(
        [](auto target) { return std::same_as<decltype(target), BestTarget>; }, BestTarget());
    return {Form::states, Lanes::runs, has_lanes ? &Lanes::filter : nullptr, &filter_one<Form>,
            has_lanes ? &FiniteSamples<BestTarget, T>::all : nullptr};
  }

  int states() const { return states_; }
  int runs() const { return runs_; }  ///< at once

  /// @brief Filters samples from the runs' states, which become those after them: in lanes or, on
  /// processors that lack the best target, one run after the other.
  /// @param stores whether anybody wants the samples, and not only the states
  void filter(const void* form, const Runs<T>& r, T* states, bool stores) const {
    if (in_lanes_ != nullptr) return in_lanes_(form, r, states, stores);
    for (int run = 0; run < r.count; ++run) {
      T state[max_order + 1];
      for (int i = 0; i < states_; ++i) state[i] = states[i * lane_pitch<T> + run];
      const LineElements<T> out = r.out.from(run, 0);
      filter_run(form, r.in.from(run, 0), {stores ? out.data : nullptr, out.stride}, r.length,
                 state);
      for (int i = 0; i < states_; ++i) states[i * lane_pitch<T> + run] = state[i];
    }
  }
  /// @brief Whether samples from the first one on are finite; false where that takes too long to
  /// find out. Reads all of them, and so brings them into the caches.
  bool are_finite(const LineElements<const T>& in, Index count) const {
    if (all_finite_ == nullptr || (in.stride != 1 && in.stride != -1)) return false;
    return all_finite_(in.stride > 0 ? in.data : &in[count - 1], count);
  }
  /// @brief Filters one run, without vectors.
  /// @param out where data is null, nobody wants the samples
  void filter_run(const void* form, LineElements<const T> in, LineElements<T> out, Index length,
                  T* state) const {
    one_(form, in, out, length, state);
  }

 private:
  using InLanes = void (*)(const void* form, const Runs<T>&, T* states, bool stores);
  using One = void (*)(const void* form, LineElements<const T>, LineElements<T>, Index, T* state);
  using AllFinite = bool (*)(const T* samples, Index count);

  AnyLaneFilter(int states, int runs, InLanes in_lanes, One one, AllFinite all_finite)
      : states_(states), runs_(runs), in_lanes_(in_lanes), one_(one), all_finite_(all_finite) {}

  template <class Form>
  static void filter_one(const void* of, LineElements<const T> in, LineElements<T> out,
                         Index length, T* state) {
    const Form form = *static_cast<const Form*>(of);
    StateVector<T, Form::states> z;
    std::copy_n(state, Form::states, z.value);
    for (Index j = 0; j < length; ++j) {
      const T y = form.step(in[j], z);
      if (out.data != nullptr) out[j] = y;
    }
    std::copy_n(z.value, Form::states, state);
  }

  int states_, runs_;
  InLanes in_lanes_;
  One one_;
  AllFinite all_finite_;
};

}  // namespace wavescan::Impl::filter

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/filter/host/WaveScan_LaneFilter.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::filter {

template <class T>
WAVESCAN_TARGET_INLINED TargetVector<WAVESCAN_TARGET, T> accumulated(
    TargetVector<WAVESCAN_TARGET, T> a, TargetVector<WAVESCAN_TARGET, T> x,
    TargetVector<WAVESCAN_TARGET, T> c) {
  if constexpr (TargetVector<WAVESCAN_TARGET, T>::fuses)
    return TargetVector<WAVESCAN_TARGET, T>::multiply_add(a, x, c);
  else
    return a * x + c;
}

template <class T, int K>
struct LaneForm<WAVESCAN_TARGET, DirectForm<T, K>> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  vector b[K + 1], minus_a[K];

  WAVESCAN_TARGET_INLINED void set(const DirectForm<T, K>& form) {
    for (int i = 0; i <= K; ++i) b[i] = vector::all(form.b[i]);
    for (int i = 0; i < K; ++i) minus_a[i] = vector::all(-form.a[i]);
  }
  WAVESCAN_TARGET_INLINED vector step(vector x, vector* z) const {
    const vector y = accumulated(b[0], x, z[0]);
    WAVESCAN_UNROLL_RUNS
    for (int i = 0; i < K; ++i)
      z[i] =
          accumulated(minus_a[i], y, i + 1 < K ? accumulated(b[i + 1], x, z[i + 1]) : b[i + 1] * x);
    return y;
  }
};

template <class T, int S>
struct LaneForm<WAVESCAN_TARGET, Sections<T, S>> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  LaneForm<WAVESCAN_TARGET, DirectForm<T, 2>> section[S];

  WAVESCAN_TARGET_INLINED void set(const Sections<T, S>& form) {
    for (int s = 0; s < S; ++s) section[s].set(form.section[s]);
  }
  WAVESCAN_TARGET_INLINED vector step(vector x, vector* z) const {
    WAVESCAN_UNROLL_RUNS
    for (int s = 0; s < S; ++s) x = section[s].step(x, z + 2 * s);
    return x;
  }
};

template <class T>
struct LaneForm<WAVESCAN_TARGET, FiniteForm<T, T>> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  vector b[max_order + 1];
  int taps, memory;

  WAVESCAN_TARGET_INLINED void set(const FiniteForm<T, T>& form) {
    for (int i = 0; i <= form.taps; ++i) b[i] = vector::all(form.b[i]);
    taps = form.taps;
    memory = form.memory;
  }
  WAVESCAN_TARGET_INLINED vector step(vector x, vector* z) const {
    const vector y = accumulated(b[0], x, z[0]);
    for (int i = 0; i < taps; ++i) z[i] = accumulated(b[i + 1], x, z[i + 1]);
    for (int i = taps; i < memory; ++i) z[i] = z[i + 1];
    return y;
  }
};

template <class T, int Taps>
struct LaneForm<WAVESCAN_TARGET, ShortForm<T, Taps>> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  vector b[Taps + 1];

  WAVESCAN_TARGET_INLINED void set(const ShortForm<T, Taps>& form) {
    for (int i = 0; i <= Taps; ++i) b[i] = vector::all(form.b[i]);
  }
  WAVESCAN_TARGET_INLINED vector step(vector x, vector* z) const {
    const vector y = accumulated(b[0], x, z[0]);
    WAVESCAN_UNROLL_RUNS
    for (int i = 0; i < Taps; ++i)
      z[i] = accumulated(b[i + 1], x, i + 1 < Taps ? z[i + 1] : vector::all(T(0)));
    return y;
  }
};

template <class T>
struct FiniteSamples<WAVESCAN_TARGET, T> {
  WAVESCAN_TARGET_FUNCTION static bool all(const T* samples, Index count) {
    using vector = TargetVector<WAVESCAN_TARGET, T>;
    constexpr int lanes = vector::lanes, at_once = 4;
    const vector zero = vector::all(T(0));
    vector sum[at_once] = {zero, zero, zero, zero};  // of zeros, or of what is no number
    Index j = 0;
    for (; j <= count - at_once * lanes; j += at_once * lanes) {
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < at_once; ++i)
        sum[i] = accumulated(zero, vector::load(samples + j + i * lanes), sum[i]);
    }
    T rest = 0;
    for (; j < count; ++j) rest += T(0) * samples[j];
    T of_lane[lanes];
    ((sum[0] + sum[1]) + (sum[2] + sum[3])).store(of_lane);
    for (const T& s : of_lane) rest += s;
    return rest == T(0);
  }
};

template <class Form>
  requires(VectorElement<typename Form::value_type> && sizeof(typename Form::value_type) >= 4)
class LaneFilter<WAVESCAN_TARGET, Form> {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  static constexpr int lanes = vector::lanes;
  static constexpr int sets = lane_sets<K>;

 public:
  static constexpr bool available = true;
  static constexpr int runs = sets * lanes;

  /// @brief Filters samples from the runs' states, which become those after them.
  /// @param stores whether anybody wants the samples, and not only the states
  WAVESCAN_TARGET_FUNCTION static void filter(const void* of, const Runs<T>& r, T* states,
                                              bool stores) {
    const Form& form = *static_cast<const Form*>(of);
    const bool along = (r.in.stride == 1 || r.in.stride == -1) && r.out.stride == r.in.stride;
    // Parts of a line, whose states alone are asked for first, are no neighbours.
    const bool across = stores && r.in.line_stride == 1 && r.out.line_stride == 1;
    Index done = 0;
    if (r.count == runs && (along || across)) done = filter_squares(form, r, states, along, stores);
    if (done < r.length) filter_rest(form, r, done, states, stores);
  }

 private:
  static constexpr int short_taps = 4;

  /// @brief Filters whole squares: as many samples of a set of runs as there are lanes. Returns how
  /// many samples of each run those are. A form of few taps and no other states stays in registers.
  /// @param along whether samples of a run are neighbours; otherwise those of the runs are
  template <int Taps = has_feedback<Form> ? 0 : short_taps>
  WAVESCAN_TARGET_FUNCTION static Index filter_squares(const Form& form, const Runs<T>& r,
                                                       T* states, bool along, bool stores) {
    if constexpr (Taps == 0) {
      return filter_squares_by(form, r, states, along, stores);
    } else {
      if (form.taps != Taps || form.memory != Taps)
        return filter_squares<Taps - 1>(form, r, states, along, stores);
      return filter_squares_by(ShortForm<T, Taps>(form), r, states, along, stores);
    }
  }
  template <class OneForm>
  WAVESCAN_TARGET_FUNCTION static Index filter_squares_by(const OneForm& form, const Runs<T>& r,
                                                          T* states, bool along, bool stores) {
    LaneForm<WAVESCAN_TARGET, OneForm> lane_form;
    lane_form.set(form);
    vector z[sets][OneForm::states];
    load(states, z, used_states(form));
    const bool backwards = along && r.in.stride < 0;
    const Index lowest = backwards ? lanes - 1 : 0;  // of a square's samples in memory
    const Index in_step = along ? r.in.line_stride : r.in.stride;
    const Index out_step = along ? r.out.line_stride : r.out.stride;
    const Index end = r.length - lanes;
    Index j = 0;
    for (; j <= end; j += lanes) {
      WAVESCAN_UNROLL_RUNS
      for (int set = 0; set < sets; ++set) {
        vector x[lanes];  // x[i]: the samples at j + i
        const T* from = &r.in(set * lanes, j + lowest);
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i, from += in_step) x[i] = vector::load(from);
        if (along) vector::transpose(x);
        if (backwards) reverse(x);
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i) x[i] = lane_form.step(x[i], z[set]);
        if (!stores) continue;
        if (backwards) reverse(x);
        if (along) vector::transpose(x);
        T* to = &r.out(set * lanes, j + lowest);
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i, to += out_step) x[i].store(to);
      }
    }
    store(states, z, used_states(form));
    return j;
  }

  WAVESCAN_TARGET_INLINED static void reverse(vector (&x)[lanes]) {
    WAVESCAN_UNROLL_RUNS
    for (int i = 0; i < lanes / 2; ++i) {
      const vector other = x[i];
      x[i] = x[lanes - 1 - i];
      x[lanes - 1 - i] = other;
    }
  }

  /// @brief Filters the samples from the first one on: of fewer runs, fewer samples than a square
  /// has, or with other strides.
  WAVESCAN_TARGET_FUNCTION static void filter_rest(const Form& form, const Runs<T>& r, Index first,
                                                   T* states, bool stores) {
    LaneForm<WAVESCAN_TARGET, Form> lane_form;
    lane_form.set(form);
    vector z[sets][K];
    load(states, z, used_states(form));
    for (Index j = first; j < r.length; j += lanes) {
      const auto samples = static_cast<int>(std::min<Index>(lanes, r.length - j));
      for (int set = 0; set < sets; ++set) {
        alignas(64) T square[lanes][lanes] = {};
        const int own = std::clamp(r.count - set * lanes, 0, lanes);
        copy_square<true>(r, set * lanes, own, j, samples, square[0], lanes);
        for (int i = 0; i < samples; ++i)
          lane_form.step(vector::load(square[i]), z[set]).store(square[i]);
        if (stores) copy_square<false>(r, set * lanes, own, j, samples, square[0], lanes);
      }
    }
    store(states, z, used_states(form));
  }

  template <int Of>
  WAVESCAN_TARGET_INLINED static void load(const T* states, vector (&z)[sets][Of], int used) {
    for (int set = 0; set < sets; ++set)
      for (int i = 0; i < used; ++i)
        z[set][i] = vector::load(states + i * lane_pitch<T> + set * lanes);
  }
  template <int Of>
  WAVESCAN_TARGET_INLINED static void store(T* states, const vector (&z)[sets][Of], int used) {
    for (int set = 0; set < sets; ++set)
      for (int i = 0; i < used; ++i) z[set][i].store(states + i * lane_pitch<T> + set * lanes);
  }
};

}  // namespace wavescan::Impl::filter

#endif
