// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_RESIDENT_KERNEL_HPP
#define WAVESCAN_IMPL_SAT_GPU_RESIDENT_KERNEL_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_RowParts.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Resident_Decomposition.hpp>
#include <impl/sat/gpu/WaveScan_Sums.hpp>

#include <cstdint>

/// @file
/// @brief Summed-area tables of images that are on the chip all at once.
///
/// Each block loads a tile into its registers, publishes the sums over its rows and columns and
/// over the whole, and computes the tile's own table while these travel. Then it asks for the sums
/// over the tiles to the left in its rows, above in its columns, and both above and to the left:
/// the one time that blocks wait for each other. What these add to an entry is a sum for its row
/// and one for its column.
///
/// All blocks must be resident (cooperative launch). The order of additions is fixed; nothing is
/// subtracted.

namespace wavescan::Impl::sat {

/// @brief The kernel's arguments.
template <class Tile>
struct ResidentTask {
  ProblemOf<Tile> problem;
  Resident decomposition;
  gpu::BlockEpochs words;
  bool image_whole;  ///< chunks of pixels, where they are all in the image, can be loaded at once
};

template <class Tile>
struct ResidentShared {
  using V = typename Tile::V;
  using Word =
      typename gpu::Unit<Tile::chunk* static_cast<int>(sizeof(typename Tile::Pixel))>::Word;
  /// Each lane's own.
  Word pixels[Tile::max_rows][Tile::threads];
  /// Sums over the warps' rows, then over those of the warps above.
  alignas(16) V columns[Tile::warps][Tile::columns];
  /// What all tiles above add, in parts.
  alignas(16) V above[Tile::column_parts][Tile::columns];
  /// What all tiles to the left add in the rows down to each of a gathering warp's, and all its
  /// rows.
  V left[Tile::row_warps][Tile::warp_rows];
  V rows[Tile::row_warps];
  /// What lies above and to the left, in parts.
  V corner[Tile::corner_warps];
};

template <class Tile>
class ResidentBlock {
  using V = typename Tile::V;
  using T = typename Tile::T;
  using Pixel = typename Tile::Pixel;
  using Pair = SumPair<V>;
  using Word = typename ResidentShared<Tile>::Word;
  static constexpr int chunk = Tile::chunk;
  static constexpr int max_rows = Tile::max_rows;
  using Chunk = SumChunk<V>;
  using Rows = Chunk[max_rows];
  static_assert(gpu::Tagged<V>::words == Tile::value_words);

 public:
  using Parameters = ResidentTask<Tile>;
  static constexpr int block_threads = Tile::threads;
  static constexpr int memory_alignment = 16;

  __device__ ResidentBlock(const ResidentTask<Tile>& task, char* memory)
      : task_(task),
        decomposition_(task.decomposition),
        shared_(*reinterpret_cast<ResidentShared<Tile>*>(memory)) {
    const int block = static_cast<int>(blockIdx.x), size = decomposition_.team_blocks();
    const int team = block / size, member = block % size;
    x_ = member % decomposition_.across;
    y_ = member / decomposition_.across;
    image_ = team;
    records_ = task.words.messages() + static_cast<std::size_t>(team * size) * Tile::record_words;
    row_ = Index(y_ * Tile::warps + gpu::warp()) * decomposition_.warp_rows;
    const Index left = decomposition_.rows - row_,
                columns = decomposition_.columns - Index(x_) * Tile::columns;
    rows_ = static_cast<int>(left < 0                          ? 0
                             : left < decomposition_.warp_rows ? left
                                                               : decomposition_.warp_rows);
    columns_ = static_cast<int>(columns < Tile::columns ? columns : Tile::columns);
  }

  __device__ void run() {
    start_loads();
    const std::uint32_t tag = task_.words.tags().first;
    Rows rows;
    take(rows);
    publish_rows(tag, rows);
    sum_columns(rows);
    __syncthreads();
    task_.words.end(tag, static_cast<int>(threadIdx.x), Tile::threads);
    publish_columns(tag);
    __syncthreads();
    scan(rows);
    gather_sums(tag);
    __syncthreads();
    finish(rows);
  }

 private:
  /// @brief The number of the lane's columns in the image.
  __device__ int own_columns() const {
    const int own = columns_ - gpu::lane() * chunk;
    return own < chunk ? own : chunk;
  }

  /// @brief Starts to copy the lane's pixels to shared memory, where no other thread reads them.
  __device__ void start_loads() const {
    const auto& image = task_.problem.image;
    const Pixel* from = image.data + image_ * task_.problem.image_stride + row_ * image.row_stride +
                        Index(x_) * Tile::columns + gpu::lane() * chunk;
    const int count = own_columns();
    const bool whole = Tile::whole || (task_.image_whole && count == chunk);
    if (count > 0) {
#pragma unroll
      for (int i = 0; i < max_rows; ++i) {
        if (i >= rows_) continue;
        Word* const to = &shared_.pixels[i][threadIdx.x];
        const Pixel* const row = from + i * image.row_stride;
        if (whole) {
          gpu::copy_own<sizeof(Word)>(to, row);
        } else {
#pragma unroll
          for (int e = 0; e < chunk; ++e) {
            Pixel* const pixel = reinterpret_cast<Pixel*>(to) + e;
            if (e < count)
              gpu::copy_own<sizeof(Pixel)>(pixel, row + e);
            else
              *pixel = Pixel(0);
          }
        }
      }
    }
    gpu::commit_async_copies();
  }

  __device__ void take(Rows& rows) const {
    const int count = own_columns() > 0 ? rows_ : 0;
    gpu::wait_for_async_copies<0>();
#pragma unroll
    for (int i = 0; i < max_rows; ++i)
      if (i < count)
        rows[i] = load_terms<Tile>(reinterpret_cast<const Pixel*>(&shared_.pixels[i][threadIdx.x]));
  }

  /// @brief The published sums over a tile of the same image.
  __device__ gpu::TaggedWord* record(int x, int y) const {
    return records_ + (y * decomposition_.across + x) * Tile::record_words;
  }

  __device__ void publish_rows(std::uint32_t tag, const Rows& rows) const {
    gpu::TaggedWord* const words =
        record(x_, y_) + Tile::rows_at + gpu::warp() * decomposition_.warp_rows * Tile::value_words;
#pragma unroll
    for (int first = 0; first < max_rows; first += 4) {
      if (first >= decomposition_.warp_rows) break;
      V sums[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[i] = rows[first + i].sum();
      const V sum = gpu::warp_sum_of_each(sums);
      const int row = first + gpu::lane() / 8;
      if (gpu::lane() % 8 == 0 && row < decomposition_.warp_rows)
        gpu::Tagged<V>::publish(words + row * Tile::value_words, sum, tag);
    }
  }

  __device__ void sum_columns(const Rows& rows) const {
    Chunk sums;
#pragma unroll
    for (int i = 0; i < max_rows; ++i) sums += rows[i];
    sums.store(&shared_.columns[gpu::warp()][gpu::lane() * chunk]);
  }

  /// @brief Publishes the sums over the tile's columns, and leaves those above each warp.
  __device__ void publish_columns(std::uint32_t tag) const {
    const int column = static_cast<int>(threadIdx.x);
    if (column >= Tile::columns) return;
    V sums[Tile::warps];
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) sums[w] = shared_.columns[w][column];
    V sum = V(0);
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) {
      shared_.columns[w][column] = sum;
      sum += sums[w];
    }
    gpu::TaggedWord* const words = record(x_, y_);
    gpu::Tagged<V>::publish(words + Tile::columns_at + column * Tile::value_words, sum, tag);
    const V total = gpu::warp_reduce(sum);
    if (gpu::lane() == 0)
      gpu::Tagged<V>::publish(words + gpu::warp() * Tile::value_words, total, tag);
  }

  /// @brief Turns the pixels into the tile's own table.
  __device__ void scan(Rows& rows) const {
    Chunk above = Chunk::load(&shared_.columns[gpu::warp()][gpu::lane() * chunk]);
#pragma unroll
    for (int first = 0; first < max_rows; first += 4) {
      if (first >= decomposition_.warp_rows) break;
      scan_rows_of_warp<4>(rows + first, above);
    }
  }

  // The warps share in asking the other blocks for the sums over their tiles: some ask for those
  // over columns, some for rows, some for whole tiles.
  __device__ void gather_sums(std::uint32_t tag) const {
    const int warp = gpu::warp() - Tile::column_warps;
    if (warp < 0)
      gather_columns(tag);
    else if (warp < Tile::row_warps)
      gather_rows(warp, tag);
    else
      gather_corner(warp - Tile::row_warps, tag);
  }

  /// @brief Adds up, in order, pairs of words that lie `stride` words apart.
  /// @param most that any lane of the warp asks for
  static __device__ Pair add_up(const gpu::TaggedWord* from, int stride, int count, int most,
                                std::uint32_t tag) {
    Pair sum;
    gpu::await_each<Pair, 8>(
        most, tag, [=](int i) { return i < count; }, [=](int i) { return from + i * stride; },
        [&](int, int, const Pair& pair) { sum += pair; });
    return sum;
  }

  /// @brief Warps take pairs of columns, and share the tiles above in parts.
  __device__ void gather_columns(std::uint32_t tag) const {
    const int pair = static_cast<int>(threadIdx.x) % Tile::column_pairs;
    const int part = static_cast<int>(threadIdx.x) / Tile::column_pairs;
    const int count = (y_ - part + Tile::column_parts - 1) / Tile::column_parts;
    const Pair sum =
        add_up(record(x_, part) + Tile::columns_at + 2 * pair,
               Tile::column_parts * decomposition_.across * Tile::record_words, count, count, tag);
    *reinterpret_cast<Pair*>(&shared_.above[part][pair * Pair::count]) = sum;
  }

  /// @brief A warp takes the rows of a few warps, and its lanes share the tiles to the left in
  /// parts.
  __device__ void gather_rows(int warp, std::uint32_t tag) const {
    constexpr int parts = Tile::row_parts;
    const int pairs = decomposition_.warp_rows * (Tile::warps / Tile::row_warps) / Pair::count;
    const int pair = gpu::lane() % Tile::row_pairs, part = gpu::lane() / Tile::row_pairs;
    const int count = pair < pairs ? (x_ - part + parts - 1) / parts : 0;
    Pair sum = add_up(record(part, y_) + Tile::rows_at + 2 * (warp * pairs + pair),
                      parts * Tile::record_words, count, (x_ + parts - 1) / parts, tag);
    sum = gpu::warp_reduce<gpu::warp_size, Tile::row_pairs>(sum);
    // All parts have the same now; what lies beyond the pairs is zero.
    const V down = gpu::warp_inclusive_scan<Tile::row_pairs>(sum.sum());
    V above = gpu::value_before(down);
    if (gpu::lane() >= Tile::row_pairs) return;
#pragma unroll
    for (int i = 0; i < Pair::count; ++i)
      shared_.left[warp][pair * Pair::count + i] = above += sum.value[i];
    if (pair == Tile::row_pairs - 1) shared_.rows[warp] = down;
  }

  /// @brief Gathers the totals of tiles above and to the left: 2^across_bits threads take a row of
  /// tiles, further ones the rows below it, and all go down in steps of so many rows.
  __device__ void gather_corner(int warp, std::uint32_t tag) const {
    constexpr int total_pairs = Tile::total_words / 2;
    const int thread = (warp * 32 + gpu::lane()) / total_pairs;
    const int x = thread & ((1 << decomposition_.across_bits) - 1),
              y = thread >> decomposition_.across_bits;
    const int step_bits = Tile::corner_bits - decomposition_.across_bits;
    const auto steps = [&](int begin) { return (y_ - begin + (1 << step_bits) - 1) >> step_bits; };
    const Pair sums = add_up(record(x, y) + gpu::lane() % total_pairs * 2,
                             (decomposition_.across << step_bits) * Tile::record_words,
                             x < x_ ? steps(y) : 0, steps(0), tag);
    const V sum = gpu::warp_reduce(sums.sum());
    if (gpu::lane() == 0) shared_.corner[warp] = sum;
  }

  /// @brief Adds what the others add, and stores the table.
  __device__ void finish(const Rows& rows) const {
    constexpr int warps_together = Tile::warps / Tile::row_warps;
    const int lane = gpu::lane(), gatherer = gpu::warp() / warps_together;
    Chunk above = Chunk::load(&shared_.above[0][lane * chunk]);
#pragma unroll
    for (int k = 1; k < Tile::column_parts; ++k)
      above += Chunk::load(&shared_.above[k][lane * chunk]);
    // Sums over the lanes' columns, and those of all rows above and of the corner.
    V sums[2] = {above.sum(), V(0)};
    if (lane < gatherer) sums[1] = shared_.rows[lane];
    if (lane >= 16 && lane < 16 + Tile::corner_warps) sums[1] = shared_.corner[lane - 16];
    gpu::warp_inclusive_scan(sums);
    V before = gpu::value_before(sums[0]);
#pragma unroll
    for (int e = 0; e < chunk; ++e) above.value[e] = before += above.value[e];
    V left = gpu::broadcast(sums[1], 31);
    if (lane < max_rows)
      left +=
          shared_.left[gatherer][gpu::warp() % warps_together * decomposition_.warp_rows + lane];
    const auto& table = task_.problem.table;
    T* to = table.data + image_ * task_.problem.table_stride + row_ * table.row_stride +
            Index(x_) * Tile::columns;
#pragma unroll
    for (int i = 0; i < max_rows; ++i) {
      if (i >= rows_) break;
      Chunk outside = above, entries = rows[i];
      outside += gpu::broadcast(left, i);
      T y[chunk];
      (entries += outside).convert(y);
      if constexpr (Tile::whole)
        gpu::store_aligned(to, y, columns_);
      else
        gpu::store_chunk(to, y, columns_);
      to += table.row_stride;
    }
  }

  const ResidentTask<Tile>& task_;
  const Resident& decomposition_;
  ResidentShared<Tile>& shared_;
  gpu::TaggedWord* records_;  ///< of the image's first tile
  int x_;
  int y_;
  int columns_;  ///< of the tile that are in the image
  int rows_;     ///< of the warp that are
  Index row_;    ///< the warp's first
  Index image_;
};

/// @brief Tables of images that fit the chip.
/// @param image_whole, table_whole whether rows consist of whole chunks; both do, unless
///                                 decomposition.is_low()
template <class Types>
void launch_resident(const gpu::Device& exec, const ProblemOf<Types>& p,
                     const Resident& decomposition, gpu::BlockEpochs words, bool image_whole,
                     bool table_whole) {
  const auto launch = [&]<class Tile>(Tile) {
    gpu::launch_blocks<ResidentBlock<Tile>>(
        {exec, "WaveScan::summed_area_table::resident", true}, decomposition.blocks(),
        Tile::threads, sizeof(ResidentShared<Tile>), {p, decomposition, words, image_whole});
  };
  if (!image_whole || !table_whole)
    launch(ResidentTile<Types, Resident::low_rows, false>());
  else if (decomposition.is_low())
    launch(ResidentTile<Types, Resident::low_rows, true>());
  else
    launch(ResidentTile<Types, Resident::max_rows, true>());
}

/// @brief The tagged words that they need.
template <class Types>
std::size_t words_of_resident(const Resident& decomposition) {
  return static_cast<std::size_t>(decomposition.blocks()) *
         ResidentTile<Types, Resident::max_rows, true>::record_words;
}

}  // namespace wavescan::Impl::sat

#endif
