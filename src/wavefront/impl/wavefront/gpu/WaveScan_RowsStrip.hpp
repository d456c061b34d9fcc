// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_ROWSSTRIP_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_ROWSSTRIP_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/wavefront/gpu/WaveScan_StripColumns.hpp>
#include <impl/wavefront/gpu/WaveScan_WavefrontSizes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Schedule RowSweep on GPUs: row after row by the whole device, a block for each strip of
/// columns.
///
/// A row is a weighted scan over the strips. Each sends the segment of its part of the row, and the
/// value in its last column when it knows that. What enters a strip's row follows from the segments
/// of the strips since the nearest one that has sent its value: so rows, however long, do not wait
/// for a chain from strip to strip. The next row needs what is above it, and that stays in the
/// block's registers.

namespace wavescan::Impl {

/// @brief The arguments of the row sweep's kernel.
/// @tparam Sizes its member `value` is a RowSizes
template <class Problem, class Sizes>
struct RowsKernel {
  static constexpr const char* name = "WaveScan::wavefront::row_strips";
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  static constexpr int columns = Sizes::value.columns;  ///< of a thread
  static constexpr int warps = Sizes::value.warps;      ///< of a block
  static constexpr int ahead = Sizes::value.ahead;  ///< rows by which old values are fetched ahead
  static constexpr int threads = warps * gpu::warp_size;
  using Arithmetic = RowTraits<Problem, columns>;
  using SegmentPlace = gpu::Tagged<typename Arithmetic::segment>;
  using ValuePlace = gpu::Tagged<value_type>;
  template <int Numbers>
  using Weights = LengthWeights<Arithmetic, std::bit_width(unsigned(Numbers)) - 1>;
  using LaneWeights = Weights<gpu::warp_size>;

  Problem problem;
  ColumnBlocks<value_type, columns> blocks;
  Arithmetic arithmetic;
  LaneWeights lane_weights;               ///< of numbers of lanes
  Weights<warps> warp_weights;            ///< of numbers of warps
  Weights<gpu::warp_size> strip_weights;  ///< of numbers of strips
  gpu::TaskQueue::Launch queue;
  gpu::TaggedWord* sent_segments;  ///< of a row's strips, row by row
  gpu::TaggedWord* sent_values;    ///< the same
  Index strips;

  static auto function() -> void (*)(RowsKernel);
  RowsKernel(const Problem& p, const gpu::TaskQueue::Launch& launch, gpu::TaggedWord* words)
      : problem(p),
        blocks(p.grid, p.range.column_begin, p.range.column_end),
        arithmetic(p),
        lane_weights(arithmetic, columns),
        warp_weights(arithmetic, columns * gpu::warp_size),
        strip_weights(arithmetic, columns * threads),
        queue(launch),
        sent_segments(words),
        sent_values(words + p.range.rows() * tasks(p.range) * SegmentPlace::words),
        strips(ceil_div(blocks.count, threads)) {}

  static Index tasks(const Block& range) {
    return ceil_div(ceil_div(range.columns(), columns) + 1, threads);
  }
  static gpu::LaunchShape shape(const gpu::Device& exec, const Block& range) {
    return gpu::shape_for_tasks(exec, tasks(range), threads, Sizes::value.blocks);
  }
  static std::size_t words(const Block& range) {
    return static_cast<std::size_t>(range.rows() * tasks(range) *
                                    (SegmentPlace::words + ValuePlace::words));
  }
  __device__ std::uint32_t tags() const { return 1; }
};

template <class Kernel>
class RowsStrip {
 public:
  using problem_type = typename Kernel::problem_type;
  using value_type = typename Kernel::value_type;
  using segment = typename Kernel::Arithmetic::segment;
  static constexpr int columns = Kernel::columns;
  using Old = OldRows<value_type, columns, Kernel::threads, Kernel::ahead>;

  /// @brief Shared memory of a block.
  struct Shared {
    typename Old::Shared old;
    alignas(16) unsigned char segments[Kernel::warps][sizeof(segment)];
    alignas(16) unsigned char entering[sizeof(value_type)];
    bool stuck;

    __device__ segment& segment_of(int warp) { return *reinterpret_cast<segment*>(segments[warp]); }
    __device__ value_type& entering_value() { return *reinterpret_cast<value_type*>(entering); }
  };

  __device__ RowsStrip(const Kernel& kernel, const gpu::TaskQueue& queue, Shared& shared,
                       Index strip)
      : kernel_(kernel),
        problem_(kernel.problem),
        arithmetic_(gpu::fixed_in_registers(kernel.arithmetic)),
        lane_weights_(gpu::fixed_in_registers(kernel.lane_weights)),
        queue_(queue),
        shared_(shared),
        strip_(strip),
        old_(kernel.blocks, shared.old, problem_.range.row_begin,
             static_cast<int>(strip) * Kernel::threads),
        lane_weight_(kernel.lane_weights.of(arithmetic_, gpu::lane())),
        warp_weight_(kernel.warp_weights.of(arithmetic_, gpu::warp())) {}

  /// @brief Computes the strip; false if the launch is stuck.
  __device__ bool run() {
    const Block& range = problem_.range;
    StripColumns<problem_type, columns> strip(
        problem_, arithmetic_, kernel_.blocks,
        static_cast<int>(strip_) * Kernel::threads + static_cast<int>(threadIdx.x));
    for (int k = 0; k < Kernel::ahead; ++k) old_.fetch();
    old_.wait();
    __syncthreads();
    strip.start(old_);
    __syncthreads();  // threads read what their neighbours fetch anew
    // The first strip knows at once what enters it.
    const bool first = strip_ == 0 && threadIdx.x == 0;
    const bool enters = first && problem_.has_left(range.column_begin);
    value_type entering{};
    if (first) entering = problem_.neighbour(range.row_begin, range.column_begin - 1);
    for (Index i = range.row_begin; i < range.row_end; ++i) {
      strip.compute(i, old_, enters, entering);
      old_.fetch();
      value_type next_entering{};
      if (first && i + 1 < range.row_end)
        next_entering = problem_.neighbour(i + 1, range.column_begin - 1);
      const segment joined = gpu::warp_weighted_scan(arithmetic_, strip.whole(), 0, lane_weights_);
      const segment before_lane = gpu::shuffle_up(joined, 1);
      if (gpu::lane() == gpu::warp_size - 1) shared_.segment_of(gpu::warp()) = joined;
      old_.wait();
      __syncthreads();
      const segment before_warp = join_warps(gpu::warp());
      if (gpu::warp() == 0) look_back(i);
      __syncthreads();
      if (shared_.stuck) return false;
      value_type left = left_of(before_warp, before_lane);
      if (first) left = entering;
      strip.enter(left, first);
      entering = next_entering;
    }
    old_.wait_for_all();
    __syncthreads();
    return true;
  }

  /// @brief The segment of the first `count` warps; any segment if there are none.
  __device__ segment join_warps(int count) const {
    segment sum = shared_.segment_of(0);
    for (int w = 1; w < count; ++w)
      sum = arithmetic_.join(sum, shared_.segment_of(w), kernel_.warp_weights[0]);
    return sum;
  }

  /// @brief The left neighbour of the thread's columns; of all but the very first thread.
  __device__ value_type left_of(const segment& before_warp, const segment& before_lane) const {
    value_type s = shared_.entering_value();
    if (strip_ == 0)  // its segments have in them what enters
      s = arithmetic_.state(before_warp);
    else if (gpu::warp() > 0)
      s = arithmetic_.leave(s, before_warp, warp_weight_);
    const value_type left = arithmetic_.leave(s, before_lane, lane_weight_);
    if (strip_ == 0 && gpu::warp() == 0) return arithmetic_.state(before_lane);
    if (gpu::lane() == 0) return s;
    return left;
  }

  /// @brief Finds what enters row i of the strip and sends what leaves it: the first warp's work.
  __device__ void look_back(Index i) {
    queue_.heartbeat(last_heartbeat_);
    const segment all = join_warps(Kernel::warps);
    const bool sends = gpu::lane() == 0 && strip_ + 1 < kernel_.strips;
    if (strip_ == 0) {
      if (sends) publish_value(i, arithmetic_.state(all));
      return;
    }
    if (sends) Kernel::SegmentPlace::publish(segment_place(strip_, i), all, tag());
    value_type s;
    if (!join_strips(i, s)) {
      shared_.stuck = true;
      return;
    }
    if (sends) publish_value(i, arithmetic_.leave(s, all, kernel_.strip_weights[0]));
    if (gpu::lane() == 0) shared_.entering_value() = s;
  }

  /// @brief Loads what strips before this one have sent of row i; lane k looks at the k-th one
  /// before.
  /// @param again only what has not been found yet
  __device__ void look(Index i, bool again) {
    const Index source = strip_ - 1 - gpu::lane();
    segment_.load_if(source >= 0 && !(again && segment_.has_tag(tag())), segment_place(source, i));
    value_.load_if(source >= 0 && !(again && value_.has_tag(tag())), value_place(source, i));
  }

  /// @brief Finds the value that enters row i of the strip. The first look was a row before: where
  /// strips are far enough behind each other it finds all, and nobody waits for the memory.
  __device__ bool join_strips(Index i, value_type& s) {
    int nearest = 0;  // lane whose strip has sent its value
    const auto found = [&] {
      const auto values = gpu::ballot(value_.has_tag(tag()));
      if (values == 0) return false;
      nearest = gpu::lowest_lane(values);
      return !gpu::any(gpu::lane() < nearest && !segment_.has_tag(tag()));
    };
    const auto ready = [&] {
      if (found()) return true;
      look(i, true);
      return false;
    };
    if (!queue_.wait(ready)) return false;
    segment sum = segment_.value();
    if (gpu::lane() == nearest) sum = arithmetic_.start(value_.value());
    if (i + 1 < problem_.range.row_end) look(i + 1, false);
    // Lane 0's strip is the last one, and what is earlier lies in higher lanes.
    sum = gpu::warp_reduce_to_first(
        sum, nearest, [&](const segment& own, const segment& earlier, int j) {
          return arithmetic_.join(earlier, own, kernel_.strip_weights[j]);
        });
    s = gpu::broadcast(arithmetic_.state(sum), 0);
    return true;
  }

  __device__ gpu::TaggedWord* segment_place(Index strip, Index i) const {
    return kernel_.sent_segments + place(strip, i) * Kernel::SegmentPlace::words;
  }
  __device__ gpu::TaggedWord* value_place(Index strip, Index i) const {
    return kernel_.sent_values + place(strip, i) * Kernel::ValuePlace::words;
  }
  __device__ Index place(Index strip, Index i) const {
    return (i - problem_.range.row_begin) * kernel_.strips + strip;
  }
  __device__ std::uint32_t tag() const { return queue_.tag(); }
  __device__ void publish_value(Index i, const value_type& value) const {
    Kernel::ValuePlace::publish(value_place(strip_, i), value, tag());
  }

  const Kernel& kernel_;
  const problem_type& problem_;
  typename Kernel::Arithmetic arithmetic_;
  typename Kernel::LaneWeights lane_weights_;
  const gpu::TaskQueue& queue_;
  Shared& shared_;
  Index strip_;
  Old old_;
  typename Kernel::Arithmetic::weight_type lane_weight_;  ///< of the lanes before
  typename Kernel::Arithmetic::weight_type warp_weight_;  ///< of the warps before
  typename Kernel::SegmentPlace::Found segment_;  ///< what the first warp found of the next row
  typename Kernel::ValuePlace::Found value_;
  std::uint32_t last_heartbeat_ = 0;
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads)
    row_strips(WAVESCAN_GRID_CONSTANT const Kernel kernel) {
  __shared__ typename RowsStrip<Kernel>::Shared shared;
  __shared__ Index drawn;
  const gpu::TaskQueue queue(kernel.queue);
  if (threadIdx.x == 0) shared.stuck = false;
  while (true) {
    if (gpu::warp() == 0) {
      const Index strip = queue.draw();
      if (gpu::lane() == 0) drawn = strip;
    }
    __syncthreads();
    const Index strip = drawn;
    __syncthreads();
    if (strip >= kernel.strips || !RowsStrip<Kernel>(kernel, queue, shared, strip).run()) break;
  }
  if (threadIdx.x == 0) queue.leave(kernel.tags());
}

template <class Problem, class Sizes>
auto RowsKernel<Problem, Sizes>::function() -> void (*)(RowsKernel) {
  return row_strips<RowsKernel>;
}

}  // namespace wavescan::Impl

#endif
