// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <impl/WaveScan_MPI_Library.hpp>
#include <vector>

#include "WaveScanTest_Random.hpp"

/// @file
/// @brief Blocks of arrays for tests: every process draws the same random numbers, knows the whole
/// array and takes its own part of it.

namespace wavescan::Test {

using Exec = Kokkos::DefaultExecutionSpace;
/// @brief What kernels work on and tests look at.
using Shared = Kokkos::Device<Exec, Kokkos::SharedSpace>;

inline const MPI_Comm world = MPI_COMM_WORLD;

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// @brief The blocks of a dimension: process r has [first(r), first(r + 1)).
struct Distribution {
  std::vector<std::int64_t> firsts;
  std::int64_t first(int rank) const { return firsts[static_cast<std::size_t>(rank)]; }
  std::int64_t count(int rank) const { return first(rank + 1) - first(rank); }
  std::int64_t all() const { return firsts.back(); }

  /// @brief Blocks of any lengths up to `longest`; many are empty, or have one element.
  static Distribution random(Random& random, int processes, std::int64_t longest) {
    Distribution d{{0}};
    for (int r = 0; r < processes; ++r) {
      const std::int64_t kind = random.integer(0, 4);
      const std::int64_t count = kind == 0 ? 0 : kind == 1 ? 1 : random.integer(0, longest);
      d.firsts.push_back(d.firsts.back() + count);
    }
    return d;
  }
  /// @brief Blocks of at least `least`.
  static Distribution at_least(Random& random, int processes, std::int64_t least,
                               std::int64_t longest) {
    Distribution d{{0}};
    for (int r = 0; r < processes; ++r)
      d.firsts.push_back(d.firsts.back() + random.integer(least, longest));
    return d;
  }
};

/// @brief Whether something holds on all processes; all of them then end a test together.
inline bool everywhere(MPI_Comm comm, bool holds) {
  int mine = holds ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == 1;
}

}  // namespace wavescan::Test
