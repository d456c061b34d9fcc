// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCAN_CHECKSCANS_HPP
#define WAVESCAN_TEST_SCAN_CHECKSCANS_HPP

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_ScanOracle.hpp"

/// @file
/// @brief Runs a scan with and without carries and in place, and compares it with a plain loop.

namespace wavescan::Test {

enum class Kind { Inclusive, Exclusive };

/// @brief Lengths around everything that divides a line into pieces: vector registers, the elements
/// that a thread takes, tiles of teams, chunks, and a few primes.
inline const std::vector<std::int64_t> lengths{
    0,    1,    2,    3,    5,    15,   16,    17,    31,    32,    33,    63,    64,   65,
    127,  255,  257,  511,  512,  513,  1023,  1025,  2047,  2048,  2049,  4095,  4096, 4097,
    6143, 6145, 8191, 8192, 8193, 9973, 16384, 16385, 32767, 32769, 65537, 131071};

// What a scan means is a std::function: the scans of one operator are one type, and what checks
// them is compiled once for all files.

/// @brief An operator as a scan, and what it means: a function of two values.
template <class Op>
struct PlainScan {
  using value_type = typename Op::value_type;
  Op op;
  std::function<value_type(const value_type&, const value_type&)> meaning;

  template <class Exec, class In>
  Scan<Exec, Op> plan(const Exec& exec, const In& in, int axis) const {
    return Scan<Exec, Op>::like(exec, in, op, axis);
  }
  template <class Exec, class In, class Out, class Options>
  void call(const Scan<Exec, Op>& plan, Kind kind, const In& in, const Out& out,
            const Options& options) const {
    kind == Kind::Inclusive ? plan.inclusive(in, out, options) : plan.exclusive(in, out, options);
  }
  value_type identity() const { return op.identity(); }
  value_type advance(const value_type& s, const value_type& x, std::int64_t, std::int64_t) const {
    return meaning(s, x);
  }
};
template <class Op, class Meaning>
PlainScan(Op, Meaning) -> PlainScan<Op>;

/// @brief The next state after `s`, with this weight and this element.
template <class A>
using WeightedMeaning = std::function<typename A::value_type(const typename A::value_type& s,
                                                             const typename A::weight_type& w,
                                                             const typename A::value_type& x)>;

/// @brief An algebra with the same weight everywhere, and what it means.
template <class A>
struct ConstantWeightScan {
  using value_type = typename A::value_type;
  A algebra;
  typename A::weight_type weight;
  WeightedMeaning<A> meaning;

  template <class Exec, class In>
  Scan<Exec, A> plan(const Exec& exec, const In& in, int axis) const {
    return Scan<Exec, A>::like(exec, in, algebra, axis);
  }
  template <class Exec, class In, class Out, class Options>
  void call(const Scan<Exec, A>& plan, Kind kind, const In& in, const Out& out,
            const Options& options) const {
    kind == Kind::Inclusive ? plan.weighted(in, weight, out, options)
                            : plan.weighted_exclusive(in, weight, out, options);
  }
  value_type identity() const { return algebra.zero(); }
  value_type advance(const value_type& s, const value_type& x, std::int64_t, std::int64_t) const {
    return meaning(s, weight, x);
  }
};
template <class A, class W, class Meaning>
ConstantWeightScan(A, W, Meaning) -> ConstantWeightScan<A>;

/// @brief An algebra with a View of weights; `on_host(line, j)` reads them.
template <class A, class Weights>
struct WeightsScan {
  using value_type = typename A::value_type;
  A algebra;
  Weights weights;
  std::function<typename A::weight_type(std::int64_t, std::int64_t)> on_host;
  WeightedMeaning<A> meaning;

  template <class Exec, class In>
  Scan<Exec, A> plan(const Exec& exec, const In& in, int axis) const {
    return Scan<Exec, A>::like(exec, in, algebra, axis);
  }
  template <class Exec, class In, class Out, class Options>
  void call(const Scan<Exec, A>& plan, Kind kind, const In& in, const Out& out,
            const Options& options) const {
    kind == Kind::Inclusive ? plan.weighted(in, weights, out, options)
                            : plan.weighted_exclusive(in, weights, out, options);
  }
  value_type identity() const { return algebra.zero(); }
  value_type advance(const value_type& s, const value_type& x, std::int64_t l,
                     std::int64_t j) const {
    return meaning(s, on_host(l, j), x);
  }
};
template <class A, class Weights, class OnHost, class Meaning>
WeightsScan(A, Weights, OnHost, Meaning) -> WeightsScan<A, Weights>;

/// @brief What a scan of all lines of an array gives, row by row, from plain loops. All that takes
/// long to compile knows the type of the states alone, and not the scan.
template <class T>
struct ExpectedScans {
  std::vector<T> inclusive, exclusive;
  std::vector<T> last;  ///< one state for each line

  /// @param carries one for each line, or none
  template <class Scan, class X>
  ExpectedScans(const Scan& scan, const std::vector<X>& x, const Placement& p, int axis,
                const std::vector<T>& carries)
      : inclusive(x.size(), scan.identity()), exclusive(inclusive) {
    fill(
        scan.identity(),
        [&scan](const T& s, const T& v, std::int64_t l, std::int64_t j) {
          return T(scan.advance(s, v, l, j));
        },
        x, p, axis, carries);
  }
  const std::vector<T>& of(Kind kind) const {
    return kind == Kind::Inclusive ? inclusive : exclusive;
  }

 private:
  template <class X>
  void fill(const T& identity,
            const std::function<T(const T&, const T&, std::int64_t, std::int64_t)>& advance,
            const std::vector<X>& x, const Placement& p, int axis, const std::vector<T>& carries) {
    const std::int64_t lines = axis == 0 ? p.columns : p.rows;
    for (std::int64_t l = 0; l < lines; ++l) {
      std::optional<T> carry;
      if (!carries.empty()) carry = carries[static_cast<std::size_t>(l)];
      const Scanned<T> line = scan_line<T>(line_of(x, p, axis, l), carry, identity,
                                           [&](const T& s, const T& v, std::size_t j) {
                                             return advance(s, v, l, static_cast<std::int64_t>(j));
                                           });
      for (std::size_t j = 0; j < line.inclusive.size(); ++j) {
        const auto k =
            static_cast<std::size_t>(axis == 0 ? static_cast<std::int64_t>(j) * p.columns + l
                                               : l * p.columns + static_cast<std::int64_t>(j));
        inclusive[k] = line.inclusive[j];
        exclusive[k] = line.exclusive[j];
      }
      last.push_back(line.last);
    }
  }
};

/// @brief An array as a View of rank 1 or 2.
template <int Rank, class Layout = Kokkos::LayoutStride, class T, class Exec>
auto view_of(const GuardedArray<T, Exec>& array) {
  if constexpr (Rank == 1)
    return array.template vector<Layout>();
  else
    return array.template matrix<Layout>();
}

/// @brief Carries of all lines as a View of the rank that a scan wants.
template <int Rank, class T, class Exec>
auto carries_of(const GuardedArray<T, Exec>& array) {
  if constexpr (Rank == 1)
    return array.scalar();
  else
    return array.vector();
}

/// @brief Whether an array holds what is expected, and nothing around it was touched; if not, the
/// test fails.
template <class T, class Exec>
bool holds(const GuardedArray<T, Exec>& array, const std::vector<T>& expected, const char* what) {
  testing::AssertionResult result = equal(array.values(), expected);
  if (result) result = array.guards_intact();
  if (!result) [&] { FAIL() << what << ": " << result.message(); }();
  return static_cast<bool>(result);
}

/// @brief How a scan is called: with which carries.
enum class CarryForm { None, Value, OneView };

/// @brief A scan whose type is forgotten, all but those of its elements: its calls and its meaning.
template <class T, class X, class Exec>
struct AnyScan {
  /// @param carry   what enters as a value
  /// @param carries where the carries out go, or also come from; none without carries
  using Run = std::function<void(Kind, CarryForm, const GuardedArray<X, Exec>& in,
                                 const GuardedArray<T, Exec>& out, const T& carry,
                                 const GuardedArray<T, Exec>* carries)>;
  Run run;
  Run run_in_place;  ///< both arrays are one
  T first;
  std::function<T(const T&, const T&, std::int64_t, std::int64_t)> next;

  T identity() const { return first; }
  T advance(const T& s, const T& x, std::int64_t l, std::int64_t j) const {
    return next(s, x, l, j);
  }
};

/// @brief A call of a scan with Views of rank 1 or 2 and these layouts.
template <int Rank, class InLayout, class OutLayout, class Exec, class Scan, class X,
          class T = typename Scan::value_type>
typename AnyScan<T, X, Exec>::Run calls_of(const Scan& scan, const Exec& exec, int axis) {
  return [&scan, exec, axis](Kind kind, CarryForm form, const GuardedArray<X, Exec>& in,
                             const GuardedArray<T, Exec>& out, const T& carry,
                             const GuardedArray<T, Exec>* carries) {
    const typename decltype(view_of<Rank, InLayout>(in))::const_type from =
        view_of<Rank, InLayout>(in);
    const auto to = view_of<Rank, OutLayout>(out);
    const auto options = ScanOptions().axis(axis);
    const auto plan = scan.plan(exec, from, axis);
    if (form == CarryForm::None) return scan.call(plan, kind, from, to, options);
    const auto view = carries_of<Rank>(*carries);
    form == CarryForm::Value
        ? scan.call(plan, kind, from, to, options.carry_in(carry).carry_out(view))
        : scan.call(plan, kind, from, to, options.carry_in(view).carry_out(view));
  };
}

inline std::string describe(Kind kind, const Placement& place, int axis) {
  return (kind == Kind::Inclusive ? "inclusive, " : "exclusive, ") + std::to_string(place.rows) +
         " x " + std::to_string(place.columns) + ", axis " + std::to_string(axis);
}

/// @brief check_scans of a scan of any type.
template <class T, class X, class Exec>
void check_calls(const AnyScan<T, X, Exec>& scan, const std::vector<X>& x,
                 const Placement& in_place, const Placement& out_place,
                 const std::vector<T>& carries, int line_axis) {
  const std::int64_t lines = line_axis == 0 ? in_place.columns : in_place.rows;
  const std::vector<T> same_carry(static_cast<std::size_t>(lines), carries.front());
  const GuardedArray<X, Exec> in(in_place, x);
  const auto check = [&](CarryForm form, const std::vector<T>& entering,
                         const Placement& carry_place, const char* what) {
    const ExpectedScans<T> expected(scan, x, in_place, line_axis, entering);
    for (const Kind kind : {Kind::Inclusive, Kind::Exclusive}) {
      SCOPED_TRACE(describe(kind, in_place, line_axis));
      const GuardedArray<T, Exec> out(out_place);
      GuardedArray<T, Exec> carry(carry_place);
      if (form == CarryForm::OneView) carry.set(entering);
      scan.run(kind, form, in, out, carries.front(), &carry);
      if (!holds(out, expected.of(kind), what)) return false;
      if (form != CarryForm::None && !holds(carry, expected.last, "carry out")) return false;
      if constexpr (std::is_same_v<X, T>) {
        if (form != CarryForm::None) continue;
        const GuardedArray<T, Exec> both(in_place, x);
        scan.run_in_place(kind, form, both, both, carries.front(), nullptr);
        if (!holds(both, expected.of(kind), "in place")) return false;
      }
    }
    return true;
  };
  if (!check(CarryForm::None, {}, line(0), "without carry")) return;
  if (!check(CarryForm::Value, same_carry, line(lines, 2), "carry in as a value")) return;
  if (!check(CarryForm::OneView, carries, line(lines), "one View as carry in and out")) return;
  ASSERT_TRUE(same_bits(in.values(), x)) << "the input was changed";
}

/// @brief Checks both kinds of a scan of `x`: without carry, with a carry as value and as View,
/// with a carry out, with one View as both, in place. Results must be exact.
///
/// @tparam Rank    of the Views; rank 1 takes placements of one row
/// @param x       the input row by row
/// @param carries a state for each line
template <int Rank, class Exec = Kokkos::DefaultExecutionSpace,
          class InLayout = Kokkos::LayoutStride, class OutLayout = Kokkos::LayoutStride, class Scan,
          class X>
void check_scans(const Scan& scan, const std::vector<X>& x, const Placement& in_place,
                 const Placement& out_place, const std::vector<typename Scan::value_type>& carries,
                 int axis = Rank - 1, const Exec& exec = Exec()) {
  using T = typename Scan::value_type;
  const int view_axis = Rank == 1 ? 0 : axis;
  AnyScan<T, X, Exec> any{calls_of<Rank, InLayout, OutLayout, Exec, Scan, X>(scan, exec, view_axis),
                          {},
                          scan.identity(),
                          [&scan](const T& s, const T& v, std::int64_t l, std::int64_t j) {
                            return scan.advance(s, v, l, j);
                          }};
  if constexpr (std::is_same_v<InLayout, OutLayout>)
    any.run_in_place = any.run;
  else if constexpr (std::is_same_v<X, T>)
    any.run_in_place = calls_of<Rank, InLayout, InLayout, Exec, Scan, X>(scan, exec, view_axis);
  // A placement of one row scans along its columns.
  check_calls(any, x, in_place, out_place, carries, Rank == 1 ? 1 : axis);
}

/// @brief check_scans for a View of rank 1 with the given strides.
template <class Exec = Kokkos::DefaultExecutionSpace, class Scan, class X>
void check_line(const Scan& scan, const std::vector<X>& x, const typename Scan::value_type& carry,
                std::int64_t in_stride = 1, std::int64_t out_stride = 1,
                const Exec& exec = Exec()) {
  const auto n = static_cast<std::int64_t>(x.size());
  check_scans<1, Exec>(scan, x, line(n, in_stride), line(n, out_stride), {carry}, 0, exec);
}

}  // namespace wavescan::Test

#endif
