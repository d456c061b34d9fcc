// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOSTTHREADS_HPP
#define WAVESCAN_IMPL_ALIGN_HOSTTHREADS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace wavescan::Impl {

/// @brief The threads that a host computation may use, whatever provides them.
class HostThreads {
 public:
  Index count = 1;

  /// @brief The calling thread.
  HostThreads() = default;
  static HostThreads of(const HostThreads& threads) { return threads; }
  /// @brief The threads of an execution space instance, which must stay alive.
  template <ExecutionSpace Exec>
  static HostThreads of(const Exec& exec) {
    return HostThreads(
        &exec, resident_teams(exec, 1),
        [](const void* instance, Index workers, double alone, const AnyHostKernel& kernel) {
          const Exec& space = *static_cast<const Exec*>(instance);
          run_workers(space, "WaveScan::align", workers, alone, kernel);
          if constexpr (!runs_at_once<Exec>) space.fence("WaveScan::align: threads are done");
        });
  }

  /// @brief Runs kernel(0) to kernel(workers - 1), of which none may wait for a later one.
  /// @param alone seconds that one thread takes for all of it, more or less
  template <class Kernel>
  void run(Index workers, double alone, const Kernel& kernel) const {
    run_(instance_, workers, alone, any_host_kernel(kernel));
  }
  /// @brief Calls use(begin, end) for parts of so many items, each of which takes about `seconds`.
  template <class Use>
  void share(Index items, double seconds, const Use& use) const {
    run(count, seconds * static_cast<double>(items),
        [&](Index worker) { use(items * worker / count, items * (worker + 1) / count); });
  }

 private:
  using Run = void(const void* instance, Index workers, double alone, const AnyHostKernel& kernel);
  HostThreads(const void* instance, Index threads, Run* runner)
      : count(threads), instance_(instance), run_(runner) {}

  const void* instance_ = nullptr;
  Run* run_ = [](const void*, Index workers, double, const AnyHostKernel& kernel) {
    for (Index worker = 0; worker < workers; ++worker) kernel(worker);
  };
};

/// @brief Sorts by threads, in the order of std::sort if no two elements are equal: each sorts a
/// part, and then takes from all parts what lies between two of some elements.
template <class T, class Less>
void sort(const HostThreads& threads, std::vector<T>& elements, const Less& less) {
  constexpr std::size_t least = 1 << 10;  // for a thread, or one by itself is as quick
  const std::size_t n = elements.size();
  const auto parts = std::min(static_cast<std::size_t>(threads.count), n / least);
  if (parts <= 1) return std::sort(elements.begin(), elements.end(), less);
  const auto at = [](const std::vector<T>& all, std::size_t k) {
    return all.begin() + static_cast<std::ptrdiff_t>(k);
  };
  const auto run = [&](const auto& use) {
    threads.run(static_cast<Index>(parts), 50e-9 * static_cast<double>(n),
                [&](Index part) { use(static_cast<std::size_t>(part)); });
  };
  const auto begin_of = [&](std::size_t part) { return n * part / parts; };
  std::vector<T> sorted = elements;
  run([&](std::size_t part) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(begin_of(part));
    std::sort(begin, sorted.begin() + static_cast<std::ptrdiff_t>(begin_of(part + 1)), less);
  });

  std::vector<T> samples;
  constexpr std::size_t samples_of_part = 32;
  for (std::size_t part = 0; part < parts; ++part)
    for (std::size_t k = 0; k < samples_of_part; ++k)
      samples.push_back(
          sorted[begin_of(part) + (begin_of(part + 1) - begin_of(part)) * k / samples_of_part]);
  std::sort(samples.begin(), samples.end(), less);
  // Where elements of a range begin in each part.
  const auto begin_in = [&](std::size_t range, std::size_t part) {
    const auto begin = at(sorted, begin_of(part)), end = at(sorted, begin_of(part + 1));
    if (range == 0) return begin;
    if (range == parts) return end;
    return std::lower_bound(begin, end, samples[range * samples_of_part], less);
  };
  run([&](std::size_t range) {
    auto to = elements.begin();
    for (std::size_t part = 0; part < parts; ++part)
      to += begin_in(range, part) - at(sorted, begin_of(part));
    const auto begin = to;
    for (std::size_t part = 0; part < parts; ++part)
      to = std::copy(begin_in(range, part), begin_in(range + 1, part), to);
    std::sort(begin, to, less);
  });
}

}  // namespace wavescan::Impl

#endif
