// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANES_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANES_HPP

#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_StoreOnce.hpp>
#include <impl/WaveScan_Gpu_Sums.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief Rows of a strip that are inside of an aligned plane: lanes write 16 bytes.
template <class T>
struct WholeRows {
  T* to;
  Index row_stride;

  __device__ void store_next(const std::uint32_t (&entries)[4]) {
    PackedValues<T, 4> values;
#pragma unroll
    for (int k = 0; k < 4; ++k) values.value[k] = static_cast<T>(entries[k]);
    gpu::store_once(to + 4 * gpu::lane(), values);
    to += row_stride;
  }
};

/// @brief Any others: entries go by way of shared memory, so that lanes write neighbours.
template <class T>
struct PartsOfRows {
  T* to;
  Index row_stride;
  std::uint32_t* memory;  ///< the warp's, for a strip of entries
  int rows;
  int columns;

  __device__ void store_next(const std::uint32_t (&entries)[4]) {
    if (rows-- <= 0) return;
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < 4; ++k) memory[4 * gpu::lane() + k] = entries[k];
    gpu::sync_warp();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int column = gpu::warp_size * k + gpu::lane();
      if (column < columns) gpu::store_once(to + column, static_cast<T>(memory[column]));
    }
    to += row_stride;
  }
};

/// @brief What the warps of a team tell each other.
struct PlaneTeamShared {
  static constexpr int most_warps = 16;
  /// Matches of a warp's rows, a byte each; the next rows' go to the other array.
  PackedValues<std::uint32_t, 2> matches[2][most_warps];
  /// Counts above a warp's columns, likewise.
  std::uint32_t above[2][most_warps];
  Index next_piece[2];
};

/// @brief A team of warps that writes one bin of a band of rows, where columns are contiguous.
///
/// The warps lie side by side, and write some rows before the next ones: memory is fastest where
/// long stretches of it are written at a time. A lane has four neighbouring columns of its warp's
/// *strip*. Matches are counted in bytes, four to a word: along the lane's columns by a
/// multiplication, and across the lanes for four rows at once. An entry is the one above it plus
/// its row's count; what the columns have above comes with the band.
template <class Counts, class T>
class PlaneWriter {
  using bands_type = HistogramBands<Counts>;
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;
  using four_codes = FourCodes<code_type>;
  using four_counts = PackedValues<count_type, 4>;
  using four_sums = PackedValues<std::uint32_t, 4>;
  static constexpr int rows_at_once = bands_type::row_unit;
  static constexpr int strip = bands_type::column_unit;

 public:
  static constexpr Index shared_bytes(int warps, int band_rows) {
    return Index(warps) * (team_bytes(band_rows) + row_bytes);
  }

  __device__ PlaneWriter(const bands_type& bands, const HistogramOut<T>& out,
                         const gpu::WorkQueue& queue, char* memory)
      : bands_(bands),
        out_(out),
        queue_(queue),
        team_(out.team),
        row_(reinterpret_cast<std::uint32_t*>(memory + gpu::warp() * row_bytes)) {
    memory += blockDim.x / gpu::warp_size * row_bytes;
    memory += team_.number() * team_bytes(bands.band_rows());
    shared_ = reinterpret_cast<PlaneTeamShared*>(memory);
    left_ = reinterpret_cast<std::uint32_t*>(memory + sizeof(PlaneTeamShared));
  }

  __device__ void run() {
    if (!team_.complete()) return;
    const int teams = static_cast<int>(blockDim.x) / (team_.warps() * gpu::warp_size);
    Index piece = Index(blockIdx.x) * teams + team_.number();
    for (int k = 0; piece < queue_.pieces; k ^= 1) {
      const bool leader = team_.rank() == 0 && gpu::lane() == 0;
      const gpu::TaggedWord ticket = leader ? queue_.draw() : 0;
      write(piece);
      if (leader) shared_->next_piece[k] = queue_.piece(ticket);
      team_.sync();
      piece = shared_->next_piece[k];
    }
  }

 private:
  static constexpr int row_bytes = strip * 4;
  static constexpr int team_bytes(int band_rows) {
    return static_cast<int>(sizeof(PlaneTeamShared)) + 2 * band_rows * 4;
  }

  /// @brief The lane's codes; those of the last strip for warps that have none.
  __device__ const code_type* codes(int row, int strip_begin) const {
    const int last = static_cast<int>(bands_.pitch) - strip;
    return bands_.codes_of(place_.image, place_.first_row + row) + min(strip_begin, last) +
           4 * gpu::lane();
  }
  __device__ void load(const code_type* from, four_codes (&codes)[rows_at_once]) const {
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r, from += bands_.pitch)
      codes[r] = *reinterpret_cast<const four_codes*>(from);
  }
  /// @brief What the lane's columns have above the band.
  __device__ four_counts above(int strip_begin) const {
    if (place_.band == 0 || strip_begin >= bands_.columns) return {};
    return *reinterpret_cast<const four_counts*>(
        bands_.counts_above(place_.image, place_.band, place_.part) + strip_begin +
        4 * gpu::lane());
  }

  __device__ void write(Index piece) {
    place_ = HistogramPiece(bands_, bands_.bins, piece);
    const auto bin = static_cast<std::uint32_t>(place_.part);
    const int groups = (place_.rows + rows_at_once - 1) / rows_at_once;
    const int width = team_.warps() * strip;
    for (int row = team_.rank() * gpu::warp_size + gpu::lane(); row < bands_.band_rows();
         row += team_.warps() * gpu::warp_size)
      left_[row] = 0;
    int begin = team_.rank() * strip;
    four_codes next[rows_at_once];
    load(codes(0, begin), next);
    four_counts next_above = above(begin);
    std::uint32_t corner = 0;
    for (int segment = 0; segment < bands_.columns; segment += width, begin += width) {
      const bool last_segment = segment + width >= bands_.columns;
      const int slot = segment / width & 1;
      std::uint32_t entries[4];
      corner = add_up(next_above, slot, corner, entries);
      if (!last_segment) next_above = above(begin + width);
      T* to = out_.entry(place_.image, place_.part, place_.first_row, begin);
      for (int g = 0; g < groups; ++g, to += rows_at_once * out_.row_stride) {
        std::uint32_t matches[rows_at_once];
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) matches[r] = next[r].matches(bin);
        if (g + 1 < groups)
          load(codes((g + 1) * rows_at_once, begin), next);
        else if (!last_segment)
          load(codes(0, begin + width), next);
        const int row = g * rows_at_once;
        const int rows = min(rows_at_once, place_.rows - row);
        const int columns = min(strip, bands_.columns - begin);
        std::uint32_t before[rows_at_once];
        share_matches(slot, row, g & 1, last_segment, matches, before);
        if constexpr (sizeof(T) == 4)
          if (out_.aligned && rows == rows_at_once && columns == strip) {
            write_rows(matches, before, entries, WholeRows<T>{to, out_.row_stride});
            continue;
          }
        write_rows(matches, before, entries,
                   PartsOfRows<T>{to, out_.row_stride, row_, rows, columns});
      }
    }
  }

  /// @brief The entries above the lane's columns; returns the one above the segment's last column.
  /// @param corner the same of the segment before
  __device__ std::uint32_t add_up(const four_counts& counts, int slot, std::uint32_t corner,
                                  std::uint32_t (&entries)[4]) {
    std::uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) entries[k] = sum += counts.value[k];
    const std::uint32_t up_to_own = gpu::sum_of_lanes_up_to_own(sum);
    if (gpu::lane() == gpu::warp_size - 1) shared_->above[slot][team_.rank()] = up_to_own;
    team_.sync();
    const std::uint32_t warps = gpu::lane() < team_.warps() ? shared_->above[slot][gpu::lane()] : 0;
    const std::uint32_t left = gpu::sum_of_lanes(gpu::lane() < team_.rank() ? warps : 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) entries[k] += corner + left + up_to_own - sum;
    return corner + gpu::sum_of_lanes(warps);
  }

  /// @brief Counts the matches of some rows to the left of the lane.
  /// @param matches becomes, for each row, a byte for each column: the lane's up to there
  __device__ void share_matches(int slot, int row, int parity, bool last_segment,
                                std::uint32_t (&matches)[rows_at_once],
                                std::uint32_t (&before)[rows_at_once]) {
    PackedValues<std::uint32_t, 2> own, up_to_own;
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) matches[r] *= 0x01010101u;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t(&m)[rows_at_once] = matches;
      own.value[h] = __byte_perm(__byte_perm(m[4 * h], m[4 * h + 1], 0x0073),
                                 __byte_perm(m[4 * h + 2], m[4 * h + 3], 0x0073), 0x5410);
      up_to_own.value[h] = gpu::sum_of_lanes_up_to_own(own.value[h]);
    }
    if (gpu::lane() == gpu::warp_size - 1) shared_->matches[parity][team_.rank()] = up_to_own;
    team_.sync();
    PackedValues<std::uint32_t, 2> warps{};
    if (gpu::lane() < team_.rank()) warps = shared_->matches[parity][gpu::lane()];
    const std::uint32_t* const left = left_ + slot * bands_.band_rows() + row;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      // Up to 15 bytes fit into half words.
      const std::uint32_t low = gpu::sum_of_lanes(__byte_perm(warps.value[h], 0, 0x4140));
      const std::uint32_t high = gpu::sum_of_lanes(__byte_perm(warps.value[h], 0, 0x4342));
      const auto segments_before = *reinterpret_cast<const four_sums*>(left + 4 * h);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        before[4 * h + i] = segments_before.value[i] +
                            __byte_perm(i < 2 ? low : high, 0, i % 2 == 0 ? 0x4410 : 0x4432) +
                            byte(up_to_own.value[h] - own.value[h], i);
    }
    if (!last_segment && team_.rank() == team_.warps() - 1 && gpu::lane() == gpu::warp_size - 1) {
      std::uint32_t* const next_left = left_ + (slot ^ 1) * bands_.band_rows() + row;
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r)
        next_left[r] = before[r] + byte(own.value[r / 4], r % 4);
    }
  }

  /// @brief Writes as many rows as are taken at once, from the entries above them on.
  template <class Rows>
  __device__ void write_rows(const std::uint32_t (&along)[rows_at_once],
                             const std::uint32_t (&before)[rows_at_once],
                             std::uint32_t (&entries)[4], Rows rows) {
    std::uint32_t rows_before = 0;  // sums over the rows so far
    std::uint32_t rows_along = 0;
    std::uint32_t result[4];
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      rows_before += before[r];
      rows_along += along[r];
#pragma unroll
      for (int k = 0; k < 4; ++k) result[k] = entries[k] + rows_before + byte(rows_along, k);
      rows.store_next(result);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) entries[k] = result[k];
  }

  static __device__ std::uint32_t byte(std::uint32_t word, int i) {
    return __byte_perm(word, 0, 0x4440 | i);
  }

  const bands_type& bands_;
  const HistogramOut<T>& out_;
  const gpu::WorkQueue& queue_;
  gpu::Team team_;
  std::uint32_t* row_;  ///< a strip of entries
  PlaneTeamShared* shared_;
  std::uint32_t* left_;  ///< for each row of the band, its matches in the segments before
  HistogramPiece place_;
};

}  // namespace wavescan::Impl

#endif
