// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <thrust/scan.h>
#include <cstdint>
#include <memory>
#include <scan/CudaPeers.hpp>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>

// Sums by Thrust, and weighted scans by Thrust in the way of the paper's library-based solutions
// (Hou et al., appendix, algorithm 3).

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

/// An operand of the paper's comparator: a value, its position, and whether it is a partial result,
/// which has its weight already.
template <class T>
struct Operand {
  T value;
  int index;
  bool partial;
};

/// y ∘ weight, k times.
struct HalfTimes {
  static constexpr float weight = 0.5f;
  static KOKKOS_FUNCTION float shift(float value, int k) {
    KOKKOS_IF_ON_DEVICE((return value * __powf(weight, static_cast<float>(k));))
    KOKKOS_IF_ON_HOST((return value * std::pow(weight, static_cast<float>(k));))
  }
  static KOKKOS_FUNCTION float accumulate(float a, float b) { return a + b; }
  /// Undoes the weight that the comparator puts on an element itself.
  static KOKKOS_FUNCTION float unshift(float value) { return value / weight; }
};

struct MinusOne {
  static KOKKOS_FUNCTION std::int32_t shift(std::int32_t value, int k) { return value - k; }
  static KOKKOS_FUNCTION std::int32_t accumulate(std::int32_t a, std::int32_t b) {
    return a < b ? b : a;
  }
  static KOKKOS_FUNCTION std::int32_t unshift(std::int32_t value) { return value + 1; }
};

template <class T, class Rule>
struct Comparator {
  KOKKOS_FUNCTION Operand<T> operator()(const Operand<T>& a, const Operand<T>& b) const {
    const bool in_order = a.index < b.index;
    const Operand<T>& left = in_order ? a : b;
    const Operand<T>& right = in_order ? b : a;
    const int distance = right.index - left.index;
    const T handed_on = Rule::shift(left.value, left.partial ? distance : distance + 1);
    const T own = right.partial ? right.value : Rule::shift(right.value, 1);
    return {Rule::accumulate(handed_on, own), right.index, true};
  }
};

template <class T, class Rule>
struct Pack {
  const T* x;
  KOKKOS_FUNCTION Operand<T> operator()(std::int64_t j) const {
    // The first element is never an operand's right side: it gets its weight here.
    return {j == 0 ? x[j] : Rule::unshift(x[j]), static_cast<int>(j), j == 0};
  }
};

struct Unpack {
  template <class T>
  KOKKOS_FUNCTION T operator()(const Operand<T>& operand) const {
    return operand.value;
  }
};

template <class T, class Rule>
void add_algorithm3(const std::string& problem) {
  add<T>(problem, "thrust_algorithm3", [](const auto& policy, const T* x, std::int64_t n, T* y) {
    const auto operands = computed(Pack<T, Rule>{x});
    thrust::inclusive_scan(policy, operands, operands + n,
                           thrust::make_transform_output_iterator(y, Unpack()),
                           Comparator<T, Rule>());
  });
}

[[maybe_unused]] const bool registered = [] {
  add<std::int32_t>("sum<int32>", "thrust", inclusive);
  add<std::int64_t>("sum<int64>", "thrust", inclusive);
  add<float>("sum<float>", "thrust", inclusive);
  add<double>("sum<double>", "thrust", inclusive);
  add<std::int32_t>("exclusive_sum<int32>", "thrust", exclusive);
  add_algorithm3<float, HalfTimes>("decay<float>");
  add_algorithm3<std::int32_t, MinusOne>("maxplus<int32>");
  return true;
}();

}  // namespace

#endif
