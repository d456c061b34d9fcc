// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_EXACT_HPP
#define WAVESCAN_TEST_SOR_EXACT_HPP

#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_Tools.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <utility>
#include <vector>

#include "Reference.hpp"
#include "Variable.hpp"

/// @file
/// @brief Default options: the bits of the plain loops, in all calls of a plan.

namespace wavescan::Test {

using Extents = std::pair<std::int64_t, std::int64_t>;

/// @brief How a problem lies in memory, and what it has.
struct ExactCase {
  Extents extents;
  SweepOrder order = SweepOrder::Forward;
  Placement (*place)(std::int64_t rows, std::int64_t columns) = row_major;
  Placement (*place_inputs)(std::int64_t rows, std::int64_t columns) = row_major;
  bool with_rhs = false;
  bool with_mask = false;
  bool varies = false;  ///< coefficients of each point's own

  std::string name() const {
    std::ostringstream text;
    text << extents.first << " x " << extents.second << ", " << to_string(order)
         << (place == row_major      ? ""
             : place == column_major ? ", columns dense"
                                     : ", padded")
         << (with_rhs ? ", rhs" : "") << (with_mask ? ", mask" : "")
         << (varies ? ", variable" : "");
    return text.str();
  }
};

template <class T>
void sweep_serially(PlainSOR<T>& p, SweepOrder order, int count) {
  for (int k = 0; k < count; ++k) {
    if (order != SweepOrder::Backward) p.forward_pass();
    if (order != SweepOrder::Forward) p.backward_pass();
  }
}

/// @brief Calls use(inputs) with what a problem has, in device memory.
template <class T, class Use>
void with_inputs(const PlainSOR<T>& p, const Placement& place, const Use& use) {
  const auto with_mask = [&](const auto& inputs) {
    if (p.mask.empty()) return use(inputs);
    const GuardedArray<int> mask(place, p.mask);
    use(inputs.mask(mask.matrix()));
    Kokkos::fence();
  };
  if (p.rhs.empty()) return with_mask(SORInputs());
  const GuardedArray<T> rhs(place, p.rhs);
  with_mask(SORInputs().rhs(rhs.matrix()));
  Kokkos::fence();
}

/// @brief Calls use(coefficients) with constants, or with those of each point.
template <class T, class Use>
void with_coefficients(const PlainSOR<T>& p, const Placement& place, const Use& use) {
  if (p.each.empty()) return use(p.c);
  const DeviceCoefficients<T> each(p, {place});
  use(each.get());
}

/// @brief Three calls of one plan: a sweep, several, and a sweep to another array.
template <class T>
void check_exact(const ExactCase& c) {
  Random random;
  SCOPED_TRACE(c.name() + ", " + random.trace());
  const auto [m, n] = c.extents;
  PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), c.with_rhs, c.with_mask, random);
  if (c.varies) vary_coefficients(p, random);
  const Placement place = c.place(m + 2, n + 2);
  const Placement place_inputs = c.place_inputs(m + 2, n + 2);
  const GuardedArray<T> x(place, p.x);
  const GuardedArray<T> to(place);
  const auto plan = SOR<Exec, T>::like(Exec(), x.matrix(), {.order = c.order});
  with_coefficients(p, place_inputs, [&](const auto& coefficients) {
    with_inputs(p, place_inputs, [&](const auto& inputs) {
      for (const int count : {1, 3}) {
        plan.sweeps(x.matrix(), coefficients, count, inputs);
        sweep_serially(p, c.order, count);
        ASSERT_TRUE(same_bits(x.values(), p.x)) << "after " << count << " sweeps";
      }
      plan.sweeps(x.matrix(), to.matrix(), coefficients, 2, inputs);
      ASSERT_TRUE(same_bits(x.values(), p.x)) << "read only";
      sweep_serially(p, c.order, 2);
      ASSERT_TRUE(same_bits(to.values(), p.x)) << "from one array to another";
    });
  });
  ASSERT_TRUE(x.guards_intact());
  ASSERT_TRUE(to.guards_intact());
}

/// @brief Rows that begin anywhere between alignments, or columns.
inline Placement with_odd_rows(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, columns + 5, 1, 3};
}
inline Placement with_odd_columns(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 1, rows + 7, 1};
}

/// @brief All orders, layouts and inputs.
template <class T>
void check_exact(const Extents& extents, bool varies) {
  WantedCases wanted;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const auto place : {row_major, column_major, with_odd_rows, with_odd_columns, spread})
      for (const bool with_rhs : {false, true})
        for (const bool with_mask : {false, true}) {
          if (!wanted.next()) continue;
          // Inputs like x, which may be copied alike, and others.
          check_exact<T>({extents, order, place, with_mask ? column_major : place, with_rhs,
                          with_mask, varies});
          if (testing::Test::HasFatalFailure()) return;
        }
}

/// @brief Solves give what as many serial sweeps give.
template <class T>
void check_exact_solve(const Extents& extents, SweepOrder order, Criterion criterion) {
  Random random;
  const auto [m, n] = extents;
  const ExactCase c{extents, order, column_major, column_major, true};
  SCOPED_TRACE(c.name() + ", " + random.trace());
  PlainSOR<T> p = random_sor<T>(m, n, poisson<T>(1.3, 1), true, false, random);
  const Placement place = column_major(m + 2, n + 2);
  const GuardedArray<T> x(place, p.x);
  const GuardedArray<T> rhs(place, p.rhs);
  const SolveReport report =
      sor_solve(Exec(), x.matrix(), p.c, SORInputs().rhs(rhs.matrix()),
                {.max_sweeps = 11, .check_every = 4, .criterion = criterion}, {.order = order});
  EXPECT_EQ(report.sweeps, 11) << report.to_string();
  sweep_serially(p, order, report.sweeps);
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

}  // namespace wavescan::Test

#endif
