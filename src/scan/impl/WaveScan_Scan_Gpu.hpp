// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_HPP
#define WAVESCAN_IMPL_SCAN_GPU_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Scan_Gpu_Direct.hpp>
#include <impl/WaveScan_Scan_Gpu_Line.hpp>
#include <impl/WaveScan_Scan_Gpu_LookBack.hpp>
#include <impl/WaveScan_Scan_Gpu_Persistent.hpp>
#include <impl/WaveScan_Scan_Gpu_Pieces.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief The scan of one long, contiguous line on a CUDA device with bulk copies.

namespace wavescan::Impl {

/// @brief Elements that the GPU kernels move: those of the result, not converted on the way.
template <class In, class T>
concept GpuElement = std::same_as<In, const T> && sizeof(T) <= 64;

/// @brief Algebras whose pieces have a weight that follows from their length, or is composed from
/// their elements' weights.
template <class A>
concept GpuAlgebra = Algebra<A> && !is_same_operator<A>;

/// @brief True for problems that the GPU kernels are compiled for.
template <class Recurrence, class In>
inline constexpr bool gpu_scannable = false;

template <Operator Op, GpuElement<typename Op::value_type> In>
inline constexpr bool gpu_scannable<PlainRecurrence<Op>, In> = true;

template <GpuAlgebra A, GpuElement<typename A::value_type> In>
inline constexpr bool
    gpu_scannable<WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>, In> = true;

template <GpuAlgebra A, GpuElement<typename A::value_type> In>
  requires(sizeof(typename A::value_type) == sizeof(typename A::weight_type) &&
           (sizeof(typename A::value_type) == 4 || sizeof(typename A::value_type) == 8))
inline constexpr bool
    gpu_scannable<WeightedRecurrence<A, Lines<const typename A::weight_type>>, In> = true;

/// @brief The workspace and the launches of the GPU kernels for one line.
template <class Segment>
class GpuScan {
 public:
  GpuScan() = default;
  GpuScan(const Kokkos::Cuda& exec, LineExtents extents) {
    if (extents.lines != 1 || extents.length == 0 || !gpu::has_bulk_copies(exec)) return;
    // More blocks than the look-back of one warp reaches would stay idle.
    constexpr int reach = 161;
    blocks_ = std::min(exec.cuda_device_prop().multiProcessorCount, reach);
    // Zero is no tag of a launch; after this nothing is ever cleared.
    ring_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::scan::totals"), TotalsRing::size<Segment>(blocks_));
  }

  /// @brief Enqueues the scan, or returns false if the problem is not one for these kernels.
  template <class Recurrence, class In>
  bool enqueue(const Kokkos::Cuda& exec, const ScanProblem<Recurrence, In>& problem) const {
    if constexpr (gpu_scannable<Recurrence, In>) {
      using P = Pieces<Recurrence>;
      if (blocks_ == 0 || problem.extents.lines != 1 || problem.extents.length == 0) return false;
      if (!contiguous(problem.in) || !contiguous(problem.out) ||
          misalignment(problem.in.data) != misalignment(problem.out.data) ||
          !fits(problem.recurrence, misalignment(problem.in.data)) ||
          head_of(problem.in.data) == max_head)
        return false;
      launch(exec, line_scan<P>(problem));
      return true;
    } else {
      return false;
    }
  }

  std::size_t bytes() const { return ring_.size() * sizeof(gpu::TaggedWord); }

 private:
  template <class T>
  static bool contiguous(const Lines<T>& line) {
    return line.stride == 1;
  }
  static std::size_t misalignment(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16;
  }

  /// @brief Elements before the first one at a 16-byte boundary, or `max_head` if there is none.
  static constexpr Index max_head = 16;
  template <class T>
  static Index head_of(const T* data) {
    Index head = 0;
    while (head < max_head && misalignment(data + head) != 0) ++head;
    return head;
  }

  template <Operator Op>
  static bool fits(const PlainRecurrence<Op>&, std::size_t) {
    return true;
  }
  /// Identities stand for missing elements, and no finite weight turns them into anything else.
  template <Algebra A>
  static bool fits(const WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>& r,
                   std::size_t) {
    if constexpr (std::floating_point<typename A::weight_type>)
      return std::isfinite(r.weight.value);
    else
      return true;
  }
  template <Algebra A>
  static bool fits(const WeightedRecurrence<A, Lines<const typename A::weight_type>>& r,
                   std::size_t misaligned) {
    return contiguous(r.weight) && misalignment(r.weight.data) == misaligned;
  }

  /// @brief The line without its head, the elements before the first 16-byte boundary.
  template <class P, class Problem>
  LineScan<P> line_scan(const Problem& problem) const {
    const Index head = std::min(head_of(problem.in.data), problem.extents.length);
    const typename P::element_weight* weights = nullptr;
    if constexpr (P::streams == 2) weights = problem.recurrence.weight.data + head;
    return {problem.in.data + head,  weights,
            problem.out.data + head, problem.extents.length - head,
            static_cast<int>(head),  problem.kind,
            problem.carry_in,        problem.carry_out.data,
            {ring_.data()},          P(problem.recurrence)};
  }

  /// @brief Up to a wave of small tiles directly, else the persistent kernel.
  template <class P>
  void launch(const Kokkos::Cuda& exec, const LineScan<P>& scan) const {
    using Large = PersistentTuning<P>;
    if constexpr (16 % sizeof(typename P::value_type) == 0) {
      using Small = DirectTuning<P, 256, 1>;
      using Medium = DirectTuning<P, 512, 4>;
      if (direct_weights_exist(scan.pieces)) {
        if (ceil_div(scan.length, Small::tile) <= blocks_)
          return launch_direct<P, Small>(exec, scan);
        if (ceil_div(scan.length, Medium::tile) <= blocks_)
          return launch_direct<P, Medium>(exec, scan);
      }
    }
    const int blocks = tile_blocks<Large>(scan.length);
    gpu::launch_cooperative(exec, "WaveScan::scan::persistent", persistent_scan<P, Large>, blocks,
                            PersistentScan<P, Large>::block_threads,
                            PersistentScan<P, Large>::shared_bytes, scan,
                            TileWeights<P, Large>(scan.pieces, blocks));
  }

  template <class P, class Tuning>
  void launch_direct(const Kokkos::Cuda& exec, const LineScan<P>& scan) const {
    gpu::launch_cooperative(exec, "WaveScan::scan::direct", direct_scan<P, Tuning>,
                            tile_blocks<Tuning>(scan.length), Tuning::threads, 0, scan,
                            DirectWeights<P, Tuning>(scan.pieces));
  }

  template <class Tuning>
  int tile_blocks(Index length) const {
    return static_cast<int>(std::clamp<Index>(ceil_div(length, Tuning::tile), 1, blocks_));
  }

  /// @brief False for growing weights: products of their powers could overflow where the powers
  /// themselves are capped.
  template <class P>
  static bool direct_weights_exist(const P& pieces) {
    if constexpr (P::streams == 1 && std::floating_point<typename P::weight_type>)
      return std::abs(pieces.weight) <= 1;
    else
      return true;
  }

  int blocks_ = 0;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> ring_;
};

}  // namespace wavescan::Impl

#endif
