// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Fasta.hpp"

#include <cstddef>
#include <string_view>

#include "WaveScanIO_Error.hpp"
#include "WaveScanIO_File.hpp"
#include "WaveScanIO_Gzip.hpp"

namespace wavescan_io {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Not std::toupper: the letters of FASTA do not depend on the locale.
constexpr char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

bool is_legal(char letter, Alphabet alphabet) {
  constexpr std::string_view nucleotides = "ACGTURYSWKMBDHVN";
  if (alphabet == Alphabet::Nucleotide) return nucleotides.find(letter) != std::string_view::npos;
  return (letter >= 'A' && letter <= 'Z') || letter == '*';
}

std::string shown(char letter) {
  if (letter > ' ' && letter <= '~') return std::string("'") + letter + "'";
  return "of code " + std::to_string(static_cast<unsigned char>(letter));
}

}  // namespace

std::vector<FastaRecord> read_fasta(const std::filesystem::path& file, Alphabet alphabet) {
  const std::string bytes = gunzipped(file, read_bytes(file));
  std::vector<FastaRecord> records;
  const auto check_last_record = [&] {
    if (!records.empty() && records.back().sequence.empty())
      throw FileError(file, "record '" + records.back().name + "' has no letters");
  };
  std::size_t line_number = 0;
  for (std::string_view rest(bytes); !rest.empty();) {
    ++line_number;
    const auto end = rest.find('\n');
    const auto line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const auto fail = [&](const std::string& what) {
      throw FileError(file, "line " + std::to_string(line_number) + ": " + what);
    };
    if (line.empty()) continue;
    if (line[0] == '>') {
      check_last_record();
      const auto title = trimmed(line.substr(1));
      const auto space = title.find_first_of(blanks);
      records.push_back({std::string(title.substr(0, space)), "", ""});
      if (space != std::string_view::npos)
        records.back().description = trimmed(title.substr(space));
      continue;
    }
    if (records.empty()) fail("expected a title line that starts with '>'");
    for (const char letter : line) {
      const char c = upper(letter);
      if (!is_legal(c, alphabet))
        fail("illegal letter " + shown(letter) +
             (alphabet == Alphabet::Nucleotide ? " in a nucleotide sequence"
                                               : " in a protein sequence"));
      records.back().sequence += c;
    }
  }
  if (records.empty()) throw FileError(file, "holds no FASTA record");
  check_last_record();
  return records;
}

}  // namespace wavescan_io
