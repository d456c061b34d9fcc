// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Compensated.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Rows.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Sizes.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Skewed.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>
#include <impl/WaveScan_Wavefront_Way.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

/// @file
/// @brief Wavefronts on CUDA and HIP devices: their workspaces and launches.

namespace wavescan::Impl {

/// @brief A schedule that is one kernel, whose blocks draw tasks in turn.
/// @tparam Kernel what its function is given; tells its shape and how many words it needs
template <class Problem, class Kernel>
class GpuWavefront {
 public:
  GpuWavefront(const gpu::Device& exec, const WayOptions& options)
      : shape_(Kernel::shape(exec, options.range)),
        counters_(Kokkos::view_alloc(exec, "WaveScan::wavefront::turns")),
        words_(Kokkos::view_alloc(exec, "WaveScan::wavefront::sent"),
               std::max<std::size_t>(Kernel::words(options.range), 2)),
        report_(options.stall_seconds) {
    // Blocks of columns are counted in int.
    constexpr Index most_columns = Index(1) << 30;
    require(options.range.columns() < most_columns, "wavefront", "columns",
            "must be fewer than 2^30 on a GPU", options.range.columns());
  }

  /// @brief Enqueues the loop on `exec`.
  void run(const gpu::Device& exec, const Problem& problem) const {
    throw_if_stuck();
    const Turns::Launch turns{counters_.data(), report_.watchdog()};
    gpu::launch({exec, Kernel::name, false}, Kernel::function(), shape_.blocks, shape_.threads,
                shape_.shared_bytes, Kernel(problem, turns, words_.data()));
  }

  /// @brief Reports a call that got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("wavefront"); }

 private:
  GpuShape shape_;
  Kokkos::View<TurnCounters, gpu::Device::memory_space> counters_;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> words_;
  gpu::StallReport report_;
};

/// @brief Schedule TileSkewed, by one of two kernels.
/// @tparam High has higher bands, which not all devices have room for
template <class Problem, class Low, class High>
class GpuSkewed {
 public:
  GpuSkewed(const gpu::Device& exec, const WayOptions& options) : way_(choose(exec, options)) {}

  void run(const gpu::Device& exec, const Problem& problem) const {
    std::visit([&](const auto& way) { way.run(exec, problem); }, way_);
  }
  void throw_if_stuck() const {
    std::visit([](const auto& way) { way.throw_if_stuck(); }, way_);
  }

 private:
  using Way = std::variant<GpuWavefront<Problem, Low>, GpuWavefront<Problem, High>>;

  static Way choose(const gpu::Device& exec, const WayOptions& options) {
    if (High::suits(exec, options.range)) return Way(std::in_place_index<1>, exec, options);
    return Way(std::in_place_index<0>, exec, options);
  }

  Way way_;
};

template <class Problem>
struct GpuWays {
  static constexpr std::size_t bytes = sizeof(typename Problem::value_type);
  using low = SkewedKernel<Problem, SizesFor<skewed_sizes, bytes>>;
  using high = std::conditional_t<bytes <= largest_in_high_bands,
                                  SkewedKernel<Problem, SizesFor<high_skewed_sizes, bytes>>, low>;
  using skewed = GpuSkewed<Problem, low, high>;
  using compensated =
      GpuWavefront<Problem, CompensatedKernel<Problem, SizesFor<compensated_sizes, bytes>>>;
  using row_sweep = GpuWavefront<Problem, RowsKernel<Problem, SizesFor<row_sizes, bytes>>>;
};

}  // namespace wavescan::Impl

#endif
