// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_PROGRESS_HPP
#define WAVESCAN_TOOL_PROGRESS_HPP

#include <chrono>
#include <string>

namespace wavescan_tool {

/// @brief Shows on standard error how far a long computation is, by a bar, if that is a terminal.
class Progress {
 public:
  explicit Progress(std::string title);
  /// @brief Removes the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// @param fraction of the work that is done, 0 to 1
  /// @param note     what else there is to say, "residual 1e-3"
  void update(double fraction, const std::string& note = "");

 private:
  using clock = std::chrono::steady_clock;

  std::string title_;
  bool is_terminal_;
  clock::time_point next_;
};

}  // namespace wavescan_tool

#endif
