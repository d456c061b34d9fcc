// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Aligns the sequences of two FASTA files, for example whole mitochondrial genomes:
//
//     WaveScan_example_align humanMito.fa mouseMito.fa
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cctype>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

// The first sequence of a FASTA file, in upper case.
std::string read_sequence(const std::string& file) {
  std::ifstream in(file);
  std::string line, sequence;
  if (!std::getline(in, line) || line.empty() || line[0] != '>')
    throw std::runtime_error(file + ": not a FASTA file");
  while (std::getline(in, line) && (line.empty() || line[0] != '>'))
    for (const char letter : line)
      if (std::isalpha(static_cast<unsigned char>(letter)))
        sequence += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return sequence;
}

// The same letters where kernels run.
Kokkos::View<char*> letters(const std::string& sequence) {
  Kokkos::View<char*> view("letters", sequence.size());
  Kokkos::deep_copy(view,
                    Kokkos::View<const char*, Kokkos::HostSpace>(sequence.data(), sequence.size()));
  return view;
}

// Transitions (A-G, C-T) are the most frequent mutations and cost less than transversions. All
// other letters stand for several bases and count as nothing.
struct Bases {
  KOKKOS_FUNCTION static bool is_purine(char base) { return base == 'A' || base == 'G'; }
  KOKKOS_FUNCTION static bool is_base(char base) {
    return is_purine(base) || base == 'C' || base == 'T';
  }
  KOKKOS_FUNCTION int operator()(char a, char b) const {
    if (!is_base(a) || !is_base(b)) return 0;
    if (a == b) return 5;
    return is_purine(a) == is_purine(b) ? -2 : -4;
  }
};

void align(const std::string& file_a, const std::string& file_b) {
  const std::string a = read_sequence(file_a), b = read_sequence(file_b);
  const Kokkos::View<char*> letters_a = letters(a), letters_b = letters(b);

  const Kokkos::Timer timer;
  const wavescan::Alignment alignment =
      wavescan::smith_waterman(letters_a, letters_b, Bases{}, wavescan::LinearGap{6});
  const double seconds = timer.seconds();

  std::printf("a: %s, %zu letters\nb: %s, %zu letters\n", file_a.c_str(), a.size(), file_b.c_str(),
              b.size());
  std::printf("aligned in %.2f s\n\n", seconds);
  std::printf("%s", wavescan::format_alignment(alignment, a, b).c_str());
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s a.fa b.fa\n", argv[0]);
    return 2;
  }
  try {
    align(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
