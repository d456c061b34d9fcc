// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWEDBAND_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWEDBAND_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Wavefront_Gpu_BandRing.hpp>
#include <impl/WaveScan_Wavefront_Gpu_HandOver.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Window.hpp>
#include <impl/WaveScan_Wavefront_Problem.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief A warp's way along a band of rows, each lane one step behind the lane above it.

namespace wavescan::Impl {

/// @brief A band of the skewed schedule, which a warp computes.
template <class Kernel>
class SkewedBand {
 public:
  using problem_type = typename Kernel::problem_type;
  using value_type = typename Kernel::value_type;
  using Ring = typename Kernel::Ring;
  using Row = typename Kernel::Row;
  static constexpr int rows = Kernel::rows;
  static constexpr int lanes = Kernel::lanes;
  static constexpr int last_lane = lanes - 1;
  static constexpr int steps_at_once = Kernel::steps_at_once;
  using Above = RowAbove<problem_type, Row, steps_at_once>;
  using Below = RowBelow<value_type, Row>;

  /// @param memory of the block
  /// @param group  of the block's bands
  __device__ SkewedBand(const Kernel& kernel, const Turns& turns, unsigned char* memory, int group)
      : kernel_(kernel),
        problem_(kernel.problem),
        turns_(turns),
        band_(group * gpu::warps() + gpu::warp()),
        lane_(gpu::lane() < lanes ? gpu::lane() : last_lane),
        row_(problem_.range.row_begin + Index(band_) * Kernel::band_rows + lane_ * rows),
        width_(static_cast<int>(problem_.range.column_end - kernel.blocks.origin)),
        alone_(problem_.has_left(problem_.range.column_begin) ? -1 : kernel.blocks.lead),
        here_(gpu::lane() < lanes ? rows_from(row_, problem_.range.row_end, rows) : 0),
        ring_(kernel.blocks, memory + static_cast<std::size_t>(gpu::warp()) * Ring::bytes,
              first_row(), rows_from(first_row(), problem_.range.row_end, Kernel::band_rows),
              rows_from(first_row(), rows_read(), Kernel::band_rows + 1)),
        above_(problem_, turns, source(memory, group), kernel.blocks.origin, width_),
        below_(turns, handed_over(memory, gpu::warp() + 1), target(group), width_) {
    const Index before = problem_.range.column_begin - 1;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      left_[r] = r < here_ ? problem_.neighbour(row_ + r, before) : value_type();
    up_left_ = here_ > 0 ? problem_.neighbour(row_ - 1, before) : value_type();
  }

  /// @brief What a warp and the one above hand over to each other.
  static __device__ Row& handed_over(unsigned char* memory, int warp) {
    return reinterpret_cast<Row*>(memory +
                                  static_cast<std::size_t>(gpu::warps()) * Ring::bytes)[warp];
  }

  /// @brief Computes the band; false if the launch is stuck.
  __device__ bool run() {
    for (int k = 0; k < ahead; ++k) fetch(k);
    ring_.template wait<ahead - 1>();
#pragma unroll
    for (int r = 0; r <= rows; ++r) {
      old_[r][0] = ring_.entry(lane_ * rows + r, -lane_);
      old_[r][1] = ring_.entry(lane_ * rows + r, 1 - lane_);
    }
    const bool full = !gpu::any(gpu::lane() < lanes && here_ < rows);
    const int chunks = (width_ + Kernel::chunk - 1) / Kernel::chunk;
    for (int chunk = 0; chunk < chunks + lag; ++chunk) {
      if (chunk >= lag) {
        ring_.write();
        gpu::sync_warp();
      }
      fetch(chunk + ahead);
      const int first_step = chunk * Kernel::chunk;
      for (int step = first_step; step < first_step + Kernel::chunk; step += steps_at_once) {
        if (step >= width_ + last_lane) break;
        // A step reads the columns two steps ahead, which soon are the next chunk's.
        if (step == first_step + Kernel::chunk - steps_at_once) ring_.template wait<ahead - 1>();
        const int done = step + steps_at_once - last_lane;
        if (!above_.receive(step, row_above_) || !below_.template wait_for_room<Ring::pitch>(done))
          return false;
        if (!full)
          run_steps<true, true>(step);
        else if (step - last_lane <= kernel_.blocks.lead || step + steps_at_once > width_)
          run_steps<false, true>(step);
        else
          run_steps<false, false>(step);
        below_.template send<steps_at_once>(done);
      }
      if (gpu::lane() == 0 && chunk % 32 == 0) turns_.beat();
    }
    gpu::wait_for_async_copies<0>();
    return true;
  }

 private:
  /// Chunks after which the last lane is done with one.
  static constexpr int lag = 1 + (lanes + Kernel::chunk - 2) / Kernel::chunk;
  /// Chunks that are fetched ahead.
  static constexpr int ahead = Ring::pitch / Kernel::chunk - lag;
  static_assert(ahead > 0);

  /// @brief Starts to copy a chunk of the band, and of the row above if that is not computed.
  __device__ void fetch(int chunk) {
    above_.template fetch<typename Kernel::Blocks, Kernel::chunk>(chunk * Kernel::chunk);
    ring_.fetch();
  }

  /// @tparam RowsEnd    some of the band's rows may be outside of the range
  /// @tparam ColumnsEnd some of the columns may, or have no left neighbours
  template <bool RowsEnd, bool ColumnsEnd>
  __device__ void run_steps(int first_step) {
#pragma unroll
    for (int k = 0; k < steps_at_once; ++k) {
      const value_type above = gpu::broadcast(row_above_, k);
      const int column = first_step + k - lane_;
      value_type coming[rows + 1];
#pragma unroll
      for (int r = 0; r <= rows; ++r) coming[r] = ring_.entry(lane_ * rows + r, column + 2);
      const value_type value =
          run_column<RowsEnd, ColumnsEnd>(column, gpu::lane() == 0 ? above : handed_);
      handed_ = gpu::shuffle_up(value, 1);
#pragma unroll
      for (int r = 0; r <= rows; ++r) {
        old_[r][0] = old_[r][1];
        old_[r][1] = coming[r];
      }
      gpu::sync_warp();
    }
  }

  /// @brief Computes the lane's entries of a column; returns the lowest one.
  ///
  /// Lanes whose column is outside of the range compute the nearest one in it, and keep nothing of
  /// that: a branch around them would take longer, and all bands wait for the steps at the ends.
  template <bool RowsEnd, bool ColumnsEnd>
  __device__ __forceinline__ value_type run_column(int column, value_type up) {
    const int first = kernel_.blocks.lead, last = width_ - 1;
    const int nearest = !ColumnsEnd      ? column
                        : column < first ? first
                        : column > last  ? last
                                         : column;
    const bool there =
        (lanes == gpu::warp_size || gpu::lane() < lanes) && (!ColumnsEnd || column == nearest);
    const Index j = kernel_.blocks.origin + nearest;
    Window<value_type, rows + 1, 2> old(problem_.grid);
    old.row = row_;
    old.column = j;
#pragma unroll
    for (int r = 0; r <= rows; ++r) {
      old.value[r][0] = old_[r][0];
      old.value[r][1] = old_[r][1];
    }
    value_type up_left = up_left_;
    if (there) up_left_ = up;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (RowsEnd && r >= here_) break;
      const value_type x = problem_.partial(row_ + r, j, up, up_left, old);
      up_left = left_[r];
      up = problem_.recurrence.advance(up_left, x, row_ + r, j);
      if (ColumnsEnd && column == alone_) up = x;
      if (there) {
        left_[r] = up;
        ring_.entry(lane_ * rows + r, column) = up;
      }
    }
    if (there && gpu::lane() == last_lane) below_.value(column) = up;
    return up;
  }

  __device__ Index first_row() const { return row_ - lane_ * rows; }
  /// @brief Rows whose old values may be read: those of the range, and the next one.
  __device__ Index rows_read() const {
    return problem_.range.row_end + (problem_.range.row_end < problem_.grid.rows ? 1 : 0);
  }
  /// @brief Rows from `first` on up to `end`, at most `most`.
  static __device__ int rows_from(Index first, Index end, int most) {
    return first >= end ? 0 : static_cast<int>(end - first < most ? end - first : most);
  }

  __device__ typename Above::Source source(unsigned char* memory, int group) const {
    Row* const inbox = &handed_over(memory, gpu::warp());
    if (gpu::warp() > 0) return {Above::From::Warp, inbox, nullptr, 0};
    if (group > 0) return {Above::From::Block, nullptr, kernel_.sent(group - 1), tag(group - 1)};
    return {Above::From::Grid, inbox, nullptr, 0};
  }
  __device__ typename Below::Target target(int group) const {
    const bool wanted = band_ + 1 < kernel_.bands;
    const bool in_block = gpu::warp() + 1 < gpu::warps();
    return {wanted && in_block, wanted && !in_block ? kernel_.sent(group) : nullptr, tag(group)};
  }
  __device__ std::uint32_t tag(int group) const {
    return turns_.epoch() + 1 + static_cast<std::uint32_t>(group);
  }

  const Kernel& kernel_;
  const problem_type& problem_;
  const Turns& turns_;
  int band_;
  int lane_;   ///< whose rows are looked at
  Index row_;  ///< its first
  int width_;  ///< columns, from the origin of the blocks on
  int alone_;  ///< the column without left neighbours, or -1
  int here_;   ///< how many of the lane's rows there are
  Ring ring_;
  Above above_;
  Below below_;

  value_type row_above_{};       ///< lane k: the row above the band, at the k-th of some steps
  value_type handed_{};          ///< what the lane above computed last
  value_type up_left_;           ///< the entry above the left neighbour
  value_type left_[rows];        ///< left neighbours
  value_type old_[rows + 1][2];  ///< old values of the rows, here and to the right
};

}  // namespace wavescan::Impl

#endif
