// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTPARTS_HPP
#define WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTPARTS_HPP

#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_Vectors.hpp>
#include <impl/segmented/WaveScan_RunCounts.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>
#include <impl/segmented/host/WaveScan_SegmentedVectors.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Segments on the host: a piece of a line is scanned from head to head, each part of it as
/// what has no heads is: short parts in order, of which a processor works on several at once, long
/// ones in vectors. Where memory is contiguous, forwards, and one state enters all segments, all of
/// the piece is scanned in vectors.

namespace wavescan::Impl {

template <class Value, class In>
inline constexpr bool accessors_keep_tails = keeps_tails<typename ScanAccessors<Value, In>::target>;

/// @brief Input and output of a part's kernel: where only sums are kept, no output.
template <class Value, class In>
struct PartEnds {
  using type = In;
};
template <class Value, class In>
  requires accessors_keep_tails<Value, In>
struct PartEnds<Value, In> {
  using type = Through<typename ScanAccessors<Value, In>::source, NoTarget>;
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
  if constexpr (accessors_keep_tails<value_type, In>)
    return with_target(NoTarget());
  else
    return with_target(problem.out);
}

/// @brief The heads of a piece, one after the other.
class HeadCursor {
 public:
  HeadCursor(const Heads& heads, Index begin, Index end)
      : words_(heads.words), first_(heads.first), end_(end), forwards_(heads.step > 0) {
    const Index bit = first_ + begin * heads.step;
    word_ = bit / word_bits;
    const int place = static_cast<int>(bit % word_bits);
    bits_ =
        words_[word_] & (forwards_ ? bits_between(place, word_bits) : bits_between(0, place + 1));
    last_word_ = (first_ + (end - 1) * heads.step) / word_bits;
  }
  /// @brief The next head, or the end of the piece.
  Index next() {
    while (bits_ == 0) {
      if (word_ == last_word_) return end_;
      word_ += forwards_ ? 1 : -1;
      bits_ = words_[word_];
    }
    Index j;
    if (forwards_) {
      j = word_ * word_bits + lowest_bit(bits_);
      bits_ &= bits_ - 1;
    } else {
      const int place = highest_bit(bits_);
      j = first_ - (word_ * word_bits + place);
      bits_ ^= BitWord(1) << place;
    }
    return j < end_ ? j : end_;
  }

 private:
  const BitWord* words_;
  Index first_, end_, word_, last_word_;
  BitWord bits_;
  bool forwards_;
};

/// @brief The states that enter segments, of heads in turn: they are not searched for.
template <class T>
class EntryCursor {
 public:
  explicit EntryCursor(const SegmentEntry<T>& entry)
      : entry_(entry), is_searched_(!entry.each.data || entry.continues) {}
  State<T> operator()(Index head) {
    if (is_searched_) return entry_(head);
    const Index j = entry_.first + head * entry_.step;
    if (!found_)
      segment_ = entry_.begins.last_up_to(j);
    else if (entry_.step > 0)
      while (segment_ + 1 < entry_.begins.size && entry_.begins(segment_ + 1) <= j) ++segment_;
    else
      while (segment_ >= 0 && entry_.begins(segment_) > j) --segment_;
    found_ = true;
    return {segment_ < 0 ? entry_.common.value : entry_.each(segment_, 0), true};
  }

 private:
  const SegmentEntry<T>& entry_;
  bool is_searched_;
  bool found_ = false;
  Index segment_ = 0;
};

/// @brief A piece of one line in which segments begin.
/// @tparam Kernel scans pieces in which none does
template <class R, class In, class Kernel>
class HostSegmentParts {
  using value_type = typename R::value_type;
  static constexpr bool sums = accessors_keep_tails<value_type, In>;
  static constexpr Index long_part = 128;
  /// Shorter parts have too many ends to bypass the caches.
  static constexpr Index streamed_part = 4096;

 public:
  using problem_type = ScanProblem<SegmentedRecurrence<R>, In>;
  static constexpr bool always_reduced = false;
  static constexpr bool forgets_entering = true;

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
    if (scan_in_vectors(state)) return;
    const auto& r = problem_.recurrence;
    HeadCursor heads(r.heads, begin_, end_);
    Index head = heads.next();
    Index run = 0;
    if constexpr (sums) run = problem_.out.counts.run_of(head) - 1;
    scan_rest(begin_, head, state);
    if (head > begin_) put(run, head, *state);
    const bool inclusive = problem_.kind == ScanKind::Inclusive;
    EntryCursor<value_type> entry(r.entry);
    while (head < end_) {
      const State<value_type> enters = entry(head);
      const value_type x = problem_.input(0, head);
      const value_type after = enters.present ? r.inner.advance(enters.value, x, 0, head) : x;
      if constexpr (!sums)
        problem_.out(0, head) = inclusive ? after : enters.present ? enters.value : r.identity();
      *state = after;
      const Index next = heads.next();
      if (head + 1 < next) scan_rest(head + 1, next, state);
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
  /// @brief Scans the whole piece in vectors, if that can be.
  bool scan_in_vectors([[maybe_unused]] value_type* state) const {
    if constexpr (std::same_as<In, const value_type> && VectorPowers<R>::available) {
      const auto& r = problem_.recurrence;
      const bool entered_apart = r.entry.each.data && !r.entry.continues;
      if (!kernel_.vectors() || entered_apart || r.heads.step < 0 || problem_.in.stride != 1 ||
          problem_.out.stride != 1 || (problem_.kind == ScanKind::Exclusive && has_few_heads()))
        return false;
      return dispatch(
          [&](auto target) {
            using Vectors = TargetSegmentedScan<decltype(target), R>;
            if constexpr (Vectors::available) {
              scan_in<Vectors>(state);
              return true;
            } else {
              return false;
            }
          },
          ScanTarget<R>{});
    } else {
      return false;
    }
  }
  /// @brief Whether exclusive scans had better go from head to head. In vectors they cost more, but
  /// where stores of these bypass the caches, that is worth it for longer segments, too.
  bool has_few_heads() const {
    // To count heads would take a tenth of the time.
    const BitWord* const words = problem_.recurrence.heads.words;
    const Index first = begin_ / word_bits, end = end_ / word_bits;
    Index empty = 0;
    for (Index w = first; w < end; ++w) empty += words[w] == 0 ? 1 : 0;
    return empty * (kernel_.streams() ? 3 : 8) > end - first;
  }
  template <class Vectors>
  void scan_in(value_type* state) const {
    const auto& r = problem_.recurrence;
    // Vectors hold the bits of one word; and what enters the first element may be another state.
    const Index first = std::max<Index>(begin_, r.entry.continues ? 1 : 0);
    const Index begin = std::min(ceil_div(first, Vectors::lanes) * Vectors::lanes, end_);
    const Index end = std::max(end_ / Vectors::lanes * Vectors::lanes, begin);
    const SegmentedPiece<value_type> piece{
        problem_.in.data, problem_.out.data, r.heads.words, begin, end,
        r.entry.common,   r.enter(begin)};
    const auto& powers = kernel_.vectors()->powers();
    const auto scan = [&](auto streams) {
      constexpr bool streaming = decltype(streams)::value;
      *state = problem_.kind == ScanKind::Exclusive
                   ? Vectors::template scan<streaming, true>(r.inner, powers, piece, *state)
                   : Vectors::template scan<streaming, false>(r.inner, powers, piece, *state);
    };
    constexpr std::size_t bytes = Vectors::lanes * sizeof(value_type);
    *state = problem_.scan_serially({*state, true}, 0, begin_, begin).value;
    if (kernel_.streams() && reinterpret_cast<std::uintptr_t>(piece.out + begin) % bytes == 0)
      scan(std::true_type());
    else
      scan(std::false_type());
    *state = problem_.scan_serially({*state, true}, 0, end, end_).value;
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
    if constexpr (accessors_keep_tails<typename R::value_type, In>)
      use(HostLastPart<std::remove_reference_t<decltype(piece)>, Parts>(piece, problem, end));
    else
      use(piece);
  });
}

}  // namespace wavescan::Impl

#endif
