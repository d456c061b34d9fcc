// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Types.hpp>
#include "RunSweeps.hpp"
#include "Sweeps.hpp"

/// @file
/// @brief Passes that follow each other over the grid in one launch: bit for bit the plain loops.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test {
namespace {

Placement even_column_pitch(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 1, (rows + 7) / 2 * 2, 1};
}

/// @brief Arrays, their plan, and what is expected of them.
template <class T>
class PipelinedSolve {
 public:
  PipelinedSolve(const Exec& exec, std::int64_t m, std::int64_t n, bool with_rhs,
                 MakePlacement place, const Impl::sor::GpuTuning& tuning)
      : exec_(exec),
        expected_(random_sor<T>(m, n, poisson<T>(1.99, 1), with_rhs, false, random_)),
        x_(place(m + 2, n + 2), expected_.x),
        rhs_(place(m + 2, n + 2)),
        gpu_(exec, m + 2, n + 2) {
    if (with_rhs) rhs_.set(expected_.rhs);
    gpu_.tuning = tuning;
  }

  /// @brief Enqueues sweeps and returns at once.
  bool enqueue(int count, bool backward = false) {
    asked_.push_back({backward ? SweepOrder::Backward : SweepOrder::Forward, count});
    return run_sweeps(gpu_, exec_, problem(), problem().x, {count, !backward, backward});
  }
  bool enqueue_to(const GuardedArray<T>& to, int count) {
    asked_.push_back({SweepOrder::Forward, count});
    return run_sweeps(gpu_, exec_, problem(), grid_of(to.matrix()), {count});
  }
  /// @brief Whether an array holds what the plain loops make of all sweeps so far.
  testing::AssertionResult is_right(const GuardedArray<T>& array) {
    for (const auto& [order, count] : std::exchange(asked_, {})) sweep(expected_, order, count);
    if (const auto intact = array.guards_intact(); !intact) return intact;
    return same_bits(array.values(), expected_.x);
  }
  testing::AssertionResult is_right() { return is_right(x_); }
  Random& random() { return random_; }

 private:
  Impl::sor::Problem<T> problem() const {
    Impl::sor::Problem<T> p{expected_.c, grid_of(x_.matrix())};
    if (!expected_.rhs.empty()) p.rhs = Impl::sor::read_only(grid_of(rhs_.matrix()));
    return p;
  }

  Random random_;
  Exec exec_;
  PlainSOR<T> expected_;
  GuardedArray<T> x_;
  GuardedArray<T> rhs_;
  Impl::sor::GpuSweeps<T> gpu_;
  std::vector<std::pair<SweepOrder, int>> asked_;
};

/// @brief `passes` in a launch if they are that many, each of `depth` sweeps.
Impl::sor::GpuTuning pipelined(int depth, int passes, int warps = 0) {
  Impl::sor::GpuTuning tuning;
  tuning.max_depth = depth;
  tuning.blocks = 0;
  tuning.warps = warps;
  tuning.passes = passes;
  return tuning;
}

template <class T>
class SORTemporalPipeline : public testing::Test {};
TYPED_TEST_SUITE(SORTemporalPipeline, FloatingPointTypes);

TYPED_TEST(SORTemporalPipeline, Shapes) {
  for (const auto& [m, n] : {Size{127, 127}, Size{2, 9001}, Size{3001, 62}, Size{31, 1000},
                             Size{257, 640}, Size{700, 333}, Size{97, 511}})
    for (const int depth : {1, 2, 4, 8}) {
      PipelinedSolve<TypeParam> pipeline(Exec(), m, n, true, row_major, pipelined(depth, 5));
      SCOPED_TRACE(pipeline.random().trace());
      ASSERT_TRUE(pipeline.enqueue(11 * depth - depth / 2));
      ASSERT_TRUE(pipeline.is_right()) << m << " x " << n << ", " << depth << " depth";
    }
}

TYPED_TEST(SORTemporalPipeline, DirectionsAndLayouts) {
  for (const bool backward : {false, true})
    for (const bool with_rhs : {false, true})
      for (const MakePlacement place : {row_major, column_major, odd_pitch, even_column_pitch})
        for (const int depth : {1, 2, 4, 8}) {
          const int warps = Impl::gpu::block_memory < 99 * 1024 ? 1 : 2;  // there is room for
          PipelinedSolve<TypeParam> pipeline(Exec(), 190, 411, with_rhs, place,
                                             pipelined(depth, 7, warps));
          SCOPED_TRACE(pipeline.random().trace());
          ASSERT_TRUE(pipeline.enqueue(7 * depth + 3, backward));
          ASSERT_TRUE(pipeline.is_right())
              << depth << " depth, " << (backward ? "backward" : "forward");
        }
}

/// @brief Many more tickets than blocks of threads that can be resident, again and again.
TYPED_TEST(SORTemporalPipeline, ManyPasses) {
  PipelinedSolve<TypeParam> pipeline(Exec(), 401, 333, true, row_major, pipelined(4, 40, 1));
  SCOPED_TRACE(pipeline.random().trace());
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(pipeline.enqueue(40 * 4));
    ASSERT_TRUE(pipeline.is_right());
  }
}

TYPED_TEST(SORTemporalPipeline, TwoInstancesAtOnce) {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  PipelinedSolve<TypeParam> first(instances[0], 500, 703, true, row_major, pipelined(8, 16));
  PipelinedSolve<TypeParam> second(instances[1], 701, 400, false, column_major, pipelined(4, 32));
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(first.enqueue(32));
    ASSERT_TRUE(second.enqueue(40, true));
  }
  EXPECT_TRUE(first.is_right());
  EXPECT_TRUE(second.is_right());
}

TYPED_TEST(SORTemporalPipeline, FromOneArrayToAnother) {
  for (const int count : {2, 13, 40})
    for (const MakePlacement place : {row_major, column_major}) {
      PipelinedSolve<TypeParam> pipeline(Exec(), 500, 700, true, place, pipelined(4, 16));
      SCOPED_TRACE(pipeline.random().trace());
      const GuardedArray<TypeParam> to(place(502, 702));  // NaN
      ASSERT_TRUE(pipeline.enqueue_to(to, count));
      EXPECT_TRUE(pipeline.is_right(to));
    }
}

TYPED_TEST(SORTemporalPipeline, ChosenByThemselves) {
  for (const int count : {1, 9, 10, 63, 64, 65})
    for (const bool backward : {false, true}) {
      PipelinedSolve<TypeParam> pipeline(Exec(), 301, 402, true, row_major, {});
      ASSERT_TRUE(pipeline.enqueue(count, backward));
      ASSERT_TRUE(pipeline.is_right()) << count << " sweeps";
    }
}

/// @brief Plans have the sweeps that were asked for, and many of them are in one launch where the
/// relaxation factor leaves no choice.
TYPED_TEST(SORTemporalPipeline, Plans) {
  using T = TypeParam;
  const Impl::sor::GpuSelection choice(sizeof(T), 132, 227 << 10);
  for (const double omega : {1.0, 1.9, 1.99})
    for (const int size : {62, 1000, 16384})
      for (const int count : {1, 2, 3, 7, 8, 10, 63, 64, 100, 1000}) {
        const SORCoefficients<T> c = poisson<T>(omega, 1);
        const Impl::sor::GpuTuning tuning;
        const auto task = [&](int depth, int passes) {
          const int overlap = Impl::sor::speculation_overlap<T>(c.left, c.up, depth);
          return Impl::sor::GpuTask{size, size, depth, {}, overlap, overlap, tuning, passes};
        };
        const auto plan = Impl::sor::GpuPlanner<decltype(task)>(choice, tuning, task).best(count);
        EXPECT_EQ(plan.launches.sweeps(), count);
        if (omega == 1.99 && count >= 8) EXPECT_LT(plan.launches.count(), count / 8 + 2);
      }
}

}  // namespace
}  // namespace wavescan::Test

#endif
