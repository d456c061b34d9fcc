// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_COMPENSATED_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_COMPENSATED_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/wavefront/gpu/WaveScan_StripColumns.hpp>
#include <impl/wavefront/gpu/WaveScan_WavefrontSizes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Schedule TileCompensated on GPUs: a warp for each strip of columns.
///
/// The lanes put a row's partial values right by a weighted scan in the warp. The value in a
/// strip's last column goes to the strip on the right through global memory, where the rows' values
/// lie one after another: the receiver loads those of some rows at once, ahead of time.

namespace wavescan::Impl {

/// @brief The arguments of the compensated kernel.
/// @tparam Sizes its member `value` is a CompensatedSizes
template <class Problem, class Sizes>
struct CompensatedKernel {
  static constexpr const char* name = "WaveScan::wavefront::compensated_strips";
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  using Place = gpu::Tagged<value_type>;
  static constexpr int columns = Sizes::value.columns;  ///< of a lane
  static constexpr int ahead = Sizes::value.ahead;  ///< rows by which old values are fetched ahead
  static constexpr int batch = Sizes::value.batch;  ///< rows of which values are received at once
  static constexpr int threads = gpu::warp_size;
  static constexpr int levels = std::bit_width(unsigned(gpu::warp_size)) - 1;
  static_assert(batch <= gpu::warp_size, "a lane receives a row");
  using Arithmetic = RowTraits<Problem, columns>;
  using Weights = LengthWeights<Arithmetic, levels>;

  Problem problem;
  ColumnBlocks<value_type, columns> blocks;
  Arithmetic arithmetic;
  Weights weights;  ///< of numbers of lanes
  gpu::TaskQueue::Launch queue;
  gpu::TaggedWord* sent;  ///< what strips send, row by row
  Index strips;

  static auto function() -> void (*)(CompensatedKernel);
  CompensatedKernel(const Problem& p, const gpu::TaskQueue::Launch& launch, gpu::TaggedWord* words)
      : problem(p),
        blocks(p.grid, p.range.column_begin, p.range.column_end),
        arithmetic(p),
        weights(arithmetic, columns),
        queue(launch),
        sent(words),
        strips(ceil_div(blocks.count, threads)) {}

  static Index tasks(const Block& range) {
    return ceil_div(ceil_div(range.columns(), columns) + 1, threads);
  }
  static gpu::LaunchShape shape(const gpu::Device& exec, const Block& range) {
    return gpu::shape_for_tasks(exec, tasks(range), threads, Sizes::value.warps);
  }
  static std::size_t words(const Block& range) {
    return static_cast<std::size_t>((tasks(range) - 1) * range.rows() * Place::words);
  }
  __device__ std::uint32_t tags() const { return 1; }
};

template <class Kernel>
class CompensatedStrip {
 public:
  using problem_type = typename Kernel::problem_type;
  using value_type = typename Kernel::value_type;
  static constexpr int columns = Kernel::columns;
  static constexpr int batch = Kernel::batch;
  using Old = OldRows<value_type, columns, Kernel::threads, Kernel::ahead>;

  __device__ CompensatedStrip(const Kernel& kernel, const gpu::TaskQueue& queue,
                              typename Old::Shared& shared, Index strip)
      : kernel_(kernel),
        problem_(kernel.problem),
        queue_(queue),
        arithmetic_(gpu::fixed_in_registers(kernel.arithmetic)),
        weights_(gpu::fixed_in_registers(kernel.weights)),
        strip_(strip),
        sends_(gpu::lane() == gpu::warp_size - 1 && strip + 1 < kernel.strips),
        old_(kernel.blocks, shared, problem_.range.row_begin,
             static_cast<int>(strip) * Kernel::threads) {}

  /// @brief Computes the strip; false if the launch is stuck.
  __device__ bool run() {
    const Block& range = problem_.range;
    Columns strip(problem_, arithmetic_, kernel_.blocks,
                  static_cast<int>(strip_) * Kernel::threads + gpu::lane());
#pragma unroll 1
    for (int k = 0; k < Kernel::ahead; ++k) old_.fetch();
    ask(range.row_begin);
    old_.wait();
    gpu::sync_warp();
    strip.start(old_);
    return strip.is_whole() && old_.is_whole() ? compute_rows<true>(strip)
                                               : compute_rows<false>(strip);
  }

 private:
  using Columns = StripColumns<problem_type, columns>;

  template <bool Whole>
  __device__ bool compute_rows(Columns& strip) {
    const Block& range = problem_.range;
    const bool enters = gpu::lane() == 0 && (strip_ > 0 || problem_.has_left(range.column_begin));
    for (Index i = range.row_begin; i < range.row_end; ++i) {
      value_type entering;
      if (!receive(i, entering)) return false;
      old_.wait();
      gpu::sync_warp();
      strip.template compute<Whole>(i, old_, enters, entering);
      old_.template fetch<Whole>();
      const auto joined = gpu::warp_weighted_scan(arithmetic_, strip.whole(), 0, weights_);
      value_type left = gpu::shuffle_up(arithmetic_.state(joined), 1);
      if (gpu::lane() == 0) left = entering;
      strip.template enter<Whole>(left, gpu::lane() == 0);
      send(strip.last());
    }
    old_.wait_for_all();
    gpu::sync_warp();
    return true;
  }

  __device__ gpu::TaggedWord* place(Index strip, Index i) const {
    return kernel_.sent +
           (strip * problem_.range.rows() + i - problem_.range.row_begin) * Kernel::Place::words;
  }
  __device__ std::uint32_t tag() const { return queue_.tag(); }

  __device__ void send(const value_type& value) {
    Kernel::Place::publish_if(sends_, next_sent_, value, tag());
    next_sent_ += Kernel::Place::words;
  }

  __device__ bool receives(Index i) const {
    return gpu::lane() < batch && i + gpu::lane() < problem_.range.row_end;
  }

  /// @brief Starts to load what enters the rows from i on.
  __device__ void ask(Index i) {
    if (strip_ == 0) {
      if (receives(i))
        coming_value_ = problem_.neighbour(i + gpu::lane(), problem_.range.column_begin - 1);
    } else {
      coming_.load_if(receives(i), place(strip_ - 1, i + gpu::lane()));
    }
  }

  /// @brief Waits for what enters row i.
  __device__ bool receive(Index i, value_type& entering) {
    if (++row_ == batch) {
      queue_.heartbeat(last_heartbeat_);
      row_ = 0;
      there_ = 0;
      here_ = coming_;
      here_value_ = coming_value_;
      ask(i + batch);
    }
    if (strip_ == 0) {
      entering = gpu::broadcast(here_value_, row_);
      return true;
    }
    if (!(there_ >> row_ & 1)) {
      const Index first = i - row_;
      const auto ready = [&] {
        there_ = gpu::ballot(here_.has_tag(tag()));
        if (there_ >> row_ & 1) return true;
        here_.load_if(receives(first) && !(there_ >> gpu::lane() & 1),
                      place(strip_ - 1, first + gpu::lane()));
        return false;
      };
      if (!queue_.wait(ready)) return false;
    }
    entering = gpu::broadcast(here_.value(), row_);
    return true;
  }

  const Kernel& kernel_;
  const problem_type& problem_;
  const gpu::TaskQueue& queue_;
  typename Kernel::Arithmetic arithmetic_;
  typename Kernel::Weights weights_;
  Index strip_;
  bool sends_;  ///< the lane's values go to the next strip
  Old old_;
  gpu::TaggedWord* next_sent_ = place(strip_, problem_.range.row_begin);
  int row_ = batch - 1;                          ///< of the batch
  gpu::LaneMask there_ = 0;                      ///< rows of the batch that have come
  typename Kernel::Place::Found here_, coming_;  ///< what enters a batch of rows, and the next one
  value_type here_value_{}, coming_value_{};     ///< the same for the first strip
  std::uint32_t last_heartbeat_ = 0;
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads)
    compensated_strips(WAVESCAN_GRID_CONSTANT const Kernel kernel) {
  using Strip = CompensatedStrip<Kernel>;
  __shared__ typename Strip::Old::Shared shared;
  const gpu::TaskQueue queue(kernel.queue);
  for (Index strip = queue.draw(); strip < kernel.strips; strip = queue.draw())
    if (!Strip(kernel, queue, shared, strip).run()) break;
  if (threadIdx.x == 0) queue.leave(kernel.tags());
}

template <class Problem, class Sizes>
auto CompensatedKernel<Problem, Sizes>::function() -> void (*)(CompensatedKernel) {
  return compensated_strips<CompensatedKernel>;
}

}  // namespace wavescan::Impl

#endif
