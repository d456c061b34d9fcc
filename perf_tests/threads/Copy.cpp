// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstring>
#include <impl/WaveScan_BlockChain.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>
#include <threads/Threads.hpp>

// What everything else is measured by: copies by Kokkos, and of each thread's share by memcpy and
// by stores past the caches; and what it takes to call all threads, and to hand something on from
// one to the next 256 times.

namespace {

using namespace wavescan::Perf::Threads;
using wavescan::Perf::random_array;
using wavescan::Perf::Work;

struct Nothing {
  void operator()(std::int64_t) const {}
};

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
  add(
      "region", "kokkos", 0,
      [](const Exec& exec, std::int64_t) -> Work {
        return {
            [=] { Kokkos::parallel_for("empty", Range(exec, 0, exec.concurrency()), Nothing()); },
            [] { return 0.; }};
      },
      14);
  add(
      "chain", "wavescan", 0,
      [](const Exec& exec, std::int64_t) -> Work {
        using Chain = wavescan::Impl::BlockChain<std::int64_t>;
        const std::int64_t threads = exec.concurrency(), blocks = 256;
        const Kokkos::View<std::byte*, Exec::memory_space> memory(
            "chain", static_cast<std::size_t>(Chain::bytes(1, threads, 1)));
        const Chain chain(memory.data(), 1, threads, 1);
        return {[=] {
                  Kokkos::deep_copy(exec, memory, std::byte(0));
                  Kokkos::parallel_for("chain", Range(exec, 0, threads), [=](std::int64_t) {
                    for (auto b = chain.draw(); b < blocks; b = chain.draw()) {
                      *chain.states(0, b) = (b > 0 ? *chain.wait_for(0, b - 1) : 0) + 1;
                      chain.post(0, b);
                    }
                  });
                },
                [=] { return static_cast<double>(*chain.states(0, blocks - 1)); }};
      },
      14);
  return true;
}();

}  // namespace
