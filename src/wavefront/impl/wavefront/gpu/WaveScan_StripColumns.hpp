// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_STRIPCOLUMNS_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_STRIPCOLUMNS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>
#include <impl/wavefront/gpu/WaveScan_ColumnBlocks.hpp>
#include <impl/wavefront/gpu/WaveScan_RowTraits.hpp>

#include <cstddef>

/// @file
/// @brief The common part of the compensated GPU kernels: strips of columns, gone through from the
/// top to the bottom.
///
/// A group of threads, a warp or a block, owns a strip, a thread K neighbouring columns of it, and
/// the row above stays in registers. For every row of the strip the threads compute their partial
/// values, and segments of them, all at once; what enters the row from the left puts them right
/// (Hou et al., equations II-1 to II-3).
///
/// Why old values are old: at row i a strip reads entries of rows i and i + 1 in its own columns
/// and columns to the right. Its own are not overwritten before it has read them, and those to the
/// right by strips which first wait for what this strip sends when it has read row i. Values are
/// fetched ahead, never later.

namespace wavescan::Impl {

/// @brief Old values of a strip's rows in shared memory, fetched `Ahead` rows ahead.
template <class T, int K, int Threads, int Ahead>
class OldRows {
 public:
  static constexpr int ahead = Ahead;

  /// @brief One block more than there are threads: the thread in the last one may read its right
  /// neighbour.
  struct Shared {
    alignas(16) unsigned char block[Ahead][Threads + 1][K * sizeof(T)];
    __device__ T* of(Index row, int thread) {
      return reinterpret_cast<T*>(block[static_cast<unsigned>(row) % Ahead][thread]);
    }
  };

  /// @param first_row   that is fetched
  /// @param first_block of the strip's first thread
  __device__ OldRows(const ColumnBlocks<T, K>& blocks, Shared& shared, Index first_row,
                     int first_block)
      : blocks_(blocks),
        shared_(shared),
        row_(first_row),
        block_(first_block + static_cast<int>(threadIdx.x)),
        place_(blocks.place(first_row, block_)),
        own_(has_entries(blocks, block_)),
        next_(threadIdx.x + 1 == Threads && has_entries(blocks, block_ + 1)),
        whole_((!own_ || blocks.whole(block_)) && (!next_ || blocks.whole(block_ + 1))),
        part_(gpu::any(!whole_)) {}

  /// @brief Whether all that the warp fetches can be moved at once.
  __device__ bool is_whole() const { return !part_; }

  /// @brief Starts to copy the thread's block of the next row.
  /// @tparam Whole the caller knows that is_whole()
  template <bool Whole = false>
  __device__ void fetch() {
    T* const slot = shared_.of(row_, static_cast<int>(threadIdx.x));
    const bool there = row_ < blocks_.grid.rows;
    ColumnBlocks<T, K>::fetch(there && whole_ && own_, slot, place_);
    ColumnBlocks<T, K>::fetch(there && whole_ && next_, slot + K, place_ + K);
    if (!Whole && part_ && there && !whole_) {
      blocks_.fetch_part(slot, place_, block_);
      if (next_) blocks_.fetch_part(slot + K, place_ + K * blocks_.grid.column_stride, block_ + 1);
    }
    ++row_;
    place_ += blocks_.grid.row_stride;
    gpu::commit_async_copies();
  }
  /// @brief Waits for the thread's copies up to row i + 1, when those up to row i + Ahead - 1 are
  /// on their way. Others see them after the group's next barrier.
  __device__ void wait() const { gpu::wait_for_async_copies<Ahead - 2>(); }
  __device__ void wait_for_all() const { gpu::wait_for_async_copies<0>(); }

  /// @brief The thread's entries of a row and the next one to the right.
  __device__ void read(Index row, T (&entries)[K + 1]) const {
    const int thread = static_cast<int>(threadIdx.x);
    blocks_.read(shared_.of(row, thread), entries);
    entries[K] = *shared_.of(row, thread + 1);
  }

 private:
  static __device__ bool has_entries(const ColumnBlocks<T, K>& blocks, int block) {
    return blocks.column(block) < blocks.grid.columns;
  }

  const ColumnBlocks<T, K>& blocks_;
  Shared& shared_;
  Index row_;       ///< that is fetched next
  int block_;       ///< the thread's
  const T* place_;  ///< of the two
  bool own_;        ///< which has entries
  bool next_;       ///< the thread also fetches the next block
  bool whole_;      ///< what it fetches can be moved at once
  bool part_;       ///< not so for all lanes of the warp
};

/// @brief A thread's columns of a strip: the row above, and from it the next row.
///
/// For each row: `compute` the partial values and their segments, join segments over the group, and
/// `enter` what comes from the left.
template <class Problem, int K>
class StripColumns {
  static_assert(!Problem::up_right,
                "WaveScan: strips cannot run a loop that asks for up_right: a strip would need the "
                "row above of the strip on its right, which waits for this one");

 public:
  using value_type = typename Problem::value_type;
  using Arithmetic = RowTraits<Problem, K>;
  using segment = typename Arithmetic::segment;

  __device__ StripColumns(const Problem& problem, const Arithmetic& arithmetic,
                          const ColumnBlocks<value_type, K>& blocks, int block)
      : problem_(problem),
        arithmetic_(arithmetic),
        blocks_(blocks),
        old_(problem.grid),
        column_(blocks.column(block)),
        place_(blocks.place(problem.range.row_begin, block)),
        first_(blocks.first_of(block)),
        last_(blocks.last_of(block)),
        whole_(!gpu::any(first_ != 0 || last_ != K || !blocks.whole(block))) {
    const Index above = problem.range.row_begin - 1;
#pragma unroll
    for (int k = 0; k < K; ++k)
      row_[k] = has<false>(k) ? problem.neighbour(above, column_ + k) : value_type();
    left_ = first_ < last_ ? problem.neighbour(above, column_ + first_ - 1) : value_type();
    old_.column = column_;
  }

  /// @brief Takes the first row's old values from `rows`.
  __device__ void start(const auto& rows) { rows.read(problem_.range.row_begin, old_.value[1]); }

  /// @brief Whether all columns of the warp's threads are in the range, and can be moved at once.
  __device__ bool is_whole() const { return whole_; }

  /// @brief Computes the partial values of row i and the segments of them.
  /// @param entering what enters the group's first thread already now, if `enters`
  /// @tparam Whole   the caller knows that is_whole()
  template <bool Whole = false>
  __device__ void compute(Index i, const auto& rows, bool enters, const value_type& entering) {
#pragma unroll
    for (int k = 0; k <= K; ++k) old_.value[0][k] = old_.value[1][k];
    rows.read(i + 1, old_.value[1]);
    old_.row = i;
    if (Whole || whole_)
      compute_segments<true>(i, enters, entering);
    else
      compute_segments<false>(i, enters, entering);
  }

  /// @brief The segment of the thread's K columns; whatever it is if some are outside of the range,
  /// nobody to the right asks for it.
  __device__ const segment& whole() const { return segments_[K - 1]; }

  /// @brief Makes the segments of the row its values, and writes them.
  /// @param left    the left neighbour
  /// @param entered whether it is part of the segments already
  template <bool Whole = false>
  __device__ void enter(const value_type& left, bool entered) {
    if (Whole || whole_)
      finish<true>(left, entered);
    else
      finish<false>(left, entered);
    left_ = left;
    place_ += problem_.grid.row_stride;
  }

  /// @brief The value in the thread's last column.
  __device__ const value_type& last() const { return row_[K - 1]; }

 private:
  /// @tparam Whole all columns of the thread are in the range: its code has no branches
  template <bool Whole>
  __device__ bool has(int k) const {
    return Whole || (k >= first_ && k < last_);
  }

  template <bool Whole>
  __device__ void compute_segments(Index i, bool enters, const value_type& entering) {
    value_type up_left = left_;
    value_type x{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      // Nothing but the loop's own code is left out where there is no entry: the less a warp's
      // lanes part, the better. The rest computes what nobody reads.
      typename Arithmetic::element_weight weight{};
      if (has<Whole>(k)) {
        x = problem_.partial(i, column_ + k, {up_left, row_[k]}, old_);
        weight = arithmetic_.entry_weight(problem_, i, column_ + k);
        up_left = row_[k];
      }
      const segment alone = arithmetic_.single(x, weight);
      // Stored once, at a constant place: from `if (k == first_) segments_[k] = ...` compilers make
      // segments_[first_], and registers become memory.
      segment joined = k == 0 ? alone : arithmetic_.append(segments_[k > 0 ? k - 1 : 0], x, weight);
      if (!Whole && k == first_) joined = alone;
      if (enters && (k == 0 || !Whole) && k == first_)
        joined = arithmetic_.start(arithmetic_.advance(entering, x, weight));
      segments_[k] = joined;
    }
  }

  template <bool Whole>
  __device__ void finish(const value_type& left, bool entered) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      row_[k] = arithmetic_.leave(left, segments_[k], arithmetic_.weight_of_columns[k]);
      if (entered) row_[k] = arithmetic_.state(segments_[k]);
    }
    if constexpr (Whole)
      blocks_.write(place_, row_);
    else
      blocks_.write_part(place_, row_, first_, last_);
  }

  const Problem& problem_;
  const Arithmetic& arithmetic_;
  const ColumnBlocks<value_type, K>& blocks_;
  Window<value_type, 2, K + 1> old_;
  Index column_;       ///< the thread's first
  value_type* place_;  ///< of the row there
  int first_;          ///< of its columns in the range
  int last_;           ///< behind those
  bool whole_;         ///< all are, and can be moved at once, in all lanes of the warp
  value_type row_[K];
  value_type left_;  ///< the left neighbour of row_
  segment segments_[K]{};
};

}  // namespace wavescan::Impl

#endif
