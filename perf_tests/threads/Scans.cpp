// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Scan.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <numeric>
#include <support/WaveScanPerf_Segments.hpp>
#include <threads/Threads.hpp>
#if defined(WAVESCAN_PERF_TBB)
#include <tbb/blocked_range.h>

#include <tbb/global_control.h>
#include <tbb/parallel_scan.h>
#include <execution>
#endif

// Scans, of one line and of segments.

namespace scans_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using namespace wavescan::Perf::Threads;

struct Larger {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

/// @brief y_j = all up to x_j, by Kokkos.
template <class T>
struct KokkosSum {
  const T* x;
  T* y;
  KOKKOS_FUNCTION void operator()(std::int64_t j, T& sum, bool last) const {
    sum += x[j];
    if (last) y[j] = sum;
  }
};

template <class T>
void add_peers(const std::string& problem) {
  add_arrays<T>(problem, "std_one_thread", [](const Exec&, const auto& x, const auto& y) {
    std::inclusive_scan(x.data(), x.data() + x.size(), y.data());
  });
  add_arrays<T>(problem, "kokkos", [](const Exec& exec, const auto& x, const auto& y) {
    Kokkos::parallel_scan("sum", Range(exec, 0, static_cast<std::int64_t>(x.size())),
                          KokkosSum<T>{x.data(), y.data()});
  });
#if defined(_OPENMP)
  add_arrays<T>(problem, "openmp", [](const Exec&, const auto& x, const auto& y) {
    const auto n = static_cast<std::int64_t>(x.size());
    const T* const from = x.data();
    T* const to = y.data();
    T sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (std::int64_t j = 0; j < n; ++j) {
      sum += from[j];
#pragma omp scan inclusive(sum)
      to[j] = sum;
    }
  });
#endif
#if defined(WAVESCAN_PERF_TBB)
  add_arrays<T>(problem, "std_par", [](const Exec& exec, const auto& x, const auto& y) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(exec.concurrency()));
    std::inclusive_scan(std::execution::par_unseq, x.data(), x.data() + x.size(), y.data());
  });
  add_arrays<T>(problem, "tbb", [](const Exec& exec, const auto& x, const auto& y) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(exec.concurrency()));
    const T* const from = x.data();
    T* const to = y.data();
    tbb::parallel_scan(
        tbb::blocked_range<std::int64_t>(0, static_cast<std::int64_t>(x.size())), T(0),
        [=](const tbb::blocked_range<std::int64_t>& range, T sum, bool last) {
          for (std::int64_t j = range.begin(); j < range.end(); ++j) {
            sum += from[j];
            if (last) to[j] = sum;
          }
          return sum;
        },
        [](T a, T b) { return a + b; });
  });
#endif
}

/// @brief Segments of 100 elements, more or less.
void add_segmented() {
  add("segmented_sum<float>", "wavescan", 8, [](const Exec& exec, std::int64_t n) -> Work {
    const SegmentArrays<Exec> arrays({"mean100", 100}, n);
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto segments = segment_offsets(arrays.offsets);
    return {[=] { segmented_inclusive_scan(exec, x, segments, y); }, [=] { return last_of(y); }};
  });
  add("segmented_sum<float>", "kokkos", 8, [](const Exec& exec, std::int64_t n) -> Work {
    const SegmentArrays<Exec> arrays({"mean100", 100}, n);
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto offsets = arrays.offsets;
    return {[=] {
              Kokkos::parallel_for(
                  "segments", Range(exec, 0, arrays.segments), [=](std::int64_t s) {
                    std::inclusive_scan(x.data() + offsets(s), x.data() + offsets(s + 1),
                                        y.data() + offsets(s));
                  });
            },
            [=] { return last_of(y); }};
  });
}

[[maybe_unused]] const bool registered = [] {
  const auto sum = [](const Exec& exec, const auto& x, const auto& y) {
    inclusive_scan(exec, x, y);
  };
  add_arrays<float>("inclusive_sum<float>", "wavescan", sum);
  add_peers<float>("inclusive_sum<float>");
  add_arrays<double>("inclusive_sum<double>", "wavescan", sum);
  add_arrays<std::int32_t>(
      "exclusive_sum<int32>", "wavescan",
      [](const Exec& exec, const auto& x, const auto& y) { exclusive_scan(exec, x, y); });
  add_arrays<std::int32_t>("maximum<int32>", "wavescan",
                           [](const Exec& exec, const auto& x, const auto& y) {
                             inclusive_scan(exec, x, y, Max<std::int32_t>());
                           });
  add_arrays<float>(
      "lambda<float>", "wavescan",
      [](const Exec& exec, const auto& x, const auto& y) { inclusive_scan(exec, x, y, Larger()); });
  add_arrays<float>(
      "weighted<float>", "wavescan",
      [](const Exec& exec, const auto& x, const auto& y) { weighted_scan(exec, x, .5f, y); });
  add("weights<float>", "wavescan", 12, [](const Exec& exec, std::int64_t n) -> Work {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n),
               w = random_array<float>(exec, n, 7);
    return {[=] { weighted_scan(exec, x, w, y); }, [=] { return last_of(y); }};
  });
  add_segmented();
  return true;
}();

}  // namespace
}  // namespace scans_benchmarks
