// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_FASTA_HPP
#define WAVESCANIO_FASTA_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace wavescan_io {

/// @brief Which letters a sequence may have.
enum class Alphabet {
  Nucleotide,  ///< A, C, G, T, U and the IUPAC codes R Y S W K M B D H V N for several bases
  Protein      ///< A to Z and * (stop)
};

/// @brief One sequence of a FASTA file.
struct FastaRecord {
  std::string name;         ///< first word of the title line
  std::string description;  ///< the rest of it
  std::string sequence;     ///< in upper case
};

/// @brief Reads all sequences of a FASTA file, which may be compressed by gzip. Lower case letters
/// become upper case; lines may end as on Windows.
/// @throws FileError, with the line, for letters outside the alphabet, text before the first title
/// line, a record without letters, or a file without records
std::vector<FastaRecord> read_fasta(const std::filesystem::path& file, Alphabet alphabet);

}  // namespace wavescan_io

#endif
