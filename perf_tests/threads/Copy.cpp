// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstring>
#include <impl/scan/host/WaveScan_Tile.hpp>
#include <threads/Threads.hpp>

// What everything else is measured by: copies by Kokkos, and of each thread's share by memcpy and
// by stores past the caches.

namespace {

using namespace wavescan::Perf::Threads;
using wavescan::Perf::random_array;

/// @param copy copy(to, from, bytes)
template <class Copy>
void add_shares(const char* program, const Copy& copy) {
  add_arrays<float>("copy", program, [=](const Exec& exec, const auto& x, const auto& y) {
    const auto n = static_cast<std::int64_t>(x.size());
    const std::int64_t threads = exec.concurrency();
    Kokkos::parallel_for("copy", Range(exec, 0, threads), [=](std::int64_t t) {
      const std::int64_t begin = n * t / threads, end = n * (t + 1) / threads;
      copy(y.data() + begin, x.data() + begin,
           static_cast<std::size_t>(end - begin) * sizeof(float));
    });
  });
}

[[maybe_unused]] const bool registered = [] {
  add_arrays<float>("copy", "deep_copy", [](const Exec& exec, const auto& x, const auto& y) {
    Kokkos::deep_copy(exec, y, x);
  });
  add_shares("memcpy",
             [](float* to, const float* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
  add_shares("past_caches", [](float* to, const float* from, std::size_t bytes) {
    wavescan::Impl::stream_bytes(to, from, bytes);
    wavescan::Impl::end_streaming();
  });
  return true;
}();

}  // namespace
