// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Scores of many pairs, affine gaps, from sequences that lie on the device: reads beside reads with
// a few errors, and a protein beside a data base. Whole calls, that is, with sorting and
// the results' way to the host, or without that. Arguments of `reads`: letters of
// a read; of `proteins`: letters of the query.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_AlignMany.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <support/WaveScanPerf_Timing.hpp>
#include <vector>

namespace align_many_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr bool on_host = std::same_as<Exec, Kokkos::DefaultHostExecutionSpace>;

/// @brief Random texts, as stretches of a long one: quickly made.
class Texts {
 public:
  explicit Texts(const std::string& alphabet) : alphabet_(alphabet), all_(1 << 20, 'A') {
    for (char& letter : all_) letter = any_letter();
  }
  std::string text(std::size_t length) {
    return all_.substr(random_() % (all_.size() - length), length);
  }
  /// @brief Of a hundred letters three are others, one is left out, one is doubled.
  std::string mutated(std::string text) {
    const auto edits = [&](std::size_t per_cent, const auto& edit) {
      for (std::size_t k = 0; k < text.size() * per_cent / 100; ++k) edit(random_() % text.size());
    };
    edits(3, [&](std::size_t at) { text[at] = any_letter(); });
    edits(1, [&](std::size_t at) { text.erase(at, 1); });
    edits(1, [&](std::size_t at) { text.insert(at, 1, text[at]); });
    return text;
  }
  std::mt19937& random() { return random_; }

 private:
  char any_letter() { return alphabet_[random_() % alphabet_.size()]; }
  std::mt19937 random_{1};
  std::string alphabet_, all_;
};

auto sequences(const std::vector<std::string>& texts) {
  const auto set = ws::sequence_set(texts);
  const auto letters =
      Kokkos::create_mirror_view_and_copy(typename Exec::memory_space(), set.letters);
  const auto offsets =
      Kokkos::create_mirror_view_and_copy(typename Exec::memory_space(), set.offsets);
  return ws::SequenceSet{letters, offsets};
}

template <class A, class B, class S>
void measure(benchmark::State& state, const A& a, const B& b, const ws::Scoring<S>& scoring,
             double cells, bool to_host) {
  const Exec exec;
  const Kokkos::View<ws::AlignmentScore*, typename Exec::memory_space> found(
      "found", static_cast<std::size_t>(std::max(a.size(), b.size())));
  const double seconds = ws::Perf::time(state, exec, [&] {
    if (to_host)
      benchmark::DoNotOptimize(ws::align_scores(exec, a, b, scoring).data());
    else
      ws::align_scores(exec, a, b, found, scoring);
  });
  ws::Perf::report_rate(state, static_cast<std::int64_t>(cells), seconds, "cells/s");
}

void reads(benchmark::State& state, bool to_host) {
  Texts texts("ACGT");
  const auto length = static_cast<std::size_t>(state.range(0));
  const std::size_t count = (on_host ? 150000 : 150000000) / length;
  std::vector<std::string> a, b;
  double cells = 0;
  for (std::size_t k = 0; k < count; ++k) {
    a.push_back(texts.text(length));
    b.push_back(texts.mutated(a.back()));
    cells += static_cast<double>(length * b.back().size());
  }
  const ws::Scoring<> scoring{{2, -3}, ws::AffineGap{5, 2}};
  measure(state, sequences(a), sequences(b), scoring, cells, to_host);
}

/// @brief Lengths as in data bases of proteins: log-normal, 360 on average.
void proteins(benchmark::State& state, bool to_host) {
  Texts texts("ACDEFGHIKLMNPQRSTVWY");
  std::lognormal_distribution<double> lengths(5.7, .6);
  const auto length = static_cast<std::size_t>(state.range(0));
  std::vector<std::string> targets;
  double cells = 0;
  for (int k = 0; k < (on_host ? 1000 : 400000); ++k) {
    const double drawn = std::clamp(lengths(texts.random()), 30., 5000.);
    targets.push_back(texts.text(static_cast<std::size_t>(drawn)));
    cells += static_cast<double>(length * targets.back().size());
  }
  const ws::Scoring<ws::SubstitutionMatrix> scoring{ws::substitution_matrix("BLOSUM62"),
                                                    ws::AffineGap{11, 1}};
  measure(state, sequences({texts.text(length)}), sequences(targets), scoring, cells, to_host);
}

void lengths_of_reads(benchmark::internal::Benchmark* b) {
  b->Arg(150)->Arg(250)->Arg(500)->Arg(1000)->UseManualTime()->Unit(benchmark::kMillisecond);
}
void lengths_of_queries(benchmark::internal::Benchmark* b) {
  for (const int length : {300, 500, 1000, 2000, 5000}) b->Arg(length);
  b->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(reads, to_host, true)->Apply(lengths_of_reads);
BENCHMARK_CAPTURE(proteins, to_host, true)->Apply(lengths_of_queries);
BENCHMARK_CAPTURE(reads, on_device, false)->Apply(lengths_of_reads);
BENCHMARK_CAPTURE(proteins, on_device, false)->Apply(lengths_of_queries);

}  // namespace
}  // namespace align_many_benchmarks
