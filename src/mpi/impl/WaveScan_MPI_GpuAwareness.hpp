// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_GPUAWARENESS_HPP
#define WAVESCAN_IMPL_MPI_GPUAWARENESS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <Kokkos_Core.hpp>

#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

namespace wavescan::Impl::mpi {

/// @brief Whether this MPI says, while the program runs, that it takes addresses of CUDA's or HIP's
/// memory. One that cannot be asked counts as one that does not.
inline bool takes_device_memory() {
#if defined(WAVESCAN_HAS_CUDA_KERNELS) && defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported;
#elif defined(WAVESCAN_HAS_CUDA_KERNELS) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(WAVESCAN_HAS_HIP_KERNELS) && defined(MPIX_GPU_SUPPORT_HIP)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &supported) == MPI_SUCCESS && supported;
#elif defined(WAVESCAN_HAS_HIP_KERNELS) && defined(OMPI_HAVE_MPI_EXT_ROCM) && OMPI_HAVE_MPI_EXT_ROCM
  return MPIX_Query_rocm_support() == 1;
#else
  return false;
#endif
}

/// @brief Memory that the host's code reads and writes, which every MPI takes.
template <class MemorySpace>
inline constexpr bool is_host_memory =
    static_cast<bool>(Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible);

}  // namespace wavescan::Impl::mpi

#endif
