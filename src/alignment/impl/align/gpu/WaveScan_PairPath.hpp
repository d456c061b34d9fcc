// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRPATH_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRPATH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>
#include <impl/align/gpu/WaveScan_PairPasses.hpp>
#include <impl/align/gpu/WaveScan_PairSmallParts.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

/// @file
/// @brief The path of a global alignment, divided on a GPU until its parts are small, and followed
/// through these (CUDA). How it is divided: WaveScan_LanePath.hpp. Of all parts that are divided at
/// a time the passes are one kernel, so that many small ones keep the GPU as busy as a few large
/// ones.

namespace wavescan::Impl {

/// @brief Where a path crosses the row between two passes that come from above and from below.
struct PairCrossing {
  const BoundaryEntry* above;  ///< last row of the pass from above
  const BoundaryEntry* below;  ///< last row of the pass from below, whose columns are reversed
  Index columns;
  BoundaryEntry edge_above, edge_below;  ///< before the first column
};

/// @brief A crossing: the path's score, the columns before it, and 1 if it lies within a gap.
struct PairCrossed {
  Index score;
  Index column;
  Index within_gap;
};

/// @brief The parts between some rows, as far as the path was found to cross them.
/// @param rows  in their order; the path crosses each as in the part around it
/// @param score of the path: a crossing of another score is none of its own
inline std::vector<PathPart> parts_between(const PathPart& whole, const std::vector<Index>& rows,
                                           const std::vector<PairCrossed>& found, Index score,
                                           const LaneScores& costs) {
  std::vector<PathPart> parts{whole};
  for (std::size_t k = 0; k < found.size(); ++k) {
    const PathPart part = parts.back();
    const Index column = found[k].column;
    if (found[k].score != score || column < part.begin_b || column > part.end_b) continue;
    const auto [upper, lower] =
        part.divided(rows[k], column - part.begin_b, found[k].within_gap != 0, costs);
    if (upper.rows() < 0 || lower.rows() < 0) continue;
    parts.back() = upper;
    parts.push_back(lower);
  }
  return parts;
}

/// @brief Finds the crossings of some parts. Of several best ones it is the first, and if it may
/// lie within a gap or not, it does not.
template <class Device>
struct FindPairCrossings {
  using Policy = Kokkos::TeamPolicy<Device>;
  using Largest = Kokkos::MaxFirstLoc<Index, Index>;

  const PairCrossing* crossings;
  PairCrossed* found;
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
  PairPath(const Device& exec, PairPasses<Device>& passes, const PairSequence& a,
           const PairSequence& b, Checkpoint* checkpoint)
      : exec_(exec), passes_(passes), a_(a), b_(b), checkpoint_(checkpoint) {}

  /// @brief The runs of a path through these parts.
  /// @param on_host finds those of some parts, which follow each other, on the host
  template <class OnHost>
  std::vector<PathRun> runs_through(std::vector<PathPart> parts, const OnHost& on_host) {
    while (std::any_of(parts.begin(), parts.end(), is_large)) parts = divided(parts);
    const auto is_small = [&](const PathPart& part) {
      return PairSmallPart::suits(part, passes_.scoring().costs);
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
      if (part.gap_after > 0) all.add({{'I', part.gap_after}});
    }
    add_others();
    return all.runs;
  }

  /// @brief Where the path crosses some rows.
  std::vector<PairCrossed> find(const std::vector<PairCrossing>& crossings) {
    const LaneScores& costs = passes_.scoring().costs;
    const auto count = static_cast<int>(crossings.size());
    CallMemory<Device> memory(exec_);
    const auto on_device = memory.copy_of(crossings);
    const auto places = memory.template take<PairCrossed>(count);
    Kokkos::parallel_for(
        "WaveScan::align::crossings",
        typename FindPairCrossings<Device>::Policy(exec_, count, Kokkos::AUTO),
        FindPairCrossings<Device>{on_device.data(), places.data(), costs.open, costs.extend});
    return values_on_host(exec_, places);
  }

 private:
  static bool is_large(const PathPart& part) {
    return part.rows() >= 64 && part.columns() >= 64 && part.cells() > PairSmallPart::most_entries;
  }

  std::vector<PathPart> divided(const std::vector<PathPart>& parts) {
    std::vector<PairCrossed> crossed(parts.size());
    std::vector<PathPart> together;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!is_large(parts[k])) continue;
      if (checkpoint_ != nullptr && checkpoint_->is_worth_keeping(parts[k].cells())) {
        crossed[k] = kept_crossing(parts[k]);
      } else {
        together.push_back(parts[k]);
        numbers.push_back(k);
      }
    }
    if (!together.empty()) {
      const std::vector<PairCrossed> found = crossings_of(together);
      for (std::size_t k = 0; k < numbers.size(); ++k) crossed[numbers[k]] = found[k];
    }
    std::vector<PathPart> result;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!is_large(parts[k])) {
        result.push_back(parts[k]);
        continue;
      }
      const auto [upper, lower] =
          parts[k].divided(parts[k].middle(), crossed[k].column, crossed[k].within_gap != 0,
                           passes_.scoring().costs);
      result.push_back(upper);
      result.push_back(lower);
    }
    return result;
  }

  /// @brief Where a path crosses its part's middle row, from the checkpoint or for it.
  PairCrossed kept_crossing(const PathPart& part) {
    if (const auto found = checkpoint_->find(part.key())) {
      const auto [column, within_gap, score] = *found;
      return {score, column, within_gap};
    }
    checkpoint_->begin(part.key());
    const PairCrossed crossed = crossings_of({part}).front();
    checkpoint_->remember(part.key(), {crossed.column, crossed.within_gap, crossed.score});
    return crossed;
  }

  /// @brief Where paths cross the middle rows of their parts.
  std::vector<PairCrossed> crossings_of(const std::vector<PathPart>& parts) {
    const LaneScores& costs = passes_.scoring().costs;
    std::vector<PairPass> passes;
    std::vector<PairCrossing> crossings;
    Index entries = 0;
    for (const PathPart& part : parts) entries += 2 * part.columns();
    CallMemory<Device> memory(exec_);
    BoundaryEntry* row = memory.template take<BoundaryEntry>(entries).data();
    for (const PathPart& part : parts) {
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
        return BoundaryEntry{h, h};
      };
      const BoundaryEntry edge_above = edge(upper);
      pass.a = a_.part(part.middle(), lower).reversed();
      pass.b = b.reversed();
      pass.left_open = part.open_end;
      pass.row = row + columns;
      passes.push_back(pass);
      crossings.push_back({row, row + columns, columns, edge_above, edge(lower)});
      row += 2 * columns;
    }
    if (checkpoint_ != nullptr && checkpoint_->has_step())
      for (const PairPass& pass : passes) passes_.run(pass);
    else
      passes_.run(passes);
    return find(crossings);
  }

  Device exec_;
  PairPasses<Device>& passes_;
  PairSequence a_, b_;
  Checkpoint* checkpoint_;  ///< null: there is none
};

}  // namespace wavescan::Impl

#endif
