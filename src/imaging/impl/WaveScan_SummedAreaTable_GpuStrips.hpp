// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Kernel.hpp>
#include <impl/WaveScan_SummedAreaTable_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Summed-area tables of large images on CUDA devices of compute capability 9.0 and newer.

namespace wavescan::Impl {

/// @brief A plan for images of one size, and where it has its tagged words.
template <class Tile>
struct StripsWorkspace {
  StripsPlan plan;
  std::size_t ring;
  std::size_t carries;
  std::size_t words;

  StripsWorkspace(Index rows, Index columns, int blocks)
      : plan(StripsPlan::template of<Tile>(rows, columns, blocks)),
        ring(SumRing::header(blocks)),
        carries(ring + StripsRing<Tile>(plan, nullptr).size()),
        words(carries + (plan.panels == 1
                             ? 0
                             : static_cast<std::size_t>(plan.steps * plan.groups *
                                                        StripsRing<Tile>::carry_words))) {}
};

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
      : blocks_(std::min(blocks, most_strips)) {
    const auto words = [&](Index height, Index width) -> std::size_t {
      if (!suits(height, width)) return 0;
      return with_tile(height, width, blocks_, [&](auto tile) {
        return StripsWorkspace<typename decltype(tile)::type>(height, width, blocks_).words;
      });
    };
    // No tag of a launch is zero; after this nothing is ever cleared.
    words_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::summed_area_table::strips"),
        std::max(words(rows, columns), words(columns, rows)));
  }

  /// @brief Whether images of this size have strips for most blocks, and so large ones that what
  /// they wait for at the beginning and at the end is little.
  static bool keep_busy(Index rows, Index columns, int blocks) {
    return columns > Tile::columns && rows * columns >= Index(1) << 22 &&
           2 * plan(rows, columns, blocks).blocks() > blocks;
  }
  /// @brief Whether this is the way for images of this size.
  static bool pays(Index rows, Index columns, int blocks) {
    // Groups exchange sums of columns, which takes longer than to move tiles of bytes.
    return keep_busy(rows, columns, blocks) &&
           (sizeof(Pixel) > 1 || plan(rows, columns, blocks).groups == 1);
  }

  /// @brief Whether `enqueue` can compute these tables.
  bool takes(const Problem& p) const {
    return suits(p.image.rows, p.image.columns) && aligned(p.image, p.images, p.image_stride) &&
           aligned(p.table, p.images, p.table_stride);
  }
  /// @brief Enqueues the tables, one after the other, or returns false if other kernels must
  /// compute them.
  bool enqueue(const gpu::Device& exec, const Problem& p) const {
    if (!takes(p)) return false;
    with_tile(p.image.rows, p.image.columns, blocks_, [&](auto tile) {
      for (Index m = 0; m < p.images; ++m)
        launch<typename decltype(tile)::type>(exec, p.of_image(m));
    });
    return true;
  }

 private:
  using Tile = StripsTile<Pixel, T, Squared>;
  using WideTile = StripsTile<Pixel, T, Squared, true>;
  static constexpr bool has_wide = Tile::in_place || (sizeof(Pixel) == 1 && sizeof(T) == 4);
  static constexpr int most_strips = StripsRowScanner<Tile>::most_strips;

  bool suits(Index rows, Index columns) const {
    return blocks_ > 0 && rows > 0 && columns > Tile::columns;
  }
  /// @brief Calls `f` with the tile that suits best.
  template <class F>
  static auto with_tile(Index rows, Index columns, int blocks, const F& f) {
    if constexpr (has_wide)
      if (wide_suits(rows, columns, blocks)) return f(std::type_identity<WideTile>());
    return f(std::type_identity<Tile>());
  }
  static StripsPlan plan(Index rows, Index columns, int blocks) {
    return with_tile(rows, columns, blocks, [&](auto tile) {
      return StripsPlan::template of<typename decltype(tile)::type>(rows, columns, blocks);
    });
  }
  static bool wide_suits(Index rows, Index columns, int blocks) {
    // Sums of bytes travel for less of the image.
    if (!Tile::in_place) return columns > Index(blocks) * Tile::columns;
    const StripsPlan narrow = StripsPlan::template of<Tile>(rows, columns, blocks);
    const StripsPlan wide = StripsPlan::template of<WideTile>(rows, columns, blocks);
    // Sums of columns of wide types are the more expensive ones.
    if (sizeof(T) == 8)
      return wide.groups == 1 || narrow.groups > 1 || 10 * narrow.blocks() < 7 * blocks;
    // Short panels follow each other too fast for the sums of their rows.
    if (narrow.panels > 1)
      return wide.groups <= narrow.groups && (narrow.groups > 1 || narrow.steps < 64);
    return 4 * narrow.blocks() < 3 * blocks && 5 * wide.blocks() > 4 * blocks;
  }

  template <class E>
  static bool aligned(const Grid<E>& grid, Index images, Index stride) {
    const auto whole = [](Index elements) { return elements * Index(sizeof(E)) % 16 == 0; };
    return reinterpret_cast<std::uintptr_t>(grid.data) % 16 == 0 && grid.column_stride == 1 &&
           grid.row_stride >= grid.columns && whole(grid.row_stride) &&
           (images == 1 || whole(stride));
  }

  template <class Used>
  void launch(const gpu::Device& exec, const Problem& p) const {
    const auto describe = [](const auto& grid, Index columns) {
      using E = std::remove_const_t<std::remove_pointer_t<decltype(grid.data)>>;
      return gpu::detail::describe_rows<E>(reinterpret_cast<std::uintptr_t>(grid.data), grid.rows,
                                           columns, grid.row_stride * Index(sizeof(E)), Used::rows,
                                           Used::columns);
    };
    const Index whole = p.table.columns / Used::chunk * Used::chunk;
    const StripsWorkspace<Used> space(p.image.rows, p.image.columns, blocks_);
    const StripsTask<Used> task{describe(p.image, p.image.columns),
                                describe(p.table, whole),
                                {p.table, whole},
                                space.plan,
                                strips_warps<Used>(space.plan, blocks_),
                                {words_.data(), blocks_},
                                {space.plan, words_.data() + space.ring},
                                words_.data() + space.carries};
    gpu::launch({exec, "WaveScan::summed_area_table", true}, summed_area_table_strips<Used>,
                space.plan.blocks(), 32 * (strips_fixed_warps<Used> + task.warps.all()),
                StripsShared<Used>::bytes, task);
  }

  int blocks_ = 0;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> words_;
};

}  // namespace wavescan::Impl

#endif
