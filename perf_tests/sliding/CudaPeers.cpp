// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <cstdint>
#include <sliding/Selections.hpp>
#include <support/WaveScanPerf_CudaPeers.hpp>

#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

// Selections by CUB and Thrust. CUB's partition forbids that input and output overlap, and reverses
// what it rejects.

namespace cuda_peers_benchmarks {
namespace {

using namespace wavescan::Perf;
using namespace wavescan::Perf::Sliding;

template <class T>
void add_cub() {
  using A = Arrays<T>;
  add<T>("remove_if", "cub", false, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return with_workspace([=](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, a.x.data(), a.count.data(),
                                   static_cast<std::int64_t>(a.x.size()), Keep{a.share},
                                   exec.cuda_stream());
    });
  });
  add<T>("copy_if", "cub", false, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return with_workspace([=](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, a.x.data(), a.y.data(), a.count.data(),
                                   static_cast<std::int64_t>(a.x.size()), Keep{a.share},
                                   exec.cuda_stream());
    });
  });
  add<T>("unique", "cub_copy", true, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return with_workspace([=](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(memory, bytes, a.x.data(), a.y.data(), a.count.data(),
                                       static_cast<std::int64_t>(a.x.size()), exec.cuda_stream());
    });
  });
  add<T>("partition", "cub_copy", false, 2, 0, Capture::Yes, [](const Exec& exec, const A& a) {
    return with_workspace([=](void* memory, std::size_t& bytes) {
      return cub::DevicePartition::If(memory, bytes, a.x.data(), a.y.data(), a.count.data(),
                                      static_cast<std::int64_t>(a.x.size()), Keep{a.share},
                                      exec.cuda_stream());
    });
  });
}

template <class T>
void add_thrust() {
  using A = Arrays<T>;
  add<T>("remove_if", "thrust", false, 1, 1, Capture::No, [](const Exec& exec, const A& a) {
    return [=, memory = KeptMemory()]() mutable {
      T* const x = a.x.data();
      thrust::remove_if(thrust_policy(exec, memory), x, x + a.x.size(), Drop{a.share});
    };
  });
  add<T>("unique", "thrust", true, 1, 1, Capture::No, [](const Exec& exec, const A& a) {
    return [=, memory = KeptMemory()]() mutable {
      T* const x = a.x.data();
      thrust::unique(thrust_policy(exec, memory), x, x + a.x.size());
    };
  });
  add<T>("partition", "thrust", false, 2, 0, Capture::No, [](const Exec& exec, const A& a) {
    return [=, memory = KeptMemory()]() mutable {
      T* const x = a.x.data();
      thrust::stable_partition(thrust_policy(exec, memory), x, x + a.x.size(), Keep{a.share});
    };
  });
}

[[maybe_unused]] const bool registered = [] {
  add_cub<std::uint8_t>();
  add_cub<std::uint16_t>();
  add_cub<float>();
  add_cub<double>();
  add_cub<Blob<12>>();
  add_cub<Blob<20>>();
  add_thrust<float>();
  add_thrust<double>();
  return true;
}();

}  // namespace
}  // namespace cuda_peers_benchmarks

#endif
