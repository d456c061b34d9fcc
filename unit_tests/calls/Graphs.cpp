// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "MixedCalls.hpp"

// Free functions in CUDA graphs: after a first call, which makes what is kept, they can be captured
// and replayed on other numbers.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test {
namespace {

void succeed(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

TEST(FreeCallsInGraphs, AreReplayed) {
  const Kokkos::Cuda exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1, 1)[0];
  MixedCalls calls(exec);
  calls.reset(1);
  calls.enqueue();
  EXPECT_TRUE(calls.are_right()) << "outside of the graph";
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  succeed(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
  calls.enqueue();
  succeed(cudaStreamEndCapture(exec.cuda_stream(), &graph));
  ASSERT_NE(graph, nullptr);
  succeed(cudaGraphInstantiate(&executable, graph, 0));
  for (const std::size_t salt : {3, 8}) {
    calls.reset(salt);
    succeed(cudaGraphLaunch(executable, exec.cuda_stream()));
    EXPECT_TRUE(calls.are_right()) << "salt " << salt;
    calls.enqueue();  // other calls between replays leave what these need as it was
  }
  exec.fence();
  succeed(cudaGraphExecDestroy(executable));
  succeed(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace wavescan::Test

#endif
