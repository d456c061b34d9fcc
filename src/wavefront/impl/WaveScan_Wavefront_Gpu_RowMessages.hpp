// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_ROWMESSAGES_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_ROWMESSAGES_HPP

#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>

#include <cstdint>

/// @file
/// @brief How a row gets from a block's last band to the first band of another block.
///
/// A warp of the one block sends tagged words, a warp of the other looks for them all the time;
/// so the warps that compute the bands only know of inboxes in shared memory.

namespace wavescan::Impl {

/// @brief Where a row travels.
struct RowWords {
  gpu::TaggedWord* words;
  std::uint32_t tag;
  int width;  ///< columns
};

/// @brief Sends a row, as it comes into an inbox that no band of the block has.
template <class T, class Inbox>
__device__ bool send_row(const Turns& turns, Inbox& inbox, const RowWords& row) {
  using Place = gpu::Tagged<T>;
  int done = 0;
  while (done < row.width) {
    int sent = done;
    const auto more = [&] {
      sent = gpu::broadcast(inbox.sent.look(), 0);
      return sent > done;
    };
    if (!turns.wait(more, Nap::None)) return false;
    gpu::sync_warp();
    const int end = sent < done + gpu::warp_size ? sent : done + gpu::warp_size;
    inbox.sent.rely_on(end);
    const int column = done + gpu::lane();
    T value{};
    if (column < end) value = inbox.value(column);
    Place::publish_if(column < end, row.words + Index(column) * Place::words, value, row.tag);
    done = end;
    gpu::sync_warp();
    inbox.taken.publish(done);
  }
  return true;
}

/// @brief Receives a row into the inbox of a block's first band. A lane looks for one column after
/// another, a warp's size apart.
template <class T, class Inbox>
__device__ bool receive_row(const Turns& turns, Inbox& inbox, const RowWords& row) {
  using Place = gpu::Tagged<T>;
  typename Place::Found found;
  int column = gpu::lane();  ///< that the lane looks for
  int sent = 0;              ///< columns that are in the inbox
  const auto look = [&] {
    found.load_if(column < row.width, row.words + Index(column) * Place::words);
  };
  look();
  return turns.wait(
      [&] {
        const int taken = inbox.taken.look();
        const int end = taken + Inbox::room;
        inbox.taken.rely_on(taken);
        const bool here = column < row.width && column < end && found.has_tag(row.tag);
        if (here) {
          inbox.value(column) = found.value();
          column += gpu::warp_size;
        }
        // Columns may come in any order; those up to the first one that is missing are sent.
        const gpu::LaneMask missing = gpu::ballot(column < sent + gpu::warp_size);
        sent += missing ? gpu::lowest_lane(gpu::rotate_down(missing, sent % gpu::warp_size))
                        : gpu::warp_size;
        gpu::sync_warp();
        inbox.sent.publish(sent);
        look();
        return sent == row.width;
      },
      Nap::None);
}

}  // namespace wavescan::Impl

#endif
