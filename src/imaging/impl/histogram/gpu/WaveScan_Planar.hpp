// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_PLANAR_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_PLANAR_HPP

#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/histogram/gpu/WaveScan_HistogramWork.hpp>

#include <cstdint>

namespace wavescan::Impl::histogram {

/// @brief The shared memory of a team that writes some bins in planes.
struct PlanarMemory {
  /// Matches of a row in eight strips, a byte each. A lane's are those of its row.
  using EightStrips = PackedValues<std::uint32_t, 2>;

  /// @param strips of a segment
  __device__ PlanarMemory(char* memory, int bins, int strips)
      : entries(reinterpret_cast<std::uint32_t*>(memory)),
        matches(reinterpret_cast<Matches*>(entries + bins * strips * PlanarSizes::strip)),
        sums(reinterpret_cast<EightStrips*>(matches + bins * strips * gpu::warp_size)),
        next_task(reinterpret_cast<Index*>(sums + 2 * bins * gpu::warp_size)),
        above(reinterpret_cast<std::uint32_t*>(next_task + 2)),
        corner(above + bins * strips),
        left(corner + 2 * bins) {}

  std::uint32_t* entries;  ///< (bin, strip, column) of the row that was written last
  Matches* matches;        ///< (bin, strip, lane)
  EightStrips* sums;       ///< (parity of the rows, bin, lane): matches in each strip
  Index* next_task;        ///< two
  std::uint32_t* above;    ///< (bin, strip): pixels above
  std::uint32_t* corner;   ///< (parity of the segment, bin): the entry above and to the left of it
  std::uint32_t* left;     ///< (parity of the segment, bin, row): matches to the left of it
};

/// @brief A team of warps that writes some bins of a band of rows, where columns are contiguous.
///
/// The warps lie side by side and write eight rows of one bin after the other, with codes that they
/// read once for all bins. Then come the next rows: memory is fastest where long stretches of it
/// are written at a time. Eight rows of a warp's *strip* of columns are 32 words of 32 pixels.
/// First every lane finds the pixels of each bin in its word. Then it writes four columns: an entry
/// is the one above it, plus what the row has before the word, plus the word's pixels up to the
/// column. What the columns have above comes with the band.
///
/// A team takes as many strips at once as its memory has entries for, a *segment*.
template <class Work>
class PlanarWriter {
  using T = typename Work::T;
  using slices_type = BitSlicedCodes<typename Work::code_type>;
  using codes_type = typename slices_type::codes_type;
  using four_counts = Four<typename Work::count_type>;
  static constexpr int rows_at_once = PlanarSizes::rows_at_once;
  static constexpr int strip = PlanarSizes::strip;
  static constexpr int words = strip / slices_type::pixels;  ///< of a row of a strip
  static constexpr int max_strips = sizeof(typename Work::code_type) == 1 ? 2 : 1;
  static_assert(rows_at_once * words == gpu::warp_size);

 public:
  __device__ PlanarWriter(const Work& work, char* memory)
      : w_(work),
        team_(work.decomposition.team),
        row_(reinterpret_cast<std::uint32_t*>(memory + gpu::warp() * PlanarSizes::row_bytes)),
        shared_(memory + block_warps * PlanarSizes::row_bytes +
                    team_.number() * PlanarSizes::team_bytes(w_.decomposition.bins_at_once,
                                                             team_strips(), band_rows()),
                w_.decomposition.bins_at_once, team_strips()) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      up_to_[k] = slices_type::pixels_up_to((4 * gpu::lane() + k) % slices_type::pixels);
  }

  __device__ void run() {
    if (!team_.complete()) return;
    gpu::for_each_task(team_, w_.queue, shared_.next_task, [this](Index task) { write(task); });
  }

 private:
  __device__ int team_strips() const { return w_.decomposition.segment / strip; }
  /// @brief Rows of a band if there are other segments to their left, else none.
  __device__ int band_rows() const {
    return PlanarSizes::rows_with_left(w_.decomposition, w_.columns);
  }

  __device__ void write(Index task) {
    const int groups =
        (w_.bins + w_.decomposition.bins_at_once - 1) / w_.decomposition.bins_at_once;
    place_ = Task(w_, groups, task);
    first_bin_ = place_.part * w_.decomposition.bins_at_once;
    bins_ = min(w_.decomposition.bins_at_once, w_.bins - first_bin_);
    for (int begin = 0, parity = 0; begin < w_.columns;
         begin += w_.decomposition.segment, parity ^= 1)
      write_segment(begin, parity);
  }

  __device__ void write_segment(int begin, int parity) {
    begin_ = begin;
    parity_ = parity;
    strips_ = (min(w_.decomposition.segment, w_.columns - begin) + strip - 1) / strip;
    codes_type next[max_strips];
    load(0, next);
    add_up();
    for (int row = 0; row < place_.rows; row += rows_at_once) {
      find_matches(row, next);
      team_.sync();
      if (row + rows_at_once < place_.rows) load(row + rows_at_once, next);
      for (int bin = 0; bin < bins_; ++bin)
        for_each_strip([&](int, int s) { write_rows(row, bin, s); });
    }
  }

  /// @brief One of the warp's strips; the segment may have fewer.
  __device__ int strip_of(int k) const { return k * team_.warps() + team_.rank(); }
  /// @brief Calls f(k, the warp's strip k).
  template <class F>
  __device__ void for_each_strip(const F& f) const {
#pragma unroll
    for (int k = 0; k < max_strips; ++k)
      if (strip_of(k) < strips_) f(k, strip_of(k));
  }
  /// @brief The lane's row and word of the eight rows of a strip.
  static __device__ int lane_row() { return gpu::lane() / words; }
  static __device__ int lane_word() { return gpu::lane() % words; }
  __device__ bool is_last_segment() const {
    return begin_ + w_.decomposition.segment >= w_.columns;
  }

  __device__ PlanarMemory::EightStrips* strip_sums(int row, int bin) const {
    return shared_.sums +
           ((row / rows_at_once & 1) * w_.decomposition.bins_at_once + bin) * gpu::warp_size;
  }
  __device__ Matches* matches(int bin, int s) const {
    return shared_.matches + (bin * team_strips() + s) * gpu::warp_size;
  }
  __device__ std::uint32_t& corner(int parity, int bin) const {
    return shared_.corner[parity * w_.decomposition.bins_at_once + bin];
  }
  __device__ std::uint32_t& left_of_segment(int parity, int bin, int row) const {
    return shared_
        .left[(parity * w_.decomposition.bins_at_once + bin) * PlanarSizes::rounded(band_rows()) +
              row];
  }
  /// @brief The last entries of the lane's columns.
  __device__ FourEntries& entries(int bin, int s) const {
    return reinterpret_cast<FourEntries*>(shared_.entries +
                                          (bin * team_strips() + s) * strip)[gpu::lane()];
  }

  __device__ void load(int row, codes_type (&codes)[max_strips]) const {
    const auto* const from = w_.codes_of(place_.image, place_.first_row + row + lane_row()) +
                             begin_ + lane_word() * slices_type::pixels;
    for_each_strip(
        [&](int k, int s) { codes[k] = *reinterpret_cast<const codes_type*>(from + s * strip); });
  }

  /// @brief The counts above the band in the lane's columns.
  __device__ four_counts above(int bin, int s) const {
    if (place_.band == 0 || bin >= bins_ || s >= strips_) return {};
    return *reinterpret_cast<const four_counts*>(
        w_.counts_above(place_.image, place_.band, first_bin_ + bin) + begin_ + s * strip +
        4 * gpu::lane());
  }

  /// @brief Finds the segment's entries in the row above the band.
  __device__ void add_up() const {
    constexpr int bins_loaded = 4;
    for (int first = 0; first < bins_; first += bins_loaded) {
      four_counts counts[bins_loaded][max_strips];
#pragma unroll
      for (int i = 0; i < bins_loaded; ++i)
#pragma unroll
        for (int k = 0; k < max_strips; ++k) counts[i][k] = above(first + i, strip_of(k));
#pragma unroll
      for (int i = 0; i < bins_loaded; ++i)
        if (first + i < bins_)
          for_each_strip([&](int k, int s) { add_up_strip(first + i, s, counts[i][k]); });
    }
    team_.sync();
    for (int bin = 0; bin < bins_; ++bin)
      for_each_strip([&](int, int s) { add_what_is_left(bin, s); });
  }
  __device__ void add_up_strip(int bin, int s, const four_counts& counts) const {
    std::uint32_t sum = 0;
    FourEntries sums;
#pragma unroll
    for (int k = 0; k < 4; ++k) sums.value[k] = sum += counts.get(k);
    const std::uint32_t up_to_own = gpu::warp_inclusive_scan(sum);
    sums += up_to_own - sum;
    entries(bin, s) = sums;
    if (gpu::lane() == gpu::warp_size - 1) shared_.above[bin * team_strips() + s] = up_to_own;
  }
  __device__ void add_what_is_left(int bin, int s) const {
    const std::uint32_t* const strips = shared_.above + bin * team_strips();
    const std::uint32_t left = gpu::warp_sum(gpu::lane() < s ? strips[gpu::lane()] : 0) +
                               (begin_ > 0 ? corner(parity_, bin) : 0);
    entries(bin, s) += left;
    if (s == strips_ - 1 && gpu::lane() == 0) corner(parity_ ^ 1, bin) = left + strips[s];
  }

  /// @brief Finds the pixels of all bins in some rows of the warp's strips.
  __device__ void find_matches(int row, const codes_type (&codes)[max_strips]) const {
    gpu::sync_warp();
    for_each_strip([&](int k, int s) {
      const slices_type slices(codes[k]);
      for (int bin = 0; bin < bins_; ++bin) {
        const std::uint32_t pixels =
            slices.pixels_with(static_cast<std::uint32_t>(first_bin_ + bin));
        const std::uint32_t own = gpu::count_bits(pixels);
        const std::uint32_t up_to_own = gpu::warp_inclusive_scan<words>(own);
        matches(bin, s)[gpu::lane()] = {pixels, up_to_own - own};
        if (lane_word() == words - 1)
          reinterpret_cast<std::uint8_t*>(
              strip_sums(row, bin))[lane_row() * PlanarSizes::max_strips + s] =
              static_cast<std::uint8_t>(up_to_own);
      }
    });
  }

  /// @brief The matches to the left of a strip in the lane's row.
  __device__ std::uint32_t left_of(int row, int bin, int s) const {
    const auto eight = strip_sums(row, bin)[gpu::lane()];
    const int wanted = s - 8 * lane_word();
    std::uint32_t sum = gpu::dot_bytes(eight.value[0], ones(wanted), 0u);
    sum = gpu::dot_bytes(eight.value[1], ones(wanted - 4), sum);
    sum = gpu::warp_reduce<words, 1, gpu::LanePairs::NearFirst>(sum);
    return begin_ > 0 ? sum + left_of_segment(parity_, bin, row + lane_row()) : sum;
  }
  /// @brief A word of which the first bytes are 1, the others 0.
  static __device__ std::uint32_t ones(int bytes) {
    return bytes <= 0 ? 0 : 0x01010101u >> 8 * (4 - min(bytes, 4));
  }

  __device__ void write_rows(int row, int bin, int s) const {
    Matches& own = matches(bin, s)[gpu::lane()];
    own.before += left_of(row, bin, s);
    if (!is_last_segment() && s == strips_ - 1 && lane_word() == words - 1)
      left_of_segment(parity_ ^ 1, bin, row + lane_row()) = own.up_to(~0u);
    gpu::sync_warp();
    const int rows = place_.rows - row;
    const int column = begin_ + s * strip;
    const int columns = w_.columns - column;
    T* const to = w_.entry(place_.image, first_bin_ + bin, place_.first_row + row, column);
    if constexpr (sizeof(T) == 4)
      if (w_.aligned) {
        const int own_rows = 4 * gpu::lane() < columns ? rows : 0;
        for_each_row(bin, s, to + 4 * gpu::lane(), [&](int r, T* own, const FourEntries& entry) {
          if (r < own_rows) store_four(own, entry);
        });
        return;
      }
    for_each_row(bin, s, to, [&](int r, T* row_begin, const FourEntries& entry) {
      if (r < rows) store_through_memory(row_begin, columns, entry);
    });
  }

  /// @brief Computes the lane's entries of some rows and calls `store(r, where row r is, entries)`.
  template <class Store>
  __device__ void for_each_row(int bin, int s, T* to, const Store& store) const {
    const Matches* const found = matches(bin, s) + 4 * gpu::lane() / slices_type::pixels;
    FourEntries entry = entries(bin, s);
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r, to += w_.problem.histogram.row_stride) {
      const Matches row = found[r * words];
#pragma unroll
      for (int k = 0; k < 4; ++k) entry.value[k] += row.up_to(up_to_[k]);
      store(r, to, entry);
    }
    entries(bin, s) = entry;
  }

  /// @brief Lets the lanes write neighbours.
  __device__ void store_through_memory(T* to, int columns, const FourEntries& entry) const {
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < 4; ++k) row_[4 * gpu::lane() + k] = entry.value[k];
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int column = gpu::warp_size * k + gpu::lane();
      if (column < columns) gpu::store_streaming(to + column, static_cast<T>(row_[column]));
    }
  }

  const Work& w_;
  gpu::Team team_;
  std::uint32_t* row_;  ///< a strip of entries, the warp's
  PlanarMemory shared_;
  std::uint32_t up_to_[4];  ///< a word's pixels up to each of the lane's columns
  Task place_;
  int first_bin_ = 0;  ///< of the task
  int bins_ = 0;
  int begin_ = 0;  ///< of the segment
  int parity_ = 0;
  int strips_ = 0;
};

}  // namespace wavescan::Impl::histogram

#endif
