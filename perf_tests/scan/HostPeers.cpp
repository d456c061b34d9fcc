// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Segment.hpp>

#if defined(_OPENMP) && defined(__GLIBCXX__)
#include <parallel/numeric>
#define WAVESCAN_PERF_GNU_PARALLEL
#endif
#if defined(WAVESCAN_PERF_TBB)
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#endif

// The same scans on the host by others: plain loops and the standard library on one thread, the
// parallel mode of GNU's standard library, oneTBB; and memcpy.

namespace host_peers_benchmarks {
namespace {

using namespace wavescan::Perf;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
using Array = Kokkos::View<T*, Host::memory_space>;

/// @param call call(n, x, y, w) on pointers; w only if `Weights`
template <class T, bool Weights = false, class In = T, class Call>
void add(const std::string& problem, const std::string& program, const Call& call) {
  add_line<Host>(problem, program, sizeof(In) + (Weights ? 2 : 1) * sizeof(T), Capture::No,
                 [=](const Host& host, std::int64_t n) -> Work {
                   const auto x = random_array<In>(host, n);
                   const auto y = random_array<T>(host, n);
                   const auto w = random_array<T>(host, Weights ? n : 1, 7);
                   return {[=] {
                             call(n, x.data(), y.data(), w.data());
                             benchmark::ClobberMemory();
                           },
                           [=] { return last_of(y); }};
                 });
}

#if defined(WAVESCAN_PERF_TBB)
/// y_j = what `element(j)` and all before it join to, by oneTBB's parallel_scan.
template <class Value, class Element, class Join, class Store>
void tbb_scan(std::int64_t n, const Value& identity, const Element& element, const Join& join,
              const Store& store) {
  tbb::parallel_scan(
      tbb::blocked_range<std::int64_t>(0, n), identity,
      [&](const tbb::blocked_range<std::int64_t>& range, Value s, bool last_time) {
        for (std::int64_t j = range.begin(); j < range.end(); ++j) {
          s = join(s, element(j));
          if (last_time) store(j, s);
        }
        return s;
      },
      join);
}
#endif

template <class T>
void add_sums([[maybe_unused]] const std::string& problem) {
  [[maybe_unused]] const auto plus = [](T a, T b) { return static_cast<T>(a + b); };
#if defined(WAVESCAN_PERF_GNU_PARALLEL)
  add<T>(problem, "gnu_parallel", [](std::int64_t n, const T* x, T* y, const T*) {
    __gnu_parallel::partial_sum(x, x + n, y);
  });
#endif
#if defined(WAVESCAN_PERF_TBB)
  add<T>(problem, "tbb", [=](std::int64_t n, const T* x, T* y, const T*) {
    tbb_scan(
        n, T(0), [=](std::int64_t j) { return x[j]; }, plus,
        [=](std::int64_t j, T s) { y[j] = s; });
  });
#endif
}

template <class Join>
void add_weighted(const std::string& problem, typename Join::value_type weight) {
  using T = typename Join::value_type;
  add<T>(problem, "loop", [=](std::int64_t n, const T* x, T* y, const T*) {
    T s = x[0];
    y[0] = s;
    for (std::int64_t j = 1; j < n; ++j) y[j] = s = Join()({T(1), s}, {weight, x[j]}).value;
  });
#if defined(WAVESCAN_PERF_TBB)
  add<T>(problem, "tbb", [=](std::int64_t n, const T* x, T* y, const T*) {
    tbb_scan(
        n, Join().identity(),
        [=](std::int64_t j) {
          return Segment<T>{weight, x[j]};
        },
        Join(), [=](std::int64_t j, const Segment<T>& s) { y[j] = s.value; });
  });
#endif
}

template <class T>
void add_weights(const std::string& problem) {
  add<T, true>(problem, "loop", [](std::int64_t n, const T* x, T* y, const T* w) {
    T s = x[0];
    y[0] = s;
    for (std::int64_t j = 1; j < n; ++j) y[j] = s = s * w[j] + x[j];
  });
#if defined(WAVESCAN_PERF_TBB)
  add<T, true>(problem, "tbb", [](std::int64_t n, const T* x, T* y, const T* w) {
    using Join = LinearRecurrence<T>;
    tbb_scan(
        n, Join().identity(),
        [=](std::int64_t j) {
          return Segment<T>{w[j], x[j]};
        },
        Join(), [=](std::int64_t j, const Segment<T>& s) { y[j] = s.value; });
  });
#endif
}

[[maybe_unused]] const bool registered = [] {
  add<float>("copy<float>", "memcpy", [](std::int64_t n, const float* x, float* y, const float*) {
    std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(float));
  });
  add_sums<std::int32_t>("sum<int32>");
  add_sums<std::int64_t>("sum<int64>");
  add_sums<float>("sum<float>");
  add_sums<double>("sum<double>");
  add<std::int8_t>("sum<int8>", "std",
                   [](std::int64_t n, const std::int8_t* x, std::int8_t* y, const std::int8_t*) {
                     std::inclusive_scan(
                         x, x + n, y, [](int a, int b) { return static_cast<std::int8_t>(a + b); });
                   });
  add_weighted<LinearRecurrence<float>>("decay<float>", 0.5f);
  add_weighted<LinearRecurrence<double>>("decay<double>", 0.5);
  add_weighted<MaximumWithGaps<std::int32_t>>("maxplus<int32>", -1);
  add_weights<float>("weights<float>");
  add_weights<double>("weights<double>");
  return true;
}();

}  // namespace
}  // namespace host_peers_benchmarks
