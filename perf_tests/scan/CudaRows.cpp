// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <thrust/scan.h>
#include <cstdint>
#include <memory>
#include <string>
#include <support/WaveScanPerf_CudaPeers.hpp>
#include <support/WaveScanPerf_Rows.hpp>

// Scans of the rows of a matrix by CUB and Thrust: scans by key, where the key is the number of the
// row, computed from the position; or a scan for each row, where there are few.

namespace cuda_rows_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

struct RowOf {
  int log2_width;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t j) const { return j >> log2_width; }
};

auto rows_of(std::int64_t width) {
  int log2_width = 0;
  while (width >> (log2_width + 1) != 0) ++log2_width;
  return computed(RowOf{log2_width});
}

template <class T, class Setup>
void add(const std::string& problem, const std::string& program, const Setup& setup,
         int first_width = 5) {
  add_matrix(
      problem, program, 2 * sizeof(T),
      [=](const Exec& exec, std::int64_t width) -> Work {
        const auto x = random_array<T>(exec, matrix_size), y = random_array<T>(exec, matrix_size);
        return {setup(exec, x, y, width), [x, y] { return last_of(y); }};
      },
      first_width);
}

constexpr auto cub_by_key = [](const Exec& exec, const auto& x, const auto& y,
                               std::int64_t width) -> std::function<void()> {
  const auto keys = rows_of(width);
  return with_workspace([=](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys, x.data(), y.data(), matrix_size,
                                              ::cuda::std::equal_to<>(), exec.cuda_stream());
  });
};

constexpr auto cub_each_row = [](const Exec& exec, const auto& x, const auto& y,
                                 std::int64_t width) -> std::function<void()> {
  return with_workspace([=](void* memory, std::size_t& bytes) {
    cudaError_t status = cudaSuccess;
    for (std::int64_t begin = 0; begin < matrix_size && status == cudaSuccess; begin += width) {
      status = cub::DeviceScan::InclusiveSum(memory, bytes, x.data() + begin, y.data() + begin,
                                             width, exec.cuda_stream());
      if (memory == nullptr) break;
    }
    return status;
  });
};

constexpr auto thrust_by_key = [](const Exec& exec, const auto& x, const auto& y,
                                  std::int64_t width) -> std::function<void()> {
  const auto keys = rows_of(width);
  const auto memory = std::make_shared<KeptMemory>();
  return [=] {
    thrust::inclusive_scan_by_key(thrust_policy(exec, *memory), keys, keys + matrix_size, x.data(),
                                  y.data());
  };
};

[[maybe_unused]] const bool registered = [] {
  add<float>("row_sums<float>", "cub_by_key", cub_by_key);
  add<double>("row_sums<double>", "cub_by_key", cub_by_key);
  add<float>("row_sums<float>", "cub_each_row", cub_each_row, 16);
  add<float>("row_sums<float>", "thrust_by_key", thrust_by_key);
  return true;
}();

}  // namespace
}  // namespace cuda_rows_benchmarks

#endif
