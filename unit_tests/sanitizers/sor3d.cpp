// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR3D.hpp>

#include "mixture.hpp"

namespace wavescan::Test {
namespace {

/// @brief Several pencils in both directions of their faces, of four sweeps, two and one.
template <class T>
void relax_box() {
  const Kokkos::View<T***, Kokkos::LayoutRight, Exec> x("x", 24, 72, 144), b("b", 24, 72, 144);
  for (const int sweeps : {5, 2})
    sor_sweeps(Exec(), x, poisson_3d<T>(1.2, 1), sweeps, SORInputs().rhs(b));
}

}  // namespace

void run_sor3d() {
  relax_box<float>();
  relax_box<double>();
}

}  // namespace wavescan::Test
