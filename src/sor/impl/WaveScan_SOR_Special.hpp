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

/// @brief The way of sweeping that an execution space has of its own: by default none.
template <class Exec, class T>
struct SpecialSOR {
  SpecialSOR() = default;
  SpecialSOR(const Exec&, Index, Index) {}
  bool sweep(const Exec&, const SORProblem<T>&, int, bool, bool) const { return false; }
};

template <class Exec, class T>
  requires runs_on_host<Exec>
struct SpecialSOR<Exec, T> : SORHost<Exec, T> {
  using SORHost<Exec, T>::SORHost;
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
template <class T>
struct SpecialSOR<Kokkos::Cuda, T> : SORGpu<T> {
  using SORGpu<T>::SORGpu;
};
#endif

}  // namespace wavescan::Impl

#endif
