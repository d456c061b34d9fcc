// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_DAMAGE_HPP
#define WAVESCAN_TOOL_DAMAGE_HPP

#include <WaveScanIO_Png.hpp>
#include <cstddef>

namespace wavescan_tool {

/// @brief A mask of damage to a photograph: writing, scratches and blots, white where the picture
/// is lost. The same for the same size, everywhere.
wavescan_io::GrayImage damage_mask(std::size_t rows, std::size_t columns);

}  // namespace wavescan_tool

#endif
