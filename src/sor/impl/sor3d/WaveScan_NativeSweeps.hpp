// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_NATIVESWEEPS_HPP
#define WAVESCAN_IMPL_SOR3D_NATIVESWEEPS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor3d/WaveScan_Hyperplanes.hpp>
#include <impl/sor3d/WaveScan_Points.hpp>
#include <impl/sor3d/host/WaveScan_Sweeps.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/sor3d/gpu/WaveScan_Sweeps.hpp>
#endif

#include <type_traits>

namespace wavescan::Impl::sor3d {

/// @brief The way of sweeping that an execution space has.
template <class Exec, class T>
struct NativeSweepsOf {
  using type =
      std::conditional_t<runs_on_host<Exec>, HostSweeps<Exec, T>, HyperplaneSweeps<Exec, T>>;
};
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
template <class T>
struct NativeSweepsOf<Kokkos::Cuda, T> {
  using type = PencilSweeps<T>;
};
#endif
template <class Exec, class T>
using NativeSweeps = typename NativeSweepsOf<Exec, T>::type;

/// @brief Enqueues sweeps, each of them a forward pass, a backward one or both, from x to `to`,
/// which may be x; if it is not, the halo is copied, and all of x where there is nothing to sweep.
///
/// A function of its own, so that who declares it for a library need not know what sweeps consist
/// of.
template <class Sweeps, ExecutionSpace Exec, class T, class P>
void sweep_to(const Sweeps& sweeps, const Exec& exec, const P& problem, const Box<T>& to, int count,
              bool forward, bool backward) {
  if (count > 0 && !problem.empty())
    sweeps.sweep_to(exec, problem, to, count, forward, backward);
  else if (problem.x.data != to.data)
    copy_entries(exec, read_only(problem.x), to);
}

}  // namespace wavescan::Impl::sor3d

#endif
