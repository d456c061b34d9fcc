// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_CUDA_HPP
#define WAVESCAN_PERF_CUDA_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <stdexcept>
#include <string>

/// @file
/// @brief Events and captured graphs on the stream of a Kokkos instance.

namespace wavescan::Perf {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// @brief The device's time between two points of a stream.
class CudaStopwatch {
 public:
  explicit CudaStopwatch(const Kokkos::Cuda& exec) : stream_(exec.cuda_stream()) {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~CudaStopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  CudaStopwatch(const CudaStopwatch&) = delete;
  CudaStopwatch& operator=(const CudaStopwatch&) = delete;

  void start() { check(cudaEventRecord(begin_, stream_), "cudaEventRecord"); }

  /// @return seconds since `start` was reached, until all work enqueued since then was done
  double stop() {
    check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_, end_;
};

/// @brief A number of calls, captured once and launched together.
class CudaGraph {
 public:
  template <class Enqueue>
  CudaGraph(const Kokkos::Cuda& exec, int calls, const Enqueue& enqueue)
      : stream_(exec.cuda_stream()) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    for (int call = 0; call < calls; ++call) enqueue();
    check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "cudaGraphInstantiate");
  }
  ~CudaGraph() { cudaGraphExecDestroy(graph_); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch() const { check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace wavescan::Perf

#endif
#endif
