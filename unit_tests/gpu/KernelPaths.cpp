// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_KernelPaths.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace wavescan;

TEST(KernelPaths, NameAllOperationsOnce) {
  const auto paths = kernel_paths();
  ASSERT_EQ(paths.size(), Impl::operation_names.size());
  for (std::size_t k = 0; k < paths.size(); ++k) {
    EXPECT_EQ(paths[k].operation, Impl::operation_names[k].second);
    for (std::size_t other = 0; other < k; ++other)
      EXPECT_NE(Impl::operation_names[k].first, Impl::operation_names[other].first);
  }
}

TEST(KernelPaths, OfHosts) {
  for (const auto& path : kernel_paths(Kokkos::DefaultHostExecutionSpace())) {
    EXPECT_EQ(path.kernels, "host");
    EXPECT_EQ(path.reason, "");
  }
}

#if defined(__x86_64__)
TEST(KernelPaths, InstructionsAreThoseOfTheProcessor) {
  const std::string name = host_instructions();
  if (!Impl::has_vectors)
    EXPECT_EQ(name, "none");
  else if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    EXPECT_EQ(name, "AVX-512");
  else
    EXPECT_EQ(name, __builtin_cpu_supports("avx2") ? "AVX2" : "SSE2");
}
#endif

TEST(KernelPaths, SayWhyThereAreNoBetterOnes) {
  using namespace Impl;
  for (const DeviceKind device : {DeviceKind{Vendor::Other}, DeviceKind{Vendor::Amd},
                                  DeviceKind{Vendor::Nvidia, 60}, DeviceKind{Vendor::Nvidia, 80}})
    for (const auto& [operation, name] : operation_names)
      if (device_path(operation, device) != best_device_path(operation)) {
        EXPECT_STRNE(why_no_better_path(operation, device), "") << name;
      }
}

#if defined(KOKKOS_ENABLE_CUDA)
TEST(KernelPaths, OfCuda) {
  const Kokkos::Cuda exec;
  for (const auto& path : kernel_paths(exec))
    for (const auto& [operation, name] : Impl::operation_names)
      if (path.operation == name) {
        const auto taken = Impl::gpu::device_path(operation, exec);
        EXPECT_EQ(path.kernels, Impl::to_string(taken)) << name;
        EXPECT_EQ(path.reason.empty(), taken == Impl::best_device_path(operation)) << name;
      }
}
#endif

}  // namespace
