// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SCAN_HOST_LANES_HPP
#define WAVESCAN_IMPL_SCAN_HOST_LANES_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// @brief Operators and algebras on all lanes of vectors.

namespace wavescan::Impl {

/// @brief The best target for scans. Floating-point numbers take what the compiler's flags allow:
/// how many lanes there are decides in which order they are added, and results shall not depend on
/// the processor. So do sums of integers, which need few operations and would need more where lanes
/// are shifted further than 16 bytes. Other recurrences of integers need what came after SSE2.
template <class Recurrence>
struct ScanTargetOf {
  using type =
      std::conditional_t<std::floating_point<typename Recurrence::value_type>, Baseline, Avx2>;
};
template <class T>
struct ScanTargetOf<PlainRecurrence<Plus<T>>> {
  using type = Baseline;
};
template <class Recurrence>
using ScanTarget = typename ScanTargetOf<Recurrence>::type;

/// @brief An operator on all lanes of vectors: `apply`, and `nothing`, which changes no operand.
template <class Target, class Op>
struct LaneOperator;

/// @brief An algebra on all lanes of vectors: `advance` is (a ∘ w) ⋄ b, `compose(v, w)` the one
/// weight that does what v and then w do; `weights_of` makes what they take for `w`; `nothing` is
/// the zero, which absorbs every weight.
template <class Target, class A>
struct LaneAlgebra;

template <class A>
using ExtremumOf = std::conditional_t<std::same_as<A, MaxPlus<typename A::value_type>>,
                                      Max<typename A::value_type>, Min<typename A::value_type>>;

template <class Op>
concept OperatorOfLanes = requires {
  LaneOperator<Baseline, Op>::nothing;
};
template <class A>
concept AlgebraOfLanes = requires {
  LaneAlgebra<Baseline, A>::nothing;
};

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/scan/host/WaveScan_Lanes.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <VectorElement T>
struct LaneOperator<WAVESCAN_TARGET, Plus<T>> {
  using vector = TargetVector<WAVESCAN_TARGET, T>;
  static constexpr T nothing = std::floating_point<T> ? -T(0) : T(0);  // -0 + 0 would be 0
  WAVESCAN_TARGET_INLINED static vector apply(vector a, vector b) { return a + b; }
};

/// @brief Max or Min; NaN where an operand is.
template <class Op>
  requires VectorElement<typename Op::value_type> &&
      (std::same_as<Op, Max<typename Op::value_type>> ||
       std::same_as<Op, Min<typename Op::value_type>>)struct LaneOperator<WAVESCAN_TARGET, Op> {
    static constexpr bool is_max = std::same_as<Op, Max<typename Op::value_type>>;
    using vector = TargetVector<WAVESCAN_TARGET, typename Op::value_type>;
    static constexpr typename Op::value_type nothing = Op{}.identity();
    WAVESCAN_TARGET_INLINED static vector apply(vector a, vector b) {
      vector most = is_max ? max(b, a) : min(b, a);  // a, if it is NaN
      if constexpr (std::floating_point<typename Op::value_type>) {
        // Ones in all bits make NaN of anything.
        const auto b_is_nan = b.v != b.v;  // NOLINT(misc-redundant-expression)
        most.v = (typename vector::type)((typename vector::integers)most.v | b_is_nan);
      }
      return most;
    }
  };

  template <VectorElement T>
    requires(std::floating_point<T> || sizeof(T) == 2 || sizeof(T) == 4)
  struct LaneAlgebra<WAVESCAN_TARGET, PlusTimes<T>> : LaneOperator<WAVESCAN_TARGET, Plus<T>> {
    using vector = TargetVector<WAVESCAN_TARGET, T>;
    using Weights = vector;
    WAVESCAN_TARGET_INLINED static Weights weights_of(vector w) { return w; }
    WAVESCAN_TARGET_INLINED static vector compose(vector v, const Weights& w) { return v * w; }
    WAVESCAN_TARGET_INLINED static vector advance(vector a, const Weights& w, vector b) {
      return a * w + b;
    }
  };

  /// @brief MaxPlus or MinPlus.
  template <class A>
    requires VectorElement<typename A::value_type> && zero_absorbs<A> &&
        (std::same_as<A, MaxPlus<typename A::value_type>> ||
         std::same_as<A, MinPlus<typename A::value_type>>)struct LaneAlgebra<WAVESCAN_TARGET, A>
        : LaneOperator<WAVESCAN_TARGET, ExtremumOf<A>> {
      using T = typename A::value_type;
      using extremum = LaneOperator<WAVESCAN_TARGET, ExtremumOf<A>>;
      using vector = TargetVector<WAVESCAN_TARGET, T>;
      static constexpr bool is_max = std::same_as<A, MaxPlus<T>>;
      static constexpr T nothing = extremum::nothing;
      struct Weights {
        vector w;
        vector limit;  ///< beyond it, an integer sum is the identity: see ExtremumPlus
      };
      WAVESCAN_TARGET_INLINED static Weights weights_of(vector w) {
        const vector none = vector::all(0), zero = vector::all(nothing),
                     next = zero + vector::all(static_cast<T>(is_max ? 1 : -1));
        return {w, vector::select(is_max ? w < none : none < w, zero - w, next)};
      }
      WAVESCAN_TARGET_INLINED static vector compose(vector v, const Weights& w) {
        const vector sum = v + w.w;
        if constexpr (std::integral<T>)
          return vector::select(is_max ? v < w.limit : w.limit < v, vector::all(nothing), sum);
        else
          return sum;
      }
      WAVESCAN_TARGET_INLINED static vector advance(vector a, const Weights& w, vector b) {
        return extremum::apply(compose(a, w), b);
      }
    };

}  // namespace wavescan::Impl

#endif
