// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SUBSTITUTIONMATRIX_HPP
#define WAVESCAN_SUBSTITUTIONMATRIX_HPP

#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_PublishedMatrices.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// @brief Scores of letters from a table: published ones, of bases with their ambiguity codes, or
/// read from a file.

namespace wavescan {

namespace Impl {
inline char upper_case(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
inline char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
}  // namespace Impl

/// @brief A table of the scores of pairs of letters, at most 32 different ones: a Substitution.
///
/// Upper and lower case are the same. A letter that the table lacks counts as X if the table has
/// that (N for nucleotides), else as *, else it gets the table's least score with every letter.
class SubstitutionMatrix {
 public:
  static constexpr int most_letters = 32;

  /// @brief Scores 0 whatever the letters.
  SubstitutionMatrix() = default;

  /// @brief A table of these letters.
  /// @param letters at most 31, all different, whatever their case
  /// @param scores  row-major: the letter of `a`, then that of `b`
  /// @throws std::invalid_argument if letters come twice or are too many, if there are not as many
  ///         scores as pairs, or if a score is beyond 16 bits
  SubstitutionMatrix(std::string_view letters, const std::vector<int>& scores) {
    const auto reject_unless = [](bool holds, const char* argument, const char* expectation,
                                  auto actual) {
      Impl::require(holds, "SubstitutionMatrix", argument, expectation, actual);
    };
    reject_unless(!letters.empty() && letters.size() < most_letters, "letters",
                  "must be 1 to 31 letters", letters.size());
    reject_unless(scores.size() == letters.size() * letters.size(), "scores",
                  "must be as many as pairs of letters", scores.size());
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    reject_unless(*least >= std::numeric_limits<std::int16_t>::min(), "scores",
                  "must be at least -32768", *least);
    reject_unless(*most <= std::numeric_limits<std::int16_t>::max(), "scores",
                  "must be at most 32767", *most);

    const int count = static_cast<int>(letters.size());
    constexpr std::uint8_t unknown = most_letters;
    std::fill_n(codes_, 256, unknown);
    for (int k = 0; k < count; ++k) {
      const char letter = letters[static_cast<std::size_t>(k)];
      reject_unless(codes_[index(letter)] == unknown, "letters", "must be different ones",
                    std::string(1, letter));
      codes_[index(Impl::upper_case(letter))] = codes_[index(Impl::lower_case(letter))] =
          static_cast<std::uint8_t>(k);
    }
    const auto code_or = [&](char letter, int otherwise) {
      return codes_[index(letter)] == unknown ? otherwise : codes_[index(letter)];
    };
    const bool bases = codes_[index('E')] == unknown && codes_[index('N')] != unknown;
    const int other = code_or(bases ? 'N' : 'X', code_or('*', count));
    std::replace(codes_, codes_ + 256, unknown, static_cast<std::uint8_t>(other));
    std::fill_n(scores_, most_letters * most_letters, static_cast<std::int16_t>(*least));
    for (int x = 0; x < count; ++x)
      for (int y = 0; y < count; ++y)
        scores_[x * most_letters + y] = static_cast<std::int16_t>(
            scores[static_cast<std::size_t>(x) * letters.size() + static_cast<std::size_t>(y)]);
  }

  /// @brief The score of a letter of `a` with one of `b`.
  KOKKOS_FUNCTION int operator()(char a, char b) const {
    return scores_[codes_[static_cast<unsigned char>(a)] * most_letters +
                   codes_[static_cast<unsigned char>(b)]];
  }

  /// @brief Whether two letters are the same: whatever their case, and where U is T, these.
  bool matches(char a, char b) const { return letter_of(a) == letter_of(b); }

  /// @brief U as T, where letters are bases.
  SubstitutionMatrix with_uracil() const {
    SubstitutionMatrix same = *this;
    same.u_is_t_ = true;
    same.codes_[index('U')] = same.codes_[index('u')] = codes_[index('T')];
    return same;
  }

 private:
  static std::size_t index(char letter) { return static_cast<unsigned char>(letter); }
  char letter_of(char c) const {
    const char letter = Impl::upper_case(c);
    return u_is_t_ && letter == 'U' ? 'T' : letter;
  }

  std::int16_t scores_[most_letters * most_letters] = {};
  std::uint8_t codes_[256] = {};
  bool u_is_t_ = false;
};

namespace Impl {

inline SubstitutionMatrix symmetric_matrix(std::string_view letters, const std::int16_t* lower) {
  const std::size_t count = letters.size();
  std::vector<int> scores(count * count);
  for (std::size_t x = 0; x < count; ++x)
    for (std::size_t y = 0; y <= x; ++y) scores[x * count + y] = scores[y * count + x] = *lower++;
  return SubstitutionMatrix(letters, scores);
}

/// @brief The bases that a letter stands for, a bit each; 0 for other letters.
inline int bases_of(char letter) {
  constexpr std::string_view letters = "ACGTURYSWKMBDHVN";
  constexpr int sets[] = {1, 2, 4, 8, 8, 5, 10, 6, 9, 12, 3, 14, 13, 11, 7, 15};
  const std::size_t at = letters.find(letter);
  return at == std::string_view::npos ? 0 : sets[at];
}

}  // namespace Impl

/// @brief A published table by its name.
///
/// BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, PAM120, PAM250 for proteins (24 letters with B, Z, X and
/// *), NUC.4.4 (also EDNAFULL) for nucleotides with their ambiguity codes; values as NCBI
/// distributes them, BLOSUM80 in thirds of a bit. Usual gaps beside them (open + k extend):
/// BLOSUM62 11 and 1, BLOSUM50 13 and 2, BLOSUM45 15 and 2, PAM250 14 and 2.
///
/// @throws std::invalid_argument if there is none of that name
inline SubstitutionMatrix substitution_matrix(std::string_view name) {
  const auto of_proteins = [](const std::int16_t* scores) {
    return Impl::symmetric_matrix(Impl::protein_letters, scores);
  };
  if (name == "BLOSUM45") return of_proteins(Impl::blosum45_scores);
  if (name == "BLOSUM50") return of_proteins(Impl::blosum50_scores);
  if (name == "BLOSUM62") return of_proteins(Impl::blosum62_scores);
  if (name == "BLOSUM80") return of_proteins(Impl::blosum80_scores);
  if (name == "PAM120") return of_proteins(Impl::pam120_scores);
  if (name == "PAM250") return of_proteins(Impl::pam250_scores);
  if (name == "NUC.4.4" || name == "EDNAFULL")
    return Impl::symmetric_matrix(Impl::nucleotide_letters, Impl::nuc44_scores).with_uracil();
  Impl::reject("substitution_matrix", "name",
               "must be BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, PAM120, PAM250 or NUC.4.4", name);
}

/// @brief Scores of nucleotides: A, C, G and T (or U) match or do not; a letter that stands for
/// several bases scores what these do on average, rounded to the nearest number (halves down).
/// @throws std::invalid_argument if a score is beyond 16 bits
inline SubstitutionMatrix nucleotide_matrix(int match, int mismatch) {
  for (const auto& [name, score] : {std::pair("match", match), std::pair("mismatch", mismatch)})
    Impl::require(score >= std::numeric_limits<std::int16_t>::min() &&
                      score <= std::numeric_limits<std::int16_t>::max(),
                  "nucleotide_matrix", name, "must be from -32768 to 32767", score);
  constexpr std::string_view letters = "ACGTRYSWKMBDHVN";
  std::vector<int> scores;
  for (const char x : letters)
    for (const char y : letters) {
      int pairs = 0, equal = 0;
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) {
          if ((Impl::bases_of(x) >> p) % 2 == 0 || (Impl::bases_of(y) >> q) % 2 == 0) continue;
          ++pairs;
          equal += p == q;
        }
      const double mean =
          (static_cast<double>(match) * equal + static_cast<double>(mismatch) * (pairs - equal)) /
          pairs;
      scores.push_back(static_cast<int>(std::ceil(mean - .5)));
    }
  return SubstitutionMatrix(letters, scores).with_uracil();
}

/// @brief A table in the format of NCBI: lines that begin with # are comments; the first other one
/// names the letters of the columns, each further one a letter and its scores. Rows are letters of
/// `a`; they may come in any order, but for each column's letter there must be one.
///
/// @param text the file's content, with any line ends
/// @throws std::invalid_argument that names the line, if it is anything else
inline SubstitutionMatrix parse_substitution_matrix(std::string_view text) {
  std::string letters;
  std::vector<int> scores;
  std::vector<bool> found;
  std::size_t line_number = 0;
  const auto fail = [&](const std::string& expectation, std::string_view actual) {
    Impl::reject("parse_substitution_matrix", "text",
                 "line " + std::to_string(line_number) + ": " + expectation, actual);
  };
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::vector<std::string_view> words;
    for (std::size_t at = 0;
         (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
      const std::size_t stop = std::min(line.find_first_of(" \t\r", at), line.size());
      words.push_back(line.substr(at, stop - at));
      at = stop;
    }
    if (words.empty() || words[0][0] == '#') continue;
    if (letters.empty()) {
      for (const std::string_view word : words) {
        if (word.size() != 1) fail("expected single letters as names of columns", word);
        if (letters.find(Impl::upper_case(word[0])) != std::string::npos ||
            letters.find(Impl::lower_case(word[0])) != std::string::npos)
          fail("a column comes twice", word);
        letters += word[0];
      }
      if (letters.size() >= SubstitutionMatrix::most_letters)
        fail("expected at most 31 columns", std::to_string(letters.size()));
      scores.resize(letters.size() * letters.size());
      found.resize(letters.size());
      continue;
    }
    if (words[0].size() != 1 || letters.find(words[0][0]) == std::string::npos)
      fail("expected a letter that names a column", words[0]);
    const std::size_t row = letters.find(words[0][0]);
    if (found[row]) fail("a row comes twice", words[0]);
    if (words.size() != letters.size() + 1)
      fail("expected " + std::to_string(letters.size()) + " scores",
           std::to_string(words.size() - 1));
    for (std::size_t k = 1; k < words.size(); ++k) {
      int score = 0;
      const char* const begin = words[k].data() + (words[k][0] == '+' ? 1 : 0);
      const char* const stop = words[k].data() + words[k].size();
      const auto [rest, error] = std::from_chars(begin, stop, score);
      if (error != std::errc() || rest != stop || score < -32768 || score > 32767)
        fail("expected a whole number of 16 bits", words[k]);
      scores[row * letters.size() + k - 1] = score;
    }
    found[row] = true;
  }
  if (letters.empty()) fail("expected a line of letters", "the end");
  const auto missing = std::find(found.begin(), found.end(), false);
  if (missing != found.end())
    fail("expected a row for each column",
         std::string("no row ") + letters[static_cast<std::size_t>(missing - found.begin())]);
  return SubstitutionMatrix(letters, scores);
}

}  // namespace wavescan

#endif
