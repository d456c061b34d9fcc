// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SCAN_HOST_VECTORS_HPP
#define WAVESCAN_IMPL_SCAN_HOST_VECTORS_HPP

#include <WaveScan_Algebras.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/host/WaveScan_Lanes.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

/// @file
/// @brief Scans of contiguous elements in the vector registers of one host thread.
///
/// A group of four vectors is scanned inside by shifts of 1, 2, 4, ... lanes; what enters the group
/// is joined at the end, so that the chain from group to group is one operation long.

namespace wavescan::Impl {

/// @brief Powers of weights that scans in vectors need beside the recurrence; `available` says
/// whether there are such scans.
template <class Recurrence>
struct VectorPowers {
  static constexpr bool available = false;
};

template <class Op>
  requires OperatorOfLanes<Op>
struct VectorPowers<PlainRecurrence<Op>> {
  static constexpr bool available = true;
  explicit VectorPowers(const PlainRecurrence<Op>&) {}
  static bool usable() { return true; }
};

/// @brief The first powers of the one weight, w itself being number 0: of the elements of a group.
template <class A>
  requires AlgebraOfLanes<A>
struct VectorPowers<WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>> {
  using T = typename A::value_type;
  static constexpr bool available = true;
  using recurrence = WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>;
  static constexpr int group =
      4 * std::max(Baseline::vector_bytes, ScanTarget<recurrence>::vector_bytes) /
      static_cast<int>(sizeof(T));
  T powers[group + 1];

  explicit VectorPowers(const recurrence& r) {
    powers[0] = r.weight.value;
    for (int k = 0; k < group; ++k) powers[k + 1] = r.algebra.compose(powers[k], r.weight.value);
  }
  /// @brief Whether the powers are finite: infinity times the zeros that vectors are filled up with
  /// would be NaN.
  bool usable() const {
    if constexpr (std::floating_point<T>) return std::isfinite(powers[group]);
    return true;
  }
};

/// @brief A recurrence in a target's vectors.
template <class Target, class Recurrence>
class VectorRecurrence;

/// @brief Inclusive scans and reductions of contiguous elements in a target's vectors.
template <class Target, class Recurrence>
class TargetVectorScan;

/// @brief Inclusive sums of contiguous elements in a target's vectors, added in the order in which
/// vectors of 16 bytes are: a vector holds some of a group's four, as blocks.
template <class Target, class T>
struct TargetSums {
  static constexpr bool available = false;
};

template <class Recurrence>
inline constexpr bool is_sum = false;
template <class T>
inline constexpr bool is_sum<PlainRecurrence<Plus<T>>> = true;

/// @brief Inclusive scans and reductions of contiguous elements in the vectors of the best target.
template <class Recurrence>
class HostVectorScan {
  using T = typename Recurrence::value_type;

 public:
  explicit HostVectorScan(const Recurrence& recurrence)
      : recurrence_(recurrence), powers_(recurrence) {}
  bool usable() const { return powers_.usable(); }
  const VectorPowers<Recurrence>& powers() const { return powers_; }

  /// @brief Scans `count` elements that `state` enters and returns the state after them; `out` may
  /// be `in`.
  /// @tparam Streaming stores bypass the caches: see TargetVector::stream()
  template <bool Streaming>
  T scan(const T* in, T* out, Index count, T state) const {
    if constexpr (is_sum<Recurrence>) {
      const Index done = dispatch([&](auto target) {
        using Target = decltype(target);
        if constexpr (TargetSums<Target, T>::available)
          return TargetSums<Target, T>::template scan<Streaming>(in, out, count, state);
        else
          return Index(0);
      });
      in += done;
      out += done;
      count -= done;
    }
    return dispatch(
        [&](auto target) {
          return TargetVectorScan<decltype(target), Recurrence>::template scan<Streaming>(
              recurrence_, powers_, in, out, count, state);
        },
        ScanTarget<Recurrence>{});
  }

  /// @brief The state after `count` > 0 elements if nothing enters them.
  T reduce(const T* in, Index count) const {
    return dispatch(
        [&](auto target) {
          return TargetVectorScan<decltype(target), Recurrence>::reduce(recurrence_, powers_, in,
                                                                        count);
        },
        ScanTarget<Recurrence>{});
  }

 private:
  Recurrence recurrence_;
  VectorPowers<Recurrence> powers_;
};

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/scan/host/WaveScan_Vectors.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class Op>
class VectorRecurrence<WAVESCAN_TARGET, PlainRecurrence<Op>> {
 public:
  using lanes = LaneOperator<WAVESCAN_TARGET, Op>;
  using vector = typename lanes::vector;

  explicit VectorRecurrence(const VectorPowers<PlainRecurrence<Op>>&) {}
  /// @brief A vector shifted by 2^level lanes joined with the vector itself.
  WAVESCAN_TARGET_INLINED static vector join_shifted(vector shifted, vector v, int) {
    return lanes::apply(shifted, v);
  }
  /// @brief Joins what enters a group with the group's vector number i.
  WAVESCAN_TARGET_INLINED static vector enter(vector entering, vector v, int) {
    return lanes::apply(entering, v);
  }
  /// @brief The state after `after` vectors, the last lane of whose scan is `total`.
  WAVESCAN_TARGET_INLINED static vector leave(vector entering, vector total, int) {
    return lanes::apply(entering, total);
  }
};

template <class A, class W>
class VectorRecurrence<WAVESCAN_TARGET, WeightedRecurrence<A, ConstantWeight<W>>> {
 public:
  using lanes = LaneAlgebra<WAVESCAN_TARGET, A>;
  using vector = typename lanes::vector;

  WAVESCAN_TARGET_INLINED explicit VectorRecurrence(
      const VectorPowers<WeightedRecurrence<A, ConstantWeight<W>>>& p) {
#pragma GCC unroll 8
    for (int level = 0; (1 << level) < vector::lanes; ++level)
      shifted_[level] = lanes::weights_of(vector::all(p.powers[(1 << level) - 1]));
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      entering_[i] = lanes::weights_of(vector::load(p.powers + i * vector::lanes));
      vectors_[i] = lanes::weights_of(vector::all(p.powers[(i + 1) * vector::lanes - 1]));
    }
  }
  WAVESCAN_TARGET_INLINED vector join_shifted(vector shifted, vector v, int level) const {
    return lanes::advance(shifted, shifted_[level], v);
  }
  WAVESCAN_TARGET_INLINED vector enter(vector entering, vector v, int i) const {
    return lanes::advance(entering, entering_[i], v);
  }
  WAVESCAN_TARGET_INLINED vector leave(vector entering, vector total, int after) const {
    return lanes::advance(entering, vectors_[after - 1], total);
  }

 private:
  typename lanes::Weights shifted_[6];   ///< w^(2^level)
  typename lanes::Weights entering_[4];  ///< w, w^2, ... for the lanes of each vector of a group
  typename lanes::Weights vectors_[4];   ///< w to the length of 1 to 4 vectors
};

template <VectorElement T>
  requires(sizeof(T) >= 4)
struct TargetSums<WAVESCAN_TARGET, T> {
  using lane_sums = LaneOperator<WAVESCAN_TARGET, Plus<T>>;
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  static constexpr Index lanes = vector::lanes;
  static constexpr Index block = 16 / static_cast<Index>(sizeof(T)), group = 4 * block;
  static constexpr int vectors = static_cast<int>(group / lanes);
  static constexpr bool available =
      Baseline::vector_bytes == 16 && (vector::bytes == 32 || vector::bytes == 64);

  /// @brief Scans whole groups that `state` enters, and makes it the state after them. Returns the
  /// number of their elements, none if `out` is not where vectors can be streamed to.
  template <bool Streaming>
  WAVESCAN_TARGET_FUNCTION static Index scan(const T* in, T* out, Index count, T& state) {
    if (Streaming && reinterpret_cast<std::uintptr_t>(out) % vector::bytes != 0) return 0;
    const vector nothing = vector::all(lane_sums::nothing);
    vector s = vector::all(state);
    Index j = 0;
    for (; j + group <= count; j += group) {
      vector x[vectors], before = nothing;
      for (int i = 0; i < vectors; ++i) {
        x[i] = vector::load(in + j + i * lanes);
        x[i] = x[i].template shifted_in_blocks<1>(nothing) + x[i];
        if constexpr (block > 2) x[i] = x[i].template shifted_in_blocks<2>(nothing) + x[i];
      }
      for (int i = 0; i < vectors; ++i) {
        vector entering = x[i].template last_of_block_behind_it<0>(nothing);
        if (i > 0) entering = before + entering;
        if constexpr (lanes > 2 * block) {
          entering = entering + x[i].template last_of_block_behind_it<1>(nothing);
          entering = entering + x[i].template last_of_block_behind_it<2>(nothing);
        }
        x[i] = entering + x[i];
        before = x[i].last();
      }
      for (int i = 0; i < vectors; ++i) {
        const vector y = s + x[i];
        if constexpr (Streaming)
          y.stream(out + j + i * lanes);
        else
          y.store(out + j + i * lanes);
      }
      s = s + before;
    }
    state = s.first();
    return j;
  }
};

template <class Recurrence>
class TargetVectorScan<WAVESCAN_TARGET, Recurrence> {
  using T = typename Recurrence::value_type;
  using Powers = VectorPowers<Recurrence>;
  using V = VectorRecurrence<WAVESCAN_TARGET, Recurrence>;
  using vector = typename V::vector;
  static constexpr Index lanes = vector::lanes;
  static constexpr Index group = 4 * lanes;

 public:
  template <bool Streaming>
  WAVESCAN_TARGET_FUNCTION static T scan(const Recurrence& recurrence, const Powers& powers,
                                         const T* in, T* out, Index count, T state) {
    const V r(powers);
    Index j = 0;
    if constexpr (Streaming)
      j = scan_singly(recurrence, in, out, 0, before_aligned(out, count), state);
    vector s = vector::all(state);
    for (; j + group <= count; j += group) {
      vector x[4];
      for (int i = 0; i < 4; ++i) x[i] = scan_lanes<0>(r, vector::load(in + j + i * lanes));
      // Totals of the vectors before, each in all lanes; independent of s.
      vector before = x[0].last();
      for (int i = 1; i < 4; ++i) {
        const vector own = x[i].last();
        x[i] = r.enter(before, x[i], 0);
        before = r.leave(before, own, 1);
      }
      for (int i = 0; i < 4; ++i) put<Streaming>(out + j + i * lanes, r.enter(s, x[i], i));
      s = r.leave(s, before, 4);
    }
    for (; j + lanes <= count; j += lanes) {
      const vector y = r.enter(s, scan_lanes<0>(r, vector::load(in + j)), 0);
      put<Streaming>(out + j, y);
      s = y.last();
    }
    state = s.first();
    scan_singly(recurrence, in, out, j, count, state);
    return state;
  }

  WAVESCAN_TARGET_FUNCTION static T reduce(const Recurrence& recurrence, const Powers& powers,
                                           const T* in, Index count) {
    const V r(powers);
    const Index whole = count / group * group;
    T state = in[0];
    if (whole > 0) {
      // Vectors are joined whole first: lane l of a sum joins every lanes-th element from l on.
      vector sums[4];
      for (int i = 0; i < 4; ++i) sums[i] = vector::load(in + i * lanes);
      for (Index j = group; j < whole; j += group)
        for (int i = 0; i < 4; ++i) sums[i] = r.leave(sums[i], vector::load(in + j + i * lanes), 4);
      for (int i = 0; i < 3; ++i) sums[3] = r.leave(sums[i], sums[3], 3 - i);
      state = scan_lanes<0>(r, sums[3]).last().first();
    }
    for (Index j = whole > 0 ? whole : 1; j < count; ++j)
      state = recurrence.advance(state, in[j], 0, j);
    return state;
  }

 private:
  template <bool Streaming>
  WAVESCAN_TARGET_INLINED static void put(T* p, vector v) {
    if constexpr (Streaming)
      v.stream(p);
    else
      v.store(p);
  }

  /// @brief The number of elements before the first one to which a vector may be streamed.
  static Index before_aligned(const T* p, Index count) {
    constexpr auto bytes = static_cast<std::uintptr_t>(vector::bytes);
    return std::min(count, static_cast<Index>(-reinterpret_cast<std::uintptr_t>(p) % bytes) /
                               static_cast<Index>(sizeof(T)));
  }
  static Index scan_singly(const Recurrence& recurrence, const T* in, T* out, Index begin,
                           Index end, T& state) {
    for (Index j = begin; j < end; ++j) {
      state = recurrence.advance(state, in[j], 0, j);
      out[j] = state;
    }
    return end;
  }

  template <int Level>
  WAVESCAN_TARGET_INLINED static vector scan_lanes(const V& r, vector x) {
    constexpr int distance = 1 << Level;
    if constexpr (distance >= lanes)
      return x;
    else
      return scan_lanes<Level + 1>(
          r, r.join_shifted(x.template shifted<distance>(V::lanes::nothing), x, Level));
  }
};

}  // namespace wavescan::Impl

#endif
