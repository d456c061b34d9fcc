// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <thrust/scan.h>
#include <baselines/WaveScanPerf_Algorithm3.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <support/WaveScanPerf_CudaPeers.hpp>
#include <support/WaveScanPerf_Lines.hpp>

// Sums by Thrust, and weighted scans by Thrust with the paper's comparator.

namespace thrust_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

template <class T, class Call>
void add(const std::string& problem, const std::string& program, const Call& call) {
  add_line(problem, program, 2 * sizeof(T), Capture::No,
           [=](const Exec& exec, std::int64_t n) -> Work {
             const auto x = random_array<T>(exec, n), y = random_array<T>(exec, n);
             const auto memory = std::make_shared<KeptMemory>();
             return {[=] { call(thrust_policy(exec, *memory), x.data(), n, y.data()); },
                     [=] { return last_of(y); }};
           });
}

constexpr auto inclusive = [](const auto& policy, const auto* x, std::int64_t n, auto* y) {
  thrust::inclusive_scan(policy, x, x + n, y);
};
constexpr auto exclusive = [](const auto& policy, const auto* x, std::int64_t n, auto* y) {
  thrust::exclusive_scan(policy, x, x + n, y);
};

template <class A>
void add_algorithm3(const std::string& problem, const WeightRule<A>& rule) {
  using T = typename A::value_type;
  add<T>(problem, "thrust_algorithm3", [=](const auto& policy, const T* x, std::int64_t n, T* y) {
    algorithm3_scan<A>(policy, rule, x, n, y);
  });
}

[[maybe_unused]] const bool registered = [] {
  add<std::int32_t>("sum<int32>", "thrust", inclusive);
  add<std::int64_t>("sum<int64>", "thrust", inclusive);
  add<float>("sum<float>", "thrust", inclusive);
  add<double>("sum<double>", "thrust", inclusive);
  add<std::int32_t>("exclusive_sum<int32>", "thrust", exclusive);
  add_algorithm3<wavescan::PlusTimes<float>>("decay<float>", {0.5f});
  add_algorithm3<wavescan::MaxPlus<std::int32_t>>("maxplus<int32>", {-1});
  return true;
}();

}  // namespace
}  // namespace thrust_benchmarks

#endif
