// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_GPUTABLE_HPP
#define WAVESCAN_IMPL_SAT_GPU_GPUTABLE_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/sat/WaveScan_Problem.hpp>
#include <impl/sat/gpu/WaveScan_Resident_Kernel.hpp>
#include <impl/sat/gpu/WaveScan_Selection.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Kernel.hpp>
#include <impl/sat/gpu/WaveScan_Tall_Kernel.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Kernel.hpp>
#include <impl/sat/gpu/WaveScan_Walk_Kernel.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief Summed-area tables on CUDA devices of compute capability 9.0 and newer: the workspace and
/// the launches of all schemes.

namespace wavescan::Impl::sat {

/// @brief Tables of pixels, or of their squares, for images of one size.
template <class Types>
class SchemesTable {
  using Problem = TableProblem<typename Types::Pixel, typename Types::T>;

 public:
  SchemesTable() = default;
  /// @param along_rows    for images whose rows run along memory
  /// @param along_columns for those whose columns do
  SchemesTable(const gpu::Device& exec, const Decompositions& along_rows,
               const Decompositions& along_columns)
      : along_rows_(along_rows), along_columns_(along_columns) {
    // No tag of a launch is zero; after this nothing is ever cleared.
    words_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::summed_area_table::sums"),
        std::max(words(along_rows), words(along_columns)));
  }

  /// @brief Which scheme computes these tables.
  Scheme scheme(const Problem& given) const {
    const Problem p = along_rows(given) ? given : transposed(given);
    return along_rows(p) ? cut(given).scheme(row_layout(p)) : Scheme::None;
  }

  /// @brief Enqueues the tables, or returns false if two scans must compute them.
  bool enqueue(const gpu::Device& exec, const Problem& given) const {
    const Problem p = along_rows(given) ? given : transposed(given);
    const RowLayout rows = row_layout(p);
    const Decompositions& d = cut(given);
    const gpu::BlockEpochs sums{words_.data(), d.blocks};
    switch (along_rows(p) ? d.scheme(rows) : Scheme::None) {
      case Scheme::Walk:
        launch_walk<Types>(exec, p, d.walk);
        return true;
      case Scheme::Resident:
        launch_resident<Types>(exec, p, d.resident, sums, rows.image_in_chunks,
                               rows.table_in_chunks);
        return true;
      case Scheme::Tall:
        launch_tall<Types>(exec, p, d.tall, sums);
        return true;
      case Scheme::Strips:
        launch_strips<Types>(exec, p, d.strips, sums);
        return true;
      case Scheme::Tiles:
        with_table_tile<Types>(d.tile_columns, [&]<class Tile>(std::type_identity<Tile>) {
          launch_tiles<Tile>(exec, p, d.tiles, sums, rows.image_aligned, rows.table_aligned);
        });
        return true;
      case Scheme::None:
        break;
    }
    return false;
  }

 private:
  static bool along_rows(const Problem& p) {
    const auto contiguous = [](const auto& grid) {
      return grid.column_stride == 1 || grid.columns == 1;
    };
    return contiguous(p.image) && contiguous(p.table);
  }
  const Decompositions& cut(const Problem& p) const {
    return along_rows(p) ? along_rows_ : along_columns_;
  }

  /// @brief Tagged words, of which no two schemes need any at the same time.
  static std::size_t words(const Decompositions& d) {
    std::size_t most = 0;
    const auto need = [&](bool chosen, const auto& of_scheme) {
      if (chosen) most = std::max(most, of_scheme());
    };
    need(d.resident.teams > 0, [&] { return words_of_resident<Types>(d.resident); });
    need(d.tall.blocks > 0, [&] { return words_of_tall<Types>(d.tall); });
    need(d.strips.strips > 0, [&] { return words_of_strips<Types>(d.strips); });
    need(d.tiles.teams > 0, [&] {
      return with_table_tile<Types>(d.tile_columns, [&]<class Tile>(std::type_identity<Tile>) {
        return words_of_tiles<Tile>(d.blocks);
      });
    });
    return most == 0 ? 0 : gpu::BlockEpochs::size(d.blocks) + most;
  }

  Decompositions along_rows_;
  Decompositions along_columns_;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> words_;
};

/// @brief The tables for images of one size, and those of their squares: one after the other.
///
/// With squares images are read twice. Usually their pixels are bytes and entries 4 and 8: then
/// that is 14 bytes for a pixel instead of 13, and a block that made both tables would have half
/// the shared memory for each.
template <class Pixel, class T, class S = NoSquares>
class GpuTable {
  using Problem = TableProblem<Pixel, T, S>;

  template <class V>
  static constexpr bool summable = std::is_arithmetic_v<V> && (sizeof(V) == 4 || sizeof(V) == 8) &&
                                   !std::same_as<V, bool> && sizeof(Pixel) <= sizeof(V);
  static constexpr bool supported = summable<T> && (!Problem::has_squares || summable<S>);
  struct Nothing {};
  using Sums = TableTypes<Pixel, T>;
  using Squares = TableTypes<Pixel, S, true>;

 public:
  GpuTable() = default;
  GpuTable(const gpu::Device& exec, Index rows, Index columns, Index images) {
    if (gpu::device_path(Operation::SummedAreaTable, exec) != DevicePath::BulkCopies) return;
    if constexpr (supported) sums_ = table<Sums>(exec, rows, columns, images);
    if constexpr (supported && Problem::has_squares)
      squares_ = table<Squares>(exec, rows, columns, images);
  }

  /// @brief Whether the table takes what is above the image.
  bool takes_above([[maybe_unused]] const Problem& p) const {
    if constexpr (supported && !Problem::has_squares)
      return p.image.column_stride == 1 && p.table.column_stride == 1 &&
             sums_.scheme(p) == Scheme::Strips;
    return false;
  }
  /// @brief Enqueues the tables, or returns false if two scans must compute them.
  bool enqueue([[maybe_unused]] const gpu::Device& exec, [[maybe_unused]] const Problem& p) const {
    if constexpr (supported) {
      const TableProblem<Pixel, T> sums{p.image,        p.table,        {}, p.images,
                                        p.image_stride, p.table_stride, 0,  p.above};
      if (sums_.scheme(sums) == Scheme::None) return false;
      // Squares first: the other table may take the image's place.
      if constexpr (Problem::has_squares)
        if (!squares_.enqueue(
                exec, {p.image, p.squares, {}, p.images, p.image_stride, p.squares_stride, 0}))
          return false;
      return sums_.enqueue(exec, sums);
    }
    return false;
  }

 private:
  template <class Types>
  static SchemesTable<Types> table(const gpu::Device& exec, Index rows, Index columns,
                                   Index images) {
    const int blocks = gpu::device_properties(exec).multiProcessorCount;
    return {exec, decompositions<Types>({images, rows, columns}, blocks),
            decompositions<Types>({images, columns, rows}, blocks)};
  }

  std::conditional_t<supported, SchemesTable<Sums>, Nothing> sums_;
  std::conditional_t<supported && Problem::has_squares, SchemesTable<Squares>, Nothing> squares_;
};

}  // namespace wavescan::Impl::sat

#endif
