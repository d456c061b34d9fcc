// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Scores and alignments with affine gaps of the mitochondrial genomes in examples/data, beside
// parasail where CMake finds it. Arguments: match, mismatch, cost of a gap's first letter and of
// each further one. One core beside one core:
//
//     OMP_NUM_THREADS=1 WaveScan_perf_alignment --benchmark_filter=mitochondria
//         --benchmark_enable_random_interleaving --benchmark_repetitions=8
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>

#if defined(WAVESCAN_PERF_PARASAIL)
#include <parasail.h>
#endif

namespace align_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Letters = Kokkos::View<const char*, Kokkos::HostSpace>;

Letters letters(const std::string& text) { return Letters(text.data(), text.size()); }

std::string read_genome(const std::string& name) {
  std::ifstream file(WAVESCAN_PERF_DATA "/" + name + "Mito.fa");
  std::string line, sequence;
  std::getline(file, line);
  while (std::getline(file, line))
    for (const char letter : line)
      if (std::isalpha(static_cast<unsigned char>(letter)))
        sequence += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return sequence;
}

/// @brief Scores from a benchmark's arguments.
struct Arguments {
  int match, mismatch, first, further;
  explicit Arguments(const benchmark::State& state)
      : match(static_cast<int>(state.range(0))),
        mismatch(static_cast<int>(state.range(1))),
        first(static_cast<int>(state.range(2))),
        further(static_cast<int>(state.range(3))) {}
  template <class S>
  ws::Scoring<S> scoring(const S& substitution) const {
    return {substitution, ws::AffineGap{first - further, further}};
  }
};

template <class Score>
void measure(benchmark::State& state, const Score& score) {
  const std::string a = read_genome("human"), b = read_genome("mouse");
  if (a.empty() || b.empty()) return state.SkipWithError("no sequences in " WAVESCAN_PERF_DATA);
  std::int64_t found = 0;
  const double seconds = ws::Perf::time(state, Exec(), [&] { found = score(a, b); });
  ws::Perf::report_rate(state, static_cast<std::int64_t>(a.size() * b.size()), seconds, "cells/s");
  state.counters["score"] = static_cast<double>(found);
}

void mitochondria_score(benchmark::State& state) {
  const Arguments given(state);
  measure(state, [&](const std::string& a, const std::string& b) {
    return ws::align_score(letters(a), letters(b),
                           given.scoring(ws::MatchMismatch{given.match, given.mismatch}))
        .score;
  });
}

void mitochondria_score_from_table(benchmark::State& state) {
  const Arguments given(state);
  measure(state, [&](const std::string& a, const std::string& b) {
    return ws::align_score(letters(a), letters(b),
                           given.scoring(ws::nucleotide_matrix(given.match, given.mismatch)))
        .score;
  });
}

void mitochondria_alignment(benchmark::State& state) {
  const Arguments given(state);
  measure(state, [&](const std::string& a, const std::string& b) {
    return ws::align(letters(a), letters(b),
                     given.scoring(ws::MatchMismatch{given.match, given.mismatch}))
        .score;
  });
}

#if defined(WAVESCAN_PERF_PARASAIL)
template <class Align>
void mitochondria_parasail(benchmark::State& state, const Align& align) {
  const Arguments given(state);
  parasail_matrix_t* const matrix = parasail_matrix_create("ACGTN", given.match, given.mismatch);
  measure(state, [&](const std::string& a, const std::string& b) {
    parasail_result_t* const result =
        align(a.c_str(), static_cast<int>(a.size()), b.c_str(), static_cast<int>(b.size()),
              given.first, given.further, matrix);
    const std::int64_t score = result->score;
    parasail_result_free(result);
    return score;
  });
  parasail_matrix_free(matrix);
}
#endif

void scores(benchmark::internal::Benchmark* b) {
  b->Args({2, -1, 2, 2})->Args({5, -4, 6, 6})->Args({2, -1, 3, 1})->Args({5, -4, 11, 1});
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(mitochondria_score)->Apply(scores);
BENCHMARK(mitochondria_score_from_table)->Apply(scores);
BENCHMARK(mitochondria_alignment)->Apply(scores);
#if defined(WAVESCAN_PERF_PARASAIL)
BENCHMARK_CAPTURE(mitochondria_parasail, striped_16, parasail_sw_striped_16)->Apply(scores);
BENCHMARK_CAPTURE(mitochondria_parasail, striped_sat, parasail_sw_striped_sat)->Apply(scores);
#endif

}  // namespace
}  // namespace align_benchmarks
