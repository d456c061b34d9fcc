// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_FIGURES_MEASURE_HPP
#define WAVESCAN_PERF_FIGURES_MEASURE_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "Programs.hpp"

/// @file
/// @brief Measures a program on an array, if that does not take too long, and checks its result.

namespace wavescan::Perf {

/// @brief Programs that would take longer are left out, those that take a tenth are measured once.
inline constexpr double patience_seconds = 1;

/// @brief Whether the seconds in the environment variable WAVESCAN_PERF_SECONDS are over, if there
/// is one: by this a run ends in time.
inline bool out_of_time() {
  static const auto start = std::chrono::steady_clock::now();
  static const char* const limit = std::getenv("WAVESCAN_PERF_SECONDS");
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return limit != nullptr && passed.count() > std::atof(limit);
}

/// @brief An array's entries as one number, each with a factor that depends on its place, and how
/// large they are: what rounding errors are compared with.
struct Checksum {
  double sum = 0, size = 0;
  bool operator==(const Checksum& other) const { return std::abs(sum - other.sum) <= 1e-4 * size; }
};

template <class Matrix>
Checksum checksum(const Exec& exec, const Matrix& matrix) {
  using T = typename Matrix::value_type;
  // Sums of integers are exact: modulo 2^64, of which the lower half is kept.
  using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  const T* const values = matrix.data();
  Sum sum = 0;
  double size = 0;
  Kokkos::parallel_reduce(
      "checksum",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(matrix.size())),
      KOKKOS_LAMBDA(std::int64_t k, Sum & s, double& magnitude) {
        const auto value = static_cast<Sum>(values[k]);
        s += value * static_cast<Sum>((k * 0x9E3779B9 >> 28 & 15) + 1);
        if constexpr (!std::is_integral_v<T>) magnitude += value < 0 ? -value : value;
      },
      sum, size);
  if constexpr (std::is_integral_v<T>)
    return {static_cast<double>(sum & 0xFFFFFFFF), 0};
  else
    return {sum, size};
}

/// @brief A result that those of other programs must agree with, and whose it is.
struct Known {
  Checksum checksum;
  std::string program;
};

/// @brief The first result on an array of some size: Auto's, if it is among the programs that
/// run. `found` is taken where there was none.
template <class L>
const Known& first_result(std::int64_t m, std::int64_t n, const Known& found) {
  static std::map<std::pair<std::int64_t, std::int64_t>, Known> known;
  return known.try_emplace({m, n}, found).first->second;
}

/// @brief Median seconds of some calls, of fewer the longer they take.
inline double repeated(const Exec& exec, const Work& work) {
  std::vector<double> samples;
  for (double total = 0; samples.size() < 5 && total < patience_seconds / 20;
       total += samples.back())
    samples.push_back(seconds_of(exec, work));
  return median(samples);
}

/// @brief The seconds that a program will take, from the time of a part whose chain of things that
/// follow each other is short; zero if the whole is not much longer.
template <class L>
double estimate(const Exec& exec, const Program<L>& program, std::int64_t m, std::int64_t n) {
  const bool rows = program.chain == Chain::Rows || m >= n;
  const std::int64_t part = program.chain == Chain::Rows ? 1 << 10 : 1 << 14;
  const std::int64_t times = (rows ? m : n) / part;
  if (times < 16) return 0;
  const Case<Exec, L> on(exec, rows ? part : m, rows ? n : part);
  const Work work = program.start(exec, on);
  seconds_of(exec, work);  // the first launch takes longer
  return seconds_of(exec, work) * static_cast<double>(times);
}

template <class L>
void measure_checked(benchmark::State& state, const Program<L>& program, std::int64_t m,
                     std::int64_t n) {
  const Exec exec;
  if (out_of_time()) return state.SkipWithError("out of time");
  const double expected_seconds = estimate(exec, program, m, n);
  if (expected_seconds > patience_seconds)
    return state.SkipWithError(
        ("would take about " + std::to_string(expected_seconds) + " s").c_str());

  const Case<Exec, L> on(exec, m, n);
  const Known start{checksum(exec, on.array()), "nothing"};
  const Work work = program.start(exec, on);
  double seconds = seconds_of(exec, work);
  const Known result{checksum(exec, on.array()), program.name};
  const Known expected = program.changes_array ? first_result<L>(m, n, result) : start;
  if (result.checksum != expected.checksum)
    return state.SkipWithError(("another result than that of " + expected.program).c_str());
  if (seconds < patience_seconds / 10) seconds = repeated(exec, work);
  while (state.KeepRunning()) state.SetIterationTime(seconds);
  state.SetLabel(work.label);
  using T = Impl::LoopValue<L>;
  const IndexRange& range = on.range();
  report_rate(state, (range.row_end - range.row_begin) * (range.column_end - range.column_begin),
              seconds);
  report_bandwidth(state, exec,
                   (L::reads_old ? 2 : 1) * m * n * static_cast<std::int64_t>(sizeof(T)), seconds);
}

template <class L>
void measure(benchmark::State& state, const Program<L>& program, std::int64_t m, std::int64_t n) {
  try {
    measure_checked(state, program, m, n);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace wavescan::Perf

#endif
