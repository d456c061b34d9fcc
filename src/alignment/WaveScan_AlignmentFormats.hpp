// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ALIGNMENTFORMATS_HPP
#define WAVESCAN_ALIGNMENTFORMATS_HPP

#include <WaveScan_Alignment.hpp>
#include <impl/WaveScan_Require.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// @brief Alignments as lines of PAF and SAM, formats that other programs read.

namespace wavescan {

/// @brief A sequence as files name it.
struct NamedSequence {
  std::string_view name;
  std::string_view letters;
};

/// @brief An alignment as a line of PAF (minimap2's format), without the line's end: `a` is the
/// query, `b` the target.
///
/// The twelve columns, with 255 for an unknown quality, and the tags AS (score), NM (columns that
/// are no match) and cg (the CIGAR, with = and X). An empty alignment has * for strand and target.
/// @throws std::invalid_argument if the alignment lies beyond the sequences
inline std::string paf_line(const Alignment& alignment, const NamedSequence& a,
                            const NamedSequence& b) {
  const auto length_a = static_cast<std::int64_t>(a.letters.size()),
             length_b = static_cast<std::int64_t>(b.letters.size());
  Impl::require(alignment.end_a <= length_a, "paf_line", "a", "must hold the aligned stretch",
                length_a);
  Impl::require(alignment.end_b <= length_b, "paf_line", "b", "must hold the aligned stretch",
                length_b);
  std::string line;
  const auto add = [&](const auto& value) {
    if (!line.empty()) line += '\t';
    line += Impl::text_of(value);
  };
  add(a.name);
  add(length_a);
  add(alignment.begin_a);
  add(alignment.end_a);
  if (alignment.empty()) {
    for (const char* column : {"*", "*", "0", "0", "0", "0", "0", "0"}) add(column);
    return line;
  }
  add("+");
  add(b.name);
  add(length_b);
  add(alignment.begin_b);
  add(alignment.end_b);
  add(alignment.matches);
  add(alignment.length());
  add(255);
  add("NM:i:" + std::to_string(alignment.mismatches + alignment.gaps));
  add("AS:i:" + std::to_string(alignment.score));
  add("cg:Z:" + alignment.cigar);
  return line;
}

/// @brief The lines before the alignments of a SAM file, with their ends: a line for each target.
inline std::string sam_header(const std::vector<NamedSequence>& targets) {
  std::string text = "@HD\tVN:1.6\tSO:unknown\n";
  for (const NamedSequence& target : targets)
    text += "@SQ\tSN:" + std::string(target.name) +
            "\tLN:" + std::to_string(target.letters.size()) + "\n";
  return text + "@PG\tID:wavescan\tPN:wavescan\n";
}

/// @brief An alignment as a line of SAM, without the line's end: `a` is the query, `b` the
/// reference. What is left out of the query is clipped (S in the CIGAR).
/// @param with_m a CIGAR with M for pairs of letters, which old programs want, not = and X
/// @throws std::invalid_argument if the alignment lies beyond the query
inline std::string sam_line(const Alignment& alignment, const NamedSequence& a,
                            const NamedSequence& b, bool with_m = false) {
  const auto length_a = static_cast<std::int64_t>(a.letters.size());
  Impl::require(alignment.end_a <= length_a, "sam_line", "a", "must hold the aligned stretch",
                length_a);
  const std::string query(a.name), letters(a.letters.empty() ? "*" : a.letters);
  if (alignment.empty()) return query + "\t4\t*\t0\t255\t*\t*\t0\t0\t" + letters + "\t*";
  const auto clip = [](std::int64_t count) {
    return count > 0 ? std::to_string(count) + "S" : std::string();
  };
  return query + "\t0\t" + std::string(b.name) + "\t" + std::to_string(alignment.begin_b + 1) +
         "\t255\t" + clip(alignment.begin_a) +
         (with_m ? alignment.cigar_with_m() : alignment.cigar) + clip(length_a - alignment.end_a) +
         "\t*\t0\t0\t" + letters +
         "\t*\tNM:i:" + std::to_string(alignment.mismatches + alignment.gaps) +
         "\tAS:i:" + std::to_string(alignment.score);
}

}  // namespace wavescan

#endif
