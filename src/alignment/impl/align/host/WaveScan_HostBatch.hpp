// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_HOSTBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_HOSTBATCH_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_AlignSelection.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_HostThreads.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PairBatch.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <impl/align/host/WaveScan_LaneBatch.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// @brief Alignments of many pairs, shared out to threads and lanes by length.
///
/// Long pairs are aligned one after the other by all threads. Others are sorted by length, so that
/// neighbours fill the lanes of a register evenly, and threads draw such groups, the largest first.
/// What cannot share lanes (modes that are not local, lengths that differ too much) is drawn pair
/// by pair, and so are groups that would leave threads without work.

namespace wavescan::Impl {

/// @brief Threads draw items and call use(item); in turns, between which progress is reported.
template <class Item, class Use>
void draw(const LanePasses& passes, const std::vector<Item>& items, const Use& use) {
  const HostThreads& threads = passes.threads();
  const double at_once = 1e9 * static_cast<double>(threads.count);
  for (std::size_t done = 0; done < items.size();) {
    std::size_t end = done;
    double cells = 0;
    while (end < items.size() && (cells < at_once || !passes.progress().wanted()))
      cells += items[end++].cells();
    std::atomic<std::size_t> next = done;
    const auto workers = std::min<Index>(threads.count, static_cast<Index>(end - done));
    threads.run(workers, cells / 5e9, [&](Index) {
      for (std::size_t k; (k = next.fetch_add(1)) < end;) use(items[k]);
    });
    passes.progress().add(cells);
    done = end;
  }
}

/// @brief Neighbours in sorted order that fill lanes, or one pair that has all lanes.
struct LaneGroup {
  const BatchPair* pairs;
  Index count;
  double all_cells;
  bool shares_lanes;
  double cells() const { return all_cells; }
};

/// @brief Finds the scores of pairs, in lanes of their own if they are local. Not inline, so that
/// it can be compiled in a library.
template <class Threads>
void run_lanes(const Threads& threads, const LanePasses& passes,
               const std::vector<BatchPair>& sorted, const AlignmentEdges& edges, bool same_query,
               AlignmentScore* results) {
  const ScoreBounds& costs = passes.scoring().costs;
  const Index most =
      passes.choice().rows > 0 ? passes.choice().rows : std::numeric_limits<int>::max();
  Index longest = 1;
  for (const BatchPair& pair : sorted) longest = std::max(longest, pair.a.length);
  // All rows are one lane's.
  const LaneLoops loops = choose_loops<Threads>(costs, 64 * longest, passes.choice());
  const auto shape_of = [&](Index rows) { return lane_shape(loops, costs, rows); };
  const LaneShape shape = shape_of(std::min(longest, most));
  std::vector<LaneGroup> groups, singles;
  std::vector<GroupCosts> group_costs;
  const auto add_singles = [&](const BatchPair* pairs, Index count) {
    for (Index k = 0; k < count; ++k) singles.push_back({pairs + k, 1, pairs[k].cells(), false});
  };
  for (std::size_t first = 0; first < sorted.size();) {
    const auto count =
        std::min<std::size_t>(static_cast<std::size_t>(loops.lanes), sorted.size() - first);
    LaneGroup group{&sorted[first], static_cast<Index>(count), 0, true};
    Index rows = 0, columns = 0;
    double all_columns = 0;
    for (std::size_t k = first; k < first + count; ++k) {
      rows = std::max(rows, sorted[k].a.length);
      columns = std::max(columns, sorted[k].b.length);
      all_columns += static_cast<double>(sorted[k].b.length + loops.lanes);
      group.all_cells += sorted[k].cells();
    }
    const PairsOfLanes shared{rows, columns, group.all_cells, loops.lanes,
                              static_cast<bool>(shape)};
    if (edges.local && select_algorithm(shared) == AlignAlgorithm::LanePairs) {
      // In turns of a register: each lane's rows and columns.
      constexpr double begin_pair = 1500;
      const LaneShape single = shape_of(ceil_div(rows, loops.lanes));
      group_costs.push_back(
          {shape.cost * static_cast<double>(ceil_div(rows, shape.rows) * shape.rows * columns),
           single.cost * static_cast<double>(single.rows) * all_columns +
               begin_pair * static_cast<double>(count)});
      groups.push_back(group);
    } else {
      add_singles(group.pairs, group.count);
    }
    first += count;
  }
  const auto split = static_cast<std::ptrdiff_t>(groups_to_split(group_costs, threads.count));
  for (auto group = groups.begin(); group < groups.begin() + split; ++group)
    add_singles(group->pairs, group->count);
  groups.erase(groups.begin(), groups.begin() + split);

  SequenceProfile query;
  const bool has_profile = !groups.empty() && same_query &&
                           score_source(loops, passes.scoring()) == ScoreSource::Profile;
  if (has_profile) query.prepare(loops.entry_bytes, passes.scoring(), sorted[0].a, 64);
  groups.insert(groups.end(), singles.begin(), singles.end());
  draw(passes, groups, [&](const LaneGroup& group) {
    if (group.shares_lanes) {
      LaneBatch batch(passes.scoring(), shape, loops, has_profile ? &query : nullptr);
      batch.run(group.pairs, group.count, results);
    } else {
      Progress silent({});
      const BatchPair& pair = *group.pairs;
      const LanePasses alone = passes.on(silent);
      results[pair.number] = HostAligner({alone, pair.a, pair.b}, edges).score();
    }
  });
}

/// @brief A batch in the hands of these threads.
/// @tparam Threads HostThreads; a parameter, for else every file that includes this would compile
/// it
template <class Threads>
class HostBatch {
 public:
  HostBatch(const Threads& threads, const PairBatch& batch)
      : scoring_(batch.table),
        progress_(batch.options.progress),
        passes_(scoring_, threads, progress_),
        edges_(batch.edges) {}

  /// @param same_query all pairs have the same `a`
  std::vector<AlignmentScore> scores(std::vector<BatchPair> pairs, bool same_query) {
    std::vector<AlignmentScore> results(pairs.size());
    share_out(
        pairs,
        [&](const LanePasses& passes, const BatchPair& pair) {
          results[static_cast<std::size_t>(pair.number)] =
              HostAligner({passes, pair.a, pair.b}, edges_).score();
        },
        [&](const std::vector<BatchPair>& sorted) {
          run_lanes(passes_.threads(), passes_, sorted, edges_, same_query, results.data());
        });
    return results;
  }

  /// @brief Calls find(aligner, alignment) for each pair.
  template <class Find>
  void find_each(std::vector<BatchPair>& pairs, std::vector<Alignment>& results, const Find& find) {
    const auto one = [&](const LanePasses& passes, const BatchPair& pair) {
      HostAligner aligner({passes, pair.a, pair.b}, edges_);
      find(aligner, results[static_cast<std::size_t>(pair.number)]);
    };
    share_out(pairs, one, [&](const std::vector<BatchPair>& sorted) {
      draw(passes_, sorted, [&](const BatchPair& pair) {
        Progress silent({});
        one(passes_.on(silent), pair);
      });
    });
  }

 private:
  /// @brief Calls one(passes, pair) for each long pair, and rest(sorted pairs) for the others.
  template <class One, class Rest>
  void share_out(std::vector<BatchPair>& pairs, const One& one, const Rest& rest) {
    Progress& progress = passes_.progress();
    double cells = 0;
    for (const BatchPair& pair : pairs) cells += pair.cells();
    progress.remaining(cells);
    sort(passes_.threads(), pairs, [](const BatchPair& x, const BatchPair& y) {
      return std::tuple(y.b.length, y.a.length, x.number) <
             std::tuple(x.b.length, x.a.length, y.number);
    });
    Progress none({});
    const LanePasses together = passes_.on(none, passes_.threads());
    const auto is_long = [&](const BatchPair& pair) {
      const OneOfManyPairs one_of_many{pair.cells(), passes_.threads().count};
      return select_algorithm(one_of_many) == AlignAlgorithm::LaneStrips;
    };
    for (const BatchPair& pair : pairs)
      if (is_long(pair)) {
        one(together, pair);
        progress.add(pair.cells());
      }
    std::erase_if(pairs, is_long);
    rest(pairs);
    progress.finish();
  }

  LetterScores scoring_;
  Progress progress_;
  LanePasses passes_;
  AlignmentEdges edges_;
};

template <class Threads>
std::vector<AlignmentScore> batch_scores(const Threads& threads, PairBatch batch) {
  return HostBatch(threads, batch).scores(std::move(batch.pairs), batch.same_query);
}
template <class Threads>
std::vector<Alignment> batch_alignments(const Threads& threads, PairBatch batch) {
  std::vector<Alignment> results(batch.pairs.size());
  HostBatch(threads, batch)
      .find_each(batch.pairs, results,
                 [](HostAligner& aligner, Alignment& alignment) { alignment = aligner.align(); });
  return results;
}
template <class Threads>
void find_batch_paths(const Threads& threads, PairBatch batch, std::vector<Alignment>& results) {
  HostBatch(threads, batch)
      .find_each(batch.pairs, results, [&](HostAligner& aligner, Alignment& alignment) {
        if (!batch.edges.local || alignment.score > 0) aligner.find_path(alignment);
      });
}

}  // namespace wavescan::Impl

#endif
