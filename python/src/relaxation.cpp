// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_SOR.hpp>

namespace wavescan::python {
namespace {

const Array* pointer(const OptionalArray& array) { return array ? &*array : nullptr; }

/// Checks the arrays and calls use(instance, x, coefficients, inputs, options).
template <class Use>
void relax(const char* function, const Array& x, const OptionalArray& rhs,
           const OptionalArray& fixed, const Relaxation& how, std::uintptr_t stream,
           const Use& use) {
  require_rank(function, x, 2, 2);
  if (rhs) {
    require_type(function, *rhs, x);
    require_shape(function, *rhs, x);
  }
  if (fixed) {
    if (fixed->type != Type::Bool && fixed->type != Type::UInt8)
      throw TypeError(std::string("wavescan.") + function + ": '" + fixed->name +
                      "' must be of bool, got " + std::string(name_of(fixed->type)));
    require_shape(function, *fixed, x);
  }
  require_output(function, x, {pointer(rhs), pointer(fixed)}, false);
  SOROptions options;
  if (how.order == "forward")
    options.order = SweepOrder::Forward;
  else if (how.order == "backward")
    options.order = SweepOrder::Backward;
  else if (how.order == "symmetric")
    options.order = SweepOrder::Symmetric;
  else
    reject(function, "order", "be 'forward', 'backward' or 'symmetric'", "'" + how.order + "'");
  const Place place = common_place(function, stream, {&x, pointer(rhs), pointer(fixed)});
  with_type<float, double>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      using Exec = std::remove_cvref_t<decltype(exec)>;
      const std::int64_t m = std::max<std::int64_t>(x.extent[0] - 2, 1),
                         n = std::max<std::int64_t>(x.extent[1] - 2, 1);
      const double omega = how.omega > 0 ? how.omega : optimal_omega(m, n);
      // Views that are not allocated are no inputs.
      LinesView<const T, Exec> right;
      LinesView<const std::uint8_t, Exec> mask;
      if (rhs) right = matrix_view<const T>(exec, *rhs);
      if (fixed) mask = matrix_view<const std::uint8_t>(exec, *fixed);
      use(exec, matrix_view<T>(exec, x), wavescan::poisson<T>(omega, how.h), SORInputs(right, mask),
          options);
    });
  });
}

}  // namespace

void sor(const Array& x, const OptionalArray& rhs, const OptionalArray& fixed,
         const Relaxation& how, int sweeps, std::uintptr_t stream) {
  relax("sor", x, rhs, fixed, how, stream,
        [&](const auto& exec, const auto& u, const auto& coefficients, const auto& inputs,
            const auto& options) { sor_sweeps(exec, u, coefficients, sweeps, inputs, options); });
}

SolveResult sor_solve(const char* function, const Array& x, const OptionalArray& rhs,
                      const OptionalArray& fixed, const Relaxation& how, const Stop& stop,
                      std::uintptr_t stream) {
  SolveControl control;
  control.tolerance = stop.tolerance;
  control.relative_tolerance = stop.relative_tolerance;
  control.max_sweeps = stop.max_sweeps;
  control.check_every = stop.check_every;
  SolveResult result;
  relax(function, x, rhs, fixed, how, stream,
        [&](const auto& exec, const auto& u, const auto& coefficients, const auto& inputs,
            const auto& options) {
          const SolveReport report =
              wavescan::sor_solve(exec, u, coefficients, inputs, control, options);
          result.converged = report.converged();
          result.reason = to_string(report.reason);
          result.sweeps = report.sweeps;
          for (const ResidualSample& sample : report.history)
            result.history.emplace_back(sample.sweeps, sample.residual);
        });
  return result;
}

double best_omega(std::int64_t rows, std::int64_t columns) { return optimal_omega(rows, columns); }

}  // namespace wavescan::python
