// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWEDBAND_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWEDBAND_HPP

#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>
#include <impl/wavefront/gpu/WaveScan_ColumnBlocks.hpp>

#include <type_traits>

/// @file
/// @brief A warp's way along a band of rows, each lane one step behind the lane above it, or two.

namespace wavescan::Impl {

/// @brief A band of the skewed schedule, as the warp sees it that computes it: all in shared
/// memory.
template <class Kernel>
class SkewedBand {
 public:
  using problem_type = typename Kernel::problem_type;
  using value_type = typename Kernel::value_type;
  using Ring = typename Kernel::Ring;
  using Inbox = typename Kernel::Inbox;
  using Inputs = typename Kernel::Inputs;

  /// @param band   number of the band
  /// @param ring   its rows
  /// @param inputs of its entries
  /// @param inbox  of the band
  /// @param outbox of the band below
  __device__ SkewedBand(const Kernel& kernel, const gpu::TaskQueue& queue, int band,
                        const Ring& ring, const Inputs& inputs, Inbox& inbox, Inbox& outbox)
      : kernel_(kernel),
        problem_(kernel.problem),
        queue_(queue),
        lane_(gpu::lane() < lanes ? gpu::lane() : last_lane),
        row_(kernel.first_row(band) + lane_ * rows),
        width_(kernel.width()),
        alone_(problem_.has_left(problem_.range.column_begin) ? -1 : kernel.blocks.lead),
        here_(gpu::lane() < lanes ? Kernel::rows_from(row_, problem_.range.row_end, rows) : 0),
        ring_(ring),
        inputs_(inputs),
        inbox_(inbox),
        outbox_(outbox) {
    const Index before = problem_.range.column_begin - 1;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      left_[r] = r < here_ ? problem_.neighbour(row_ + r, before) : value_type();
    up_left_ = here_ > 0 ? problem_.neighbour(row_ - 1, before) : value_type();
    if constexpr (up_right) {
      ends_.up_left = up_left_;
      const bool below = here_ > 0 && before >= 0 && row_ + 1 < problem_.grid.rows;
      ends_.down_left = below ? problem_.grid(row_ + 1, before) : value_type();
      const Index after = problem_.range.column_end;
      ends_.up_right = here_ > 0 ? problem_.neighbour(row_ - 1, after) : value_type();
    }
  }

  /// @brief Computes the band; false if the launch is stuck.
  __device__ bool run() {
    inputs_.fetch();
    await_inputs();
#pragma unroll
    for (int r = 0; r < rows; ++r) next_inputs_[r] = inputs_.values(0, r, lane_);
    look(0);
    if (!ready(0)) return false;
#pragma unroll
    for (int r = 0; r <= rows; ++r)
#pragma unroll
      for (int k = 0; k < kept; ++k) old_[r][k] = old_value(r, k + first_kept - lag * lane_);
    // Of lane 0; others get theirs from the lane above before they are in the range.
    if constexpr (up_right) up_ = inbox_.value(0);
    const bool full = !gpu::any(gpu::lane() < lanes && here_ < rows);
    const int end = width_ + behind;
    for (int step = 0; step < end; step += steps_at_once) {
      if (step > 0 && !ready(step)) return false;
      inbox_.taken.publish(step);
      if (step % Inputs::chunk == 0) inputs_.fetch();
      // The last step before a chunk reads that chunk's first inputs.
      if ((step + steps_at_once) % Inputs::chunk == 0) await_inputs();
      if (!full)
        run_steps<true, true>(step);
      else if (step - behind <= kernel_.blocks.lead || step + needed_above > width_)
        run_steps<false, true>(step);
      else
        run_steps<false, false>(step);
      const int done = step + steps_at_once - behind;
      outbox_.sent.publish(done < width_ ? done : width_);
    }
    await_inputs();  // of nobody, into memory that others use next
    return true;
  }

 private:
  static constexpr int rows = Kernel::rows;
  static constexpr int lanes = Kernel::lanes;
  static constexpr int last_lane = lanes - 1;
  static constexpr int steps_at_once = Kernel::steps_at_once;
  static constexpr int behind = Kernel::behind;
  static constexpr bool up_right = problem_type::up_right;
  static constexpr int lag = problem_type::lag;
  /// Columns of the row above that some steps need, from the first step's own on.
  static constexpr int needed_above = steps_at_once + lag - 1;
  /// Columns by which old values are loaded to registers before they are needed.
  static constexpr int loaded_ahead = 2;
  /// The first column of which they are kept: the lower left one may be asked for, too.
  static constexpr int first_kept = 1 - lag;
  static constexpr int kept = loaded_ahead - first_kept;

  /// @brief An old value of one of the lane's rows, or of the one below them. Lanes that are not
  /// yet in the range, or no longer, get anything, which tools take for a race.
  __device__ __forceinline__ value_type old_value(int r, int column) const {
    if constexpr (gpu::shows_flags)
      if (column < 0 || column > width_) return value_type();
    return ring_.entry(lane_ * rows + r, column);
  }

  /// @brief Waits for all inputs that are under way.
  static __device__ __forceinline__ void await_inputs() {
    if constexpr (Inputs::fetched()) {
      gpu::wait_for_async_copies<0>();
      gpu::sync_warp();
    }
  }

  /// @brief Loads how far the others are, and the first value that comes from above for the steps
  /// from `step` on.
  __device__ __forceinline__ void look(int step) {
    fetched_ = inbox_.fetched.look();
    sent_ = inbox_.sent.look();
    taken_ = outbox_.taken.look();
    gpu::sync_warp();  // the value is loaded after the numbers
    // Perhaps it is not there yet, and what is loaded is never used: tools could not know.
    if constexpr (!gpu::shows_flags) above_ = inbox_.value(step + lag - 1);
  }
  /// @brief Waits until some steps from `step` on can be computed: the last look may have told so.
  /// False if the launch is stuck.
  __device__ __forceinline__ bool ready(int step) {
    const int end = step + steps_at_once;
    const int sent = step + needed_above < width_ ? step + needed_above : width_;
    const auto missing = [&] {
      return gpu::any(fetched_ < end + loaded_ahead || sent_ < sent ||
                      taken_ < end - behind - Inbox::room);
    };
    const auto there = [&] {
      look(step);
      return !missing();
    };
    if (missing() && !queue_.wait(there, gpu::Backoff::None)) return false;
    inbox_.fetched.rely_on(end + loaded_ahead);
    inbox_.sent.rely_on(sent);
    outbox_.taken.rely_on(end - behind - Inbox::room);
    if constexpr (gpu::shows_flags) above_ = inbox_.value(step + lag - 1);
    return true;
  }

  /// @tparam RowsEnd    some of the band's rows may be outside of the range
  /// @tparam ColumnsEnd some of the columns may, or have no left neighbours
  template <bool RowsEnd, bool ColumnsEnd>
  __device__ void run_steps(int first_step) {
#pragma unroll
    for (int k = 0; k < steps_at_once; ++k) {
      const value_type above = above_;
      if (k + 1 < steps_at_once)
        above_ = inbox_.value(first_step + k + lag);
      else  // early, so that it is known by then what the next steps need
        look(first_step + steps_at_once);
      const int column = first_step + k - lag * lane_;
      value_type coming[rows + 1];
#pragma unroll
      for (int r = 0; r <= rows; ++r) coming[r] = old_value(r, column + loaded_ahead);
      typename Inputs::Values inputs[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        inputs[r] = next_inputs_[r];
        next_inputs_[r] = inputs_.values(first_step + k + 1, r, lane_);
      }
      const value_type value =
          run_column<RowsEnd, ColumnsEnd>(column, gpu::lane() == 0 ? above : handed_, inputs);
      handed_ = gpu::shuffle_up(value, 1);
#pragma unroll
      for (int r = 0; r <= rows; ++r) {
#pragma unroll
        for (int c = 1; c < kept; ++c) old_[r][c - 1] = old_[r][c];
        old_[r][kept - 1] = coming[r];
      }
      gpu::sync_warp();
    }
  }

  /// @brief Computes the lane's entries of a column; returns the lowest one.
  ///
  /// Lanes whose column is outside of the range compute the nearest one in it, and keep nothing of
  /// that: a branch around them would take longer, and all bands wait for the steps at the ends.
  /// With inputs there is that branch, because those of the nearest column are not at hand.
  /// @param next what comes from above: the upper neighbour, or the upper right one
  template <bool RowsEnd, bool ColumnsEnd>
  __device__ __forceinline__ value_type run_column(int column, value_type next,
                                                   const typename Inputs::Values (&inputs)[rows]) {
    const int first = kernel_.blocks.lead, last = width_ - 1;
    const int nearest = !ColumnsEnd      ? column
                        : column < first ? first
                        : column > last  ? last
                                         : column;
    const bool there =
        (lanes == gpu::warp_size || gpu::lane() < lanes) && (!ColumnsEnd || column == nearest);
    typename problem_type::Above above = take<ColumnsEnd>(column, there, next);
    if constexpr (Inputs::count > 0)
      if (!there) return next;
    const Index j = kernel_.blocks.origin + nearest;
    Window<value_type, rows + 1, kept> old(problem_.grid);
    old.row = row_;
    old.column = j + first_kept;
#pragma unroll
    for (int r = 0; r <= rows; ++r)
#pragma unroll
      for (int c = 0; c < kept; ++c) old.value[r][c] = old_[r][c];
    if constexpr (up_right && ColumnsEnd)
      if (column == first) old.value[rows][0] = ends_.down_left;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (RowsEnd && r >= here_) break;
      const value_type x = problem_.partial(row_ + r, j, above, old, inputs[r]);
      above.up_left = left_[r];
      above.up = problem_.advance(above.up_left, x, row_ + r, j, inputs[r]);
      if (ColumnsEnd && column == alone_) above.up = x;
      if (there) {
        left_[r] = above.up;
        ring_.entry(lane_ * rows + r, column) = above.up;
      }
    }
    if (there && gpu::lane() == last_lane) outbox_.value(column) = above.up;
    return above.up;
  }

  /// @brief The neighbours above the lane's first row, the last of which has just come.
  template <bool ColumnsEnd>
  __device__ __forceinline__ typename problem_type::Above take(int column, bool there,
                                                               const value_type& next) {
    if constexpr (up_right) {
      typename problem_type::Above above{up_left_, up_, next};
      if (ColumnsEnd && column == kernel_.blocks.lead) above.up_left = ends_.up_left;
      if (ColumnsEnd && column == width_ - 1) above.up_right = ends_.up_right;
      up_left_ = up_;
      up_ = next;
      return above;
    } else {
      const typename problem_type::Above above{up_left_, next};
      if (there) up_left_ = next;
      return above;
    }
  }

  const Kernel& kernel_;
  const problem_type& problem_;
  const gpu::TaskQueue& queue_;
  int lane_;   ///< whose rows are looked at
  Index row_;  ///< its first
  int width_;  ///< columns, from the origin of the blocks on
  int alone_;  ///< the column without left neighbours, or -1
  int here_;   ///< how many of the lane's rows there are
  Ring ring_;
  Inputs inputs_;
  Inbox& inbox_;
  Inbox& outbox_;

  int fetched_, sent_, taken_;      ///< how far the others were at the last look
  value_type above_;                ///< what lane 0 gets from the band above at the next step
  value_type handed_{};             ///< what the lane above computed last
  value_type up_left_;              ///< the entry above the left neighbour
  value_type left_[rows];           ///< left neighbours
  value_type old_[rows + 1][kept];  ///< old values of the rows, here and to the right
  typename Inputs::Values next_inputs_[rows];  ///< of the next step

  struct Nothing {};
  /// The neighbours beyond the range's ends, for a lane's row.
  struct Ends {
    value_type up_left, up_right, down_left;
  };
  [[no_unique_address]] std::conditional_t<up_right, value_type, Nothing> up_{};
  [[no_unique_address]] std::conditional_t<up_right, Ends, Nothing> ends_{};
};

}  // namespace wavescan::Impl

#endif
