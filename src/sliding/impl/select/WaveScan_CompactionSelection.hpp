// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_COMPACTIONSELECTION_HPP
#define WAVESCAN_IMPL_SELECT_COMPACTIONSELECTION_HPP

#include <WaveScan_Concepts.hpp>

/// @file
/// @brief The choice of the algorithm that compacts arrays on a device. Hosts have one, HostSelect.

namespace wavescan::Impl::select {

enum class CompactionAlgorithm {
  Loops,         ///< any device: loops and scans of Kokkos
  ElementTiles,  ///< NVIDIA's and AMD's GPUs: tiles of elements side by side
  StridedTiles   ///< these GPUs: tiles of rows, or of elements with strides
};

/// @brief Properties of a selection that the choice depends on; on GPUs alone.
struct CompactionRequest {
  bool side_by_side = false;  ///< a kernel has been compiled for elements side by side, as all are
  bool strided = false;       ///< likewise for strides, of which it needs not load too much
};

constexpr CompactionAlgorithm select_algorithm(const CompactionRequest& s) {
  using A = CompactionAlgorithm;
  return s.side_by_side ? A::ElementTiles : s.strided ? A::StridedTiles : A::Loops;
}

/// @brief Places where elements that a partition rejects wait until all that are kept have been
/// counted.
enum class PartitionAlgorithm {
  Loops,   ///< any device: in the buffer, from which a loop of Kokkos takes them
  Stages,  ///< GPUs: in the tiles that all blocks hold at once
  Buffer   ///< GPUs: in the buffer; or those kept do, if they are fewer among some elements that
           ///< are looked at before
};

/// @brief Properties of a partition that the choice of kernels depends on.
struct PartitionRequest {
  CompactionAlgorithm compaction;
  Index tiles, tiles_at_once;
  bool appendable;  ///< the elements of each array lie together
};

constexpr PartitionAlgorithm select_algorithm(const PartitionRequest& p) {
  using A = PartitionAlgorithm;
  if (p.compaction == CompactionAlgorithm::Loops) return A::Loops;
  return p.tiles <= p.tiles_at_once ? A::Stages : p.appendable ? A::Buffer : A::Loops;
}

}  // namespace wavescan::Impl::select

#endif
