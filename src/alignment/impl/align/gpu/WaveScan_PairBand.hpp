// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRBAND_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRBAND_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_MessageStream.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/gpu/WaveScan_GpuCell.hpp>
#include <impl/align/gpu/WaveScan_PairLanes.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>

#include <climits>
#include <cstdint>

/// @file
/// @brief A warp's walk along a band of rows (CUDA).
///
/// Lanes hold strips of rows in registers, strips follow each other at a distance of a step, and
/// the lowest row goes to the next band as messages of a chunk of columns. Entries are counted from
/// bases of 64 bits, one for each strip, which move between chunks: within a chunk no entry leaves
/// the range of its word (PairRange).
///
/// Of a local alignment only every fourth row is looked at for large entries: none of the others is
/// larger than the next of these rows by more than a gap of three letters costs. Where there might
/// be an entry as good as the best one that is known anywhere, the chunk is computed once more,
/// from the state in which it began, and its entries are compared one by one.

namespace wavescan::Impl {

/// @brief The range, relative to its strip's base, of the entry in the middle row when a chunk
/// begins.
struct PairRange {
  int least = 0;
  int most = 0;
};

inline constexpr int pair_steps = 32;                       ///< of a chunk
inline constexpr int pair_chunk = pair_steps * pair_block;  ///< columns of a chunk
inline constexpr int pair_columns = pair_chunk / 32;        ///< of a chunk, that a lane carries

/// @brief The state of a warp at the beginning of a chunk, besides letters. It is stored for each
/// chunk, so that a chunk that may hold the best entry is kept by storing the next ones elsewhere.
template <class Cells, bool Affine, int Rows>
struct PairBeginning {
  static constexpr int gaps = Affine ? 2 : 1;
  static constexpr int state_words = (Rows + pair_block) * gaps + 1;

  Index base[PairLanes<Cells, Rows>::strips_of_lane][32];
  typename Cells::Word state[state_words][32];
  int top[gaps][pair_columns][32];
};
inline constexpr int pair_beginnings = 3;  ///< of a warp: of the chunk that it is in, and kept ones

/// @brief A chunk whose beginning is kept.
struct PairKeptChunk {
  Index bound;  ///< no entry is larger; 0: none is kept
  int chunk;
};

/// @brief A warp's shared memory, besides the scores of its rows behind it.
template <class Cells, bool Affine, int Rows>
struct alignas(16) PairMemory {
  using Beginning = PairBeginning<Cells, Affine, Rows>;
  using Lanes = PairLanes<Cells, Rows>;
  static constexpr int gaps = Beginning::gaps;
  static constexpr int letter_blocks = 128;  ///< more than two chunks or the strips' distance
  static constexpr int picked_columns = 2 * pair_chunk;
  static constexpr int strips = 32 * Lanes::strips_of_lane;
  /// Bytes that a letter's scores take.
  static constexpr int letter_bytes = strips * Lanes::score_words * 4;

  std::uint32_t letters[letter_blocks];  ///< two columns each: where scores are, in 16 bytes
  typename Lanes::Block top[gaps][pair_steps + 1];  ///< one more, which is read but not used
  typename Lanes::Block sent[gaps][pair_steps];     ///< what the last strip hands on
  std::uint32_t picked[picked_columns][gaps];       ///< of the row that is wanted
  PairKeptChunk kept[pair_beginnings];

  static std::size_t bytes(int letters) {
    return sizeof(PairMemory) + static_cast<std::size_t>(letters + 1) * letter_bytes;
  }
};

/// @tparam Rows of a strip
template <class Cells, bool Affine, int Rows>
class PairBand {
 public:
  using Memory = PairMemory<Cells, Affine, Rows>;
  using Lanes = typename Memory::Lanes;
  using Word = typename Cells::Word;
  using Stream = gpu::MessageStream<pair_chunk * Memory::gaps>;
  static constexpr int strips = Memory::strips;
  static constexpr int rows = strips * Rows;

  __device__ PairBand(const gpu::TaskQueue& queue, const PairPass& pass, const DeviceScores& scores,
                      const PairRange& range, Memory& memory,
                      typename Memory::Beginning* beginnings, int band, int drawn)
      : queue_(queue),
        pass_(pass),
        scores_(scores),
        range_(range),
        memory_(memory),
        beginnings_(beginnings),
        band_(band),
        drawn_(static_cast<std::uint32_t>(drawn)),
        first_row_(Index(band) * rows),
        update_(scores.open, scores.extend),
        profile_(reinterpret_cast<const char*>(&memory + 1) + gpu::lane() * vector * 4) {
    const Index left = pass.rows() - first_row_;
    const int used = left < rows ? static_cast<int>(left) : rows;
    last_strip_ = (used - 1) / Rows;
    last_row_in_strip_ = (used - 1) % Rows;
    is_last_ = left <= rows;
    picks_row_ = is_last_ && pass.row != nullptr;
    is_kept_ = !(left < rows) && pass.kept.has(first_row_ + rows);
  }

  /// @brief Computes the band; false if the launch is stuck.
  /// @param state between stages; null: the whole band is computed
  __device__ __forceinline__ bool run(std::uint32_t& heartbeat, const PairStage& stage,
                                      typename Memory::Beginning* state) {
    const Index n = pass_.b.length;
    const int messages = static_cast<int>((n + pair_chunk - 1) / pair_chunk);
    const int delay = (is_last_ ? last_strip_ + pair_steps - 1 : strips) / pair_steps;
    constexpr int all_began = (strips - 1 + pair_steps - 1) / pair_steps;
    int first = 0, end = messages + delay;
    if (state != nullptr) {
      const Index slot = pass_.first_slot + PairStage::slots_until(band_);
      first = PairStage::chunks(stage.begin, slot, end);
      end = PairStage::chunks(stage.end, slot, end);
      if (first == end) return true;
    }
    start();
    if (first > 0) restore(*state, first - 1);
    if (band_ > 0 && first < messages) in().look(first, found_);
    for (int c = first; c < end; ++c) {
      move_bases();
      put_letters(c);
      if (pass_.local) {
        set_wanted();
        known_best_ = gpu::load_relaxed(pass_.best);
      }
      tracked_ = 0;
      std::uint32_t above[gaps][pair_columns];
      if (!receive(c, c < messages, above)) return is_abandoned_;
      int top[gaps][pair_columns];
#pragma unroll
      for (int g = 0; g < gaps; ++g)
#pragma unroll
        for (int k = 0; k < pair_columns; ++k)
          top[g][k] = c < messages ? static_cast<int>(above[g][k] - first_base_) : 0;
      put_above(top);
      if (pass_.local) save(top);
      gpu::sync_warp();
      if (!pass_.local && (c < all_began || Index(c + 1) * pair_chunk > n))
        compute<Edge>(c);
      else if (picks_row_)
        compute<Pick>(c);
      else
        compute<Inside>(c);
      // So late, the message has been sent; its way to here takes as long as what is done
      // meanwhile.
      if (band_ > 0 && c + 1 < messages) in().look(c + 1, found_);
      gpu::sync_warp();
      if (c >= delay) hand_on(c - delay);
      if (pass_.local) {
        const bool now = gpu::any(Lanes::reaches(tracked_, wanted_)) && !keep(c);
        if (now) find_best(beginnings_[current_], c);
      }
      queue_.heartbeat(heartbeat);
    }
    if (state != nullptr) store(*state);
    for (int k = 0; pass_.local && k < pair_beginnings; ++k)
      if (still_counts(k)) find_best(beginnings_[k], memory_.kept[k].chunk);
    finish();
    return true;
  }

 private:
  static constexpr int gaps = Memory::gaps;
  static constexpr int per_lane = Lanes::strips_of_lane;
  static constexpr int vector = Lanes::score_words < 4 ? Lanes::score_words : 4;  ///< words
  /// How a chunk is computed: as fast as can be; so that a row is picked; so that strips wait until
  /// their first column and stop after the last one, besides; in search of the best entry.
  enum Kind { Inside, Pick, Edge, Search };

  __device__ int strip(int s) const { return gpu::lane() * per_lane + s; }
  __device__ Index row_of(int s) const { return first_row_ + Index(strip(s)) * Rows; }
  __device__ Stream in() const { return stream(0); }
  __device__ Stream out() const { return stream(1); }
  /// @brief Messages that the band receives (0), or sends (1); between stages some are under way.
  __device__ Stream stream(std::uint32_t sends) const {
    if (pass_.first_stream > 0)
      return Stream::numbered(pass_.words,
                              pass_.first_stream + static_cast<std::uint32_t>(band_) + sends);
    return {pass_.words, queue_.tag(drawn_ + sends)};
  }
  /// @brief The base of the lane's strip, of which the strip's number in the band is `strip`.
  __device__ Index base_of(int strip) const {
    return strip % per_lane == 0 ? base_[0] : base_[per_lane - 1];
  }
  static __device__ int clamped(Index value) {
    return static_cast<int>(value < -INT_MAX ? -INT_MAX : value > INT_MAX ? INT_MAX : value);
  }

  /// @brief Sets the state to that at the left boundary.
  __device__ void start() {
    put_scores();
    int first[Rows][per_lane], corner[per_lane];
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      const Index row = row_of(s), middle = pass_.left(row + Rows / 2, scores_.extend);
      base_[s] = middle - (range_.least + range_.most) / 2;
      if (pass_.local) base_[s] = 0;
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        first[r][s] = static_cast<int>(pass_.left(row + r, scores_.extend) - base_[s]);
      corner[s] = static_cast<int>(pass_.left(row - 1, scores_.extend) - base_[s]);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      h_[r] = Lanes::word(first[r]);
      if constexpr (Affine) f_[r] = h_[r];
    }
    corner_ = Lanes::word(corner);
#pragma unroll
    for (int k = 0; k < pair_block; ++k) {
      bottom_h_[k] = h_[Rows - 1];
      bottom_e_[k] = h_[Rows - 1];
    }
    set_links();
    if (gpu::lane() < pair_beginnings) memory_.kept[gpu::lane()].bound = 0;
    for (int k = gpu::lane(); k < Memory::letter_blocks; k += 32)
      memory_.letters[k] = letter_place(scores_.letters) * 0x10001u;
    fetch_letters(0);
    gpu::sync_warp();
    put_letters(-1);
    if (pass_.local) known_best_ = gpu::load_relaxed(pass_.best);
  }

  /// @brief The scores of the band's rows with each letter there is, and with none.
  __device__ void put_scores() {
    constexpr int units = Lanes::score_words, of_word = Lanes::rows_of_word;
#pragma unroll 1
    for (int s = 0; s < per_lane; ++s)
#pragma unroll 1
      for (int w = 0; w < units; ++w) {
        int codes[of_word];
#pragma unroll
        for (int k = 0; k < of_word; ++k) {
          const Index row = row_of(s) + w * of_word + k;
          codes[k] = row >= pass_.padding && row < pass_.rows() ? pass_.a[row - pass_.padding] : -1;
        }
#pragma unroll 1
        for (int letter = 0; letter <= scores_.letters; ++letter) {
          int scores[of_word];
#pragma unroll
          for (int k = 0; k < of_word; ++k)
            scores[k] = scores_.open + (codes[k] < 0 || letter == scores_.letters
                                            ? scores_.padding
                                            : scores_.scores[codes[k] * scores_.letters + letter]);
          *reinterpret_cast<std::uint32_t*>(
              const_cast<char*>(profile_) + letter * Memory::letter_bytes +
              part_offset(s, w / vector) + w % vector * 4) = Lanes::score_word(scores);
        }
      }
  }
  static __device__ constexpr int part_offset(int s, int part) {
    return (s * (Lanes::score_words / vector) + part) * 32 * vector * 4;
  }

  __device__ std::uint32_t letter_place(int letter) const {
    return static_cast<std::uint32_t>(letter) * (Memory::letter_bytes / 16);
  }
  __device__ int letter_of(Index column) const {
    return column >= 0 && column < pass_.b.length ? pass_.b[column] : scores_.letters;
  }
  __device__ static Index column_of(int c, int k) {
    return Index(c) * pair_chunk + k * 32 + gpu::lane();
  }
  __device__ void fetch_letters(int c) {
#pragma unroll
    for (int k = 0; k < pair_columns; ++k) next_letters_[k] = letter_of(column_of(c, k));
  }
  /// @brief Puts the letters of the next chunk where lanes look for them, and fetches those after.
  __device__ void put_letters(int c) {
#pragma unroll
    for (int k = 0; k < pair_columns; ++k)
      reinterpret_cast<std::uint16_t*>(
          memory_.letters)[column_of(c + 1, k) & (2 * Memory::letter_blocks - 1)] =
          static_cast<std::uint16_t>(letter_place(next_letters_[k]));
    fetch_letters(c + 2);
  }

  /// @brief Gets the row above in a chunk: the lowest 32 bits of the entries of the lane's column.
  /// False if the band is to be left.
  __device__ bool receive(int c, bool wanted, std::uint32_t (&above)[gaps][pair_columns]) {
    if (!wanted) return true;
    if (band_ == 0) {
#pragma unroll
      for (int k = 0; k < pair_columns; ++k) {
        const Index j = column_of(c, k), last = pass_.b.length - 1;
        Index h = pass_.above(j, scores_.extend), e = h;
        if (pass_.row_above != nullptr) {
          // Beyond the last column, what does not lie out of the words' range.
          const BoundaryEntry entry = pass_.row_above[j < last ? j : last];
          h = entry.h;
          e = entry.e + scores_.open;
        }
        above[0][k] = static_cast<std::uint32_t>(h);
        if constexpr (Affine) above[1][k] = static_cast<std::uint32_t>(e);
      }
      return true;
    }
    if (!in().is(found_)) {
      const auto ready = [&] {
        in().look(c, found_);
        if (in().is(found_)) return true;
        // A band that has not begun when the best entry is found comes after it, and is not needed.
        is_abandoned_ = c == 0 && pass_.target > 0 &&
                        gpu::any(static_cast<Index>(gpu::load_relaxed(pass_.best)) >= pass_.target);
        return is_abandoned_;
      };
      if (!queue_.wait(ready, gpu::Backoff::Short)) return false;
      if (is_abandoned_) return false;
    }
#pragma unroll
    for (int g = 0; g < gaps; ++g)
#pragma unroll
      for (int k = 0; k < pair_columns; ++k) above[g][k] = found_[g * pair_columns + k];
    return true;
  }
  __device__ void put_above(const int (&top)[gaps][pair_columns]) {
#pragma unroll
    for (int g = 0; g < gaps; ++g)
#pragma unroll
      for (int k = 0; k < pair_columns; ++k) {
        const int j = k * 32 + gpu::lane();
        if constexpr (per_lane == 2)
          reinterpret_cast<std::int16_t*>(memory_.top[g])[j] = static_cast<std::int16_t>(top[g][k]);
        else
          reinterpret_cast<std::int32_t*>(memory_.top[g])[j] = top[g][k];
      }
  }

  /// @brief Moves bases of strips whose entries have come near the limits of their words.
  __device__ void move_bases() {
    bool needed = false;
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      const int middle = Lanes::entry(h_[Rows / 2], s);
      needed |= middle > range_.most || (middle < range_.least && !(pass_.local && base_[s] == 0));
    }
    if (!gpu::any(needed)) return;
    int change[per_lane];
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      const int middle = Lanes::entry(h_[Rows / 2], s);
      Index to = base_[s] + middle - (range_.least + range_.most) / 2;
      if (pass_.local && to < 0) to = 0;
      change[s] = static_cast<int>(base_[s] - to);
      base_[s] = to;
    }
    const Word addends = Lanes::addends(change);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      h_[r] = Lanes::add(h_[r], addends);
      if constexpr (Affine) f_[r] = Lanes::add(f_[r], addends);
    }
    corner_ = Lanes::add(corner_, addends);
#pragma unroll
    for (int k = 0; k < pair_block; ++k) {
      bottom_h_[k] = Lanes::add(bottom_h_[k], addends);
      if constexpr (Affine) bottom_e_[k] = Lanes::add(bottom_e_[k], addends);
    }
    set_links();
  }
  /// @brief Sets the differences between the bases of strips above and of those below; and the
  /// bases of the first and the last strip for all lanes.
  __device__ void set_links() {
    first_base_ = gpu::broadcast(static_cast<std::uint32_t>(base_[0]), 0);
    last_base_ = gpu::broadcast(base_[per_lane - 1], 31);
    const Index before = gpu::shuffle_up(base_[per_lane - 1], 1);
    int beyond[per_lane];
    beyond[0] = gpu::lane() == 0 ? 0 : static_cast<int>(before - base_[0]);
    if constexpr (per_lane == 2) beyond[1] = static_cast<int>(base_[0] - base_[1]);
    links_ = Lanes::addends(beyond);
  }

  template <class Function>
  __device__ void for_each_state_word(const Function& function) {
    int at = 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r) function(h_[r], at++);
#pragma unroll
    for (int k = 0; k < pair_block; ++k) function(bottom_h_[k], at++);
    function(corner_, at++);
    if constexpr (Affine) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) function(f_[r], at++);
#pragma unroll
      for (int k = 0; k < pair_block; ++k) function(bottom_e_[k], at++);
    }
  }
  /// @brief Stores everything. A lane reads no more than it has written.
  __device__ void store(typename Memory::Beginning& to) {
    for_each_state_word([&](Word& word, int at) { to.state[at][gpu::lane()] = word; });
#pragma unroll
    for (int s = 0; s < per_lane; ++s) to.base[s][gpu::lane()] = base_[s];
  }
  __device__ void save(const int (&top)[gaps][pair_columns]) {
    auto& to = beginnings_[current_];
    store(to);
#pragma unroll
    for (int g = 0; g < gaps; ++g)
#pragma unroll
      for (int k = 0; k < pair_columns; ++k) to.top[g][k][gpu::lane()] = top[g][k];
  }
  /// @brief Goes back to where chunk `c` was about to be computed, but for the row above.
  __device__ void restore(const typename Memory::Beginning& from, int c) {
    for_each_state_word([&](Word& word, int at) { word = from.state[at][gpu::lane()]; });
#pragma unroll
    for (int s = 0; s < per_lane; ++s) base_[s] = from.base[s][gpu::lane()];
    set_links();
    constexpr int chunks_of_letters = 2 * Memory::letter_blocks / pair_chunk;
    gpu::sync_warp();
    fetch_letters(c + 2 - chunks_of_letters);
#pragma unroll 1
    for (int chunk = c + 1 - chunks_of_letters; chunk <= c; ++chunk) put_letters(chunk);
  }
  __device__ void restore_above(const typename Memory::Beginning& from) {
    int top[gaps][pair_columns];
#pragma unroll
    for (int g = 0; g < gaps; ++g)
#pragma unroll
      for (int k = 0; k < pair_columns; ++k) top[g][k] = from.top[g][k][gpu::lane()];
    put_above(top);
  }

  __device__ std::uint32_t letters_at(int step) const {
    return memory_.letters[(step - per_lane * gpu::lane()) & (Memory::letter_blocks - 1)];
  }
  /// @brief Scores of a column's letter, `place` in units of 16 bytes.
  __device__ __forceinline__ void load_scores(std::uint32_t (&words)[Lanes::score_words],
                                              std::uint32_t place, int s) const {
    const char* const from = profile_ + place * 16;
#pragma unroll
    for (int part = 0; part < Lanes::score_words / vector; ++part) {
      const char* const p = from + part_offset(s, part);
      if constexpr (vector == 4) {
        const uint4 v = *reinterpret_cast<const uint4*>(p);
        words[part * 4] = v.x;
        words[part * 4 + 1] = v.y;
        words[part * 4 + 2] = v.z;
        words[part * 4 + 3] = v.w;
      } else if constexpr (vector == 2) {
        const uint2 v = *reinterpret_cast<const uint2*>(p);
        words[0] = v.x;
        words[1] = v.y;
      } else {
        words[0] = *reinterpret_cast<const std::uint32_t*>(p);
      }
    }
  }

  __device__ __forceinline__ void load_all(
      std::uint32_t (&scores)[pair_block][per_lane][Lanes::score_words],
      const std::uint32_t (&letters)[2]) const {
#pragma unroll
    for (int k = 0; k < pair_block; ++k)
#pragma unroll
      for (int s = 0; s < per_lane; ++s)
        load_scores(scores[k][s], k == 0 ? letters[s] & 0xffff : letters[s] >> 16, s);
  }

  /// @brief Computes a chunk.
  template <Kind kind>
  __device__ __forceinline__ void compute(int c) {
    const int first = c * pair_steps;
    const bool hands_on = gpu::lane() == 31;
    const bool picks_here = picks_row_ && gpu::lane() == last_strip_ / per_lane;
    constexpr bool picking = kind == Edge || kind == Pick;
    [[maybe_unused]] Word picks[picking ? Rows : 1];
    if constexpr (picking) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) picks[r] = r == last_row_in_strip_ ? ~Word(0) : Word(0);
    }
    // What a step needs of the shared memory is loaded a step before, letters two.
    using Scores = std::uint32_t[pair_block][per_lane][Lanes::score_words];
    std::uint32_t letters[2] = {letters_at(first), letters_at(first - 1)};
    Scores scores;
    load_all(scores, letters);
    letters[1] = letters[0];
    letters[0] = letters_at(first + 1);
    typename Lanes::Block above_all[gaps];
#pragma unroll
    for (int g = 0; g < gaps; ++g) above_all[g] = memory_.top[g][0];
#pragma unroll kind == Inside ? 2 : 1
    for (int i = 0; i < pair_steps; ++i) {
      Scores next_scores;
      load_all(next_scores, letters);
      letters[1] = letters[0];
      letters[0] = letters_at(first + i + 2);

      Word top_h[pair_block], top_e[pair_block] = {};
      const auto hand_on_below = [&](int g, const Word(&bottom)[pair_block],
                                     Word(&top)[pair_block]) {
        const typename Lanes::Block block = Lanes::block(bottom);
        if (hands_on) memory_.sent[g][i] = block;
        Lanes::hand_on(block, bottom, above_all[g], links_, top);
        above_all[g] = memory_.top[g][i + 1];
      };
      hand_on_below(0, bottom_h_, top_h);
      if constexpr (Affine) hand_on_below(1, bottom_e_, top_e);

      Word valid[pair_block] = {};
      if constexpr (kind == Edge) {
#pragma unroll
        for (int k = 0; k < pair_block; ++k) {
          bool inside[per_lane];
#pragma unroll
          for (int s = 0; s < per_lane; ++s) inside[s] = is_inside(first + i, k, s);
          valid[k] = Lanes::mask(inside);
        }
      }

      Word diagonal[pair_block] = {corner_, top_h[0]}, above[pair_block], e[pair_block];
      Word picked_h[pair_block] = {}, picked_e[pair_block] = {};
#pragma unroll
      for (int k = 0; k < pair_block; ++k) {
        above[k] = top_h[k];
        e[k] = top_e[k];
      }
      corner_ = kind == Edge ? chosen(valid[pair_block - 1], top_h[pair_block - 1], corner_)
                             : top_h[pair_block - 1];
      [[maybe_unused]] Word entries[kind == Search ? Rows * pair_block : 1];
      // The second column's entries lie a row behind, so that no instruction waits for another.
#pragma unroll
      for (int d = 0; d < Rows + pair_block - 1; ++d)
#pragma unroll
        for (int k = 0; k < pair_block; ++k) {
          const int r = d - k;
          if (r < 0 || r >= Rows) continue;
          const Word left_h = h_[r], left_f = f_[Affine ? r : 0];
          // Nobody waits long for every fourth row; with affine gaps that is not worth it.
          const bool soon = Cells::any_scores || (!Affine && r % 4 == 2);
          update_.update(soon, Lanes::score(scores[k], r), diagonal[k], h_[r], f_[Affine ? r : 0],
                         above[k], e[k]);
          if constexpr (picking) {
            picked_h[k] |= h_[r] & picks[r];
            if constexpr (Affine) picked_e[k] |= e[k] & picks[r];
          }
          if constexpr (kind == Edge) {
            h_[r] = chosen(valid[k], h_[r], left_h);
            if constexpr (Affine) f_[r] = chosen(valid[k], f_[r], left_f);
          }
          if constexpr (kind == Search) entries[r * pair_block + k] = h_[r];
          if (r == Rows - 1) {
            bottom_h_[k] = h_[r];
            if constexpr (Affine) bottom_e_[k] = e[k];
          }
          if constexpr (kind == Inside) {
            if (r % 4 == 3 && k == 0) pending_[r / 4] = h_[r];
            if (r % 4 == 3 && k == 1) tracked_ = Cells::maximum(tracked_, pending_[r / 4], h_[r]);
          }
        }
      if constexpr (kind == Search) {
#pragma unroll 1
        for (int at = 0; at < Rows * pair_block; ++at)
          consider(entries[at], first + i, at % pair_block, at / pair_block);
      }
      if constexpr (picking) {
        if (picks_here) pick((first + i - last_strip_) * pair_block, picked_h, picked_e);
      }
#pragma unroll
      for (int k = 0; k < pair_block; ++k)
#pragma unroll
        for (int s = 0; s < per_lane; ++s)
#pragma unroll
          for (int w = 0; w < Lanes::score_words; ++w) scores[k][s][w] = next_scores[k][s][w];
    }
  }

  /// @brief Keeps a block of the row that is wanted.
  __device__ void pick(int column, const Word (&h)[pair_block], const Word (&e)[pair_block]) {
    const auto base = static_cast<std::uint32_t>(base_of(last_strip_));
    const int s = last_strip_ % per_lane;
#pragma unroll
    for (int k = 0; k < pair_block; ++k) {
      std::uint32_t* const picked = memory_.picked[(column + k) & (Memory::picked_columns - 1)];
      picked[0] = base + static_cast<std::uint32_t>(Lanes::entry(h[k], s));
      if constexpr (Affine) picked[1] = base + static_cast<std::uint32_t>(Lanes::entry(e[k], s));
    }
  }

  static __device__ Word chosen(Word mask, Word yes, Word no) {
    return (yes & mask) | (no & ~mask);
  }
  __device__ bool is_inside(int step, int k, int s) const {
    const Index column = Index(step - strip(s)) * pair_block + k;
    return column >= 0 && column < pass_.b.length;
  }

  /// @name The best entry
  /// @{
  /// @brief The largest difference between an entry of a row that is not looked at and one that is.
  __device__ Index slack() const { return scores_.open + 2 * Index(scores_.extend); }
  __device__ Index largest_tracked() const {
    Index largest = base_[0] + Lanes::entry(tracked_, 0);
    if constexpr (per_lane == 2) {
      const Index other = base_[1] + Lanes::entry(tracked_, 1);
      largest = other > largest ? other : largest;
    }
    return largest;
  }
  /// @brief The best score that is known anywhere, at least 1.
  __device__ Index known_best() const {
    return known_best_ > 0 ? static_cast<Index>(known_best_) : 1;
  }
  __device__ void set_wanted() {
    int wanted[per_lane];
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      constexpr Index beyond = Cells::largest + 1;
      const Index from = known_best() - slack() - base_[s];
      wanted[s] = static_cast<int>(from < 0 ? 0 : from > beyond ? beyond : from);
    }
    wanted_ = Lanes::word(wanted);
  }
  /// @brief Keeps the beginning of a chunk. False if there is no place left, or no time: then the
  /// chunk is to be looked at now.
  __device__ bool keep(int c) {
    Index largest = largest_tracked();
    if constexpr (per_lane == 2)
      largest = last_base_ + gpu::warp_max(static_cast<int>(largest - last_base_));
    else
      largest = gpu::warp_reduce(largest, [](Index x, Index y) { return x > y ? x : y; });
    Index known = known_best();
    if (largest > known) {
      known = largest;
      if (gpu::lane() == 0) atomicMax(pass_.best, static_cast<gpu::TaggedWord>(largest));
    }
    const Index bound = largest + slack();
    if (bound < known) return true;
    if (pass_.target > 0 && bound >= pass_.target) return false;
    int next = 0;
    while (next < pair_beginnings && (next == current_ || memory_.kept[next].bound >= known))
      ++next;
    if (next == pair_beginnings) return false;
    gpu::sync_warp();
    if (gpu::lane() == 0) {
      memory_.kept[current_] = {bound, c};
      memory_.kept[next].bound = 0;
    }
    gpu::sync_warp();
    current_ = next;
    return true;
  }
  /// @brief Whether a beginning is that of a chunk that still may hold the best entry.
  __device__ bool still_counts(int k) const {
    const Index bound = memory_.kept[k].bound;
    const auto best = gpu::broadcast(gpu::load_relaxed(pass_.best), 0);  // one answer for all lanes
    return bound > 0 && bound >= static_cast<Index>(best);
  }
  __device__ void find_best(const typename Memory::Beginning& beginning, int c) {
    gpu::sync_warp();  // the chunk has been handed on before it is computed again
    restore(beginning, c);
    restore_above(beginning);
    gpu::sync_warp();
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      found_score_[s] = clamped(best_.score - base_[s]);
      found_row_[s] = clamped(best_.row - row_of(s));
      found_column_[s] = clamped(best_.column);
      has_found_[s] = false;
    }
    compute<Search>(c);
    gpu::sync_warp();
    const Index before = best_.score;
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      if (!has_found_[s]) continue;
      const BestEntry found{base_[s] + found_score_[s], row_of(s) + found_row_[s],
                            found_column_[s]};
      if (found.precedes(best_)) best_ = found;
    }
    if (best_.score > before) atomicMax(pass_.best, static_cast<gpu::TaggedWord>(best_.score));
  }
  /// @brief Compares an entry with the best one so far; chunks come in any order.
  __device__ void consider(Word entry, int step, int k, int r) {
#pragma unroll
    for (int s = 0; s < per_lane; ++s) {
      const int value = Lanes::entry(entry, s), column = (step - strip(s)) * pair_block + k;
      if (value < found_score_[s]) continue;
      if (value == found_score_[s] &&
          (r > found_row_[s] || (r == found_row_[s] && column >= found_column_[s])))
        continue;
      if (!is_inside(step, k, s) || row_of(s) + r >= pass_.rows()) continue;
      found_score_[s] = value;
      found_row_[s] = r;
      found_column_[s] = column;
      has_found_[s] = true;
    }
  }
  /// @}

  /// @brief Hands the lowest row of a chunk on.
  __device__ void hand_on(int m) {
    if (picks_row_) {
      const Index base = gpu::broadcast(base_of(last_strip_), last_strip_ / per_lane);
      // What was stored are the lowest bits, and the base may have moved since.
      const auto whole = [&](std::uint32_t low) {
        return base + static_cast<std::int32_t>(low - static_cast<std::uint32_t>(base));
      };
#pragma unroll
      for (int k = 0; k < pair_columns; ++k) {
        const Index j = column_of(m, k);
        const std::uint32_t* const picked = memory_.picked[j & (Memory::picked_columns - 1)];
        if (j >= pass_.row_from && j < pass_.b.length)
          pass_.row[j] = {whole(picked[0]), whole(picked[gaps - 1]) - scores_.open};
      }
    }
    if (is_last_ && !is_kept_) return;
    typename Stream::Part part;
#pragma unroll
    for (int g = 0; g < gaps; ++g)
#pragma unroll
      for (int k = 0; k < pair_columns; ++k)
        part[g * pair_columns + k] = static_cast<std::uint32_t>(last_base_ + sent_entry(g, k));
    out().send(m, part);
    if (!is_kept_) return;
    BoundaryEntry* const row =
        pass_.kept.entries + (pass_.kept.until(first_row_ + rows) - 1) * pass_.b.length;
#pragma unroll
    for (int k = 0; k < pair_columns; ++k)
      if (const Index j = column_of(m, k); j < pass_.b.length)
        row[j] = {last_base_ + sent_entry(0, k),
                  last_base_ + sent_entry(gaps - 1, k) - scores_.open};
  }
  /// @brief Returns the entry that the last strip hands on in the lane's k-th column.
  __device__ int sent_entry(int g, int k) const {
    return Lanes::entry_of_block(memory_.sent[g], k * 32 + gpu::lane());
  }

  __device__ void finish() {
    if (pass_.last_column != nullptr) {
#pragma unroll
      for (int s = 0; s < per_lane; ++s)
#pragma unroll
        for (int r = 0; r < Rows; ++r)
          if (row_of(s) + r < pass_.a.length)
            pass_.last_column[row_of(s) + r] = base_[s] + Lanes::entry(h_[r], s);
    }
    if (!pass_.local) return;
    BestEntry best = gpu::warp_reduce(
        best_, [](const BestEntry& x, const BestEntry& y) { return x.precedes(y) ? x : y; });
    best.row += pass_.first_row;
    best.column += pass_.first_column;
    if (gpu::lane() == 0 && best.precedes(pass_.band_best[band_])) pass_.band_best[band_] = best;
  }

  const gpu::TaskQueue& queue_;
  const PairPass& pass_;
  const DeviceScores& scores_;
  const PairRange range_;
  Memory& memory_;
  typename Memory::Beginning* const beginnings_;
  int current_ = 0;            ///< of the beginnings, that of this chunk
  const int band_;             ///< number in the pass
  const std::uint32_t drawn_;  ///< number in the launch
  const Index first_row_;
  const CellUpdate<Cells, Affine> update_;
  const char* const profile_;
  int last_strip_, last_row_in_strip_;
  bool is_last_, picks_row_, is_kept_, is_abandoned_ = false;

  Word h_[Rows], f_[Affine ? Rows : 1];
  Word bottom_h_[pair_block], bottom_e_[pair_block];
  Word corner_;               ///< entry to the upper left of the next block
  Word links_;                ///< what is added to entries that come from strips above
  std::uint32_t first_base_;  ///< the lowest bits
  Index last_base_;
  Index base_[per_lane];
  int next_letters_[pair_columns];  ///< of the lane's columns in the chunk after the next one
  typename Stream::Found found_;

  Word tracked_, pending_[Rows / 4];
  Word wanted_;  ///< from where on entries that are looked at may be near the best one
  gpu::TaggedWord known_best_ = 0;
  BestEntry best_{0, 0, 0};
  int found_score_[per_lane], found_row_[per_lane], found_column_[per_lane];
  bool has_found_[per_lane];
};

}  // namespace wavescan::Impl

#endif
