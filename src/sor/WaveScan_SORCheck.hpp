// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORCHECK_HPP
#define WAVESCAN_SORCHECK_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Arguments.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

/// @file
/// @brief Looks at coefficients that differ from point to point, which sweeps do not.

namespace wavescan {
namespace Impl::sor {

/// @brief Whether a coefficient is not finite where it counts.
template <class T>
struct NotFinite {
  CoefficientField<T> coefficient;
  FixedPoints fixed;
  KOKKOS_FUNCTION bool operator()(Index i, Index j) const {
    return !fixed(i, j) && !Kokkos::isfinite(coefficient(i, j));
  }
};

/// @brief Whether the matrix has a zero on its diagonal where it counts.
template <class T>
struct NoDiagonal {
  CoefficientField<T> center;
  FixedPoints fixed;
  KOKKOS_FUNCTION bool operator()(Index i, Index j) const {
    return !fixed(i, j) && center(i, j) == T(1);
  }
};

}  // namespace Impl::sor

/// @brief Throws if a sweep with these coefficients would make NaN of finite data, or if the linear
/// system has no diagonal to divide by.
///
/// Sweeps and solves do not look into Views of coefficients; look once where they come from
/// outside. Reads each View once and waits.
///
/// @param exec         execution space instance
/// @param x            View of rank 2, whose extents the coefficients must have
/// @param coefficients VariableCoefficients
/// @param inputs       a mask of fixed points, where nothing is looked at
/// @throws std::invalid_argument naming the first point at which a coefficient is not finite or
/// center is 1, and as sor_sweeps
template <ExecutionSpace Exec, ViewOfRank<2> X, class MemorySpace, class Rhs = NoInput,
          class Mask = NoInput>
void check_coefficients(const Exec& exec, const X& x,
                        const VariableCoefficients<SORValue<X>, MemorySpace>& coefficients,
                        const SORInputs<Rhs, Mask>& inputs = {}) {
  using T = SORValue<X>;
  constexpr auto operation = "check_coefficients";
  const auto p = Impl::sor::make_problem<Exec>(operation, "x", x, coefficients, inputs);
  const auto reject_if = [&](const char* name, const char* expectation, const char* got,
                             const auto& predicate) {
    const auto wrong = Impl::sor::first_point(exec, "WaveScan::sor::check_coefficients", p.x.rows,
                                              p.x.columns, predicate);
    if (wrong)
      Impl::reject(operation, name, expectation, got + (" at the point " + to_string(*wrong)));
  };
  Impl::sor::for_each_coefficient(
      p.coefficients, [&](const char* name, const Impl::sor::CoefficientField<T>& c) {
        reject_if(name, "must be finite", "NaN or infinity", Impl::sor::NotFinite<T>{c, p.fixed});
      });
  reject_if("coefficients.center", "must not be 1, which means a matrix with zeros on its diagonal",
            "1", Impl::sor::NoDiagonal<T>{p.coefficients.center, p.fixed});
}

}  // namespace wavescan

#endif
