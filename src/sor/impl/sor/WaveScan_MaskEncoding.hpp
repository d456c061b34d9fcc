// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_MASKENCODING_HPP
#define WAVESCAN_IMPL_SOR_MASKENCODING_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_SecondArray.hpp>

#include <cstdint>

/// @file
/// @brief Fixed points as entries of the right-hand side, for devices whose kernels fetch that well
/// ahead: a mask would be one more array, of a type of its own.

namespace wavescan::Impl::sor {

/// @brief The number that stands for fixed points: a NaN that no computation gives.
template <class T>
struct FixedPointCode {
  /// The upper half of a double decides, which takes one comparison.
  static constexpr std::uint32_t word = sizeof(T) == 4 ? 0x7fdb5a3cu : 0x7ffb5a3cu;

  KOKKOS_FORCEINLINE_FUNCTION static T value() {
    if constexpr (sizeof(T) == 4)
      return Kokkos::bit_cast<T>(std::uint32_t(word));
    else
      return Kokkos::bit_cast<T>(std::uint64_t(word) << 32);
  }
  /// @brief The word that decides.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t word_of(T v) {
    if constexpr (sizeof(T) == 4)
      return Kokkos::bit_cast<std::uint32_t>(v);
    else
      return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(v) >> 32);
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is(T v) { return word_of(v) == word; }
  /// @brief The number, or another NaN if it is that.
  KOKKOS_FORCEINLINE_FUNCTION static T unlike(T v) {
    return is(v) ? Kokkos::Experimental::quiet_NaN_v<T> : v;
  }
};

/// @brief The points that are held fixed, where the right-hand side tells them.
template <class T>
struct EncodedMask {
  bool any = false;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index, Index, T b) const {
    return any && FixedPointCode<T>::is(b);
  }
};
template <class T>
EncodedMask<T> reversed(EncodedMask<T> mask) {
  return mask;
}
template <class T>
EncodedMask<T> transposed(EncodedMask<T> mask) {
  return mask;
}

template <class T, int Rank>
struct EncodeMask {
  ArrayOf<const T, Rank> rhs;
  FixedPointsOf<Rank> fixed;
  ArrayOf<T, Rank> to;
  ArrayOf<T, Rank> cleared;  ///< its unknowns become zero; without data: none
  template <class... At>
  KOKKOS_FUNCTION void operator()(At... at) const {
    if (fixed(at...)) {
      to(at...) = FixedPointCode<T>::value();
      return;
    }
    to(at...) = rhs.data ? FixedPointCode<T>::unlike(rhs(at...)) : T(-0.0);
    if (cleared.data) cleared(at...) = T(0);
  }
};

/// @brief Enqueues the making of a right-hand side that tells of fixed points, in `memory`.
///
/// Without a right-hand side it is -0 elsewhere, which changes nothing, not even the sign of a
/// zero. Its halo is left as it is, for nobody looks at that.
/// @param from_zero whether unknowns are set to zero as well
template <ExecutionSpace Exec, class T, class C, class F>
auto encoded_rhs(const Exec& exec, const Problem<T, C, F>& problem,
                 const SecondArray<Exec, T>& memory, bool from_zero = false) {
  constexpr int rank = rank_of<C>;
  const auto p = in_memory_order(problem);
  const auto encoded = memory.like(exec, p.x);
  for_interior(exec, "WaveScan::sor::encode_mask", p.x,
               EncodeMask<T, rank>{p.rhs, p.fixed, encoded, from_zero ? p.x : ArrayOf<T, rank>{}});
  return read_only(is_transposed_in_memory(problem.x) ? transposed(encoded) : encoded);
}

/// @brief The problem with such a right-hand side.
template <ExecutionSpace Exec, class T, class C>
Problem<T, C, EncodedMask<T>> with_encoded_mask(const Exec& exec,
                                                const Problem<T, C, FixedPoints>& problem,
                                                const SecondArray<Exec, T>& memory,
                                                bool from_zero = false) {
  Problem<T, C, EncodedMask<T>> encoded{problem.coefficients, problem.x, problem.rhs, {}};
  if (problem.fixed.word == MaskWord::None || problem.empty()) return encoded;
  if (!problem.rhs.data) neutralise_missing_rhs(encoded.coefficients);
  encoded.rhs = encoded_rhs(exec, problem, memory, from_zero);
  encoded.fixed.any = true;
  return encoded;
}

/// @brief Returns a problem that has no mask as it is.
template <ExecutionSpace Exec, class T, class C>
const Problem<T, C>& with_encoded_mask(const Exec&, const Problem<T, C>& problem,
                                       const SecondArray<Exec, T>&, bool = false) {
  return problem;
}

}  // namespace wavescan::Impl::sor

#endif
