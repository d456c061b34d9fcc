// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <memory>
#include <stdexcept>
#include <support/WaveScanPerf_CudaPeers.hpp>
#include <support/WaveScanPerf_Segments.hpp>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define WAVESCAN_PERF_CUB_SEGMENTED_SCAN
#endif
#if defined(WAVESCAN_PERF_CUSPARSE)
#include <cusparse.h>
#endif

// Scans and reductions of segments by CUB and Thrust, by key and where CUB has them by offsets, and
// row sums as cuSPARSE's product of a matrix and a vector of ones.

namespace cuda_segments_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

/// @brief Adds the scan and the reduction by key of Thrust.
void add_thrust() {
  add_segments<Exec>(
      "segmented_sum_by_keys<float>", "thrust", 12, 0,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
        const auto keys = arrays.keys;
        const auto memory = std::make_shared<KeptMemory>();
        return {[=] {
                  thrust::inclusive_scan_by_key(thrust_policy(exec, *memory), keys.data(),
                                                keys.data() + n, x.data(), y.data());
                },
                [=] { return last_of(y); }};
      });
  add_segments<Exec>(
      "reduce_by_key<float>", "thrust", 8, 8,
      [](const Exec& exec, std::int64_t n, const auto& arrays) -> Work {
        const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
        const auto unique = random_array<int>(exec, n);
        const auto keys = arrays.keys;
        const auto memory = std::make_shared<KeptMemory>();
        return {[=] {
                  thrust::reduce_by_key(thrust_policy(exec, *memory), keys.data(), keys.data() + n,
                                        x.data(), unique.data(), y.data());
                },
                [=] { return static_cast<double>(last_of(keys)); }};
      });
}

#if defined(WAVESCAN_PERF_CUSPARSE)
void check_cusparse(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

/// @brief A matrix in CSR format, whose entries all are in the first column, times ones.
Work cusparse_row_sums(const Exec& exec, std::int64_t n, const SegmentArrays<Exec>& arrays) {
  const auto x = random_array<float>(exec, n), y = random_array<float>(exec, arrays.segments);
  const auto offsets = arrays.offsets;
  const Kokkos::View<int*, Exec> columns("columns", static_cast<std::size_t>(n));
  const Kokkos::View<float*, Exec> ones("ones", static_cast<std::size_t>(n));
  Kokkos::deep_copy(ones, 1.f);
  const auto handle = std::shared_ptr<cusparseContext>(
      [&] {
        cusparseHandle_t made;
        check_cusparse(cusparseCreate(&made));
        check_cusparse(cusparseSetStream(made, exec.cuda_stream()));
        return made;
      }(),
      cusparseDestroy);
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t in, out;
  check_cusparse(cusparseCreateCsr(&matrix, arrays.segments, n, n, offsets.data(), columns.data(),
                                   x.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  check_cusparse(cusparseCreateDnVec(&in, n, ones.data(), CUDA_R_32F));
  check_cusparse(cusparseCreateDnVec(&out, arrays.segments, y.data(), CUDA_R_32F));
  const auto call = [=](auto function, auto memory) {
    const float alpha = 1, beta = 0;
    check_cusparse(function(handle.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, in,
                            &beta, out, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG2, memory));
  };
  std::size_t bytes = 0;
  call(cusparseSpMV_bufferSize, &bytes);
  const Kokkos::View<char*, Exec> workspace("workspace", bytes);
  call(cusparseSpMV_preprocess, static_cast<void*>(workspace.data()));
  return {[=] {
            static_cast<void>(x), static_cast<void>(columns), static_cast<void>(ones);
            static_cast<void>(offsets);  // all of which it reads
            call(cusparseSpMV, static_cast<void*>(workspace.data()));
          },
          [=] { return last_of(y); }};
}
#endif

[[maybe_unused]] const bool registered = [] {
  add_thrust();
#if defined(WAVESCAN_PERF_CUSPARSE)
  add_segments<Exec>("segmented_reduce<float>", "cusparse", 4, 8,
                     [](const Exec& exec, std::int64_t n, const auto& arrays) {
                       return cusparse_row_sums(exec, n, arrays);
                     });
#endif
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
}  // namespace cuda_segments_benchmarks

#endif
