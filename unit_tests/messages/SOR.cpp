// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>
#include <WaveScan_Wavefront.hpp>

// Mistakes, each below the beginning of what the compiler must say to it.

using Floats = Kokkos::View<float**>;
using Doubles = Kokkos::View<double**>;

void coefficients_of_another_type(const Floats& x) {
  // error: WaveScan: the coefficients must be SORCoefficients, NinePointCoefficients or variable
  // ones, of the type of x's elements: for a View of float, poisson<float>(omega, h)
  wavescan::sor_solve(x, wavescan::poisson<double>(1, 1));
}

void coefficients_of_a_box(const Kokkos::View<float***>& x) {
  // error: WaveScan: the coefficients must be SORCoefficients3D or VariableCoefficients3D, of the
  // type of x's elements: for a View of float, poisson_3d<float>(omega, h)
  wavescan::sor_sweeps(x, wavescan::poisson<float>(1, 1), 1);
}

void right_hand_side_of_another_type(const Floats& x, const Doubles& b) {
  // error: WaveScan: 'rhs' must have the value type of 'x'
  wavescan::sor_solve(x, wavescan::poisson<float>(1, 1), wavescan::SORInputs().rhs(b));
}

void mask_of_floats(const Floats& x, const Floats& fixed) {
  // error: WaveScan: 'mask' must hold bool or an integral type
  wavescan::sor_residual(x, wavescan::poisson<float>(1, 1), wavescan::SORInputs().mask(fixed));
}

void constant_unknowns(const Floats::const_type& x) {
  // error: WaveScan: 'x' must have elements of the plan's type that are not const
  wavescan::sor_sweeps(x, wavescan::poisson<float>(1, 1), 1);
}

void unknowns_of_integers(const Kokkos::View<int**>& x) {
  // error: WaveScan: SOR works on float or double
  wavescan::sor_sweeps(x, wavescan::poisson<float>(1, 1), 1);
}

void coefficients_that_need_no_look(const Floats& x) {
  // error: WaveScan: check_coefficients looks at VariableCoefficients
  wavescan::check_coefficients(Floats::execution_space(), x, wavescan::poisson<float>(1, 1));
}

struct NoLoop {
  using algebra_type = wavescan::Plus<float>;
};
void no_loop(const Floats& x) {
  // error: WaveScan: a loop needs algebra_type (an Algebra or an Operator) and partial(i, j, up,
  // up_left, [up_right,] old) that returns its value_type
  wavescan::wavefront(NoLoop(), x);
}
