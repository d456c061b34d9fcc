// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_Select.hpp>

#include "distributed.hpp"

namespace distributed {
namespace {

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(float x) const { return x > 0; }
};
struct Fill {
  Kokkos::View<float*> in;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    in(k) = k * 7919 % 13 < 6 ? 1.0F : -1.0F;
  }
};

}  // namespace

void selections(std::int64_t n) {
  const Kokkos::View<float*> in("in", extent(n)), out("out", in.size());
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>(0, n),
                       Fill{in});
  report(
      "copy_if of half the elements, float",
      [&](MPI_Comm comm) { wavescan::mpi::copy_if(comm, in, out, IsPositive()); },
      [&] { wavescan::copy_if(in, out, IsPositive()); });
  // Of what the first half of the processes have, everybody gets a part.
  report(
      "rebalance of what half the processes have",
      [&](MPI_Comm comm) {
        const bool has = comm == self || own_rank < (processes + 1) / 2;
        wavescan::mpi::rebalance(comm, in, has ? n : 0, out);
      },
      [&] { Kokkos::deep_copy(out, in); });
}

}  // namespace distributed
