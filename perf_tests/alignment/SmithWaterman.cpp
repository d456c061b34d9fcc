// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Local alignments beside a plain serial loop: cell updates per second. Arguments: letters of a and
// of b. For the whole alignment the cells are those of the matrix, though it visits them up to four
// times. The matrix in memory is the wavefront of the paper's loop.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <WaveScan_SmithWatermanMatrix.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>
#include <vector>

namespace smith_waterman_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

/// @brief A random sequence, and a relative of it with one letter in ten replaced.
struct Sequences {
  std::string a;
  std::string b;
  Kokkos::View<char*, Exec> device_a;
  Kokkos::View<char*, Exec> device_b;

  explicit Sequences(const benchmark::State& state)
      : device_a("a", static_cast<std::size_t>(state.range(0))),
        device_b("b", static_cast<std::size_t>(state.range(1))) {
    std::mt19937 random(1);
    const auto letter = [&] { return "ACGT"[random() % 4]; };
    a.resize(device_a.extent(0));
    std::generate(a.begin(), a.end(), letter);
    b = a;
    b.resize(device_b.extent(0));
    for (std::size_t k = 0; k < b.size(); ++k)
      if (k >= a.size() || random() % 10 == 0) b[k] = letter();
    copy(a, device_a);
    copy(b, device_b);
  }
  static void copy(const std::string& text, const Kokkos::View<char*, Exec>& view) {
    Kokkos::deep_copy(view, Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
  }
  std::int64_t cells() const { return static_cast<std::int64_t>(a.size() * b.size()); }
};

template <class Enqueue>
void measure(benchmark::State& state, const Sequences& sequences, const Enqueue& enqueue) {
  const double seconds = ws::Perf::time(state, Exec(), enqueue);
  ws::Perf::report_rate(state, sequences.cells(), seconds, "cells/s");
}

void score(benchmark::State& state) {
  const Sequences s(state);
  measure(state, s,
          [&] { benchmark::DoNotOptimize(ws::smith_waterman_score(s.device_a, s.device_b)); });
}

void alignment(benchmark::State& state) {
  const Sequences s(state);
  measure(state, s, [&] { benchmark::DoNotOptimize(ws::smith_waterman(s.device_a, s.device_b)); });
}

void matrix(benchmark::State& state) {
  const Sequences s(state);
  const Kokkos::View<std::int32_t**, Exec> entries(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "matrix"), s.a.size(), s.b.size());
  measure(state, s, [&] {
    ws::smith_waterman_matrix(s.device_a, s.device_b, ws::MatchMismatch{}, ws::LinearGap{},
                              entries);
  });
}

/// @brief The best score in linear memory as one would write it down, on one thread of the host.
void serial_loop(benchmark::State& state) {
  const Sequences s(state);
  std::vector<std::int32_t> row(s.b.size() + 1);
  measure(state, s, [&] {
    std::fill(row.begin(), row.end(), 0);
    const ws::MatchMismatch substitution;
    std::int32_t best = 0;
    for (const char a : s.a) {
      std::int32_t up_left = 0;
      for (std::size_t j = 0; j < s.b.size(); ++j) {
        const std::int32_t value = std::max(
            {row[j] - 2, row[j + 1] - 2, up_left + substitution(a, s.b[j]), std::int32_t(0)});
        up_left = row[j + 1];
        row[j + 1] = value;
        best = std::max(best, value);
      }
    }
    benchmark::DoNotOptimize(best);
  });
}

void lengths(benchmark::internal::Benchmark* b) {
  b->Args({1000, 1000})->Args({16569, 16299})->Args({65536, 65536})->Args({256, 1 << 20});
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}

void one_length(benchmark::internal::Benchmark* b) {
  b->Args({16569, 16299})->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(score)->Apply(lengths);
BENCHMARK(alignment)->Apply(lengths);
BENCHMARK(matrix)->Apply(one_length);
BENCHMARK(serial_loop)->Apply(one_length);

}  // namespace
}  // namespace smith_waterman_benchmarks
