// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_WAVEFRONTSIZES_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_WAVEFRONTSIZES_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstddef>

/// @file
/// @brief The sizes that the GPU kernels of wavefronts are compiled for, as data: one line for each
/// size of values. Measured on an H200.

namespace wavescan::Impl {

struct SkewedSizes {
  std::size_t value_bytes;  ///< values up to this size
  int rows;                 ///< of a lane
  int chunk;                ///< columns that are moved at once
  int chunks;               ///< that a band has room for in shared memory
  int bands;                ///< at most, that a block computes at a time
  int from = 0;             ///< for arrays that have more rows than so many times their columns
};
/// All devices have room for these, in 48 KiB of shared memory.
inline constexpr SkewedSizes skewed_sizes[] = {
    {4, 2, 32, 4, 6},
    {8, 1, 16, 8, 6},
    {16, 1, 8, 8, 6},
};
/// Higher bands, where the device has room: the steps from one band to the next are most of the
/// time on tall arrays, and for values of 8 bytes on all.
inline constexpr SkewedSizes high_skewed_sizes[] = {
    {4, 4, 32, 4, 3, 2},
    {8, 2, 16, 8, 3, 0},
};
inline constexpr std::size_t largest_in_high_bands = 8;
/// Loops that ask for the upper right neighbour: lanes are two columns behind each other, so that
/// an entry is twice as long in shared memory.
inline constexpr SkewedSizes up_right_skewed_sizes[] = {
    {4, 1, 32, 8, 6},
    {8, 1, 16, 8, 6},
};

struct CompensatedSizes {
  std::size_t value_bytes;
  int columns;  ///< of a lane
  int ahead;    ///< rows by which old values are fetched ahead
  int batch;    ///< rows for which the left neighbours are received at once
  int warps;    ///< at most, on a multiprocessor
};
/// With one column of 4 bytes a lane squares of SOR take 0.87 to 0.97 of the time, those of other
/// loops up to 1.3 times as long, and 16 rows of 2^20 columns 3.4 to 4 times.
inline constexpr CompensatedSizes compensated_sizes[] = {
    {4, 4, 8, 8, 16},
    {8, 2, 8, 8, 16},
    {16, 1, 8, 8, 16},
};

struct RowSizes {
  std::size_t value_bytes;
  int columns;  ///< of a thread
  int warps;    ///< of a block
  int ahead;    ///< rows by which old values are fetched ahead
  int blocks;   ///< at most, on a multiprocessor
};
inline constexpr RowSizes row_sizes[] = {
    {4, 4, 512 / gpu::warp_size, 4, 4},
    {8, 2, 512 / gpu::warp_size, 4, 4},
    {16, 1, 512 / gpu::warp_size, 4, 4},
};

/// @brief The largest values that the GPU kernels compute; others take the portable way.
template <bool UpRight>
inline constexpr std::size_t largest_gpu_value = UpRight ? 8 : 16;

/// @brief The line of a table for values of some size, as a type.
template <const auto& Table, std::size_t ValueBytes>
struct SizesFor {
  static constexpr auto value = [] {
    for (const auto& sizes : Table)
      if (ValueBytes <= sizes.value_bytes) return sizes;
    return Table[0];
  }();
};

}  // namespace wavescan::Impl

#endif
