// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Types.hpp>

#include "CompiledKernels.hpp"
#include "Exact.hpp"

/// @file
/// @brief Problems of which a View's type tells what is dense: kernels of one order only, which the
/// library WaveScan::kernels does not have.

namespace wavescan::Test {
namespace dense_problems {

using Impl::sor::Dense;

template <class T>
class SORDense : public testing::Test {};
TYPED_TEST_SUITE(SORDense, FloatingPointTypes, );

template <Dense Which, class T>
void check_dense(Placement (*place)(std::int64_t, std::int64_t), bool with_mask, bool backward) {
  constexpr std::int64_t m = 301, n = 402;
  Random random;
  SCOPED_TRACE(random.trace());
  PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), true, with_mask, random);
  const Placement placed = place(m + 2, n + 2);
  const GuardedArray<T> x(placed, p.x);
  const Exec exec;
  using Backend = Impl::sor::Backend<Exec, T, 2>;
  const Backend backend(exec, m + 2, n + 2, 10);
  const Impl::sor::SecondArray<Exec, T> marks;
  bool runs = false;
  with_inputs(p, placed, [&](const auto& inputs) {
    const auto problem = Impl::sor::make_problem<Exec>("test", "x", x.matrix(), p.c, inputs);
    const auto run = [&](const auto& prepared) {
      const auto dense = Impl::sor::with_dense<Which>(prepared);
      using P = std::remove_const_t<decltype(dense)>;
      const Impl::sor::SweepRequest request{11, !backward, backward};
      if constexpr (Impl::sor::Capabilities<Backend, Exec, P>::sweeps) {
        const auto selected = backend.select(exec, dense, problem.x, request);
        runs = selected.algorithm != SORAlgorithm::None;
        if (runs) backend.run(exec, selected, dense, problem.x, request);
      }
    };
    if constexpr (Impl::runs_on_host<Exec>)
      run(problem);
    else
      run(Impl::sor::with_encoded_mask(exec, problem, marks));
    exec.fence();
  });
  // On hosts all of these run where there are vectors with fused multiply-adds.
  if constexpr (Impl::runs_on_host<Exec>) {
    EXPECT_EQ(runs, (Impl::sor::HostLauncher<Exec, T, Impl::Avx512>::lanes() > 0));
  }
  if (runs) sweep_serially(p, backward ? SweepOrder::Backward : SweepOrder::Forward, 11);
  EXPECT_TRUE(same_bits(x.values(), p.x));
  EXPECT_TRUE(x.guards_intact());
}

TYPED_TEST(SORDense, Rows) {
  for (const bool with_mask : {false, true})
    for (const bool backward : {false, true})
      check_dense<Dense::Rows, TypeParam>(row_major, with_mask, backward);
}

TYPED_TEST(SORDense, Columns) {
  for (const bool with_mask : {false, true})
    for (const bool backward : {false, true})
      check_dense<Dense::Columns, TypeParam>(column_major, with_mask, backward);
}

#if !defined(WAVESCAN_HAS_KERNELS)
using Impl::sor::dense_of;
static_assert(dense_of<Kokkos::View<float**, Kokkos::LayoutRight>> == Dense::Rows);
static_assert(dense_of<Kokkos::View<float**, Kokkos::LayoutLeft>> == Dense::Columns);
static_assert(dense_of<Kokkos::View<float**, Kokkos::LayoutStride>> == Dense::Unknown);
#endif

}  // namespace dense_problems
}  // namespace wavescan::Test
