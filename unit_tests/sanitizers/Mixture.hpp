// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_MIXTURE_HPP
#define WAVESCAN_TEST_MIXTURE_HPP

#include <WaveScan_Concepts.hpp>

#include <cstdio>
#include <cstdlib>

namespace wavescan::Test {

using Exec = Kokkos::Cuda;

/// @brief Waits, and ends the program unless the kernels were there for what was asked of them.
inline void expect_done(bool done, const char* what) {
  Kokkos::fence();
  if (done) return;
  std::fprintf(stderr, "%s: no kernel ran\n", what);
  std::exit(1);
}

void run_scans();
void run_segments();
void run_columns();
void run_wavefronts();
void run_sor();
void run_sor3d();
void run_tables();
void run_histograms();
void run_sliding();
void run_filters();
void run_alignment();
/// @brief Kernels in which a warp waits for what another one hands on...
void run_flags();
/// @brief ... and for too little of it: tools must tell.
void run_planted_race();

}  // namespace wavescan::Test

#endif
