// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "panels.hpp"

namespace wavescan_tool {

Canvas side_by_side(const std::vector<Panel>& panels) {
  constexpr std::size_t gap = 12, caption_rows = 36;
  const std::size_t rows = panels.at(0).image.rows, columns = panels[0].image.columns;
  Canvas canvas(rows + caption_rows, panels.size() * (columns + gap) - gap);
  double x = 0;
  for (const auto& panel : panels) {
    canvas.image({x, 0}, panel.image);
    canvas.text({x + static_cast<double>(columns) / 2, static_cast<double>(rows) + 24},
                panel.caption, 13, black, Anchor::Middle);
    x += static_cast<double>(columns + gap);
  }
  return canvas;
}

}  // namespace wavescan_tool
