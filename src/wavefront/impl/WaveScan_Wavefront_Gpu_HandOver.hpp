// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_HANDOVER_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_HANDOVER_HPP

#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>

#include <cstddef>

/// @file
/// @brief How the lowest row of a band gets to the band below.

namespace wavescan::Impl {

/// @brief A ring in shared memory, which one warp fills and another, or the same, empties. Columns
/// are counted from 0 on.
/// @tparam Columns that there is room for, a power of two
template <class T, int Columns>
struct HandOver {
  alignas(16) unsigned char values[Columns * sizeof(T)];
  int sent;   ///< columns whose values are there
  int taken;  ///< columns whose values have been read

  __device__ __forceinline__ T& value(int column) {
    return reinterpret_cast<T*>(values)[column & (Columns - 1)];
  }
};

/// @brief Waits until a number of another warp is at least `needed`. False if the launch is stuck.
/// @param known what the number was at last
__device__ inline bool wait_for_number(const Turns& turns, const int& number, int& known,
                                       int needed) {
  if (known >= needed) return true;
  const auto ready = [&] {
    known = gpu::broadcast(gpu::load_acquire_block(&number), 0);
    return known >= needed;
  };
  if (!turns.wait(ready, true)) return false;
  gpu::sync_warp();  // what lane 0 has seen, all lanes see
  return true;
}

/// @brief The row above a band, of which the lanes receive some columns at a time: from the warp of
/// the band above, from another block, or from the Grid.
/// @tparam Count columns that are received at a time, by as many lanes
template <class Problem, class Inbox, int Count>
class RowAbove {
 public:
  using value_type = typename Problem::value_type;
  using Place = gpu::Tagged<value_type>;

  /// @brief Where the row comes from.
  enum class From { Grid, Warp, Block };
  struct Source {
    From from;
    Inbox* inbox;                  ///< filled by the warp of the band above, or from the Grid
    const gpu::TaggedWord* words;  ///< sent by another block
    std::uint32_t tag;             ///< of those
  };

  /// @param origin column of the Grid that column 0 is
  /// @param width  number of columns
  __device__ RowAbove(const Problem& problem, const Turns& turns, const Source& source,
                      Index origin, int width)
      : problem_(problem), turns_(turns), source_(source), origin_(origin), width_(width) {
    if (source_.from != From::Block) return;
    found_.load_if(wanted(0), place(0));
    found_next_.load_if(wanted(Count), place(Count));
  }

  /// @brief Starts to copy columns [first, first + Columns) from the Grid, if they come from there;
  /// a later wait for asynchronous copies waits for them.
  template <class Blocks, int Columns>
  __device__ void fetch(int first) {
    if (source_.from != From::Grid) return;
    const int column = first + gpu::lane();
    const Index i = problem_.range.row_begin - 1, j = origin_ + column;
    if (gpu::lane() >= Columns || column >= width_ || j < problem_.range.column_begin) return;
    if (i >= 0)
      Blocks::fetch_entry(&source_.inbox->value(column), &problem_.grid(i, j));
    else
      source_.inbox->value(column) = problem_.neighbour(i, j);
  }

  /// @brief Waits for columns [first, first + Count), first = 0, Count, ...: lane k gets the k-th.
  /// False if the launch is stuck.
  __device__ bool receive(int first, value_type& value) {
    if (first >= width_) return true;
    if (source_.from == From::Block) {
      if (!receive_words(first)) return false;
      value = found_.value();
      found_ = found_next_;
      found_next_.load_if(wanted(first + 2 * Count), place(first + 2 * Count));
    } else {
      if (source_.from == From::Warp && !receive_shared(first)) return false;
      value = source_.inbox->value(first + gpu::lane() % Count);
    }
    return true;
  }

 private:
  __device__ bool receive_shared(int first) {
    Inbox& inbox = *source_.inbox;
    if (gpu::lane() == 0) gpu::store_release_block(&inbox.taken, first);
    const int needed = first + Count < width_ ? first + Count : width_;
    return wait_for_number(turns_, inbox.sent, there_, needed);
  }

  __device__ bool receive_words(int first) {
    return turns_.wait([&] {
      const bool missing = wanted(first) && !found_.has_tag(source_.tag);
      if (!gpu::any(missing)) return true;
      found_.load_if(missing, place(first));
      return false;
    });
  }

  __device__ bool wanted(int first) const {
    return gpu::lane() < Count && first + gpu::lane() < width_;
  }
  __device__ const gpu::TaggedWord* place(int first) const {
    return source_.words + Index(first + gpu::lane()) * Place::words;
  }

  const Problem& problem_;
  const Turns& turns_;
  Source source_;
  Index origin_;
  int width_;
  int there_ = 0;                             ///< columns known to be in the inbox
  typename Place::Found found_, found_next_;  ///< the next columns, and those after them
};

/// @brief The way of a band's lowest row to the band below.
template <class T, class Outbox>
class RowBelow {
 public:
  using Place = gpu::Tagged<T>;

  /// @brief Who wants the row: nobody, a warp of the block, or another block.
  struct Target {
    bool warp;               ///< a warp of the block empties the outbox
    gpu::TaggedWord* words;  ///< or else, if not null, the words go here
    std::uint32_t tag;       ///< of those
  };

  __device__ RowBelow(const Turns& turns, Outbox& outbox, const Target& target, int width)
      : turns_(turns), outbox_(outbox), target_(target), width_(width) {}

  /// @brief Where the warp may write a value, after wait_for_room.
  __device__ __forceinline__ T& value(int column) const { return outbox_.value(column); }

  /// @brief Waits until there is room for columns up to `end`, of `Columns` in all. False if the
  /// launch is stuck.
  template <int Columns>
  __device__ bool wait_for_room(int end) {
    return !target_.warp || wait_for_number(turns_, outbox_.taken, taken_, end - Columns);
  }

  /// @brief Sends columns [end - Count, end), as far as there are any; one call follows the other.
  template <int Count>
  __device__ void send(int end) const {
    if (target_.warp) {
      if (gpu::lane() == 0) gpu::store_release_block(&outbox_.sent, end < width_ ? end : width_);
    } else if (target_.words) {
      const int column = end - Count + gpu::lane();
      const bool wanted = gpu::lane() < Count && column >= 0 && column < width_;
      T sent{};
      if (wanted) sent = value(column);
      Place::publish_if(wanted, target_.words + Index(column) * Place::words, sent, target_.tag);
    }
  }

 private:
  const Turns& turns_;
  Outbox& outbox_;
  Target target_;
  int width_;
  int taken_ = 0;  ///< columns known to have been taken
};

}  // namespace wavescan::Impl

#endif
