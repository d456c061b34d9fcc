// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_LOAD_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_LOAD_HPP

#include <impl/WaveScan_SummedAreaTable_Gpu_Block.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief A warp that starts the loads of every `loaders`-th tile.
template <class Tile>
class TableLoader {
  using Shared = TableShared<Tile>;

 public:
  __device__ TableLoader(const TableBlock<Tile>& block, int first)
      : block_(block), first_(first), policy_(gpu::stream_policy()) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::loaders) {
      if (t >= Shared::stages) block_.wait_scanned(t - Shared::stages);
      load(t);
    }
  }

 private:
  /// As many pixels fill 16-byte words.
  static constexpr int whole_words = 16 / static_cast<int>(sizeof(typename Tile::Pixel));

  __device__ static int clamp(Index n, int most) {
    return static_cast<int>(n < 0 ? 0 : n > most ? most : n);
  }

  __device__ void load(int t) const {
    const TableTask<Tile>& task = block_.task;
    const TableWaves& waves = task.waves;
    const auto& image = task.problem.image;
    const int nth = t / waves.waves;
    const int wave = t - nth * waves.waves;
    const Index n = block_.team + Index(nth) * waves.teams;
    const Index row =
        Index(waves.rightwards ? block_.y : wave * waves.down + block_.y) * Tile::rows;
    const Index column =
        Index(waves.rightwards ? wave * waves.across + block_.x : block_.x) * waves.strip;
    const int rows = clamp(waves.rows - row, Tile::rows);
    const int columns = clamp(waves.columns - column, waves.strip);
    const auto* const first =
        image.data + n * task.problem.image_stride + row * image.row_stride + column;
    if (gpu::lane() == 0) {
      TileInfo& info = block_.shared.info[t % Shared::stages];
      info.table = n * task.problem.table_stride + row * task.problem.table.row_stride + column;
      if constexpr (Shared::two)
        info.squares =
            n * task.problem.squares_stride + row * task.problem.squares.row_stride + column;
      info.rows = rows;
      info.columns = columns;
      info.shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) & 15);
      info.plain_pixels = task.image_aligned && rows == Tile::rows && columns % whole_words == 0 &&
                          (columns == Tile::columns || block_.padded());
      info.plain_tables = info.plain_pixels && task.tables_aligned;
      info.first = wave == 0;
    }
    gpu::Barrier& arrived = block_.shared.arrived[t % Shared::stages];
    std::uint32_t bytes = 0;
    if (columns > 0)
      for (int r = gpu::lane(); r < rows; r += 32)
        bytes += load_row(first + r * image.row_stride, columns, task.image_end,
                          block_.stage(t) + r * Tile::row_bytes, arrived, policy_);
    arrived.arrive_expecting(bytes);
  }

  const TableBlock<Tile>& block_;
  int first_;
  std::uint64_t policy_;
};

}  // namespace wavescan::Impl

#endif
