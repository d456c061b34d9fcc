// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_LINE_HPP
#define WAVESCAN_IMPL_SCAN_GPU_LINE_HPP

#include <impl/WaveScan_Scan_Gpu_LookBack.hpp>
#include <impl/WaveScan_Scan_Gpu_PackedSum.hpp>
#include <impl/WaveScan_Scan_Gpu_Pieces.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>

/// @file
/// @brief What the kernels for one contiguous line have in common.

namespace wavescan::Impl {

/// @brief What the kernels for one line are given.
template <class P>
struct LineScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  const value_type* in;           ///< first element after the head, at a 16-byte boundary
  const element_weight* weights;  ///< likewise; for two streams
  value_type* out;                ///< likewise
  Index length;                   ///< elements after the head
  int head;                       ///< elements before the first 16-byte boundary
  ScanKind kind;
  CarryIn<value_type> carry_in;
  value_type* carry_out;  ///< may be null
  TotalsRing ring;
  P pieces;

  /// @brief Scans the few elements of the head and returns the state after them: what enters the
  /// line's first tile. To be called by one thread, once, since the head may be in place.
  __device__ State<value_type> scan_head() const {
    State<value_type> s = carry_in(0);
    for (int i = -head; i < 0; ++i) {
      const value_type x = in[i];
      value_type next = x;
      if (s.present) {
        if constexpr (P::streams == 2)
          next = pieces.advance(s.value, x, weights[i]);
        else
          next = pieces.advance(s.value, x, {});
      }
      out[i] = kind == ScanKind::Inclusive ? next : s.present ? s.value : pieces.empty_state();
      s = {next, true};
    }
    return s;
  }

  /// @brief True for the first element after the head if no state enters it.
  __device__ bool nothing_enters(Index element) const {
    return element == 0 && head == 0 && !carry_in.present();
  }

  /// @brief The piece `p` of weight `w` with a state that enters it made part of it.
  __device__ typename P::piece enter(const State<value_type>& s, typename P::piece p,
                                     const typename P::weight_type& w) const {
    if (!s.present) return p;
    if constexpr (P::streams == 2)
      p.value = pieces.leave(s.value, p, w);
    else
      p = pieces.leave(s.value, p, w);
    return p;
  }
};

/// @brief Scans N consecutive elements that state s enters; y takes the results. Returns the state
/// after the first `count` elements.
template <class P, int N, int W>
__device__ typename P::value_type scan_items(const P& pieces, ScanKind kind,
                                             typename P::value_type s,
                                             const typename P::value_type (&x)[N],
                                             const typename P::element_weight (&w)[W],
                                             typename P::value_type (&y)[N], int count) {
  if constexpr (PackedSum<P>::available) {
    if (kind == ScanKind::Inclusive && count >= N) return PackedSum<P>::scan(s, x, y);
  }
  typename P::value_type after = s;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const typename P::value_type next = pieces.advance(s, x[i], w[W > 1 ? i : 0]);
    y[i] = kind == ScanKind::Inclusive ? next : s;
    s = next;
    if (i < count) after = s;
  }
  return after;
}

/// @brief The piece of N consecutive elements.
template <class P, int N, int W>
__device__ typename P::piece reduce_items(const P& pieces, const typename P::value_type (&x)[N],
                                          const typename P::element_weight (&w)[W]) {
  if constexpr (PackedSum<P>::available)
    return PackedSum<P>::reduce(x);
  else
    return pieces.reduce(x, w);
}

}  // namespace wavescan::Impl

#endif
