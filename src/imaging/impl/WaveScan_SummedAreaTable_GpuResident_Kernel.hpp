// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_KERNEL_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_KERNEL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuResident_Gather.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuResident_Tile.hpp>

#include <cstdint>

/// @file
/// @brief Summed-area tables of images that are on the chip all at once, or in a few waves.
///
/// Each block loads a tile into its registers, publishes the sums over its rows and columns and
/// over the whole, and computes the tile's own table while these travel. Then it asks for the sums
/// over the tiles to the left in its rows, above in its columns, and both above and to the left:
/// the one time that blocks wait for each other. What these add to an entry is a sum for its row
/// and one for its column. The next wave's loads are on their way meanwhile.
///
/// All blocks must be resident (cooperative launch). The order of additions is fixed; nothing is
/// subtracted.

namespace wavescan::Impl {

template <class Tile>
class ResidentBlock {
  using Strip = typename Tile::Strip;
  using V = typename Tile::V;
  using Pixel = typename Strip::Pixel;
  static constexpr int chunk = Strip::chunk;
  static constexpr int most_rows = Tile::most_rows;
  using Rows = V[most_rows][chunk];

 public:
  __device__ ResidentBlock(const ResidentTask<Tile>& task, ResidentShared<Tile>& shared, int block)
      : task_(task),
        shared_(shared),
        block_(block),
        team_(block / task.cut.team_blocks()),
        x_(block % task.cut.team_blocks() % task.cut.across),
        y_(block % task.cut.team_blocks() / task.cut.across) {}

  __device__ void run() {
    const ResidentCut& cut = task_.cut;
    const int tiles = cut.tiles(team_);
    ResidentGatherer<Tile> gatherer(task_, shared_, team_, x_, y_);
    const std::uint32_t before = task_.ring.epoch(block_);
    Place place{team_, 0};
    start_load(place);
    for (int t = 0; t < tiles; ++t) {
      const std::uint32_t tag = before + 1 + static_cast<std::uint32_t>(t);
      const Part part = part_at(place);
      Rows rows;
      take(part, rows);
      publish_rows(t, tag, rows);
      sum_columns(rows);
      if (++place.wave == cut.waves) place = {place.image + cut.teams, 0};
      if (t + 1 < tiles) start_load(place);
      __syncthreads();
      if (t == 0) advance_epoch();
      publish_columns(t, tag);
      __syncthreads();
      scan(rows);
      gatherer.gather_sums(t, tag, part.first, t + 1 == tiles);
      __syncthreads();
      finish(part, rows);
    }
  }

 private:
  /// @brief Moves on the block's epoch, and those of the blocks that the launch does without.
  __device__ void advance_epoch() const {
    const int block = block_ + static_cast<int>(threadIdx.x) * task_.cut.blocks();
    if (block < task_.ring.blocks)
      task_.ring.advance_epoch(block, task_.ring.blocks,
                               static_cast<std::uint32_t>(task_.cut.tiles(0)));
  }

  /// @brief A wave of an image.
  struct Place {
    Index image;
    int wave;
  };
  /// @brief The warp's part of a tile.
  struct Part {
    Index image;
    Index row;
    int rows;
    bool first;  ///< of the image
  };
  __device__ Part part_at(const Place& place) const {
    const int warp_rows = task_.cut.warp_rows;
    const Index row =
        Index((place.wave * task_.cut.down + y_) * Tile::warps + gpu::warp()) * warp_rows;
    const Index rows = task_.cut.rows - row;
    return {place.image, row,
            static_cast<int>(rows < 0           ? 0
                             : rows < warp_rows ? rows
                                                : warp_rows),
            place.wave == 0};
  }
  /// @brief How many of the tile's columns are in the image.
  __device__ int columns() const {
    const Index columns = task_.cut.columns - Index(x_) * Strip::columns;
    return static_cast<int>(columns < Strip::columns ? columns : Strip::columns);
  }
  /// @brief How many of the lane's columns are in the image.
  __device__ int own_columns() const {
    const int own = columns() - gpu::lane() * chunk;
    return own < chunk ? own : chunk;
  }

  __device__ void start_load(const Place& place) const {
    const Part p = part_at(place);
    const auto& image = task_.problem.image;
    const Pixel* from = image.data + p.image * task_.problem.image_stride +
                        p.row * image.row_stride + Index(x_) * Strip::columns + gpu::lane() * chunk;
    const int count = own_columns();
    const bool whole = task_.image_whole && count == chunk;
    if (count > 0) {
#pragma unroll
      for (int i = 0; i < most_rows; ++i)
        if (i < p.rows)
          Strip::start_load(&shared_.next[i][threadIdx.x], from + i * image.row_stride, count,
                            whole);
    }
    gpu::commit_async_copies();
  }

  __device__ void take(const Part& part, Rows& rows) const {
    const int count = own_columns() > 0 ? part.rows : 0;
    gpu::wait_for_async_copies<0>();
#pragma unroll
    for (int i = 0; i < most_rows; ++i) {
      if (i < count) {
        Strip::read(&shared_.next[i][threadIdx.x], rows[i]);
      } else {
#pragma unroll
        for (int e = 0; e < chunk; ++e) rows[i][e] = V(0);
      }
    }
  }

  __device__ gpu::TaggedWord* record(int t) const {
    return task_.ring.record(t, block_, Tile::record_words);
  }

  __device__ void publish_rows(int t, std::uint32_t tag, const Rows& rows) const {
    gpu::TaggedWord* const words =
        record(t) + Tile::rows_at + gpu::warp() * task_.cut.warp_rows * Tile::value_words;
#pragma unroll
    for (int first = 0; first < most_rows; first += 4) {
      if (first >= task_.cut.warp_rows) break;
      V sums[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        sums[i] = rows[first + i][0];
#pragma unroll
        for (int e = 1; e < chunk; ++e) sums[i] += rows[first + i][e];
      }
      const V sum = gpu::warp_sum_of_each(sums);
      const int row = first + gpu::lane() / 8;
      if (gpu::lane() % 8 == 0 && row < task_.cut.warp_rows)
        gpu::Tagged<V>::publish(words + row * Tile::value_words, sum, tag);
    }
  }

  __device__ void sum_columns(const Rows& rows) const {
    V sums[chunk] = {};
#pragma unroll
    for (int i = 0; i < most_rows; ++i)
#pragma unroll
      for (int e = 0; e < chunk; ++e) sums[e] += rows[i][e];
    store_values(&shared_.columns[gpu::warp()][gpu::lane() * chunk], sums);
  }

  /// @brief Publishes the sums over the tile's columns, and leaves those above each warp.
  __device__ void publish_columns(int t, std::uint32_t tag) const {
    const int column = static_cast<int>(threadIdx.x);
    if (column >= Strip::columns) return;
    V sums[Tile::warps];
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) sums[w] = shared_.columns[w][column];
    V sum = V(0);
#pragma unroll
    for (int w = 0; w < Tile::warps; ++w) {
      shared_.columns[w][column] = sum;
      sum += sums[w];
    }
    gpu::TaggedWord* const words = record(t);
    gpu::Tagged<V>::publish(words + Tile::columns_at + column * Tile::value_words, sum, tag);
    const V total = gpu::warp_reduce(sum);
    if (gpu::lane() == 0)
      gpu::Tagged<V>::publish(words + gpu::warp() * Tile::value_words, total, tag);
  }

  /// @brief Turns the pixels into the tile's own table.
  __device__ void scan(Rows& rows) const {
    V above[chunk];
    load_values(above, &shared_.columns[gpu::warp()][gpu::lane() * chunk]);
#pragma unroll
    for (int first = 0; first < most_rows; first += 4) {
      if (first >= task_.cut.warp_rows) break;
      V quad[4][chunk];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int e = 0; e < chunk; ++e) quad[i][e] = rows[first + i][e];
      Strip::scan(quad, above);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int e = 0; e < chunk; ++e) rows[first + i][e] = quad[i][e];
    }
  }

  /// @brief Adds what the others add, and stores the table.
  __device__ void finish(const Part& part, const Rows& rows) const {
    constexpr int warps_of_gatherer = Tile::warps / Tile::row_warps;
    const int lane = gpu::lane();
    const int gatherer = gpu::warp() / warps_of_gatherer;
    V above[chunk];
    load_values(above, &shared_.above[0][lane * chunk]);
#pragma unroll
    for (int k = 1; k < Tile::column_parts; ++k) {
      V others[chunk];
      load_values(others, &shared_.above[k][lane * chunk]);
#pragma unroll
      for (int e = 0; e < chunk; ++e) above[e] += others[e];
    }
    // Sums over the lanes' columns, and those of all rows above and of the corner.
    V sums[2] = {above[0], V(0)};
#pragma unroll
    for (int e = 1; e < chunk; ++e) sums[0] += above[e];
    if (lane < gatherer) sums[1] = shared_.rows[lane];
    if (lane >= 16 && lane < 16 + Tile::corner_warps) sums[1] = shared_.corner[lane - 16];
    gpu::warp_inclusive_scan(sums);
    V before = gpu::shuffle_up(sums[0], 1);
    if (lane == 0) before = V(0);
#pragma unroll
    for (int e = 0; e < chunk; ++e) above[e] = before += above[e];
    V left = gpu::broadcast(sums[1], 31);
    if (lane < most_rows)
      left += shared_.left[gatherer][gpu::warp() % warps_of_gatherer * task_.cut.warp_rows + lane];
    const auto& table = task_.problem.table;
    auto* to = table.data + part.image * task_.problem.table_stride + part.row * table.row_stride +
               Index(x_) * Strip::columns;
    const int count = columns();
#pragma unroll
    for (int i = 0; i < most_rows; ++i) {
      if (i >= part.rows) break;
      const V own = gpu::broadcast(left, i);
      V x[chunk];
#pragma unroll
      for (int e = 0; e < chunk; ++e) x[e] = rows[i][e] + (own + above[e]);
      Strip::store(to, x, count);
      to += table.row_stride;
    }
  }

  const ResidentTask<Tile>& task_;
  ResidentShared<Tile>& shared_;
  int block_;
  int team_;
  int x_;
  int y_;
};

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    resident_tables([[maybe_unused]] const WAVESCAN_GRID_CONSTANT ResidentTask<Tile> task) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  auto& shared = *reinterpret_cast<ResidentShared<Tile>*>(memory);
  ResidentBlock<Tile>(task, shared, static_cast<int>(blockIdx.x)).run();
#endif
}

}  // namespace wavescan::Impl

#endif
