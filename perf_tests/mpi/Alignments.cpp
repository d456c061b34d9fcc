// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Align.hpp>
#include <WaveScan_MPI_Align.hpp>
#include <string>

#include "Distributed.hpp"

namespace distributed {

/// @brief Scores and paths of local alignments of two sequences of `n` letters, related ones: of
/// the whole of them on all processes, and on each of them by itself. Times of the latter over
/// those of the former are speed-ups.
void alignments(std::int64_t n) {
  std::uint32_t state = 1;
  const auto random = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
  std::string text_a, text_b;
  for (std::int64_t k = 0; k < n; ++k) {
    text_a += "ACGT"[random() % 4];
    text_b += random() % 20 == 0 ? 'A' : text_a.back();
    if (random() % 200 == 0) text_b.pop_back();
  }
  const auto on_device = [](const std::string& text) {
    const Kokkos::View<char*, Exec> letters("letters", text.size());
    Kokkos::deep_copy(letters,
                      Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
    return letters;
  };
  const auto a = on_device(text_a), b = on_device(text_b);
  const auto first_of = [&](int rank) {
    return b.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(processes);
  };
  const auto part_on = [&](MPI_Comm comm) {
    return Kokkos::subview(b, comm == self
                                  ? Kokkos::pair(std::size_t(0), b.size())
                                  : Kokkos::pair(first_of(own_rank), first_of(own_rank + 1)));
  };
  for (const auto& [name, gap] : {std::pair{"linear gaps", wavescan::AffineGap(0, 2)},
                                  {"affine gaps", wavescan::AffineGap(2, 1)}}) {
    const wavescan::Scoring<> scoring{.substitution = {1, -1}, .gap = gap};
    const std::string what = ", " + std::to_string(n) + "^2, " + name;
    report(
        "Smith-Waterman" + what,
        [&](MPI_Comm comm) { wavescan::mpi::align_score(comm, Exec(), a, part_on(comm), scoring); },
        [&] { wavescan::align_score(Exec(), a, b, scoring); });
    report(
        "its path" + what,
        [&](MPI_Comm comm) { wavescan::mpi::align(comm, Exec(), a, part_on(comm), scoring); },
        [&] { wavescan::align(Exec(), a, b, scoring); });
  }
}

}  // namespace distributed
