// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_LAUNCH_HPP
#define WAVESCAN_IMPL_GPU_LAUNCH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

/// @file
/// @brief Queries of a CUDA or HIP device by the host, and launches of kernels there.

/// Kernel parameters that stay where the launch put them instead of being copied to the stack, for
/// GPUs from Volta on, by compilers that know how.
#if defined(WAVESCAN_HAS_CUDA_KERNELS) && (defined(__NVCC__) || __has_attribute(grid_constant)) && \
    (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)
#define WAVESCAN_GRID_CONSTANT __grid_constant__
#else
#define WAVESCAN_GRID_CONSTANT
#endif

namespace wavescan::Impl::gpu {

#if defined(WAVESCAN_HAS_CUDA_KERNELS)

/// @brief Throws std::runtime_error with the runtime's own words if a call failed.
inline void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("WaveScan: ") + call +
                             " failed: " + cudaGetErrorString(error));
}

inline const auto& device_properties(const Device& exec) { return exec.cuda_device_prop(); }

/// @brief The kind of the instance's device for a program that may have been compiled for older
/// ones.
inline DeviceKind device_kind(const Device& exec) {
  const auto& device = device_properties(exec);
  return {Vendor::Nvidia, std::min(compiled_capability, 10 * device.major + device.minor)};
}

#else

inline void check(hipError_t error, const char* call) {
  if (error != hipSuccess)
    throw std::runtime_error(std::string("WaveScan: ") + call +
                             " failed: " + hipGetErrorString(error));
}

inline const auto& device_properties(const Device& exec) { return exec.hip_device_prop(); }

inline DeviceKind device_kind(const Device&) { return {Vendor::Amd}; }

#endif

/// @brief The best kernels that an operation has for the instance's device.
inline DevicePath device_path(Operation operation, const Device& exec) {
  return Impl::device_path(operation, device_kind(exec));
}
/// @brief True if the instance's device has bulk copies and the program has code for them.
inline bool has_bulk_copies(const Device& exec) { return device_kind(exec).has_bulk_copies(); }
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
/// @brief True if it has tensor cores that are faster in double precision than its other units by
/// far, which newer ones than those of compute capability 9.0 are not.
inline bool has_double_tensor_cores(const Device& exec) {
  return has_bulk_copies(exec) && device_properties(exec).major == 9;
}
#endif

/// @brief Shows a kernel to Kokkos' profiling tools, as Kokkos' own kernels are shown.
class KernelRegion {
 public:
  KernelRegion(const Device& exec, const char* name) {
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

/// @brief Options of a launch: where and how a kernel is enqueued.
struct LaunchOptions {
  const Device& exec;
  const char* name;  ///< shown by Kokkos' profiling tools
  /// All blocks are resident at once, and so may wait for each other (cooperative launch).
  bool together;
  /// As many blocks run side by side as a cluster (CUDA, compute capability 9.0 and newer).
  int cluster = 1;
};

#if defined(WAVESCAN_HAS_CUDA_KERNELS)
/// @brief Lets a kernel have so much shared memory, besides what it declares.
///
/// The limit belongs to the kernel on a device, for all threads of the program: so it is set once,
/// to the most that there can be.
inline void allow_shared_memory(const Device& exec, const void* kernel, std::size_t bytes) {
  constexpr std::size_t allowed_anyway = 32 * 1024;
  if (bytes <= allowed_anyway) return;
  static std::mutex mutex;
  static std::set<std::pair<int, const void*>> allowed;
  const std::lock_guard lock(mutex);
  if (allowed.contains({exec.cuda_device(), kernel})) return;
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(exec.cuda_device_prop().sharedMemPerBlockOptin -
                                              attributes.sharedSizeBytes)),
        "cudaFuncSetAttribute");
  allowed.emplace(exec.cuda_device(), kernel);
}

/// @brief Reports that the device has less, as one of another minor compute capability than the
/// program is compiled for may have.
/// @throws std::runtime_error
inline void require_shared_memory(const Device& exec, std::size_t bytes) {
  if (const auto& device = exec.cuda_device_prop(); bytes > device.sharedMemPerBlockOptin)
    throw std::runtime_error(
        "WaveScan: a kernel wants " + std::to_string(bytes) + " bytes of shared memory, of which " +
        device.name + " has " + std::to_string(device.sharedMemPerBlockOptin) +
        " for a block: the program is compiled for compute capability " +
        std::to_string(compiled_capability / 10) + "." + std::to_string(compiled_capability % 10) +
        ", compile it for " + std::to_string(device.major) + "." + std::to_string(device.minor));
}

/// @brief Returns the number of blocks of a kernel that the device can hold at once, all in
/// clusters of that size.
template <class... Parameters>
Index resident_blocks(const Device& exec, void (*kernel)(Parameters...), int threads,
                      std::size_t shared_bytes, int cluster = 1) {
  check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  allow_shared_memory(exec, reinterpret_cast<const void*>(kernel), shared_bytes);
  if (cluster > 1) {
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute");
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(cluster));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // the device has no clusters of that size
      return 0;
    }
    return Index(clusters) * cluster;
  }
  int of_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, kernel, threads,
                                                      shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return Index(of_multiprocessor) * device_properties(exec).multiProcessorCount;
}
#endif

/// @brief Enqueues a kernel.
template <class... Parameters, class... Arguments>
void launch(const LaunchOptions& options, void (*kernel)(Parameters...), Index blocks, int threads,
            std::size_t shared_bytes, Arguments&&... arguments) {
  const Device& exec = options.exec;
  const KernelRegion region(exec, options.name);
  const dim3 grid(static_cast<unsigned>(blocks)), block(static_cast<unsigned>(threads));
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  require_shared_memory(exec, shared_bytes);
  allow_shared_memory(exec, reinterpret_cast<const void*>(kernel), shared_bytes);
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = exec.cuda_stream();
  cudaLaunchAttribute attributes[2] = {};
  config.attrs = attributes;
  if (options.together) {
    cudaLaunchAttribute& cooperative = attributes[config.numAttrs++];
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
  }
  if (options.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(options.cluster), 1, 1};
  }
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...),
        "cudaLaunchKernelEx");
#else
  check(hipSetDevice(exec.hip_device()), "hipSetDevice");
  const auto shared = static_cast<unsigned>(shared_bytes);
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  const auto function = reinterpret_cast<const void*>(kernel);
  if (options.together)
    check(hipLaunchCooperativeKernel(function, grid, block, pointers, shared, exec.hip_stream()),
          "hipLaunchCooperativeKernel");
  else
    check(hipLaunchKernel(function, grid, block, pointers, shared, exec.hip_stream()),
          "hipLaunchKernel");
#endif
}

}  // namespace wavescan::Impl::gpu

#endif
