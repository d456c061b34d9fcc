// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "ScanCases.hpp"

// Infinities and NaN: they stay for the rest of their line, and touch nothing before them and no
// other line.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

/// Independent lines of a matrix, of which some hold a special value.
template <class T>
struct Lines {
  Placement place;
  int axis = 1;
  std::vector<T> calm;                ///< all finite
  std::vector<T> wild;                ///< the same with special values
  std::vector<std::int64_t> special;  ///< where the first one of each line is, or its length

  Lines(Order order, std::int64_t lines, std::int64_t length, int along, const T& value,
        const std::vector<T>& values, Random& random)
      : place(placed(order, along == 0 ? length : lines, along == 0 ? lines : length, 7, 1)),
        axis(along),
        calm(values),
        wild(values) {
    for (std::int64_t l = 0; l < lines; ++l) {
      // Every other line stays as it is, unless there is but one.
      const std::int64_t spots[]{0, 1, length / 2, length - 1, random.integer(0, length - 1)};
      const std::int64_t spot = l % 2 == 1 ? length : spots[random.integer(0, 4)];
      special.push_back(std::min(spot, length));
      if (special.back() < length) wild[index(l, special.back())] = value;
    }
  }
  std::int64_t lines() const { return axis == 0 ? place.columns : place.rows; }
  std::int64_t length() const { return axis == 0 ? place.rows : place.columns; }
  std::size_t index(std::int64_t l, std::int64_t j) const {
    return static_cast<std::size_t>(axis == 0 ? j * place.columns + l : l * place.columns + j);
  }
};

template <class T>
using Behind = std::function<bool(const T& result, std::int64_t line, std::int64_t j)>;

/// Compares results of the wild lines with those of the calm ones, which must agree bit for bit up
/// to the special value; what comes behind it is for `behind(result, line, j)` to judge.
/// @param lag how many elements later a special value comes out: 1 for exclusive scans
template <class T>
testing::AssertionResult spreads(const Lines<T>& lines, const std::vector<T>& wild,
                                 const std::vector<T>& calm, int lag, const Behind<T>& behind) {
  for (std::int64_t l = 0; l < lines.lines(); ++l)
    for (std::int64_t j = 0; j < lines.length(); ++j) {
      const std::size_t k = lines.index(l, j);
      const std::int64_t from = lines.special[static_cast<std::size_t>(l)] + lag;
      if (j < from ? std::memcmp(&wild[k], &calm[k], sizeof(T)) == 0 : behind(wild[k], l, j))
        continue;
      return testing::AssertionFailure()
             << show(wild[k]) << " (and " << show(calm[k]) << " of finite input) at " << j
             << " of line " << l << " of " << lines.lines() << " x " << lines.length()
             << " along axis " << lines.axis << ", rows " << lines.place.row_stride
             << " and columns " << lines.place.column_stride << " apart; the special value is at "
             << from - lag;
    }
  return testing::AssertionSuccess();
}

template <class T>
using MatrixOf = decltype(std::declval<const GuardedArray<T>&>().matrix());
using AxisOptions = decltype(ScanOptions().axis(0));
template <class T>
using ScanCall =
    std::function<void(const MatrixOf<T>& in, const MatrixOf<T>& out, const AxisOptions&, Kind)>;

/// Runs `scan(in, out, options, kind)` on calm and wild input.
template <class T>
void check_input(const Lines<T>& lines, const ScanCall<T>& scan, const Behind<T>& behind) {
  const auto options = ScanOptions().axis(lines.axis);
  const GuardedArray<T> calm_in(lines.place, lines.calm), wild_in(lines.place, lines.wild);
  for (const Kind kind : {Kind::Inclusive, Kind::Exclusive}) {
    const GuardedArray<T> calm(lines.place), wild(lines.place);
    scan(calm_in.matrix(), calm.matrix(), options, kind);
    scan(wild_in.matrix(), wild.matrix(), options, kind);
    ASSERT_TRUE(spreads(lines, wild.values(), calm.values(), kind == Kind::Exclusive, behind));
    ASSERT_TRUE(wild.guards_intact());
  }
}

/// Calls `check(lines)` for lines of many shapes with each of the special values in turn.
template <class T>
void for_all_shapes(const std::vector<T>& specials, const std::function<T(Random&)>& draw,
                    const std::function<void(const Lines<T>&)>& check) {
  Random random;
  SCOPED_TRACE(random.trace());
  struct Shape {
    std::int64_t lines, length;
  };
  std::vector<Shape> shapes{{1, 2},   {1, 33},   {1, 2049}, {1, 9001}, {1, 80003},
                            {7, 300}, {3, 9001}, {67, 129}, {500, 9},  {2000, 3}};
  if (!on_host<Kokkos::DefaultExecutionSpace> && !few_cases_wanted())
    shapes.push_back({1, 1500007});
  for (const Shape& s : shapes)
    for (const Order order : {Order::Rows, Order::PitchedRows, Order::Columns})
      for (const int axis : {0, 1})
        for (const T special : specials) {
          if (s.length > 10000 && (order != Order::Rows || axis == 0)) continue;
          std::vector<T> x;
          for (std::int64_t k = 0; k < s.lines * s.length; ++k) x.push_back(draw(random));
          check(Lines<T>(order, s.lines, s.length, axis, special, x, random));
          if (testing::Test::HasFatalFailure()) return;
        }
}

template <class T>
T draw_digit(Random& random) {
  return static_cast<T>(random.integer(-9, 9));
}

/// What a plain loop makes of a line: NaN, or this value.
template <class T>
Behind<T> as_in_a_loop(const Lines<T>& lines, const std::function<T(T, T)>& op, int lag) {
  std::vector<T> expected(lines.wild.size());
  for (std::int64_t l = 0; l < lines.lines(); ++l) {
    T s = lines.wild[lines.index(l, 0)];
    for (std::int64_t j = 0; j < lines.length(); ++j) {
      if (j > 0) s = op(s, lines.wild[lines.index(l, j)]);
      if (j + lag < lines.length()) expected[lines.index(l, j + lag)] = s;
    }
  }
  return [expected, lines](const T& y, std::int64_t l, std::int64_t j) {
    const T& e = expected[lines.index(l, j)];
    return std::isnan(e) ? std::isnan(y) : y == e;
  };
}

template <class Op>
void check_operator(const Op& op, const std::function<typename Op::value_type(Random&)>& draw) {
  using T = typename Op::value_type;
  for_all_shapes<T>({infinity<T>, -infinity<T>, nan<T>}, draw, [&](const Lines<T>& lines) {
    const auto inclusive = as_in_a_loop<T>(lines, op, 0), exclusive = as_in_a_loop<T>(lines, op, 1);
    const auto options = ScanOptions().axis(lines.axis);
    const GuardedArray<T> calm_in(lines.place, lines.calm), wild_in(lines.place, lines.wild);
    const GuardedArray<T> calm(lines.place), wild(lines.place);
    inclusive_scan(calm_in.matrix(), calm.matrix(), op, options);
    inclusive_scan(wild_in.matrix(), wild.matrix(), op, options);
    ASSERT_TRUE(spreads(lines, wild.values(), calm.values(), 0, inclusive));
    exclusive_scan(calm_in.matrix(), calm.matrix(), op, options);
    exclusive_scan(wild_in.matrix(), wild.matrix(), op, options);
    ASSERT_TRUE(spreads(lines, wild.values(), calm.values(), 1, exclusive));
  });
}

template <class T>
bool not_finite(const T& y, std::int64_t, std::int64_t) {
  return !std::isfinite(y);
}

/// Infinity times a power of the weight that has underflowed is NaN, where a loop has infinity.
template <class T>
void check_one_weight(const std::vector<T>& weights, const std::function<T(Random&)>& draw) {
  WantedCases wanted;
  for (const T w : weights) {
    if (!wanted.next()) continue;
    for_all_shapes<T>({-infinity<T>, nan<T>}, draw, [&](const Lines<T>& lines) {
      SCOPED_TRACE(w);
      check_input<T>(
          lines,
          [&](const MatrixOf<T>& in, const MatrixOf<T>& out, const AxisOptions& options,
              Kind kind) {
            kind == Kind::Inclusive ? weighted_scan(in, w, out, PlusTimes<T>{}, options)
                                    : weighted_exclusive_scan(in, w, out, PlusTimes<T>{}, options);
          },
          not_finite<T>);
    });
  }
}

/// Weights that shrink, and growing ones, under which zeros remain zeros.
template <class T>
void check_one_weight() {
  check_one_weight<T>({T(0.5), T(-0.99), T(1), T(0), T(1e-30)}, draw_digit<T>);
  check_one_weight<T>({T(1.5), T(-2), T(1e20)}, [](Random&) { return T(0); });
}

template <class T>
T draw_share(Random& random) {
  return random.integer(0, 9) == 0 ? T(0) : random.value<T>();
}

/// A View of weights, between which special values come.
template <class T>
void check_many_weights() {
  for_all_shapes<T>({infinity<T>, nan<T>}, draw_digit<T>, [](const Lines<T>& lines) {
    std::vector<T> w;
    Random random;
    for (std::size_t k = 0; k < lines.calm.size(); ++k) w.push_back(draw_share<T>(random));
    const GuardedArray<T> weights(lines.place, w);
    check_input<T>(
        lines,
        [&](const MatrixOf<T>& in, const MatrixOf<T>& out, const AxisOptions& options, Kind kind) {
          kind == Kind::Inclusive
              ? weighted_scan(in, weights.matrix(), out, PlusTimes<T>{}, options)
              : weighted_exclusive_scan(in, weights.matrix(), out, PlusTimes<T>{}, options);
        },
        not_finite<T>);
  });
}

/// Special values as weights; the first weight of a line has no effect.
template <class T>
void check_weights() {
  for_all_shapes<T>({infinity<T>, nan<T>}, draw_share<T>, [](const Lines<T>& drawn) {
    Lines<T> lines = drawn;
    for (std::int64_t& special : lines.special)
      if (special == 0) special = lines.length();
    const GuardedArray<T> in(lines.place, std::vector<T>(lines.calm.size(), T(1)));
    check_input<T>(
        lines,
        [&](const MatrixOf<T>& weights, const MatrixOf<T>& out, const AxisOptions& options,
            Kind kind) {
          kind == Kind::Inclusive
              ? weighted_scan(in.matrix(), weights, out, PlusTimes<T>{}, options)
              : weighted_exclusive_scan(in.matrix(), weights, out, PlusTimes<T>{}, options);
        },
        not_finite<T>);
  });
}

template <class T>
void check_longest_paths() {
  for (const T w : {T(-2), T(0), T(3)})
    for_all_shapes<T>(
        {infinity<T>, -infinity<T>, nan<T>}, draw_digit<T>, [&](const Lines<T>& lines) {
          SCOPED_TRACE(w);
          const auto step = [w](T s, T x) { return Max<T>{}(s + w, x); };
          const GuardedArray<T> calm_in(lines.place, lines.calm), wild_in(lines.place, lines.wild);
          const GuardedArray<T> calm(lines.place), wild(lines.place);
          const auto options = ScanOptions().axis(lines.axis);
          weighted_scan(calm_in.matrix(), w, calm.matrix(), MaxPlus<T>{}, options);
          weighted_scan(wild_in.matrix(), w, wild.matrix(), MaxPlus<T>{}, options);
          ASSERT_TRUE(
              spreads(lines, wild.values(), calm.values(), 0, as_in_a_loop<T>(lines, step, 0)));
        });
}

template <class T>
void check_carries() {
  for (const std::int64_t n : {1, 2, 33, 2049, 9001, 80003})
    for (const T carry : {infinity<T>, nan<T>}) {
      const GuardedArray<T> in(line(n), std::vector<T>(static_cast<std::size_t>(n), T(1))),
          out(line(n)), last(line(1));
      const auto options = ScanOptions().carry_in(carry).carry_out(last.scalar());
      const auto check = [&](const char* scan) {
        for (const T y : out.values()) ASSERT_FALSE(std::isfinite(y)) << scan << " of " << n;
        ASSERT_FALSE(std::isfinite(last.values().front())) << scan << " of " << n;
      };
      inclusive_scan(in.vector(), out.vector(), Plus<T>{}, options);
      check("inclusive_scan");
      weighted_scan(in.vector(), T(0.5), out.vector(), PlusTimes<T>{}, options);
      check("weighted_scan");
      weighted_scan(in.vector(), T(0), out.vector(), PlusTimes<T>{}, options);
      check("weighted_scan without a weight");
    }
}

TEST(SpecialValues, SumsAreThoseOfALoop) { check_operator(Plus<float>{}, draw_digit<float>); }
TEST(SpecialValues, MaximaAreThoseOfALoop) { check_operator(Max<double>{}, draw_digit<double>); }
TEST(SpecialValues, ProductsAreThoseOfALoop) {
  check_operator(Times<float>{}, [](Random& r) { return r.integer(0, 1) == 0 ? -1.0f : 1.0f; });
}
TEST(SpecialValues, LongestPathsAreThoseOfALoop) { check_longest_paths<float>(); }

TEST(SpecialValues, OneWeightKeepsThemInFloats) { check_one_weight<float>(); }
TEST(SpecialValues, OneWeightKeepsThemInDoubles) { check_one_weight<double>(); }
TEST(SpecialValues, ManyWeightsKeepThemInFloats) { check_many_weights<float>(); }
TEST(SpecialValues, ManyWeightsKeepThemInDoubles) { check_many_weights<double>(); }
TEST(SpecialValues, AsWeightsOfFloats) { check_weights<float>(); }
TEST(SpecialValues, AsWeightsOfDoubles) { check_weights<double>(); }
TEST(SpecialValues, EnterWithTheCarry) { check_carries<float>(); }

}  // namespace
