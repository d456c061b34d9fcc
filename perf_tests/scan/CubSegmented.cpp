// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <support/WaveScanPerf_CudaPeers.hpp>
#include <support/WaveScanPerf_Segments.hpp>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define WAVESCAN_PERF_CUB_SEGMENTED_SCAN
#endif

// Scans and reductions of segments by CUB: by key, and where it has them by offsets.

namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

[[maybe_unused]] const bool registered = [] {
  const auto by_key = [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto keys = arrays.keys;
    return {with_workspace([=, stream = exec.cuda_stream()](void* memory, std::size_t& bytes) {
              return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys.data(), x.data(),
                                                        y.data(), static_cast<int>(n),
                                                        ::cuda::std::equal_to<>(), stream);
            }),
            [=] { return last_of(y); }};
  };
  add_segments<Exec>("segmented_sum<float>", "cub_by_key", 8, 4, by_key);
  add_segments<Exec>("segmented_sum_by_keys<float>", "cub", 12, 0, by_key);
#if defined(WAVESCAN_PERF_CUB_SEGMENTED_SCAN)
  add_segments<Exec>(
      "segmented_sum<float>", "cub", 8, 4,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
        const auto offsets = arrays.offsets;
        const std::int64_t segments = arrays.segments;
        return {with_workspace([=, stream = exec.cuda_stream()](void* memory, std::size_t& bytes) {
                  return cub::DeviceSegmentedScan::InclusiveSegmentedSum(
                      memory, bytes, x.data(), y.data(), offsets.data(), offsets.data() + 1,
                      segments, stream);
                }),
                [=] { return last_of(y); }};
      });
#endif
  add_segments<Exec>(
      "segmented_reduce<float>", "cub", 4, 8,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, arrays.segments);
        const auto offsets = arrays.offsets;
        const auto segments = static_cast<int>(arrays.segments);
        return {with_workspace([=, stream = exec.cuda_stream()](void* memory, std::size_t& bytes) {
                  return cub::DeviceSegmentedReduce::Sum(memory, bytes, x.data(), y.data(),
                                                         segments, offsets.data(),
                                                         offsets.data() + 1, stream);
                }),
                [=] { return last_of(y); }};
      });
  add_segments<Exec>(
      "reduce_by_key<float>", "cub", 8, 8,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
        const auto unique = random_array<int>(exec, n);
        const Kokkos::View<int, Kokkos::CudaSpace> count("count");
        const auto keys = arrays.keys;
        return {with_workspace([=, stream = exec.cuda_stream()](void* memory, std::size_t& bytes) {
                  return cub::DeviceReduce::ReduceByKey(
                      memory, bytes, keys.data(), unique.data(), x.data(), y.data(), count.data(),
                      ::cuda::std::plus<>(), static_cast<int>(n), stream);
                }),
                [=] { return static_cast<double>(last_of(keys)); }};
      });
  return true;
}();

}  // namespace

#endif
