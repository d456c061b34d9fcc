// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_FIGURES_WORK_HPP
#define WAVESCAN_PERF_FIGURES_WORK_HPP

#include <baselines/WaveScanPerf_Problems.hpp>
#include <functional>
#include <string>
#include <support/WaveScanPerf_Stopwatch.hpp>

/// @file
/// @brief The interface that all programs have.

namespace wavescan::Perf {

using Exec = Kokkos::DefaultExecutionSpace;

/// @brief What a program does on the array of a case. Only `run` is timed.
struct Work {
  std::function<void()> run;
  std::function<void()> before = [] {};
  std::function<void()> after = [] {};
  std::string label{};
};

/// @brief Seconds of one call.
inline double seconds_of(const Exec& exec, const Work& work) {
  Stopwatch<Exec> stopwatch(exec);
  work.before();
  exec.fence();
  stopwatch.start();
  work.run();
  const double seconds = stopwatch.stop();
  work.after();
  return seconds;
}

/// @brief What a program does one after the other, and what its time is proportional to where that
/// is many: rows, or whatever there is more of.
enum class Chain { Rows, LongerAxis };

/// @brief A program for arrays of any size.
template <class L>
struct Program {
  std::string name;
  Chain chain;
  std::function<Work(const Exec&, const Case<Exec, L>&)> start;
  bool changes_array = true;
};

}  // namespace wavescan::Perf

#endif
