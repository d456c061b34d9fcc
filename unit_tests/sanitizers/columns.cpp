// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Tridiagonal.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <cstddef>

#include "mixture.hpp"

namespace wavescan::Test {
namespace {

/// @brief Solves systems that are new, cyclic and factorized.
template <class T, class Layout>
void solve_columns(int systems, int length) {
  using Columns = Kokkos::View<T**, Layout, Exec>;
  const auto rows = static_cast<std::size_t>(systems), size = static_cast<std::size_t>(length);
  const Columns off("off", rows, size), diagonal("diagonal", rows, size), x("x", rows, size);
  Kokkos::deep_copy(off, T(-1));
  Kokkos::deep_copy(diagonal, T(4));
  Kokkos::deep_copy(x, T(1));
  const TridiagonalOptions options;
  tridiagonal_solve(off, diagonal, off, x, x);
  tridiagonal_solve(off, diagonal, off, x, x, options.cyclic());
  Tridiagonal(Exec(), off, diagonal, off, options.transposed()).solve(x, x);
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
  solve_all<double>(3, 4000);
  solve_all<float>(2, 9000);
}

}  // namespace wavescan::Test
