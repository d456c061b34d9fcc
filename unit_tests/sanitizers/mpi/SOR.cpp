// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_SOR.hpp>

#include "Distributed.hpp"

namespace wavescan::Test {
namespace {

/// @brief Blocks that are just large enough, each at other rows and columns.
template <class T>
bool run(int process_columns) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  const auto rows = static_cast<std::size_t>(300 + 5 * (rank / process_columns));
  const auto columns = static_cast<std::size_t>(250 + 3 * (rank % process_columns));
  const Matrix<T> b("b", rows, columns);
  const Matrix<unsigned char> mask("mask", rows, columns);
  mpi::SOR<Exec, T> plan(
      world, Exec(), b.extent_int(0), b.extent_int(1),
      {.scheme = mpi::SORScheme::Speculation, .process_columns = process_columns});
  const auto x = plan.array();
  Kokkos::deep_copy(b, T(0.5));
  Kokkos::parallel_for(
      "fill", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {rows, columns}),
      KOKKOS_LAMBDA(const std::size_t i, const std::size_t j) {
        x(i, j) = static_cast<T>((i * 7919 + j * 104729) % 1000) / 1000;
        mask(i, j) = (i * 13 + j) % 7 == 0;
      });
  const auto c = poisson<T>(1, 1);
  plan.sweeps(x, c, 11, SORInputs<>().rhs(b));
  plan.sweeps(x, c, 4, SORInputs<>().rhs(b).mask(mask));
  return plan.repeated_passes() == 0;
}

}  // namespace

bool run_distributed_sor() {
  int processes = 0;
  MPI_Comm_size(world, &processes);
  bool right = true;
  for (int q = 1; q <= processes; ++q)
    if (processes % q == 0) {
      right &= run<float>(q);
      right &= run<double>(q);
    }
  return right;
}

}  // namespace wavescan::Test
