// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

namespace wavescan::Test {

using Exec = Kokkos::Cuda;
inline const MPI_Comm world = MPI_COMM_WORLD;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

/// @brief Fused sweeps over grids of processes of all shapes.
/// @return false if sweeps were done one by one, or again
bool run_distributed_sor();
void run_distributed_lines();
void run_distributed_tables();
void run_distributed_alignment();

}  // namespace wavescan::Test
