// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <impl/WaveScan_MPI_Library.hpp>
#include <limits>
#include <string>

/// @file
/// @brief How the program measures, and what it does.

namespace distributed {

using Exec = Kokkos::DefaultExecutionSpace;
inline const MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
inline int own_rank = 0, processes = 0;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight>;

inline std::size_t extent(std::int64_t n) { return static_cast<std::size_t>(n); }

/// @brief The least of several times, each that of the slowest process.
template <class Work>
double seconds_of(const Work& work) {
  double least = std::numeric_limits<double>::max(), all = 0;
  for (int turn = 0; turn < 4 || (turn < 50 && all < 0.7); ++turn) {
    MPI_Barrier(world);
    const Kokkos::Timer timer;
    work();
    Kokkos::fence();
    double seconds = timer.seconds();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world);
    all += seconds;
    if (turn > 0) least = std::min(least, seconds);
  }
  return least;
}

inline void print_header(const char* title) {
  if (own_rank == 0)
    std::printf("\n%-46s %10s %10s %10s %8s %8s %8s\n", title, "all, ms", "self, ms", "plain, ms",
                "to self", "to plain", "model");
}
inline void print_line(const std::string& name, double together, double on_self, double plain,
                       double model) {
  if (own_rank > 0) return;
  std::printf("%-46s %10.3f %10.3f %10.3f %8.3f %8.3f", name.c_str(), 1e3 * together, 1e3 * on_self,
              1e3 * plain, on_self / together, plain / together);
  if (model > 0) std::printf(" %8.3f", model);
  std::printf("\n");
  std::fflush(stdout);
}

/// @param work does the distributed operation over a communicator
/// @param local does the operation of one process
template <class Work, class Local>
void report(const std::string& name, const Work& work, const Local& local, double model = 0) {
  const double plain = seconds_of(local);
  const double on_self = seconds_of([&] { work(self); });
  print_line(name, seconds_of([&] { work(world); }), on_self, plain, model);
}

/// @brief What a step of an operation takes that processes do beside the work of one.
inline void print_part(const std::string& name, double seconds) {
  if (own_rank == 0) std::printf("%-60s %10.3f\n", name.c_str(), 1e3 * seconds);
}

// With so many elements, or rows and columns, for each process.

void transport();
void scans(std::int64_t n);
void parts_of_scans(std::int64_t n);
void tables(std::int64_t n);
void parts_of_tables(std::int64_t n);
void selections(std::int64_t n);
/// @brief Two sequences of n letters on all processes, and on each of them by itself, as `strong`.
void alignments(std::int64_t n);
void sor_of_float(std::int64_t n);
void sor_of_double(std::int64_t n);
void parts_of_sor(std::int64_t n);
/// @brief A grid of (2 n)^2 on all processes, and on each of them by itself: times of the latter
/// over those of the former are speed-ups.
void strong(std::int64_t n);
void solutions();

}  // namespace distributed
