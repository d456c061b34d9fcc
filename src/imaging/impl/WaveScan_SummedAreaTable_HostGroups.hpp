// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTGROUPS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTGROUPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Scan_HostVectors.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(WAVESCAN_HAS_TARGETS)
#include <immintrin.h>
#endif

/// @file
/// @brief Rows of summed-area tables in registers that are wider than all processors have.

namespace wavescan::Impl {

/// @brief The first columns of a HostTableRow, as many as whole groups of four registers of a
/// target hold: its `sum` computes them and returns how many they are. None, where the target has
/// no better registers than the compiler's flags allow everywhere.
template <class Target, class A>
struct HostTableGroups {
  template <bool Streaming, class Row>
  static Index sum(const Row&, A&) {
    return 0;
  }
};

/// @brief What the targets' registers can add.
template <class A>
concept WideElement = VectorElement<A> &&(sizeof(A) == 4 || sizeof(A) == 8);

}  // namespace wavescan::Impl

// nvcc does not know how to shuffle by a pack of indices.
#if defined(WAVESCAN_HOST_VECTORS) && !defined(__NVCC__)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/WaveScan_SummedAreaTable_HostGroups.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>
#endif

#endif
#else

namespace wavescan::Impl {

template <WideElement A>
  requires(host_vector_bytes < (std::same_as<WAVESCAN_TARGET, Avx512> ? 64 : 32))
struct HostTableGroups<WAVESCAN_TARGET, A> {
  static constexpr int bytes = std::same_as<WAVESCAN_TARGET, Avx512> ? 64 : 32;
  static constexpr int lanes = bytes / static_cast<int>(sizeof(A));
  using element = typename HostVector<A>::wrapping_element;
  typedef element type __attribute__((vector_size(bytes)));

  /// @brief See HostTableRow::sum_groups.
  template <bool Streaming, class Row>
  WAVESCAN_TARGET_FUNCTION static Index sum(const Row& row, A& state) {
    type entering = type{} + static_cast<element>(state);
    Index j = 0;
    for (; j + 4 * lanes <= row.count; j += 4 * lanes) {
      row.template fetch_upcoming<4 * lanes, Streaming>(j);
      type x[4];
      for (int i = 0; i < 4; ++i) {
        const Index k = j + i * lanes;
        const type sum = load(row.sums + k) + load(row.pixels + k);
        std::memcpy(row.sums + k, &sum, sizeof sum);
        x[i] = scan_lanes<1>(sum);
      }
      type before = last(x[0], all_lanes{});
      for (int i = 1; i < 4; ++i) {
        const type own = last(x[i], all_lanes{});
        x[i] += before;
        before += own;
      }
      for (int i = 0; i < 4; ++i) {
        const Index k = j + i * lanes;
        store<Streaming>(row.entries + k, load(row.above + k) + (entering + x[i]));
      }
      entering += before;
    }
    state = static_cast<A>(entering[0]);
    return j;
  }

 private:
  using all_lanes = std::make_index_sequence<static_cast<std::size_t>(lanes)>;
#define WAVESCAN_INLINE WAVESCAN_TARGET_FUNCTION __attribute__((always_inline)) static inline

  WAVESCAN_INLINE type load(const A* p) {
    type v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  template <bool Streaming>
  WAVESCAN_INLINE void store(A* p, type v) {
    if constexpr (!Streaming)
      std::memcpy(p, &v, sizeof v);
    else if constexpr (bytes == 64)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)v);
    else
      _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
  }
  template <int Distance>
  WAVESCAN_INLINE type scan_lanes(type x) {
    if constexpr (Distance < lanes)
      return scan_lanes<2 * Distance>(shift<Distance>(x, all_lanes{}) + x);
    else
      return x;
  }
  /// @brief The lanes moved up, zeros below them: indices from `lanes` on take from the second.
  template <int Distance, std::size_t... Lane>
  WAVESCAN_INLINE type shift(type v, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(
        v, type{},
        (static_cast<int>(Lane) < Distance ? lanes : static_cast<int>(Lane) - Distance)...);
  }
  template <std::size_t... Lane>
  WAVESCAN_INLINE type last(type v, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(v, v, (static_cast<void>(Lane), lanes - 1)...);
  }
#undef WAVESCAN_INLINE
};

}  // namespace wavescan::Impl

#endif
