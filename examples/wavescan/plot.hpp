// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_PLOT_HPP
#define WAVESCAN_TOOL_PLOT_HPP

#include <string>
#include <vector>

#include "canvas.hpp"

namespace wavescan_tool {

/// @brief Values to plot; x and y in units of the data.
struct Series {
  std::string name;
  Color color;
  std::vector<Point> points;
};

struct PlotStyle {
  std::string title, x_label, y_label;
  bool logarithmic_y = false;  ///< values that are not positive are left out
  bool bars = false;           ///< fill the area below each series, drawn as steps
};

/// @brief Colours that are told apart on white and on gray photographs.
inline constexpr Color series_colors[] = {{31, 90, 166},  {214, 84, 20},  {30, 140, 80},
                                          {150, 60, 160}, {190, 150, 20}, {90, 90, 90}};

/// @brief Draws a plot with axes, numbers and, for more than one series, a legend.
void draw_plot(Canvas& canvas, Point top_left, Point bottom_right, const PlotStyle& style,
               const std::vector<Series>& series);

}  // namespace wavescan_tool

#endif
