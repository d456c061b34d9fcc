// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_GPUTABLE_HPP
#define WAVESCAN_IMPL_SAT_GPU_GPUTABLE_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>
#include <impl/sat/gpu/WaveScan_TableSchemes.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Kernel.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/sat/gpu/WaveScan_Resident_Kernel.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Kernel.hpp>
#include <impl/sat/gpu/WaveScan_Walk_Kernel.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief Summed-area tables on NVIDIA GPUs, and by tiles on AMD's: the workspace and the launches
/// of all schemes.

namespace wavescan::Impl::sat {

/// @brief Tables of pixels, or of their squares, for images of one size.
///
/// Where both are wanted, images are read twice. Usually their pixels are bytes and entries 4 and
/// 8: then that is 14 bytes for a pixel instead of 13, and a block that made both tables would have
/// half the shared memory for each.
template <class Types>
class GpuTable {
  using T = typename Types::T;
  using Problem = ProblemOf<Types>;

 public:
  static constexpr bool supported = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                                    sizeof(typename Types::Pixel) <= sizeof(T);

  GpuTable(const gpu::Device& exec, const TableShape& s)
      : GpuTable(exec, able(decompositions<Types>(s, processors(exec))),
                 able(decompositions<Types>(s.transposed(), processors(exec)))) {}
  /// @brief Whether there is shared memory for tiles of so many columns.
  static bool has_tiles(int columns) {
    return with_table_tile<Types>(
        columns, []<class Tile>(std::type_identity<Tile>) { return TableMemory<Tile>::fits; });
  }

#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  /// @brief Whether there is room for such strips.
  static bool has_strips(const Strips& decomposition) {
    return decomposition.strips > 0 &&
           decomposition.template with_tile<Types>([&]<class Tile>(std::type_identity<Tile>) {
             return StripsMemory<Tile>(decomposition.width).suffices();
           });
  }
#endif

  /// @param along_rows    for images whose rows run along memory
  /// @param along_columns for those whose columns do
  GpuTable(const gpu::Device& exec, const Decompositions& along_rows,
           const Decompositions& along_columns)
      : along_rows_(along_rows), along_columns_(along_columns) {
    // No tag of a launch is zero; after this nothing is ever cleared.
    allocate_cleared(exec, words_, "WaveScan::summed_area_table::sums",
                     std::max(words(along_rows), words(along_columns)));
  }

  /// @brief The scheme that computes these tables.
  Scheme scheme(const Problem& given) const { return choose(given).scheme; }

  /// @brief Whether the table takes what is above the image.
  bool takes_above(const Problem& p) const {
    return !Types::squared && !Types::wide_sums && p.image.column_stride == 1 &&
           p.table.column_stride == 1 && scheme(p) == Scheme::Strips;
  }
  /// @brief Enqueues the tables, or returns false if two scans must compute them.
  bool enqueue(const gpu::Device& exec, const Problem& given) const {
    const Choice choice = choose(given);
    const Problem& p = choice.problem;
    const Decompositions& d = choice.decompositions;
    const RowLayout& rows = choice.rows;
    const gpu::BlockEpochs sums{words_.data(), d.blocks};
    switch (choice.scheme) {
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
      case Scheme::Walk:
        if constexpr (!Types::wide_sums)
          launch_walk<Types>(exec, p, d.walk, rows.image_in_chunks && rows.table_in_chunks);
        return true;
      case Scheme::Resident:
        if constexpr (!Types::wide_sums)
          launch_resident<Types>(exec, p, d.resident, sums, rows.image_in_chunks,
                                 rows.table_in_chunks);
        return true;
      case Scheme::Strips:
        launch_strips<Types>(exec, p, d.strips, sums);
        return true;
#endif
      case Scheme::Tiles:
        return with_table_tile<Types>(d.tile_columns, [&]<class Tile>(std::type_identity<Tile>) {
          if constexpr (TableMemory<Tile>::fits)
            launch_tiles<Tile>(exec, p, d.tiles, sums, rows.image_aligned, rows.table_aligned);
          return TableMemory<Tile>::fits;
        });
      default:
        break;
    }
    return false;
  }

 private:
  /// @brief The part of it for the GPUs that are compiled for: without bulk copies, or with less
  /// shared memory than Hopper's, strips, where copies are not plain, and tiles, if there is room.
  /// AMD's GPUs have tiles.
  static Decompositions able(const Decompositions& all) {
    if constexpr (gpu::has_hopper_memory) return all;
    Decompositions d{all.shape, all.blocks};
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if (gpu::mover != gpu::Mover::Plain && has_strips(all.strips)) d.strips = all.strips;
#endif
    for (const int columns : {all.tile_columns, 2 * gpu::warp_size})
      if (d.tile_columns == 0 && all.tiles.teams > 0 && has_tiles(columns))
        d.divide_into_tiles<Types>(columns);
    return d;
  }
  static int processors(const gpu::Device& exec) {
    return gpu::device_properties(exec).multiProcessorCount;
  }
  static bool along_rows(const Problem& p) {
    const auto contiguous = [](const auto& grid) {
      return grid.column_stride == 1 || grid.columns == 1;
    };
    return contiguous(p.image) && contiguous(p.table);
  }
  /// @brief Tables as they are computed: with rows that run along memory, if either way round does.
  struct Choice {
    Problem problem;
    const Decompositions& decompositions;
    RowLayout rows;
    Scheme scheme;
  };
  Choice choose(const Problem& given) const {
    const bool as_given = along_rows(given);
    const Problem p = as_given ? given : transposed(given);
    const Decompositions& decompositions = as_given ? along_rows_ : along_columns_;
    const RowLayout rows = row_layout(p);
    return {p, decompositions, rows,
            along_rows(p) ? decompositions.scheme(rows) : Scheme::TwoScans};
  }

  /// @brief Tagged words, of which no two schemes need any at the same time.
  static std::size_t words(const Decompositions& d) {
    std::size_t most = 0;
    const auto need = [&](bool chosen, const auto& of_scheme) {
      if (chosen) most = std::max(most, of_scheme());
    };
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (!Types::wide_sums)
      need(d.resident.teams > 0, [&] { return words_of_resident<Types>(d.resident); });
    need(d.strips.strips > 0, [&] { return words_of_strips<Types>(d.strips); });
#endif
    need(d.tiles.teams > 0, [&] {
      return with_table_tile<Types>(d.tile_columns, [&]<class Tile>(std::type_identity<Tile>) {
        return words_of_tiles<Tile>(d.blocks);
      });
    });
    return most == 0 ? 0 : gpu::BlockEpochs::size(d.blocks) + most;
  }

  Decompositions along_rows_;
  Decompositions along_columns_;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> words_;
};

}  // namespace wavescan::Impl::sat

#endif
