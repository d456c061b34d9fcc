// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <vector>

#include "Calls.hpp"

namespace sliding_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;

template <class T>
struct IsAboveHalf {
  KOKKOS_FUNCTION bool operator()(const T& x) const { return x > T(0.5); }
};

void add_sliding() {
  add("copy_if<float>", lengths, Beside::Both, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = Selection<Exec>::like(exec, x);
    const Kokkos::View<Index, Exec::memory_space> count("count");
    return {[=] { copy_if(exec, x, y, IsAboveHalf<float>(), count); },
            [=] { plan.copy_if(x, y, IsAboveHalf<float>(), count); },
            [=] {
              Index kept = 0;
              for (Index j = 0; j < n; ++j)
                if (x(j) > 0.5f) y(kept++) = x(j);
              benchmark::DoNotOptimize(kept);
            }};
  });
  add("unique<int>", lengths, Beside::Plan, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<int>(exec, n), y = random_array<int>(exec, n);
    const auto plan = Selection<Exec>::like(exec, x);
    const Kokkos::View<Index, Exec::memory_space> count("count");
    return {[=] { unique_copy(exec, x, y, count); },
            [=] { plan.unique_copy(x, y, Impl::select::IsEqual(), count); },
            {}};
  });
  add("partition<float>", lengths, Beside::Plan, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n);
    const auto plan = Partition<Exec>::like(exec, x);
    const Kokkos::View<Index, Exec::memory_space> count("count");
    return {[=] { partition(exec, x, IsAboveHalf<float>(), count); },
            [=] { plan.partition(x, x, IsAboveHalf<float>(), count); },
            {}};
  });
  add("pad<float>", sides, Beside::Plan, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n * (n + 1));
    const auto size = static_cast<std::size_t>(n);
    const Matrix<float> narrow(x.data(), size, size), wide(x.data(), size, size + 1);
    const auto plan = Padding<Exec>::like(exec, narrow);
    return {[=, memory = x] { pad(exec, narrow, wide); },
            [=, memory = x] { plan.pad(narrow, wide); },
            {}};
  });
}

[[maybe_unused]] const bool registered = [] {
  add_sliding();
  return true;
}();

}  // namespace
}  // namespace sliding_benchmarks
