// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Sor.hpp"

namespace distributed {
namespace {

template <class T>
void parts(const std::string& type, std::int64_t n) {
  using namespace wavescan::Impl;
  const Exec exec;
  const auto comm = mpi::Communicator::duplicate("perf", world);
  const mpi::Transport<Exec> transport(exec, comm);
  const auto c = wavescan::poisson<T>(1, 1);
  mpi::FusedSweeps<Exec, T> fused(exec, n + 2, n + 2);
  if (fused.band() == 0) return;
  const Index line = std::max<Index>(fused.band(), 64) / fused.band() * fused.band();
  const Index rows = n + line + 8;
  const Matrix<T> x("x", extent(rows + 2), extent(n + 2)),
      to("to", extent(rows + 2), extent(n + 2));
  fill_with_noise(x);
  wavescan::SOR<Exec, T> plain(exec, n + 2, n + 2), extended(exec, rows + 2, n + 2);
  const auto own = Kokkos::subview(x, Kokkos::make_pair(std::int64_t(0), n + 2), Kokkos::ALL);
  print_part("16 sweeps of a block, " + type, seconds_of([&] { plain.sweeps(own, c, 16); }));
  print_part("16 sweeps of an extended block, " + type,
             seconds_of([&] { extended.sweeps(x, c, 16); }));
  const auto problem = sor::make_problem<Exec>("perf", "x", x, c, wavescan::SORInputs<>());
  fused.reserve(exec, rows + 2, n + 2);
  const Kokkos::View<T*> lines("lines", extent(16 * (n + 2)));
  const int depth = fused.depth(problem, 8);
  const auto sweep = [&](Index entering, Index leaving) {
    fused.sweep(exec, problem, wavescan::grid_of(to), depth,
                {{entering, lines.data()}, {leaving, lines.data() + 8 * (n + 2)}, {}, {}});
    fused.speculation_valid(exec);
  };
  if (depth > 0) {
    const std::string name = std::to_string(depth) + " fused sweeps, " + type;
    print_part(name, seconds_of([&] { sweep(0, 0); }));
    print_part(name + ", that export lines",
               seconds_of([&] { sweep(line, n / fused.band() * fused.band()); }));
    // What would be left to do when edges have come, were the rest swept meanwhile.
    const Index rows_of_strip = 2 * line;
    wavescan::SOR<Exec, T> strip(exec, rows_of_strip + 2, n + 2);
    const auto edge =
        Kokkos::subview(x, Kokkos::make_pair(Index(0), rows_of_strip + 2), Kokkos::ALL);
    print_part(
        std::to_string(depth) + " sweeps of " + std::to_string(rows_of_strip) + " rows, " + type,
        seconds_of([&] { strip.sweeps(edge, c, depth); }));
  }
  mpi::Extension e;
  const bool predecessor = own_rank > 0, successor = own_rank + 1 < processes;
  e.rows = {predecessor, successor, n - (predecessor ? 0 : line), line, 8, line};
  e.columns = {false, false, n};
  e.number_ranks(own_rank, 1, 1);
  mpi::EdgeExchange<Exec, T> edges;
  edges.reserve(transport, e);
  const auto all = mpi::grid_in(x, e.rows.all(), e.columns.all());
  print_part("edges of an extended block, " + type,
             seconds_of([&] { edges.refresh(transport, e, all, true); }));
}

}  // namespace

void parts_of_sor(std::int64_t n) {
  parts<float>("float", n);
  parts<double>("double", n);
}

}  // namespace distributed
