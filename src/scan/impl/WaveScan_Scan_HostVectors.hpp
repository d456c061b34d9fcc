// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTVECTORS_HPP
#define WAVESCAN_IMPL_SCAN_HOSTVECTORS_HPP

#include <WaveScan_Algebras.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Scan_HostLanes.hpp>
#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_Scan_HostVector.hpp>
#include <impl/WaveScan_Scan_Recurrence.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

/// @file
/// @brief Scans of contiguous elements in the vector registers of one host thread.
///
/// A group of four vectors is scanned inside by shifts of 1, 2, 4, ... lanes; what enters the group
/// is joined at the end, so that the chain from group to group is one operation long.

namespace wavescan::Impl {

/// @brief A recurrence on vectors; `available` says whether there is one.
template <class Recurrence>
struct VectorRecurrence {
  static constexpr bool available = false;
};

#if defined(WAVESCAN_HOST_VECTORS)

template <class Op>
requires LaneOperator<Op>::available struct VectorRecurrence<PlainRecurrence<Op>>
    : LaneOperator<Op> {
  using lanes = LaneOperator<Op>;
  using vector = HostVector<typename Op::value_type>;
  using type = typename vector::type;

  explicit VectorRecurrence(const PlainRecurrence<Op>&) {}
  static bool usable() { return true; }
  /// @brief A vector shifted by 2^level lanes joined with the vector itself.
  static type join_shifted(type shifted, type v, int) { return lanes::apply(shifted, v); }
  /// @brief What enters a group joined with its vector number i.
  static type enter(type entering, type v, int) { return lanes::apply(entering, v); }
  /// @brief The state after `after` vectors, the last lane of whose scan is `total`.
  static type leave(type entering, type total, int) { return lanes::apply(entering, total); }
};

template <class A>
requires LaneAlgebra<A>::available class VectorRecurrence<
    WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>> : public LaneAlgebra<A> {
  using T = typename A::value_type;
  using lanes = LaneAlgebra<A>;

 public:
  using vector = HostVector<T>;
  using type = typename vector::type;

  explicit VectorRecurrence(
      const WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>& r) {
    T power = r.weight.value;
    for (int i = 0; i < 4; ++i) {
      type powers{};
      for (int lane = 0; lane < vector::lanes; ++lane) {
        powers[lane] = power;
        if (lane == vector::lanes - 1) vectors_[i] = all_weights(power);
        if (i == 0 && std::has_single_bit(static_cast<unsigned>(lane + 1)))
          shifted_[std::countr_zero(static_cast<unsigned>(lane + 1))] = all_weights(power);
        power = r.algebra.compose(power, r.weight.value);
      }
      entering_[i] = lanes::weights_of(powers);
    }
    if constexpr (std::floating_point<T>) usable_ = std::isfinite(power);
  }
  /// @brief Whether the powers of the weight are finite: infinity times the zeros that vectors are
  /// filled up with would be NaN.
  bool usable() const { return usable_; }
  type join_shifted(type shifted, type v, int level) const {
    return lanes::advance(shifted, shifted_[level], v);
  }
  type enter(type entering, type v, int i) const {
    return lanes::advance(entering, entering_[i], v);
  }
  type leave(type entering, type total, int after) const {
    return lanes::advance(entering, vectors_[after - 1], total);
  }

 private:
  using weights = typename lanes::weights;
  static weights all_weights(T weight) { return lanes::weights_of(vector::all(weight)); }

  std::array<weights, 6> shifted_;   ///< w^(2^level)
  std::array<weights, 4> entering_;  ///< w, w^2, ... for the lanes of each vector of a group
  std::array<weights, 4> vectors_;   ///< w to the length of 1 to 4 vectors
  bool usable_ = true;
};

/// @brief Whether steps in the lanes of vectors (HostLaneRuns) take less time than shifts and steps
/// in vectors: they are fewer, which counts where a step is many operations.
template <class Recurrence>
inline constexpr bool shifts_take_long = false;
template <std::integral T>
inline constexpr bool shifts_take_long<WeightedRecurrence<MaxPlus<T>, ConstantWeight<T>>> =
    !has_vector_extrema<T>;
template <std::integral T>
inline constexpr bool shifts_take_long<WeightedRecurrence<MinPlus<T>, ConstantWeight<T>>> =
    !has_vector_extrema<T>;

/// @brief Inclusive scans and reductions of contiguous elements.
template <class Recurrence>
class HostVectorScan {
  using T = typename Recurrence::value_type;
  using V = VectorRecurrence<Recurrence>;
  using vector = typename V::vector;
  using type = typename vector::type;
  static constexpr Index lanes = vector::lanes;

 public:
  static constexpr Index group = 4 * lanes;

  explicit HostVectorScan(const Recurrence& recurrence) : recurrence_(recurrence), v_(recurrence) {}
  bool usable() const { return v_.usable(); }

  /// @brief Scans `count` elements that `state` enters and returns the state after them; `out` may
  /// be `in`.
  /// @tparam Streaming stores bypass the caches: see stream()
  template <bool Streaming>
  T scan(const T* in, T* out, Index count, T state) const {
    Index j = 0;
    if constexpr (Streaming) j = scan_singly(in, out, 0, before_aligned(out, count), state);
    type s = vector::all(state);
    for (; j + group <= count; j += group) {
      type x[4];
      for (int i = 0; i < 4; ++i) x[i] = scan_lanes(vector::load(in + j + i * lanes));
      // Totals of the vectors before, each in all lanes; independent of s.
      type before = vector::last(x[0]);
      for (int i = 1; i < 4; ++i) {
        const type own = vector::last(x[i]);
        x[i] = v_.enter(before, x[i], 0);
        before = v_.leave(before, own, 1);
      }
      for (int i = 0; i < 4; ++i) put<Streaming>(out + j + i * lanes, v_.enter(s, x[i], i));
      s = v_.leave(s, before, 4);
    }
    for (; j + lanes <= count; j += lanes) {
      const type y = v_.enter(s, scan_lanes(vector::load(in + j)), 0);
      put<Streaming>(out + j, y);
      s = vector::last(y);
    }
    state = s[0];
    scan_singly(in, out, j, count, state);
    return state;
  }

  /// @brief The state after `count` > 0 elements if nothing enters them.
  T reduce(const T* in, Index count) const {
    const Index whole = count / group * group;
    T state = in[0];
    if (whole > 0) {
      // Vectors are joined whole first: lane l of a sum joins every lanes-th element from l on.
      type sums[4];
      for (int i = 0; i < 4; ++i) sums[i] = vector::load(in + i * lanes);
      for (Index j = group; j < whole; j += group)
        for (int i = 0; i < 4; ++i)
          sums[i] = v_.leave(sums[i], vector::load(in + j + i * lanes), 4);
      for (int i = 0; i < 3; ++i) sums[3] = v_.leave(sums[i], sums[3], 3 - i);
      state = scan_lanes(sums[3])[lanes - 1];
    }
    for (Index j = whole > 0 ? whole : 1; j < count; ++j)
      state = recurrence_.advance(state, in[j], 0, j);
    return state;
  }

 private:
  template <bool Streaming>
  static void put(T* p, type v) {
    if constexpr (Streaming)
      stream(p, v);
    else
      vector::store(p, v);
  }

  /// @brief The number of elements before the first one to which a vector may be streamed.
  static Index before_aligned(const T* p, Index count) {
    constexpr auto bytes = static_cast<std::uintptr_t>(host_vector_bytes);
    return std::min(count, static_cast<Index>(-reinterpret_cast<std::uintptr_t>(p) % bytes) /
                               static_cast<Index>(sizeof(T)));
  }
  Index scan_singly(const T* in, T* out, Index begin, Index end, T& state) const {
    for (Index j = begin; j < end; ++j) {
      state = recurrence_.advance(state, in[j], 0, j);
      out[j] = state;
    }
    return end;
  }

  type scan_lanes(type x) const { return scan_lanes<0>(x); }
  template <int Level>
  type scan_lanes(type x) const {
    constexpr int distance = 1 << Level;
    if constexpr (distance >= lanes) {
      return x;
    } else {
      type filling{};
      for (int lane = 0; lane < distance; ++lane) filling[lane] = V::nothing;
      return scan_lanes<Level + 1>(
          v_.join_shifted(vector::template shift<distance>(x, filling), x, Level));
    }
  }

  Recurrence recurrence_;
  V v_;
};

#endif  // WAVESCAN_HOST_VECTORS

}  // namespace wavescan::Impl

#endif
