// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_FiltFilt.hpp>
#include <WaveScan_Filter.hpp>
#include <WaveScan_LinearRecurrence.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <type_traits>
#include <vector>

// WaveScan's filters of one long line, and of 256 channels; recurrences whose coefficients come
// from Views.

namespace filters_benchmarks {
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

/// @brief The lengths of lines, and one that is no power of two.
void filter_lengths(benchmark::internal::Benchmark* benchmark) {
  line_lengths(benchmark);
  benchmark->Arg(40'000'000);
}

template <class T>
using Channels = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;

/// @brief Registers 256 lines of n samples.
/// @param setup setup(exec, lines, n) returns a Work
template <class Setup>
void add_channels(const std::string& problem, std::int64_t bytes_a_sample, const Setup& setup) {
  const std::string name = problem + "/wavescan/channels:256";
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 const Exec exec;
                                 const std::int64_t lines = 256, n = state.range(0);
                                 measure(state, exec, lines * n * bytes_a_sample, {1, false},
                                         [&] { return setup(exec, lines, n); });
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->ArgName("n")
      ->Arg(has_graphs<Exec> ? 1 << 20 : 1 << 14);
}

template <class T>
Channels<T> random_channels(const Exec& exec, std::int64_t lines, std::int64_t n) {
  const Channels<T> values("values", static_cast<std::size_t>(lines), static_cast<std::size_t>(n));
  const auto from = random_array<T>(exec, lines * n);
  Kokkos::deep_copy(exec, Kokkos::View<T*, Exec::memory_space>(values.data(), values.size()), from);
  return values;
}

/// @brief Registers a line of n samples, and channels.
/// @param setup setup(exec, random) returns a Work on arrays that random() makes
template <class T, class Setup>
void add_both(const std::string& problem, int arrays, Capture capture, const Setup& setup) {
  const std::int64_t bytes = arrays * static_cast<std::int64_t>(sizeof(T));
  add_line(
      problem, "wavescan", bytes, capture,
      [=](const Exec& exec, std::int64_t n) {
        return setup(exec, [&] { return random_array<T>(exec, n); });
      },
      filter_lengths);
  add_channels(problem, bytes, [=](const Exec& exec, std::int64_t lines, std::int64_t n) {
    return setup(exec, [&] { return random_channels<T>(exec, lines, n); });
  });
}

/// @param filter filter(exec, x, y) enqueues it
template <class T, class Filter>
void add(const std::string& problem, const Filter& filter) {
  add_both<T>(problem, 2, Capture::Yes, [=](const Exec& exec, const auto& random) -> Work {
    const auto x = random(), y = random();
    return {[=] { filter(exec, x, y); }, [=] { return last_of(y); }};
  });
}

/// @brief Scales coefficients so that outputs stay small.
template <class View>
View small(const Exec& exec, const View& c, int order) {
  using T = typename View::value_type;
  const T factor = T(0.9) / static_cast<T>(order);
  const Kokkos::View<T*, Exec::memory_space> all(c.data(), c.size());
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, static_cast<std::int64_t>(c.size())),
      KOKKOS_LAMBDA(std::int64_t j) { all(j) *= factor; });
  return c;
}

template <class T>
void add_all(const std::string& type) {
  const auto name = [&](const std::string& operation, int number) {
    return operation + std::to_string(number) + "<" + type + ">";
  };
  for (const int order : {1, 2, 4, 8, 16})
    add<T>(name("lfilter_order", order),
           [h = transfer_function(order)](const Exec& exec, const auto& x, const auto& y) {
             lfilter(exec, h.b, h.a, x, y);
           });
  // Finite impulse responses: the numerators alone, without feedback.
  for (const int order : {1, 2, 4, 16})
    add<T>(name("fir_order", order),
           [b = transfer_function(order).b](const Exec& exec, const auto& x, const auto& y) {
             lfilter(exec, b, {1}, x, y);
           });
  for (const int order : {1, 2, 3, 4})
    add_both<T>(
        name("recurrence_order", order), order + 2, Capture::No,
        [=](const Exec& exec, const auto& random) -> Work {
          const auto x = random(), y = random();
          std::vector<std::remove_const_t<decltype(x)>> coefficients;
          for (int k = 0; k < order; ++k) coefficients.push_back(small(exec, random(), order));
          return {[=] { linear_recurrence(exec, coefficients, x, y); }, [=] { return last_of(y); }};
        });
  for (const int count : {2, 4, 8})
    add<T>(name("sosfilt_", count),
           [sos = sections_of(count)](const Exec& exec, const auto& x, const auto& y) {
             sosfilt(exec, sos, x, y);
           });
  for (const int count : {2, 8})
    add<T>(name("sosfiltfilt_", count),
           [sos = sections_of(count)](const Exec& exec, const auto& x, const auto& y) {
             sosfiltfilt(exec, sos, x, y);
           });
}

[[maybe_unused]] const bool registered = [] {
  add_all<float>("float");
  add_all<double>("double");
  return true;
}();

}  // namespace
}  // namespace filters_benchmarks
