// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_INSTANCES_HPP
#define WAVESCAN_TEST_INSTANCES_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>
#include <vector>

namespace wavescan::Test {

/// @brief Calls `check(exec)` with instances of every execution space there is; on the host with
/// one, two and more threads than the machine has cores.
template <class Check>
void for_each_instance(const Check& check) {
#ifdef KOKKOS_ENABLE_OPENMP
  for (const int threads : {1, 2, 7}) check(Kokkos::OpenMP(threads));
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  check(Kokkos::Serial());
#endif
  check(Kokkos::DefaultHostExecutionSpace());
  check(Kokkos::DefaultExecutionSpace());
  for (const auto& part :
       Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(), 1, 1))
    check(part);
}

/// @brief Sizes of teams that this instance can run, other than the ones the library would choose.
template <class Exec>
std::vector<int> team_sizes([[maybe_unused]] const Exec& exec) {
  if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
    // Few: threads of a team wait for each other at barriers, and long if they share a core.
    std::vector<int> sizes;
    for (const int size : {2, 3})
      if (size <= exec.concurrency()) sizes.push_back(size);
    return sizes;
  } else {
    return {1, 7, 32, 64, 100, 256};
  }
}

}  // namespace wavescan::Test

#endif
