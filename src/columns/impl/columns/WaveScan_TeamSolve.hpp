// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_TEAMSOLVE_HPP
#define WAVESCAN_IMPL_COLUMNS_TEAMSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// @file
/// @brief One system by the threads of a team, each of which eliminates in a run of rows.

namespace wavescan::Impl::columns {

template <class T, int M, class Space>
using TeamEnds = Kokkos::View<Ends<T, M>*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// @brief Bytes of scratch for the View of a team's ends, which Kokkos aligns to the size of its
/// elements.
template <class T, int M>
std::size_t team_scratch_bytes(int team_size) {
  using Space = Kokkos::DefaultExecutionSpace::scratch_memory_space;
  return TeamEnds<T, M, Space>::shmem_size(static_cast<std::size_t>(team_size));
}

/// @tparam System eliminates in a run of its n rows, and substitutes in it
template <class Team, class System>
KOKKOS_FUNCTION void team_solve(const Team& team, const System& system) {
  using T = typename System::T;
  constexpr int M = System::M;
  using S = Square<T, M>;
  using E = Equation<T, M>;
  const Index n = system.n, threads = team.team_size(), rank = team.team_rank(),
              most = n < System::fewest_rows ? (n < 1 ? 0 : 1) : n / System::fewest_rows,
              runs = most < threads ? most : threads;
  const Index begin = n * rank / (runs > 0 ? runs : 1),
              end = n * (rank + 1) / (runs > 0 ? runs : 1);
  const TeamEnds<T, M, typename Team::scratch_memory_space> ends(team.team_scratch(0),
                                                                 static_cast<std::size_t>(threads));
  team.team_barrier();
  if (rank < runs)
    Kokkos::single(Kokkos::PerThread(team), [&] { ends(rank) = system.eliminate(begin, end); });
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    E e = E::is_zero();
    for (Index run = 0; run < runs; ++run) {
      const E own = ends(run).beside(run == runs - 1 ? E::is_zero() : ends(run + 1).first);
      e = eliminate_before(e, FactoredRow<T, M>::of(own.left, S(T(1)), own.right, e), own.known);
      ends(run).last = e;
    }
    for (Index run = runs - 2; run >= 0; --run)
      ends(run).last.known = ends(run).last.known - ends(run).last.right * ends(run + 1).last.known;
  });
  team.team_barrier();
  if (rank < runs)
    Kokkos::single(Kokkos::PerThread(team), [&] {
      const Column<T, M> before = rank == 0 ? Column<T, M>(T(0)) : ends(rank - 1).last.known;
      system.substitute(begin, end, before, ends(rank).last.known);
    });
  team.team_barrier();
}

}  // namespace wavescan::Impl::columns

#endif
