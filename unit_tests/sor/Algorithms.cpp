// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_KernelPaths.hpp>
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "Reference.hpp"

/// @file
/// @brief Which algorithm sweeps take, by what plans tell before they sweep.

namespace wavescan::Test {
namespace {

#if defined(KOKKOS_ENABLE_CUDA)
constexpr bool on_nvidia = !Impl::runs_on_host<Exec>;
#else
constexpr bool on_nvidia = false;
#endif

/// @brief What an execution space has of three: on hosts with vectors, on NVIDIA's GPUs, elsewhere.
template <class T>
std::string one_of(SORAlgorithm host, SORAlgorithm nvidia, SORAlgorithm other) {
  if constexpr (on_nvidia) return to_string(nvidia);
  if constexpr (Impl::runs_on_host<Exec>)
    if (Impl::sor::HostLauncher<Exec, T, Impl::Avx512>::lanes() > 0) return to_string(host);
  return to_string(other);
}

template <class T>
class SORAlgorithms : public testing::Test {
 public:
  using Array = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  using Box = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

  template <class X, class C, class... Inputs>
  static std::string of(const X& x, const C& c, int count, const SOROptions& options,
                        const Inputs&... inputs) {
    using Plan = SOR<Exec, T, static_cast<int>(X::rank())>;
    return to_string(Plan::like(Exec(), x, options).algorithm(x, c, count, inputs...));
  }
};
TYPED_TEST_SUITE(SORAlgorithms, FloatingPointTypes, );

TEST(SORAlgorithmNames, AreThoseOfKernelPaths) {
  int found = 0;
  for (const auto& path : kernel_paths()) {
    if (path.operation.find("SOR") == std::string::npos) continue;
    std::istringstream parts(path.operation);
    std::string part;
    for (bool quoted = false; std::getline(parts, part, '`'); quoted = !quoted) {
      if (!quoted) continue;
      ++found;
      bool known = false;
      for (int a = 0; a <= static_cast<int>(SORAlgorithm::Hyperplanes); ++a)
        known = known || part == to_string(static_cast<SORAlgorithm>(a));
      EXPECT_TRUE(known) << part;
    }
  }
  EXPECT_EQ(found, 4);
}

TYPED_TEST(SORAlgorithms, OfGrids) {
  using T = TypeParam;
  using A = SORAlgorithm;
  const typename TestFixture::Array x("x", 500, 1002);
  const auto c = poisson<T>(1.2, 1);
  EXPECT_EQ(this->of(x, c, 8, {}), one_of<T>(A::VectorPasses, A::TemporalBlocking, A::Wavefront));
  EXPECT_EQ(this->of(x, c, 64, {}), one_of<T>(A::VectorPasses, A::Resident, A::Wavefront));
  EXPECT_EQ(this->of(x, c, 8, {.order = SweepOrder::Symmetric}),
            one_of<T>(A::VectorPasses, A::TemporalBlocking, A::Wavefront));
  EXPECT_EQ(this->of(x, c, 8, {.schedule = Schedule::Serial}), "wavefront");
  EXPECT_EQ(this->of(x, compact_poisson<T>(1.2, 1), 8, {}),
            one_of<T>(A::VectorPasses, A::Wavefront, A::Wavefront));
  EXPECT_EQ(this->of(x, c, 0, {}), "none");
  EXPECT_EQ(this->of(typename TestFixture::Array("x", 2, 9), c, 1, {}), "none");
}

TYPED_TEST(SORAlgorithms, OfArraysWithoutDenseRowsOrColumns) {
  using T = TypeParam;
  const Kokkos::View<T***, Kokkos::LayoutRight, Exec> all("x", 300, 300, 2);
  const auto x = Kokkos::subview(all, Kokkos::ALL, Kokkos::ALL, 1);
  EXPECT_EQ(this->of(x, poisson<T>(1.2, 1), 8, {}),
            one_of<T>(SORAlgorithm::Wavefront, SORAlgorithm::Resident, SORAlgorithm::Wavefront));
}

TYPED_TEST(SORAlgorithms, OfMasks) {
  using T = TypeParam;
  using A = SORAlgorithm;
  const typename TestFixture::Array x("x", 402, 402);
  const Kokkos::View<unsigned char**, Kokkos::LayoutRight, Exec> fixed("fixed", 402, 402);
  const auto inputs = SORInputs().mask(fixed);
  const auto c = poisson<T>(1.2, 1);
  EXPECT_EQ(this->of(x, c, 9, {}, inputs),
            one_of<T>(A::VectorPasses, A::TemporalBlocking, A::Wavefront));
  Kokkos::deep_copy(fixed, static_cast<unsigned char>(1));
  EXPECT_EQ(this->of(x, c, 9, {}, inputs),
            one_of<T>(A::UnknownRuns, A::TemporalBlocking, A::Wavefront));
}

TYPED_TEST(SORAlgorithms, OfBoxes) {
  using T = TypeParam;
  const typename TestFixture::Box x("x", 12, 14, 20), values("values", 12, 14, 20);
  const std::string expected = Impl::runs_on_host<Exec> ? "panels"
                               : on_nvidia              ? "pencils"
                                                        : "hyperplanes";
  const auto c = poisson_3d<T>(1.2, 1);
  EXPECT_EQ(this->of(x, c, 3, {}), expected);
  const VariableCoefficients3D<T, typename Exec::memory_space> varying{.center = c.center,
                                                                       .left = values,
                                                                       .up = c.up,
                                                                       .front = c.front,
                                                                       .right = c.right,
                                                                       .down = c.down,
                                                                       .back = c.back,
                                                                       .rhs = c.rhs};
  EXPECT_EQ(this->of(x, varying, 3, {}), Impl::runs_on_host<Exec> ? "panels" : "hyperplanes");
  EXPECT_EQ(this->of(x, c, 0, {}), "none");
}

}  // namespace
}  // namespace wavescan::Test
