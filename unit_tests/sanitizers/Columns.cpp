// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_BlockTridiagonal.hpp>
#include <WaveScan_BlockTridiagonalSolve.hpp>
#include <WaveScan_Pentadiagonal.hpp>
#include <WaveScan_PentadiagonalSolve.hpp>
#include <WaveScan_Tridiagonal.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <cstddef>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

/// @brief Solves systems that are new, cyclic and factorized.
template <class T, class Layout>
void solve_columns(int systems, int length) {
  using Columns = Kokkos::View<T**, Layout, Exec>;
  const auto rows = static_cast<std::size_t>(systems), size = static_cast<std::size_t>(length);
  const Columns off("off", rows, size), diagonal("diagonal", rows, size), x("x", rows, size);
  Kokkos::deep_copy(off, T(-1));
  Kokkos::deep_copy(diagonal, T(5));
  Kokkos::deep_copy(x, T(1));
  tridiagonal_solve(off, diagonal, off, x, x);
  tridiagonal_solve(off, diagonal, off, x, x, TridiagonalOptions{.cyclic = true});
  tridiagonal_solve(off, diagonal, off, x, x, TridiagonalOptions{.refinements = 1});
  Tridiagonal(Exec(), off, diagonal, off, TridiagonalOptions{.transposed = true}).solve(x, x);
  pentadiagonal_solve(off, off, diagonal, off, off, x, x,
                      TridiagonalOptions{.cyclic = true, .transposed = true});
  Pentadiagonal(Exec(), off, off, diagonal, off, off).solve(x, x);
}

template <class T>
void solve_all(int systems, int length) {
  solve_columns<T, Kokkos::LayoutRight>(systems, length);
  solve_columns<T, Kokkos::LayoutLeft>(systems, length);
}

}  // namespace

/// Of lanes, of a warp, of a block, of a cluster, and by scans.
void run_columns() {
  for (const int length : {1, 5, 64, 100, 700}) {
    solve_all<float>(9, length);
    solve_all<double>(9, length);
  }
  const Kokkos::View<double** [3][3], Exec> blocks("blocks", 5, 9);
  const Kokkos::View<double** [3], Exec> unknowns("unknowns", 5, 9);
  for (int k = 0; k < 3; ++k)
    Kokkos::deep_copy(Kokkos::subview(blocks, Kokkos::ALL(), Kokkos::ALL(), k, k), 1.0);
  block_tridiagonal_solve(blocks, blocks, blocks, unknowns, unknowns,
                          TridiagonalOptions{.transposed = true});
  BlockTridiagonal(Exec(), blocks, blocks, blocks, TridiagonalOptions{.cyclic = true})
      .solve(unknowns, unknowns);
  solve_all<double>(3, 4000);
  solve_all<float>(2, 9000);
}

}  // namespace wavescan::Test
