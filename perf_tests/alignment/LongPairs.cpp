// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// One pair of long sequences on the default device: entries of the matrix per second, of whole
// calls with sequences that are there already. Arguments: letters of a and of b. For alignments the
// entries are those of the matrix, too, however often they are visited.
// WAVESCAN_PERF_LETTERS=4194304 in the environment adds a square of that size.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_Align.hpp>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>

namespace long_pairs_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

/// @brief A random sequence, and a relative of it: 5 % of the letters are others, and there is a
/// gap for each 100 letters.
struct Sequences {
  Kokkos::View<char*, Exec> a, b;

  explicit Sequences(const benchmark::State& state) {
    std::mt19937 random(1);
    const auto letter = [&] { return "ACGT"[random() % 4]; };
    const auto m = static_cast<std::size_t>(state.range(0)),
               n = static_cast<std::size_t>(state.range(1));
    std::string text_a(m, 'A'), text_b;
    for (char& x : text_a) x = letter();
    for (std::size_t k = 0; text_b.size() < n; ++k) {
      const auto event = random() % 200;
      if (event == 0) k += random() % 4;
      if (event == 1) text_b += std::string(random() % 4, letter());
      text_b += k >= m || event < 10 ? letter() : text_a[k];
    }
    text_b.resize(n);
    a = on_device(text_a);
    b = on_device(text_b);
  }
  static Kokkos::View<char*, Exec> on_device(const std::string& text) {
    const Kokkos::View<char*, Exec> view("letters", text.size());
    Kokkos::deep_copy(view, Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
    return view;
  }
};

template <class Align>
void measure(benchmark::State& state, const Align& align) {
  const Sequences s(state);
  const double seconds = ws::Perf::time(state, Exec(), [&] { align(s); });
  ws::Perf::report_rate(state, state.range(0) * state.range(1), seconds, "cells/s");
}

const ws::Scoring<> linear{{1, -1}, ws::LinearGap{2}}, affine{{1, -1}, ws::AffineGap{2, 1}};

void long_pair_score(benchmark::State& state, const ws::Scoring<>& scoring) {
  measure(state, [&](const Sequences& s) {
    benchmark::DoNotOptimize(ws::align_score(Exec(), s.a, s.b, scoring).score);
  });
}
void long_pair_global_score(benchmark::State& state, ws::Scoring<> scoring) {
  scoring.mode = ws::AlignmentMode::Global;
  long_pair_score(state, scoring);
}
void long_pair_alignment(benchmark::State& state, const ws::Scoring<>& scoring) {
  measure(state, [&](const Sequences& s) {
    benchmark::DoNotOptimize(ws::align(Exec(), s.a, s.b, scoring).score);
  });
}

/// @brief Squares and a long rectangle; on hosts only small ones.
void sizes(benchmark::internal::Benchmark* b) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;
  b->Args({16384, 16384});
  if (!on_host)
    b->Args({65536, 65536})
        ->Args({262144, 262144})
        ->Args({1048576, 1048576})
        ->Args({10000, 10000000});
  if (const char* const letters = std::getenv("WAVESCAN_PERF_LETTERS"))
    b->Args({std::atol(letters), std::atol(letters)});
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(long_pair_score, linear, linear)->Apply(sizes);
BENCHMARK_CAPTURE(long_pair_score, affine, affine)->Apply(sizes);
BENCHMARK_CAPTURE(long_pair_global_score, linear, linear)->Apply(sizes);
BENCHMARK_CAPTURE(long_pair_alignment, linear, linear)->Apply(sizes);
BENCHMARK_CAPTURE(long_pair_alignment, affine, affine)->Apply(sizes);

}  // namespace
}  // namespace long_pairs_benchmarks
