// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Types.hpp>
#include "Norms.hpp"
#include "RunSweeps.hpp"

/// @file
/// @brief Norms that come out of a GPU's last pass.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test {
namespace {

/// @brief A problem on the device, and what sweeps and norms of it should be.
template <class T>
class GpuNorm {
  using Gpu = Kokkos::Cuda;

 public:
  explicit GpuNorm(const Case& c, const Impl::sor::GpuTuning& tuning = {})
      : case_(c),
        problem_(c),
        start_(problem_.plain.x),
        before_(sweep_to_last_pass(problem_.plain, c.order, c.count)),
        sor_(Gpu(), c.m + 2, c.n + 2) {
    sor_.tuning = tuning;
  }

  /// @brief Measures either criterion twice, in place or not; residuals may have to be left to
  /// others.
  void check(bool in_place) {
    SCOPED_TRACE(case_.name() + (in_place ? ", in place" : ""));
    check_twice(in_place, Criterion::Update, updates_of(problem_.plain, before_),
                std::numeric_limits<T>::epsilon());
    if (!testing::Test::HasFatalFailure())
      check_twice(in_place, Criterion::Residual, residuals_of(problem_.plain), 0);
  }

  std::optional<Impl::sor::ResidualSum> measure(const GuardedArray<T, Gpu>& to,
                                                Criterion criterion) {
    return problem_.with([&](const auto& problem) -> std::optional<Impl::sor::ResidualSum> {
      if constexpr (std::same_as<decltype(problem.coefficients), SORCoefficients<T>>)
        return run_measured_sweeps(
            sor_, Gpu(), Impl::sor::with_encoded_mask(Gpu(), problem, marks_), grid_of(to.matrix()),
            {case_.count, case_.forward(), case_.backward(), false, criterion});
      return std::nullopt;
    });
  }
  void set(const std::vector<T>& start) { problem_.x.set(start_ = start); }
  const std::vector<T>& start() const { return start_; }
  const GuardedArray<T, Gpu>& x() const { return problem_.x; }
  unsigned passes_redone() const { return sor_.redone(Gpu()); }
  bool measures_residuals() const { return measures_residuals_; }

 private:
  void check_twice(bool in_place, Criterion criterion, const Norms& expected, double rounding) {
    SCOPED_TRACE(to_string(criterion));
    Impl::sor::ResidualSum first;
    for (const bool again : {false, true}) {
      problem_.x.set(start_);
      const GuardedArray<T, Gpu> other(case_.place(case_.m + 2, case_.n + 2));
      const GuardedArray<T, Gpu>& to = in_place ? problem_.x : other;
      const auto sum = measure(to, criterion);
      if (criterion == Criterion::Residual) {
        measures_residuals_ = sum.has_value();
        if (!measures_residuals_) {
          ASSERT_TRUE(same_bits(problem_.x.values(), start_));
          return;
        }
      }
      ASSERT_TRUE(sum.has_value());
      ASSERT_TRUE(same_bits(to.values(), problem_.plain.x));
      ASSERT_TRUE(to.guards_intact());
      ASSERT_TRUE(in_place || same_bits(problem_.x.values(), start_));
      expected.expect(*sum, rounding);
      if (again) {
        ASSERT_EQ(sum->squares, first.squares);
      }
      first = *sum;
    }
  }

  Case case_;
  HostProblem<T, Gpu> problem_;
  std::vector<T> start_;
  std::vector<T> before_;
  Impl::sor::GpuSweeps<T> sor_;
  bool measures_residuals_ = false;
  Impl::sor::SecondArray<Gpu, T> marks_;
};

template <class T>
class GpuNorms : public testing::Test {};
TYPED_TEST_SUITE(GpuNorms, FloatingPointTypes, );

Case with_mask(Case c) {
  c.mask_bytes = 4;
  return c;
}

TYPED_TEST(GpuNorms, ShapesAndCounts) {
  for (const auto& [m, n] : {std::pair(2, 9001), std::pair(700, 133), std::pair(130, 127)})
    for (const int count : {1, 2, 4, 8, 11}) {
      const Case c{m, n, count, SweepOrder::Forward, 1.2};
      GpuNorm<TypeParam>(c).check(false);
      GpuNorm<TypeParam> one_by_one(with_mask(c), {.passes = 1});
      one_by_one.check(true);
      EXPECT_EQ(one_by_one.measures_residuals(), count != 2);
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(GpuNorms, OrdersLayoutsAndInputs) {
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const auto place : {padded, padded_columns})
      for (const bool with_rhs : {false, true}) {
        const Case c{137, 159, 5, order, 1.5, with_rhs, place, place};
        GpuNorm<TypeParam>(c).check(true);
        GpuNorm<TypeParam> one_by_one(with_mask(c), {.passes = 1});
        one_by_one.check(false);
        EXPECT_TRUE(one_by_one.measures_residuals());
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(GpuNorms, BlocksAndTemporalPipelines) {
  for (const int depth : {1, 4, 8})
    for (const auto& [down, across] : {std::pair(1, 3), std::pair(2, 1), std::pair(2, 2)}) {
      const Case c{500, 600, 2 * depth, SweepOrder::Forward, 1.0};
      const Impl::sor::GpuTuning blocks{
          .max_depth = depth, .blocks = 1, .warps = 2, .row_blocks = down, .column_blocks = across};
      GpuNorm<TypeParam> in_blocks(c, blocks);
      in_blocks.check(down == across);
      EXPECT_EQ(in_blocks.measures_residuals(), depth < 8 || sizeof(TypeParam) == 4);
      GpuNorm<TypeParam>(with_mask(c), blocks).check(down != across);
      GpuNorm<TypeParam>(with_mask(c), {.max_depth = depth, .blocks = 0, .passes = 2}).check(true);
      if (this->HasFatalFailure()) return;
    }
}

/// @brief What a pass has measured that is then done again is thrown away.
TYPED_TEST(GpuNorms, OfPassesDoneAgain) {
  for (const int depth : {1, 4, 8}) {
    GpuNorm<TypeParam> norm({700, 900, depth, SweepOrder::Forward, 1.95}, {.max_depth = depth,
                                                                           .blocks = 1,
                                                                           .warps = 1,
                                                                           .row_blocks = 5,
                                                                           .column_blocks = 5,
                                                                           .overlap_rows = 1,
                                                                           .overlap_columns = 1});
    norm.check(false);
    EXPECT_GT(norm.passes_redone(), 0u);
    EXPECT_EQ(norm.measures_residuals(), depth < 8 || sizeof(TypeParam) == 4);
  }
}

TYPED_TEST(GpuNorms, SeeWhatIsNotFinite) {
  for (const TypeParam bad : {infinity<TypeParam>, nan<TypeParam>}) {
    GpuNorm<TypeParam> norm({150, 150, 1});
    for (const Criterion criterion : {Criterion::Update, Criterion::Residual}) {
      auto start = norm.start();
      start[17] = bad;  // the halo
      norm.set(start);
      const auto sum = norm.measure(norm.x(), criterion);
      ASSERT_TRUE(sum.has_value());
      EXPECT_TRUE(std::isnan(sum->norm(ResidualNorm::Maximum)));
      EXPECT_TRUE(std::isnan(sum->norm(ResidualNorm::RootMeanSquare)));
    }
  }
}

}  // namespace
}  // namespace wavescan::Test

#endif
