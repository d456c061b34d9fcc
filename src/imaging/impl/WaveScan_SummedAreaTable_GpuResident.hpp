// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuResident_Kernel.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuResident_Tile.hpp>

namespace wavescan::Impl {

/// @brief The workspace and the launches of tables that are computed on the chip all at once.
template <class Pixel, class T>
class ResidentTable {
  using Strip = TableStrip<Pixel, T, true>;
  using Problem = typename Strip::Problem;
  using LowTile = ResidentTile<Strip, 4>;
  using HighTile = ResidentTile<Strip, 16>;
  using AnyTile = ResidentTile<TableStrip<Pixel, T, false>, 4>;
  /// Each block asks all above it for the sums over their columns.
  static constexpr int most_down = 32;

 public:
  ResidentTable() = default;
  /// @param most_tiles that blocks go through; with more, `enqueue` returns false
  ResidentTable(const gpu::Device& exec, Index rows, Index columns, Index images, int most_tiles) {
    if (!gpu::has_bulk_copies(exec) || rows * columns * images == 0) return;
    blocks_ = gpu::device_properties(exec).multiProcessorCount;
    most_tiles_ = most_tiles;
    if (cut(rows, columns, images).teams == 0 && cut(columns, rows, images).teams == 0) return;
    // No tag of a launch is zero; after this nothing is ever cleared.
    words_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::summed_area_table::resident"),
        ResidentRing::size(blocks_, HighTile::record_words));
  }

  /// @brief Whether `enqueue` can compute these tables: not if images of this size are not for it.
  /// @param p whose rows run along memory
  bool takes(const Problem& p) const {
    if (words_.size() == 0) return false;
    const ResidentCut c = cut(p.image.rows, p.image.columns, p.images);
    return c.teams > 0 && (is_low(c) || (whole_image(p) && whole_table(p)));
  }

  /// @brief Enqueues the tables, or returns false if other kernels must compute them.
  bool enqueue(const gpu::Device& exec, const Problem& p) const {
    if (!takes(p)) return false;
    const ResidentCut c = cut(p.image.rows, p.image.columns, p.images);
    if (!whole_image(p) || !whole_table(p))
      launch<AnyTile>(exec, p, c, whole_image(p));
    else if (is_low(c))
      launch<LowTile>(exec, p, c, true);
    else
      launch<HighTile>(exec, p, c, true);
    return true;
  }

 private:
  static bool is_low(const ResidentCut& c) { return c.warp_rows <= LowTile::most_rows; }
  static bool whole_image(const Problem& p) {
    return has_whole_chunks<Strip::chunk>(p.image, p.images, p.image_stride);
  }
  static bool whole_table(const Problem& p) {
    return has_whole_chunks<Strip::chunk>(p.table, p.images, p.table_stride);
  }

  ResidentCut cut(Index rows, Index columns, Index images) const {
    const ResidentCut c =
        resident_cut<HighTile>(rows, columns, images, blocks_, LowTile::most_rows);
    return c.teams > 0 && c.down <= most_down && c.tiles(0) <= most_tiles_ ? c : ResidentCut{};
  }

  template <class Tile>
  void launch(const gpu::Device& exec, const Problem& p, const ResidentCut& c,
              bool image_whole) const {
    const ResidentTask<Tile> task{p, c, {words_.data(), blocks_}, image_whole};
    gpu::launch({exec, "WaveScan::summed_area_table::resident", true}, resident_tables<Tile>,
                c.blocks(), Tile::threads, sizeof(ResidentShared<Tile>), task);
  }

  int blocks_ = 0;
  int most_tiles_ = 0;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> words_;
};

}  // namespace wavescan::Impl

#endif
