// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNSELECTION_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNSELECTION_HPP

#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

/// @file
/// @brief The choice of the algorithm that aligns sequences. What kinds of kernels a device has at
/// all says impl/WaveScan_DevicePaths.hpp (`PairAlignment`, `BatchAlignment`).

namespace wavescan::Impl {

enum class AlignAlgorithm {
  LaneStrips,        ///< hosts: lanes own strips of rows of one matrix, shared by all threads
  ThreadLaneStrips,  ///< hosts: the same by one thread, while others align other pairs
  LanePairs,         ///< hosts: each lane has a pair of its own, of about the same lengths
  WarpBands,         ///< NVIDIA GPUs: warps own bands of rows of one matrix
  WarpPairs          ///< NVIDIA GPUs: some lanes of a warp have a pair, or two
};

/// @brief One pair of sequences.
struct OnePair {
  bool has_kernels;  ///< the device has kernels for such scores
  Index rows, columns;
};

/// @brief Matrices that are so small are left to the host, which has computed them before the GPU
/// has been told of them, even by a single thread. An H200 takes .35 ms for the score of any such
/// matrix, and 1.5 ms for an alignment.
constexpr AlignAlgorithm select_algorithm(const OnePair& pair) {
  constexpr Index most_entries = Index(1) << 21;
  const bool is_small = pair.rows == 0 || pair.columns <= most_entries / pair.rows;
  return pair.has_kernels && !is_small ? AlignAlgorithm::WarpBands : AlignAlgorithm::LaneStrips;
}

/// @brief Many pairs of sequences.
struct ManyPairs {
  bool has_kernels;  ///< the device has kernels for such scores and lengths
  Index count;
};

constexpr AlignAlgorithm select_algorithm(const ManyPairs& pairs) {
  return pairs.has_kernels && pairs.count > 0 ? AlignAlgorithm::WarpPairs
                                              : AlignAlgorithm::LanePairs;
}

/// @brief One of many pairs, on a host.
struct OneOfManyPairs {
  double cells;
  Index threads;
};

/// @brief Selects all threads for a long pair, one thread for any other.
constexpr AlignAlgorithm select_algorithm(const OneOfManyPairs& pair) {
  constexpr double long_pair = 3e7;
  return pair.threads > 1 && pair.cells > long_pair ? AlignAlgorithm::LaneStrips
                                                    : AlignAlgorithm::ThreadLaneStrips;
}

/// @brief Pairs of about the same lengths, on a host, whose local scores are wanted.
struct PairsOfLanes {
  Index rows, columns;  ///< of the largest one
  double cells;         ///< of all
  Index lanes;
  bool entries_fit;  ///< a type of entries for lanes
};

/// @brief Selects lanes where they are filled well enough: those that wait for longer ones, or have
/// no pair, cost as much as others; and a row of all lanes has to fit a cache.
constexpr AlignAlgorithm select_algorithm(const PairsOfLanes& pairs) {
  const double filled =
      pairs.cells / (static_cast<double>(pairs.rows) * static_cast<double>(pairs.columns) *
                     static_cast<double>(pairs.lanes));
  constexpr Index most_columns = Index(1) << 18;
  return pairs.entries_fit && filled > .2 && pairs.columns <= most_columns
             ? AlignAlgorithm::LanePairs
             : AlignAlgorithm::ThreadLaneStrips;
}

/// @brief Times of a thread for pairs that share lanes, and for the same pairs one by one.
struct GroupCosts {
  double together, singly;
};

/// @brief Returns how many of the first groups, the largest, had better be aligned pair by pair:
/// each group is a thread's, and the others wait for the one that ends last.
inline std::size_t groups_to_split(const std::vector<GroupCosts>& groups, Index threads) {
  double all = 0, best = std::numeric_limits<double>::infinity();
  for (const GroupCosts& group : groups) all += group.together;
  std::size_t split = 0;
  for (std::size_t k = 0; k <= groups.size(); ++k) {
    // Pairs fill up what groups leave idle.
    const double filled = all / static_cast<double>(threads);
    if (filled >= best) break;
    std::vector<double> busy(static_cast<std::size_t>(threads));
    for (std::size_t g = k; g < groups.size(); ++g)
      *std::min_element(busy.begin(), busy.end()) += groups[g].together;
    const double time = std::max(filled, *std::max_element(busy.begin(), busy.end()));
    if (time < best) {
      best = time;
      split = k;
    }
    if (k < groups.size()) all += std::max(0., groups[k].singly - groups[k].together);
  }
  return split;
}

}  // namespace wavescan::Impl

#endif
