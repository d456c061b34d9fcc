// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Filter.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <support/WaveScanPerf_Lapack.hpp>
#include <threads/Threads.hpp>
#include <vector>

// Digital filters of one line, and tridiagonal systems: one, and many of 256 unknowns behind each
// other or side by side; these also by LAPACK, where CMake finds it.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using namespace wavescan::Perf::Threads;

struct Systems {
  Matrix<double> lower, diagonal, upper, right, x;
  Systems(std::int64_t rows, std::int64_t columns) {
    const auto made = [&](double value) {
      const Matrix<double> matrix(Kokkos::view_alloc("system", Kokkos::WithoutInitializing),
                                  static_cast<std::size_t>(rows),
                                  static_cast<std::size_t>(columns));
      Kokkos::parallel_for("fill", Range(Exec(), 0, rows * columns),
                           [=](std::int64_t j) { matrix.data()[j] = value; });
      return matrix;
    };
    lower = made(-1), diagonal = made(2.5), upper = made(-1), right = made(1), x = made(0);
  }
};

void add_systems(const char* problem, std::int64_t unknowns, int axis) {
  const auto add_solver = [=](const char* program, const auto& solve) {
    add(
        problem, program, 5 * sizeof(double),
        [=](const Exec& exec, std::int64_t all) -> Work {
          const std::int64_t n = unknowns == 0 ? all : unknowns, m = all / n;
          const Systems systems(axis == 1 ? m : n, axis == 1 ? n : m);
          return {[=] { solve(exec, systems); }, [=] { return last_of(systems.x); }};
        },
        22);
  };
  add_solver("wavescan", [=](const Exec& exec, const Systems& s) {
    tridiagonal_solve(exec, s.lower, s.diagonal, s.upper, s.right, s.x,
                      TridiagonalOptions{.axis = axis});
  });
#if defined(WAVESCAN_PERF_LAPACK)
  add_solver("lapack", [=](const Exec& exec, const Systems& s) {
    lapack_tridiagonal(exec, axis, s.lower, s.diagonal, s.upper, s.right, s.x);
  });
#endif
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
