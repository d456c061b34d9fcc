// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_PANELS_HPP
#define WAVESCAN_TOOL_PANELS_HPP

#include <WaveScanIO_Png.hpp>
#include <string>
#include <vector>

#include "canvas.hpp"

namespace wavescan_tool {

struct Panel {
  std::string caption;
  wavescan_io::GrayImage image;
};

/// @brief Images of one size side by side, a caption below each.
Canvas side_by_side(const std::vector<Panel>& panels);

}  // namespace wavescan_tool

#endif
