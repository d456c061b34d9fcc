// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANES_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANES_HPP

#include <impl/WaveScan_Gpu_DotProducts.hpp>
#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_CodePlanes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Cut.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_PlaneMemory.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_PlaneRows.hpp>

#include <cstdint>

namespace wavescan::Impl {

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
template <class Counts, class T>
class PlaneWriter {
  using bands_type = HistogramBands<Counts>;
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;
  using planes_type = CodePlanes<code_type>;
  using codes_type = typename planes_type::codes_type;
  using four_counts = FourCounts<count_type>;
  static constexpr int rows_at_once = PlaneTeamMemory::rows_at_once;
  static constexpr int strip = PlaneTeamMemory::strip;
  static constexpr int words = strip / planes_type::pixels;  ///< of a row of a strip
  static_assert(rows_at_once == bands_type::row_unit && strip == bands_type::column_unit &&
                rows_at_once * words == gpu::warp_size);

 public:
  /// Strips that a warp takes at once. Wider codes need more registers.
  static constexpr int most_strips = sizeof(code_type) == 1 ? 2 : 1;

  static constexpr bool along_rows = true;  ///< neighbours in memory

  static Index shared_bytes(int warps, const bands_type& bands, const HistogramCut& cut) {
    return Index(warps) * row_bytes + warps / cut.team * team_bytes(bands, cut);
  }

  __device__ PlaneWriter(const bands_type& bands, const HistogramOut<T>& out,
                         const HistogramCut& cut, const gpu::WorkQueue& queue, char* memory)
      : bands_(bands),
        out_(out),
        cut_(cut),
        queue_(queue),
        team_(cut.team),
        row_(reinterpret_cast<std::uint32_t*>(memory + gpu::warp() * row_bytes)),
        shared_(memory + blockDim.x / gpu::warp_size * row_bytes +
                    team_.number() * team_bytes(bands, cut),
                cut.bins_at_once, cut.segment / strip, rows_with_left(bands, cut)) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      up_to_[k] = planes_type::pixels_up_to((4 * gpu::lane() + k) % planes_type::pixels);
  }

  __device__ void run() {
    if (!team_.complete()) return;
    const int teams = static_cast<int>(blockDim.x) / (team_.warps() * gpu::warp_size);
    Index piece = Index(blockIdx.x) * teams + team_.number();
    for (int k = 0; piece < queue_.pieces; k ^= 1) {
      const bool leader = team_.rank() == 0 && gpu::lane() == 0;
      const gpu::TaggedWord ticket = leader ? queue_.draw() : 0;
      write(piece);
      if (leader) shared_.next_piece(k) = queue_.piece(ticket);
      team_.sync();
      piece = shared_.next_piece(k);
    }
  }

 private:
  static constexpr int row_bytes = strip * 4;
  /// @brief Rows of a band if there are other segments to their left.
  KOKKOS_FUNCTION static int rows_with_left(const bands_type& bands, const HistogramCut& cut) {
    return cut.segment < bands.columns ? bands.band_rows : 0;
  }
  KOKKOS_FUNCTION static Index team_bytes(const bands_type& bands, const HistogramCut& cut) {
    return PlaneTeamMemory::bytes(cut.bins_at_once, cut.segment / strip,
                                  rows_with_left(bands, cut));
  }

  __device__ void write(Index piece) {
    const int groups = (bands_.bins + cut_.bins_at_once - 1) / cut_.bins_at_once;
    place_ = HistogramPiece(bands_, groups, piece);
    first_bin_ = place_.part * cut_.bins_at_once;
    bins_ = min(cut_.bins_at_once, bands_.bins - first_bin_);
    for (int begin = 0, parity = 0; begin < bands_.columns; begin += cut_.segment, parity ^= 1)
      write_segment(begin, parity);
  }

  __device__ void write_segment(int begin, int parity) {
    begin_ = begin;
    parity_ = parity;
    strips_ = (min(cut_.segment, bands_.columns - begin) + strip - 1) / strip;
    codes_type next[most_strips];
    load(0, next);
    add_up();
    for (int row = 0; row < place_.rows; row += rows_at_once) {
      find_matches(row, next);
      team_.sync();
      if (row + rows_at_once < place_.rows) load(row + rows_at_once, next);
      for (int bin = 0; bin < bins_; ++bin)
#pragma unroll
        for (int k = 0; k < most_strips; ++k)
          if (strip_of(k) < strips_) write_rows(row, bin, strip_of(k));
    }
  }

  /// @brief One of the warp's strips; the segment may have fewer.
  __device__ int strip_of(int k) const { return k * team_.warps() + team_.rank(); }
  /// @brief The lane's row and word of the eight rows of a strip.
  static __device__ int lane_row() { return gpu::lane() / words; }
  static __device__ int lane_word() { return gpu::lane() % words; }
  /// @brief Rows that follow each other in a segment take turns.
  static __device__ int turn(int row) { return row / rows_at_once & 1; }
  __device__ bool is_last_segment() const { return begin_ + cut_.segment >= bands_.columns; }

  __device__ void load(int row, codes_type (&codes)[most_strips]) const {
    const code_type* const from =
        bands_.codes_of(place_.image, place_.first_row + row + lane_row()) + begin_ +
        lane_word() * planes_type::pixels;
#pragma unroll
    for (int k = 0; k < most_strips; ++k)
      if (strip_of(k) < strips_)
        codes[k] = *reinterpret_cast<const codes_type*>(from + strip_of(k) * strip);
  }

  /// @brief What the lane's columns have above the band.
  __device__ four_counts above(int bin, int s) const {
    if (place_.band == 0 || bin >= bins_ || s >= strips_) return {};
    return *reinterpret_cast<const four_counts*>(
        bands_.counts_above(place_.image, place_.band, first_bin_ + bin) + begin_ + s * strip +
        4 * gpu::lane());
  }

  /// @brief The last entries of the lane's columns.
  __device__ PackedValues<std::uint32_t, 4>& entries(int bin, int s) const {
    return reinterpret_cast<PackedValues<std::uint32_t, 4>*>(shared_.entries(bin, s))[gpu::lane()];
  }

  /// @brief Finds the segment's entries in the row above the band.
  __device__ void add_up() const {
    constexpr int bins_loaded = 4;
    for (int first = 0; first < bins_; first += bins_loaded) {
      four_counts counts[bins_loaded][most_strips];
#pragma unroll
      for (int i = 0; i < bins_loaded; ++i)
#pragma unroll
        for (int k = 0; k < most_strips; ++k) counts[i][k] = above(first + i, strip_of(k));
#pragma unroll
      for (int i = 0; i < bins_loaded; ++i)
#pragma unroll
        for (int k = 0; k < most_strips; ++k)
          if (first + i < bins_ && strip_of(k) < strips_)
            add_up_strip(first + i, strip_of(k), counts[i][k]);
    }
    team_.sync();
    for (int bin = 0; bin < bins_; ++bin)
#pragma unroll
      for (int k = 0; k < most_strips; ++k)
        if (strip_of(k) < strips_) add_what_is_left(bin, strip_of(k));
  }
  __device__ void add_up_strip(int bin, int s, const four_counts& counts) const {
    std::uint32_t sum = 0;
    PackedValues<std::uint32_t, 4> sums;
#pragma unroll
    for (int k = 0; k < 4; ++k) sums.value[k] = sum += counts.get(k);
    const std::uint32_t up_to_own = gpu::warp_inclusive_scan(sum);
#pragma unroll
    for (int k = 0; k < 4; ++k) sums.value[k] += up_to_own - sum;
    entries(bin, s) = sums;
    if (gpu::lane() == gpu::warp_size - 1) shared_.above(bin)[s] = up_to_own;
  }
  __device__ void add_what_is_left(int bin, int s) const {
    const std::uint32_t* const strips = shared_.above(bin);
    const std::uint32_t left = gpu::warp_sum(gpu::lane() < s ? strips[gpu::lane()] : 0) +
                               (begin_ > 0 ? shared_.corner(parity_, bin) : 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) entries(bin, s).value[k] += left;
    if (s == strips_ - 1 && gpu::lane() == 0) shared_.corner(parity_ ^ 1, bin) = left + strips[s];
  }

  /// @brief Finds the pixels of all bins in some rows of the warp's strips.
  __device__ void find_matches(int row, const codes_type (&codes)[most_strips]) const {
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < most_strips; ++k) {
      if (strip_of(k) >= strips_) continue;
      const planes_type planes(codes[k]);
      for (int bin = 0; bin < bins_; ++bin) {
        const std::uint32_t pixels =
            planes.pixels_with(static_cast<std::uint32_t>(first_bin_ + bin));
        const auto own = static_cast<std::uint32_t>(__popc(pixels));
        const std::uint32_t up_to_own = gpu::warp_inclusive_scan<words>(own);
        shared_.matches(bin, strip_of(k))[gpu::lane()] = {pixels, up_to_own - own};
        if (lane_word() == words - 1)
          reinterpret_cast<std::uint8_t*>(shared_.sums(
              turn(row), bin))[lane_row() * PlaneTeamMemory::most_strips + strip_of(k)] =
              static_cast<std::uint8_t>(up_to_own);
      }
    }
  }

  /// @brief The matches to the left of a strip in the lane's row.
  __device__ std::uint32_t left_of(int row, int bin, int s) const {
    const auto eight = shared_.sums(turn(row), bin)[gpu::lane()];
    const int wanted = s - 8 * lane_word();
    std::uint32_t sum = gpu::dot_bytes(eight.value[0], ones(wanted), 0u);
    sum = gpu::dot_bytes(eight.value[1], ones(wanted - 4), sum);
    sum = gpu::warp_reduce<words, 1, gpu::LanePairs::NearFirst>(sum);
    return begin_ > 0 ? sum + shared_.left(parity_, bin)[row + lane_row()] : sum;
  }
  /// @brief A word of which the first bytes are 1, the others 0.
  static __device__ std::uint32_t ones(int bytes) {
    return bytes <= 0 ? 0 : 0x01010101u >> 8 * (4 - min(bytes, 4));
  }

  __device__ void write_rows(int row, int bin, int s) const {
    auto& own = shared_.matches(bin, s)[gpu::lane()];
    own.before += left_of(row, bin, s);
    if (!is_last_segment() && s == strips_ - 1 && lane_word() == words - 1)
      shared_.left(parity_ ^ 1, bin)[row + lane_row()] =
          own.before + static_cast<std::uint32_t>(__popc(own.pixels));
    gpu::sync_warp();
    const int rows = place_.rows - row;
    const int column = begin_ + s * strip;
    const int columns = bands_.columns - column;
    T* const to = out_.entry(place_.image, first_bin_ + bin, place_.first_row + row, column);
    if constexpr (sizeof(T) == 4)
      if (out_.aligned) {
        AlignedRows<T> out{to + 4 * gpu::lane(), out_.row_stride, rows, 4 * gpu::lane() < columns};
        write_rows(bin, s, out);
        return;
      }
    UnalignedRows<T> out{to, out_.row_stride, rows, columns, row_};
    write_rows(bin, s, out);
  }

  template <class Rows>
  __device__ void write_rows(int bin, int s, Rows& out) const {
    const PlaneTeamMemory::Matches* const matches =
        shared_.matches(bin, s) + 4 * gpu::lane() / planes_type::pixels;
    PackedValues<std::uint32_t, 4> entry = entries(bin, s);
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      const PlaneTeamMemory::Matches row = matches[r * words];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        entry.value[k] += row.before + static_cast<std::uint32_t>(__popc(row.pixels & up_to_[k]));
      out.store_next(entry.value);
    }
    entries(bin, s) = entry;
  }

  const bands_type& bands_;
  const HistogramOut<T>& out_;
  const HistogramCut& cut_;
  const gpu::WorkQueue& queue_;
  gpu::Team team_;
  std::uint32_t* row_;  ///< a strip of entries, the warp's
  PlaneTeamMemory shared_;
  std::uint32_t up_to_[4];  ///< a word's pixels up to each of the lane's columns
  HistogramPiece place_;
  int first_bin_ = 0;  ///< of the piece
  int bins_ = 0;
  int begin_ = 0;  ///< of the segment
  int parity_ = 0;
  int strips_ = 0;
};

}  // namespace wavescan::Impl

#endif
