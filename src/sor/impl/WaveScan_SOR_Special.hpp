// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SPECIAL_HPP
#define WAVESCAN_IMPL_SOR_SPECIAL_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SOR_Host.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <impl/WaveScan_SOR_Gpu.hpp>
#endif

namespace wavescan::Impl {

/// @brief The way of sweeping that an execution space has of its own: by default none. Made for
/// an instance, rows, columns, and the seconds after which waits are given up.
template <class Exec, class T>
struct SpecialSOR {
  SpecialSOR() = default;
  SpecialSOR(const Exec&, Index, Index, double) {}
  bool sweep(const Exec&, const SORProblem<T>&, int, bool, bool) const { return false; }
};

template <class Exec, class T>
  requires runs_on_host<Exec>
struct SpecialSOR<Exec, T> : SORHost<Exec, T> {
  SpecialSOR() = default;
  SpecialSOR(const Exec& exec, Index rows, Index columns, double)
      : SORHost<Exec, T>(exec, rows, columns) {}
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
template <class T>
struct SpecialSOR<Kokkos::Cuda, T> : SORGpu<T> {
  using SORGpu<T>::SORGpu;
};
#endif

}  // namespace wavescan::Impl

#endif
