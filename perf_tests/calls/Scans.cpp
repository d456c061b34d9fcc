// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Scan.hpp>
#include <vector>

#include "Calls.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Perf;

void add_scans() {
  add("inclusive_scan<float>", lengths, Loop::Yes, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const Scan<Exec, Plus<float>> plan(exec, 1, n);
    return {[=] { inclusive_scan(exec, x, y); }, [=] { plan.inclusive(x, y); },
            [=] {
              float sum = 0;
              for (Index j = 0; j < n; ++j) y(j) = sum += x(j);
            }};
  });
  add("weighted_scan<float>", lengths, Loop::Yes, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const Scan<Exec, PlusTimes<float>> plan(exec, 1, n);
    return {[=] { weighted_scan(exec, x, 0.5f, y); }, [=] { plan.weighted(x, 0.5f, y); },
            [=] {
              float sum = 0;
              for (Index j = 0; j < n; ++j) y(j) = sum = 0.5f * sum + x(j);
            }};
  });
}

[[maybe_unused]] const bool registered = [] {
  add_scans();
  return true;
}();

}  // namespace
