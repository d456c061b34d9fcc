// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_ROWS_HPP
#define WAVESCAN_IMPL_SOR_GPU_ROWS_HPP

#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_SOR_Gpu_Pass.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The warps that hand the last row of a group to the next group, which another block of
/// threads may relax: word for word, through global memory.

namespace wavescan::Impl {

template <class Shape>
class SORRows {
  using V = typename Shape::value_type;
  using LastRow = typename Shape::LastRow;
  /// Words between two hand-overs.
  static constexpr int words = Shape::stride * Shape::words;
  static constexpr int words_per_lane = (words + 31) / 32;

 public:
  __device__ SORRows(const SORPass<V>& pass, const SORShared<Shape>& shared)
      : pass_(pass), cut_(pass.cut), shared_(shared), lane_(static_cast<int>(threadIdx.x) % 32) {}

  /// @brief Sends the rows of the last band.
  __device__ void run_exporter(unsigned tag) const {
    SORFlag& mine = shared_.progress_of_exporter();
    const SORFlag& from = *(&mine - 1);
    const std::uint32_t ring = shared_.ring(cut_.warps);
    for_each_ticket(cut_, [&](const SORTicket& ticket, int time) {
      const bool is_last = cut_.is_last_group(ticket);
      std::uint32_t* const seam = seam_of(ticket, is_last);
      if (is_last && !seam) {
        mine.publish(time + cut_.steps());
        return;
      }
      gpu::TaggedWord* const packets = packets_of(ticket, ticket.group);
      const unsigned group_tag = tag_of(ticket, ticket.group, tag);
      int known = 0;
      for (int t0 = 0; t0 < cut_.steps(); t0 += Shape::stride) {
        wait_for(from, time + t0 + Shape::stride, known);
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
              gpu::store_relaxed(packets + place, gpu::TaggedWord(group_tag) << 32 | value[e]);
            if (seam) seam[place] = value[e];
          }
      }
      mine.publish(time + cut_.steps());
      gpu::sync_warp();
    });
  }

  /// @brief Receives the rows above the first band.
  __device__ void run_importer(unsigned tag) const {
    constexpr int ahead = words_per_lane > 1 ? 2 : 4;
    SORFlag& mine = shared_.progress[0];
    const SORFlag& to = shared_.progress[1];
    const std::uint32_t ring = shared_.ring(0);
    for_each_ticket(cut_, [&](const SORTicket& ticket, int time) {
      if (ticket.group > 0) {
        const gpu::TaggedWord* const packets = packets_of(ticket, ticket.group - 1);
        const unsigned group_tag = tag_of(ticket, ticket.group - 1, tag);
        gpu::StallTimer timer(pass_.watchdog);
        int room = 0;
        int t0 = 0;
        while (t0 < cut_.steps()) {
          gpu::TaggedWord word[ahead][words_per_lane];
#pragma unroll
          for (int j = 0; j < ahead; ++j)
#pragma unroll
            for (int e = 0; e < words_per_lane; ++e) {
              const int i = e * 32 + lane_;
              const int t = t0 + j * Shape::stride;
              word[j][e] = gpu::TaggedWord(group_tag) << 32;
              gpu::load_relaxed_if(i < words && t < cut_.steps(),
                                   packets + static_cast<std::size_t>(t) * Shape::words + i,
                                   word[j][e]);
            }
          const int before = t0;
          bool there = true;
#pragma unroll
          for (int j = 0; j < ahead; ++j) {
#pragma unroll
            for (int e = 0; e < words_per_lane; ++e)
              there = there && static_cast<unsigned>(word[j][e] >> 32) == group_tag;
            there = __all_sync(~0u, there) && t0 < cut_.steps();
            if (!there) continue;
            const int need = time + t0 + 2 * Shape::stride - Shape::ring - SORCut::band_rows;
            wait_for(to, need, room);
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
      for (int group = 0; group < cut_.beside; ++group)
        shared_.progress[group * (cut_.stack + 1)].publish(time + cut_.steps());
      gpu::sync_warp();
    });
  }

 private:
  __device__ gpu::TaggedWord* packets_of(const SORTicket& ticket, int group) const {
    const int block = ticket.pass * cut_.blocks() + ticket.block;
    const int place = block * cut_.row_places() + group % cut_.row_places();
    return pass_.packets + static_cast<std::size_t>(place) * cut_.steps() * Shape::words;
  }
  __device__ unsigned tag_of(const SORTicket& ticket, int group, unsigned first) const {
    return first + static_cast<unsigned>(ticket.pass * cut_.most_groups + group);
  }
  /// @brief Where the row is kept, if a seam runs below the group.
  __device__ std::uint32_t* seam_of(const SORTicket& ticket, bool is_last) const {
    std::uint32_t* seams = nullptr;
    if (is_last && ticket.row_block + 1 < cut_.row_blocks) seams = pass_.bottom_seams;
    if (ticket.row_block > 0 && ticket.group == cut_.overlap_groups - 1) seams = pass_.top_seams;
    if (!seams) return nullptr;
    return seams + static_cast<std::size_t>(ticket.block) * cut_.steps() * Shape::words;
  }
  /// @brief The byte at which word `i` from step `time` on lies.
  static __device__ std::uint32_t place_in_ring(int time, int i) {
    const int step = i / Shape::words;
    return static_cast<std::uint32_t>((time + step) & (Shape::ring - 1)) * sizeof(LastRow) +
           static_cast<std::uint32_t>(i - step * Shape::words) * 4;
  }

  const SORPass<V>& pass_;
  const SORCut& cut_;
  const SORShared<Shape>& shared_;
  int lane_;
};

}  // namespace wavescan::Impl

#endif
