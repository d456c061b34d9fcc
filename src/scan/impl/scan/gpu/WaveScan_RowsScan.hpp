// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_ROWSSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_ROWSSCAN_HPP

#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/gpu/WaveScan_PackedSum.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>
#include <impl/segmented/gpu/WaveScan_HeadLines.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Lines that lie behind each other, seen as one sequence in which a state starts anew at
/// every line: one line, or the rows of a matrix.

namespace wavescan::Impl {

/// @brief Arguments of the GPU kernels.
/// @tparam In     type of the input's elements in memory, or Through a source and a target
/// @tparam Starts where lines start: EqualLines or HeadLines
template <class P, class In = typename P::value_type, class Starts = EqualLines>
struct RowsScan : Starts {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  typename ScanAccessors<value_type, In>::source in;
  Lines<const element_weight> weights;  ///< for two streams
  typename ScanAccessors<value_type, In>::target out;
  LineExtents extents;
  ScanKind kind;
  CarryIn<value_type> carry_in;
  Lines<value_type> carry_out;  ///< without data if nobody asked
  gpu::TotalsMailbox totals;    ///< of tiles
  P traits;

  KOKKOS_FUNCTION Index count() const { return extents.lines * extents.length; }

  /// @brief The line of an element of the sequence; also of elements before the first one.
  __device__ Index line_of(Index element) const {
    if (element >= 0 && element < extents.length) return 0;
    const Index line = element / extents.length;
    return element < line * extents.length ? line - 1 : line;
  }
  /// @brief The state that enters a line; nothing enters lines that do not exist.
  __device__ State<value_type> entering(Index line) const {
    return line < 0 || line >= extents.lines ? State<value_type>{traits.empty_state(), false}
                                             : carry_in(line);
  }
  /// @brief The state after the first element x of a line that c enters.
  __device__ value_type first_state(const State<value_type>& c, const value_type& x,
                                    const element_weight& w) const {
    return c.present ? traits.advance(c.value, x, w) : x;
  }
};

/// @brief A mask of those of N consecutive elements that start a line: bit i is element i, bit N
/// the one after.
template <int N>
class LineStarts {
  using Bits = std::conditional_t<(N < 32), std::uint32_t, std::uint64_t>;
  static_assert(N < 64, "one bit an element");

 public:
  /// @param before elements before the first one in its line
  template <class Integer>
  __device__ LineStarts(Integer before, Integer length) {
    const Integer first = before == 0 ? 0 : length - before;
    if (first > N) return;
    bits_ = Bits(1) << static_cast<int>(first);
    if (length <= N)
      for (int i = static_cast<int>(first + length); i <= N; i += static_cast<int>(length))
        bits_ |= Bits(1) << i;
  }
  /// @brief The bits themselves.
  __device__ explicit LineStarts(std::uint64_t bits) : bits_(static_cast<Bits>(bits)) {}
  LineStarts() = default;
  /// @brief Forgets the starts after the first `count` elements and the one behind them.
  __device__ void keep(int count) {
    if (count < N) bits_ &= count <= 0 ? 0 : (Bits(2) << count) - 1;
  }
  /// @brief Forgets the starts that are not among elements [first, end).
  __device__ void keep_between(int first, int end) {
    if (first > 0) bits_ = first > N ? 0 : bits_ >> first << first;
    if (end <= N) bits_ &= end <= 0 ? 0 : (Bits(1) << end) - 1;
  }
  /// @brief Whether any of the N elements starts a line.
  __device__ bool any() const { return (bits_ & ((Bits(1) << N) - 1)) != 0; }
  __device__ bool at(int i) const { return (bits_ >> i & 1) != 0; }
  /// @brief The last of the N elements that starts a line, if any does.
  __device__ int last() const {
    const auto word = static_cast<std::uint64_t>(bits_) & ((std::uint64_t(1) << N) - 1);
    const auto high = static_cast<BitWord>(word >> word_bits);
    return high != 0 ? word_bits + highest_bit(high) : highest_bit(static_cast<BitWord>(word));
  }
  /// @brief The number of starts among the first `count` elements.
  __device__ int among(int count) const {
    const auto word = static_cast<std::uint64_t>(bits_) & ((std::uint64_t(1) << count) - 1);
    return count_bits(static_cast<BitWord>(word)) +
           (N < 32 ? 0 : count_bits(static_cast<BitWord>(word >> word_bits)));
  }

 private:
  Bits bits_ = 0;
};

/// @brief The segment of N consecutive elements.
template <class P, int N, int W>
__device__ typename P::segment reduce_items(const P& traits, const typename P::value_type (&x)[N],
                                            const typename P::element_weight (&w)[W]) {
  if constexpr (PackedSum<P>::available)
    return PackedSum<P>::reduce(x);
  else
    return traits.reduce(x, w);
}

/// @brief The segment of those of N consecutive elements that follow the last start of a line.
/// @param entering called for what enters the line, if there are carries
template <class P, class In, class Starts, class Entering, int N, int W>
__device__ typename P::segment reduce_last_line(const RowsScan<P, In, Starts>& scan,
                                                const LineStarts<N>& starts,
                                                const Entering& entering,
                                                const typename P::value_type (&x)[N],
                                                const typename P::element_weight (&w)[W]) {
  const P& traits = scan.traits;
  // Not from an identity on, which an infinite weight would turn into a NaN.
  const typename P::value_type first[1] = {x[0]};
  const typename P::element_weight first_weight[1] = {w[0]};
  typename P::segment sum = traits.reduce(first, first_weight);
  if (!scan.carry_in.present()) {
    if (starts.at(0)) sum = traits.start(x[0]);
#pragma unroll
    for (int i = 1; i < N; ++i) {
      const auto appended = traits.append(sum, x[i], w[W > 1 ? i : 0]);
      sum = starts.at(i) ? traits.start(x[i]) : appended;
    }
    return sum;
  }
  const auto carry = entering();
  if (starts.at(0)) sum = traits.start(scan.first_state(carry, x[0], w[0]));
#pragma unroll
  for (int i = 1; i < N; ++i) {
    const auto weight = w[W > 1 ? i : 0];
    sum = starts.at(i) ? traits.start(scan.first_state(carry, x[i], weight))
                       : traits.append(sum, x[i], weight);
  }
  return sum;
}

/// @brief Scans N consecutive elements that state s enters; y takes the results. Returns the state
/// after them.
template <class P, int N, int W>
__device__ typename P::value_type scan_items(const P& traits, ScanKind kind,
                                             typename P::value_type s,
                                             const typename P::value_type (&x)[N],
                                             const typename P::element_weight (&w)[W],
                                             typename P::value_type (&y)[N]) {
  if constexpr (PackedSum<P>::available) {
    if (kind == ScanKind::Inclusive) return PackedSum<P>::scan(s, x, y);
  }
  if (kind == ScanKind::Inclusive) {
#pragma unroll
    for (int i = 0; i < N; ++i) y[i] = s = traits.advance(s, x[i], w[W > 1 ? i : 0]);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      y[i] = s;
      s = traits.advance(s, x[i], w[W > 1 ? i : 0]);
    }
  }
  return s;
}

/// @brief scan_items where lines may start, without carries.
template <class P, int N, int W>
__device__ void scan_line_starts(const P& traits, ScanKind kind, const LineStarts<N>& starts,
                                 typename P::value_type s, const typename P::value_type (&x)[N],
                                 const typename P::element_weight (&w)[W],
                                 typename P::value_type (&y)[N]) {
  if (kind == ScanKind::Inclusive) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const auto advanced = traits.advance(s, x[i], w[W > 1 ? i : 0]);
      y[i] = s = starts.at(i) ? x[i] : advanced;
    }
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const auto advanced = traits.advance(s, x[i], w[W > 1 ? i : 0]);
      y[i] = starts.at(i) ? traits.empty_state() : s;
      s = starts.at(i) ? x[i] : advanced;
    }
  }
}

/// @brief scan_line_starts with what enters the lines.
/// @param entering called as entering(i) for what enters the line that starts with element i
/// @param leave    called as leave(state) with the state after a line that ends
template <class P, class In, class Starts, class Entering, class Leave, int N, int W>
__device__ void scan_entered_lines(const RowsScan<P, In, Starts>& scan, const LineStarts<N>& starts,
                                   const Entering& entering, const Leave& leave,
                                   typename P::value_type s, const typename P::value_type (&x)[N],
                                   const typename P::element_weight (&w)[W],
                                   typename P::value_type (&y)[N]) {
  const P& traits = scan.traits;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const auto weight = w[W > 1 ? i : 0];
    typename P::value_type next;
    if (starts.at(i)) {
      const State<typename P::value_type> carry = entering(i);
      s = carry.present ? carry.value : traits.empty_state();
      next = scan.first_state(carry, x[i], weight);
    } else {
      next = traits.advance(s, x[i], weight);
    }
    y[i] = scan.kind == ScanKind::Inclusive ? next : s;
    s = next;
    if (starts.at(i + 1)) leave(s);
  }
}

/// @brief scan_line_starts with carries: what enters the lines, and the states after lines that
/// end.
/// @param line     the line of the element before the first one
/// @param entering called for what enters a line
template <class P, class Entering, int N, int W>
__device__ void scan_with_carries(const RowsScan<P>& scan, const LineStarts<N>& starts, Index line,
                                  const Entering& entering, typename P::value_type s,
                                  const typename P::value_type (&x)[N],
                                  const typename P::element_weight (&w)[W],
                                  typename P::value_type (&y)[N]) {
  scan_entered_lines(
      scan, starts, [&](int) { return entering(++line); },
      [&](const typename P::value_type& state) {
        if (scan.carry_out.data && line >= 0 && line < scan.extents.lines)
          scan.carry_out(line, 0) = state;
      },
      s, x, w, y);
}

}  // namespace wavescan::Impl

#endif
