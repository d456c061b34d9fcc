// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRPATH_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRPATH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>
#include <impl/align/gpu/WaveScan_PairPasses.hpp>
#include <impl/align/gpu/WaveScan_PairSmallParts.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

/// @file
/// @brief The path of a global alignment, divided on a GPU until its parts are small, and followed
/// through these (CUDA). How it is divided: WaveScan_PathParts.hpp. Of all parts that are divided
/// at a time the passes are one kernel, so that many small ones keep the GPU as busy as a few large
/// ones.

namespace wavescan::Impl {

/// @brief The row that a path crosses between two passes, which come from above and from below.
struct PairCrossing {
  const BoundaryEntry* above;  ///< last row of the pass from above
  const BoundaryEntry* below;  ///< last row of the pass from below, whose columns are reversed
  Index columns;
  BoundaryEntry edge_above, edge_below;  ///< before the first column
};

/// @brief Finds the crossings of some parts. Of several best ones it is the first, and if it may
/// lie within a gap or not, it does not.
template <class Device>
struct FindPairCrossings {
  using Policy = Kokkos::TeamPolicy<Device>;
  using Largest = Kokkos::MaxFirstLoc<Index, Index>;

  const PairCrossing* crossings;
  PathCrossing* found;
  Index open, extend;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const PairCrossing c = crossings[team.league_rank()];
    typename Largest::value_type best;
    const auto consider = [&](const Index j, typename Largest::value_type& largest) {
      const BoundaryEntry up = j > 0 ? c.above[j - 1] : c.edge_above;
      const BoundaryEntry down = j < c.columns ? c.below[c.columns - j - 1] : c.edge_below;
      const auto take = [&](Index value, Index place) {
        if (value > largest.val || (value == largest.val && place < largest.loc)) {
          largest.val = value;
          largest.loc = place;
        }
      };
      take(up.h + down.h, 2 * j);
      if (open != extend) take(up.e + down.e + open - extend, 2 * j + 1);
    };
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, c.columns + 1), consider, Largest(best));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      found[team.league_rank()] = {best.val, best.loc / 2, best.loc % 2};
    });
  }
};

template <class Device>
class PairPath {
 public:
  PairPath(const Device& exec, PairPasses<Device>& passes, const CodeSequence& a,
           const CodeSequence& b)
      : exec_(exec), passes_(passes), a_(a), b_(b) {}

  /// @brief The runs of a path through these parts.
  /// @param on_host finds those of some parts, which follow each other, on the host
  template <class OnHost>
  std::vector<PathRun> runs_through(std::vector<PathPart> parts, const OnHost& on_host) {
    const auto is_divided = [](const PathPart& part) {
      return part.rows() < 64 || part.columns() < 64 || part.cells() <= PairSmallPart::most_entries;
    };
    divide_parts(parts, costs(), passes_.progress(), is_divided,
                 [&](const std::vector<PathPart>& together) { return crossings_of(together); });
    const auto is_small = [&](const PathPart& part) {
      return PairSmallPart::supports(part, costs());
    };
    std::vector<PathPart> small;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(small), is_small);
    std::vector<std::vector<PathRun>> found;
    if (!small.empty()) found = runs_of_small_parts(exec_, a_, b_, passes_.scores(), small);

    JoinedRuns all;
    std::vector<PathPart> others;
    const auto add_others = [&] {
      if (!others.empty()) all.add(on_host(others));
      others.clear();
    };
    auto next = found.begin();
    for (const PathPart& part : parts) {
      const std::vector<PathRun> runs = is_small(part) ? *next++ : std::vector<PathRun>();
      if (runs.empty()) {
        others.push_back(part);
        continue;
      }
      add_others();
      all.add(runs);
      all.add({'I', part.gap_after});
    }
    add_others();
    return all.runs;
  }

  /// @brief Finds where the path crosses some rows.
  std::vector<PathCrossing> find(const std::vector<PairCrossing>& crossings) {
    const auto count = static_cast<int>(crossings.size());
    CallMemory<Device> memory(exec_);
    const auto on_device = memory.copy_of(crossings);
    const auto places = memory.template take<PathCrossing>(count);
    Kokkos::parallel_for(
        "WaveScan::align::crossings",
        typename FindPairCrossings<Device>::Policy(exec_, count, Kokkos::AUTO),
        FindPairCrossings<Device>{on_device.data(), places.data(), costs().open, costs().extend});
    return values_on_host(exec_, places);
  }

 private:
  const ScoreBounds& costs() const { return passes_.scoring().costs; }

  /// @brief Finds where paths cross the middle rows of their parts.
  std::vector<PathCrossing> crossings_of(const std::vector<PathPart>& parts) {
    std::vector<PairPass> passes;
    std::vector<PairCrossing> crossings;
    Index entries = 0;
    for (const PathPart& part : parts) entries += 2 * part.columns();
    CallMemory<Device> memory(exec_);
    BoundaryEntry* row = memory.template take<BoundaryEntry>(entries).data();
    for (const PathPart& part : parts) {
      const Index columns = part.columns();
      auto [above, below] = passes_to_middle<PairPass>(part, a_, b_, costs());
      above.row = row;
      below.row = row + columns;
      crossings.push_back(
          {above.row, below.row, columns, edge_of(above, costs()), edge_of(below, costs())});
      passes.push_back(above);
      passes.push_back(below);
      row += 2 * columns;
    }
    passes_.run_step(passes);
    return find(crossings);
  }

  Device exec_;
  PairPasses<Device>& passes_;
  CodeSequence a_, b_;
};

}  // namespace wavescan::Impl

#endif
