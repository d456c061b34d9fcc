// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_CHOICE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_CHOICE_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips_Choice.hpp>

#include <algorithm>

/// @file
/// @brief Which kernel suits images of a size, where their rows are aligned as it wants them.

namespace wavescan::Impl {

/// @brief Whether the kernel for tall images is the way: there must be a few waves of tiles, or no
/// other way to keep all blocks busy. Where rows are longer, other kernels are faster.
template <class Pixel, class T>
bool tall_table_pays(Index rows, Index columns, int blocks) {
  const Index bytes = rows * columns * Index(sizeof(T));
  return columns <= (sizeof(Pixel) == sizeof(T) ? 512 : 256) &&
         ((rows >= 8 * columns && bytes >= Index(blocks) << 17) ||
          (rows >= 64 * columns && bytes >= Index(blocks) << 15));
}

/// @brief Whether strips have work for most blocks, and images are so large that what strips wait
/// for at the beginning and at the end is little.
template <class Pixel, class T, bool Squared = false>
bool strips_keep_busy(Index rows, Index columns, int blocks) {
  return rows * columns >= Index(1) << 22 &&
         StripsChoice<Pixel, T, Squared>(rows, columns, blocks).keeps_busy(blocks);
}

/// @brief Whether strips are the way.
template <class Pixel, class T>
bool strips_pay(Index rows, Index columns, Index images, int blocks) {
  // Strips go through one image after the other, tiles through all of them at once.
  if (images > 1 && rows * columns < Index(1) << 23) return false;
  // Bytes come and go so fast that smaller images are done before strips are in step.
  return (sizeof(Pixel) > 1 || rows * columns >= Index(5) << 22) &&
         strips_keep_busy<Pixel, T>(rows, columns, blocks);
}

/// @brief Columns of the tiles that suit images of this size best, or 0 if none do.
///
/// The wider the tiles, the fewer blocks ask each other for the sums over their rows, and the more
/// for those over their columns. Many small images need neither.
template <class T>
int best_tile_columns(Index rows, Index columns, Index images) {
  // Little more than a line: most of a tile would be empty.
  if (images == 1 && std::min(rows, columns) < 8) return 0;
  if (columns <= 64) return 64;
  if (images >= 8) return columns <= 1024 ? 64 : 256;
  return columns <= (sizeof(T) == 8 ? 8192 : 6144) ? 128 : columns <= 24576 ? 256 : 512;
}

}  // namespace wavescan::Impl

#endif
