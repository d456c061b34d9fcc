// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

// Products of matrices and rows on tensor cores, against loops, with whole numbers, so that sums
// are exact in any order.

#if defined(KOKKOS_ENABLE_CUDA)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_MatrixTile.hpp>

#include <cstddef>
#include <random>
#include <vector>

#include "GpuValues.hpp"

namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

/// @brief 16 rows of eight numbers as warps hold them.
struct RowArray {
  double value[16][8];
  __device__ gpu::RowTile load() const {
    gpu::RowTile tile;
    for (int half = 0; half < 2; ++half)
      for (int e = 0; e < 2; ++e)
        tile.value[half][e] = value[gpu::RowTile::row() + 8 * half][gpu::RowTile::entry() + e];
    return tile;
  }
  __device__ void store(const gpu::RowTile& tile) {
    for (int half = 0; half < 2; ++half)
      for (int e = 0; e < 2; ++e)
        value[gpu::RowTile::row() + 8 * half][gpu::RowTile::entry() + e] = tile.value[half][e];
  }
};
struct TileEntries {
  alignas(16) double entry[64];
};
struct TileResults {
  RowArray product, square, before[4], all;
};

__global__ void multiply_tiles(const RowArray* rows, const RowArray* added,
                               const TileEntries* matrix, TileResults* out) {
  const gpu::MatrixTile m = gpu::MatrixTile::load(matrix->entry);
  const gpu::RowTile tile = rows->load();
  gpu::RowTile sum = added->load(), square;
  gpu::multiply_add(sum, m, tile);
  out->product.store(sum);
  gpu::multiply_add(square, m, sum);  // a result as an operand
  out->square.store(square);
  for (int j = 0; j < 4; ++j) out->before[j].store(gpu::rows_before(tile, 1 << j));
  out->all.store(gpu::broadcast_row(tile, 13));
}

TEST(GpuMatrixTile, MultipliesRows) {
  const gpu::Device exec{};
  if (!gpu::has_double_tensor_cores(exec)) GTEST_SKIP() << "no tensor cores for double precision";
  std::mt19937_64 random(1);
  std::vector<RowArray> rows(2);
  std::vector<TileEntries> matrix(1);
  const auto number = [&] { return static_cast<double>(random() % 2001) - 1000; };
  for (auto& r : rows)
    for (auto& row : r.value)
      for (double& v : row) v = number();
  for (double& v : matrix[0].entry) v = number();
  const DeviceArray<RowArray> in(rows);
  const DeviceArray<TileEntries> m(matrix);
  const DeviceArray<TileResults> out(std::vector<TileResults>(1));
  gpu::launch({exec, "matrix_tile_test", false}, multiply_tiles, 1, gpu::warp_size, 0,
              static_cast<const RowArray*>(in.data()), static_cast<const RowArray*>(in.data() + 1),
              static_cast<const TileEntries*>(m.data()), out.data());
  const TileResults found = out.values()[0];
  double product[16][8];
  for (int r = 0; r < 16; ++r)
    for (int i = 0; i < 8; ++i) {
      product[r][i] = rows[1].value[r][i];
      for (int j = 0; j < 8; ++j) product[r][i] += matrix[0].entry[8 * i + j] * rows[0].value[r][j];
      EXPECT_EQ(found.product.value[r][i], product[r][i]) << "row " << r << ", entry " << i;
    }
  for (int r = 0; r < 16; ++r)
    for (int i = 0; i < 8; ++i) {
      double square = 0;
      for (int j = 0; j < 8; ++j) square += matrix[0].entry[8 * i + j] * product[r][j];
      EXPECT_EQ(found.square.value[r][i], square) << "row " << r << ", entry " << i;
      for (int j = 0; j < 4; ++j)
        EXPECT_EQ(found.before[j].value[r][i], r < 1 << j ? 0 : rows[0].value[r - (1 << j)][i])
            << "row " << r << " from " << (1 << j) << " before";
      EXPECT_EQ(found.all.value[r][i], rows[0].value[13][i]);
    }
}

}  // namespace

#endif
