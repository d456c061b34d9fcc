// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>

#include "Distributed.hpp"

namespace distributed {

/// @brief What messages, agreements and launches take by themselves.
void transport() {
  const auto comm = wavescan::Impl::mpi::Communicator::duplicate("perf", world);
  const wavescan::Impl::mpi::Transport<Exec> transport(Exec(), comm);
  const int next = (own_rank + 1) % processes, before = (own_rank + processes - 1) % processes;
  if (own_rank == 0)
    std::printf("\nmessages to the next process in a ring, %s\n%12s %10s %10s\n",
                transport.device().there() ? "from device to device" : "by MPI", "bytes", "us",
                "GB/s");
  for (const std::int64_t bytes : {8L, 1L << 12, 1L << 16, 1L << 20, 1L << 24, 1L << 27}) {
    const auto from = transport.buffer<char>(bytes), to = transport.buffer<char>(bytes);
    const double seconds = seconds_of([&] {
      wavescan::Impl::mpi::Exchange exchange(transport);
      exchange.receive(to, before, 1);
      exchange.send(from, next, 1);
      exchange.wait();
      Kokkos::fence();
    });
    if (own_rank == 0)
      std::printf("%12ld %10.1f %10.2f\n", static_cast<long>(bytes), 1e6 * seconds,
                  1e-9 * static_cast<double>(bytes) / seconds);
  }
  const double agreement = seconds_of([&] {
    for (int k = 0; k < 10; ++k) wavescan::Impl::mpi::together(comm, "perf", {}, [] {});
  });
  const Kokkos::View<int*> one("one", 1);
  const double launch = seconds_of([&] {
    for (int k = 0; k < 10; ++k) Kokkos::deep_copy(Exec(), one, k);
    Kokkos::fence();
  });
  if (own_rank == 0)
    std::printf("agreement %.1f us, launch %.1f us\n", 1e5 * agreement, 1e5 * launch);
}

}  // namespace distributed
