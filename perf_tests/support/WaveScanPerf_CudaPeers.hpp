// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_CUDA_PEERS_HPP
#define WAVESCAN_PERF_CUDA_PEERS_HPP

#include <cstddef>
#include <cstdint>
#include <support/WaveScanPerf_Cuda.hpp>
#include <support/WaveScanPerf_Segment.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cub/device/device_scan.cuh>

/// @file
/// @brief What the benchmarks of CUB and Thrust share.

namespace wavescan::Perf {

/// @brief Calls `algorithm(workspace, bytes)` of CUB once for the workspace's size; the function
/// returned then makes the calls.
template <class Algorithm>
auto with_workspace(const Algorithm& algorithm) {
  std::size_t bytes = 0;
  check(algorithm(nullptr, bytes), "CUB's workspace");
  const Kokkos::View<char*, Kokkos::CudaSpace> workspace("workspace", bytes);
  return [=]() mutable { check(algorithm(workspace.data(), bytes), "CUB"); };
}

/// @brief Thrust's temporary memory, kept from call to call: to allocate it would take longer than
/// many scans.
class KeptMemory {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    if (static_cast<std::size_t>(bytes) > memory_.size())
      memory_ = decltype(memory_)("thrust", static_cast<std::size_t>(bytes));
    return memory_.data();
  }
  void deallocate(char*, std::size_t) {}

 private:
  Kokkos::View<char*, Kokkos::CudaSpace> memory_;
};

inline auto thrust_policy(const Kokkos::Cuda& exec, KeptMemory& memory) {
  return thrust::cuda::par_nosync(memory).on(exec.cuda_stream());
}

/// @brief Element j of a line of segments that is never stored, with one weight for all.
template <class T>
struct SegmentOf {
  const T* x;
  T weight;
  KOKKOS_FUNCTION Segment<T> operator()(std::int64_t j) const { return {weight, x[j]}; }
};

/// @brief The same with a weight for each element.
template <class T>
struct SegmentWithWeight {
  const T* x;
  const T* w;
  KOKKOS_FUNCTION Segment<T> operator()(std::int64_t j) const { return {w[j], x[j]}; }
};

struct ValueOf {
  template <class T>
  KOKKOS_FUNCTION T operator()(const Segment<T>& segment) const {
    return segment.value;
  }
};

/// @brief Iterator over function(0), function(1), ...
template <class Function>
auto computed(const Function& function) {
  return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), function);
}

}  // namespace wavescan::Perf

#endif
