// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_WALK_KERNEL_HPP
#define WAVESCAN_IMPL_SAT_GPU_WALK_KERNEL_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_RowParts.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Sums.hpp>
#include <impl/sat/gpu/WaveScan_Walk_Decomposition.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Summed-area tables of many images: a block, or a few side by side, for each walk down the
/// image, with the sums over its columns in registers.
///
/// Each warp has a strip of columns, or some rows of it: warps of a strip, a group, take turns in a
/// band of rows. Sums over columns take in all that is above, and so do a row's sums over strips:
/// what a warp adds to its rows are the sums over the strips to its left, which the warps tell each
/// other in shared memory, once for each band. So they do with the sums over the columns of their
/// rows. Images have nothing to do with each other. The order of additions is fixed; nothing is
/// subtracted.

namespace wavescan::Impl::sat {

/// @brief The kernel's arguments.
template <class Tile>
struct WalkTask {
  ProblemOf<Tile> problem;
  Walk walk;
  std::uintptr_t image_end;  ///< of the last image
};

template <class TileType>
class TableWalk {
  using Tile = TileType;
  using V = typename Tile::V;
  using T = typename Tile::T;
  using Pixel = typename Tile::Pixel;
  static constexpr int chunk = Tile::chunk;
  static constexpr int warp_rows = Tile::rows;
  static constexpr int chunk_bytes = Tile::chunk_bytes;
  using Chunk = SumChunk<V>;
  using Rows = Chunk[warp_rows];
  static_assert(sizeof(gpu::Barrier) == Walk::barrier_bytes);

 public:
  using Parameters = WalkTask<Tile>;
  static constexpr int block_threads = 32 * Tile::max_warps;
  static constexpr int memory_alignment = 16;

  __device__ TableWalk(const WalkTask<Tile>& task, char* memory)
      : blocks_(gpu::cluster_size()),
        rank_(gpu::cluster_rank()),
        bands_(task.walk.bands),
        strips_(task.walk.strips),
        group_(task.walk.group),
        strip_(gpu::warp() / group_),
        member_(gpu::warp() % group_),
        loads_left_(static_cast<int>(task.problem.image.rows) - member_ * warp_rows),
        stores_left_(loads_left_),
        image_pitch_(task.problem.image.row_stride),
        table_pitch_(task.problem.table.row_stride),
        image_end_(task.image_end) {
    const Walk::Memory<Tile> layout(task.walk);
    pixels_ = memory + gpu::warp() * Tile::row_bytes;
    columns_ = reinterpret_cast<V*>(memory + layout.columns);
    own_ = reinterpret_cast<V*>(memory + layout.own);
    others_ = reinterpret_cast<V*>(memory + layout.others);
    arrived_ = reinterpret_cast<gpu::Barrier*>(memory + layout.barriers);
    const Index image = static_cast<Index>(blockIdx.x / static_cast<unsigned>(blocks_));
    const Index column = Index(rank_ * strips_ + strip_) * Tile::columns;
    const Index columns = task.problem.image.columns - column;
    width_ = static_cast<int>(columns < 0 ? 0 : columns < Tile::columns ? columns : Tile::columns);
    if (width_ == 0 || (Tile::whole && gpu::lane() * chunk >= width_)) loads_left_ = 0;
    from_ = task.problem.image.data + image * task.problem.image_stride +
            member_ * warp_rows * image_pitch_ + column + gpu::lane() * chunk;
    to_ = task.problem.table.data + image * task.problem.table_stride +
          member_ * warp_rows * table_pitch_ + column;
    shift_ = shift_of(from_);
  }

  __device__ void run() {
#pragma unroll 1
    for (int slot = 0; slot < Tile::loads; ++slot) start_load(slot);
    if (blocks_ > 1) prepare_barriers();
    Chunk above;
    Rows next;
    take(0, next);
    __syncthreads();
#pragma unroll 1
    for (int b = 0; b < bands_; ++b) {
      Rows x;
#pragma unroll
      for (int i = 0; i < warp_rows; ++i) x[i] = next[i];
      scan(b, x, above);
      publish(b, x);
      // The next band's sums over columns share the wait for the others with this one's over rows.
      if (b + 1 < bands_) take(b + 1, next);
      __syncthreads();
      if (rank_ > 0) arrived_[b].wait(0);
      add_and_store(b, x);
    }
  }

 private:
  /// @brief Initializes the barriers: each band's sums come from all strips of the blocks to the
  /// left.
  __device__ void prepare_barriers() const {
    const auto for_own = [&](const auto& use) {
      for (int b = static_cast<int>(threadIdx.x); b < bands_; b += static_cast<int>(blockDim.x))
        use(arrived_[b]);
    };
    for_own([](gpu::Barrier& barrier) { barrier.init(1); });
    gpu::publish_barriers();
    __syncthreads();
    const auto bytes = static_cast<std::uint32_t>(rank_ * strips_ * band_rows()) *
                       static_cast<std::uint32_t>(sizeof(V));
    for_own([=](gpu::Barrier& barrier) { barrier.arrive_expecting(bytes); });
    gpu::sync_cluster();
  }

  __device__ int band_rows() const { return group_ * warp_rows; }
  /// @brief A row of the warp's in one of the bands that are on their way.
  __device__ char* row_of(int slot, int row) const {
    return pixels_ + (slot * warp_rows + row) * gpu::warps() * Tile::row_bytes;
  }
  /// @brief Bytes from where a chunk's word begins to its first pixel.
  __device__ static int shift_of(const Pixel* chunk) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(chunk) % unsigned(chunk_bytes));
  }

  /// @brief Starts to copy a word with pixels of the image.
  __device__ void copy_word(char* to, const char* word) const {
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(word) + chunk_bytes;
    if (end <= image_end_)
      gpu::copy_own<chunk_bytes>(to, word);
    else
      for (std::uintptr_t e = 0; e < image_end_ + chunk_bytes - end; e += sizeof(Pixel))
        *reinterpret_cast<Pixel*>(to + e) = *reinterpret_cast<const Pixel*>(word + e);
  }
  /// @brief Starts to copy the lane's chunk of a row, to where no other lane reads it; or, where
  /// chunks may begin anywhere, the word in which it begins, and the last lane's next one.
  __device__ void copy_chunk(char* row, const Pixel* from) const {
    char* const to = row + gpu::lane() * chunk_bytes;
    if constexpr (Tile::whole) {
      gpu::copy_own<chunk_bytes>(to, from);
    } else {
      const int shift = shift_of(from);
      const char* const word = reinterpret_cast<const char*>(from) - shift;
      const int wanted = (width_ - gpu::lane() * chunk) * static_cast<int>(sizeof(Pixel)) + shift;
      if (wanted > 0) copy_word(to, word);
      if (gpu::lane() == 31 && wanted > chunk_bytes)
        copy_word(to + chunk_bytes, word + chunk_bytes);
    }
  }
  /// @brief The terms of the lane's pixels in a row.
  __device__ Chunk terms_of(const char* row, int shift) const {
    if constexpr (Tile::whole) {
      return load_terms<Tile>(reinterpret_cast<const Pixel*>(row + gpu::lane() * chunk_bytes));
    } else {
      Pixel pixels[chunk];
      gpu::read_chunk<false>(row, shift, pixels);
      return terms<Tile>(pixels);
    }
  }

  /// @brief Starts to load the next band, which lies beyond the image in the end: what is there of
  /// pixels then only gets into entries that are not stored.
  __device__ void start_load(int slot) {
    const Pixel* from = from_;
#pragma unroll
    for (int i = 0; i < warp_rows; ++i) {
      if (i < loads_left_) copy_chunk(row_of(slot, i), from);
      from += image_pitch_;
    }
    from_ += band_rows() * image_pitch_;
    loads_left_ -= band_rows();
    gpu::commit_async_copies();
  }

  /// @brief Takes a band's pixels, and tells the other warps of the group their sums over columns.
  __device__ void take(int band, Rows& x) {
    gpu::wait_for_async_copies<Tile::loads - 1>();
    const int slot = band % Tile::loads;
    if constexpr (!Tile::whole) gpu::sync_warp();
    const int to_next = static_cast<int>(image_pitch_ & (chunk_bytes - 1)) * int(sizeof(Pixel));
#pragma unroll
    for (int i = 0; i < warp_rows; ++i)
      x[i] = terms_of(row_of(slot, i), (shift_ + i * to_next) & (chunk_bytes - 1));
    shift_ = (shift_ + band_rows() * to_next) & (chunk_bytes - 1);
    if constexpr (!Tile::whole) gpu::sync_warp();
    start_load(slot);
    Chunk sums;
#pragma unroll
    for (int i = 0; i < warp_rows; ++i) sums += x[i];
    sums.store(columns_of(band, member_));
  }
  /// @brief The lane's sums over the rows of a warp of the group.
  __device__ V* columns_of(int band, int member) const {
    return columns_ + ((band % 2 * strips_ + strip_) * group_ + member) * Tile::columns +
           gpu::lane() * chunk;
  }

  /// @brief Turns pixels into tables of the strip.
  /// @param above sums over the columns above the band; with those of the band afterwards
  __device__ void scan(int band, Rows& x, Chunk& above) const {
    Chunk columns = above;
#pragma unroll 1
    for (int m = 0; m < group_; ++m) {
      if (m == member_) columns = above;
      above += Chunk::load(columns_of(band, m));
    }
    scan_rows_of_warp<warp_rows>(x, columns);
  }

  __device__ V* own_sums(int band) const { return own_ + band % 2 * strips_ * band_rows(); }
  /// @brief The sums over the strips of all blocks but the last.
  __device__ V* others_sums(int band) const {
    return others_ + band * (blocks_ - 1) * strips_ * band_rows();
  }

  /// @brief Tells the strip's sums to the own block and those to the right.
  __device__ void publish(int band, const Rows& x) const {
    if (gpu::lane() < 31) return;
    constexpr int at_once = Chunk::count;
    const int first_row = member_ * warp_rows;
    V* const own = own_sums(band) + strip_ * band_rows() + first_row;
    V* const there = others_sums(band) + (rank_ * strips_ + strip_) * band_rows() + first_row;
#pragma unroll
    for (int first = 0; first < warp_rows; first += at_once) {
      V sums[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) sums[i] = x[first + i].value[chunk - 1];
      gpu::store_values(own + first, sums);
#pragma unroll 1
      for (int rank = rank_ + 1; rank < blocks_; ++rank)
        gpu::send(rank, there + first, sums, arrived_ + band);
    }
  }

  /// @brief Adds up the sums over strips for the warp's row of the lane's number, in parts.
  __device__ V sum_of_strips(const V* sums, int strips) const {
    V sum = V(0);
#pragma unroll 1
    for (int s = gpu::lane() / warp_rows; s < strips; s += 32 / warp_rows)
      sum += sums[s * band_rows() + member_ * warp_rows + gpu::lane() % warp_rows];
    return sum;
  }

  __device__ void add_and_store(int band, const Rows& x) {
    V left = sum_of_strips(own_sums(band), strip_);
    if (rank_ > 0) left += sum_of_strips(others_sums(band), rank_ * strips_);
    left = gpu::warp_reduce<gpu::warp_size, warp_rows>(left);
    T* to = to_;
#pragma unroll
    for (int i = 0; i < warp_rows; ++i) {
      Chunk entries = x[i];
      T y[chunk];
      (entries += gpu::broadcast(left, i)).convert(y);
      if (i < stores_left_) {
        if constexpr (Tile::whole)
          gpu::store_aligned(to, y, width_);
        else
          gpu::store_chunk(to, y, width_);
      }
      to += table_pitch_;
    }
    to_ += band_rows() * table_pitch_;
    stores_left_ -= band_rows();
  }

  int blocks_;
  int rank_;
  int bands_;
  int strips_;
  int group_;
  int strip_;
  int member_;  ///< of the group
  int width_;   ///< of the strip
  int shift_;   ///< of the lane's chunk in the band's first row
  int loads_left_;
  int stores_left_;
  Index image_pitch_;
  Index table_pitch_;
  std::uintptr_t image_end_;
  char* pixels_;  ///< the warp's
  V* columns_;
  V* own_;
  V* others_;
  gpu::Barrier* arrived_;
  const Pixel* from_;
  T* to_;
};

/// @brief Tables of many images. There is no workspace.
/// @param whole rows consist of whole chunks
template <class Types>
void launch_walk(const gpu::Device& exec, const ProblemOf<Types>& p, const Walk& walk, bool whole) {
  const auto launch = [&]<class Tile>(Tile) {
    gpu::launch_blocks<TableWalk<Tile>>(
        {exec, "WaveScan::summed_area_table::walk", false, static_cast<int>(walk.blocks)},
        p.images * walk.blocks, 32 * walk.warps(),
        static_cast<std::size_t>(Walk::Memory<Tile>(walk).bytes),
        {p, walk, reinterpret_cast<std::uintptr_t>(p.end_of_images())});
  };
  if (whole)
    launch(WalkTile<Types, true>());
  else
    launch(WalkTile<Types, false>());
}

}  // namespace wavescan::Impl::sat

#endif
