// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR3D.hpp>
#include <WaveScan_SORCheck.hpp>

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Reference.hpp"

/// @file
/// @brief SOR in three dimensions against plain loops, bit for bit.

namespace wavescan::Test::three_dimensions {
namespace {

using Extents = std::array<std::int64_t, 3>;
constexpr std::array orders{SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric};

template <class T>
inline constexpr std::array members_3d{&SORCoefficients3D<T>::center, &SORCoefficients3D<T>::left,
                                       &SORCoefficients3D<T>::up,     &SORCoefficients3D<T>::front,
                                       &SORCoefficients3D<T>::right,  &SORCoefficients3D<T>::down,
                                       &SORCoefficients3D<T>::back,   &SORCoefficients3D<T>::rhs};

/// @brief Coefficients of which no two are alike, so that mixed up neighbours show.
template <class T>
SORCoefficients3D<T> seven_different() {
  return {T(0.15), T(0.25), T(-0.2), T(0.17), T(0.1), T(0.3), T(-0.13), T(0.7)};
}

/// @brief What a problem has besides x.
struct Kind {
  bool rhs, mask, varies;
};
constexpr std::array<Kind, 6> kinds{{{false, false, false},
                                     {true, false, false},
                                     {false, true, false},
                                     {true, true, false},
                                     {true, true, true},
                                     {false, false, true}}};

/// @brief l x m x n unknowns with a halo, plane by plane.
template <class T>
struct PlainSOR3D {
  Extents size;  ///< with the halo
  SORCoefficients3D<T> c = seven_different<T>();
  std::vector<T> x;
  std::vector<T> rhs{};                      ///< empty: none
  std::vector<int> mask{};                   ///< empty: none
  std::vector<SORCoefficients3D<T>> each{};  ///< of every entry; empty: c everywhere

  /// @brief Random numbers, and NaN where nothing may be read.
  PlainSOR3D(const Extents& extents, const Kind& kind, Random& random)
      : size(extents), x(static_cast<std::size_t>(extents[0] * extents[1] * extents[2])) {
    for (T& value : x) value = random.value<T>();
    if (kind.rhs) rhs.assign(x.size(), nan<T>);
    if (kind.mask) mask.assign(x.size(), 256);
    if (kind.varies) {
      const T no = nan<T>;
      each.assign(x.size(), {no, no, no, no, no, no, no, no});
    }
    for_points([&](std::size_t p) {
      if (kind.rhs) rhs[p] = random.value<T>();
      if (kind.mask) mask[p] = random.integer(0, 4) == 0 ? 256 : 0;
      if (!kind.varies) return;
      for (const auto member : members_3d<T>)
        each[p].*member = random.integer(0, 6) == 0 ? T(0) : T(0.4) * random.value<T>();
    });
    for (std::int64_t k = 0; k < size[0]; ++k)
      for (std::int64_t i = 0; i < size[1]; ++i)
        for (std::int64_t j = 0; j < size[2]; ++j) {
          const int outside = (k == 0 || k == size[0] - 1) + (i == 0 || i == size[1] - 1) +
                              (j == 0 || j == size[2] - 1);
          if (outside > 1) x[at(k, i, j)] = nan<T>;
        }
  }

  std::size_t at(std::int64_t k, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((k * size[1] + i) * size[2] + j);
  }
  template <class Use>
  void for_points(const Use& use) const {
    for (std::int64_t k = 1; k < size[0] - 1; ++k)
      for (std::int64_t i = 1; i < size[1] - 1; ++i)
        for (std::int64_t j = 1; j < size[2] - 1; ++j) use(at(k, i, j));
  }
  const SORCoefficients3D<T>& coefficients(std::size_t p) const {
    return each.empty() ? c : each[p];
  }
  std::size_t row() const { return static_cast<std::size_t>(size[2]); }
  std::size_t plane() const { return static_cast<std::size_t>(size[1] * size[2]); }

  void relax(std::size_t p, bool forward) {
    if (!mask.empty() && mask[p] != 0) return;
    const SORCoefficients3D<T>& k = coefficients(p);
    T s = rhs.empty() ? k.center * x[p] : plain_multiply_add(k.center, x[p], T(k.rhs * rhs[p]));
    const auto add = [&](T weight, T neighbour) { s = plain_multiply_add(weight, neighbour, s); };
    T last_weight = k.left, last = x[p - 1];
    if (forward) {
      add(k.right, x[p + 1]);
      add(k.down, x[p + row()]);
      add(k.back, x[p + plane()]);
      add(k.front, x[p - plane()]);
      add(k.up, x[p - row()]);
    } else {
      add(k.left, x[p - 1]);
      add(k.up, x[p - row()]);
      add(k.front, x[p - plane()]);
      add(k.back, x[p + plane()]);
      add(k.down, x[p + row()]);
      last_weight = k.right;
      last = x[p + 1];
    }
    if (each.empty() || last_weight != T(0)) add(last_weight, last);
    x[p] = s;
  }

  void sweep(SweepOrder order, int count) {
    std::vector<std::size_t> points;
    for_points([&](std::size_t p) { points.push_back(p); });
    for (int k = 0; k < count; ++k) {
      if (order != SweepOrder::Backward)
        for (auto p = points.begin(); p != points.end(); ++p) relax(*p, true);
      if (order != SweepOrder::Forward)
        for (auto p = points.rbegin(); p != points.rend(); ++p) relax(*p, false);
    }
  }

  /// @brief The root mean square of b - A x.
  double residual() const {
    double squares = 0, points = 0;
    for_points([&](std::size_t p) {
      if (!mask.empty() && mask[p] != 0) return;
      const SORCoefficients3D<T>& k = coefficients(p);
      const double sum = double(k.left) * x[p - 1] + double(k.right) * x[p + 1] +
                         double(k.up) * x[p - row()] + double(k.down) * x[p + row()] +
                         double(k.front) * x[p - plane()] + double(k.back) * x[p + plane()] -
                         (1 - double(k.center)) * x[p];
      const double scale = k.rhs == T(0) ? 1 : 1 / double(k.rhs);
      const double b = rhs.empty() || k.rhs == T(0) ? 0 : double(rhs[p]);
      squares += (b + sum * scale) * (b + sum * scale);
      points += 1;
    });
    return points == 0 ? 0 : std::sqrt(squares / points);
  }
};

/// @brief How arrays lie in memory: which of planes, rows and columns (0, 1, 2) comes first, second
/// and third, from the farthest to the closest elements, and how far these are from each other.
struct Order3D {
  std::array<int, 3> from_far = {0, 1, 2};
  std::int64_t step = 1;
  std::int64_t gap = 0;  ///< elements between rows
};
constexpr Order3D right{}, left{{2, 1, 0}}, other{{1, 2, 0}}, padded{{0, 1, 2}, 1, 3},
    spread_right{{0, 1, 2}, 3, 2}, spread_left{{2, 1, 0}, 2, 1};

/// @brief An array in device memory, NaN between its entries.
template <class T>
class Array3D {
 public:
  using View = Kokkos::View<T***, Kokkos::LayoutStride, Exec>;

  Array3D(const Extents& size, const Order3D& order, const std::vector<T>& values) : size_(size) {
    std::int64_t stride = order.step;
    for (int d = 2; d >= 0; --d) {
      const auto axis = static_cast<std::size_t>(order.from_far[static_cast<std::size_t>(d)]);
      stride_[axis] = stride;
      stride *= size[axis];
      if (d == 2) stride += order.gap;
    }
    memory_ = Kokkos::View<T*, Exec>("array", static_cast<std::size_t>(stride + 1));
    host_ = Kokkos::create_mirror_view(memory_);
    for (std::size_t e = 0; e < host_.size(); ++e) host_(e) = filling();
    std::size_t p = 0;
    for_entries([&](std::size_t e) { host_(e) = values[p++]; });
    Kokkos::deep_copy(memory_, host_);
  }
  View view() const {
    const auto n = [](std::int64_t k) { return static_cast<std::size_t>(k); };
    return View(memory_.data(), Kokkos::LayoutStride(n(size_[0]), n(stride_[0]), n(size_[1]),
                                                     n(stride_[1]), n(size_[2]), n(stride_[2])));
  }
  std::vector<T> values() const {
    Kokkos::fence();
    Kokkos::deep_copy(host_, memory_);
    std::vector<T> found;
    for_entries([&](std::size_t e) { found.push_back(host_(e)); });
    return found;
  }
  /// @brief Whether nothing was written between the entries.
  bool gaps_intact() const {
    std::vector<bool> entry(host_.size(), false);
    for_entries([&](std::size_t e) { entry[e] = true; });
    for (std::size_t e = 0; e < entry.size(); ++e) {
      const T expected = filling();
      if (!entry[e] && std::memcmp(&host_(e), &expected, sizeof(T)) != 0) return false;
    }
    return true;
  }

 private:
  static T filling() {
    if constexpr (std::floating_point<T>)
      return nan<T>;
    else
      return T(-1);
  }
  template <class Use>
  void for_entries(const Use& use) const {
    for (std::int64_t k = 0; k < size_[0]; ++k)
      for (std::int64_t i = 0; i < size_[1]; ++i)
        for (std::int64_t j = 0; j < size_[2]; ++j)
          use(static_cast<std::size_t>(k * stride_[0] + i * stride_[1] + j * stride_[2]));
  }
  Extents size_;
  Extents stride_{};
  Kokkos::View<T*, Exec> memory_;
  typename Kokkos::View<T*, Exec>::host_mirror_type host_;
};

/// @brief The arrays of a problem.
template <class T>
class Arrays {
 public:
  using Coefficients = VariableCoefficients3D<T, Exec::memory_space>;
  Arrays(const PlainSOR3D<T>& p, const Order3D& order, const Order3D& inputs)
      : p_(p), x(p.size, order, p.x) {
    if (!p.rhs.empty()) rhs_.emplace_back(p.size, inputs, p.rhs);
    if (!p.mask.empty()) mask_.emplace_back(p.size, inputs, p.mask);
    if (p.each.empty()) return;
    for (const auto member : members_3d<T>) {
      std::vector<T> values;
      for (const SORCoefficients3D<T>& c : p.each) values.push_back(c.*member);
      coefficients_.emplace_back(p.size, inputs, values);
    }
  }
  /// @brief Calls run(coefficients, inputs).
  template <class Run>
  void with(const Run& run) const {
    if (!p_.each.empty()) {
      const auto view = [&](std::size_t k) { return coefficients_[k].view(); };
      const Coefficients c{view(0), view(1), view(2), view(3), view(4), view(5), view(6), view(7)};
      if (p_.mask.empty())
        run(c, SORInputs());
      else
        run(c, SORInputs().rhs(rhs_[0].view()).mask(mask_[0].view()));
    } else if (!p_.rhs.empty()) {
      with_constants_and_rhs(run);
    } else if (p_.mask.empty()) {
      run(p_.c, SORInputs());
    } else {
      run(p_.c, SORInputs().mask(mask_[0].view()));
    }
  }
  /// @brief The same for problems of these kinds alone, so that no others are compiled.
  template <class Run>
  void with_constants_and_rhs(const Run& run) const {
    const auto inputs = SORInputs().rhs(rhs_[0].view());
    if (p_.mask.empty())
      run(p_.c, inputs);
    else
      run(p_.c, inputs.mask(mask_[0].view()));
  }

 private:
  const PlainSOR3D<T>& p_;
  std::vector<Array3D<T>> rhs_, coefficients_;
  std::vector<Array3D<int>> mask_;

 public:
  Array3D<T> x;
};

std::string name_of(const Extents& size, const Kind& kind, SweepOrder order, int count) {
  std::ostringstream text;
  text << size[0] << " x " << size[1] << " x " << size[2] << ", " << count << " "
       << to_string(order) << (kind.rhs ? ", rhs" : "") << (kind.mask ? ", mask" : "")
       << (kind.varies ? ", variable" : "");
  return text.str();
}

/// @brief Sweeps in place, and from another array, of a problem.
template <class T>
void check(const Extents& size, const Kind& kind, SweepOrder order, int count,
           const Order3D& place = right, const Order3D& inputs = right) {
  SCOPED_TRACE(name_of(size, kind, order, count));
  Random random;
  SCOPED_TRACE(random.trace());
  PlainSOR3D<T> p(size, kind, random);
  const Arrays<T> given(p, place, inputs);
  const Array3D<T> to(size, place, std::vector<T>(p.x.size(), T(7)));
  const Array3D<T> elsewhere(size, inputs, p.x);
  const auto plan = SOR3D<Exec, T>::like(Exec(), given.x.view(), {.order = order});
  given.with([&](const auto& c, const auto& in) {
    plan.sweeps(elsewhere.view(), to.view(), c, count, in);
    plan.sweeps(given.x.view(), c, count, in);
    plan.wait();
  });
  p.sweep(order, count);
  ASSERT_TRUE(same_bits(given.x.values(), p.x));
  ASSERT_TRUE(given.x.gaps_intact());
  const auto found = to.values();
  p.for_points([&](std::size_t e) { ASSERT_EQ(std::memcmp(&found[e], &p.x[e], sizeof(T)), 0); });
}

template <class T>
class SOR3DOf : public testing::Test {};
TYPED_TEST_SUITE(SOR3DOf, FloatingPointTypes);

TYPED_TEST(SOR3DOf, Sizes) {
  WantedCases wanted;
  for (const Extents& size :
       {Extents{3, 3, 3}, Extents{3, 4, 9}, Extents{4, 9, 3}, Extents{9, 3, 4}, Extents{5, 7, 11},
        Extents{19, 4, 18}, Extents{13, 23, 35}, Extents{18, 34, 17}, Extents{3, 70, 3},
        Extents{3, 3, 70}})
    for (const Kind& kind : kinds)
      for (const SweepOrder order : orders)
        for (const int count : {1, 2, 3, 9}) {
          if (!wanted.next()) continue;
          check<TypeParam>(size, kind, order, count);
          if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(SOR3DOf, LargerOnesInManyPanels) {
  for (const Extents& size : {Extents{70, 51, 43}, Extents{12, 90, 131}, Extents{131, 20, 12}})
    for (const Kind& kind : {kinds[1], kinds[4]})
      for (const int count : {1, 16, 19}) {
        check<TypeParam>(size, kind, SweepOrder::Forward, count);
        // With columns far apart everything takes several times as long.
        if (count == 16 && !kind.varies)
          check<TypeParam>(size, kind, SweepOrder::Backward, count, left, left);
        if (this->HasFatalFailure()) return;
      }
}

/// @brief Boxes that are swept along columns, or along planes where those are closer.
TYPED_TEST(SOR3DOf, SingleSweepsOfLongColumns) {
  for (const Kind& kind : {kinds[0], kinds[1], kinds[3]})
    for (const SweepOrder order : orders) {
      check<TypeParam>({30, 75, 83}, kind, order, 1);
      check<TypeParam>({83, 68, 26}, kind, order, 1, left, left);
      check<TypeParam>({19, 35, 250}, kind, order, 1, padded, spread_right);
      if (this->HasFatalFailure()) return;
    }
}

/// @brief What hosts sweep beyond the box goes nowhere, however far a row's elements are apart.
TYPED_TEST(SOR3DOf, LongRowsOfElementsFarApart) {
  for (const SweepOrder order : {SweepOrder::Forward, SweepOrder::Backward})
    check<TypeParam>({12, 12, 700}, kinds[1], order, 8, spread_right);
}

TYPED_TEST(SOR3DOf, Layouts) {
  WantedCases wanted;
  for (const Order3D& place : {right, left, other, padded, spread_right, spread_left})
    for (const Order3D& inputs : {right, left, padded, spread_right})
      for (const Kind& kind : {kinds[1], kinds[2], kinds[4]})
        for (const SweepOrder order : orders) {
          if (!wanted.next()) continue;
          check<TypeParam>({8, 11, 21}, kind, order, 3, place, inputs);
          if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(SOR3DOf, NothingToDo) {
  using T = TypeParam;
  for (const Extents& size :
       {Extents{0, 0, 0}, Extents{1, 5, 5}, Extents{5, 2, 5}, Extents{3, 3, 2}}) {
    Random random;
    const PlainSOR3D<T> p(size, kinds[3], random);
    const Arrays<T> given(p, right, right);
    const Array3D<T> to(size, left, std::vector<T>(p.x.size(), T(7)));
    given.with([&](const auto& c, const auto& in) {
      sor_sweeps(given.x.view(), to.view(), c, 3, in);
      sor_sweeps(given.x.view(), c, 3, in);
      EXPECT_EQ(sor_residual(given.x.view(), c, in), 0);
      for (const bool restore : {true, false})
        for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
          EXPECT_TRUE(
              sor_solve(given.x.view(), c, in, {.criterion = criterion}, {.restore = restore})
                  .converged());
    });
    EXPECT_TRUE(same_bits(given.x.values(), p.x));
    EXPECT_TRUE(same_bits(to.values(), p.x));
  }
}

TYPED_TEST(SOR3DOf, ZeroGuessAndNoSweeps) {
  using T = TypeParam;
  Random random;
  for (const Kind& kind : {kinds[1], kinds[3]}) {
    PlainSOR3D<T> p({7, 9, 12}, kind, random);
    const auto set_unknowns = [&](T value) {
      p.for_points([&](std::size_t e) {
        if (p.mask.empty() || p.mask[e] == 0) p.x[e] = value;
      });
    };
    set_unknowns(nan<T>);
    const Arrays<T> given(p, left, right);
    const Array3D<T> copy(p.size, right, std::vector<T>(p.x.size(), T(7)));
    given.with_constants_and_rhs([&](const auto& c, const auto& in) {
      sor_sweeps(given.x.view(), copy.view(), c, 0, in);
      EXPECT_TRUE(same_bits(copy.values(), p.x));
      sor_sweeps(ZeroGuess{}, given.x.view(), c, 1, in, {.order = SweepOrder::Symmetric});
    });
    set_unknowns(T(0));
    p.sweep(SweepOrder::Symmetric, 1);
    EXPECT_TRUE(same_bits(given.x.values(), p.x));
  }
}

/// @brief Fixed points among fixed points, and all that is given at fixed points, may be anything.
TYPED_TEST(SOR3DOf, MasksLetNothingThrough) {
  using T = TypeParam;
  Random random;
  for (const Kind& kind : {kinds[3], kinds[4]})
    for (const Order3D& place : {right, left})
      for (const SweepOrder order : orders) {
        SCOPED_TRACE(name_of({6, 7, 43}, kind, order, 3));
        PlainSOR3D<T> p({6, 7, 43}, kind, random);
        p.for_points([&](std::size_t e) {
          const std::size_t of_five = e % p.row() % 5;
          p.mask[e] = of_five >= 2 ? 256 : 0;
          if (of_five < 2) return;
          p.rhs[e] = nan<T>;
          if (kind.varies)
            for (const auto member : members_3d<T>) p.each[e].*member = nan<T>;
          if (of_five == 3) p.x[e] = e % 2 == 0 ? infinity<T> : nan<T>;
        });
        const Arrays<T> given(p, place, right);
        given.with([&](const auto& c, const auto& in) {
          sor_sweeps(given.x.view(), c, 3, in, {.order = order});
          p.sweep(order, 3);
          ASSERT_TRUE(same_bits(given.x.values(), p.x));
          const double expected = p.residual();
          EXPECT_NEAR(sor_residual(given.x.view(), c, in), expected, 1e-6 * expected);
        });
      }
}

/// @brief What there is besides x may be chosen at run time.
TYPED_TEST(SOR3DOf, ViewsThatAreNotAllocatedAreNone) {
  using T = TypeParam;
  Random random;
  for (const Kind& kind : kinds) {
    if (kind.varies) continue;
    PlainSOR3D<T> p({5, 6, 20}, kind, random);
    const Array3D<T> x(p.size, right, p.x), b(p.size, right, kind.rhs ? p.rhs : p.x);
    const Array3D<int> fixed(p.size, right, kind.mask ? p.mask : std::vector<int>(p.x.size(), 1));
    decltype(b.view()) rhs;
    decltype(fixed.view()) mask;
    if (kind.rhs) rhs = b.view();
    if (kind.mask) mask = fixed.view();
    sor_sweeps(x.view(), p.c, 2, SORInputs().rhs(rhs).mask(mask));
    p.sweep(SweepOrder::Forward, 2);
    EXPECT_TRUE(same_bits(x.values(), p.x)) << kind.rhs << kind.mask;
  }
}

/// @brief Calls of a plan after others, or after they were announced.
TYPED_TEST(SOR3DOf, PlansAllocateOnce) {
  using T = TypeParam;
  Random random;
  for (const Kind& kind : {kinds[1], kinds[3]})
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
      const PlainSOR3D<T> p({7, 9, 12}, kind, random);
      const Arrays<T> given(p, right, right);
      const SolveControl control{
          .tolerance = 0, .max_sweeps = 7, .check_every = 3, .criterion = criterion};
      given.with_constants_and_rhs([&](const auto& c, const auto& in) {
        auto plan = SOR3D<Exec, T>::like(Exec(), given.x.view());
        plan.reserve_sweeps(given.x.view(), c, in);
        plan.reserve_solve(given.x.view(), c, in, control);
        plan.wait();
        const Recorder recorder;
        plan.sweeps(given.x.view(), c, 9, in);
        plan.solve(given.x.view(), c, in, control);
        EXPECT_EQ(join(recorder.allocations()), "");
      });
    }
}

TYPED_TEST(SOR3DOf, Residuals) {
  using T = TypeParam;
  Random random;
  for (const Kind& kind : kinds)
    for (const Order3D& place : {right, left}) {
      PlainSOR3D<T> p({7, 10, 13}, kind, random);
      for (T& value : p.x)
        if (value != value) value = T(0);
      const Arrays<T> given(p, place, right);
      given.with([&](const auto& c, const auto& in) {
        const double expected = p.residual();
        EXPECT_NEAR(sor_residual(given.x.view(), c, in), expected, 1e-6 * expected);
        EXPECT_GT(sor_residual(given.x.view(), c, in, ResidualNorm::Maximum), expected);
      });
    }
}

/// @brief Poisson's equation on a cube, solved from zero.
SolveReport solve_poisson(int n, const SolveControl& control, const SOROptions& options,
                          Kokkos::View<double***, Exec>& x, double load = 1) {
  const auto size = static_cast<std::size_t>(n + 2);
  x = Kokkos::View<double***, Exec>("x", size, size, size);
  const Kokkos::View<double***, Exec> rhs("rhs", size, size, size);
  Kokkos::deep_copy(rhs, load);
  return sor_solve(x, poisson_3d<double>(optimal_omega(n, n, n), 1.0 / (n + 1)),
                   SORInputs().rhs(rhs), control, options);
}

TEST(SOR3DSolve, Converges) {
  Kokkos::View<double***, Exec> x;
  for (const SweepOrder order : orders)
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
      for (const bool restore : {false, true}) {
        int looks = 0;
        const SolveReport report = solve_poisson(15,
                                                 {.tolerance = 1e-9,
                                                  .check_every = 7,
                                                  .criterion = criterion,
                                                  .progress =
                                                      [&](int, double) {
                                                        ++looks;
                                                        return true;
                                                      }},
                                                 {.order = order, .restore = restore}, x);
        EXPECT_TRUE(report.converged()) << report.to_string();
        EXPECT_GT(looks, 2);
        // The middle of the cube, by the series of sines on this mesh.
        const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
        EXPECT_NEAR(host(8, 8, 8), 0.0562, 5e-4);
      }
}

TEST(SOR3DSolve, SweepsAsOften) {
  Kokkos::View<double***, Exec> x, y;
  for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
    const SolveReport report = solve_poisson(
        9, {.tolerance = 0, .max_sweeps = 23, .check_every = 5, .criterion = criterion}, {}, x);
    EXPECT_EQ(report.reason, StopReason::MaxSweeps);
    EXPECT_EQ(report.sweeps, 23);
    solve_poisson(9, {.max_sweeps = 0}, {}, y);
    const Kokkos::View<double***, Exec> rhs("rhs", 11, 11, 11);
    Kokkos::deep_copy(rhs, 1.0);
    sor_sweeps(y, poisson_3d<double>(optimal_omega(9, 9, 9), 0.1), 23, SORInputs().rhs(rhs));
    const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(double) * a.size()), 0);
  }
}

TEST(SOR3DSolve, SquaresMayOverflowAndUnderflow) {
  Kokkos::View<double***, Exec> x;
  for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
    const SolveControl control{.tolerance = 0, .relative_tolerance = 1e-6, .criterion = criterion};
    const SolveReport expected = solve_poisson(7, control, {}, x);
    for (const double scale : {0x1p-565, 0x1p530}) {
      const SolveReport report = solve_poisson(7, control, {}, x, scale);
      EXPECT_TRUE(report.converged()) << report.to_string();
      EXPECT_EQ(report.sweeps, expected.sweeps);
      EXPECT_NEAR(report.initial_residual / scale / expected.initial_residual, 1, 1e-12);
    }
  }
}

TEST(SOR3DSolve, GoesBackWhereItDiverges) {
  const Kokkos::View<double***, Exec> x("x", 9, 9, 9);
  Kokkos::deep_copy(x, 1.0);
  const SORCoefficients3D<double> c{2.5, 1, 1, 1, 1, 1, 1, 1};
  const SolveReport report = sor_solve(x, c, SORInputs(), {.check_every = 1});
  EXPECT_EQ(report.reason, StopReason::Diverged);
  EXPECT_NEAR(sor_residual(x, c), report.final_residual, 1e-9 * report.final_residual);
  Kokkos::deep_copy(x, nan<double>);
  EXPECT_EQ(sor_solve(x, c).reason, StopReason::NonFinite);
}

/// @brief With and without a second array: x is what as many sweeps as are reported give.
TEST(SOR3DSolve, LeavesTheSweepsThatItReports) {
  Random random;
  SCOPED_TRACE(random.trace());
  PlainSOR3D<double> start({7, 8, 11}, kinds[1], random);
  start.c.center = 1.6;
  for (const SweepOrder order : orders)
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
      for (const bool restore : {true, false})
        for (const int check_every : {1, 3}) {
          PlainSOR3D<double> p = start;
          const Arrays<double> given(p, check_every == 1 ? right : left, right);
          given.with_constants_and_rhs([&](const auto& c, const auto& in) {
            const SolveReport report = sor_solve(
                given.x.view(), c, in,
                {.check_every = check_every, .divergence_factor = 100, .criterion = criterion},
                {.order = order, .restore = restore});
            ASSERT_EQ(report.reason, StopReason::Diverged) << report.to_string();
            ASSERT_GT(report.sweeps, 0);
            EXPECT_EQ(report.final_residual < 100 * report.initial_residual, restore);
            p.sweep(order, report.sweeps);
            EXPECT_TRUE(same_bits(given.x.values(), p.x)) << report.to_string();
            EXPECT_TRUE(given.x.gaps_intact());
          });
        }
}

TEST(SOR3DCoefficients, Poisson) {
  for (const double omega : {0.0, 2.0})
    EXPECT_THROW(poisson_3d<double>(omega, 1), std::invalid_argument);
  EXPECT_THROW(poisson_3d<double>(1, 0), std::invalid_argument);
  EXPECT_THROW(optimal_omega(0, 1, 1), std::invalid_argument);
  EXPECT_THROW(optimal_omega(1, 0, 1), std::invalid_argument);
  EXPECT_THROW(optimal_omega(1, 1, 0), std::invalid_argument);
  EXPECT_NEAR(optimal_omega(40, 40, 40), optimal_omega(40, 40), 1e-12);
  EXPECT_NEAR(optimal_omega(1, 1, 1), 1, 1e-12);
  const auto c = poisson_3d<double>(1.5, 0.5);
  EXPECT_DOUBLE_EQ(c.center + c.left + c.up + c.front + c.right + c.down + c.back, 1);
  EXPECT_DOUBLE_EQ(c.rhs, 0.0625);
}

void expect_rejected(const std::string& start, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "accepted, where this was expected: " << start;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start);
  }
}

TEST(SOR3DArguments, AreNamed) {
  using Array = Kokkos::View<double***, Exec>;
  const Array x("x", 5, 6, 7), shorter("shorter", 5, 6, 6);
  const Kokkos::View<int***, Exec> mask("mask", 4, 6, 7);
  auto c = poisson_3d<double>(1, 1);
  const std::string extents = " must have the extents of 'x' (5 x 6 x 7), got ";
  expect_rejected("WaveScan::sor_sweeps: argument 'rhs'" + extents + "5 x 6 x 6",
                  [&] { sor_sweeps(x, c, 1, SORInputs().rhs(shorter)); });
  expect_rejected("WaveScan::sor_solve: argument 'mask'" + extents + "4 x 6 x 7",
                  [&] { sor_solve(x, c, SORInputs().mask(mask)); });
  expect_rejected("WaveScan::sor_sweeps: argument 'x' must share no memory with 'rhs'",
                  [&] { sor_sweeps(x, c, 1, SORInputs().rhs(x)); });
  expect_rejected("WaveScan::sor_sweeps: argument 'to' must share no memory with 'from'",
                  [&] { sor_sweeps(x, x, c, 1); });
  expect_rejected("WaveScan::sor_sweeps: argument 'from' must have the extents of 'to'",
                  [&] { sor_sweeps(shorter, x, c, 1); });
  expect_rejected("WaveScan::sor_sweeps: argument 'count' must not be negative, got -1",
                  [&] { sor_sweeps(x, c, -1); });
  expect_rejected("WaveScan::sor_sweeps: argument 'schedule' must be auto, got serial", [&] {
    sor_sweeps(x, c, 1, SORInputs(), SOROptions{.schedule = Schedule::Serial});
  });
  const auto expect_plan_rejected = [](const std::string& argument, const Extents& size,
                                       const SOROptions& options) {
    expect_rejected("WaveScan::SOR3D: argument '" + argument + "'",
                    [&] { SOR3D<Exec, double>(Exec(), size[0], size[1], size[2], options); });
  };
  expect_plan_rejected("planes", {-1, 6, 6}, {});
  expect_plan_rejected("rows", {5, -1, 6}, {});
  expect_plan_rejected("columns", {5, 6, -1}, {});
  expect_plan_rejected("stall_seconds", {5, 6, 6}, {.stall_seconds = -1});
  SOR3D<Exec, double> plan(Exec(), 5, 6, 6);
  expect_rejected("WaveScan::sor_solve: argument 'coefficients.center' must not be 1", [&] {
    plan.reserve_solve(shorter, SORCoefficients3D<double>{1, 0, 0, 0, 0, 0, 0, 1});
  });
  expect_rejected("WaveScan::sor_sweeps: argument 'x' must have the plan's extents (5 x 6 x 6)",
                  [&] { plan.sweeps(x, c, 1); });
  const Kokkos::View<double***, Kokkos::LayoutStride, Exec> overlapping(
      x.data(), Kokkos::LayoutStride(3, 4, 3, 2, 3, 1));
  expect_rejected("WaveScan::sor_sweeps: argument 'x' must have no elements that overlap",
                  [&] { sor_sweeps(overlapping, c, 1); });
  VariableCoefficients3D<double, Exec::memory_space> varying{.center = 0.5, .back = shorter};
  expect_rejected("WaveScan::sor_residual: argument 'coefficients.back'" + extents,
                  [&] { sor_residual(x, varying); });
  const Array not_finite("not finite", 5, 6, 7);
  Kokkos::deep_copy(not_finite, nan<double>);
  varying.back = not_finite;
  expect_rejected(
      "WaveScan::check_coefficients: argument 'coefficients.back' must be finite, got NaN or "
      "infinity at the point (1, 1, 1)",
      [&] { check_coefficients(Exec(), x, varying); });
  varying.back = x;
  expect_rejected(
      "WaveScan::sor_sweeps: argument 'x' must share no memory with 'coefficients.back'",
      [&] { sor_sweeps(x, varying, 1); });
  c.front = nan<double>;
  expect_rejected("WaveScan::sor_sweeps: argument 'coefficients.front' must be finite",
                  [&] { sor_sweeps(x, c, 1); });
  c = {1, 0, 0, 0, 0, 0, 0, 1};
  expect_rejected("WaveScan::sor_solve: argument 'coefficients.center' must not be 1",
                  [&] { sor_solve(x, c); });
}

}  // namespace
}  // namespace wavescan::Test::three_dimensions
