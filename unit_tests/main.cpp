// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_OversubscriptionMonitor.hpp>

#include <Kokkos_Core.hpp>
#include <cstdlib>

#include "support/WaveScanTest_Array.hpp"

template class wavescan::Test::MirroredBytes<Kokkos::DefaultExecutionSpace::memory_space>;
template class wavescan::Test::GuardedBytes<Kokkos::DefaultExecutionSpace::memory_space>;

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Listing the tests must work on a machine without the accelerator that they are built for.
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  // The same few threads everywhere, so that results do not depend on the number of cores.
  setenv("KOKKOS_NUM_THREADS", "4", 0);
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
  // Host kernels for processors with narrower vectors than this one's: 16 or 32 bytes.
  if (const char* const bytes = std::getenv("WAVESCAN_TEST_VECTOR_BYTES"))
    wavescan::Impl::widest_vectors = std::atoi(bytes);
  Kokkos::ScopeGuard kokkos(argc, argv);
  // Several tests run at a time, so threads come late.
  wavescan::Impl::oversubscription_monitor.set(
      wavescan::Impl::OversubscriptionMonitor::Forking::Always);
  return RUN_ALL_TESTS();
}
