// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORALGORITHM_HPP
#define WAVESCAN_SORALGORITHM_HPP

/// @file
/// @brief The ways in which sweeps of SOR are done.

namespace wavescan {

/// @brief The ways to do sweeps. All give the same bits; see docs/pages/sor_design.md.
enum class SORAlgorithm {
  None,              ///< there is nothing to do
  Wavefront,         ///< any device: the wavefront loop of the problem, a sweep at a time
  SerialLoop,        ///< hosts: natural order, by one thread
  VectorPasses,      ///< hosts: passes of several sweeps in vector registers, single ones in strips
  UnknownRuns,       ///< hosts: runs of unknowns, where a mask leaves few
  TemporalBlocking,  ///< NVIDIA GPUs: passes of several sweeps through shared memory
  Resident,          ///< NVIDIA GPUs: the grid stays in shared memory for all sweeps
  Panels,            ///< hosts, three dimensions: panels that walk through the planes
  Pencils,           ///< NVIDIA GPUs, three dimensions: pencils, bundles for some single sweeps
  Hyperplanes        ///< devices, three dimensions: a kernel for each time
};

/// @brief The algorithm's name: "vector-passes", say.
constexpr const char* to_string(SORAlgorithm algorithm) {
  constexpr const char* names[]{"none",         "wavefront",         "serial-loop", "vector-passes",
                                "unknown-runs", "temporal-blocking", "resident",    "panels",
                                "pencils",      "hyperplanes"};
  return names[static_cast<int>(algorithm)];
}

}  // namespace wavescan

#endif
