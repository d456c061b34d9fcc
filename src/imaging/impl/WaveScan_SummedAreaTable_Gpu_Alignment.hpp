// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_ALIGNMENT_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_ALIGNMENT_HPP

#include <WaveScan_Grid.hpp>

#include <cstdint>

/// @file
/// @brief Where images begin in memory, and their rows.

namespace wavescan::Impl {

/// @brief Whether all of `count` images, `stride` elements apart, begin at multiples of so many
/// bytes.
template <int Bytes, class E>
bool images_begin_at(const E* first, Index count, Index stride) {
  return reinterpret_cast<std::uintptr_t>(first) % Bytes == 0 &&
         (count == 1 || stride * Index(sizeof(E)) % Bytes == 0);
}

/// @brief Whether all rows of the images do.
template <int Bytes, class E>
bool rows_begin_at(const Grid<E>& grid, Index images, Index stride) {
  return images_begin_at<Bytes>(grid.data, images, stride) &&
         (grid.rows == 1 || grid.row_stride * Index(sizeof(E)) % Bytes == 0);
}

}  // namespace wavescan::Impl

#endif
