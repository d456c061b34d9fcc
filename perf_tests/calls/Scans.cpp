// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Scan.hpp>
#include <string>

#include "Calls.hpp"

namespace scans_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;

/// @param loop loop(x, y, n) scans the lines of squares
template <class Loop>
void add_lines(const std::string& operation, int axis, const Loop& loop) {
  add(operation, sides, Beside::Both, [=](const Exec& exec, Index n) -> Calls {
    const auto x = square<float>(exec, n), y = square<float>(exec, n);
    const auto plan = Scan<Exec, Plus<float>>::like(exec, x, {}, axis);
    const auto options = ScanOptions().axis(axis);
    return {[=] { inclusive_scan(exec, x, y, options); }, [=] { plan.inclusive(x, y, options); },
            [=] { loop(x, y, n); }};
  });
}

void add_scans() {
  add("inclusive_scan<float>", lengths, Beside::Both, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const Scan<Exec, Plus<float>> plan(exec, 1, n);
    return {[=] { inclusive_scan(exec, x, y); }, [=] { plan.inclusive(x, y); },
            [=] {
              float sum = 0;
              for (Index j = 0; j < n; ++j) y(j) = sum += x(j);
            }};
  });
  add("weighted_scan<float>", lengths, Beside::Both, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const Scan<Exec, PlusTimes<float>> plan(exec, 1, n);
    return {[=] { weighted_scan(exec, x, 0.5f, y); }, [=] { plan.weighted(x, 0.5f, y); },
            [=] {
              float sum = 0;
              for (Index j = 0; j < n; ++j) y(j) = sum = 0.5f * sum + x(j);
            }};
  });
  add_lines("inclusive_scan_of_rows<float>", 1, [](const auto& x, const auto& y, Index n) {
    for (Index i = 0; i < n; ++i) {
      float sum = 0;
      for (Index j = 0; j < n; ++j) y(i, j) = sum += x(i, j);
    }
  });
  add_lines("inclusive_scan_of_columns<float>", 0, [](const auto& x, const auto& y, Index n) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) y(i, j) = i == 0 ? x(i, j) : y(i - 1, j) + x(i, j);
  });
}

[[maybe_unused]] const bool registered = [] {
  add_scans();
  return true;
}();

}  // namespace
}  // namespace scans_benchmarks
