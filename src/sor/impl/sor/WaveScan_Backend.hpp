// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_BACKEND_HPP
#define WAVESCAN_IMPL_SOR_BACKEND_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/host/WaveScan_HostLoops.hpp>
#include <impl/sor/host/WaveScan_HostSweeps.hpp>
#include <impl/sor3d/WaveScan_Hyperplanes.hpp>
#include <impl/sor3d/host/WaveScan_PanelSweeps.hpp>
#if defined(WAVESCAN_HAS_DEVICES)
#include <impl/sor/WaveScan_Components.hpp>
#include <impl/sor/WaveScan_LoopSweeps.hpp>
#endif
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/sor/gpu/WaveScan_GpuBackend.hpp>
#include <impl/sor3d/gpu/WaveScan_PencilSweeps.hpp>
#endif

#include <type_traits>

/// @file
/// @brief The backend of an execution space, in two dimensions and in three, and its loops.

namespace wavescan::Impl::sor {

/// @brief A backend without kernels, so that wavefront loops do all.
template <class T>
class NoBackend {
 public:
  using Selected = SelectedAlgorithm;
  NoBackend() = default;
  template <class Exec>
  NoBackend(const Exec&, Index, Index, double) {}
  void throw_if_stuck() const {}
};
template <class T>
struct BackendTraits<NoBackend<T>> : SweepsOnly {
  template <class P>
  static constexpr bool sweeps = false;
};

template <class Exec, class T, int Rank>
struct BackendFor {
  using type = std::conditional_t<runs_on_host<Exec>, HostSweeps<Exec, T>, NoBackend<T>>;
};
template <class Exec, class T>
struct BackendFor<Exec, T, 3> {
  using type = std::conditional_t<runs_on_host<Exec>, sor3d::PanelSweeps<Exec, T>,
                                  sor3d::HyperplaneSweeps<Exec, T>>;
};
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
template <class T>
struct BackendFor<Kokkos::Cuda, T, 2> {
  using type = GpuBackend<T>;
};
template <class T>
struct BackendFor<Kokkos::Cuda, T, 3> {
  using type = sor3d::PencilSweeps<T>;
};
#endif

template <class Exec, class T, int Rank>
using Backend = typename BackendFor<Exec, T, Rank>::type;

/// @brief The loops that sweep where the backend declines.
template <class Exec, class T, int Rank>
struct LoopsFor {
  using type = HostLoops<Exec, T>;
};
#if defined(WAVESCAN_HAS_DEVICES)
template <class Exec, class T>
  requires(!runs_on_host<Exec>)
struct LoopsFor<Exec, T, 2> {
  using type = LoopSweeps<Exec, T>;
};
#endif
/// @brief No loops, for three dimensions, where the backend declines nothing.
struct NoLoops {
  template <class... Arguments>
  explicit NoLoops(const Arguments&...) {}
  Schedule schedule() const { return Schedule::Auto; }
  void throw_if_stuck() const {}
};
template <class Exec, class T>
struct LoopsFor<Exec, T, 3> {
  using type = NoLoops;
};
template <class Exec, class T, int Rank>
using Loops = typename LoopsFor<Exec, T, Rank>::type;

}  // namespace wavescan::Impl::sor

#endif
