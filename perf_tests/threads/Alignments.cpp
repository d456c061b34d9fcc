// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <threads/Threads.hpp>
#include <vector>
#if defined(WAVESCAN_PERF_PARASAIL)
#include <parasail.h>
#endif

// Scores of a pair of sequences, and of many reads of 150 letters, with affine gaps: n entries of
// matrices. One in 25 letters of the second sequences is another one.

namespace alignments_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using namespace wavescan::Perf::Threads;
using Texts = std::vector<std::string>;

constexpr Scoring<MatchMismatch> scoring{{2, -3}, {5, 2}};

struct Pairs {
  Texts a, b;
  std::vector<std::int64_t> scores;

  Pairs(std::int64_t count, std::int64_t letters) : scores(static_cast<std::size_t>(count)) {
    std::mt19937 random(1);
    for (std::int64_t k = 0; k < count; ++k) {
      std::string text(static_cast<std::size_t>(letters), 'A');
      for (char& letter : text) letter = "ACGT"[random() % 4];
      a.push_back(text);
      for (char& letter : text)
        if (random() % 25 == 0) letter = "ACGT"[random() % 4];
      b.push_back(text);
    }
  }
};

/// @param call call(exec, pairs) stores scores
template <class Call>
void add_pairs(const std::string& problem, const std::string& program, std::int64_t letters,
               const Call& call) {
  add(problem, program, 1, [=](const Exec& exec, std::int64_t n) -> Work {
    const std::int64_t length = letters == 0 ? side_of(n) : letters;
    const auto pairs =
        std::make_shared<Pairs>(std::max<std::int64_t>(n / (length * length), 1), length);
    return {[=] { call(exec, *pairs); }, [=] { return static_cast<double>(pairs->scores.back()); }};
  });
}

#if defined(WAVESCAN_PERF_PARASAIL)
std::int64_t parasail_score(const std::string& a, const std::string& b) {
  static parasail_matrix_t* const matrix = parasail_matrix_create("ACGT", 2, -3);
  parasail_result_t* const result = parasail_sw_striped_sat(
      a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()), 7, 2, matrix);
  const std::int64_t score = result->score;
  parasail_result_free(result);
  return score;
}
#endif

[[maybe_unused]] const bool registered = [] {
  add_pairs("pair", "wavescan", 0, [](const Exec& exec, Pairs& pairs) {
    const Kokkos::View<const char*, Kokkos::HostSpace> a(pairs.a[0].data(), pairs.a[0].size()),
        b(pairs.b[0].data(), pairs.b[0].size());
    pairs.scores[0] = align_score(exec, a, b, scoring).score;
  });
  add("reads", "wavescan", 1, [](const Exec& exec, std::int64_t n) -> Work {
    const Pairs pairs(std::max<std::int64_t>(n / (150 * 150), 1), 150);
    const auto a = sequence_set(pairs.a), b = sequence_set(pairs.b);
    const auto last = std::make_shared<double>(0);
    return {[=] { *last = static_cast<double>(align_scores(exec, a, b, scoring).back().score); },
            [=] { return *last; }};
  });
#if defined(WAVESCAN_PERF_PARASAIL)
  const auto each = [](const Exec& exec, Pairs& pairs) {
    Pairs* const all = &pairs;
    Kokkos::parallel_for(
        "parasail",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, pairs.scores.size()),
        [=](std::size_t k) { all->scores[k] = parasail_score(all->a[k], all->b[k]); });
  };
  add_pairs("pair", "parasail_one_thread", 0, each);
  add_pairs("reads", "parasail", 150, each);
#endif
  return true;
}();

}  // namespace
}  // namespace alignments_benchmarks
