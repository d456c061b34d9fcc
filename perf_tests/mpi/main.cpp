// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// What distribution costs: mpirun -np P WaveScan_perf_mpi [SIZE [WHAT...]]. Every process has
// SIZE^2 points, or elements (by default 2048^2). WHAT is some of transport, parts, scans, tables,
// selections, alignments, sor, sor_double, strong, solutions; by default all.
//
// A line has the time of all processes working on the whole array; that of the same distributed
// operation on one process, which all do at once with blocks of their own; that of the plan for one
// process; and the first of these over the second and third, which are efficiencies of weak scaling
// (of processes of one machine that share its memory, too).
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "Distributed.hpp"

int main(int argc, char** argv) {
  using namespace distributed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &own_rank);
  MPI_Comm_size(world, &processes);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const std::int64_t n = argc > 1 ? std::atoi(argv[1]) : 2048;
    const std::set<std::string> chosen(argv + std::min(argc, 2), argv + argc);
    const auto is_chosen = [&](const char* what) {
      return chosen.empty() || chosen.count(what) > 0;
    };
    char title[80];
    std::snprintf(title, sizeof title, "%d processes, %ld^2 each, %s", processes,
                  static_cast<long>(n), Exec::name());
    if (is_chosen("transport")) transport();
    if (is_chosen("parts")) {
      if (own_rank == 0) std::printf("\n%-60s %10s\n", "parts of operations", "ms");
      parts_of_scans(n * n);
      parts_of_tables(n);
      parts_of_sor(n);
    }
    print_header(title);
    if (is_chosen("sor")) sor_of_float(n);
    if (is_chosen("sor_double")) sor_of_double(n);
    if (is_chosen("strong")) strong(n);
    if (is_chosen("scans")) scans(n * n);
    if (is_chosen("tables")) tables(n);
    if (is_chosen("selections")) selections(n * n);
    if (is_chosen("alignments")) alignments(16 * n);
    if (is_chosen("solutions")) solutions();
  }
  MPI_Finalize();
  return 0;
}
