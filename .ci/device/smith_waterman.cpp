// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

wavescan::Alignment align(const Kokkos::View<char*>& a, const Kokkos::View<char*>& b) {
  return wavescan::smith_waterman(a, b, wavescan::MatchMismatch{}, wavescan::LinearGap{});
}
