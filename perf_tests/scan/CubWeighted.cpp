// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <cstdint>
#include <string>
#include <support/WaveScanPerf_CudaPeers.hpp>
#include <support/WaveScanPerf_Lines.hpp>

// Weighted scans by CUB: scans of segments that are put together and taken apart on the way, so
// that memory traffic is the same as WaveScan's. A constant weight, too, has to travel in them.

namespace cub_weighted_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

/// `input(exec, x, n)` makes the function that gives segment j.
template <class Join, class Input>
void add(const std::string& problem, std::int64_t bytes_an_element, const Input& input,
         std::int64_t x_begin = 0) {
  using T = typename Join::value_type;
  add_line(problem, "cub", bytes_an_element, Capture::Yes,
           [=](const Exec& exec, std::int64_t n) -> Work {
             const auto x = random_array<T>(exec, n + x_begin), y = random_array<T>(exec, n);
             const auto [segments, keep] = input(exec, x.data() + x_begin, n);
             const auto in = computed(segments);
             const auto out = thrust::make_transform_output_iterator(y.data(), ValueOf());
             return {
                 with_workspace([=, stream = exec.cuda_stream()](void* memory, std::size_t& bytes) {
                   return cub::DeviceScan::InclusiveScan(memory, bytes, in, out, Join(), n, stream);
                 }),
                 [x, y, kept = keep] { return last_of(y); }};
           });
}

struct NoArray {};

template <class Join>
void add_constant(const std::string& problem, typename Join::value_type weight,
                  std::int64_t x_begin = 0) {
  using T = typename Join::value_type;
  add<Join>(
      problem, 2 * sizeof(T),
      [weight](const Exec&, const T* x, std::int64_t) {
        return std::pair(SegmentOf<T>{x, weight}, NoArray());
      },
      x_begin);
}

template <class T>
void add_weights(const std::string& problem) {
  add<LinearRecurrence<T>>(problem, 3 * sizeof(T),
                           [](const Exec& exec, const T* x, std::int64_t n) {
                             const auto w = random_array<T>(exec, n, 7);
                             return std::pair(SegmentWithWeight<T>{x, w.data()}, w);
                           });
}

[[maybe_unused]] const bool registered = [] {
  add_constant<LinearRecurrence<float>>("decay<float>", 0.5f);
  add_constant<LinearRecurrence<double>>("decay<double>", 0.5);
  add_constant<LinearRecurrence<float>>("decay_in_shifted<float>", 0.5f, 1);
  add_constant<MaximumWithGaps<std::int32_t>>("maxplus<int32>", -1);
  add_weights<float>("weights<float>");
  add_weights<double>("weights<double>");
  return true;
}();

}  // namespace
}  // namespace cub_weighted_benchmarks

#endif
