// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_HOST_HOSTPAD_HPP
#define WAVESCAN_IMPL_PAD_HOST_HOSTPAD_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_BlockChain.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>
#include <impl/pad/WaveScan_PortablePad.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>
#include <impl/select/host/WaveScan_Units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

/// @file
/// @brief Moves of boxes on the host: memory is read once and written once.
///
/// Algorithm 1 of Gomez-Luna et al. What moves is a sequence of *runs*, pieces that are contiguous
/// before and after. Threads draw blocks of bytes of that sequence by ticket, whatever runs they
/// belong to; in the order of their addresses where elements move down, in the opposite order where
/// they move up. Blocks come in *passes*. What moves so far that its new places lie clear of its
/// old ones is a pass of blocks that are copied as soon as all passes before have been read.
/// Elsewhere a thread reads its block into a *stage*, memory of its own that stays in a core's
/// cache, waits until the block before has been read, says that its own has been, and stores it.
///
/// A copied pass has a block for each thread if it is not long. Its new places are the old ones of
/// the pass before, and so a thread writes, by and large, to what its own core's cache holds. With
/// blocks that threads take in turn half of that is in another's, and copies are no faster than
/// stages.
///
/// Why nothing is overwritten that is still to be read: addresses grow along the sequence before
/// and after the move. If elements move down, a block's new places end where the old ones of the
/// blocks behind it begin, or before; and all blocks before it, or all whose old places it reaches,
/// have been read when it stores. The filled columns before and behind a run lie between its new
/// place and those of the neighbouring runs, so the same holds for them. Moves up are the mirror
/// image. Progress is as for selections.

namespace wavescan::Impl::pad {

/// @brief What moves, in bytes: runs in up to three dimensions, the slowest first.
struct Runs {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  Index bytes = 0;  ///< of a run
  Kokkos::Array<Index, Box::rank> extent{1, 1, 1};
  Kokkos::Array<Index, Box::rank> in_stride{}, out_stride{};

  Index count() const { return extent[0] * extent[1] * extent[2]; }
};

/// @brief A box as runs that are as long as possible.
template <class T>
Runs runs_of(const Problem<T>& problem) {
  constexpr auto size = static_cast<Index>(sizeof(T));
  Runs runs;
  runs.in = reinterpret_cast<const std::byte*>(problem.in);
  runs.out = reinterpret_cast<std::byte*>(problem.out);
  runs.bytes = size;
  int place = Box::rank;
  bool contiguous = true;
  for (int r = Box::rank - 1; r >= 0; --r) {
    const Index extent = problem.box.extent[r];
    if (extent == 1) continue;
    const Index in = problem.box.in[r] * size, out = problem.box.out[r] * size;
    contiguous = contiguous && in == runs.bytes && out == runs.bytes;
    if (contiguous) {
      runs.bytes *= extent;
    } else {
      --place;
      runs.extent[place] = extent;
      runs.in_stride[place] = in;
      runs.out_stride[place] = out;
    }
  }
  return runs;
}

/// @brief Margins that are filled together with the run which they enclose: in bytes.
struct RunMargins {
  static constexpr std::size_t most = 64;
  std::byte values[most];  ///< as many as fit
  std::size_t bytes = 0;   ///< of these, 0 for none
  Index before = 0, behind = 0;

  /// @brief Stores the value so many bytes long.
  void fill(std::byte* to, Index length) const {
    const auto step = static_cast<Index>(bytes);
    for (; length >= step; length -= step, to += step) select::copy_bytes(to, values, bytes);
    select::copy_bytes(to, values, static_cast<std::size_t>(length));
  }
};

/// @brief One move, as a kernel of all blocks that a thread draws.
class HostPadKernel {
 public:
  static constexpr bool runs_alone = true;

  static constexpr Index block = Index(64) << 10;  ///< bytes

  struct Nothing {};
  using Chain = BlockChain<Nothing>;

  HostPadKernel(const Runs& runs, Direction direction, const RunMargins& margins,
                const Chain& chain, std::byte* stages, Index threads)
      : runs_(runs),
        direction_(direction),
        margins_(margins),
        all_(runs.count() * runs.bytes),
        chain_(chain),
        stages_(stages),
        workers_(std::min(ceil_div(all_, block), threads)) {}

  Index workers() const { return workers_; }

  /// @brief Moves the blocks that this worker draws.
  void operator()(const Index worker) const {
    std::byte* const stage = stages_ + worker * block;
    Blocks blocks(*this);
    const auto wait_for_first = [&](Index number) {  // blocks to be read
      if (number > 0) chain_.wait_for(0, number - 1);
    };
    for (Index b = chain_.draw();; b = chain_.draw()) {
      const Block own = blocks.at(b);
      if (own.begin == own.end) break;
      if (direction_ == Direction::Apart) {
        move(own.begin, own.end);
        continue;
      }
      if (own.is_copied) {
        wait_for_first(own.after);
        move(own.begin, own.end);
        wait_for_first(b);
        chain_.post(0, b);
        continue;
      }
      Index staged = 0;
      for_each_piece(own.begin, own.end, [&](const Piece& piece) {
        copy(stage + staged, piece.in, piece.bytes);
        staged += piece.bytes;
      });
      wait_for_first(b);
      chain_.post(0, b);
      staged = 0;
      for_each_piece(own.begin, own.end, [&](const Piece& piece) {
        store(piece, stage + staged);
        staged += piece.bytes;
      });
    }
    end_streaming();
  }

  /// @brief Moves all of them on the only thread, which needs no stage.
  void alone() const {
    if (direction_ == Direction::Up)
      for_each_piece_backwards([&](const Piece& piece) { move_piece(piece); });
    else
      move(0, all_);
    end_streaming();
  }

 private:
  /// @brief A run or a part of it, before and after.
  struct Piece {
    const std::byte* in;
    std::byte* out;
    Index bytes;
    bool first, last;  ///< whether the run begins and ends with it
  };

  /// @brief The place of a run in both arrays, and the next one's.
  class Cursor {
   public:
    Cursor(const Runs& runs, Index run) : runs_(runs) {
      at_[2] = run % runs.extent[2];
      at_[1] = run / runs.extent[2] % runs.extent[1];
      at_[0] = run / runs.extent[2] / runs.extent[1];
      for (int r = 0; r < Box::rank; ++r) {
        in_ += at_[r] * runs.in_stride[r];
        out_ += at_[r] * runs.out_stride[r];
      }
    }
    const std::byte* in() const { return runs_.in + in_; }
    std::byte* out() const { return runs_.out + out_; }
    void next() { step(1); }
    void previous() { step(-1); }

   private:
    void step(Index by) {
      for (int r = Box::rank - 1; r >= 0; --r) {
        at_[r] += by;
        in_ += by * runs_.in_stride[r];
        out_ += by * runs_.out_stride[r];
        if (at_[r] >= 0 && at_[r] < runs_.extent[r]) return;
        const Index back = by * runs_.extent[r];
        at_[r] -= back;
        in_ -= back * runs_.in_stride[r];
        out_ -= back * runs_.out_stride[r];
      }
    }
    const Runs& runs_;
    Kokkos::Array<Index, Box::rank> at_{};
    Index in_ = 0, out_ = 0;
  };

  struct Block {
    Index begin, end;  ///< bytes of the sequence
    bool is_copied;    ///< without a stage,
    Index after;       ///< when so many blocks have been read
  };

  /// @brief The blocks by their numbers, for who asks for them in order. Bytes are counted in the
  /// order in which they are drawn: from the last one, where they move up.
  class Blocks {
   public:
    explicit Blocks(const HostPadKernel& kernel) : kernel_(kernel) {}

    /// @brief Block number b, which is empty when there are no more.
    Block at(Index b) {
      while (b >= first_ + blocks_) {
        if (end_ == kernel_.all_) return {};
        next_pass();
      }
      const auto place = [&](Index part) {
        const Index bytes = end_ - begin_;
        return begin_ + bytes / blocks_ * part + std::min(part, bytes % blocks_);
      };
      const Index begin = place(b - first_), end = place(b - first_ + 1);
      if (kernel_.direction_ != Direction::Up) return {begin, end, is_copied_, first_};
      return {kernel_.all_ - end, kernel_.all_ - begin, is_copied_, first_};
    }

   private:
    void next_pass() {
      constexpr Index shortest = Index(16) << 10, longest = Index(1) << 20;  // of copied blocks
      const Index workers = kernel_.workers_;
      first_ += blocks_;
      begin_ = end_;
      end_ = kernel_.end_of_clear(begin_);
      is_copied_ = end_ - begin_ >= workers * shortest || kernel_.direction_ == Direction::Apart;
      if (!is_copied_) end_ = std::min(begin_ + workers * block, kernel_.all_);
      blocks_ = is_copied_ ? std::max(workers, ceil_div(end_ - begin_, longest))
                           : ceil_div(end_ - begin_, block);
    }

    const HostPadKernel& kernel_;
    Index begin_ = 0, end_ = 0;     ///< of the pass
    Index first_ = 0, blocks_ = 0;  ///< its first block, and their number
    bool is_copied_ = false;
  };

  /// @brief Up to where new places, with margins, lie clear of the old ones of all bytes from
  /// `begin` on, both counted in the order in which they are drawn.
  Index end_of_clear(Index begin) const {
    if (direction_ == Direction::Apart) return all_;
    if (direction_ == Direction::Down)
      return std::max(begin, bytes_before(old_place(begin) - margins_.behind));
    return std::max(begin, all_ - bytes_before(old_place(all_ - 1 - begin) + 1 + margins_.before));
  }
  /// @brief Where a byte of the sequence is before.
  const std::byte* old_place(Index byte) const {
    return Cursor(runs_, byte / runs_.bytes).in() + byte % runs_.bytes;
  }
  /// @brief The number of bytes whose new place lies before an address.
  Index bytes_before(const std::byte* address) const {
    Index rest = std::max<Index>(address - runs_.out, 0), run = 0;
    for (int r = 0; r < Box::rank; ++r) {
      if (runs_.extent[r] == 1) continue;
      const Index at = std::min(rest / runs_.out_stride[r], runs_.extent[r] - 1);
      run = run * runs_.extent[r] + at;
      rest -= at * runs_.out_stride[r];
    }
    return run * runs_.bytes + std::min(rest, runs_.bytes);
  }

  template <class Use>
  void for_each_piece(Index begin, Index end, const Use& use) const {
    Cursor run(runs_, begin / runs_.bytes);
    Index offset = begin % runs_.bytes;
    for (; begin < end; run.next(), offset = 0) {
      const Index bytes = std::min(runs_.bytes - offset, end - begin);
      use(Piece{run.in() + offset, run.out() + offset, bytes, offset == 0,
                offset + bytes == runs_.bytes});
      begin += bytes;
    }
  }
  template <class Use>
  void for_each_piece_backwards(const Use& use) const {
    Index left = runs_.count();
    if (left == 0) return;
    for (Cursor run(runs_, left - 1);; run.previous()) {
      use(Piece{run.in(), run.out(), runs_.bytes, true, true});
      if (--left == 0) return;
    }
  }

  void move(Index begin, Index end) const {
    for_each_piece(begin, end, [&](const Piece& piece) { move_piece(piece); });
  }

  /// @brief Both ways of a piece at once. All of it is read first, or it is moved as memmove does.
  void move_piece(const Piece& piece) const {
    if (streams(piece))
      stream_bytes(piece.out, piece.in, static_cast<std::size_t>(piece.bytes));
    else if (piece.in != piece.out)
      select::copy_bytes(piece.out, piece.in, static_cast<std::size_t>(piece.bytes));
    fill_margins(piece);
  }
  void store(const Piece& piece, const std::byte* staged) const {
    if (streams(piece))
      stream_bytes(piece.out, staged, static_cast<std::size_t>(piece.bytes));
    else
      copy(piece.out, staged, piece.bytes);
    fill_margins(piece);
  }
  static void copy(std::byte* to, const std::byte* from, Index bytes) {
    if (bytes > 64)
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    else
      select::copy_bytes(to, from, static_cast<std::size_t>(bytes));
  }
  void fill_margins(const Piece& piece) const {
    if (margins_.bytes == 0) return;
    if (piece.first) margins_.fill(piece.out - margins_.before, margins_.before);
    if (piece.last) margins_.fill(piece.out + piece.bytes, margins_.behind);
  }

  /// @brief Long pieces whose places are no longer, or not yet, in the caches.
  bool streams(const Piece& piece) const {
    constexpr Index long_piece = 2048;
    if (piece.bytes < long_piece) return false;
    if (direction_ == Direction::Apart) return all_ >= static_cast<Index>(select::far_bytes);
    const Index by = std::abs(piece.out - piece.in);
    return by >= piece.bytes && by >= static_cast<Index>(select::cached_bytes());
  }

  Runs runs_;
  Direction direction_;
  RunMargins margins_;
  Index all_;
  Chain chain_;  ///< of blocks that have been read, and from which blocks are drawn
  std::byte* stages_;
  Index workers_;
};

/// @brief Moves on the threads of a host.
template <ExecutionSpace Exec>
class HostPad {
 public:
  HostPad() = default;
  HostPad(const Exec& exec, Index elements, std::size_t element_bytes)
      : threads_(std::clamp<Index>(
            ceil_div(elements * static_cast<Index>(element_bytes), HostPadKernel::block), 1,
            resident_teams(exec, 1))) {
    allocate(exec, chain_, "WaveScan::pad::chain", HostPadKernel::Chain::bytes(1, threads_, 0));
    allocate(exec, stages_, "WaveScan::pad::stages", threads_ * HostPadKernel::block);
  }

  template <class T>
  void enqueue(const Exec& exec, const Problem<T>& problem) const {
    const Runs runs = runs_of(problem);
    RunMargins margins;
    const bool along = problem.margin.filled && fills_along(problem, runs, margins);
    const HostPadKernel kernel(runs, problem.direction, margins, {chain_.data(), 1, threads_, 0},
                               stages_.data(), threads_);
    if (kernel.workers() > 0) {
      set_all(exec, chain_, std::byte(0));
      enqueue_workers(exec, "WaveScan::pad::host", kernel.workers(),
                      seconds(runs, problem.direction, kernel.workers()), kernel);
    }
    if (!along) enqueue_fill(exec, problem.margin);
  }

  std::size_t bytes() const { return chain_.size() + stages_.size(); }

 private:
  /// @brief What one thread takes, more or less: where that one needs no stage and others do, as
  /// long as what others would do by as much.
  static double seconds(const Runs& runs, Direction direction, Index workers) {
    constexpr Index cached = Index(64) << 20;
    constexpr double seconds_per_byte = .03e-9, stages = 3;
    const Index bytes = runs.count() * runs.bytes;
    const double alone = seconds_per_byte * static_cast<double>(bytes);
    if (direction == Direction::Apart || bytes >= cached || workers == 1) return alone;
    const auto many = static_cast<double>(workers);
    return alone * std::max(0., (many - stages) / (many - 1));
  }

  /// @brief Whether each run is a row, between its margins, which then are filled with it.
  template <class T>
  static bool fills_along(const Problem<T>& problem, const Runs& runs, RunMargins& margins) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    const Margin<T>& margin = problem.margin;
    if (sizeof(T) > RunMargins::most || margin.stride[2] != 1 || margin.moved == 0 ||
        runs.bytes != margin.moved * size)
      return false;
    for (; margins.bytes + sizeof(T) <= RunMargins::most; margins.bytes += sizeof(T))
      std::memcpy(margins.values + margins.bytes, &margin.value, sizeof(T));
    margins.before = margin.leading * size;
    margins.behind = (margin.columns() - margin.leading) * size;
    return true;
  }

  Index threads_ = 1;
  Kokkos::View<std::byte*, typename Exec::memory_space> chain_;
  Kokkos::View<std::byte*, typename Exec::memory_space> stages_;
};

}  // namespace wavescan::Impl::pad

#endif
