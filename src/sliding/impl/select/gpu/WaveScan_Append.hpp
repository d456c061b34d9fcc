// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_APPEND_HPP
#define WAVESCAN_IMPL_SELECT_GPU_APPEND_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/gpu/WaveScan_Unit.hpp>

/// @file
/// @brief A copy of as many elements, to a place, as only the device knows.

namespace wavescan::Impl::select {

/// @brief Copies the `elements` - `*count` first elements of `from` behind the `*count` first ones
/// of `to`.
template <class Element>
__global__ void append_elements(const Element* from, Element* to, Index elements,
                                const Index* count) {
  constexpr int batch = sizeof(Element) < 32 ? 32 / sizeof(Element) : 1;  // loads on their way
  const Index kept = *count, rejected = elements - kept;
  const auto threads = static_cast<Index>(blockDim.x);
  for (Index i = blockIdx.x * threads * batch + threadIdx.x; i < rejected;
       i += gridDim.x * threads * batch) {
    Element element[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (i + b * threads < rejected) element[b] = from[i + b * threads];
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (i + b * threads < rejected) to[kept + i + b * threads] = element[b];
  }
}

template <class Element>
void enqueue_append(const gpu::Device& exec, const Element* from, Element* to, Index elements,
                    const Index* count) {
  constexpr int threads = 512;
  const Index blocks = Index(gpu::device_properties(exec).multiProcessorCount) * 4;
  gpu::launch({exec, "WaveScan::select::append", false}, append_elements<Element>, blocks, threads,
              0, from, to, elements, count);
}

}  // namespace wavescan::Impl::select

#endif
