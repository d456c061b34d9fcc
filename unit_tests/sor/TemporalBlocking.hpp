// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_TEMPORAL_BLOCKING_HPP
#define WAVESCAN_TEST_SOR_TEMPORAL_BLOCKING_HPP

#include <WaveScanTest_Tools.hpp>

#include "RunSweeps.hpp"
#include "Sweeps.hpp"

/// @file
/// @brief Temporal blocking, and speculation, where the execution space has a way to do so:
/// bit for bit those of the plain loops. Elsewhere the schedule TileSkewed stands in.

namespace wavescan::Test {

#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr Schedule exact = Schedule::Auto;
#else
inline constexpr Schedule exact = Schedule::TileSkewed;
#endif

inline Placement odd_column_pitch(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 1, rows + 7, 1};
}

/// @brief Which inputs there are besides x.
struct With {
  bool rhs;
  bool mask = false;
};

template <class T>
void check_bits(PlainSOR<T> p, int count, SweepOrder order, MakePlacement place) {
  const Placement placed = place(p.m + 2, p.n + 2);
  const GuardedArray<T> x(placed, p.x);
  const SOROptions options{.order = order, .schedule = exact, .restore = false};
  const auto run = [&](const auto& inputs) {
    sor_sweeps(Exec(), x.matrix(), p.c, count, inputs, options);
    Kokkos::fence();
  };
  const auto run_with_mask = [&](const auto& inputs) {
    if (p.mask.empty()) return run(inputs);
    const GuardedArray<int> mask(placed, p.mask);
    run(inputs.mask(mask.matrix()));
  };
  if (p.rhs.empty()) {
    run_with_mask(SORInputs());
  } else {
    const GuardedArray<T> rhs(placed, p.rhs);
    run_with_mask(SORInputs().rhs(rhs.matrix()));
  }
  sweep(p, order, count);
  ASSERT_TRUE(same_bits(x.values(), p.x));
  ASSERT_TRUE(x.guards_intact());
}

template <class T>
void check_bits(std::int64_t m, std::int64_t n, const SORCoefficients<T>& c, int count,
                SweepOrder order, With with, MakePlacement place) {
  Random random;
  std::ostringstream text;
  text << m << " x " << n << ", " << count << " sweeps " << to_string(order)
       << (with.rhs ? ", rhs, " : ", ") << (with.mask ? "mask, " : "") << random.trace();
  SCOPED_TRACE(text.str());
  check_bits(random_sor<T>(m, n, c, with.rhs, with.mask, random), count, order, place);
}

template <class T>
void check_fused_shapes() {
  for (const auto& [m, n] : {Size{127, 127}, Size{2, 9001}, Size{9001, 62}, Size{31, 1000},
                             Size{257, 640}, Size{700, 333}, Size{62, 511}, Size{3, 20000}}) {
    if (few_cases_wanted() && m * n > 100'000) continue;
    for (const int count : {1, 2, 7, 16})
      check_bits<T>(m, n, poisson<T>(1.2, 1), count, SweepOrder::Forward, {.rhs = true}, row_major);
  }
}

template <class T>
void check_fused_orders_and_layouts() {
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const MakePlacement place : {row_major, column_major, odd_pitch, odd_column_pitch})
      for (const bool with_rhs : {false, true})
        check_bits<T>(190, 411, five_different<T>(), 5, order, {.rhs = with_rhs}, place);
}

template <class T>
void check_fused_relaxation_factors() {
  for (const double omega : {0.3, 1.0, 1.5, 1.8, 1.99})
    check_bits<T>(300, 900, poisson<T>(omega, 1), 8, SweepOrder::Forward, {.rhs = true}, row_major);
}

/// @brief Zeros of either sign, which additions of nothing would change.
template <class T>
void check_fused_signed_zeros() {
  const std::int64_t m = 200, n = 150;
  PlainSOR<T> p(m, n, poisson<T>(1.5, 1));
  for (std::size_t k = 0; k < p.x.size(); ++k) p.x[k] = k % 3 == 0 ? T(-0.0) : T(0);
  const auto start = p.x;
  const GuardedArray<T> x(row_major(m + 2, n + 2), start);
  sor_sweeps(Exec(), x.matrix(), p.c, 3, SORInputs(), {.schedule = exact});
  sweep(p, SweepOrder::Forward, 3);
  ASSERT_FALSE(same_bits(start, p.x));
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

template <class T>
void check_fused_fixed_points() {
  for (const auto& [m, n] : {Size{127, 129}, Size{2, 9001}, Size{700, 333}})
    for (const int count : {1, 3, 8})
      check_bits<T>(m, n, poisson<T>(1.2, 1), count, SweepOrder::Forward,
                    {.rhs = true, .mask = true}, row_major);
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const MakePlacement place : {column_major, odd_pitch})
      for (const bool with_rhs : {false, true})
        check_bits<T>(190, 211, five_different<T>(), 4, order, {.rhs = with_rhs, .mask = true},
                      place);
}

/// @brief Whether two lists agree bit for bit, but for the bits of NaNs.
template <class T>
testing::AssertionResult same_bits_or_nan(std::vector<T> got, std::vector<T> expected) {
  for (std::size_t k = 0; k < std::min(got.size(), expected.size()); ++k)
    if (std::isnan(got[k]) && std::isnan(expected[k])) got[k] = expected[k] = T(0);
  return same_bits(got, expected);
}

/// @brief The number that stands for fixed points inside is none of the user's business.
template <class T>
void check_fused_right_hand_sides_with_any_nan() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const bool with_mask : {false, true}) {
    PlainSOR<T> p = random_sor<T>(150, 140, poisson<T>(1, 1), true, with_mask, random);
    const std::size_t place = p.at(149, 139);
    p.rhs[place] = Impl::sor::FixedPointCode<T>::value();
    if (with_mask) p.mask[place] = 0;
    const auto start = p.x;
    const GuardedArray<T> x(row_major(152, 142), start);
    const GuardedArray<T> rhs(row_major(152, 142), p.rhs);
    const SORInputs inputs = SORInputs().rhs(rhs.matrix());
    const SOROptions options{.schedule = exact};
    if (with_mask) {
      const GuardedArray<int> mask(row_major(152, 142), p.mask);
      sor_sweeps(Exec(), x.matrix(), p.c, 1, inputs.mask(mask.matrix()), options);
      Kokkos::fence();
    } else {
      sor_sweeps(Exec(), x.matrix(), p.c, 1, inputs, options);
    }
    sweep(p, SweepOrder::Forward, 1);
    ASSERT_FALSE(same_bits_or_nan(start, p.x));
    ASSERT_TRUE(std::isnan(p.x[place]) && std::isfinite(p.x[place - 1]));
    EXPECT_TRUE(same_bits_or_nan(x.values(), p.x));
    EXPECT_TRUE(x.guards_intact());
  }
}

#if defined(KOKKOS_ENABLE_CUDA)

/// @brief Runs with blocks as told, `repeats` times, and returns how many passes were done again.
template <class T>
unsigned passes_redone(std::int64_t m, std::int64_t n, double omega, int count,
                       const Impl::sor::GpuTuning& tuning, int repeats = 1) {
  Random random;
  SCOPED_TRACE(random.trace());
  PlainSOR<T> expected = random_sor<T>(m, n, poisson<T>(omega, 1), true, false, random);
  const Placement place = row_major(m + 2, n + 2);
  const GuardedArray<T> rhs(place, expected.rhs);
  const auto start = expected.x;
  sweep(expected, SweepOrder::Forward, count);
  EXPECT_FALSE(same_bits(start, expected.x));
  const Exec exec;
  Impl::sor::GpuSweeps<T> gpu(exec, m + 2, n + 2);
  gpu.tuning = tuning;
  GuardedArray<T> x(place, start);
  for (int k = 0; k < repeats; ++k) {
    x.set(start);
    const Impl::sor::Problem<T> problem{
        expected.c, grid_of(x.matrix()),
        grid_of(Kokkos::View<const T**, Kokkos::LayoutStride, Exec>(rhs.matrix()))};
    if (!run_sweeps(gpu, exec, problem, problem.x, {count})) {
      ADD_FAILURE() << "nothing was run";
      return 0;
    }
    EXPECT_TRUE(same_bits(x.values(), expected.x));
  }
  return gpu.redone(exec);
}

template <class T>
void check_fused_blocks() {
  for (const int depth : {1, 2, 4, 8})
    for (const auto& [down, across] : {Size{1, 4}, Size{3, 1}, Size{3, 3}})
      EXPECT_EQ(passes_redone<T>(1000, 1100, 1.0, 2 * depth,
                                 {.max_depth = depth,
                                  .blocks = 1,
                                  .warps = 2,
                                  .row_blocks = static_cast<int>(down),
                                  .column_blocks = static_cast<int>(across)}),
                0u);
}

template <class T>
void check_fused_too_small_overlaps() {
  for (const int depth : {1, 2, 4, 8})
    for (const auto& [down, across] : {Size{1, 5}, Size{6, 1}, Size{5, 5}})
      EXPECT_GT(passes_redone<T>(700, 900, 1.95, 2 * depth,
                                 {.max_depth = depth,
                                  .blocks = 1,
                                  .warps = 1,
                                  .row_blocks = static_cast<int>(down),
                                  .column_blocks = static_cast<int>(across),
                                  .overlap_rows = 1,
                                  .overlap_columns = 1},
                                 3),
                0u);
}

/// @brief Groups that lie side by side, and tiles wider than the array. Arrays that pieces would do
/// otherwise share passes here as well.
template <class T>
void check_fused_few_rows_and_columns() {
  const Exec exec;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] :
       {Size{1, 20000}, Size{3, 30000}, Size{16, 20000}, Size{40, 12000}, Size{64, 9001}})
    for (const bool few_columns : {false, true})
      for (const MakePlacement place : {row_major, column_major})
        for (const bool backward : {false, true})
          for (const int count : {1, 3, 8}) {
            SCOPED_TRACE(std::to_string(m) + " rows, sweeps: " + std::to_string(count));
            PlainSOR<T> p = few_columns
                                ? random_sor<T>(n, m, five_different<T>(), true, false, random)
                                : random_sor<T>(m, n, five_different<T>(), true, false, random);
            const Placement placed = place(p.m + 2, p.n + 2);
            const GuardedArray<T> x(placed, p.x);
            const GuardedArray<T> rhs(placed, p.rhs);
            const Impl::sor::GpuSweeps<T> gpu(exec, p.m + 2, p.n + 2);
            const Impl::sor::Problem<T> problem{p.c, grid_of(x.matrix()),
                                                Impl::sor::read_only(grid_of(rhs.matrix()))};
            ASSERT_TRUE(run_sweeps(gpu, exec, problem, problem.x, {count, !backward, backward}));
            sweep(p, backward ? SweepOrder::Backward : SweepOrder::Forward, count);
            ASSERT_TRUE(same_bits(x.values(), p.x));
            ASSERT_TRUE(x.guards_intact());
          }
}

template <class T>
void check_fused_from_one_array_to_another() {
  constexpr std::int64_t m = 500;
  constexpr std::int64_t n = 700;
  const Exec exec;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int blocks : {0, 1})
    for (const int count : {1, 2, 3, 5, 16, 24})
      for (const MakePlacement place : {row_major, column_major, odd_pitch}) {
        SCOPED_TRACE("sweeps: " + std::to_string(count) + ", blocks: " + std::to_string(blocks));
        PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), false, false, random);
        const GuardedArray<T> x(place(m + 2, n + 2), p.x);
        const GuardedArray<T> to(place(m + 2, n + 2));  // NaN
        Impl::sor::GpuSweeps<T> gpu(exec, m + 2, n + 2);
        gpu.tuning.blocks = blocks;
        gpu.tuning.row_blocks = gpu.tuning.column_blocks = 2 * blocks;
        const Impl::sor::Problem<T> problem{p.c, grid_of(x.matrix())};
        ASSERT_TRUE(run_sweeps(gpu, exec, problem, grid_of(to.matrix()), {count}));
        EXPECT_TRUE(same_bits(x.values(), p.x));
        sweep(p, SweepOrder::Forward, count);
        EXPECT_TRUE(same_bits(to.values(), p.x));
        EXPECT_TRUE(to.guards_intact());
      }
}

/// @brief From zero, where x is anything but zero. Tiles of all kinds: with the halo's rows, its
/// columns, and neither.
template <class T>
void check_fused_from_zero() {
  const Exec exec;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : {Size{130, 130}, Size{95, 254}, Size{500, 700}, Size{140, 512}})
    for (const auto& [down, across] : {Size{0, 0}, Size{2, 3}})
      for (const MakePlacement place : {row_major, column_major, odd_pitch})
        for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
          for (const int count : {1, 2, 3, 11}) {
            SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " in " +
                         std::to_string(down) + " x " + std::to_string(across) + ", " +
                         to_string(order) + ", sweeps: " + std::to_string(count));
            PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), true, false, random);
            for (std::int64_t i = 1; i <= m; ++i)
              for (std::int64_t j = 1; j <= n; ++j) p.x[p.at(i, j)] = nan<T>;
            const Placement placed = place(m + 2, n + 2);
            const GuardedArray<T> x(placed, p.x);
            const GuardedArray<T> rhs(placed, p.rhs);
            Impl::sor::GpuSweeps<T> gpu(exec, m + 2, n + 2);
            gpu.tuning.blocks = down > 0 ? 1 : 0;
            gpu.tuning.row_blocks = static_cast<int>(down);
            gpu.tuning.column_blocks = static_cast<int>(across);
            const Impl::sor::Problem<T> problem{p.c, grid_of(x.matrix()),
                                                Impl::sor::read_only(grid_of(rhs.matrix()))};
            ASSERT_TRUE(run_sweeps(
                gpu, exec, problem, problem.x,
                {count, order != SweepOrder::Backward, order != SweepOrder::Forward, true}));
            for (std::int64_t i = 1; i <= m; ++i)
              for (std::int64_t j = 1; j <= n; ++j) p.x[p.at(i, j)] = 0;
            sweep(p, order, count);
            ASSERT_TRUE(same_bits(x.values(), p.x));
            ASSERT_TRUE(x.guards_intact());
          }
}

/// @brief Single sweeps in place, one after the other, in blocks that fit and that do not. Arrays
/// with lines of the cache at the same places, and without.
template <class T>
void check_single_sweeps_in_place() {
  const Exec exec;
  Random random;
  SCOPED_TRACE(random.trace());
  unsigned redone = 0;
  for (const auto& [m, n] : {Size{254, 254}, Size{700, 900}, Size{61, 2046}, Size{1999, 333}})
    for (const auto& [down, across] : {Size{0, 0}, Size{1, 4}, Size{3, 1}, Size{4, 5}})
      for (const MakePlacement place : {row_major, column_major, odd_pitch})
        for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
          for (const bool fits : {false, true}) {
            SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " in " +
                         std::to_string(down) + " x " + std::to_string(across) + ", " +
                         to_string(order));
            PlainSOR<T> p =
                random_sor<T>(m, n, poisson<T>(fits ? 1 : 1.95, 1), true, false, random);
            const Placement placed = place(m + 2, n + 2);
            const GuardedArray<T> x(placed, p.x);
            const GuardedArray<T> rhs(placed, p.rhs);
            Impl::sor::GpuSweeps<T> gpu(exec, m + 2, n + 2);
            // Not as a list with designators: nvcc 13.0 assigns zeros for what those leave out.
            gpu.tuning.blocks = gpu.tuning.warps = down > 0 ? 1 : 0;
            gpu.tuning.row_blocks = static_cast<int>(down);
            gpu.tuning.column_blocks = static_cast<int>(across);
            gpu.tuning.overlap_rows = gpu.tuning.overlap_columns = fits ? 0 : 1;
            const Impl::sor::Problem<T> problem{p.c, grid_of(x.matrix()),
                                                Impl::sor::read_only(grid_of(rhs.matrix()))};
            const bool forward = order != SweepOrder::Backward,
                       backward = order != SweepOrder::Forward;
            for (int k = 0; k < 2; ++k) {
              ASSERT_TRUE(run_sweeps(gpu, exec, problem, problem.x, {1, forward, backward}));
              sweep(p, order, 1);
              ASSERT_TRUE(same_bits(x.values(), p.x));
            }
            ASSERT_TRUE(x.guards_intact());
            if (fits)
              ASSERT_EQ(gpu.redone(exec), 0u);
            else
              redone += gpu.redone(exec);
          }
  EXPECT_GT(redone, 0u);
}

#endif

}  // namespace wavescan::Test

#if defined(KOKKOS_ENABLE_CUDA)
#define WAVESCAN_TEST_SOR_FUSED_IN_BLOCKS(TYPE)                                            \
  TEST(TYPE##Fused, Blocks) { check_fused_blocks<TYPE>(); }                                \
  TEST(TYPE##Fused, FewRowsAndColumns) { check_fused_few_rows_and_columns<TYPE>(); }       \
  TEST(TYPE##Fused, TooSmallOverlapsAreCaught) { check_fused_too_small_overlaps<TYPE>(); } \
  TEST(TYPE##Fused, FromZero) { check_fused_from_zero<TYPE>(); }                           \
  TEST(TYPE##Fused, SingleSweepsInPlace) { check_single_sweeps_in_place<TYPE>(); }         \
  TEST(TYPE##Fused, FromOneArrayToAnother) { check_fused_from_one_array_to_another<TYPE>(); }
#else
#define WAVESCAN_TEST_SOR_FUSED_IN_BLOCKS(TYPE)
#endif

/// @brief The tests of one type; each type has a source file, so that none takes long to compile.
#define WAVESCAN_TEST_SOR_TEMPORAL_BLOCKING(TYPE)                                  \
  namespace wavescan::Test {                                                       \
  TEST(TYPE##Fused, Shapes) { check_fused_shapes<TYPE>(); }                        \
  TEST(TYPE##Fused, OrdersAndLayouts) { check_fused_orders_and_layouts<TYPE>(); }  \
  TEST(TYPE##Fused, RelaxationFactors) { check_fused_relaxation_factors<TYPE>(); } \
  TEST(TYPE##Fused, SignedZeros) { check_fused_signed_zeros<TYPE>(); }             \
  TEST(TYPE##Fused, FixedPoints) { check_fused_fixed_points<TYPE>(); }             \
  TEST(TYPE##Fused, RightHandSidesWithAnyNaN) {                                    \
    check_fused_right_hand_sides_with_any_nan<TYPE>();                             \
  }                                                                                \
  WAVESCAN_TEST_SOR_FUSED_IN_BLOCKS(TYPE)                                          \
  }

#endif
