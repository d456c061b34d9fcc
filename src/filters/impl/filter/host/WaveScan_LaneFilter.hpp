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
/// each as there are lanes, and such squares transposed in registers. Where runs are neighbours,
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

/// @brief The best target: wider vectors gain nothing, for memory is what is waited for, and
/// squares to transpose get larger.
#if defined(WAVESCAN_HAS_TARGETS)
using BestTarget = Avx2;
#else
using BestTarget = Baseline;
#endif

/// @brief The states of runs, as vectors read them: as many as any target takes at once.
template <class T, int K>
struct LaneStates {
  static constexpr int sets = K <= 2 ? 2 : 1;  ///< of runs, that a processor works on at once
  static constexpr int max_runs = sets *
                                  std::max(Baseline::vector_bytes, BestTarget::vector_bytes) /
                                  static_cast<int>(sizeof(T));
  alignas(64) T value[K][max_runs];
  void set(int run, const StateVector<T, K>& state) {
    for (int i = 0; i < K; ++i) value[i][run] = state.value[i];
  }
  StateVector<T, K> of(int run) const {
    StateVector<T, K> state;
    for (int i = 0; i < K; ++i) state.value[i] = value[i][run];
    return state;
  }
};

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

/// @brief The filter; `available` says whether a target's lanes can do it.
template <class Target, class Form>
struct LaneFilter {
  static constexpr bool available = false;
};

/// @brief A target's filter, for callers that are compiled once for all targets.
template <class Form>
struct AnyLaneFilter {
  using T = typename Form::value_type;
  using States = LaneStates<T, Form::states>;
  using Function = void (*)(const Form&, const Runs<T>&, States&);
  int runs;
  Function filter;
  Function states_only;  ///< nobody wants the samples

  static AnyLaneFilter best() {
    return dispatch(
        [](auto target) -> AnyLaneFilter {
          using Lanes = LaneFilter<decltype(target), Form>;
          return {Lanes::runs, &Lanes::template filter<true>, &Lanes::template filter<false>};
        },
        BestTarget());
  }
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

template <class Form>
  requires(VectorElement<typename Form::value_type> && sizeof(typename Form::value_type) >= 4)
class LaneFilter<WAVESCAN_TARGET, Form> {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  static constexpr int lanes = vector::lanes;
  using States = LaneStates<T, K>;
  static constexpr int sets = States::sets;

 public:
  static constexpr bool available = true;
  static constexpr int runs = sets * lanes;

  /// @brief Filters samples from the runs' states, which become those after them.
  /// @tparam Stores whether anybody wants the samples, and not only the states
  template <bool Stores>
  WAVESCAN_TARGET_FUNCTION static void filter(const Form& form, const Runs<T>& r, States& states) {
    Index done = 0;
    if (r.count == runs && r.in.stride == 1 && r.out.stride == 1)
      done = filter_whole<Stores, Along>(form, r, states);
    else if (Stores && r.count == runs && r.in.line_stride == 1 && r.out.line_stride == 1)
      done = filter_whole<true, Across>(form, r, states);  // parts of a line are no neighbours
    if (done < r.length) filter_squares<Stores, Anyhow>(form, r, done, states);
  }

 private:
  static constexpr int short_taps = 4;

  /// @brief Filters whole squares, and returns how many samples of each run those are. A form of
  /// few taps and no other states stays in registers; states alone take few samples anyway.
  template <bool Stores, class Access, int Taps = has_feedback<Form> || !Stores ? 0 : short_taps>
  WAVESCAN_TARGET_FUNCTION static Index filter_whole(const Form& form, const Runs<T>& r,
                                                     States& states) {
    if constexpr (Taps == 0) {
      return filter_squares<Stores, Access>(form, r, 0, states);
    } else {
      if (form.taps != Taps || form.memory != Taps)
        return filter_whole<Stores, Access, Taps - 1>(form, r, states);
      return filter_squares<Stores, Access>(ShortForm<T, Taps>(form), r, 0, states);
    }
  }

  /// @brief As many samples of a set of runs as there are lanes: vector i holds those at j + i.
  struct Along {
    static constexpr bool whole = true;  ///< squares
    WAVESCAN_TARGET_INLINED static void load(const Runs<T>& r, int set, Index j, Index,
                                             vector (&x)[lanes]) {
      const T* from = &r.in(set * lanes, j);
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i, from += r.in.line_stride) x[i] = vector::load(from);
      vector::transpose(x);
    }
    WAVESCAN_TARGET_INLINED static void store(const Runs<T>& r, int set, Index j, Index,
                                              vector (&x)[lanes]) {
      vector::transpose(x);
      T* to = &r.out(set * lanes, j);
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i, to += r.out.line_stride) x[i].store(to);
    }
  };
  struct Across {
    static constexpr bool whole = true;
    WAVESCAN_TARGET_INLINED static void load(const Runs<T>& r, int set, Index j, Index,
                                             vector (&x)[lanes]) {
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i) x[i] = vector::load(&r.in(set * lanes, j + i));
    }
    WAVESCAN_TARGET_INLINED static void store(const Runs<T>& r, int set, Index j, Index,
                                              vector (&x)[lanes]) {
      WAVESCAN_UNROLL_RUNS
      for (int i = 0; i < lanes; ++i) x[i].store(&r.out(set * lanes, j + i));
    }
  };
  /// @brief Fewer runs or samples, or other strides.
  struct Anyhow {
    static constexpr bool whole = false;
    WAVESCAN_TARGET_FUNCTION static void load(const Runs<T>& r, int set, Index j, Index samples,
                                              vector (&x)[lanes]) {
      alignas(64) T square[lanes][lanes] = {};
      for (int lane = 0; lane < lanes && set * lanes + lane < r.count; ++lane)
        for (Index i = 0; i < samples; ++i) square[i][lane] = r.in(set * lanes + lane, j + i);
      for (int i = 0; i < lanes; ++i) x[i] = vector::load(square[i]);
    }
    WAVESCAN_TARGET_FUNCTION static void store(const Runs<T>& r, int set, Index j, Index samples,
                                               vector (&x)[lanes]) {
      alignas(64) T square[lanes][lanes];
      for (int i = 0; i < lanes; ++i) x[i].store(square[i]);
      for (int lane = 0; lane < lanes && set * lanes + lane < r.count; ++lane)
        for (Index i = 0; i < samples; ++i) r.out(set * lanes + lane, j + i) = square[i][lane];
    }
  };

  template <bool Stores, class Access, class OneForm>
  WAVESCAN_TARGET_INLINED static void filter_square(const LaneForm<WAVESCAN_TARGET, OneForm>& form,
                                                    const Runs<T>& r, Index j, Index samples,
                                                    vector (&z)[sets][OneForm::states]) {
    WAVESCAN_UNROLL_RUNS
    for (int set = 0; set < sets; ++set) {
      vector x[lanes];
      Access::load(r, set, j, samples, x);
      if constexpr (Access::whole) {
        WAVESCAN_UNROLL_RUNS
        for (int i = 0; i < lanes; ++i) x[i] = form.step(x[i], z[set]);
      } else {
        for (int i = 0; i < samples; ++i) x[i] = form.step(x[i], z[set]);
      }
      if constexpr (Stores) Access::store(r, set, j, samples, x);
    }
  }
  /// @brief Filters squares of samples from the first one on, and returns where the last one ends.
  template <bool Stores, class Access, class OneForm>
  WAVESCAN_TARGET_FUNCTION static Index filter_squares(const OneForm& form, const Runs<T>& r,
                                                       Index first, States& states) {
    LaneForm<WAVESCAN_TARGET, OneForm> lane_form;
    lane_form.set(form);
    vector z[sets][OneForm::states];
    const int used = used_states(form);
    for (int set = 0; set < sets; ++set)
      for (int i = 0; i < used; ++i) z[set][i] = vector::load(&states.value[i][set * lanes]);
    const Index end = Access::whole ? r.length - lanes : r.length - 1;
    Index j = first;
    for (; j <= end; j += lanes)
      filter_square<Stores, Access>(lane_form, r, j, std::min<Index>(lanes, r.length - j), z);
    for (int set = 0; set < sets; ++set)
      for (int i = 0; i < used; ++i) z[set][i].store(&states.value[i][set * lanes]);
    return j;
  }
};

}  // namespace wavescan::Impl::filter

#endif
