// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_ROWMESSAGES_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_ROWMESSAGES_HPP

#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <climits>
#include <cstdint>

/// @file
/// @brief The way of rows from band to band: within a block through inboxes in shared memory, from
/// a block's last band to the first band of another block as messages.
///
/// A warp of the one block sends tagged words, a warp of the other looks for them all the time; so
/// the warps that compute the bands only know of inboxes.

namespace wavescan::Impl {

/// @brief A number of columns. Warps that carry rows to and from global memory publish it, too.
using BandFlag = gpu::BlockFlag<gpu::FlagOrder::Program>;

/// @brief The row above a band, a ring of columns, and how far everybody is. Columns are counted
/// from 0 on; numbers only grow.
/// @tparam Columns that there is room for, a power of two
template <class T, int Columns>
struct BandInbox {
  static constexpr int room = Columns;
  static constexpr int all = INT_MAX;  ///< however many columns there are

  alignas(16) unsigned char values[Columns * sizeof(T)];
  BandFlag sent;     ///< columns of the row above that are here
  BandFlag taken;    ///< columns of it that are no longer needed
  BandFlag fetched;  ///< columns of the band's rows that are in shared memory

  __device__ __forceinline__ T& value(int column) {
    return reinterpret_cast<T*>(values)[column & (Columns - 1)];
  }

  /// @param wanted whether anybody takes what is sent
  __device__ void clear(bool wanted) {
    sent.clear();
    fetched.clear();
    taken.clear(wanted ? 0 : all);
  }
};

/// @brief Waits until a number of an inbox is at least `needed`. False if the launch is stuck.
__device__ inline bool wait_for_number(const gpu::TaskQueue& queue, const BandFlag& number,
                                       int needed) {
  const auto reached = [&] { return !gpu::any(number.look() < needed); };
  if (!queue.wait(reached, gpu::Backoff::Short)) return false;
  gpu::sync_warp();
  number.rely_on(needed);
  return true;
}

/// @brief The words through which a row travels.
struct RowWords {
  gpu::TaggedWord* words;
  std::uint32_t tag;
  int width;  ///< columns
};

/// @brief Sends a row, as it comes into an inbox that no band of the block has.
template <class T, class Inbox>
__device__ bool send_row(const gpu::TaskQueue& queue, Inbox& inbox, const RowWords& row) {
  using Place = gpu::Tagged<T>;
  int done = 0;
  while (done < row.width) {
    int sent = done;
    const auto more = [&] {
      sent = gpu::broadcast(inbox.sent.look(), 0);
      return sent > done;
    };
    if (!queue.wait(more, gpu::Backoff::None)) return false;
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
__device__ bool receive_row(const gpu::TaskQueue& queue, Inbox& inbox, const RowWords& row) {
  using Place = gpu::Tagged<T>;
  typename Place::Found found;
  int column = gpu::lane();  ///< that the lane looks for
  int sent = 0;              ///< columns that are in the inbox
  const auto look = [&] {
    found.load_if(column < row.width, row.words + Index(column) * Place::words);
  };
  look();
  return queue.wait(
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
      gpu::Backoff::None);
}

}  // namespace wavescan::Impl

#endif
