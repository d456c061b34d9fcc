// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_GPUWAVEFRONT_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_GPUWAVEFRONT_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>
#include <impl/wavefront/WaveScan_RowSweep.hpp>
#include <impl/wavefront/gpu/WaveScan_Compensated.hpp>
#include <impl/wavefront/gpu/WaveScan_RowsStrip.hpp>
#include <impl/wavefront/gpu/WaveScan_Skewed.hpp>
#include <impl/wavefront/gpu/WaveScan_WavefrontSizes.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

/// @file
/// @brief Wavefronts on CUDA and HIP devices: their workspaces and launches.

namespace wavescan::Impl {

/// @brief A schedule that is one kernel, whose blocks draw tasks from a queue.
/// @tparam Kernel what its function is given; tells its shape and how many words it needs
template <class Problem, class Kernel>
class GpuWavefront {
 public:
  GpuWavefront(const gpu::Device& exec, const AlgorithmOptions& options)
      : shape_(Kernel::shape(exec, options.range)), report_(options.stall_seconds) {
    allocate_cleared(exec, counters_, "WaveScan::wavefront::tasks");
    allocate_cleared(exec, words_, "WaveScan::wavefront::sent",
                     std::max<std::size_t>(Kernel::words(options.range), 2));
    // Blocks of columns are counted in int.
    constexpr Index max_columns = Index(1) << 30;
    require(options.range.columns() < max_columns, "wavefront", "columns",
            "must be fewer than 2^30 on a GPU", options.range.columns());
  }

  /// @brief Enqueues the loop on `exec`.
  void run(const gpu::Device& exec, const Problem& problem) const {
    throw_if_stuck();
    const gpu::TaskQueue::Launch queue{counters_.data(), report_.watchdog()};
    gpu::launch({exec, Kernel::name, false}, Kernel::function(), shape_.blocks, shape_.threads,
                shape_.shared_bytes, Kernel(problem, queue, words_.data()));
  }

  /// @brief Reports a call that got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("wavefront"); }

 private:
  gpu::LaunchShape shape_;
  Kokkos::View<gpu::TaskCounters, gpu::Device::memory_space> counters_;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> words_;
  gpu::StallReport report_;
};

/// @brief Schedule TileSkewed, by one of two kernels.
/// @tparam High has higher bands, which not all devices have room for
template <class Problem, class Low, class High>
class GpuSkewed {
 public:
  GpuSkewed(const gpu::Device& exec, const AlgorithmOptions& options)
      : algorithm_(choose(exec, options)) {}

  void run(const gpu::Device& exec, const Problem& problem) const {
    std::visit([&](const auto& algorithm) { algorithm.run(exec, problem); }, algorithm_);
  }
  void throw_if_stuck() const {
    std::visit([](const auto& algorithm) { algorithm.throw_if_stuck(); }, algorithm_);
  }

 private:
  using Algorithm = std::variant<GpuWavefront<Problem, Low>, GpuWavefront<Problem, High>>;

  static Algorithm choose(const gpu::Device& exec, const AlgorithmOptions& options) {
    if (High::supports(exec, options.range))
      return Algorithm(std::in_place_index<1>, exec, options);
    return Algorithm(std::in_place_index<0>, exec, options);
  }

  Algorithm algorithm_;
};

template <class Problem>
struct GpuAlgorithms {
  static constexpr std::size_t bytes = sizeof(typename Problem::value_type);
  using low = SkewedKernel<Problem, SizesFor<skewed_sizes, bytes>>;
  using high = std::conditional_t<bytes <= largest_in_high_bands,
                                  SkewedKernel<Problem, SizesFor<high_skewed_sizes, bytes>>, low>;
  using skewed =
      std::conditional_t<high::supports_all, GpuWavefront<Problem, high>,
                         std::conditional_t<high::may_support, GpuSkewed<Problem, low, high>,
                                            GpuWavefront<Problem, low>>>;
  using compensated =
      GpuWavefront<Problem, CompensatedKernel<Problem, SizesFor<compensated_sizes, bytes>>>;
  using row_sweep = GpuWavefront<Problem, RowsKernel<Problem, SizesFor<row_sizes, bytes>>>;
};

/// @brief Loops that ask for the upper right neighbour: strips of columns cannot run them, because
/// two that lie beside each other would wait for each other in every row.
template <class Problem>
requires Problem::up_right struct GpuAlgorithms<Problem> {
  using skewed = GpuWavefront<
      Problem,
      SkewedKernel<Problem, SizesFor<up_right_skewed_sizes, sizeof(typename Problem::value_type)>>>;
  using row_sweep = RowSweep<gpu::Device, Problem>;
  using compensated = void;  // is refused
};

}  // namespace wavescan::Impl

#endif
