// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_ROWS_HPP
#define WAVESCAN_IMPL_SOR_GPU_ROWS_HPP

#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/sor/gpu/WaveScan_Pass.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The warps that hand the last row of a group to the next group, which another block of
/// threads may relax: word for word, through global memory.

namespace wavescan::Impl::sor {

template <class Shape>
class RowExchange {
  using V = typename Shape::value_type;
  using LastRow = typename Shape::LastRow;
  /// Words between two hand-overs.
  static constexpr int words = Shape::stride * Shape::words;
  static constexpr int words_per_lane = (words + 31) / 32;

 public:
  __device__ RowExchange(const GpuPass<V>& pass, const PassMemory<Shape>& shared)
      : pass_(pass),
        decomp_(pass.decomp),
        shared_(shared),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  /// @brief Sends the rows of the last band.
  __device__ void run_exporter(unsigned tag) const {
    ProgressFlag& mine = shared_.progress_of_exporter();
    const ProgressFlag& from = *(&mine - 1);
    const std::uint32_t ring = shared_.ring(decomp_.warps);
    for_each_ticket(decomp_, [&](const Ticket& ticket, int time) {
      const bool is_last = decomp_.is_last_group(ticket);
      std::uint32_t* const check = check_of(ticket, is_last);
      if (is_last && !check) {
        mine.publish(time + decomp_.steps());
        return;
      }
      gpu::TaggedWord* const messages = messages_of(ticket, ticket.group);
      const unsigned group_tag = tag_of(ticket, ticket.group, tag);
      int known = 0;
      for (int t0 = 0; t0 < decomp_.steps(); t0 += Shape::stride) {
        gpu::wait_for(from, time + t0 + Shape::stride, known);
        gpu::sync_warp();
        std::uint32_t value[words_per_lane];
#pragma unroll
        for (int e = 0; e < words_per_lane; ++e)
          if (const int i = e * 32 + lane_; i < words)
            gpu::load_shared(value[e], ring + place_in_ring(time + t0, i));
        gpu::sync_warp();
        mine.publish(time + t0 + Shape::stride);
#pragma unroll
        for (int e = 0; e < words_per_lane; ++e)
          if (const int i = e * 32 + lane_; i < words) {
            const std::size_t place = static_cast<std::size_t>(t0) * Shape::words + i;
            if (!is_last)
              gpu::store_relaxed(messages + place, gpu::TaggedWord(group_tag) << 32 | value[e]);
            if (check) check[place] = value[e];
          }
      }
      mine.publish(time + decomp_.steps());
      gpu::sync_warp();
    });
  }

  /// @brief Receives the rows above the first band.
  __device__ void run_importer(unsigned tag) const {
    constexpr int ahead = words_per_lane > 1 ? 2 : 4;
    ProgressFlag& mine = shared_.progress[0];
    const ProgressFlag& to = shared_.progress[1];
    const std::uint32_t ring = shared_.ring(0);
    for_each_ticket(decomp_, [&](const Ticket& ticket, int time) {
      if (ticket.group > 0) {
        const gpu::TaggedWord* const messages = messages_of(ticket, ticket.group - 1);
        const unsigned group_tag = tag_of(ticket, ticket.group - 1, tag);
        gpu::StallTimer timer(pass_.watchdog);
        int room = 0;
        int t0 = 0;
        while (t0 < decomp_.steps()) {
          gpu::TaggedWord word[ahead][words_per_lane];
#pragma unroll
          for (int j = 0; j < ahead; ++j)
#pragma unroll
            for (int e = 0; e < words_per_lane; ++e) {
              const int i = e * 32 + lane_;
              const int t = t0 + j * Shape::stride;
              word[j][e] = gpu::TaggedWord(group_tag) << 32;
              gpu::load_relaxed_if(i < words && t < decomp_.steps(),
                                   messages + static_cast<std::size_t>(t) * Shape::words + i,
                                   word[j][e]);
            }
          const int before = t0;
          bool there = true;
#pragma unroll
          for (int j = 0; j < ahead; ++j) {
#pragma unroll
            for (int e = 0; e < words_per_lane; ++e)
              there = there && static_cast<unsigned>(word[j][e] >> 32) == group_tag;
            there = gpu::all(there) && t0 < decomp_.steps();
            if (!there) continue;
            const int need = time + t0 + 2 * Shape::stride - Shape::ring - Decomposition::band_rows;
            gpu::wait_for(to, need, room);
            gpu::sync_warp();
#pragma unroll
            for (int e = 0; e < words_per_lane; ++e)
              if (const int i = e * 32 + lane_; i < words)
                gpu::store_shared(ring + place_in_ring(time + t0, i),
                                  static_cast<std::uint32_t>(word[j][e]));
            gpu::sync_warp();
            t0 += Shape::stride;
            mine.publish(time + t0);
          }
          if (t0 != before) {
            timer.restart();
            continue;
          }
          nap(20);
          if (gpu::any(timer.expires_after_look())) break;
        }
      }
      for (int group = 0; group < decomp_.beside; ++group)
        shared_.progress[group * (decomp_.stack + 1)].publish(time + decomp_.steps());
      gpu::sync_warp();
    });
  }

 private:
  __device__ gpu::TaggedWord* messages_of(const Ticket& ticket, int group) const {
    const int block = ticket.pass * decomp_.blocks() + ticket.block;
    const int place = block * decomp_.row_places() + group % decomp_.row_places();
    return pass_.messages + static_cast<std::size_t>(place) * decomp_.steps() * Shape::words;
  }
  __device__ unsigned tag_of(const Ticket& ticket, int group, unsigned first) const {
    return first + static_cast<unsigned>(ticket.pass * decomp_.max_groups + group);
  }
  /// @brief Where the row is kept for the check, if blocks meet below the group.
  __device__ std::uint32_t* check_of(const Ticket& ticket, bool is_last) const {
    std::uint32_t* checks = nullptr;
    if (is_last && ticket.row_block + 1 < decomp_.row_blocks) checks = pass_.bottom_checks;
    if (ticket.row_block > 0 && ticket.group == decomp_.overlap_groups - 1)
      checks = pass_.top_checks;
    if (!checks) return nullptr;
    return checks + static_cast<std::size_t>(ticket.block) * decomp_.steps() * Shape::words;
  }
  /// @brief The byte at which word `i` from step `time` on lies.
  static __device__ std::uint32_t place_in_ring(int time, int i) {
    const int step = i / Shape::words;
    return static_cast<std::uint32_t>((time + step) & (Shape::ring - 1)) * sizeof(LastRow) +
           static_cast<std::uint32_t>(i - step * Shape::words) * 4;
  }

  const GpuPass<V>& pass_;
  const Decomposition& decomp_;
  const PassMemory<Shape>& shared_;
  int lane_;
};

}  // namespace wavescan::Impl::sor

#endif
