// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_ALIGNMENT_PLOT_HPP
#define WAVESCAN_TOOL_ALIGNMENT_PLOT_HPP

#include <WaveScan_Alignment.hpp>
#include <string>

#include "canvas.hpp"

namespace wavescan_tool {

/// @brief A dot plot of two sequences, `b` to the right and `a` downwards: a dot where a word of
/// letters is in both, and the path of their alignment.
Canvas alignment_plot(const std::string& a, const std::string& b,
                      const wavescan::Alignment& alignment);

}  // namespace wavescan_tool

#endif
