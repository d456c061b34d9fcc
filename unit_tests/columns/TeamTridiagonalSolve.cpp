// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Batch.hpp"
#include "Blocks.hpp"
#include "Reference.hpp"

#include <WaveScan_TeamTridiagonalSolve.hpp>

#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace columns_team {

using namespace columns;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
using Rows = Kokkos::View<T**>;

/// A system for each row of Views, solved inside a kernel.
template <class T>
struct Solve {
  Rows<T> a, b, c, x;
  KOKKOS_FUNCTION void operator()(int l) const {
    wavescan::serial_tridiagonal_solve(
        Kokkos::subview(a, l, Kokkos::ALL()), Kokkos::subview(b, l, Kokkos::ALL()),
        Kokkos::subview(c, l, Kokkos::ALL()), Kokkos::subview(x, l, Kokkos::ALL()));
  }
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    const int l = team.league_rank();
    wavescan::team_tridiagonal_solve(
        team, Kokkos::subview(a, l, Kokkos::ALL()), Kokkos::subview(b, l, Kokkos::ALL()),
        Kokkos::subview(c, l, Kokkos::ALL()), Kokkos::subview(x, l, Kokkos::ALL()));
  }
};

template <class T>
void solve(std::size_t n, int team_size) {
  SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(team_size));
  constexpr std::size_t lines = 9;
  std::vector<System<T>> systems;
  for (std::size_t l = 0; l < lines; ++l) systems.emplace_back(std::int64_t(n), l);
  const Solve<T> each{
      view_of<Rows<T>>(systems, &System<T>::a, 1), view_of<Rows<T>>(systems, &System<T>::b, 1),
      view_of<Rows<T>>(systems, &System<T>::c, 1), view_of<Rows<T>>(systems, &System<T>::d, 1)};
  if (team_size == 0) {
    Kokkos::parallel_for("serial", Kokkos::RangePolicy<Exec>(0, lines), each);
  } else {
    Kokkos::TeamPolicy<Exec> policy(lines, team_size, 1);
    policy.set_scratch_size(0,
                            Kokkos::PerTeam(wavescan::team_tridiagonal_shmem_size<T>(team_size)));
    Kokkos::parallel_for("team", policy, each);
  }
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), each.x);
  for (std::size_t l = 0; l < lines; ++l)
    expect_near(line_of<T>(host, l, n, 1), systems[l], "in a kernel");
}

/// The same of pentadiagonal systems.
template <class T>
struct SolvePentadiagonal {
  using View = typename Numbers<T>::View;
  View diagonal[5], x;
  template <class Call>
  KOKKOS_FUNCTION void call(int l, const Call& solve) const {
    const auto row = [&](const View& of) { return Kokkos::subview(of, l, Kokkos::ALL()); };
    solve(row(diagonal[0]), row(diagonal[1]), row(diagonal[2]), row(diagonal[3]), row(diagonal[4]),
          row(x));
  }
  KOKKOS_FUNCTION void operator()(int l) const {
    call(l, [](const auto&... rows) { wavescan::serial_pentadiagonal_solve(rows...); });
  }
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    call(team.league_rank(),
         [&](const auto&... rows) { wavescan::team_pentadiagonal_solve(team, rows...); });
  }
};

template <class T>
void solve_pentadiagonal(std::size_t n, int team_size) {
  SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(team_size));
  const Batch<T, 2> batch(5, n);
  const Order order = n % 2 == 0 ? Order::Contiguous : Order::Apart;
  std::vector<Numbers<T>> diagonals;
  SolvePentadiagonal<T> each;
  for (int k = 0; k < 5; ++k) {
    diagonals.push_back(batch.place(batch.diagonal[k], order, 1));
    each.diagonal[k] = diagonals.back().view;
  }
  const auto x = batch.place(batch.right, order, 1);
  each.x = x.view;
  if (team_size == 0) {
    Kokkos::parallel_for("serial", Kokkos::RangePolicy<Exec>(0, 5), each);
  } else {
    Kokkos::TeamPolicy<Exec> policy(5, team_size, 1);
    policy.set_scratch_size(0,
                            Kokkos::PerTeam(wavescan::team_pentadiagonal_shmem_size<T>(team_size)));
    Kokkos::parallel_for("team", policy, each);
  }
  batch.expect_solved(x, "in a kernel");
}

/// The same of systems of blocks.
template <class T, int size>
struct SolveBlocks {
  typename Blocks<T>::Matrices lower, diagonal, upper;
  typename Blocks<T>::Columns x;
  template <class Call>
  KOKKOS_FUNCTION void call(int l, const Call& solve) const {
    const auto matrices = [&](const auto& of) {
      return Kokkos::subview(of, l, Kokkos::ALL(), Kokkos::ALL(), Kokkos::ALL());
    };
    solve(matrices(lower), matrices(diagonal), matrices(upper),
          Kokkos::subview(x, l, Kokkos::ALL(), Kokkos::ALL()));
  }
  KOKKOS_FUNCTION void operator()(int l) const {
    call(l, [](const auto&... of) { wavescan::serial_block_tridiagonal_solve<size>(of...); });
  }
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    call(team.league_rank(),
         [&](const auto&... of) { wavescan::team_block_tridiagonal_solve<size>(team, of...); });
  }
};

template <class T, int size>
void solve_blocks(std::size_t n, int team_size) {
  SCOPED_TRACE("by " + std::to_string(team_size));
  Blocks<T>(4, n, size, 1, n % 2 == 0, false, false)
      .expect_solved([&](const auto& lower, const auto& diagonal, const auto& upper, const auto& x,
                         const auto&...) {
        const SolveBlocks<T, size> each{lower, diagonal, upper, x};
        if (team_size == 0)
          return Kokkos::parallel_for("serial", Kokkos::RangePolicy<Exec>(0, 4), each);
        Kokkos::TeamPolicy<Exec> policy(4, team_size, 1);
        policy.set_scratch_size(
            0, Kokkos::PerTeam(wavescan::team_block_tridiagonal_shmem_size<T, size>(team_size)));
        Kokkos::parallel_for("team", policy, each);
      });
}

template <class T>
class TeamTridiagonalSolve : public testing::Test {};
TYPED_TEST_SUITE(TeamTridiagonalSolve, wavescan::Test::FloatingPointTypes);

TYPED_TEST(TeamTridiagonalSolve, SolvesInKernels) {
  constexpr bool on_host = std::is_same_v<Exec::memory_space, Kokkos::HostSpace>;
  for (const std::size_t n : {1, 2, 3, 17, 64, 257, 1000}) {
    solve<TypeParam>(n, 0);
    solve<TypeParam>(n, 1);
    solve<TypeParam>(n, on_host ? std::min(2, Exec().concurrency()) : 32);
    if (!on_host) solve<TypeParam>(n, 128);
    if (n > 300) continue;
    for (const int team_size : {0, 1, on_host ? std::min(2, Exec().concurrency()) : 32})
      solve_pentadiagonal<TypeParam>(n, team_size);
    if (n > 100) continue;
    for (const int team_size : {0, 1, on_host ? std::min(2, Exec().concurrency()) : 32})
      solve_blocks<TypeParam, 3>(n, team_size);
  }
}

}  // namespace columns_team
