// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR3D.hpp>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

/// @brief Several pencils and bundles in both directions in which they hand on, of four sweeps, two
/// and one.
template <class T>
void relax_boxes() {
  const Kokkos::View<T***, Kokkos::LayoutRight, Exec> x("x", 24, 72, 144), b("b", 24, 72, 144);
  for (const int sweeps : {5, 2})
    sor_sweeps(Exec(), x, poisson_3d<T>(1.2, 1), sweeps, SORInputs().rhs(b));
  const Kokkos::View<T***, Kokkos::LayoutRight, Exec> short_rows("x", 40, 30, 36);
  sor_sweeps(Exec(), short_rows, poisson_3d<T>(1.2, 1), 1);
}

}  // namespace

void run_sor3d() {
  relax_boxes<float>();
  relax_boxes<double>();
}

}  // namespace wavescan::Test
