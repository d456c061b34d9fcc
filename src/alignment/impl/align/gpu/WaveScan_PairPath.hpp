// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRPATH_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRPATH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>
#include <impl/align/gpu/WaveScan_PairPasses.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// @file
/// @brief The path of a global alignment, divided on a GPU until its parts are small (CUDA). How it
/// is divided: WaveScan_LanePath.hpp. Of all parts that are divided at a time the passes are one
/// kernel, so that many small ones keep the GPU as busy as a few large ones.

namespace wavescan::Impl {

/// @brief Where a path crosses the row between two passes that come from above and from below.
struct PairCrossing {
  const PairEntry* above;  ///< last row of the pass from above
  const PairEntry* below;  ///< last row of the pass from below, whose columns are reversed
  Index columns;
  PairEntry edge_above, edge_below;  ///< before the first column
};

/// @brief A crossing: the path's score, the columns before it, and 1 if it lies within a gap.
struct PairCrossed {
  Index score;
  Index column;
  Index within_gap;
};

/// @brief Finds the crossings of some parts. Of several best ones it is the first, and if it may
/// lie within a gap or not, it does not.
struct FindPairCrossings {
  using Policy = Kokkos::TeamPolicy<gpu::Device>;
  using Largest = Kokkos::MaxFirstLoc<Index, Index>;

  const PairCrossing* crossings;
  PairCrossed* found;
  Index open, extend;

  KOKKOS_FUNCTION void operator()(const Policy::member_type& team) const {
    const PairCrossing c = crossings[team.league_rank()];
    typename Largest::value_type best;
    const auto consider = [&](const Index j, typename Largest::value_type& largest) {
      const PairEntry up = j > 0 ? c.above[j - 1] : c.edge_above;
      const PairEntry down = j < c.columns ? c.below[c.columns - j - 1] : c.edge_below;
      const auto take = [&](Index value, Index place) {
        if (value > largest.val || (value == largest.val && place < largest.loc)) {
          largest.val = value;
          largest.loc = place;
        }
      };
      take(up.h + down.h, 2 * j);
      if (open != extend) take(up.e + down.e - open - extend, 2 * j + 1);
    };
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, c.columns + 1), consider, Largest(best));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      found[team.league_rank()] = {best.val, best.loc / 2, best.loc % 2};
    });
  }
};

class PairPath {
 public:
  PairPath(const gpu::Device& exec, PairPasses& passes, const PairSequence& a,
           const PairSequence& b)
      : exec_(exec), passes_(passes), a_(a), b_(b) {}

  /// @brief Divides the parts of a path until they are small enough for the host.
  std::vector<PathPart> divide(std::vector<PathPart> parts) {
    while (std::any_of(parts.begin(), parts.end(), is_large)) parts = divided(parts);
    return parts;
  }

  /// @brief Where the path crosses some rows.
  std::vector<PairCrossed> find(const std::vector<PairCrossing>& crossings) {
    const LaneScores& costs = passes_.scoring().costs;
    const auto count = crossings.size();
    const Kokkos::View<PairCrossing*, Space> on_device(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::align::crossings"),
        count);
    Kokkos::deep_copy(
        exec_, on_device,
        Kokkos::View<const PairCrossing*, Kokkos::HostSpace>(crossings.data(), count));
    const Kokkos::View<PairCrossed*, Space> places(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::align::crossed"), count);
    Kokkos::parallel_for(
        "WaveScan::align::crossings",
        FindPairCrossings::Policy(exec_, static_cast<int>(count), Kokkos::AUTO),
        FindPairCrossings{on_device.data(), places.data(), costs.open, costs.extend});
    std::vector<PairCrossed> found(count);
    Kokkos::deep_copy(exec_, Kokkos::View<PairCrossed*, Kokkos::HostSpace>(found.data(), count),
                      places);
    exec_.fence("WaveScan::align: crossings are there");
    return found;
  }

 private:
  using Space = gpu::Device::memory_space;

  static bool is_large(const PathPart& part) {
    return part.rows() >= 64 && part.columns() >= 64 && part.cells() > 1024. * 1024.;
  }

  std::vector<PathPart> divided(const std::vector<PathPart>& parts) {
    const LaneScores& costs = passes_.scoring().costs;
    std::vector<PairPass> passes;
    std::vector<PairCrossing> crossings;
    Index entries = 0;
    for (const PathPart& part : parts)
      if (is_large(part)) entries += 2 * part.columns();
    const Kokkos::View<PairEntry*, Space> rows(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::align::rows"),
        static_cast<std::size_t>(entries));
    PairEntry* row = rows.data();
    for (const PathPart& part : parts) {
      if (!is_large(part)) continue;
      const Index upper = part.middle() - part.begin_a, lower = part.end_a - part.middle(),
                  columns = part.columns();
      const PairSequence b = b_.part(part.begin_b, columns);
      PairPass pass;
      pass.above_open = costs.open;
      pass.a = a_.part(part.begin_a, upper);
      pass.b = b;
      pass.left_open = part.open_begin;
      pass.row = row;
      passes.push_back(pass);
      const auto edge = [&](Index count) {
        const Index h = pass.left(count - 1, costs.extend);
        return PairEntry{h, h + costs.open};
      };
      const PairEntry edge_above = edge(upper);
      pass.a = a_.part(part.middle(), lower).reversed();
      pass.b = b.reversed();
      pass.left_open = part.open_end;
      pass.row = row + columns;
      passes.push_back(pass);
      crossings.push_back({row, row + columns, columns, edge_above, edge(lower)});
      row += 2 * columns;
    }
    passes_.run(passes);

    const std::vector<PairCrossed> found = find(crossings);
    std::vector<PathPart> result;
    auto next = found.begin();
    for (const PathPart& part : parts) {
      if (!is_large(part)) {
        result.push_back(part);
        continue;
      }
      const auto [upper, lower] =
          part.divided(part.middle(), next->column, next->within_gap != 0, costs);
      ++next;
      result.push_back(upper);
      result.push_back(lower);
    }
    return result;
  }

  gpu::Device exec_;
  PairPasses& passes_;
  PairSequence a_, b_;
};

}  // namespace wavescan::Impl

#endif
