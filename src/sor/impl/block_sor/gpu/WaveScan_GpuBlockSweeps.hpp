// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_GPUBLOCKSWEEPS_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_GPUBLOCKSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/block_sor/WaveScan_BlockSweeps.hpp>
#include <impl/block_sor/gpu/WaveScan_BandPoints.hpp>
#include <impl/block_sor/gpu/WaveScan_BlockBand.hpp>
#include <impl/block_sor/gpu/WaveScan_PackedBlocks.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>

/// @file
/// @brief Block SOR on CUDA and HIP devices: workspaces and launches.

namespace wavescan::Impl::block_sor {

/// @brief The sweeps of a matrix of blocks.
template <class M>
class GpuBlockSweeps {
  using traits = BlockTraits<typename M::value_type>;
  static constexpr int rank = static_cast<int>(M::view_type::rank());
  static constexpr int size = traits::size;

 public:
  using number = typename traits::number;
  using Vector = typename traits::vector;
  using Sweep = BandSweep<number, size, rank>;

  /// @param c coefficients, whose `center` is the right-hand side's; they are copied
  GpuBlockSweeps(const gpu::Device& exec, const M& c) : report_(stall_seconds) {
    const auto x = sor::array_of(c.center);
    const auto inner = [](Index extent) { return extent > 2 ? extent - 2 : 0; };
    layout_ = {1, inner(x.rows), inner(x.columns)};
    if constexpr (rank == 3) layout_.planes = inner(x.planes);
    if (layout_.planes * layout_.rows * layout_.columns == 0) return;
    using enum sor::StencilPoint;
    const auto a = stencil_matrix::checked_matrix<gpu::Device>("BlockSOR", c);
    if constexpr (rank == 3) {
      pack(exec, before_, a.left, a.up, a.front);
      pack(exec, after_, a.right, a.down, a.back);
    } else {
      pack(exec, before_, a.left, a.up);
      pack(exec, after_, a.right, a.down);
    }
    pack(exec, factors_, a.center);
    exec.fence("WaveScan::block_sor::pack");  // the caller's arrays end
    values_.template room<BlockUnit>(exec, "WaveScan::block_sor::values",
                                     Sweep::Values::size(layout_));
    counters_.template room<gpu::TaskCounters>(exec, "WaveScan::block_sor::tasks", 1);
    const Index bands = layout_.bands();
    row_words_ = layout_.planes * bands * layout_.columns * Sweep::Words::words;
    const Index band_words =
        rank == 3 ? 2 * bands * layout_.steps() * BandLayout::lanes * Sweep::Words::words : 0;
    words_.template room<gpu::TaggedWord>(exec, "WaveScan::block_sor::sent",
                                          row_words_ + band_words);
  }

  template <bool Backward>
  void sweep(const gpu::Device& exec, const sor::ArrayOf<Vector, rank>& x,
             const sor::ArrayOf<const Vector, rank>& b, number keep) const {
    throw_if_stuck();
    auto* const counters = counters_.template data<gpu::TaskCounters>();
    if (!counters) return;
    auto* const words = words_.template data<gpu::TaggedWord>();
    const auto units = [](const Memory& memory) { return memory.template data<BlockUnit>(); };
    const typename Sweep::Neighbours before{units(before_)}, after{units(after_)};
    const Sweep sweep{layout_,
                      Backward,
                      keep,
                      in_order_of_sweep<Backward>(x),
                      in_order_of_sweep<Backward>(b),
                      Backward ? after : before,
                      Backward ? before : after,
                      {units(factors_)},
                      {units(values_)},
                      words,
                      words + row_words_,
                      {counters, report_.watchdog()}};
    using Run = RunBands<number, size, rank>;
    launch_for_points<PrepareBands<number, size, rank>>(exec, "WaveScan::block_sor::prepare",
                                                        sweep);
    constexpr int blocks_each = 4;  // more than have room wait for their turn
    const auto shape = gpu::shape_for_tasks(exec, layout_.planes * layout_.bands(),
                                            Run::block_threads, blocks_each);
    gpu::launch_blocks<Run>({exec, "WaveScan::block_sor::bands", false}, shape.blocks,
                            shape.threads, Run::shared_bytes, sweep);
    launch_for_points<StoreBands<number, size, rank>>(exec, "WaveScan::block_sor::store", sweep);
  }

  /// @brief Reports a call that got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("block_sor"); }

 private:
  static constexpr double stall_seconds = 10;
  using Memory = sor::WorkMemory<gpu::Device>;

  /// @brief Enqueues a kernel that has a warp for each step.
  template <class Block>
  void launch_for_points(const gpu::Device& exec, const char* name, const Sweep& sweep) const {
    constexpr int warps = Block::block_threads / gpu::warp_size;
    gpu::launch_blocks<Block>({exec, name, false}, ceil_div(layout_.all_steps(), warps),
                              Block::block_threads, 0, sweep);
  }

  template <class Array, class... More>
  void pack(const gpu::Device& exec, const Memory& units, const Array& first,
            const More&... more) const {
    constexpr int count = 1 + static_cast<int>(sizeof...(More));
    using Pack = PackBlocks<number, size, rank, count>;
    auto* const packed = units.template uncleared_room<BlockUnit>(
        exec, "WaveScan::block_sor::blocks", Pack::Packed::size(layout_));
    Kokkos::parallel_for("WaveScan::block_sor::pack",
                         Kokkos::RangePolicy<gpu::Device, Kokkos::IndexType<Index>>(
                             exec, 0, layout_.all_steps() * BandLayout::lanes),
                         Pack{layout_, {first, more...}, {packed}});
  }

  BandLayout layout_;
  Memory before_, after_, factors_, values_, counters_, words_;
  Index row_words_ = 0;
  gpu::StallReport report_;
};

}  // namespace wavescan::Impl::block_sor

#endif
