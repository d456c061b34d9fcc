// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEAMTRIDIAGONALSOLVE_HPP
#define WAVESCAN_TEAMTRIDIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_TeamBandSolve.hpp>
#include <impl/columns/WaveScan_TeamBlockSolve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// @file
/// @brief Tridiagonal, pentadiagonal and block tridiagonal systems inside kernels of users.

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
  Impl::columns::serial_band_solve(
      Impl::columns::TridiagonalViews<Lower, Diagonal, Upper, X>{lower, diagonal, upper, x});
}

/// @brief Solves a pentadiagonal system by the calling thread: x holds the right-hand side before
/// and the solution after; `upper` and `upper2` are overwritten.
///
/// Without pivoting. Work: O(n), with a division for each row.
///
/// @param lower2, lower, diagonal Views of rank 1, or whatever has lower(i); what reaches before
///                                the first unknown is not read
/// @param upper, upper2, x        Views of rank 1 of the same floating-point type
template <class Lower2, class Lower, class Diagonal, class Upper, class Upper2, class X>
KOKKOS_FUNCTION void serial_pentadiagonal_solve(const Lower2& lower2, const Lower& lower,
                                                const Diagonal& diagonal, const Upper& upper,
                                                const Upper2& upper2, const X& x) {
  Impl::columns::serial_band_solve(
      Impl::columns::PentadiagonalViews<Lower2, Lower, Diagonal, Upper, Upper2, X>{
          lower2, lower, diagonal, upper, upper2, x});
}

/// @brief Solves a block tridiagonal system by the calling thread: x holds the right-hand side
/// before and the solution after; `upper` is overwritten.
///
/// With pivoting within blocks, without it between them. Work: O(n size^3).
///
/// @tparam size           of blocks: serial_block_tridiagonal_solve<3>(lower, diagonal, upper, x)
/// @param lower, diagonal Views (i, row, column), or whatever has lower(i, r, c); lower(0, r, c) is
///                        not read
/// @param upper           View (i, row, column); its last block is not read
/// @param x               View (i, row) of the same floating-point type
template <int size, class Lower, class Diagonal, class Upper, class X>
KOKKOS_FUNCTION void serial_block_tridiagonal_solve(const Lower& lower, const Diagonal& diagonal,
                                                    const Upper& upper, const X& x) {
  using Blocks = Impl::columns::TeamBlocks<size, Lower, Diagonal, Upper, X>;
  Blocks{lower, diagonal, upper, x, static_cast<Impl::Index>(x.extent(0))}.solve_alone();
}

/// @brief Bytes of team scratch, level 0, that `team_tridiagonal_solve` takes.
template <class T>
std::size_t team_tridiagonal_shmem_size(int team_size) {
  return Impl::columns::team_scratch_bytes<T, 1>(team_size);
}
/// @brief Bytes of team scratch, level 0, that `team_pentadiagonal_solve` takes.
template <class T>
std::size_t team_pentadiagonal_shmem_size(int team_size) {
  return Impl::columns::team_scratch_bytes<T, 2>(team_size);
}

/// @brief Bytes of team scratch, level 0, that `team_block_tridiagonal_solve` takes.
template <class T, int size>
std::size_t team_block_tridiagonal_shmem_size(int team_size) {
  return Impl::columns::team_scratch_bytes<T, size>(team_size);
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
  Impl::columns::team_band_solve(
      team, Impl::columns::TridiagonalViews<Lower, Diagonal, Upper, X>{lower, diagonal, upper, x});
}

/// @brief Solves a pentadiagonal system as `team_tridiagonal_solve` does; all diagonals but the
/// middle one are overwritten.
/// @param team whose policy has `team_pentadiagonal_shmem_size` bytes of scratch, level 0, a team,
///             for each call that a kernel makes
template <class Team, class Lower2, class Lower, class Diagonal, class Upper, class Upper2, class X>
KOKKOS_FUNCTION void team_pentadiagonal_solve(const Team& team, const Lower2& lower2,
                                              const Lower& lower, const Diagonal& diagonal,
                                              const Upper& upper, const Upper2& upper2,
                                              const X& x) {
  Impl::columns::team_band_solve(
      team, Impl::columns::PentadiagonalViews<Lower2, Lower, Diagonal, Upper, Upper2, X>{
                lower2, lower, diagonal, upper, upper2, x});
}

/// @brief Solves a block tridiagonal system as `team_tridiagonal_solve` does; `lower` and `upper`
/// are overwritten.
/// @tparam size            of blocks: team_block_tridiagonal_solve<3>(team, lower, ...)
/// @param team             whose policy has `team_block_tridiagonal_shmem_size` bytes of scratch,
///                         level 0, a team, for each call that a kernel makes
/// @param diagonal         View (i, row, column), or whatever has diagonal(i, r, c)
/// @param lower, upper, x  Views (i, row, column), and (i, row), of the same floating-point type,
///                         in memory that the whole team reaches
template <int size, class Team, class Lower, class Diagonal, class Upper, class X>
KOKKOS_FUNCTION void team_block_tridiagonal_solve(const Team& team, const Lower& lower,
                                                  const Diagonal& diagonal, const Upper& upper,
                                                  const X& x) {
  using Blocks = Impl::columns::TeamBlocks<size, Lower, Diagonal, Upper, X>;
  Impl::columns::team_solve(
      team, Blocks{lower, diagonal, upper, x, static_cast<Impl::Index>(x.extent(0))});
}

}  // namespace wavescan

#endif
