// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_SLIDING_SELECTIONS_HPP
#define WAVESCAN_PERF_SLIDING_SELECTIONS_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>
#include <type_traits>

/// @file
/// @brief What programs select from, and the registration of those that do.
///
/// Benchmarks are named operation<bytes>/share/program/n:N, in captured graphs
/// operation<bytes>/share/program/graph/n:N, where the share is that of elements
/// kept, in per cent; all multiples of ten are measured of 2^24 floats, as by Gomez-Luna et al.
/// What they work on is restored before each call, or graph of 20 calls, untimed. The floor is a
/// copy of the bytes that are read and written.

namespace wavescan::Perf {

namespace Sliding {

using Exec = Kokkos::DefaultExecutionSpace;

/// A value of so many bytes, with a key from 0 to 99 in the first.
template <int Bytes>
struct Blob {
  std::uint8_t bytes[Bytes];
  KOKKOS_FUNCTION std::uint8_t key() const { return bytes[0]; }
  KOKKOS_FUNCTION friend bool operator==(const Blob& a, const Blob& b) {
    return a.bytes[0] == b.bytes[0] && a.bytes[Bytes - 1] == b.bytes[Bytes - 1];
  }
};
/// Whether an element's key is below a limit.
struct Keep {
  unsigned limit;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& t) const {
    if constexpr (std::is_arithmetic_v<T>)
      return t < static_cast<T>(limit);
    else
      return t.key() < limit;
  }
};
struct Drop {
  unsigned limit;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& t) const {
    return !Keep{limit}(t);
  }
};

/// Random keys; or runs, so that the share of elements that differ from the one before is `share`.
template <class T>
struct Fill {
  Kokkos::View<T*, Exec> view;
  unsigned share;
  bool runs;
  static KOKKOS_FUNCTION std::uint64_t hash(std::int64_t j) {
    std::uint64_t bits = static_cast<std::uint64_t>(j + 1) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9;
    return bits ^ (bits >> 30);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    std::int64_t from = share == 0 ? 0 : j;
    if (runs)
      while (from > 0 && hash(from) % 100 >= share) --from;
    const auto key = static_cast<std::uint8_t>(runs ? from % 97 : hash(j) % 100);
    if constexpr (std::is_arithmetic_v<T>)
      view(j) = static_cast<T>(key);
    else
      view(j).bytes[0] = key;
  }
};

template <class T>
struct Arrays {
  Arrays(const Exec& exec, std::int64_t n, unsigned limit, bool runs)
      : source("source", n), x("x", n), y("y", n), share(limit) {
    Kokkos::parallel_for("fill",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         Fill<T>{source, limit, runs});
    exec.fence();
  }
  Kokkos::View<T*, Exec> source, x, y;
  Kokkos::View<std::int64_t, Exec> count{"count"};
  unsigned share;
};

/// What a program does: work(exec, arrays), after preparations that are not timed.
template <class T>
using Program = std::function<std::function<void()>(const Exec&, const Arrays<T>&)>;

/// @param of_input,of_kept how often all elements, or those kept, are read or written
/// @param capture          with Yes calls are measured in graphs, too, of short arrays; those in
///                         place find what the call before has left
template <class T>
void add(const std::string& operation, const std::string& program, bool runs, double of_input,
         double of_kept, Capture capture, const Program<T>& setup) {
  const auto measure = [=](benchmark::State& state, unsigned share, const Batch& batch) {
    const Exec exec;
    const std::int64_t n = state.range(0);
    const Arrays<T> arrays(exec, n, share, runs);
    const auto work = setup(exec, arrays);
    const auto restore = [&] { Kokkos::deep_copy(exec, arrays.x, arrays.source); };
    const double seconds = time(state, exec, work, restore, batch);
    const double elements = static_cast<double>(n) * (of_input + of_kept * share / 100);
    report_bandwidth(state, exec, static_cast<std::int64_t>(elements * sizeof(T)), seconds, batch);
  };
  for (const unsigned share : {1u, 50u, 99u, 0u, 10u, 20u, 30u, 40u, 60u, 70u, 80u, 90u, 100u}) {
    const bool all_sizes = share == 1 || share == 50 || share == 99;
    if (!all_sizes && !std::is_same_v<T, float>) continue;
    const auto register_as = [&](const std::string& how, const Batch& batch) {
      const std::string name = operation + "<" + std::to_string(sizeof(T)) + ">/" +
                               std::to_string(share) + "/" + program + how;
      return benchmark::RegisterBenchmark(
                 name.c_str(), [=](benchmark::State& state) { measure(state, share, batch); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    };
    const auto measured = register_as("", {});
    if (!all_sizes)
      powers_of_two(measured, "n", 24, 24);
    else
      on_device ? powers_of_two(measured, "n", 12, 30) : powers_of_two(measured, "n", 16, 26);
    if (all_sizes && has_graphs<Exec> && capture == Capture::Yes)
      powers_of_two(register_as("/graph", {20, true}), "n", 12, 22);
  }
}

}  // namespace Sliding
}  // namespace wavescan::Perf

#endif
