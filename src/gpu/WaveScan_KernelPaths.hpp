// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_KERNELPATHS_HPP
#define WAVESCAN_KERNELPATHS_HPP

#include <Kokkos_Core.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <string>
#include <vector>

#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/WaveScan_Gpu_Launch.hpp>
#endif

/// @file
/// @brief The kernels that operations take on a device, and why no better ones; and the
/// instructions of the host's processor that they use.

namespace wavescan {

/// @brief The kernels that an operation takes, where types and shapes allow them.
struct KernelPath {
  std::string operation;  ///< as docs/pages/performance.md calls it
  /// "host", which computes what is asked of devices, too; or "portable", "own", "own, async",
  /// "own, bulk" in that page's sense.
  std::string kernels;
  std::string reason;  ///< why no better ones; empty: there are none
};

/// @brief The kernels of all operations on the instance's device: what the program was compiled for
/// counts, and what the device has. Complexity: a few dozen strings, no launches.
///
///     for (const auto& [operation, kernels, reason] : wavescan::kernel_paths())
///       std::cout << operation << ": " << kernels << ' ' << reason << '\n';
template <ExecutionSpace Exec = Kokkos::DefaultExecutionSpace>
std::vector<KernelPath> kernel_paths([[maybe_unused]] const Exec& exec = Exec()) {
  std::vector<KernelPath> paths;
  [[maybe_unused]] Impl::DeviceKind device{Impl::Vendor::Other};
  std::string limit;  // what the program keeps from using
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (Impl::runs_on_gpu<Exec>) device = Impl::gpu::device_kind(exec);
#endif
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  if constexpr (Impl::runs_on_gpu<Exec>) {
    const auto& has = Impl::gpu::device_properties(exec);
    if (const int capability = 10 * has.major + has.minor; capability > device.capability)
      limit = "compiled for compute capability " + std::to_string(device.capability / 10) + "." +
              std::to_string(device.capability % 10);
  }
#endif
  for (const auto& [operation, name] : Impl::operation_names) {
    if constexpr (Impl::runs_on_host<Exec>) {
      paths.push_back({name, "host", ""});
    } else {
      const auto path = Impl::device_path(operation, device);
      const bool is_best = path == Impl::best_device_path(operation);
      paths.push_back({name, Impl::to_string(path),
                       is_best          ? ""
                       : !limit.empty() ? limit
                                        : Impl::why_no_better_path(operation, device)});
    }
  }
  return paths;
}

/// @brief The vector instructions that host kernels take on the processor that runs the program, as
/// far as they have a version for these: "AVX-512", "AVX2", "SSE2", "SVE, 128 bits", "Neon", or
/// "none" where the compiler has no vectors. On x86-64 the processor decides, when the program
/// runs; elsewhere the compiler's flags do.
inline std::string host_instructions() {
  return Impl::dispatch([](auto target) -> std::string {
    using Target = decltype(target);
    if (!Impl::has_vectors) return "none";
    if (Target::vector_bytes == 64) return "AVX-512";
    if (Target::vector_bytes == 32) return "AVX2";
#if defined(__ARM_FEATURE_SVE)
    return "SVE, 128 bits";
#elif defined(__ARM_NEON)
    return "Neon";
#elif defined(__x86_64__)
    return "SSE2";
#else
    return "none";
#endif
  });
}

}  // namespace wavescan

#endif
