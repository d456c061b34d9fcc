// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Filter.hpp>
#include <WaveScan_LinearRecurrence.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <vector>

// WaveScan's filters of one long line, and of 256 channels; recurrences whose coefficients come
// from Views.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

/// Poles at several frequencies, so far inside the unit circle that all orders are harmless.
std::vector<FilterSection> sections_of(int count) {
  std::vector<FilterSection> sos;
  for (int s = 0; s < count; ++s) {
    const double radius = 0.6, angle = 0.3 + 0.35 * s;
    sos.push_back({0.5, 0.2, 0.1, 1, -2 * radius * std::cos(angle), radius * radius});
  }
  return sos;
}

struct TransferFunction {
  std::vector<double> b{1}, a{1};
};
TransferFunction transfer_function(int order) {
  const auto product = [](const std::vector<double>& p, const std::vector<double>& q) {
    std::vector<double> all(p.size() + q.size() - 1, 0.0);
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = 0; j < q.size(); ++j) all[i + j] += p[i] * q[j];
    return all;
  };
  if (order == 1) return {{0.25, 0.25}, {1, -0.5}};
  TransferFunction h;
  for (const FilterSection& s : sections_of(order / 2)) {
    h.b = product(h.b, {s[0], s[1], s[2]});
    h.a = product(h.a, {s[3], s[4], s[5]});
  }
  return h;
}

template <class T>
Filter<Exec, T> direct(const Exec& exec, int order, std::int64_t lines, std::int64_t length) {
  const auto h = transfer_function(order);
  return Filter<Exec, T>::direct_form(exec, h.b, h.a, lines, length);
}
template <class T>
Filter<Exec, T> cascade(const Exec& exec, int count, std::int64_t lines, std::int64_t length) {
  return Filter<Exec, T>::sections(exec, sections_of(count), lines, length);
}

template <class T, class Make>
void add(const std::string& problem, const Make& make, int order) {
  add_line(problem, "wavescan", 2 * sizeof(T), Capture::Yes,
           [=](const Exec& exec, std::int64_t n) -> Work {
             const auto x = random_array<T>(exec, n);
             const auto y = random_array<T>(exec, n);
             const auto plan = make(exec, order, 1, n);
             return {[=] { plan.apply(x, y); }, [=] { return last_of(y); }};
           });
  const std::string name = problem + "/wavescan/channels:256";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        const Exec exec;
        const std::int64_t channels = 256, n = state.range(0);
        measure(state, exec, channels * n * 2 * static_cast<std::int64_t>(sizeof(T)), {1, false},
                [&]() -> Work {
                  const auto x = random_array<T>(exec, channels * n);
                  const auto y = random_array<T>(exec, channels * n);
                  const Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
                      in(x.data(), channels, n), out(y.data(), channels, n);
                  const auto plan = make(exec, order, channels, n);
                  return {[=, keep = x] { plan.apply(in, out); }, [=] { return last_of(y); }};
                });
      })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->ArgName("n")
      ->Arg(has_graphs<Exec> ? 1 << 20 : 1 << 14);
}

/// @brief Coefficients under which outputs stay small.
template <class T>
Kokkos::View<T*, Exec::memory_space> small_coefficients(const Exec& exec, std::int64_t n,
                                                        int order) {
  const auto c = random_array<T>(exec, n);
  const T factor = T(0.9) / static_cast<T>(order);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(std::int64_t j) { c(j) *= factor; });
  return c;
}

template <class T>
void add_varying(const std::string& type, int order) {
  add_line(
      "recurrence_order" + std::to_string(order) + "<" + type + ">", "wavescan",
      static_cast<std::int64_t>(sizeof(T)) * (order + 2), Capture::No,
      [=](const Exec& exec, std::int64_t n) -> Work {
        const auto x = random_array<T>(exec, n);
        const auto y = random_array<T>(exec, n);
        std::vector<Kokkos::View<T*, Exec::memory_space>> coefficients;
        for (int k = 0; k < order; ++k)
          coefficients.push_back(small_coefficients<T>(exec, n, order));
        return {[=] { linear_recurrence(exec, coefficients, x, y); }, [=] { return last_of(y); }};
      });
}

template <class T>
void add_all(const std::string& type) {
  for (const int order : {1, 2, 4, 8, 16})
    add<T>("lfilter_order" + std::to_string(order) + "<" + type + ">", direct<T>, order);
  for (const int order : {1, 2, 4}) add_varying<T>(type, order);
  for (const int count : {2, 4, 8})
    add<T>("sosfilt_" + std::to_string(count) + "<" + type + ">", cascade<T>, count);
}

[[maybe_unused]] const bool registered = [] {
  add_all<float>("float");
  add_all<double>("double");
  return true;
}();

}  // namespace
