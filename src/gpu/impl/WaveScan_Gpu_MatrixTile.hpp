// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_MATRIXTILE_HPP
#define WAVESCAN_IMPL_GPU_MATRIXTILE_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

/// @file
/// @brief Products of 8 x 8 matrices and 16 vectors by a warp, in double precision, by tensor cores
/// (CUDA, compute capability 9.0 and newer).
///
/// An operand's column k is entry 2 k of the vectors for k below 4 and entry 2 k - 7 beyond: so a
/// lane's part of the result is its part of the next product's operand, and nothing is shuffled.
/// Rows do not mix, and neither do columns but in the sums: what is not a number makes all eight
/// entries of its row's result none.
///
/// Compiled for older architectures the product does nothing; the host must not launch kernels that
/// use it there.
///
/// Source: NVIDIA, Parallel Thread Execution ISA, "Matrix fragments for mma.m16n8k8".

namespace wavescan::Impl::gpu {

/// @brief Eight entries of 16 vectors, its rows: lane 4 r + c has entries 2 c and 2 c + 1 of rows r
/// and r + 8.
struct RowTile {
  static constexpr int rows = 16;
  double value[2][2] = {};  ///< (row, entry)

  /// @brief The lane's first row, and its first entry.
  __device__ static int row() { return lane() / 4; }
  __device__ static int entry() { return lane() % 4 * 2; }
};

/// @brief An 8 x 8 matrix: lane 4 r + c has entries 2 c and 2 c + 1 of row r.
struct MatrixTile {
  double value[2];

  /// @brief Loads a matrix that lies row by row at a 16-byte boundary.
  __device__ static MatrixTile load(const double (&entries)[64]) {
    const auto v = reinterpret_cast<const double2*>(entries)[lane()];
    return {{v.x, v.y}};
  }
};

/// @brief Adds the product with the matrix to each row of a sum.
__device__ inline void multiply_add(RowTile& sum, const MatrixTile& matrix, const RowTile& rows) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum.value[0][0]), "+d"(sum.value[0][1]), "+d"(sum.value[1][0]), "+d"(sum.value[1][1])
      : "d"(rows.value[0][0]), "d"(rows.value[1][0]), "d"(rows.value[0][1]), "d"(rows.value[1][1]),
        "d"(matrix.value[0]), "d"(matrix.value[1]));
#else
  static_cast<void>(sum), static_cast<void>(matrix), static_cast<void>(rows);
#endif
}

/// @brief Row r - distance in place of row r; zero in the first rows.
/// @param distance 1, 2, 4 or 8
__device__ inline RowTile rows_before(const RowTile& tile, int distance) {
  RowTile before;
  const bool same_half = RowTile::row() >= distance;
  const int from = (lane() + warp_size - 4 * distance) % warp_size;
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    const double low = distance == 8 ? tile.value[0][e] : broadcast(tile.value[0][e], from),
                 high = distance == 8 ? tile.value[1][e] : broadcast(tile.value[1][e], from);
    before.value[0][e] = same_half ? low : 0;
    before.value[1][e] = same_half ? high : low;
  }
  return before;
}

/// @brief One row in place of all.
__device__ inline RowTile broadcast_row(const RowTile& tile, int row) {
  RowTile all;
#pragma unroll
  for (int e = 0; e < 2; ++e)
    all.value[0][e] = all.value[1][e] = broadcast(tile.value[row / 8][e], row % 8 * 4 + lane() % 4);
  return all;
}

}  // namespace wavescan::Impl::gpu

#endif
