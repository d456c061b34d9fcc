// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "DistributedLines.hpp"

namespace wavescan::Test {
namespace {

/// @brief Scans with carries in and out, compares, and lets all processes know.
template <class Op>
void check_plain(const Op& op, Random& random, const Case& c) {
  using T = typename Op::value_type;
  const MPI_Comm comm = world;
  const std::int64_t length = c.blocks.all(), count = c.blocks.count(rank_of(comm)),
                     first = c.blocks.first(rank_of(comm));
  const auto whole = draw(op, random, c.lines * length);
  const auto carries = draw(op, random, c.lines);
  const auto expected = serial<T>(
      c.lines, length, c.inclusive, c.reverse, c.carry ? carries.data() : nullptr, op.identity(),
      [&](auto line, auto j) { return whole[static_cast<std::size_t>(line * length + j)]; },
      [&](const T& s, auto line, auto j) {
        return op(s, whole[static_cast<std::size_t>(line * length + j)]);
      });
  const Block<T> in(c.axis, c.right, c.lines, count), other(c.axis, c.right, c.lines, count);
  const Block<T>& out = c.in_place ? in : other;
  other.fill(0xaa);
  in.set(whole, length, first);
  // Only the first process' carry counts.
  const bool is_first = rank_of(comm) == (c.reverse ? size_of(comm) - 1 : 0);
  const auto others = draw(op, random, c.lines);
  const auto carry_in = view_of(is_first ? carries : others);
  const Kokkos::View<T*, Exec> carry_out("carry_out", static_cast<std::size_t>(c.lines));

  const mpi::Scan<Exec, Op> plan(comm, Exec(), c.lines, count, op);
  const auto options = ScanOptions<>().axis(c.axis).reverse(c.reverse).carry_out(carry_out);
  const auto scan = [&](const auto& with_carry) {
    if (c.inclusive)
      plan.inclusive(in.view, out.view, with_carry);
    else
      plan.exclusive(in.view, out.view, with_carry);
  };
  if (c.carry)
    scan(options.carry_in(carry_in));
  else
    scan(options);
  EXPECT_TRUE(equal(out.values(), part_of(expected.lines, c.lines, length, first, count)));
  EXPECT_TRUE(equal(values_of(carry_out), expected.after));
}

template <class Op>
void check_plain_cases(const Op& op) {
  for_random_cases([&](Random& random, const Case& c) { check_plain(op, random, c); });
}
template <class Op>
void check_plain_long_lines(const Op& op) {
  for_long_lines([&](Random& random, const Case& c) { check_plain(op, random, c); });
}

TEST(MpiScans, SumsOf64Bits) { check_plain_cases(Plus<std::int64_t>()); }
TEST(MpiScans, SumsOf8Bits) { check_plain_cases(Plus<std::int8_t>()); }
TEST(MpiScans, Maxima) { check_plain_cases(Max<float>()); }
TEST(MpiScans, OperatorsThatDoNotCommute) {
  check_plain_cases(Affine<std::uint64_t>());
  check_plain_cases(MatrixProduct<std::uint16_t, 3>());
}
TEST(MpiScans, OperatorsWithData) { check_plain_cases(ModularTimes{1000003}); }

TEST(MpiScans, LongLines) {
  check_plain_long_lines(Plus<std::int64_t>());
  check_plain_long_lines(Plus<std::int8_t>());
  check_plain_long_lines(Max<float>());
  check_plain_long_lines(Affine<std::uint64_t>());
}

}  // namespace
}  // namespace wavescan::Test
