// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_SOR.hpp>

namespace wavescan::python {
namespace {

/// Checks the arrays and calls use(instance, x, coefficients, inputs, options).
template <class Use>
void relax(const char* function, const Array& x, const OptionalArray& rhs,
           const OptionalArray& fixed, const Relaxation& how, std::uintptr_t stream,
           const Use& use) {
  require_rank(function, x, 2, 3);
  if (rhs) {
    require_type(function, *rhs, x);
    require_shape(function, *rhs, x);
  }
  if (fixed) {
    require_flags(function, *fixed);
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
  std::vector<std::int64_t> unknowns;
  for (int r = 0; r < x.rank; ++r)
    unknowns.push_back(std::max<std::int64_t>(x.extent[static_cast<std::size_t>(r)] - 2, 1));
  const double omega = how.omega > 0 ? how.omega : best_omega(unknowns);
  with_type<float, double>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      // Views that are not allocated are no inputs.
      const auto run = [&](const auto& coefficients, auto right, auto mask, const auto& view) {
        if (rhs) right = view(std::type_identity<const T>(), *rhs);
        if (fixed) mask = view(std::type_identity<const std::uint8_t>(), *fixed);
        use(exec, view(std::type_identity<T>(), x), coefficients, SORInputs(right, mask), options);
      };
      using Exec = std::remove_cvref_t<decltype(exec)>;
      if (x.rank == 2)
        run(wavescan::poisson<T>(omega, how.h), LinesView<const T, Exec>(),
            LinesView<const std::uint8_t, Exec>(),
            [&]<class E>(std::type_identity<E>, const Array& a) {
              return matrix_view<E>(exec, a);
            });
      else
        run(poisson_3d<T>(omega, how.h), BoxView<const T, Exec>(),
            BoxView<const std::uint8_t, Exec>(),
            [&]<class E>(std::type_identity<E>, const Array& a) { return box_view<E>(exec, a); });
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

double best_omega(const std::vector<std::int64_t>& unknowns) {
  return unknowns.size() == 3 ? optimal_omega(unknowns[0], unknowns[1], unknowns[2])
                              : optimal_omega(unknowns.at(0), unknowns.at(1));
}

}  // namespace wavescan::python
