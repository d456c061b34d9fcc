// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_LINEREDUCTION_HPP
#define WAVESCAN_IMPL_SCAN_GPU_LINEREDUCTION_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Gpu_BlockScan.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/gpu/WaveScan_GpuScan.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief The last states of few long lines on a GPU, at the speed at which memory is read.
///
/// A line is divided into equal parts, one for each of its blocks. Lanes next to each other take
/// elements next to each other, so a thread has every 256th of its block's part: its segment goes
/// on to the next one by the weight of so many elements, and threads' segments are joined by the
/// weight of one. That changes the order of what is joined, so the operator has to commute. A
/// second kernel joins the parts. What is before a line's first element, because parts are equal,
/// counts as identities: weights would change what is put after its last one.

namespace wavescan::Impl {

struct LineReductionTuning {
  static constexpr int threads = 256;
  static constexpr int warps = threads / gpu::warp_size;
  static constexpr int loads = 16;  ///< of a thread at once
  static constexpr Index chunk = Index(threads) * loads;
  static constexpr Index shortest = Index(1) << 18;  ///< below it a scan is as fast
};

/// @brief Partition of lines into parts, and the memory of the parts' segments.
template <class Segment>
struct LineParts {
  Index length = 0;     ///< of a part: a multiple of a chunk
  int count = 0;        ///< parts of a line: a multiple of a warp's lanes
  Segment* segments{};  ///< (line, part)
};

template <class P>
struct LineReductionWeights {
  typename P::weight_type step;    ///< of as many elements as threads
  LengthWeights<P, 6> lane, warp;  ///< of one element, of a warp's
  typename P::weight_type part;    ///< of a part
  LengthWeights<P, 6> parts;       ///< of a lane's parts

  LineReductionWeights(const P& traits, Index part_length, int part_count)
      : step(traits.weight_of(LineReductionTuning::threads)),
        lane(traits, 1),
        warp(traits, gpu::warp_size),
        part(traits.weight_of(part_length)),
        parts(traits, part_length * (part_count / gpu::warp_size)) {}
};

template <class P, class Source>
__global__ void __launch_bounds__(LineReductionTuning::threads)
    reduce_parts(const WAVESCAN_GRID_CONSTANT Source source, Index length, const P traits,
                 const LineParts<typename P::segment> parts,
                 const WAVESCAN_GRID_CONSTANT LineReductionWeights<P> weights) {
  using Tuning = LineReductionTuning;
  using segment = typename P::segment;
  using value_type = typename P::value_type;
  const Index line = Index(blockIdx.x) / parts.count;
  const Index part = Index(blockIdx.x) - line * parts.count;
  const Index end = length - (parts.count - 1 - part) * parts.length;
  segment sum = traits.identity();
  for (Index first = end - parts.length + Index(threadIdx.x); first < end; first += Tuning::chunk) {
    value_type x[Tuning::loads];
#pragma unroll
    for (int i = 0; i < Tuning::loads; ++i) {
      const Index j = first + i * Tuning::threads;
      x[i] = j >= 0 ? static_cast<value_type>(source(line, j)) : traits.state(traits.identity());
    }
#pragma unroll
    for (int i = 0; i < Tuning::loads; ++i) sum = traits.join(sum, x[i], weights.step);
  }
  __shared__ segment totals[Tuning::warps];
  const auto join = [&](const segment& a, const segment& b, int j) {
    return traits.join(a, b, weights.lane[j]);
  };
  sum = gpu::warp_reduce_to_first(sum, gpu::warp_size - 1, join);
  if (gpu::lane() == 0) totals[gpu::warp()] = sum;
  __syncthreads();
  if (gpu::warp() > 0) return;
  const gpu::BlockScan<P, Tuning::warps> all(traits, totals, 0, weights.warp);
  const segment total = all.total();
  if (threadIdx.x == 0) parts.segments[blockIdx.x] = total;
}

template <class P>
__global__ void __launch_bounds__(gpu::warp_size)
    join_parts(const P traits, const LineParts<typename P::segment> parts,
               const Lines<typename P::value_type> states,
               const WAVESCAN_GRID_CONSTANT LineReductionWeights<P> weights) {
  using segment = typename P::segment;
  const int own = parts.count / gpu::warp_size;
  const segment* const first =
      parts.segments + Index(blockIdx.x) * parts.count + Index(gpu::lane()) * own;
  segment sum = first[0];
  for (int k = 1; k < own; ++k) sum = traits.join(sum, first[k], weights.part);
  sum = gpu::warp_reduce_to_first(sum, gpu::warp_size - 1,
                                  [&](const segment& a, const segment& b, int j) {
                                    return traits.join(a, b, weights.parts[j]);
                                  });
  if (gpu::lane() == 0) states(Index(blockIdx.x), 0) = traits.state(sum);
}

/// @brief Whether lines of a recurrence can be reduced in any order.
template <class Recurrence>
inline constexpr bool gpu_reducible = false;
template <class Recurrence>
  requires gpu_scannable<Recurrence>
inline constexpr bool gpu_reducible<Recurrence> =
    ScanTraits<Recurrence>::streams == 1 && !ScanTraits<Recurrence>::ordered &&
    std::is_trivially_default_constructible_v<typename ScanTraits<Recurrence>::segment>;

/// @brief The launches for lines of one size, and the memory that they need.
template <class Value>
class GpuLineReduction {
  using Tuning = LineReductionTuning;

 public:
  GpuLineReduction() = default;
  GpuLineReduction(const gpu::Device& exec, LineExtents extents) {
    if (extents.lines == 0 || extents.length < Tuning::shortest) return;
    const Index blocks = Index(gpu::device_properties(exec).multiProcessorCount) * 8;
    if (extents.lines > blocks / gpu::warp_size) return;  // a scan has enough of them
    parts_.count =
        static_cast<int>(ceil_div(blocks, extents.lines * gpu::warp_size)) * gpu::warp_size;
    parts_.length = ceil_div(extents.length, parts_.count * Tuning::chunk) * Tuning::chunk;
    allocate(exec, memory_, "WaveScan::scan::parts", extents.lines * parts_.count);
    parts_.segments = memory_.data();
  }

  /// @brief Enqueues the last states of lines that nothing enters, or returns false if a scan has
  /// to find them.
  template <class Recurrence, class Source>
  bool enqueue(const gpu::Device& exec, const Recurrence& recurrence, LineExtents extents,
               const Source& source, Value* states) const {
    if constexpr (gpu_reducible<Recurrence>) {
      using P = ScanTraits<Recurrence>;
      if (parts_.count == 0 || !identities_suffice(recurrence)) return false;
      const P traits(recurrence);
      const LineReductionWeights<P> weights(traits, parts_.length, parts_.count);
      gpu::launch({exec, "WaveScan::scan::reduce", false}, reduce_parts<P, Source>,
                  extents.lines * parts_.count, Tuning::threads, 0, source, extents.length, traits,
                  parts_, weights);
      gpu::launch({exec, "WaveScan::scan::join", false}, join_parts<P>, extents.lines,
                  gpu::warp_size, 0, traits, parts_, Lines<Value>{states, 1, 0}, weights);
      return true;
    } else {
      return false;
    }
  }
  std::size_t bytes() const { return memory_.size() * sizeof(Value); }

 private:
  LineParts<Value> parts_;
  Kokkos::View<Value*, gpu::Device::memory_space> memory_;
};

}  // namespace wavescan::Impl

#endif
