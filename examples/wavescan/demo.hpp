// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_DEMO_HPP
#define WAVESCAN_TOOL_DEMO_HPP

#include <Kokkos_Core.hpp>
#include <WaveScanIO_File.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "session.hpp"

namespace wavescan_tool {

/// @brief How long a step took with the plain loop on one core and with WaveScan.
struct DemoTiming {
  std::string step;
  double plain, wavescan;
};

/// @brief What the parts of the demo share.
struct Demo {
  Session& session;
  std::filesystem::path output, data;
  std::vector<DemoTiming> timings{};

  wavescan_io::OutputFile file(const std::string& name) const {
    return wavescan_io::OutputFile(output / name);
  }
  void heading(const std::string& text) const { session.say("\n" + text); }

  /// @throws std::runtime_error if WaveScan and the plain loop do not agree
  void require_agreement(bool agree, const std::string& step) const {
    if (!agree) throw std::runtime_error(step + ": the result differs from that of the plain loop");
  }
};

// One part each, in the file demo_<name>.cpp. Results go to demo.session.result["<name>"].
void demo_restoration(Demo& demo);
void demo_threshold(Demo& demo);
void demo_dithering(Demo& demo);
void demo_histograms(Demo& demo);
void demo_poisson(Demo& demo);
void demo_alignment(Demo& demo);

/// @brief Seconds that `work` takes: the best of several runs, for as long as that is quick.
template <class Work>
double best_time(const Work& work) {
  using clock = std::chrono::steady_clock;
  constexpr double enough = 0.5;
  constexpr int most_runs = 50;
  double best = 0, total = 0;
  for (int run = 0; run < most_runs && total < enough; ++run) {
    Kokkos::fence("wavescan demo: before timing");
    const auto start = clock::now();
    work();
    Kokkos::fence("wavescan demo: after timing");
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    best = run == 0 ? seconds : std::min(best, seconds);
    total += seconds;
  }
  return best;
}

}  // namespace wavescan_tool

#endif
