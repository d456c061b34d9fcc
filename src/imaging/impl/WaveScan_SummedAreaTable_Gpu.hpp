// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuResident.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuWalk.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Alignment.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Choice.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Kernel.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Squares.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>
#include <impl/WaveScan_SummedAreaTable_Problem.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Summed-area tables on CUDA devices of compute capability 9.0 and newer, in one kernel:
/// one for many images, one for those that fit the chip, one for tall images whose rows follow each
/// other, one for large images whose rows are aligned, and one for all others.

namespace wavescan::Impl {

/// @brief The kernels, in the order in which they are asked.
enum class TableKernel { None, Walk, Resident, Tall, Strips, Tiles };

/// @brief The workspace and the launches for images of one size.
template <class Pixel, class T, class S = NoSquares>
class GpuTable {
  using Problem = TableProblem<Pixel, T, S>;

  template <class V>
  static constexpr bool summable = std::is_arithmetic_v<V> && (sizeof(V) == 4 || sizeof(V) == 8) &&
                                   !std::same_as<V, bool>;
  static constexpr bool supported =
      summable<T> && sizeof(Pixel) <= sizeof(T) && (!Problem::has_squares || summable<S>);
  static constexpr bool has_other_kernels = supported && !Problem::has_squares;
  /// Those for large and tall images; with squares they go over the image once more.
  static constexpr bool has_large_kernels =
      has_other_kernels || (supported && sizeof(Pixel) <= sizeof(S));
  using Resident = std::conditional_t<has_other_kernels, ResidentTable<Pixel, T>, NoSquares>;
  using Tall = std::conditional_t<
      has_other_kernels, TallTable<Pixel, T>,
      std::conditional_t<has_large_kernels, TallTableWithSquares<Pixel, T, S>, NoSquares>>;
  using Strips = std::conditional_t<
      has_other_kernels, GpuStripsTable<Pixel, T>,
      std::conditional_t<has_large_kernels, GpuStripsWithSquares<Pixel, T, S>, NoSquares>>;

 public:
  GpuTable() = default;
  /// @param tile_columns 64, 128, 256 or 512; 0: those, or the kernel, that suit best
  GpuTable(const gpu::Device& exec, Index rows, Index columns, Index images, int tile_columns = 0)
      : any_kernel_(tile_columns == 0),
        along_rows_(tile_columns > 0 ? tile_columns : best_tile_columns<T>(rows, columns, images)),
        along_columns_(tile_columns > 0 ? tile_columns
                                        : best_tile_columns<T>(columns, rows, images)) {
    if constexpr (supported) {
      if (gpu::device_path(Operation::SummedAreaTable, exec) != DevicePath::BulkCopies ||
          rows * columns * images == 0)
        return;
      blocks_ = gpu::device_properties(exec).multiProcessorCount;
      if constexpr (has_other_kernels)
        if (any_kernel_) resident_ = Resident(exec, rows, columns, images, 1);
      if constexpr (has_large_kernels)
        if (any_kernel_) {
          tall_pays_along_rows_ = tall_pays_for(rows, columns);
          tall_pays_along_columns_ = tall_pays_for(columns, rows);
          if (tall_pays_along_rows_ || tall_pays_along_columns_)
            tall_ = Tall(exec, rows, columns, blocks_);
          strips_pay_along_rows_ = strips_pay_for(rows, columns, images);
          strips_pay_along_columns_ = strips_pay_for(columns, rows, images);
          if (strips_pay_along_rows_ || strips_pay_along_columns_)
            strips_ = Strips(exec, rows, columns, blocks_);
        }
      // No tag of a launch is zero; after this nothing is ever cleared.
      words_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
          Kokkos::view_alloc(exec, "WaveScan::summed_area_table::sums"),
          SumRing::size(blocks_,
                        std::max(record_words(along_rows_), record_words(along_columns_))));
    }
  }

  /// @brief Enqueues the tables, or returns false if other kernels must compute them.
  bool enqueue(const gpu::Device& exec, const Problem& given) const {
    if constexpr (supported) {
      const bool rows = along_rows(given);
      const Problem p = rows ? given : transposed(given);
      switch (kernel(exec, given)) {
        case TableKernel::Walk:
          if constexpr (has_other_kernels) return WalkedTables<Pixel, T>::enqueue(exec, p);
          break;
        case TableKernel::Resident:
          if constexpr (has_other_kernels) return resident_.enqueue(exec, p);
          break;
        case TableKernel::Tall:
          if constexpr (has_large_kernels) return tall_.enqueue(exec, p);
          break;
        case TableKernel::Strips:
          if constexpr (has_large_kernels) return strips_.enqueue(exec, p);
          break;
        case TableKernel::Tiles:
          return enqueue_tiles(exec, p, tile_columns(rows));
        case TableKernel::None:
          break;
      }
    }
    return false;
  }

  /// @brief Which kernel computes these tables.
  TableKernel kernel([[maybe_unused]] const gpu::Device& exec, const Problem& given) const {
    if constexpr (supported) {
      if (blocks_ == 0) return TableKernel::None;
      const bool rows = along_rows(given);
      const Problem p = rows ? given : transposed(given);
      if (!along_rows(p)) return TableKernel::None;
      if constexpr (has_other_kernels)
        if (any_kernel_) {
          if (WalkedTables<Pixel, T>::takes(exec, p)) return TableKernel::Walk;
          if (resident_.takes(p)) return TableKernel::Resident;
        }
      if constexpr (has_large_kernels) {
        if ((rows ? tall_pays_along_rows_ : tall_pays_along_columns_) && tall_.takes(p))
          return TableKernel::Tall;
        if ((rows ? strips_pay_along_rows_ : strips_pay_along_columns_) && strips_.takes(p))
          return TableKernel::Strips;
      }
      if (tile_columns(rows) > 0) return TableKernel::Tiles;
    }
    return TableKernel::None;
  }

 private:
  int tile_columns(bool rows) const { return rows ? along_rows_ : along_columns_; }
  bool enqueue_tiles(const gpu::Device& exec, const Problem& p, int columns) const {
    switch (columns) {
      case 64:
        return launch<64>(exec, p);
      case 128:
        return launch<128>(exec, p);
      case 256:
        return launch<256>(exec, p);
      case 512:
        return launch<512>(exec, p);
      default:
        return false;
    }
  }

  bool strips_pay_for(Index rows, Index columns, [[maybe_unused]] Index images) const {
    if constexpr (has_other_kernels)
      return strips_pay<Pixel, T>(rows, columns, images, blocks_);
    else
      return strips_keep_busy<Pixel, T>(rows, columns, blocks_) &&
             strips_keep_busy<Pixel, S, true>(rows, columns, blocks_);
  }
  bool tall_pays_for(Index rows, Index columns) const {
    if constexpr (Problem::has_squares)
      if (!tall_table_pays<Pixel, S>(rows, columns, blocks_)) return false;
    return tall_table_pays<Pixel, T>(rows, columns, blocks_);
  }

  template <int Columns>
  using Tile = TableTile<Pixel, T, S, Columns>;

  static int record_words(int tile_columns) {
    switch (tile_columns) {
      case 64:
        return TableBlock<Tile<64>>::record_words();
      case 128:
        return TableBlock<Tile<128>>::record_words();
      case 256:
        return TableBlock<Tile<256>>::record_words();
      case 512:
        return TableBlock<Tile<512>>::record_words();
      default:
        return 0;
    }
  }

  static bool along_rows(const Problem& p) {
    const auto contiguous = [](const auto& grid) {
      return grid.column_stride == 1 || grid.columns == 1;
    };
    if constexpr (Problem::has_squares)
      if (!contiguous(p.squares)) return false;
    return contiguous(p.image) && contiguous(p.table);
  }

  template <int Columns>
  bool launch(const gpu::Device& exec, const Problem& p) const {
    const Index rows = p.image.rows, columns = p.image.columns;
    const TableWaves waves =
        table_waves(rows, columns, p.images, blocks_, Tile<Columns>::rows, Columns);
    if (waves.teams == 0) return false;
    const Pixel* const end =
        p.image.data + (p.images - 1) * p.image_stride + (rows - 1) * p.image.row_stride + columns;
    bool tables_aligned = rows_begin_at<16>(p.table, p.images, p.table_stride);
    if constexpr (Problem::has_squares)
      tables_aligned = tables_aligned && rows_begin_at<16>(p.squares, p.images, p.squares_stride);
    const TableTask<Tile<Columns>> task{p,
                                        waves,
                                        {words_.data(), blocks_},
                                        reinterpret_cast<const char*>(end),
                                        rows_begin_at<16>(p.image, p.images, p.image_stride),
                                        tables_aligned};
    gpu::launch({exec, "WaveScan::summed_area_table", true}, summed_area_tables<Tile<Columns>>,
                waves.blocks(), 32 * TableWarps<Tile<Columns>>::all,
                TableShared<Tile<Columns>>::bytes, task);
    return true;
  }

  bool any_kernel_ = false;
  int along_rows_ = 0;  ///< columns of a tile, for images whose rows run along memory
  int along_columns_ = 0;
  bool tall_pays_along_rows_ = false;
  bool tall_pays_along_columns_ = false;
  bool strips_pay_along_rows_ = false;
  bool strips_pay_along_columns_ = false;
  int blocks_ = 0;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> words_;
  Resident resident_;
  Tall tall_;
  Strips strips_;
};

}  // namespace wavescan::Impl

#endif
