// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCAN_CHECKSCANS_HPP
#define WAVESCAN_TEST_SCAN_CHECKSCANS_HPP

#include <gtest/gtest.h>

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_ScanOracle.hpp"

/// @file
/// @brief Runs a scan with and without carries and in place, and compares it with a plain loop.

namespace wavescan::Test {

enum class Kind { Inclusive, Exclusive };

/// @brief Lengths around everything that cuts a line into pieces: vector registers, the elements
/// that a thread takes, tiles of teams, chunks, and a few primes.
inline const std::vector<std::int64_t> lengths{
    0,    1,    2,    3,    5,    15,   16,    17,    31,    32,    33,    63,    64,   65,
    127,  255,  257,  511,  512,  513,  1023,  1025,  2047,  2048,  2049,  4095,  4096, 4097,
    6143, 6145, 8191, 8192, 8193, 9973, 16384, 16385, 32767, 32769, 65537, 131071};

/// @brief An operator as a scan, and what it means: a plain function of two values.
template <class Op, class Meaning>
struct PlainScan {
  using value_type = typename Op::value_type;
  Op op;
  Meaning meaning;

  template <class Exec, class In, class Out, class Options>
  void run(const Exec& exec, Kind kind, const In& in, const Out& out,
           const Options& options) const {
    const auto plan = Scan<Exec, Op>::like(exec, in, op, options.axis());
    kind == Kind::Inclusive ? plan.inclusive(in, out, options) : plan.exclusive(in, out, options);
  }
  value_type identity() const { return op.identity(); }
  value_type advance(const value_type& s, const value_type& x, std::int64_t, std::int64_t) const {
    return meaning(s, x);
  }
};
template <class Op, class Meaning>
PlainScan(Op, Meaning) -> PlainScan<Op, Meaning>;

/// @brief An algebra with the same weight everywhere; `meaning(s, w, x)` is the next state.
template <class A, class Meaning>
struct ConstantWeightScan {
  using value_type = typename A::value_type;
  A algebra;
  typename A::weight_type weight;
  Meaning meaning;

  template <class Exec, class In, class Out, class Options>
  void run(const Exec& exec, Kind kind, const In& in, const Out& out,
           const Options& options) const {
    const auto plan = Scan<Exec, A>::like(exec, in, algebra, options.axis());
    kind == Kind::Inclusive ? plan.weighted(in, weight, out, options)
                            : plan.weighted_exclusive(in, weight, out, options);
  }
  value_type identity() const { return algebra.zero(); }
  value_type advance(const value_type& s, const value_type& x, std::int64_t, std::int64_t) const {
    return meaning(s, weight, x);
  }
};
template <class A, class W, class Meaning>
ConstantWeightScan(A, W, Meaning) -> ConstantWeightScan<A, Meaning>;

/// @brief An algebra with a View of weights; `on_host(line, j)` reads them.
template <class A, class Weights, class OnHost, class Meaning>
struct WeightsScan {
  using value_type = typename A::value_type;
  A algebra;
  Weights weights;
  OnHost on_host;
  Meaning meaning;

  template <class Exec, class In, class Out, class Options>
  void run(const Exec& exec, Kind kind, const In& in, const Out& out,
           const Options& options) const {
    const auto plan = Scan<Exec, A>::like(exec, in, algebra, options.axis());
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
WeightsScan(A, Weights, OnHost, Meaning) -> WeightsScan<A, Weights, OnHost, Meaning>;

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
  const int line_axis = Rank == 1 ? 1 : axis;  // a placement of one row scans along its columns
  const std::int64_t lines = line_axis == 0 ? in_place.columns : in_place.rows;
  const std::vector<T> same_carry(static_cast<std::size_t>(lines), carries.front());
  const ExpectedScans<T> bare(scan, x, in_place, line_axis, {});
  const ExpectedScans<T> from_one(scan, x, in_place, line_axis, same_carry);
  const ExpectedScans<T> from_each(scan, x, in_place, line_axis, carries);
  const auto options = ScanOptions().axis(Rank == 1 ? 0 : axis);

  const GuardedArray<X, Exec> in(in_place, x);
  const auto in_view = view_of<Rank, InLayout>(in);
  const typename decltype(in_view)::const_type input = in_view;
  for (const Kind kind : {Kind::Inclusive, Kind::Exclusive}) {
    SCOPED_TRACE((kind == Kind::Inclusive ? "inclusive, " : "exclusive, ") +
                 std::to_string(in_place.rows) + " x " + std::to_string(in_place.columns) +
                 ", axis " + std::to_string(axis));
    {
      const GuardedArray<T, Exec> out(out_place);
      scan.run(exec, kind, input, view_of<Rank, OutLayout>(out), options);
      if (!holds(out, bare.of(kind), "without carry")) return;
    }
    {
      const GuardedArray<T, Exec> out(out_place), last(line(lines, 2));
      scan.run(exec, kind, input, view_of<Rank, OutLayout>(out),
               options.carry_in(carries.front()).carry_out(carries_of<Rank>(last)));
      if (!holds(out, from_one.of(kind), "carry in as a value")) return;
      if (!holds(last, from_one.last, "carry out")) return;
    }
    {
      const GuardedArray<T, Exec> out(out_place), carry(line(lines), carries);
      const auto both = carries_of<Rank>(carry);
      scan.run(exec, kind, input, view_of<Rank, OutLayout>(out),
               options.carry_in(both).carry_out(both));
      if (!holds(out, from_each.of(kind), "one View as carry in and out")) return;
      if (!holds(carry, from_each.last, "carry out of one View as both")) return;
    }
    if constexpr (std::is_same_v<X, T>) {
      const GuardedArray<T, Exec> both(in_place, x);
      const auto view = view_of<Rank, InLayout>(both);
      scan.run(exec, kind, view, view, options);
      if (!holds(both, bare.of(kind), "in place")) return;
    }
  }
  ASSERT_TRUE(same_bits(in.values(), x)) << "the input was changed";
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
