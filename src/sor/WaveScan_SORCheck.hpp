// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORCHECK_HPP
#define WAVESCAN_SORCHECK_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_SORArguments.hpp>
#include <impl/stencil_matrix/WaveScan_MatrixKernels.hpp>

#include <string_view>
#include <type_traits>

/// @file
/// @brief Looks at coefficients that differ from point to point, which sweeps do not.

namespace wavescan {
namespace Impl::sor {

/// @brief Whether a coefficient is not finite where it counts.
template <class Coefficient, class Fixed>
struct NotFinite {
  Coefficient coefficient;
  Fixed fixed;
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(Indices... at) const {
    return !fixed(at...) && !Kokkos::isfinite(coefficient(at...));
  }
};

/// @brief Whether the matrix has a zero on its diagonal where it counts.
template <class Coefficient, class Fixed>
struct NoDiagonal {
  Coefficient center;
  Fixed fixed;
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(Indices... at) const {
    return !fixed(at...) && center(at...) == 1;
  }
};

/// @brief Looks at the fields of a problem, in two dimensions or three.
template <ExecutionSpace Exec, class Problem>
void check_fields(std::string_view operation, const Exec& exec, const Problem& p) {
  const auto reject_if = [&](const char* name, const char* expectation, const char* got,
                             const auto& predicate) {
    const auto wrong =
        stencil_matrix::first_unknown(exec, "WaveScan::sor::check_coefficients", p.x, predicate);
    if (wrong) reject(operation, name, expectation, got + (" at the point " + wrong->point));
  };
  for_each_coefficient(p.coefficients, [&]<class Field>(const char* name, const Field& c) {
    reject_if(name, "must be finite", "NaN or infinity",
              NotFinite<Field, decltype(p.fixed)>{c, p.fixed});
  });
  const auto& center = p.coefficients.center;
  reject_if("coefficients.center", "must not be 1, which means a matrix with zeros on its diagonal",
            "1",
            NoDiagonal<std::remove_cvref_t<decltype(center)>, decltype(p.fixed)>{center, p.fixed});
}

}  // namespace Impl::sor

/// @brief Throws if a sweep with these coefficients would make NaN of finite data, or if the linear
/// system has no diagonal to divide by.
///
/// Sweeps and solves do not look into Views of coefficients; look once where they come from
/// outside. Reads each View once and waits.
///
/// @param exec         execution space instance
/// @param x            View of rank 2 or 3, whose extents the coefficients must have
/// @param coefficients VariableCoefficients, VariableNinePointCoefficients or, of rank 3,
///                     VariableCoefficients3D
/// @param inputs       a mask of fixed points, where nothing is looked at
/// @throws std::invalid_argument naming the first point at which a coefficient is not finite or
/// center is 1, and as sor_sweeps
template <ExecutionSpace Exec, AnyView X, class C, class Rhs = NoInput, class Mask = NoInput>
void check_coefficients(const Exec& exec, const X& x, const C& coefficients,
                        const SORInputs<Rhs, Mask>& inputs = {}) {
  constexpr bool fit =
      Impl::sor::VariableStencilCoefficients<C, SORValue<X>, static_cast<int>(X::rank())>;
  static_assert(fit,
                "WaveScan: check_coefficients looks at VariableCoefficients, "
                "VariableNinePointCoefficients or, of rank 3, VariableCoefficients3D, of the type "
                "of x's elements");
  constexpr auto operation = "check_coefficients";
  if constexpr (fit)
    Impl::sor::check_fields(operation, exec,
                            Impl::sor::make_problem<Exec>(operation, "x", x, coefficients, inputs));
}

}  // namespace wavescan

#endif
