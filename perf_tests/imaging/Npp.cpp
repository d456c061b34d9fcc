// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if defined(WAVESCAN_PERF_NPP)

#include <nppi_statistics_functions.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <support/WaveScanPerf_Cuda.hpp>

#include "Images.hpp"

// Summed-area tables by NVIDIA's Performance Primitives, whose tables have a border of zeros.

namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

NppStreamContext context_of(const Exec& exec) {
  const cudaDeviceProp& device = exec.cuda_device_prop();
  NppStreamContext context{};
  context.hStream = exec.cuda_stream();
  context.nCudaDeviceId = exec.cuda_device();
  context.nMultiProcessorCount = device.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
  context.nSharedMemPerBlock = device.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = device.major;
  context.nCudaDevAttrComputeCapabilityMinor = device.minor;
  return context;
}

void check_npp(NppStatus status) {
  if (status != NPP_SUCCESS) throw std::runtime_error("NPP: error " + std::to_string(status));
}

template <class T>
int row_bytes(std::int64_t columns) {
  return static_cast<int>(columns * static_cast<std::int64_t>(sizeof(T)));
}

Shape with_border(const Shape& s) { return {1, s.rows + 1, s.columns + 1}; }

[[maybe_unused]] const bool registered = [] {
  add_images("sat<uint8,uint32>", "npp", 1 + 4, Shapes::Squares,
             [](const Exec& exec, const Shape& s) -> Work {
               const auto image = random_images<std::uint8_t>(exec, s);
               const auto table = random_images<std::int32_t>(exec, with_border(s));
               const NppiSize size{static_cast<int>(s.columns), static_cast<int>(s.rows)};
               return {[=, context = context_of(exec)] {
                         check_npp(nppiIntegral_8u32s_C1R_Ctx(
                             image.data(), row_bytes<Npp8u>(s.columns), table.data(),
                             row_bytes<Npp32s>(s.columns + 1), size, 0, context));
                       },
                       [=] { return last_entry(table); }};
             });
  add_images("sat_with_squares<uint8,uint32,uint64>", "npp", 1 + 4 + 8, Shapes::Squares,
             [](const Exec& exec, const Shape& s) -> Work {
               const auto image = random_images<std::uint8_t>(exec, s);
               const auto table = random_images<std::int32_t>(exec, with_border(s));
               const auto squares = random_images<double>(exec, with_border(s));
               const NppiSize size{static_cast<int>(s.columns), static_cast<int>(s.rows)};
               return {[=, context = context_of(exec)] {
                         check_npp(nppiSqrIntegral_8u32s64f_C1R_Ctx(
                             image.data(), row_bytes<Npp8u>(s.columns), table.data(),
                             row_bytes<Npp32s>(s.columns + 1), squares.data(),
                             row_bytes<Npp64f>(s.columns + 1), size, 0, 0, context));
                       },
                       [=] { return last_entry(squares); }};
             });
  return true;
}();

}  // namespace

#endif
