// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_LAUNCH_HPP
#define WAVESCAN_IMPL_GPU_LAUNCH_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace wavescan::Impl::gpu {

/// @brief Throws std::runtime_error with CUDA's own words if a call failed.
inline void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("WaveScan: ") + call +
                             " failed: " + cudaGetErrorString(error));
}

/// @brief True if the instance's device has bulk copies and the program has code for them.
inline bool has_bulk_copies(const Kokkos::Cuda& exec) {
#if defined(__CUDA_ARCH_LIST__)
  bool compiled = false;
  for (const int architecture : {__CUDA_ARCH_LIST__}) compiled |= architecture >= 900;
  return compiled && exec.cuda_device_prop().major >= 9;
#else
  static_cast<void>(exec);
  return false;
#endif
}

/// @brief Shows a kernel to Kokkos' profiling tools, as Kokkos' own kernels are shown.
class KernelRegion {
 public:
  KernelRegion(const Kokkos::Cuda& exec, const char* name) {
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::beginParallelFor(name, Kokkos::Tools::Experimental::device_id(exec), &id_);
  }
  ~KernelRegion() {
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(id_);
  }
  KernelRegion(const KernelRegion&) = delete;
  KernelRegion& operator=(const KernelRegion&) = delete;

 private:
  std::uint64_t id_ = 0;
};

/// @brief Enqueues a kernel whose blocks are all resident at once, and so may wait for each other.
template <class... Parameters, class... Arguments>
void launch_cooperative(const Kokkos::Cuda& exec, const char* name, void (*kernel)(Parameters...),
                        int blocks, int threads, std::size_t shared_bytes,
                        Arguments&&... arguments) {
  const KernelRegion region(exec, name);
  check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = exec.cuda_stream();
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...),
        "cudaLaunchKernelEx");
}

}  // namespace wavescan::Impl::gpu

#endif
