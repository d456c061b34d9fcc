// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Choice.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Kernel.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Alignment.hpp>
#include <impl/WaveScan_SummedAreaTable_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Summed-area tables of large images on CUDA devices of compute capability 9.0 and newer.

namespace wavescan::Impl {

/// @brief The workspace and the launches for images of one size whose rows begin at 16-byte
/// boundaries.
/// @tparam Squared the tables are those of the pixels' squares
template <class Pixel, class T, bool Squared = false>
class GpuStripsTable {
  using Problem = TableProblem<Pixel, T>;

 public:
  GpuStripsTable() = default;
  /// @param blocks of the kernel at most: one for each multiprocessor
  GpuStripsTable(const gpu::Device& exec, Index rows, Index columns, int blocks)
      : blocks_(std::min(blocks, most_strips)),
        rows_(rows),
        columns_(columns),
        along_rows_(rows, columns, blocks_),
        along_columns_(columns, rows, blocks_) {
    // No tag of a launch is zero; after this nothing is ever cleared.
    words_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::summed_area_table::strips"),
        std::max(words(along_rows_), words(along_columns_)));
  }

  /// @brief Whether `enqueue` can compute these tables.
  bool takes(const Problem& p) const {
    return choice(p) != nullptr && aligned(p.image, p.images, p.image_stride) &&
           aligned(p.table, p.images, p.table_stride);
  }
  /// @brief Enqueues the tables, one after the other, or returns false if other kernels must
  /// compute them.
  bool enqueue(const gpu::Device& exec, const Problem& p) const {
    if (!takes(p)) return false;
    const Choice& chosen = *choice(p);
    chosen.with_tile([&](auto tile) {
      for (Index m = 0; m < p.images; ++m)
        launch<typename decltype(tile)::type>(exec, p.of_image(m), chosen.plan);
    });
    return true;
  }

 private:
  using Choice = StripsChoice<Pixel, T, Squared>;
  static constexpr int most_strips = StripsRowScanner<typename Choice::Tile>::most_strips;

  /// @brief Where a plan has its tagged words.
  template <class Tile>
  struct Words {
    std::size_t ring;
    std::size_t carries;
    std::size_t all;

    Words(const StripsPlan& plan, const StripsShared<Tile>& shared, int blocks)
        : ring(SumRing::header(blocks)),
          carries(ring + StripsRing<Tile>(plan, shared.slots.places(), nullptr).size()),
          all(carries + (plan.panels == 1
                             ? 0
                             : static_cast<std::size_t>(plan.steps * plan.groups *
                                                        StripsRing<Tile>::carry_words))) {}
  };
  std::size_t words(const Choice& chosen) const {
    if (chosen.plan.strips == 0) return 0;
    return chosen.with_tile([&](auto tile) {
      using Tile = typename decltype(tile)::type;
      return Words<Tile>(chosen.plan, StripsShared<Tile>(chosen.plan.width), blocks_).all;
    });
  }

  /// @brief What was chosen for these images, or null if there is nothing for them.
  const Choice* choice(const Problem& p) const {
    const Index rows = p.image.rows, columns = p.image.columns;
    const Choice* const chosen = rows == rows_ && columns == columns_   ? &along_rows_
                                 : rows == columns_ && columns == rows_ ? &along_columns_
                                                                        : nullptr;
    return chosen != nullptr && chosen->plan.strips > 0 ? chosen : nullptr;
  }

  template <class E>
  static bool aligned(const Grid<E>& grid, Index images, Index stride) {
    return rows_begin_at<16>(grid, images, stride) && grid.column_stride == 1 &&
           grid.row_stride >= grid.columns && grid.row_stride * Index(sizeof(E)) % 16 == 0;
  }

  template <class Tile>
  void launch(const gpu::Device& exec, const Problem& p, const StripsPlan& plan) const {
    const auto describe = [&plan](const auto& grid, Index columns) {
      using E = std::remove_const_t<std::remove_pointer_t<decltype(grid.data)>>;
      return gpu::detail::describe_rows<E>(reinterpret_cast<std::uintptr_t>(grid.data), grid.rows,
                                           columns, grid.row_stride * Index(sizeof(E)), Tile::rows,
                                           plan.width);
    };
    const Index whole = p.table.columns / Tile::chunk * Tile::chunk;
    const StripsShared<Tile> shared(plan.width);
    const Words<Tile> words(plan, shared, blocks_);
    const StripsTask<Tile> task{describe(p.image, p.image.columns),
                                describe(p.table, whole),
                                {p.table, whole},
                                plan,
                                strips_warps<Tile>(plan, blocks_),
                                shared,
                                {words_.data(), blocks_},
                                {plan, shared.slots.places(), words_.data() + words.ring},
                                words_.data() + words.carries};
    gpu::launch({exec, "WaveScan::summed_area_table::strips", true}, summed_area_table_strips<Tile>,
                plan.blocks(), 32 * (strips_fixed_warps<Tile> + task.warps.all()),
                static_cast<std::size_t>(shared.bytes()), task);
  }

  int blocks_ = 0;
  Index rows_ = 0;
  Index columns_ = 0;
  Choice along_rows_;
  Choice along_columns_;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> words_;
};

}  // namespace wavescan::Impl

#endif
