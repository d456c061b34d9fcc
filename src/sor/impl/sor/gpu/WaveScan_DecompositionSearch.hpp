// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_DECOMPOSITIONSEARCH_HPP
#define WAVESCAN_IMPL_SOR_GPU_DECOMPOSITIONSEARCH_HPP

#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/sor/gpu/WaveScan_CostModel.hpp>
#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>
#include <impl/sor/gpu/WaveScan_PassSizes.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

/// @file
/// @brief Selection: by which decomposition a pass is done.

namespace wavescan::Impl::sor {

/// @brief The parameters that tests and tuning may fix; zero or less: chosen.
struct GpuTuning {
  int max_depth = 8;
  int blocks = -1;  ///< 1: blocks that start early, 0: none
  int warps = 0;
  int slots = 0;
  int row_blocks = 0;
  int column_blocks = 0;
  int overlap_rows = 0;
  int overlap_columns = 0;
  int passes = 0;  ///< that follow each other in a launch, at most

  bool operator==(const GpuTuning&) const = default;
};

/// @brief The properties of a pass on which a selection depends, besides the machine.
struct GpuTask {
  int m;
  int n;
  int depth;
  RhsRows rhs = {};
  int overlap_rows = 0;
  int overlap_columns = 0;
  GpuTuning tuning = {};
  int passes = 1;
  TileSkew skew = {};
  OuterPartitions partitions = {};

  bool operator==(const GpuTask&) const = default;
};

/// @brief A decomposition, of no band if there is no room for one, and its estimated time.
struct SelectedDecomposition {
  Decomposition decomp{};
  double cost = std::numeric_limits<double>::infinity();
};

/// @brief Finds the best decomposition, and remembers the last few. To be used by one thread at a
/// time; allocates nothing once it is made.
class GpuSelection {
 public:
  GpuSelection() = default;
  GpuSelection(int value_bytes, int multiprocessors, int shared_bytes)
      : value_bytes_(value_bytes),
        multiprocessors_(multiprocessors),
        shared_bytes_(shared_bytes),
        times_(max_blocks, static_cast<std::size_t>(multiprocessors)) {}

  int value_bytes() const { return value_bytes_; }
  int multiprocessors() const { return multiprocessors_; }

  /// @brief Bounds the memory of decompositions, in words of 8 bytes.
  void set_room(std::size_t message_words, std::size_t check_words) {
    message_words_ = message_words;
    check_words_ = check_words;
    known_ = {};
    found_ = 0;
  }

  /// @brief The decomposition with blocks or without, whichever is faster.
  SelectedDecomposition best(const GpuTask& task) const {
    return remembered(task, false, [&] {
      const SelectedDecomposition one = whole(task);
      SelectedDecomposition best;
      if (task.tuning.blocks != 1) best = one;
      if (task.tuning.blocks != 0 && task.passes == 1)
        for (const SelectedDecomposition& candidate : promising(task))
          if (const double time = cost(candidate.decomp); time < best.cost)
            best = {candidate.decomp, time};
      return best.decomp.warps > 0 ? best : one;
    });
  }

  /// @brief One block: no group starts before the one above it.
  SelectedDecomposition whole(const GpuTask& task) const {
    return remembered(task, true, [&] {
      SelectedDecomposition best;
      for_each_warps(task, task.tuning.blocks == 0, [&](int warps, int slots) {
        const Decomposition decomp = make(task, warps, slots, 1, 1);
        if (message_words_ > 0 && message_words(decomp) > message_words_) return;
        if (const double time = cost(decomp); time < best.cost) best = {decomp, time};
      });
      return best;
    });
  }

  double cost(const Decomposition& decomp) const {
    const CostModel on = machine(decomp.sweeps);
    return decomp.passes > 1 ? pipeline_cost(decomp, on) : pass_cost(decomp, on, times_);
  }

  /// @brief Calls visit(decomposition) for those with several blocks that there is room for.
  template <class Visit>
  void for_each_candidate(const GpuTask& task, const Visit& visit) const {
    constexpr int most = 2048;  // in one direction
    const GpuTuning& tuning = task.tuning;
    for_each_warps(task, true, [&](int warps, int slots) {
      int tried_width = 0;
      for (int across = 1; across <= most; ++across) {
        if (across > 1 && task.overlap_columns > task.n / across) break;
        if (tuning.column_blocks > 0 && across != tuning.column_blocks) continue;
        if (const int next = make(task, warps, slots, 1, across).width; next == tried_width)
          continue;
        else
          tried_width = next;
        int groups = 0;
        for (int down = 1; down <= most; ++down) {
          if (down > 1 && task.overlap_rows > task.m / down) break;
          if (tuning.row_blocks > 0 && down != tuning.row_blocks) continue;
          const Decomposition decomp = make(task, warps, slots, down, across);
          if (decomp.groups == groups) continue;
          groups = decomp.groups;
          if (decomp.blocks() > 1 && decomp.blocks() <= max_blocks && has_room(decomp))
            visit(decomp);
        }
      }
    });
  }

  /// @brief The most warps that relax side by side in a block of threads.
  int most_warps(const GpuTask& task) const {
    int most = 0;
    for_each_warps(task, false, [&](int warps, int) { most = std::max(most, warps); });
    return most;
  }

  /// @brief Elements of each array of values to the sides of blocks.
  static std::size_t side_check_values(const Decomposition& c) {
    if (c.column_blocks == 1 && c.partitions == OuterPartitions{}) return 0;
    return static_cast<std::size_t>(c.blocks()) * c.sweeps * c.bands_of_block() * 32;
  }
  /// @brief Words of 4 bytes of the rows above, or below, the blocks.
  std::size_t end_check_words(const Decomposition& c) const {
    return static_cast<std::size_t>(c.blocks()) * c.steps() * (c.sweeps + 1) * value_bytes_ / 4;
  }
  /// @brief Words of 8 bytes of the rows that groups hand on.
  std::size_t row_words(const Decomposition& c) const {
    return c.max_groups > 1 ? c.passes * c.row_places() * end_check_words(c) : 0;
  }
  /// @brief Words of 8 bytes of these rows, and of what passes tell each other.
  std::size_t message_words(const Decomposition& c) const {
    return row_words(c) + (c.passes > 1 ? static_cast<std::size_t>(c.passes) * c.bands : 0);
  }

  /// @brief Whether these words, and what is checked, are no more than there is room for.
  bool has_room(const Decomposition& c) const {
    const std::size_t ends = c.row_blocks > 1 ? 2 * end_check_words(c) * 4 : 0;
    return message_words(c) <= message_words_ &&
           2 * side_check_values(c) * value_bytes_ + ends <= check_words_ * 8;
  }

  /// @brief The cost model, fitted to measurements on an H200.
  CostModel machine(int depth) const {
    const bool single = value_bytes_ == 4;
    const PassSizes sizes(value_bytes_, depth);
    return {.multiprocessors = multiprocessors_,
            .stride = sizes.stride,
            .warps = sizes.all_warps - 2,
            .latency = single       ? 26 + 8.7 * depth
                       : depth == 1 ? 45
                                    : 52 + 12.7 * depth,
            .issue = single ? 16 + 5.2 * depth : 19 + 5.2 * depth,
            .handover = single ? 147 + 17.4 * depth : 98 + 17 * depth,
            .memory = (single ? 2.8 : 2.6) * value_bytes_,
            .refill = 2500,
            .hop = 2000,
            .tile = single ? 2500.0 : 1250.0,
            .pass_hop = 20000};
  }

 private:
  struct Known {
    GpuTask task;
    bool whole;
    SelectedDecomposition found;
  };

  /// @brief Returns what was found for a task, which takes up to milliseconds to find.
  template <class Find>
  SelectedDecomposition remembered(const GpuTask& task, bool whole, const Find& find) const {
    for (const Known& known : known_)
      if (known.whole == whole && known.task == task) return known.found;
    const SelectedDecomposition found = find();
    if (known_.size() < known_.capacity) known_.push_back({});
    known_.begin()[found_++ % known_.capacity] = {task, whole, found};
    return found;
  }

  /// @brief Returns the candidates that may be the best, which the whole schedule decides.
  InplaceVector<SelectedDecomposition, 64> promising(const GpuTask& task) const {
    const auto earlier = [](const SelectedDecomposition& a, const SelectedDecomposition& b) {
      return a.cost < b.cost;
    };
    InplaceVector<SelectedDecomposition, 64> heap;
    const CostModel on = machine(task.depth);
    for_each_candidate(task, [&](const Decomposition& decomp) {
      const double estimate = estimated_time(decomp, on);
      if (heap.size() == heap.capacity) {
        if (estimate >= heap.front().cost) return;
        std::pop_heap(heap.begin(), heap.end(), earlier);
        heap.pop_back();
      }
      heap.push_back({decomp, estimate});
      std::push_heap(heap.begin(), heap.end(), earlier);
    });
    std::sort_heap(heap.begin(), heap.end(), earlier);
    return heap;
  }

  Decomposition make(const GpuTask& task, int warps, int slots, int down, int across) const {
    const int chunk = PassSizes(value_bytes_, task.depth).chunk;
    return Decomposition::make(task.depth, task.m, task.n, chunk, warps, slots, down, across,
                               down > 1 ? task.overlap_rows : 0,
                               across > 1 ? task.overlap_columns : 0, task.passes, task.skew,
                               task.partitions);
  }

  /// @brief Calls visit(warps, slots) for those that fit into shared memory.
  template <class Visit>
  void for_each_warps(const GpuTask& task, bool as_tuned, const Visit& visit) const {
    const PassSizes sizes(value_bytes_, task.depth);
    for (int warps = 1; warps <= sizes.max_warps; ++warps) {
      if (as_tuned && task.tuning.warps > 0 && warps != task.tuning.warps) continue;
      int slots = task.tuning.slots > 0 ? task.tuning.slots : max_slots;
      const auto fits = [&] {
        return sizes.shared_bytes(warps, slots, sizes.slot_bytes(task.rhs)) <=
               static_cast<std::size_t>(shared_bytes_);
      };
      if (task.tuning.slots <= 0)
        while (slots > 0 && !fits()) --slots;
      if (slots >= sizes.min_slots(task.skew) && fits()) visit(warps, slots);
    }
  }

  static constexpr int max_slots = 8;
  static constexpr int max_blocks = 1 << 13;

  int value_bytes_ = 0;
  int multiprocessors_ = 0;
  int shared_bytes_ = 0;
  std::size_t message_words_ = 0;
  std::size_t check_words_ = 0;
  /// As many as a plan compares, for a few plans.
  mutable InplaceVector<Known, 64> known_;
  mutable std::size_t found_ = 0;  ///< decompositions, ever
  mutable ScheduleSimulation times_;
};

}  // namespace wavescan::Impl::sor

#endif
