// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <cstdint>
#include <string>
#include <support/WaveScanPerf_CudaPeers.hpp>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Monoids.hpp>

// Plain scans by CUB.

namespace cub_sums_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

struct Inclusive {
  template <class T>
  cudaError_t operator()(void* memory, std::size_t& bytes, const T* x, T* y, std::int64_t n,
                         cudaStream_t stream) const {
    return cub::DeviceScan::InclusiveSum(memory, bytes, x, y, n, stream);
  }
};

struct Exclusive {
  template <class T>
  cudaError_t operator()(void* memory, std::size_t& bytes, const T* x, T* y, std::int64_t n,
                         cudaStream_t stream) const {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, n, stream);
  }
};

struct Products {
  template <class T>
  cudaError_t operator()(void* memory, std::size_t& bytes, const T* x, T* y, std::int64_t n,
                         cudaStream_t stream) const {
    return cub::DeviceScan::InclusiveScan(memory, bytes, x, y, Product<T>(), n, stream);
  }
};

template <class T, class Algorithm>
void add(const std::string& problem, Algorithm algorithm, std::int64_t x_begin = 0,
         std::int64_t y_begin = 0) {
  add_line(problem, "cub", 2 * sizeof(T), Capture::Yes,
           [=](const Exec& exec, std::int64_t n) -> Work {
             const auto x = random_array<T>(exec, n + x_begin);
             const auto y = random_array<T>(exec, n + y_begin);
             return {with_workspace([=](void* memory, std::size_t& bytes) {
                       return algorithm(memory, bytes, x.data() + x_begin, y.data() + y_begin, n,
                                        exec.cuda_stream());
                     }),
                     [=] { return last_of(y); }};
           });
}

[[maybe_unused]] const bool registered = [] {
  add<std::int8_t>("sum<int8>", Inclusive());
  add<std::int16_t>("sum<int16>", Inclusive());
  add<std::int32_t>("sum<int32>", Inclusive());
  add<std::int64_t>("sum<int64>", Inclusive());
  add<float>("sum<float>", Inclusive());
  add<double>("sum<double>", Inclusive());
  add<float>("sum_in_shifted<float>", Inclusive(), 1, 0);
  add<float>("sum_both_shifted<float>", Inclusive(), 1, 1);
  add<std::int32_t>("exclusive_sum<int32>", Exclusive());
  add<float>("exclusive_sum<float>", Exclusive());
  add<Affine>("product<affine8>", Products());
  add<Unitriangular>("product<unitriangular12>", Products());
  add<Rotation>("product<rotation16>", Products());
  return true;
}();

}  // namespace
}  // namespace cub_sums_benchmarks

#endif
