// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_ROWEXCHANGE_HPP
#define WAVESCAN_IMPL_SOR_GPU_ROWEXCHANGE_HPP

#include <impl/WaveScan_Gpu_MessageStream.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>

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
  /// A message is what is handed over at once.
  static constexpr int words = Shape::stride * Shape::words;
  using Stream = gpu::MessageStream<words>;
  static_assert(Shape::chunk % Shape::stride == 0);

 public:
  __device__ RowExchange(const GpuPass<V>& pass, const PassMemory<Shape>& shared)
      : pass_(pass), decomp_(pass.decomp), shared_(shared) {}

  /// @brief Sends the rows of the last band.
  __device__ void run_exporter(const gpu::LaunchTags& tags) const {
    ProgressFlag& mine = shared_.progress_of_exporter();
    const ProgressFlag& from = *(&mine - 1);
    const std::uint32_t ring = shared_.ring(decomp_.warps);
    for_each_ticket(decomp_, [&](const Ticket& ticket, int time) {
      const bool is_last = decomp_.is_last_group(ticket);
      std::uint32_t* const check = check_of(ticket, is_last);
      std::uint32_t* const line = line_of(ticket);
      if (is_last && !check && !line) {
        mine.publish(time + decomp_.steps());
        return;
      }
      const Stream stream = stream_of(ticket, ticket.group, tags);
      int known = 0;
      for (int k = 0; k < messages(); ++k) {
        const int now = time + k * Shape::stride;
        gpu::wait_for(from, now + Shape::stride, known);
        gpu::sync_warp();
        typename Stream::Part part;
        Stream::for_each_word(
            [&](int e, int i) { gpu::load_shared(part[e], ring + place_in_ring(now, i)); });
        gpu::sync_warp();
        mine.publish(now + Shape::stride);
        if (!is_last) stream.send(k, part);
        if (check)
          Stream::for_each_word(
              [&](int e, int i) { check[static_cast<std::size_t>(k) * words + i] = part[e]; });
        if (line)
          Stream::for_each_word(
              [&](int e, int i) { line[static_cast<std::size_t>(k) * words + i] = part[e]; });
      }
      mine.publish(time + decomp_.steps());
      gpu::sync_warp();
    });
  }

  /// @brief Receives the rows above the first band.
  __device__ void run_importer(const gpu::LaunchTags& tags) const {
    constexpr int ahead = Stream::words_per_lane > 1 ? 2 : 4;
    ProgressFlag& mine = shared_.progress[0];
    const ProgressFlag& to = shared_.progress[1];
    const std::uint32_t ring = shared_.ring(0);
    for_each_ticket(decomp_, [&](const Ticket& ticket, int time) {
      if (ticket.group > 0) {
        int room = 0;
        stream_of(ticket, ticket.group - 1, tags)
            .template receive<ahead>(
                messages(), pass_.watchdog, [&](int k, const typename Stream::Part& part) {
                  const int now = time + k * Shape::stride;
                  const int need = now + 2 * Shape::stride - Shape::ring - Decomposition::band_rows;
                  gpu::wait_for(to, need, room);
                  gpu::sync_warp();
                  Stream::for_each_word([&](int e, int i) {
                    gpu::store_shared(ring + place_in_ring(now, i), part[e]);
                  });
                  gpu::sync_warp();
                  mine.publish(now + Shape::stride);
                });
      }
      for (int group = 0; group < decomp_.beside; ++group)
        shared_.progress[group * (decomp_.stack + 1)].publish(time + decomp_.steps());
      gpu::sync_warp();
    });
  }

 private:
  /// @brief The number of messages for a group's row.
  __device__ int messages() const { return decomp_.steps() / Shape::stride; }
  __device__ Stream stream_of(const Ticket& ticket, int group, const gpu::LaunchTags& tags) const {
    const int block = ticket.pass * decomp_.blocks() + ticket.block;
    const int place = block * decomp_.row_places() + group % decomp_.row_places();
    return {pass_.messages + static_cast<std::size_t>(place) * decomp_.steps() * Shape::words,
            tags.of(static_cast<std::uint32_t>(ticket.pass * decomp_.max_groups + group))};
  }
  /// @brief The place where the row is kept for the check, if blocks meet below the group.
  __device__ std::uint32_t* check_of(const Ticket& ticket, bool is_last) const {
    std::uint32_t* checks = nullptr;
    if (is_last && ticket.row_block + 1 < decomp_.row_blocks) checks = pass_.bottom_checks;
    if (ticket.row_block > 0 && ticket.group == decomp_.overlap_groups - 1)
      checks = pass_.top_checks;
    if (!checks) return nullptr;
    return checks + static_cast<std::size_t>(ticket.block) * decomp_.steps() * Shape::words;
  }
  /// @brief The place where the row is kept for others, by the block that owns it.
  __device__ std::uint32_t* line_of(const Ticket& ticket) const {
    const int end = decomp_.first_band(ticket.row_block) + (ticket.group + 1) * decomp_.stack;
    if (end <= decomp_.first_owned_band(ticket.row_block)) return nullptr;
    for (const KeptLine& line : pass_.lines)
      if (line.band == end)
        return line.words +
               static_cast<std::size_t>(ticket.column_block) * decomp_.steps() * Shape::words;
    return nullptr;
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
};

}  // namespace wavescan::Impl::sor

#endif
