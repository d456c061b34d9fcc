// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_CHOICE_HPP
#define WAVESCAN_IMPL_SOR_GPU_CHOICE_HPP

#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/WaveScan_SOR_Gpu_Cost.hpp>
#include <impl/WaveScan_SOR_Gpu_Cut.hpp>
#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Overlap.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

/// @file
/// @brief Into which blocks a pass is cut.

namespace wavescan::Impl {

/// @brief What tests and tuning may fix; zero or less: chosen.
struct SORGpuTuning {
  int most_fused = 8;
  int blocks = -1;  ///< 1: blocks that start early, 0: none
  int warps = 0;
  int slots = 0;
  int row_blocks = 0;
  int column_blocks = 0;
  int overlap_rows = 0;
  int overlap_columns = 0;
  int passes = 0;  ///< that follow each other in a launch, at most

  bool operator==(const SORGpuTuning&) const = default;
};

/// @brief Calls use(shape) with the shape of so many fused sweeps, those that only measure among
/// them.
template <class V, class Use>
auto with_sor_shape(int fused, const Use& use) {
  switch (fused) {
    case 9:
      return use(SORShape<V, 9, false>{});
    case 8:
      return use(SORShape<V, 8, false>{});
    case 5:
      return use(SORShape<V, 5, false>{});
    case 4:
      return use(SORShape<V, 4, false>{});
    case 2:
      return use(SORShape<V, 2, false>{});
    default:
      return use(SORShape<V, 1, false>{});
  }
}

/// @brief What a choice depends on besides the machine.
struct SORGpuTask {
  int m;
  int n;
  int fused;
  SORRhsRows rhs = {};
  int overlap_rows = 0;
  int overlap_columns = 0;
  SORGpuTuning tuning = {};
  int passes = 1;
  SORLags lags = {};

  bool operator==(const SORGpuTask&) const = default;
};

/// @brief Finds the best cut, and remembers the last few. To be used by one thread at a time;
/// allocates nothing once it is made.
template <class V>
class SORGpuChoice {
 public:
  SORGpuChoice() = default;
  SORGpuChoice(int multiprocessors, int shared_bytes)
      : multiprocessors_(multiprocessors), shared_bytes_(shared_bytes) {
    times_.above.reserve(most_blocks);
    times_.free.reserve(static_cast<std::size_t>(multiprocessors));
  }

  int multiprocessors() const { return multiprocessors_; }

  /// @brief Bounds the memory of the cuts, in words of 8 bytes.
  void set_room(std::size_t packet_words, std::size_t seam_words) {
    packet_words_ = packet_words;
    seam_words_ = seam_words;
  }

  /// @brief The cut with blocks or without, whichever is faster.
  SORCut best(const SORGpuTask& task) const {
    for (const Known& known : known_)
      if (known.task == task) return known.cut;
    SORCut best = whole(task);
    double lowest = task.tuning.blocks == 1 ? std::numeric_limits<double>::infinity() : cost(best);
    if (task.tuning.blocks != 0 && task.passes == 1)
      for (const Candidate& candidate : promising(task)) {
        const double time = cost(candidate.cut);
        if (time >= lowest) continue;
        best = candidate.cut;
        lowest = time;
      }
    if (known_.size() < known_.capacity) known_.push_back({});
    known_.begin()[found_++ % known_.capacity] = {task, best};
    return best;
  }

  /// @brief One block: no group starts before the one above it. Of no band if there is no room.
  SORCut whole(const SORGpuTask& task) const {
    SORCut best{};
    double lowest = std::numeric_limits<double>::infinity();
    for_each_warps(task, task.tuning.blocks == 0, [&](int warps, int slots) {
      const SORCut cut = make(task, warps, slots, 1, 1);
      if (packet_words_ > 0 && packet_words(cut) > packet_words_) return;
      const double time = cost(cut);
      if (time >= lowest) return;
      best = cut;
      lowest = time;
    });
    return best;
  }

  double cost(const SORCut& cut) const {
    const SORGpuMachine on = machine(cut.sweeps);
    return cut.passes > 1 ? sor_relay_cost(cut, on) : sor_cost(cut, on, times_);
  }

  /// @brief Calls visit(cut) for the cuts with several blocks that there is room for.
  template <class Visit>
  void for_each_candidate(const SORGpuTask& task, const Visit& visit) const {
    constexpr int most = 2048;  // in one direction
    const SORGpuTuning& tuning = task.tuning;
    for_each_warps(task, true, [&](int warps, int slots) {
      int width = 0;
      for (int across = 1; across <= most; ++across) {
        if (across > 1 && task.overlap_columns > task.n / across) break;
        if (tuning.column_blocks > 0 && across != tuning.column_blocks) continue;
        if (const int next = make(task, warps, slots, 1, across).width; next == width)
          continue;
        else
          width = next;
        int groups = 0;
        for (int down = 1; down <= most; ++down) {
          if (down > 1 && task.overlap_rows > task.m / down) break;
          if (tuning.row_blocks > 0 && down != tuning.row_blocks) continue;
          const SORCut cut = make(task, warps, slots, down, across);
          if (cut.groups == groups) continue;
          groups = cut.groups;
          if (cut.blocks() > 1 && cut.blocks() <= most_blocks && has_room(cut)) visit(cut);
        }
      }
    });
  }

  /// @brief Elements of both arrays of side seams.
  static std::size_t side_seam(const SORCut& c) {
    if (c.column_blocks == 1) return 0;
    return static_cast<std::size_t>(c.blocks()) * c.sweeps * c.bands_of_block() * 32;
  }
  /// @brief Words of 4 bytes of the seams above, or below, the blocks.
  static std::size_t end_seam(const SORCut& c) {
    return static_cast<std::size_t>(c.blocks()) * c.steps() * (c.sweeps + 1) * sizeof(V) / 4;
  }
  /// @brief Words of 8 bytes of the rows that groups hand on.
  static std::size_t row_words(const SORCut& c) {
    return c.most_groups > 1 ? c.passes * c.row_places() * end_seam(c) : 0;
  }
  /// @brief Those, and what passes tell each other.
  static std::size_t packet_words(const SORCut& c) {
    return row_words(c) + (c.passes > 1 ? static_cast<std::size_t>(c.passes) * c.bands : 0);
  }

  /// @brief Fitted to measurements on an H200.
  SORGpuMachine machine(int fused) const {
    constexpr bool single = sizeof(V) == 4;
    return with_sor_shape<V>(fused, [&](auto shape) {
      using Shape = decltype(shape);
      return SORGpuMachine{.multiprocessors = multiprocessors_,
                           .stride = Shape::stride,
                           .warps = Shape::all_warps - 2,
                           .latency = single       ? 26 + 8.7 * fused
                                      : fused == 1 ? 45
                                                   : 52 + 12.7 * fused,
                           .issue = single ? 16 + 5.2 * fused : 19 + 5.2 * fused,
                           .handover = single ? 147 + 17.4 * fused : 98 + 17 * fused,
                           .memory = (single ? 2.8 : 2.6) * sizeof(V),
                           .refill = 2500,
                           .hop = 2000,
                           .tile = single ? 2500.0 : 1250.0,
                           .relay = 20000};
    });
  }

 private:
  struct Known {
    SORGpuTask task;
    SORCut cut;
  };
  struct Candidate {
    double estimate;
    SORCut cut;
  };

  /// @brief The cuts that may be the best, which the whole schedule decides.
  InplaceVector<Candidate, 64> promising(const SORGpuTask& task) const {
    const auto earlier = [](const Candidate& a, const Candidate& b) {
      return a.estimate < b.estimate;
    };
    InplaceVector<Candidate, 64> heap;
    const SORGpuMachine on = machine(task.fused);
    for_each_candidate(task, [&](const SORCut& cut) {
      const double estimate = sor_estimate(cut, on);
      if (heap.size() == heap.capacity) {
        if (estimate >= heap.front().estimate) return;
        std::pop_heap(heap.begin(), heap.end(), earlier);
        heap.pop_back();
      }
      heap.push_back({estimate, cut});
      std::push_heap(heap.begin(), heap.end(), earlier);
    });
    std::sort_heap(heap.begin(), heap.end(), earlier);
    return heap;
  }

  static SORCut make(const SORGpuTask& task, int warps, int slots, int down, int across) {
    const int chunk =
        with_sor_shape<V>(task.fused, [](auto shape) { return decltype(shape)::chunk; });
    return SORCut::make(task.fused, task.m, task.n, chunk, warps, slots, down, across,
                        down > 1 ? task.overlap_rows : 0, across > 1 ? task.overlap_columns : 0,
                        task.passes, task.lags);
  }

  bool has_room(const SORCut& c) const {
    const std::size_t ends = c.row_blocks > 1 ? 2 * end_seam(c) * 4 : 0;
    return packet_words(c) <= packet_words_ &&
           2 * side_seam(c) * sizeof(V) + ends <= seam_words_ * 8;
  }

  /// @brief Calls visit(warps, slots) for those that fit into shared memory.
  template <class Visit>
  void for_each_warps(const SORGpuTask& task, bool as_tuned, const Visit& visit) const {
    with_sor_shape<V>(task.fused, [&](auto shape) {
      using Shape = decltype(shape);
      for (int warps = 1; warps <= Shape::most_warps; ++warps) {
        if (as_tuned && task.tuning.warps > 0 && warps != task.tuning.warps) continue;
        int slots = task.tuning.slots > 0 ? task.tuning.slots : most_slots;
        const auto fits = [&] {
          return Shape::shared_bytes(warps, slots, Shape::slot_bytes(task.rhs)) <=
                 static_cast<std::size_t>(shared_bytes_);
        };
        if (task.tuning.slots <= 0)
          while (slots > 0 && !fits()) --slots;
        if (slots >= Shape::fewest_slots(task.lags) && fits()) visit(warps, slots);
      }
    });
  }

  static constexpr int most_slots = 8;
  static constexpr int most_blocks = 1 << 13;

  int multiprocessors_ = 0;
  int shared_bytes_ = 0;
  std::size_t packet_words_ = 0;
  std::size_t seam_words_ = 0;
  mutable InplaceVector<Known, 16> known_;
  mutable std::size_t found_ = 0;  ///< cuts, ever
  mutable SORGpuTimes times_;
};

}  // namespace wavescan::Impl

#endif
