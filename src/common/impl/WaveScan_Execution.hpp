// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_EXECUTION_HPP
#define WAVESCAN_IMPL_EXECUTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_OversubscriptionMonitor.hpp>

#include <algorithm>
#include <concepts>

namespace wavescan::Impl {

/// @brief True for execution spaces whose threads are the host's: one thread a team is best there,
/// and its inner loops are the compiler's to vectorise.
template <ExecutionSpace Exec>
inline constexpr bool runs_on_host = std::same_as<typename Exec::memory_space, Kokkos::HostSpace>;

/// @brief True for host spaces whose kernels are done when parallel_for returns.
#if defined(KOKKOS_ENABLE_HPX)
template <ExecutionSpace Exec>
inline constexpr bool runs_at_once =
    runs_on_host<Exec> && !std::same_as<Exec, Kokkos::Experimental::HPX>;
#else
template <ExecutionSpace Exec>
inline constexpr bool runs_at_once = runs_on_host<Exec>;
#endif

/// @brief The number of teams of `team_size` threads that the instance can run at once, at least
/// one.
template <ExecutionSpace Exec>
Index resident_teams(const Exec& exec, int team_size) {
  const Index teams = static_cast<Index>(exec.concurrency()) / team_size;
  return teams > 0 ? teams : 1;
}

/// @brief Enqueues that all elements of a small contiguous View, flags say, become `value`. Kokkos
/// does that by a parallel region of its own, however small the View.
template <ExecutionSpace Exec, class View>
void set_all(const Exec& exec, const View& view, const typename View::value_type& value) {
  if constexpr (runs_at_once<Exec>)
    std::fill_n(view.data(), view.size(), value);
  else
    Kokkos::deep_copy(exec, view, value);
}

/// @brief A kernel of the host, whatever its type: what launches it is there once for an execution
/// space and not once for every kernel.
struct AnyHostKernel {
  const void* kernel;
  void (*run)(const void* kernel, Index worker);
  void (*run_alone)(const void* kernel);  ///< does what all workers do; may be null
  void operator()(const Index worker) const { run(kernel, worker); }
};
/// @brief Whether a kernel has a function alone() that does what all workers do.
template <class Kernel>
inline constexpr bool runs_alone = requires {
  requires Kernel::runs_alone;
};
template <class Kernel>
AnyHostKernel any_host_kernel(const Kernel& kernel) {
  AnyHostKernel any{&kernel,
                    [](const void* k, Index worker) {
                      [[maybe_unused]] const CleanVectors at_end;
                      (*static_cast<const Kernel*>(k))(worker);
                    },
                    nullptr};
  if constexpr (runs_alone<Kernel>)
    any.run_alone = [](const void* k) {
      [[maybe_unused]] const CleanVectors at_end;
      static_cast<const Kernel*>(k)->alone();
    };
  return any;
}

/// @brief Runs kernel(0) to kernel(workers - 1) on the instance's threads, or all of them on the
/// calling thread if the others would be late; that one calls kernel.alone() instead, if the kernel
/// says that it `runs_alone`.
template <ExecutionSpace Exec>
void run_workers(const Exec& exec, const char* name, Index workers, double alone,
                 const AnyHostKernel& kernel) {
  const Index threads = std::min(workers, resident_teams(exec, 1));
  const auto run = [&](Index begin, Index end) {
    for (Index worker = begin; worker < end; ++worker) kernel(worker);
  };
  const bool observed = Kokkos::Tools::profileLibraryLoaded();
  const double gain = OversubscriptionMonitor::gain_of(alone, threads);
  if (!observed && (threads <= 1 || !oversubscription_monitor.should_fork(gain)))
    return kernel.run_alone != nullptr ? kernel.run_alone(kernel.kernel) : run(0, workers);
  WatchedRegion region;
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>> policy(exec, 0, threads);
  Kokkos::parallel_for(name, policy, [&](Index thread) {
    region.run(thread, [&] { run(workers * thread / threads, workers * (thread + 1) / threads); });
  });
  oversubscription_monitor.record_region(gain, region.lost());
}

/// @brief Enqueues kernel(0) to kernel(workers - 1), of which none may wait for a later one.
/// @param alone seconds that one thread takes for all of it, more or less
template <ExecutionSpace Exec, class Kernel>
void enqueue_workers(const Exec& exec, const char* name, Index workers, double alone,
                     const Kernel& kernel) {
  if constexpr (runs_at_once<Exec>)
    run_workers(exec, name, workers, alone, any_host_kernel(kernel));
  else
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, workers), kernel);
}

/// @brief Parts of a kernel's work items, one for each worker.
template <class Kernel>
struct ItemParts {
  const Kernel& kernel;
  Index items;
  Index parts;
  void operator()(const Index part) const {
    const Index end = items * (part + 1) / parts;
    for (Index item = items * part / parts; item < end; ++item) kernel(item);
  }
};

/// @brief Enqueues kernel(0) to kernel(items - 1), in any order. For hosts the launch is compiled
/// once for all kernels.
/// @param seconds that a host's thread takes for an item, more or less
template <ExecutionSpace Exec, class Kernel>
void enqueue_items(const Exec& exec, const char* name, Index items, double seconds,
                   const Kernel& kernel) {
  if constexpr (runs_at_once<Exec>) {
    const ItemParts<Kernel> parts{kernel, items, std::min(items, resident_teams(exec, 1))};
    run_workers(exec, name, parts.parts, seconds * static_cast<double>(items),
                any_host_kernel(parts));
  } else {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, items),
                         kernel);
  }
}

KOKKOS_INLINE_FUNCTION constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

}  // namespace wavescan::Impl

#endif
