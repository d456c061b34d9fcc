// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_Select.hpp>

#include "Distributed.hpp"

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
  // All of what the first half of the processes have goes to blocks of the same length.
  const auto half = (processes + 1) / 2;
  const auto even = wavescan::mpi::even_block(half * n, world);
  const auto to = Kokkos::subview(out, Kokkos::make_pair(std::int64_t(0), even.count));
  wavescan::mpi::DataSliding<Exec, float> on_world(world), on_self(self);
  const auto rebalance = [&](auto& plan, MPI_Comm comm, const auto& target) {
    plan.rebalance(in, comm == self || own_rank < half ? n : 0, target);
  };
  const auto copy = [&] { Kokkos::deep_copy(out, in); };
  report(
      "rebalance of what half the processes have",
      [&](MPI_Comm comm) {
        if (comm == self)
          rebalance(on_self, comm, out);
        else
          rebalance(on_world, comm, to);
      },
      copy);
  report(
      "rebalance in place of even blocks",
      [&](MPI_Comm comm) {
        auto& plan = comm == self ? on_self : on_world;
        plan.rebalance(in, n, in);
      },
      copy);
}

}  // namespace distributed
