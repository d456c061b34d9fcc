// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_FiltFilt.hpp>
#include <WaveScan_Filter.hpp>
#include <vector>

#include "Calls.hpp"

namespace filters_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;

void add_filters() {
  const std::vector<double> b{0.2, 0.3, 0.1}, a{1, -0.9, 0.4};
  add("lfilter_order2<float>", lengths, Beside::Both, [=](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = Filter<Exec, float>::direct_form(exec, b, a, 1, n);
    return {[=] { lfilter(exec, b, a, x, y); }, [=] { plan.apply(x, y); },
            [=] {
              float first = 0, second = 0;
              for (Index j = 0; j < n; ++j) {
                const float in = x(j), out = 0.2f * in + first;
                first = 0.3f * in + 0.9f * out + second;
                second = 0.1f * in - 0.4f * out;
                y(j) = out;
              }
            }};
  });
  add("filtfilt_order2<float>", lengths, Beside::Plan, [=](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = ForwardBackwardFilter<Exec, float>::direct_form(exec, b, a, 1, n);
    return {[=] { filtfilt(exec, b, a, x, y); }, [=] { plan.apply(x, y); }, {}};
  });
  const std::vector<FilterSection> sections{{0.2, 0.3, 0.1, 1, -0.9, 0.4},
                                            {1, 0.5, 0.25, 1, -0.6, 0.3}};
  add("sosfiltfilt_2<float>", lengths, Beside::Plan, [=](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = ForwardBackwardFilter<Exec, float>::sections(exec, sections, 1, n);
    return {[=] { sosfiltfilt(exec, sections, x, y); }, [=] { plan.apply(x, y); }, {}};
  });
}

[[maybe_unused]] const bool registered = [] {
  add_filters();
  return true;
}();

}  // namespace
}  // namespace filters_benchmarks
