// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Operators.hpp>

#include <functional>
#include <vector>

#include "DistributedLines.hpp"

namespace wavescan::Test {
namespace {

template <class A>
using Draw = std::function<typename A::value_type(Random&)>;

template <class A>
void check_weighted(const A& algebra, Random& random, const Case& c, const Draw<A>& draw) {
  using T = typename A::value_type;
  const MPI_Comm comm = world;
  const std::int64_t length = c.blocks.all(), count = c.blocks.count(rank_of(comm)),
                     first = c.blocks.first(rank_of(comm));
  const bool constant = random.integer(0, 1) != 0;
  const auto list = [&](std::int64_t n) {
    std::vector<T> values;
    for (std::int64_t k = 0; k < n; ++k) values.push_back(draw(random));
    return values;
  };
  const auto whole = list(c.lines * length), weights = list(c.lines * length),
             carries = list(c.lines);
  const T weight = draw(random);
  const auto at = [&](const auto& values, auto line, auto j) {
    return values[static_cast<std::size_t>(line * length + j)];
  };
  const auto expected = serial<T>(
      c.lines, length, c.inclusive, c.reverse, c.carry ? carries.data() : nullptr, algebra.zero(),
      [&](auto line, auto j) { return at(whole, line, j); },
      [&](const T& s, auto line, auto j) {
        return algebra.accumulate(algebra.distribute(s, constant ? weight : at(weights, line, j)),
                                  at(whole, line, j));
      });
  const Block<T> in(c.axis, c.right, c.lines, count), other(c.axis, c.right, c.lines, count),
      w(c.axis, c.right, c.lines, count);
  const Block<T>& out = c.in_place ? in : other;
  other.fill(0xaa);
  in.set(whole, length, first);
  w.set(weights, length, first);
  const auto carry = view_of(carries);  // in and out
  const mpi::Scan<Exec, A> plan(comm, Exec(), c.lines, count, algebra);
  const auto options = ScanOptions<>().axis(c.axis).reverse(c.reverse).carry_out(carry);
  const auto scan = [&](const auto& by, const auto& with_carry) {
    if (c.inclusive)
      plan.weighted(in.view, by, out.view, with_carry);
    else
      plan.weighted_exclusive(in.view, by, out.view, with_carry);
  };
  const auto scan_by = [&](const auto& by) {
    if (c.carry)
      scan(by, options.carry_in(carry));
    else
      scan(by, options);
  };
  if (constant)
    scan_by(weight);
  else
    scan_by(w.view);
  EXPECT_TRUE(equal(out.values(), part_of(expected.lines, c.lines, length, first, count)));
  EXPECT_TRUE(equal(values_of(carry), expected.after));
}

template <class A>
void check_weighted_cases(const A& algebra, const Draw<A>& draw) {
  for_random_cases(
      [&](Random& random, const Case& c) { check_weighted(algebra, random, c, draw); });
}

TEST(MpiScans, WeightedSums) {
  check_weighted_cases(PlusTimes<std::int32_t>(),
                       [](Random& r) { return r.value<std::int32_t>(); });
}
TEST(MpiScans, WeightedMaxima) {
  check_weighted_cases(MaxPlus<std::int64_t>(), [](Random& r) { return r.integer(-50, 50); });
}
TEST(MpiScans, WeightedByTheSameOperator) {
  check_weighted_cases(SameOperator<Plus<std::int64_t>>(),
                       [](Random& r) { return r.integer(-50, 50); });
}
TEST(MpiScans, WeightedModulo) {
  check_weighted_cases(ModularAlgebra{1009},
                       [](Random& r) { return static_cast<std::uint32_t>(r.integer(0, 1008)); });
}
TEST(MpiScans, WeightedLongLines) {
  for_long_lines([](Random& random, const Case& c) {
    check_weighted(PlusTimes<std::int32_t>(), random, c,
                   [](Random& r) { return r.value<std::int32_t>(); });
    check_weighted(MaxPlus<std::int64_t>(), random, c,
                   [](Random& r) { return r.integer(-50, 50); });
  });
}

}  // namespace
}  // namespace wavescan::Test
