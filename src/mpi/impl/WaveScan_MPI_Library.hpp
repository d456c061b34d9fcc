// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_LIBRARY_HPP
#define WAVESCAN_IMPL_MPI_LIBRARY_HPP

// Of MPI only what is C: its old classes are no more in the standard.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <stdexcept>
#include <string>

namespace wavescan::Impl::mpi {

/// @brief Throws what MPI says of an error that it returned.
inline void check(int code, const char* function) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error("WaveScan: " + std::string(function) + " failed: " + text);
}

/// @brief Whether functions of MPI may be called.
inline bool is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

}  // namespace wavescan::Impl::mpi

#endif
