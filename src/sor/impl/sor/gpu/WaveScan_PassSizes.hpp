// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PASSSIZES_HPP
#define WAVESCAN_IMPL_SOR_GPU_PASSSIZES_HPP

#include <impl/WaveScan_Gpu_Barrier.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>

#include <cstddef>

/// @file
/// @brief The sizes of a pass: constants of its kernel, with which the host computes, too.

namespace wavescan::Impl::sor {

/// @brief The quantity that a pass adds up besides relaxing.
///
/// Updates are known where they are made. A residual needs the same neighbours as one more sweep:
/// so it comes out of a further sweep that changes nothing, and is as sure as its values are.
enum class Measurement { Nothing, Updates, Residuals };

/// @brief The number of sweeps in a pass if so many of them relax.
constexpr int sweeps_of(int relaxing, Measurement measured) {
  return relaxing + (measured == Measurement::Residuals ? 1 : 0);
}

/// @brief The number of steps that a warp has done. Bands hand on steps by multiples of eight.
///
/// Waits at barriers in shared memory were tried instead: they take hundreds of cycles.
using ProgressFlag = gpu::BlockFlag<gpu::FlagOrder::ReleaseAcquire, 8>;

/// @brief The layout of a right-hand side's rows in memory.
struct RhsRows {
  int class_bits = gpu::max_tile_class_bits;  ///< binary logarithm of the number of their classes
  bool aligned = false;                       ///< no row has a lead

  bool operator==(const RhsRows&) const = default;
};

/// @brief The sizes of a pass of some sweeps of values of so many bytes.
struct PassSizes {
  /// Whether a block has so little shared memory that what saves time elsewhere leaves room for one
  /// band.
  static constexpr bool is_tight = gpu::block_memory < 99 * 1024;

  int value_bytes;
  int sweeps;
  /// Bytes of a tile's row. Copies limit single sweeps, and memory is faster with 256 bytes of a
  /// row at a time; but of floats that would be too many columns for several slots.
  int row_bytes = sweeps == 1 && value_bytes == 8 && !is_tight ? 256 : 128;
  int chunk = row_bytes / value_bytes;
  int x_bytes = Decomposition::band_rows * row_bytes;
  /// A single sweep needs the rows of the right-hand side of which it has results. Several sweeps
  /// need more, and meet in its columns at different steps.
  bool rhs_like_results = sweeps == 1;

  /// Steps between two hand-overs. Many cost less time; few let the next band begin earlier, and
  /// need less shared memory.
  int stride = value_bytes == 8 || is_tight ? 8 : sweeps >= 8 ? 16 : 32;
  /// Steps that a ring keeps of a band's last row. A band runs between stride + 32 and ring + 32 -
  /// 2 stride steps behind the one above: the wider this is, the less do warps wait.
  int ring = value_bytes == 4 && sweeps < 8 && !is_tight ? 128 : 64;
  /// Values of a step of the last row, of sweeps 0 to the last, are loaded and stored together.
  int last_row_alignment = sweeps * value_bytes == 4 ? 8 : 16;
  int last_row_bytes = ((sweeps + 1) * value_bytes + last_row_alignment - 1) & -last_row_alignment;

  /// Warps of a block of threads, whose number of registers allows for so many.
  int all_warps = sweeps * value_bytes > 40 ? 8 : sweeps* value_bytes > 20 ? 12 : 14;
  int max_warps = gpu::mover != gpu::Mover::Bulk ? (all_warps - 2) / 2  // as many that copy
                  : sweeps * value_bytes > 32    ? 4
                                                 : 6;

  constexpr PassSizes(int bytes, int of_pass) : value_bytes(bytes), sweeps(of_pass) {}

  // Kernels call the static ones, with constants.

  /// @brief Rows of the right-hand side above the band, for the later sweeps.
  KOKKOS_FUNCTION static constexpr int rhs_rows_above(int sweeps, int class_bits) {
    return ((sweeps - 1) | ((1 << class_bits) - 1)) + 1;
  }
  KOKKOS_FUNCTION static constexpr int rhs_rows(int sweeps, int class_bits) {
    return Decomposition::band_rows + rhs_rows_above(sweeps, class_bits);
  }
  KOKKOS_FUNCTION static constexpr int rhs_tile_bytes(int sweeps, int class_bits, int pitch) {
    return ((rhs_rows(sweeps, class_bits) >> class_bits) * pitch + 127) & -128;
  }
  /// @brief Warps that copy: one for each band, or a few that take longer.
  KOKKOS_FUNCTION static constexpr int copiers(int all_warps, int warps) {
    const int room = all_warps - 2 - warps;
    return warps < room ? warps : room;
  }

  /// @brief Bytes of a tile's row of the right-hand side: more if rows have leads, and then such
  /// that few lanes meet in a bank.
  int rhs_pitch(const RhsRows& rows) const {
    return row_bytes + (rows.aligned ? 0 : rows.class_bits < gpu::max_tile_class_bits ? 16 : 32);
  }
  int slot_bytes(const RhsRows& rows) const {
    const int bits = rows.class_bits;
    return rhs_like_results ? 2 * x_bytes
                            : x_bytes + (rhs_tile_bytes(sweeps, bits, rhs_pitch(rows)) << bits);
  }
  /// @brief Slots without which a warp would wait for itself.
  int min_slots(const TileSkew& skew) const {
    const int late = skew.run > 0 ? 0 : skew.max_read();
    const int ahead = (skew.ahead() + stride - 1) / stride * stride;  // as PassShape::ahead
    return 1 + (chunk + ahead + skew.behind(sweeps) + sweeps + stride + late) / chunk;
  }
  std::size_t shared_bytes(int warps, int slots, int bytes_of_slot) const {
    return static_cast<std::size_t>(warps * slots) * (bytes_of_slot + 2 * sizeof(gpu::Barrier)) +
           static_cast<std::size_t>((warps + 1) * ring) * last_row_bytes +
           static_cast<std::size_t>(2 * warps + 1) * sizeof(ProgressFlag) + 128;
  }
  /// @brief The threads of a block. Besides the warps that relax and copy there are two that hand
  /// rows on.
  int threads(int warps) const { return 32 * (warps + copiers(all_warps, warps) + 2); }
};

}  // namespace wavescan::Impl::sor

#endif
