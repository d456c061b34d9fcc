// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ALIGNMENT_HPP
#define WAVESCAN_ALIGNMENT_HPP

#include <impl/WaveScan_Require.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

/// @file
/// @brief The result of aligning two sequences, and its text form.

namespace wavescan {

/// @brief An alignment: how a stretch of sequence `a` and a stretch of sequence `b` correspond.
///
/// Positions count from 0; the stretches are a[begin_a, end_a) and b[begin_b, end_b).
///
/// An empty alignment has no CIGAR and score 0. A local one that found nothing is empty, with all
/// positions 0. A semi-global one is empty if leaving out all of both sequences is best; it begins
/// where it ends (at a[0, 0) and b[n, n), for n letters of `b` and some of `a`, if all four ends
/// are free). A global one is empty only if both sequences are.
struct Alignment {
  std::int64_t score = 0;
  std::int64_t begin_a = 0;
  std::int64_t end_a = 0;
  std::int64_t begin_b = 0;
  std::int64_t end_b = 0;
  std::int64_t matches = 0;       ///< columns with two letters that match, see Substitution
  std::int64_t mismatches = 0;    ///< columns with two others
  std::int64_t gaps = 0;          ///< columns with one letter
  std::int64_t gap_openings = 0;  ///< gaps, however long: runs of `I` or `D`
  /// @brief Extended CIGAR with `b` as the reference and `a` as the query: runs of `=` (letters
  /// that match), `X` (others), `I` (a letter of `a` alone), `D` (a letter of `b` alone).
  std::string cigar;

  /// @brief The CIGAR with `M` for pairs of letters, a match or not, as older programs want it.
  std::string cigar_with_m() const {
    std::string result;
    std::int64_t pairs = 0;
    const auto flush = [&] {
      if (pairs > 0) result += std::to_string(pairs) + 'M';
      pairs = 0;
    };
    const char* position = cigar.data();
    const char* const end = position + cigar.size();
    while (position != end) {
      std::int64_t count = 0;
      const char* const operation = std::from_chars(position, end, count).ptr;
      if (operation == end) break;
      if (*operation == '=' || *operation == 'X') {
        pairs += count;
      } else {
        flush();
        result.append(position, operation + 1);
      }
      position = operation + 1;
    }
    flush();
    return result;
  }

  /// @brief Number of columns.
  std::int64_t length() const { return matches + mismatches + gaps; }
  bool empty() const { return length() == 0; }
  /// @brief Share of the columns that are matches, 0 to 1; 0 for an empty alignment.
  double identity() const {
    return empty() ? 0.0 : static_cast<double>(matches) / static_cast<double>(length());
  }
};

namespace Impl {

/// @brief Builds an alignment's CIGAR and counts from its columns, first to last.
class CigarWriter {
 public:
  explicit CigarWriter(Alignment& alignment) : alignment_(alignment) {}
  void add(char operation, std::int64_t count) {
    if (count == 0) return;
    if (operation != operation_) flush();
    operation_ = operation;
    count_ += count;
  }
  void flush() {
    if (count_ == 0) return;
    alignment_.cigar += std::to_string(count_) + operation_;
    (operation_ == '='   ? alignment_.matches
     : operation_ == 'X' ? alignment_.mismatches
                         : alignment_.gaps) += count_;
    if (operation_ == 'I' || operation_ == 'D') ++alignment_.gap_openings;
    count_ = 0;
  }

 private:
  Alignment& alignment_;
  char operation_ = '=';
  std::int64_t count_ = 0;
};

/// @brief The three lines of text that an alignment consists of, before they are broken. A gap is
/// a zero byte here, because a sequence might hold '-' itself.
struct AlignmentRows {
  std::string a;
  std::string middle;
  std::string b;
};

/// @brief Writes the letters out as the CIGAR says.
/// @throws std::invalid_argument if CIGAR, positions and sequences do not belong together
inline AlignmentRows alignment_rows(const Alignment& alignment, std::string_view a,
                                    std::string_view b) {
  const auto reject_if = [](bool bad, const char* argument, const char* expectation, auto actual) {
    require(!bad, "format_alignment", argument, expectation, actual);
  };
  const auto length_a = static_cast<std::int64_t>(a.size());
  const auto length_b = static_cast<std::int64_t>(b.size());
  reject_if(alignment.begin_a < 0 || alignment.begin_a > alignment.end_a, "alignment",
            "must have 0 <= begin_a <= end_a", alignment.begin_a);
  reject_if(alignment.begin_b < 0 || alignment.begin_b > alignment.end_b, "alignment",
            "must have 0 <= begin_b <= end_b", alignment.begin_b);
  reject_if(alignment.end_a > length_a, "a", "must hold the aligned stretch", length_a);
  reject_if(alignment.end_b > length_b, "b", "must hold the aligned stretch", length_b);

  AlignmentRows rows;
  auto i = static_cast<std::size_t>(alignment.begin_a);
  auto j = static_cast<std::size_t>(alignment.begin_b);
  const auto end_a = static_cast<std::size_t>(alignment.end_a);
  const auto end_b = static_cast<std::size_t>(alignment.end_b);
  const char* position = alignment.cigar.data();
  const char* const end = position + alignment.cigar.size();
  while (position != end) {
    std::size_t count = 0;
    const auto [operation, error] = std::from_chars(position, end, count);
    reject_if(error != std::errc() || operation == end ||
                  std::string_view("=XID").find(*operation) == std::string_view::npos,
              "alignment", "must have a CIGAR of counts followed by =, X, I or D", alignment.cigar);
    const bool takes_a = *operation != 'D';
    const bool takes_b = *operation != 'I';
    reject_if((takes_a && count > end_a - i) || (takes_b && count > end_b - j), "alignment",
              "must have a CIGAR that stays in the aligned stretches", alignment.cigar);
    rows.a += takes_a ? std::string(a.substr(i, count)) : std::string(count, '\0');
    rows.b += takes_b ? std::string(b.substr(j, count)) : std::string(count, '\0');
    rows.middle += std::string(count, *operation == '=' ? '|' : ' ');
    if (takes_a) i += count;
    if (takes_b) j += count;
    position = operation + 1;
  }
  reject_if(i != end_a || j != end_b, "alignment",
            "must have a CIGAR that takes up the aligned stretches", alignment.cigar);
  return rows;
}

}  // namespace Impl

/// @brief The alignment as text in the manner of BLAST.
///
/// A first line sums up; then follow blocks of three lines with at most `width` columns: `a`, a
/// line with `|` under matches, and `b`. Positions at both ends count from 1 and include the
/// letter they stand beside, as biologists read them.
///
///     score 11, identities 7/9 (77.8%), gaps 1/9 (11.1%)
///
///     a   3 GATTA-ACA 10
///           ||||| | |
///     b   1 GATTACAGA 9
///
/// @param alignment what smith_waterman returned
/// @param a, b      the sequences it was computed from, all of them
/// @param width     columns in a line, at least 1
/// @throws std::invalid_argument if width < 1, or the alignment does not fit the sequences
inline std::string format_alignment(const Alignment& alignment, std::string_view a,
                                    std::string_view b, int width = 60) {
  Impl::require(width >= 1, "format_alignment", "width", "must be at least 1", width);
  const Impl::AlignmentRows rows = Impl::alignment_rows(alignment, a, b);

  const auto share = [&](std::int64_t count) {
    const auto length = alignment.length();
    char percent[16];
    std::snprintf(
        percent, sizeof percent, "%.1f",
        length == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(length));
    return std::to_string(count) + "/" + std::to_string(length) + " (" + percent + "%)";
  };
  std::string text = "score " + std::to_string(alignment.score) + ", identities " +
                     share(alignment.matches) + ", gaps " + share(alignment.gaps) + "\n";

  const std::size_t digits =
      std::max(std::to_string(alignment.end_a).size(), std::to_string(alignment.end_b).size());
  const auto columns = static_cast<std::size_t>(width);
  std::int64_t next_a = alignment.begin_a;
  std::int64_t next_b = alignment.begin_b;
  const auto add_line = [&](char name, const std::string& row, std::size_t first,
                            std::int64_t& next) {
    std::string letters = row.substr(first, columns);
    const auto gaps = std::count(letters.begin(), letters.end(), '\0');
    const auto taken = static_cast<std::int64_t>(letters.size()) - gaps;
    std::replace(letters.begin(), letters.end(), '\0', '-');
    const std::string begin = std::to_string(taken > 0 ? next + 1 : next);
    next += taken;
    text += std::string(1, name) + "  " +
            std::string(digits - std::min(digits, begin.size()), ' ') + begin + " " + letters +
            " " + std::to_string(next) + "\n";
  };
  for (std::size_t first = 0; first < rows.middle.size(); first += columns) {
    text += "\n";
    add_line('a', rows.a, first, next_a);
    std::string middle = rows.middle.substr(first, columns);
    middle.erase(middle.find_last_not_of(' ') + 1);
    text += std::string(4 + digits, ' ') + middle + "\n";
    add_line('b', rows.b, first, next_b);
  }
  return text;
}

}  // namespace wavescan

#endif
