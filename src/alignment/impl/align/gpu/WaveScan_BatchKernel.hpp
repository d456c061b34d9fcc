// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_BATCHKERNEL_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_BATCHKERNEL_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_ShortPair.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/align/gpu/WaveScan_BatchProblem.hpp>
#include <impl/align/gpu/WaveScan_GpuCell.hpp>

#include <cstdint>

/// @file
/// @brief Best scores of many pairs and where they end: a few lanes of a warp align a pair, or two
/// pairs in the halves of words (CUDA).
///
/// A lane owns `Rows` neighbouring rows of the matrix, that is, letters of `a`, in registers. The
/// letters of `b` come by; each lane is a column behind the lane above it, whose last entry it gets
/// by a shuffle. So after a start of as many steps as lanes all lanes work on a column in each
/// step. Sequences of more letters than the lanes have rows are computed in bands, one after the
/// other, whose border lies in device memory: a line for each warp, which the cache holds.
///
/// Scores of a lane's letters with each letter there is lie in shared memory, where each lane reads
/// from its own banks: neither letters nor tables make a difference.
///
/// The best entry: an entry's key is 32 h + (31 - row within the lane), so the largest key is the
/// largest entry in the first of its rows. It costs a multiplication and half a maximum for each
/// entry, the former where there is time for it. A lane that finds a larger key remembers the
/// column; lanes and bands are compared in the end. Of equal entries that gives the first row,
/// and in it the first column.

namespace wavescan::Impl::batch {

/// @brief Operations that differ between words of two entries and words of one.
template <class Cells>
struct CellTraits;

template <>
struct CellTraits<ShortCells> {
  using Word = ShortCells::Word;
  static constexpr int pairs = 2, scores_in_word = 4;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr Word tag(int value) {
    return static_cast<Word>(value) * 0x10001u;
  }
  /// @brief The scores of row `r` for both pairs.
  static __device__ Word score(std::uint32_t lower, std::uint32_t upper, int r) {
    return gpu::signed_bytes(lower, upper, r % 4);
  }
  static std::uint32_t packed(int score, int place) {
    return static_cast<std::uint32_t>(score & 0xff) << 8 * place;
  }
  /// @brief Words of several letters' scores as words of one letter's each, and back.
  static __device__ void transpose(std::uint32_t (&words)[4]) { gpu::transpose_bytes(words); }
  static __device__ Word max_key(Word a, Word b, Word c) { return gpu::unsigned_max_of(a, b, c); }
  /// @brief Updates the best keys and their columns: larger keys, or the same, are of this column.
  static __device__ void update(Word& best, Word key, int column, int (&columns)[2]) {
    const Word changed = key ^ best;
    if ((changed & 0xffffu) != 0) columns[0] = column;
    if (changed > 0xffffu) columns[1] = column;
    best = key;
  }
  static __device__ int key(Word keys, int pair) {
    return static_cast<int>(pair == 0 ? keys & 0xffffu : keys >> 16);
  }
};

template <>
struct CellTraits<IntCells> {
  using Word = IntCells::Word;
  static constexpr int pairs = 1, scores_in_word = 2;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr Word tag(int value) { return value; }
  static __device__ Word score(std::uint32_t word, std::uint32_t, int r) {
    return r % 2 == 0 ? static_cast<std::int16_t>(word) : static_cast<std::int32_t>(word) >> 16;
  }
  static std::uint32_t packed(int score, int place) {
    return static_cast<std::uint32_t>(score & 0xffff) << 16 * place;
  }
  static __device__ void transpose(std::uint32_t (&words)[2]) {
    const std::uint32_t first = gpu::lower_shorts(words[0], words[1]);
    words[1] = gpu::upper_shorts(words[0], words[1]);
    words[0] = first;
  }
  static __device__ Word max_key(Word a, Word b, Word c) { return IntCells::maximum(a, b, c); }
  static __device__ void update(Word& best, Word key, int column, int (&columns)[1]) {
    if (key != best) columns[0] = column;
    best = key;
  }
  static __device__ int key(Word keys, int) { return keys; }
};

/// @brief The layout of scores in shared memory: for each letter, and one that is none, the words
/// of a warp's lanes; four of a lane side by side, then two, then one.
template <class Cells, int Rows>
struct Profile {
  using Traits = CellTraits<Cells>;
  static constexpr int words = Rows / Traits::scores_in_word;
  static constexpr int letter_bytes = words * 4 * gpu::warp_size;
  static_assert(Rows % Traits::scores_in_word == 0 && Rows <= 32);

  static KOKKOS_FORCEINLINE_FUNCTION constexpr int bytes(int letters) {
    return (letters + 1) * letter_bytes;
  }

  /// @brief Calls use(first word, how many, byte of the lane's first) for each piece.
  template <class Use>
  static __device__ void for_pieces(const Use& use) {
#pragma unroll
    for (int w = 0; w < words;) {
      const int left = words - w, count = left >= 4 ? 4 : left >= 2 ? 2 : 1;
      use(w, count, w * 4 * gpu::warp_size + gpu::lane() * count * 4);
      w += count;
    }
  }

  static __device__ void load(const char* letter, std::uint32_t (&to)[words]) {
    for_pieces([&](int w, int count, int at) {
      if (count == 4) {
        const uint4 four = *reinterpret_cast<const uint4*>(letter + at);
        to[w] = four.x, to[w + 1] = four.y, to[w + 2] = four.z, to[w + 3] = four.w;
      } else if (count == 2) {
        const uint2 two = *reinterpret_cast<const uint2*>(letter + at);
        to[w] = two.x, to[w + 1] = two.y;
      } else {
        to[w] = *reinterpret_cast<const std::uint32_t*>(letter + at);
      }
    });
  }

  /// @brief A lane writes the scores of its rows.
  /// @param codes of letters
  /// @param first the lane's first row
  static __device__ void write(char* profile, const Problem& problem, const std::uint8_t* codes,
                               const Item& item, int first) {
    constexpr int rows = Traits::scores_in_word;
    int code[Rows];  // all of them first: their loads are on their way together
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      code[r] =
          first + r < item.rows ? codes[problem.letter_of_a(item, first + r)] : problem.letters;
    for_pieces([&](int w, int count, int at) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (k >= count) continue;
        const std::uint32_t* scores_of[rows];
#pragma unroll
        for (int q = 0; q < rows; ++q)
          scores_of[q] = problem.scores + code[(w + k) * rows + q] * problem.score_groups;
        char* to = profile + at + 4 * k;
        for (int letter = 0; letter <= problem.letters; letter += rows) {
          std::uint32_t words[rows];
#pragma unroll
          for (int q = 0; q < rows; ++q) words[q] = *scores_of[q]++;
          Traits::transpose(words);
#pragma unroll
          for (int q = 0; q < rows; ++q, to += letter_bytes)
            if (letter + q <= problem.letters) *reinterpret_cast<std::uint32_t*>(to) = words[q];
        }
      }
    });
  }
};

/// @brief An entry that has been found.
struct Found {
  int score, row, column;
  __device__ bool precedes(const Found& other) const {
    if (score != other.score) return score > other.score;
    return row != other.row ? row < other.row : column < other.column;
  }
};

/// @brief A warp's part of the kernel: it aligns the pairs of its lanes.
template <class Cells, int Rows, bool Local>
class Warp {
  using Traits = CellTraits<Cells>;
  using Word = typename Cells::Word;
  using Scores = Profile<Cells, Rows>;
  static constexpr int pairs = Traits::pairs;
  /// What 0 is stored as: alignments that are not local reach neither 0 nor twice that.
  static constexpr int base = Local ? 0 : max_score;
  static constexpr int nothing = Local ? 31 : 0;  ///< as large as no key of an end

 public:
  /// @param profiles shared memory for the warp's own profiles; or, if there is one query, with its
  __device__ Warp(const Problem& problem, const std::uint8_t* codes, char* profiles, Border* border)
      : problem_(problem),
        codes_(codes),
        minus_open_(Cells::addend(-problem.open)),
        minus_extend_(Cells::same(-problem.extend)),
        one_(static_cast<Word>(problem.one)),
        thirty_two_(static_cast<Word>(problem.thirty_two)),
        profiles_(profiles),
        border_(border) {}

  __device__ void run(Index task) {
    int c = 0;
    while (c + 1 < classes && task >= problem_.class_of_tasks[c + 1].first_task) ++c;
    const Class& tasks = problem_.class_of_tasks[c];
    lanes_ = tasks.lanes;
    rank_ = gpu::lane() & (lanes_ - 1);
    first_lane_ = gpu::lane() - rank_;
    const Index in_class =
        ((task - tasks.first_task) * (gpu::warp_size / lanes_) + first_lane_ / lanes_) * pairs;
    int rows = 0;
    columns_ = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const Index place = tasks.first + in_class + p;
      number_[p] = in_class + p >= tasks.count ? -1
                   : problem_.order == nullptr ? static_cast<int>(place)
                                               : static_cast<int>(problem_.order[place]);
      const Item pair = item(p);
      b_[p] = problem_.b + problem_.stride_b * pair.b;
      columns_of_[p] = pair.columns;
      if constexpr (!Local) last_row_ = pair.rows - 1;
      rows = rows > pair.rows ? rows : pair.rows;
      columns_ = columns_ > pair.columns ? columns_ : pair.columns;
      best_[p] = {Local ? 0 : -max_score, -1, -1};
    }
    const auto larger = [](int x, int y) { return x > y ? x : y; };
    rows = gpu::warp_reduce(rows, larger);
    columns_ = gpu::warp_reduce(columns_, larger);
    const int band = lanes_ * Rows;
    for (int s = 0; s * band < rows; ++s) run_band(s, (s + 1) * band < rows);
    finish();
  }

 private:
  __device__ void run_band(int band, bool another) {
    first_row_ = (band * lanes_ + rank_) * Rows;
    const char* profile[pairs];
    prepare_profiles(band, profile);
    start();
    Word best = Traits::tag(nothing);
    int found[pairs] = {};
    Word bottom_h{}, bottom_e{};

    // Lane k holds the letters of column k of so many, and the border above it.
    const int steps = columns_ + lanes_ - 1;
    const bool has_above = band > 0 || !Local, has_below = another && rank_ == lanes_ - 1;
    Letters before = no_letters(), now = before, next = letters(rank_);
    Border above{}, next_above{};
    if (has_above) next_above = border(band, rank_);
    Border* below = border_ + 1 - lanes_;
    for (int begin = 0; begin < steps; begin += lanes_, below += lanes_) {
      before = now;
      now = next;
      next = letters(begin + lanes_ + rank_);
      if (has_above) {
        above = next_above;
        next_above = border(band, begin + lanes_ + rank_);
      }
      const int end = lanes_ < steps - begin ? lanes_ : steps - begin;
#pragma unroll 1
      for (int s = 0; s < end; ++s) {
        const int source = first_lane_ + ((s - rank_) & (lanes_ - 1));
        std::uint32_t scores[pairs][Scores::words];
#pragma unroll
        for (int p = 0; p < pairs; ++p) {
          // Not a choice between the two objects: that would put them into local memory.
          const int offset = (now.offset[p] & -(rank_ <= s)) | (before.offset[p] & -(rank_ > s));
          Scores::load(profile[p] + gpu::broadcast(offset, source), scores[p]);
        }
        const Border from_above = gpu::broadcast(above, first_lane_ + s);
        const Word h = gpu::shuffle_up(bottom_h, 1);
        Word e = gpu::shuffle_up(bottom_e, 1);
        if (rank_ == 0) e = static_cast<Word>(from_above.e);
        const int column = begin + s - rank_;
        if (Local || column >= 0) {
          const Word key =
              advance(scores, rank_ == 0 ? static_cast<Word>(from_above.h) : h, e, best);
          bottom_h = h_[Rows - 1];
          bottom_e = e;
          if constexpr (Local)
            Traits::update(best, key, column, found);
          else
            look_at_edges(column, best, found);
        }
        if (has_below)
          below[s] = {static_cast<std::uint32_t>(bottom_h), static_cast<std::uint32_t>(bottom_e)};
      }
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const int key = Traits::key(best, p);
      if (key == nothing) continue;
      const Found here{(key >> 5) - base, first_row_ + 31 - (key & 31), found[p]};
      if (here.precedes(best_[p])) best_[p] = here;
    }
    gpu::sync_warp();  // the border, and the profiles, are done with
  }

  __device__ Item item(int p) const {
    return number_[p] < 0 ? Item{0, 0, 0, 0} : problem_.pairs.item(number_[p]);
  }

  /// @brief A column's entries of the lane's rows, from the entry and the gap above.
  __device__ Word advance(const std::uint32_t (&scores)[pairs][Scores::words], Word above, Word& e,
                          Word key) {
    Word diagonal = corner_;
    corner_ = above;
    Word key_before = key;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const int w = r / Traits::scores_in_word;
      const Word score = Traits::score(scores[0][w], scores[pairs - 1][w], r);
      const Word sum = diagonal * one_ + score;
      f_[r] = Cells::sum_or(f_[r], minus_extend_, h_[r]);
      e = Cells::sum_or(e, minus_extend_, above);
      diagonal = h_[r];
      above = h_[r] = Cells::clamped_sum(Cells::maximum(sum, f_[r], e), minus_open_);
      if constexpr (Local) {
        const Word here = h_[r] * thirty_two_ + Traits::tag(31 - r);
        if (r % 2 == 1) key = Traits::max_key(key, key_before, here);
        key_before = here;
      }
    }
    return key;
  }

  /// @brief Entries that count where alignments are not local: of the last row and column.
  __device__ void look_at_edges(int column, Word& best, int (&found)[pairs]) {
    static_assert(Local || pairs == 1);
    if (column >= columns_of_[0]) return;
    const int last_row = last_row_ - first_row_;
    const bool is_last = column == columns_of_[0] - 1;
    if (last_row < 0 || !(is_last || problem_.free_below)) return;
    const bool whole_column = is_last && problem_.free_right;
    if (last_row >= Rows && !whole_column) return;
    Word key = best;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const Word here = h_[r] * 32 + (31 - r);
      if ((whole_column ? r <= last_row : r == last_row) && here > key) key = here;
    }
    Traits::update(best, key, column, found);
  }

  /// @brief Sets the entries of the left edge.
  __device__ void start() {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      h_[r] = Cells::same(Local ? 0 : base + left(first_row_ + r));
      f_[r] = Word{};
    }
    corner_ = Cells::same(Local || first_row_ == 0 ? base : base + left(first_row_ - 1));
  }
  __device__ int left(int row) const {
    return problem_.free_left ? 0 : -problem_.open - row * problem_.extend;
  }
  __device__ int above(int column) const {
    return problem_.free_above ? 0 : -problem_.open - column * problem_.extend;
  }
  __device__ Border border(int band, int column) const {
    if (column >= columns_) return {};
    if (band > 0) return border_[column];
    return {static_cast<std::uint32_t>(base + above(column)), 0};
  }

  /// @brief Offsets of the scores of a column's letters in the profiles.
  struct Letters {
    int offset[pairs];
  };
  __device__ Letters no_letters() const {
    Letters none;
    for (int& offset : none.offset) offset = problem_.letters * Scores::letter_bytes;
    return none;
  }
  __device__ Letters letters(int column) const {
    Letters found = no_letters();
#pragma unroll
    for (int p = 0; p < pairs; ++p)
      if (column < columns_of_[p])
        found.offset[p] =
            Scores::letter_bytes * static_cast<int>(codes_[static_cast<unsigned char>(
                                       b_[p][problem_.direction * problem_.stride_b * column])]);
    return found;
  }

  __device__ void prepare_profiles(int band, const char* (&profile)[pairs]) {
    const int bytes = Scores::bytes(problem_.letters);
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      if (problem_.one_query) {
        profile[p] = profiles_ + band * bytes;
      } else {
        Scores::write(profiles_ + p * bytes, problem_, codes_, item(p), first_row_);
        profile[p] = profiles_ + p * bytes;
      }
    }
    gpu::sync_warp();
  }

  /// @brief Compares the lanes' best entries and stores the result.
  __device__ void finish() {
    bool unreliable = false;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      Found best = best_[p];
      for (int bit = lanes_ / 2; bit > 0; bit /= 2) {
        const Found other = gpu::shuffle_xor(best, bit);
        if (other.precedes(best)) best = other;
      }
      const Item pair = item(p);
      if constexpr (!Local) {
        const auto consider = [&](bool counts, int score, int row, int column) {
          const Found edge{score, row, column};
          if (counts && edge.precedes(best)) best = edge;
        };
        const int at_left = pair.rows == 0 ? 0 : left(pair.rows - 1);
        const int at_top = pair.columns == 0 ? 0 : above(pair.columns - 1);
        consider(problem_.free_below || pair.columns == 0, at_left, pair.rows - 1, -1);
        consider(problem_.free_right || pair.rows == 0, at_top, -1, pair.columns - 1);
      }
      unreliable |= best.score > problem_.reliable;
      if (rank_ == 0 && number_[p] >= 0)
        problem_.results[number_[p]] = {best.score, best.row + 1, best.column + 1};
    }
    if constexpr (pairs > 1) {
      if (!unreliable || rank_ != 0) return;
#pragma unroll
      for (int p = 0; p < pairs; ++p)
        if (number_[p] >= 0)
          problem_.redo[Kokkos::atomic_fetch_add(problem_.redone, 1u)] =
              static_cast<std::uint32_t>(number_[p]);
    }
  }

  const Problem& problem_;
  const std::uint8_t* codes_;
  Word minus_open_, minus_extend_, one_, thirty_two_;
  char* profiles_;
  Border* border_;

  int lanes_ = 0, rank_ = 0, first_lane_ = 0;
  int number_[pairs];  ///< -1: none
  const char* b_[pairs];
  int columns_of_[pairs];
  int last_row_ = 0;
  int columns_ = 0;    ///< of the longest `b` of the warp's
  int first_row_ = 0;  ///< of the lane, in the present band
  Word h_[Rows], f_[Rows], corner_;
  Found best_[pairs];
};

/// @brief The most threads of a block, of which there is one on a multiprocessor.
inline constexpr int max_threads = 512;

template <class Cells, int Rows, bool Local>
__global__ __launch_bounds__(max_threads,
                             1) void align_batch(const WAVESCAN_GRID_CONSTANT Problem problem) {
  using Scores = Profile<Cells, Rows>;
  extern __shared__ uint4 shared_memory[];
  char* profiles = reinterpret_cast<char*>(shared_memory);
  __shared__ std::uint8_t codes[256];
  for (int k = static_cast<int>(threadIdx.x); k < 256; k += static_cast<int>(blockDim.x))
    codes[k] = problem.codes[k];
  __syncthreads();
  if (problem.one_query) {
    // The query of all pairs is that of the first one.
    const Item item = problem.pairs.item(0);
    for (int s = gpu::warp(); s < problem.query_bands; s += gpu::warps()) {
      int lane = gpu::lane();
      if (problem.query_bands == 1) lane &= problem.query_lanes - 1;
      Scores::write(profiles + s * Scores::bytes(problem.letters), problem, codes, item,
                    (s * gpu::warp_size + lane) * Rows);
    }
    __syncthreads();
  } else {
    profiles += gpu::warp() * CellTraits<Cells>::pairs * Scores::bytes(problem.letters);
  }
  const gpu::TaskQueue queue(problem.queue);
  const Index warp = static_cast<Index>(blockIdx.x) * gpu::warps() + gpu::warp();
  Warp<Cells, Rows, Local> work(problem, codes, profiles,
                                problem.borders + warp * problem.border_columns + 32);
  for (Index task; (task = queue.draw()) < problem.tasks;) work.run(task);
  __syncthreads();
  if (threadIdx.x == 0) queue.leave(0);
}

}  // namespace wavescan::Impl::batch

#endif
