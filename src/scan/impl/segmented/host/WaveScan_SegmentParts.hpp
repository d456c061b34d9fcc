// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTPARTS_HPP
#define WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTPARTS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/scan/WaveScan_Ends.hpp>
#include <impl/scan/WaveScan_Problem.hpp>
#include <impl/segmented/WaveScan_RunCounts.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Segments on the host: a piece of a line is scanned from head to head, each part of it as
/// what has no heads is: short parts in order, long ones in vectors. Where most segments are very
/// short, several runs of a piece, which begin at heads, are scanned an element of each in turn,
/// without branches.

namespace wavescan::Impl {

template <class Value, class In>
inline constexpr bool ends_keep_tails = keeps_tails<typename ScanEnds<Value, In>::target>;

/// @brief What a part's kernel takes for input and output: where only sums are kept, no output.
template <class Value, class In>
struct PartEnds {
  using type = In;
};
template <class Value, class In>
  requires ends_keep_tails<Value, In>
struct PartEnds<Value, In> {
  using type = Through<typename ScanEnds<Value, In>::source, NoTarget>;
};

/// @brief The scan of a segmented problem without its heads.
template <class R, class In>
auto without_heads(const ScanProblem<SegmentedRecurrence<R>, In>& problem) {
  using value_type = typename R::value_type;
  using Part = ScanProblem<R, typename PartEnds<value_type, In>::type>;
  const auto with_target = [&](const auto& out) {
    return Part{problem.recurrence.inner,
                problem.kind,
                problem.extents,
                problem.in,
                out,
                {{problem.recurrence.identity(), false}, {}},
                {}};
  };
  if constexpr (ends_keep_tails<value_type, In>)
    return with_target(NoTarget());
  else
    return with_target(problem.out);
}

/// @brief One of two values, without a branch if they fit in a register.
template <class T>
T selected(bool first, const T& a, const T& b) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Bits mask = Bits(0) - Bits(first ? 1 : 0);
    return std::bit_cast<T>(
        static_cast<Bits>((std::bit_cast<Bits>(a) & mask) | (std::bit_cast<Bits>(b) & ~mask)));
  } else {
    return first ? a : b;
  }
}

/// @brief A piece of one line in which segments begin.
/// @tparam Kernel scans pieces in which none does
template <class R, class In, class Kernel>
class HostSegmentParts {
  using value_type = typename R::value_type;
  static constexpr bool sums = ends_keep_tails<value_type, In>;
  static constexpr Index long_part = 128;
  /// Shorter parts have too many ends to bypass the caches.
  static constexpr Index streamed_part = 4096;

 public:
  using problem_type = ScanProblem<SegmentedRecurrence<R>, In>;
  static constexpr bool always_reduced = false;

  HostSegmentParts(const problem_type& problem, const Kernel& kernel, Index begin, Index end,
                   Index last)
      : problem_(problem), kernel_(kernel), begin_(begin), end_(end), last_(last) {}

  /// Of the piece, only the part from the last head on tells what leaves it.
  void reduce() {
    const auto& r = problem_.recurrence;
    total_ = r.begin(problem_.input(0, last_), 0, last_);
    reduce_rest(last_ + 1, end_, &total_);
  }
  void leave(const value_type*, value_type* leaving) const { *leaving = total_; }

  void scan(value_type* state) const {
    const auto& r = problem_.recurrence;
    if (!r.entry.each.data && short_segment * r.heads.about(begin_, end_) >= end_ - begin_) {
      if (problem_.kind == ScanKind::Inclusive)
        scan_short_segments<true>(state);
      else
        scan_short_segments<false>(state);
      return;
    }
    Index head = r.heads.next(begin_, end_);
    Index run = 0;
    if constexpr (sums) run = problem_.out.counts.run_of(head) - 1;
    scan_rest(begin_, head, state);
    if (head > begin_) put(run, head, *state);
    while (head < end_) {
      const value_type x = problem_.input(0, head);
      const value_type after = r.begin(x, 0, head);
      if constexpr (!sums)
        problem_.out(0, head) = problem_.kind == ScanKind::Inclusive ? after : r.enter(head);
      *state = after;
      const Index next = r.heads.next(head + 1, end_);
      scan_rest(head + 1, next, state);
      put(++run, next, *state);
      head = next;
    }
  }

  /// @brief Keeps the sum of a run that ends before `end`, if it does.
  void put([[maybe_unused]] Index run, [[maybe_unused]] Index end,
           [[maybe_unused]] const value_type& sum) const {
    if constexpr (sums)
      if (problem_.out.is_tail(end - 1)) problem_.out.put(run, sum);
  }

 private:
  static constexpr int runs = 4;              ///< at a time
  static constexpr Index short_segment = 40;  ///< elements, on average

  template <bool Inclusive>
  void scan_short_segments(value_type* state) const {
    if constexpr (sums) {
      constexpr Index some = 1024;
      value_type results[some];
      const BitWord* const words = problem_.out.heads;
      Index run = problem_.out.counts.run_of(begin_);
      for (Index first = begin_; first < end_; first += some) {
        const Index end = std::min(first + some, end_);
        scan_runs<Inclusive>(first, end, state,
                             [&](Index j, const value_type& y) { results[j - first] = y; });
        for (Index head = lowest_bit(words, first + 1, end + 1); head <= end;) {
          const Index w = head / word_bits;
          for (BitWord bits = words[w] & (~BitWord(0) << head % word_bits); bits != 0;
               bits &= bits - 1) {
            head = w * word_bits + lowest_bit(bits);
            if (head > end) break;
            problem_.out.put(run++, results[head - 1 - first]);
          }
          if (head <= end) head = lowest_bit(words, (w + 1) * word_bits, end + 1);
        }
      }
    } else {
      scan_runs<Inclusive>(begin_, end_, state,
                           [&](Index j, const value_type& y) { problem_.out(0, j) = y; });
    }
  }

  template <bool Inclusive, class Write>
  void scan_runs(Index begin, Index end, value_type* state, const Write& write) const {
    const auto& r = problem_.recurrence;
    const State<value_type> enters = r.entry.common;
    const value_type at_heads = enters.present ? enters.value : r.identity();
    const auto step = [&](value_type s, Index j) {
      const bool head = r.heads(j);
      const value_type x = problem_.input(0, j);
      const value_type first = enters.present ? r.inner.advance(enters.value, x, 0, j) : x;
      const value_type next = selected(head, first, r.inner.advance(s, x, 0, j));
      write(j, Inclusive ? next : selected(head, at_heads, s));
      return next;
    };
    Index from[runs + 1] = {begin};  // of runs, which but the first one begin at heads
    for (int k = 1; k < runs; ++k)
      from[k] = r.heads.next(std::max(from[k - 1], begin + k * ((end - begin) / runs)), end);
    from[runs] = end;
    Index common = end - begin;
    value_type s[runs];
    for (int k = 0; k < runs; ++k) {
      common = std::min(common, from[k + 1] - from[k]);
      s[k] = *state;
    }
    for (Index i = 0; i < common; ++i) {
      WAVESCAN_UNROLL_RUNS
      for (int k = 0; k < runs; ++k) s[k] = step(s[k], from[k] + i);
    }
    for (int k = 0; k < runs; ++k) {
      for (Index j = from[k] + common; j < from[k + 1]; ++j) s[k] = step(s[k], j);
      if (from[k] < from[k + 1]) *state = s[k];
    }
  }

  /// @brief Scans elements that continue a segment.
  void scan_rest(Index first, Index end, value_type* state) const {
    if constexpr (sums) {
      reduce_rest(first, end, state);
    } else if (end - first >= long_part) {
      kernel_.with_piece(
          0, first, end,
          [&](auto&& piece) {
            if constexpr (std::remove_cvref_t<decltype(piece)>::always_reduced) piece.reduce();
            piece.scan(state);
          },
          end - first >= streamed_part);
    } else {
      const R& r = problem_.recurrence.inner;
      value_type s = *state;
      if (problem_.kind == ScanKind::Inclusive)
        for (Index j = first; j < end; ++j) {
          s = r.advance(s, problem_.input(0, j), 0, j);
          problem_.out(0, j) = s;
        }
      else
        for (Index j = first; j < end; ++j) {
          const value_type next = r.advance(s, problem_.input(0, j), 0, j);
          problem_.out(0, j) = s;
          s = next;
        }
      *state = s;
    }
  }
  void reduce_rest(Index first, Index end, value_type* state) const {
    if (end - first >= long_part) {
      kernel_.with_piece(0, first, end, [&](auto&& piece) {
        piece.reduce();
        piece.leave(state, state);
      });
    } else {
      value_type s = *state;
      for (Index j = first; j < end; ++j)
        s = problem_.recurrence.inner.advance(s, problem_.input(0, j), 0, j);
      *state = s;
    }
  }

  const problem_type& problem_;
  const Kernel& kernel_;
  Index begin_, end_;
  Index last_;  ///< head
  value_type total_{};
};

/// @brief A piece without heads of which only sums are kept: that of a segment which ends with it.
template <class Piece, class Parts>
class HostLastPart {
 public:
  static constexpr bool always_reduced = true;
  HostLastPart(Piece& piece, const typename Parts::problem_type& problem, Index end)
      : piece_(piece), problem_(problem), end_(end) {}
  void reduce() { piece_.reduce(); }
  template <class T>
  void leave(const T* state, T* leaving) const {
    piece_.leave(state, leaving);
  }
  template <class T>
  void scan(T* state) const {
    piece_.leave(state, state);
    if (problem_.out.is_tail(end_ - 1))
      problem_.out.put(problem_.out.counts.run_of(end_ - 1), *state);
  }

 private:
  Piece& piece_;
  const typename Parts::problem_type& problem_;
  Index end_;
};

/// @brief Calls `use` with elements [begin, end) of a problem, a piece with or without heads.
/// @param kernel of the problem without heads
template <class R, class In, class Kernel, class Use>
void with_segment_parts(const ScanProblem<SegmentedRecurrence<R>, In>& problem,
                        const Kernel& kernel, Index begin, Index end, const Use& use) {
  using Parts = HostSegmentParts<R, In, Kernel>;
  const Index last = problem.recurrence.heads.last(begin, end);
  if (last >= begin) return use(Parts(problem, kernel, begin, end, last));
  kernel.with_piece(0, begin, end, [&](auto&& piece) {
    if constexpr (ends_keep_tails<typename R::value_type, In>)
      use(HostLastPart<std::remove_reference_t<decltype(piece)>, Parts>(piece, problem, end));
    else
      use(piece);
  });
}

}  // namespace wavescan::Impl

#endif
