// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Geometric multigrid for -Laplace(u) = f on the unit square and the unit cube: V-cycles with full
// weighting and linear interpolation, smoothed by Gauss-Seidel in natural order (WaveScan's sweeps,
// all of a smoothing step in one call) or in red-black order.
//
// Source: Trottenberg, Oosterlee, Schueller, "Multigrid", 2001, sections 2.4 to 2.6 and 3.3.
//
//   usage: WaveScan_example_multigrid [UNKNOWNS_2D [UNKNOWNS_3D]]    2^k - 1 in each direction
#include <Kokkos_Core.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Square = Kokkos::View<double**, Kokkos::LayoutRight>;
using Cube = Kokkos::View<double***, Kokkos::LayoutRight>;

enum class Order { Natural, RedBlack };

// ----- what the two dimensions do in their own ways

Square zeros(const Square&, std::size_t n) { return Square("zeros", n + 2, n + 2); }
Cube zeros(const Cube&, std::size_t n) { return Cube("zeros", n + 2, n + 2, n + 2); }

auto gauss_seidel(const Square&, double h) { return wavescan::poisson<double>(1, h); }
auto gauss_seidel(const Cube&, double h) { return wavescan::poisson_3d<double>(1, h); }

auto plan_for(const Square& x) { return wavescan::SOR<Exec, double>::like(Exec(), x); }
auto plan_for(const Cube& x) { return wavescan::SOR3D<Exec, double>::like(Exec(), x); }

template <class Function>
void for_inner_rows(const Square& x, const Function& function) {
  Kokkos::parallel_for("rows", Kokkos::RangePolicy<Exec>(1, x.extent_int(0) - 1), function);
}
template <class Function>
void for_inner_rows(const Cube& x, const Function& function) {
  Kokkos::parallel_for("rows",
                       Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(
                           {1, 1}, {x.extent_int(0) - 1, x.extent_int(1) - 1}),
                       function);
}

KOKKOS_INLINE_FUNCTION double neighbours(const Square& x, int i, int j) {
  return (x(i, j - 1) + x(i, j + 1)) + (x(i - 1, j) + x(i + 1, j));
}
KOKKOS_INLINE_FUNCTION double neighbours(const Cube& x, int k, int i, int j) {
  return (x(k, i, j - 1) + x(k, i, j + 1)) + (x(k, i - 1, j) + x(k, i + 1, j)) +
         (x(k - 1, i, j) + x(k + 1, i, j));
}

// The mean of the fine values around the coarse point, the nearer the more: full weighting.
KOKKOS_INLINE_FUNCTION double weighted_mean(const Square& fine, int i, int j) {
  double sum = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      sum += (2 - Kokkos::abs(a)) * (2 - Kokkos::abs(b)) * fine(2 * i + a, 2 * j + b);
  return sum / 16;
}
KOKKOS_INLINE_FUNCTION double weighted_mean(const Cube& fine, int k, int i, int j) {
  double sum = 0;
  for (int c = -1; c <= 1; ++c)
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b)
        sum += (2 - Kokkos::abs(c)) * (2 - Kokkos::abs(a)) * (2 - Kokkos::abs(b)) *
               fine(2 * k + c, 2 * i + a, 2 * j + b);
  return sum / 64;
}

// Linear interpolation between the coarse points on either side, which for even indices are one.
KOKKOS_INLINE_FUNCTION double interpolated(const Square& coarse, int i, int j) {
  const int below = (i + 1) / 2, right = (j + 1) / 2;
  i /= 2, j /= 2;
  return (coarse(i, j) + coarse(i, right) + coarse(below, j) + coarse(below, right)) / 4;
}
KOKKOS_INLINE_FUNCTION double interpolated(const Cube& coarse, int k, int i, int j) {
  const auto in_plane = [&](int plane) {
    const int below = (i + 1) / 2, right = (j + 1) / 2, up = i / 2, left = j / 2;
    return (coarse(plane, up, left) + coarse(plane, up, right) + coarse(plane, below, left) +
            coarse(plane, below, right)) /
           4;
  };
  return (in_plane(k / 2) + in_plane((k + 1) / 2)) / 2;
}

// ----- what is done with every point, a row at a time

template <class View>
inline constexpr int rank = static_cast<int>(View::rank());

template <class View>
struct Restrict {
  View fine, coarse;
  template <class... Row>
  KOKKOS_FUNCTION void operator()(Row... row) const {
    for (int j = 1; j < coarse.extent_int(rank<View> - 1) - 1; ++j)
      coarse(row..., j) = weighted_mean(fine, static_cast<int>(row)..., j);
  }
};
template <class View>
struct AddInterpolated {
  View coarse, fine;
  template <class... Row>
  KOKKOS_FUNCTION void operator()(Row... row) const {
    for (int j = 1; j < fine.extent_int(rank<View> - 1) - 1; ++j)
      fine(row..., j) += interpolated(coarse, static_cast<int>(row)..., j);
  }
};
template <class View>
struct TakeResidual {
  View x, b, residual;
  double per_area;
  template <class... Row>
  KOKKOS_FUNCTION void operator()(Row... row) const {
    for (int j = 1; j < x.extent_int(rank<View> - 1) - 1; ++j)
      residual(row..., j) = b(row..., j) + per_area * (neighbours(x, static_cast<int>(row)..., j) -
                                                       2 * rank<View> * x(row..., j));
  }
};
template <class View>
struct RelaxColor {
  View x, b;
  double area;
  int color;
  template <class... Row>
  KOKKOS_FUNCTION void operator()(Row... row) const {
    for (int j = 1 + static_cast<int>((row + ... + color)) % 2;
         j < x.extent_int(rank<View> - 1) - 1; j += 2)
      x(row..., j) =
          (neighbours(x, static_cast<int>(row)..., j) + area * b(row..., j)) / (2 * rank<View>);
  }
};

// ----- multigrid, in either dimension

template <class View>
class Multigrid {
 public:
  // n: unknowns in each direction, 2^k - 1; sweeps: before and after the coarse grid's correction
  Multigrid(std::size_t n, Order order, int sweeps) : order_(order), sweeps_(sweeps) {
    for (; n >= 1; n /= 2) {
      const View x = zeros(View(), n);
      levels_.push_back(
          {x, zeros(x, n), zeros(x, n), 1.0 / static_cast<double>(n + 1), plan_for(x)});
    }
  }
  const View& x() const { return levels_[0].x; }
  const View& rhs() const { return levels_[0].b; }

  void cycle() const { cycle(0); }
  double residual() const {
    return wavescan::sor_residual(Exec(), x(), gauss_seidel(x(), levels_[0].h),
                                  wavescan::SORInputs().rhs(rhs()));
  }

 private:
  struct Level {
    View x, b, residual;
    double h;
    decltype(plan_for(View())) plan;
  };

  void cycle(std::size_t l) const {
    const Level& level = levels_[l];
    if (l + 1 == levels_.size()) return smooth(level, 1, true);  // one unknown: solved
    smooth(level, sweeps_, l > 0);
    const Level& coarse = levels_[l + 1];
    for_inner_rows(level.x,
                   TakeResidual<View>{level.x, level.b, level.residual, 1 / (level.h * level.h)});
    for_inner_rows(coarse.b, Restrict<View>{level.residual, coarse.b});
    cycle(l + 1);
    for_inner_rows(level.x, AddInterpolated<View>{coarse.x, level.x});
    smooth(level, sweeps_, false);
  }

  // from_zero: x is zero at first, whatever it was
  void smooth(const Level& level, int sweeps, bool from_zero) const {
    const auto inputs = wavescan::SORInputs().rhs(level.b);
    const auto coefficients = gauss_seidel(level.x, level.h);
    if (order_ == Order::Natural) {
      if (from_zero)
        level.plan.sweeps(wavescan::ZeroGuess{}, level.x, coefficients, sweeps, inputs);
      else
        level.plan.sweeps(level.x, coefficients, sweeps, inputs);
      return;
    }
    if (from_zero) Kokkos::deep_copy(Exec(), level.x, 0.0);
    for (int color = 0; color < 2 * sweeps; ++color)
      for_inner_rows(level.x, RelaxColor<View>{level.x, level.b, level.h * level.h, color % 2});
  }

  Order order_;
  int sweeps_;
  std::vector<Level> levels_;
};

// Cycles until the residual is 1e-8 of what it was; true if each of the last ones, where the
// slowest error alone is left, reduces it at least by `factor`.
template <class View>
bool solve(const char* grid, std::size_t n, Order order, int sweeps, double factor) {
  const Multigrid<View> multigrid(n, order, sweeps);
  Kokkos::deep_copy(multigrid.rhs(), 1.0);
  multigrid.cycle();  // and once more from the start, with all memory touched
  Kokkos::deep_copy(multigrid.x(), 0.0);
  Kokkos::fence();
  const double initial = multigrid.residual();
  double residual = initial, last = 1, seconds = 0;
  int cycles = 0;
  while (residual > 1e-8 * initial && cycles < 50) {
    const auto start = std::chrono::steady_clock::now();
    multigrid.cycle();
    Kokkos::fence();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double now = multigrid.residual();
    last = now / residual;
    residual = now;
    ++cycles;
  }
  std::printf("%-10s %-10s V(%d,%d) %3d cycles, the last by %5.3f, %8.2f ms each, %8.1f ms\n", grid,
              order == Order::Natural ? "natural" : "red-black", sweeps, sweeps, cycles, last,
              1e3 * seconds / cycles, 1e3 * seconds);
  return last <= factor;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::size_t square = argc > 1 ? std::stoul(argv[1]) : 1023;
  const std::size_t cube = argc > 2 ? std::stoul(argv[2]) : 127;
  const std::string square_name = std::to_string(square) + "^2";
  const std::string cube_name = std::to_string(cube) + "^3";
  // Factors of two grids from the book, and what is left to V-cycles.
  bool right = solve<Square>(square_name.c_str(), square, Order::Natural, 1, 0.26);
  right &= solve<Square>(square_name.c_str(), square, Order::Natural, 2, 0.15);
  right &= solve<Square>(square_name.c_str(), square, Order::RedBlack, 1, 0.14);
  right &= solve<Square>(square_name.c_str(), square, Order::RedBlack, 2, 0.09);
  right &= solve<Cube>(cube_name.c_str(), cube, Order::Natural, 1, 0.35);
  right &= solve<Cube>(cube_name.c_str(), cube, Order::Natural, 2, 0.2);
  right &= solve<Cube>(cube_name.c_str(), cube, Order::RedBlack, 1, 0.3);
  right &= solve<Cube>(cube_name.c_str(), cube, Order::RedBlack, 2, 0.15);
  return right ? 0 : 1;
}
