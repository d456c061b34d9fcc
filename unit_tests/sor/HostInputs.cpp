// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Host.hpp"

/// @file
/// @brief The host's passes of several sweeps with fixed points and with coefficients that vary,
/// and from one array to another, against the plain loops, bit for bit.

namespace wavescan::Test {
namespace {

class HostInputs : public HostTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, HostInputs, testing::ValuesIn(HostTest::kinds()), HostTest::name);

constexpr unsigned all_constant = 0x3f;

Case with_inputs(std::int64_t m, std::int64_t n, int count, SweepOrder order, int mask_bytes,
                 unsigned constant) {
  Case c{m, n, count, order};
  c.mask_bytes = mask_bytes;
  c.constant = constant;
  return c;
}

TEST_P(HostInputs, Shapes) {
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 2, 7, 8, 15, 16, 17, 31, 67})
    for (const std::int64_t n : {1, 2, 5, 16, 29, 47, 48, 49, 101})
      for (const int count : {1, 2, 4, 7}) {
        cases.push_back(with_inputs(m, n, count, SweepOrder::Forward, 1, all_constant));
        cases.push_back(with_inputs(m, n, count, SweepOrder::Forward, 0, 0));
      }
  check_all(GetParam(), cases);
}

TEST_P(HostInputs, MasksAndCoefficients) {
  // Each coefficient by itself, all, and none; masks of words that load fast, and of others.
  std::vector<Case> cases;
  for (const unsigned constant : {0x3eu, 0x3du, 0x3bu, 0x37u, 0x2fu, 0x1fu, 0u, all_constant})
    for (const int mask_bytes : {0, 1, 4, 8})
      for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
        for (const bool with_rhs : {false, true}) {
          Case c = with_inputs(37, 83, 5, order, mask_bytes, constant);
          c.with_rhs = with_rhs;
          cases.push_back(c);
        }
  check_all(GetParam(), cases);
}

TEST_P(HostInputs, Layouts) {
  std::vector<Case> cases;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric})
    for (const int mask_bytes : {1, 4, 8})
      for (const auto& [place, place_others] :
           {std::pair(&padded, &row_major), std::pair(&row_major, &padded),
            std::pair(&column_major, &padded_columns), std::pair(&padded_columns, &column_major)}) {
        Case c = with_inputs(45, 61, 3, order, mask_bytes, 0);
        c.place = place;
        c.place_others = place_others;
        cases.push_back(c);
      }
  check_all(GetParam(), cases);
}

TEST_P(HostInputs, Large) {
  check_all(GetParam(), {with_inputs(509, 1021, 5, SweepOrder::Forward, 1, 0),
                         with_inputs(1021, 509, 4, SweepOrder::Backward, 1, all_constant)});
}

template <class K>
void check_from_one_array_to_another() {
  using T = typename K::value_type;
  for (const auto& [place, place_to] :
       {std::pair(&row_major, &padded), std::pair(&column_major, &padded_columns)})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const int count : {1, 2, 11})
        for (const unsigned constant : {all_constant, 0u}) {
          Case c = with_inputs(53, 71, count, order, 0, constant);
          c.place = place;
          c.place_others = place;
          SCOPED_TRACE(c.name());
          HostProblem<T> p(c);
          const GuardedArray<T, Host> to(place_to(c.m + 2, c.n + 2));
          Impl::sor::HostSweeps<Host, T, typename K::most> sor(Host(), c.m + 2, c.n + 2);
          sor.choose = false;
          ASSERT_TRUE(p.with([&](const auto& problem) {
            return run_sweeps(sor, Host(), problem, grid_of(to.matrix()),
                              {count, c.forward(), c.backward()});
          }));
          EXPECT_TRUE(same_bits(p.x.values(), p.plain.x));
          sweep_plainly(p.plain, order, count);
          ASSERT_TRUE(same_bits(to.values(), p.plain.x));
          ASSERT_TRUE(to.guards_intact());
        }
}

TEST_P(HostInputs, FromOneArrayToAnother) {
  with_kind(GetParam(), [](auto kind) { check_from_one_array_to_another<decltype(kind)>(); });
}

}  // namespace
}  // namespace wavescan::Test
