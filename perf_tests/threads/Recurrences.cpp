// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Filter.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <threads/Threads.hpp>
#include <vector>

// Digital filters of one line, and tridiagonal systems: one, and many of 256 unknowns behind each
// other or side by side.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using namespace wavescan::Perf::Threads;

void add_systems(const char* problem, std::int64_t unknowns, int axis) {
  add(
      problem, "wavescan", 5 * sizeof(double),
      [=](const Exec& exec, std::int64_t all) -> Work {
        const std::int64_t n = unknowns == 0 ? all : unknowns, m = all / n;
        const auto made = [&](double value) {
          const Matrix<double> matrix(
              Kokkos::view_alloc(exec, "system", Kokkos::WithoutInitializing),
              static_cast<std::size_t>(axis == 1 ? m : n),
              static_cast<std::size_t>(axis == 1 ? n : m));
          Kokkos::parallel_for("fill", Range(exec, 0, all),
                               [=](std::int64_t j) { matrix.data()[j] = value; });
          return matrix;
        };
        const auto lower = made(-1), diagonal = made(2.5), upper = made(-1), right = made(1),
                   x = made(0);
        return {[=] {
                  tridiagonal_solve(exec, lower, diagonal, upper, right, x,
                                    TridiagonalOptions().axis(axis));
                },
                [=] { return last_of(x); }};
      },
      22);
}

[[maybe_unused]] const bool registered = [] {
  const std::vector<double> b{.25, .5, .25}, a{1, -.6, .3};
  add_arrays<float>(
      "lfilter_order2<float>", "wavescan",
      [=](const Exec& exec, const auto& x, const auto& y) { lfilter(exec, b, a, x, y); });
  add_systems("tridiagonal_behind<double>", 256, 1);
  add_systems("tridiagonal_beside<double>", 256, 0);
  add_systems("tridiagonal_one<double>", 0, 1);
  return true;
}();

}  // namespace
