// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <WaveScan_SubstitutionMatrix.hpp>

namespace wavescan::python {
namespace {

/// Letters where an execution space reaches them.
template <class Exec>
auto letters_on(const Exec& exec, const std::string& letters) {
  const Kokkos::View<const char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> here(
      letters.data(), letters.size());
  return Kokkos::create_mirror_view_and_copy(typename Exec::memory_space(), here);
}
template <class Exec>
auto set_on(const Exec& exec, const std::vector<std::string>& sequences) {
  const auto here = sequence_set(sequences);
  const typename Exec::memory_space there;
  return SequenceSet(Kokkos::create_mirror_view_and_copy(there, here.letters),
                     Kokkos::create_mirror_view_and_copy(there, here.offsets));
}

/// Calls use(instance, scoring).
template <class Use>
void with_scoring(const char* function, const AlignmentRules& rules, const Use& use) {
  AlignmentMode mode = AlignmentMode::Local;
  if (rules.mode == "global")
    mode = AlignmentMode::Global;
  else if (rules.mode == "semiglobal")
    mode = AlignmentMode::SemiGlobal;
  else if (rules.mode != "local")
    reject(function, "mode", "be 'local', 'global' or 'semiglobal'", "'" + rules.mode + "'");
  if (rules.gap_open < rules.gap_extend)
    reject(function, "gap_open",
           "be at least 'gap_extend' (" + std::to_string(rules.gap_extend) +
               "): it is what the first letter of a gap costs",
           std::to_string(rules.gap_open));
  const AffineGap gap(rules.gap_open - rules.gap_extend, rules.gap_extend);
  const FreeEnds ends{rules.free_ends[0], rules.free_ends[1], rules.free_ends[2],
                      rules.free_ends[3]};
  const auto with_space_and = [&](const auto& substitution) {
    using S = std::remove_cvref_t<decltype(substitution)>;
    with_space({rules.on_device, Place::any_device, 0}, [&](const auto& exec) {
      use(exec, Scoring<S>{substitution, gap, mode, ends});
    });
  };
  if (rules.matrix.empty())
    with_space_and(MatchMismatch{rules.match, rules.mismatch});
  else
    with_space_and(substitution_matrix(rules.matrix));
}

AlignmentResult result_of(const Alignment& a) {
  return {a.score,   a.begin_a,    a.end_a, a.begin_b,      a.end_b,
          a.matches, a.mismatches, a.gaps,  a.gap_openings, a.cigar};
}

}  // namespace

AlignmentResult align(const std::string& a, const std::string& b, const AlignmentRules& rules) {
  AlignmentResult result;
  with_scoring("align", rules, [&](const auto& exec, const auto& scoring) {
    result = result_of(wavescan::align(exec, letters_on(exec, a), letters_on(exec, b), scoring));
  });
  return result;
}

std::array<std::int64_t, 3> align_score(const std::string& a, const std::string& b,
                                        const AlignmentRules& rules) {
  std::array<std::int64_t, 3> result{};
  with_scoring("align_score", rules, [&](const auto& exec, const auto& scoring) {
    const AlignmentScore best =
        wavescan::align_score(exec, letters_on(exec, a), letters_on(exec, b), scoring);
    result = {best.score, best.end_a, best.end_b};
  });
  return result;
}

std::vector<AlignmentResult> align_many(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b,
                                        const AlignmentRules& rules) {
  std::vector<AlignmentResult> results;
  with_scoring("align_many", rules, [&](const auto& exec, const auto& scoring) {
    for (const Alignment& found :
         wavescan::align_many(exec, set_on(exec, a), set_on(exec, b), scoring))
      results.push_back(result_of(found));
  });
  return results;
}

std::vector<std::int64_t> align_scores(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b,
                                       const AlignmentRules& rules) {
  std::vector<std::int64_t> results;
  with_scoring("align_scores", rules, [&](const auto& exec, const auto& scoring) {
    for (const AlignmentScore& found :
         wavescan::align_scores(exec, set_on(exec, a), set_on(exec, b), scoring))
      results.push_back(found.score);
  });
  return results;
}

std::string format_alignment(const AlignmentResult& r, const std::string& a, const std::string& b,
                             int width) {
  return wavescan::format_alignment(
      Alignment{r.score, r.begin_a, r.end_a, r.begin_b, r.end_b, r.matches, r.mismatches, r.gaps,
                r.gap_openings, r.cigar},
      a, b, width);
}

}  // namespace wavescan::python
