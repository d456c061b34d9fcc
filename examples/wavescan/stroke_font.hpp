// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_STROKE_FONT_HPP
#define WAVESCAN_TOOL_STROKE_FONT_HPP

#include <vector>

namespace wavescan_tool {

/// @brief A letter as lines to draw. The baseline is at y = 0, capital letters are 1 high, small
/// ones reach 2/3, y grows upwards; the pen then moves on by `advance`.
struct Glyph {
  struct Vertex {
    double x, y;
  };
  std::vector<std::vector<Vertex>> strokes;
  double advance;
};

/// @brief The glyph of a printable ASCII character; unknown ones are drawn as a box.
Glyph glyph_of(char letter);

}  // namespace wavescan_tool

#endif
