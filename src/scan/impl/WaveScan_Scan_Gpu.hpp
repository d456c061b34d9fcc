// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_HPP
#define WAVESCAN_IMPL_SCAN_GPU_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
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

/// @brief True for problems that the GPU kernels are compiled for.
template <class Recurrence, class In>
inline constexpr bool gpu_scannable = false;

template <class T>
inline constexpr bool gpu_movable = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0;

template <Operator Op, class In>
inline constexpr bool gpu_scannable<PlainRecurrence<Op>, In> =
    std::same_as<In, const typename Op::value_type>&& gpu_movable<typename Op::value_type>;

template <Algebra A, class In>
inline constexpr bool
    gpu_scannable<WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>, In> =
        std::same_as<In, const typename A::value_type>&& gpu_movable<typename A::value_type>;

template <Algebra A, class In>
inline constexpr bool
    gpu_scannable<WeightedRecurrence<A, Lines<const typename A::weight_type>>, In> =
        std::same_as<In, const typename A::value_type>&& gpu_movable<typename A::value_type> &&
        sizeof(typename A::value_type) == sizeof(typename A::weight_type) &&
        (sizeof(typename A::value_type) == 4 || sizeof(typename A::value_type) == 8);

/// @brief The workspace and the launches of the GPU kernels for one line.
template <class Segment>
class GpuScan {
 public:
  GpuScan() = default;
  GpuScan(const Kokkos::Cuda& exec, LineExtents extents) {
    if (extents.lines != 1 || extents.length == 0 || !gpu::has_bulk_copies(exec)) return;
    blocks_ = exec.cuda_device_prop().multiProcessorCount;
    // Zero is no tag of a launch; after this nothing is ever cleared.
    ring_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::scan::totals"), TotalsRing::size<Segment>(blocks_));
  }

  /// @brief Enqueues the scan, or returns false if the problem is not one for these kernels.
  template <class Recurrence, class In>
  bool enqueue(const Kokkos::Cuda& exec, const ScanProblem<Recurrence, In>& problem) const {
    if constexpr (gpu_scannable<Recurrence, In>) {
      if (blocks_ == 0 || problem.extents.lines != 1) return false;
      if (!contiguous(problem.in) || !contiguous(problem.out) || !fits(problem.recurrence))
        return false;
      using P = Pieces<Recurrence>;
      using Tuning = PersistentTuning<P>;
      if (blocks_ > Tuning::max_blocks) return false;
      launch<P, Tuning>(exec, problem);
      return true;
    } else {
      return false;
    }
  }

  std::size_t bytes() const { return ring_.size() * sizeof(gpu::TaggedWord); }

 private:
  template <class T>
  static bool contiguous(const Lines<T>& line) {
    return line.stride == 1 && reinterpret_cast<std::uintptr_t>(line.data) % 16 == 0;
  }

  template <Operator Op>
  static bool fits(const PlainRecurrence<Op>&) {
    return true;
  }
  /// Identities stand for missing elements, and no finite weight turns them into anything else.
  template <Algebra A>
  static bool fits(const WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>& r) {
    if constexpr (std::floating_point<typename A::weight_type>)
      return std::isfinite(r.weight.value);
    else
      return true;
  }
  template <Algebra A>
  static bool fits(const WeightedRecurrence<A, Lines<const typename A::weight_type>>& r) {
    return contiguous(r.weight);
  }

  template <class Recurrence>
  static auto weights_of(const Recurrence& r) {
    if constexpr (Pieces<Recurrence>::streams == 2)
      return r.weight.data;
    else
      return static_cast<const NoWeight*>(nullptr);
  }

  template <class P, class Tuning, class Problem>
  void launch(const Kokkos::Cuda& exec, const Problem& problem) const {
    const P pieces(problem.recurrence);
    const Index tiles = ceil_div(problem.extents.length, Tuning::tile);
    const int blocks = static_cast<int>(std::min<Index>(blocks_, tiles));
    const LineScan<P> scan{problem.in.data,
                           weights_of(problem.recurrence),
                           problem.out.data,
                           problem.extents.length,
                           problem.kind,
                           problem.carry_in,
                           problem.carry_out.data,
                           {ring_.data()},
                           pieces};
    gpu::launch_cooperative(
        exec, persistent_scan<P, Tuning>, blocks, PersistentScan<P, Tuning>::block_threads,
        PersistentScan<P, Tuning>::shared_bytes, scan, TileWeights<P, Tuning>(pieces, blocks));
  }

  int blocks_ = 0;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> ring_;
};

}  // namespace wavescan::Impl

#endif
