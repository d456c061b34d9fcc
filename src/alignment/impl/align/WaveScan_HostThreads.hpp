// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOSTTHREADS_HPP
#define WAVESCAN_IMPL_ALIGN_HOSTTHREADS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <functional>

namespace wavescan::Impl {

/// @brief The threads that a host computation may use, whatever provides them.
struct HostThreads {
  Index count = 1;
  /// Runs kernel(0) to kernel(workers - 1), of which none may wait for a later one, in about
  /// `alone` seconds if one thread does all.
  std::function<void(Index workers, double alone, const std::function<void(Index)>& kernel)> run =
      [](Index workers, double, const std::function<void(Index)>& kernel) {
        for (Index worker = 0; worker < workers; ++worker) kernel(worker);
      };

  static HostThreads of(const HostThreads& threads) { return threads; }
  /// @brief The threads of an execution space instance, which must stay alive.
  template <ExecutionSpace Exec>
  static HostThreads of(const Exec& exec) {
    HostThreads threads;
    threads.count = resident_teams(exec, 1);
    threads.run = [&exec](Index workers, double alone, const std::function<void(Index)>& kernel) {
      const auto call = [&kernel](Index worker) { kernel(worker); };
      run_workers(exec, "WaveScan::align", workers, alone, any_host_kernel(call));
      if constexpr (!runs_at_once<Exec>) exec.fence("WaveScan::align: threads are done");
    };
    return threads;
  }
};

}  // namespace wavescan::Impl

#endif
