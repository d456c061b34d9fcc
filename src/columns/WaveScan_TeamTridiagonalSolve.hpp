// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEAMTRIDIAGONALSOLVE_HPP
#define WAVESCAN_TEAMTRIDIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// @file
/// @brief Tridiagonal systems inside kernels of users.

namespace wavescan {

/// @brief Solves a tridiagonal system by the calling thread: x holds the right-hand side before and
/// the solution after; `upper` is overwritten.
///
/// Thomas' algorithm, without pivoting. Work: O(n), with a division for each row.
///
/// @param lower, diagonal Views of rank 1, or whatever has lower(i); lower(0) is not read
/// @param upper, x        Views of rank 1 of the same floating-point type
template <class Lower, class Diagonal, class Upper, class X>
KOKKOS_FUNCTION void serial_tridiagonal_solve(const Lower& lower, const Diagonal& diagonal,
                                              const Upper& upper, const X& x) {
  using T = typename X::non_const_value_type;
  using namespace Impl::columns;
  const auto n = static_cast<Impl::Index>(x.extent(0));
  Equation<T> e{T(0), T(0), T(0)};
  for (Impl::Index i = 0; i < n; ++i) {
    const T left = i == 0 ? T(0) : T(lower(i)), right = i == n - 1 ? T(0) : T(upper(i));
    e = eliminate_before(e, FactoredRow<T>::of(left, T(diagonal(i)), right, e), T(x(i)));
    x(i) = e.known;
    upper(i) = e.right;
  }
  for (Impl::Index i = n - 2; i >= 0; --i) x(i) = x(i) - upper(i) * x(i + 1);
}

/// @brief Bytes of team scratch, level 0, that `team_tridiagonal_solve` takes.
template <class T>
std::size_t team_tridiagonal_shmem_size(int team_size) {
  return static_cast<std::size_t>(team_size) * sizeof(Impl::columns::Ends<T>) +
         alignof(Impl::columns::Ends<T>);
}

/// @brief Solves a tridiagonal system by the threads of a team, all of which call it: x holds the
/// right-hand side before and the solution after, for all of them; `lower` and `upper` are
/// overwritten.
///
/// Each thread eliminates in a run of rows, one of them solves for the last unknowns of all runs,
/// and each substitutes in its own. Without pivoting. Work: O(n), with three barriers; O(n /
/// threads + threads) steps.
///
/// @param team            whose policy has `team_tridiagonal_shmem_size` bytes of scratch, level 0,
///                        a team, for each call that a kernel makes
/// @param diagonal        View of rank 1, or whatever has diagonal(i)
/// @param lower, upper, x Views of rank 1 of the same floating-point type, in memory that the whole
///                        team reaches; the first entry of `lower` and the last one of `upper` are
///                        not read
template <class Team, class Lower, class Diagonal, class Upper, class X>
KOKKOS_FUNCTION void team_tridiagonal_solve(const Team& team, const Lower& lower,
                                            const Diagonal& diagonal, const Upper& upper,
                                            const X& x) {
  using T = typename X::non_const_value_type;
  using namespace Impl::columns;
  using Index = Impl::Index;
  const auto n = static_cast<Index>(x.extent(0));
  const Index threads = team.team_size(), runs = n < threads ? n : threads;
  const Index rank = team.team_rank();
  const Index begin = n * rank / (runs > 0 ? runs : 1),
              end = n * (rank + 1) / (runs > 0 ? runs : 1);
  const Kokkos::View<Ends<T>*, typename Team::scratch_memory_space,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      ends(team.team_scratch(0), static_cast<std::size_t>(threads));
  team.team_barrier();
  if (rank < runs)
    Kokkos::single(Kokkos::PerThread(team), [&] {
      auto e = Equation<T>::is_left();
      for (Index i = begin; i < end; ++i) {
        const T left = i == 0 ? T(0) : T(lower(i)), right = i == n - 1 ? T(0) : T(upper(i));
        e = eliminate_before(e, FactoredRow<T>::of(left, T(diagonal(i)), right, e), T(x(i)));
        x(i) = e.known;
        lower(i) = e.left;
        upper(i) = e.right;
      }
      auto first = Equation<T>::is_right();
      for (Index i = end - 2; i >= begin; --i)
        first = eliminate_after({T(lower(i)), T(upper(i)), T(x(i))}, first);
      ends(rank) = {e, first};
    });
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    Equation<T> e{T(0), T(0), T(0)};
    for (Index run = 0; run < runs; ++run) {
      const Equation<T> after =
          run == runs - 1 ? Equation<T>{T(0), T(0), T(0)} : ends(run + 1).first;
      const Equation<T> own = ends(run).beside(after);
      e = eliminate_before(e, FactoredRow<T>::of(own.left, T(1), own.right, e), own.known);
      ends(run).last = e;
    }
    for (Index run = runs - 2; run >= 0; --run)
      ends(run).last.known -= ends(run).last.right * ends(run + 1).last.known;
  });
  team.team_barrier();
  if (rank < runs)
    Kokkos::single(Kokkos::PerThread(team), [&] {
      const T before = rank == 0 ? T(0) : ends(rank - 1).last.known;
      T after = ends(rank).last.known;
      x(end - 1) = after;
      for (Index i = end - 2; i >= begin; --i) {
        after = Equation<T>{T(lower(i)), T(upper(i)), T(x(i))}.value(before, after);
        x(i) = after;
      }
    });
  team.team_barrier();
}

}  // namespace wavescan

#endif
