// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TABLESCHEMES_HPP
#define WAVESCAN_IMPL_SAT_GPU_TABLESCHEMES_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>
#include <impl/sat/gpu/WaveScan_Resident_Decomposition.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Decomposition.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Decomposition.hpp>
#include <impl/sat/gpu/WaveScan_Walk_Decomposition.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief The selection of schemes for tables on GPUs, by size, types and device, with the
/// decompositions of the images: on the host, for plans, tests and the page on tables.

namespace wavescan::Impl::sat {

/// @brief The schemes, in the order in which they are asked.
enum class Scheme {
  TwoScans,  ///< what no other is for
  Walk,      ///< many images, each of a few blocks, of any alignment
  Resident,  ///< images that are on the chip all at once
  Strips,    ///< large images
  Tiles,     ///< any images, of any alignment
};

/// @brief The layout of rows in memory, as far as schemes ask.
struct RowLayout {
  /// Rows consist of whole chunks, 16 bytes of the table, at multiples of their size.
  bool image_in_chunks = true;
  bool table_in_chunks = true;
  bool image_aligned = true;  ///< rows begin at multiples of 16 bytes, ...
  bool table_aligned = true;
  bool pitched = true;  ///< ... even if there is but one, and do not overlap
};

/// @brief Each scheme's decomposition for a size: none if that is not for it, or others are
/// quicker.
struct Decompositions {
  TableShape shape{};
  int blocks = 0;  ///< one for each multiprocessor
  Walk walk{};
  bool walks_unaligned = true;  ///< rather than to take tiles
  Resident resident{};
  Strips strips{};
  int tile_columns = 0;
  TableWaves tiles{};

  Scheme scheme(const RowLayout& rows) const {
    const bool chunks = rows.image_in_chunks && rows.table_in_chunks;
    if (walk.blocks > 0 && (chunks || walks_unaligned)) return Scheme::Walk;
    if (resident.teams > 0 && (chunks || resident.is_low())) return Scheme::Resident;
    if (strips.strips > 0 && rows.image_aligned && rows.table_aligned && rows.pitched)
      return Scheme::Strips;
    return tiles.teams > 0 ? Scheme::Tiles : Scheme::TwoScans;
  }

  /// @brief Tiles of so many columns, 64 or 128.
  template <class Types>
  void divide_into_tiles(int width);
};

/// @brief Calls `f` with the std::type_identity of tiles of so many columns. Of sums that are wider
/// than entries there are tiles of 128 alone.
template <class Types, class F>
auto with_table_tile(int columns, const F& f) {
  if constexpr (!Types::wide_sums)
    if (columns == 64) return f(std::type_identity<TableTile<Types, 64>>());
  return f(std::type_identity<TableTile<Types, 128>>());
}

template <class Types>
void Decompositions::divide_into_tiles(int width) {
  tiles = with_table_tile<Types>(width, [&]<class Tile>(std::type_identity<Tile>) {
    tile_columns = Tile::columns;
    return TableWaves::of(shape, blocks, Tile::rows, Tile::columns);
  });
}

/// @brief Whether strips are quicker than tiles; they must have work for most blocks.
template <class Types>
bool prefers_strips(const TableShape& s, const Strips& strips, int blocks) {
  if (2 * strips.blocks() <= blocks) return false;
  // Strips go through one image after the other, tiles through all of them at once.
  const bool square = std::min(s.rows, s.columns) >= 256;
  if (s.images == 1) return s.pixels() >= (square ? 1 << 16 : 1 << 22);
  // Bytes come so fast that images of some size are done before strips are in step.
  return s.pixels() >= (sizeof(typename Types::Pixel) == 1 ? 5 << 22 : 8000000);
}

/// @brief Columns of the quickest tiles for images of this size, or 0 if none are.
///
/// The wider the tiles, the fewer blocks ask each other for the sums over their rows, and the more
/// for those over their columns. Many small images need neither. Where numbers are loaded as they
/// are stored, waves tell if one width divides an image better, where a row has more than two wide
/// tiles; but wide tiles of wide types are never the better ones for it.
template <class Types>
int best_tile_columns(const TableShape& s, int blocks) {
  // Little more than a line: most of a tile would be empty.
  if (s.images == 1 && std::min(s.rows, s.columns) < 8) return 0;
  constexpr std::size_t pixel_bytes = sizeof(typename Types::Pixel),
                        bytes = sizeof(typename Types::T);
  if constexpr (pixel_bytes == bytes) {
    const auto time = [&]<class Tile>(std::type_identity<Tile>) {
      return TableWaves::of(s, blocks, Tile::rows, Tile::columns).time(Tile::rows, Tile::columns);
    };
    const double narrow = with_table_tile<Types>(64, time),
                 wide = with_table_tile<Types>(128, time);
    if (narrow < 0.95 * wide && s.columns > 256) return 64;
    if (bytes == 4 && wide < 0.95 * narrow) return 128;
  }
  const bool many = s.images >= 8 && pixel_bytes > 1;
  return s.columns <= (many ? 1024 : 64) ? 64 : 128;
}

/// Where sums are wider than entries, which is slower and rare, two kernels are compiled: strips of
/// one width, and tiles.
///
/// @param s      of images whose rows run along memory
/// @param blocks one for each multiprocessor of a device with bulk copies
template <class Types>
Decompositions decompositions(const TableShape& s, int blocks) {
  Decompositions d{s, blocks};
  if (s.images * s.pixels() == 0 || blocks == 0) return d;
  if constexpr (!Types::wide_sums) {
    d.walk = Walk::of<Types>(s, blocks);
    d.walks_unaligned = sizeof(typename Types::Pixel) > 1 || s.pixels() < 3 << 19;
    d.resident = Resident::of<Types>(s, blocks);
  }
  const Strips strips = Strips::of<Types>(s, blocks);
  if (prefers_strips<Types>(s, strips, blocks)) d.strips = strips;
  if (const int columns = best_tile_columns<Types>(s, blocks)) d.divide_into_tiles<Types>(columns);
  return d;
}

/// @brief The scheme for images of a size with rows in a layout, on a device with so many
/// multiprocessors and bulk copies.
template <class Types>
Scheme select_scheme(const TableShape& shape, const RowLayout& rows, int multiprocessors) {
  return decompositions<Types>(shape, multiprocessors).scheme(rows);
}

/// @brief The layout of images and tables whose rows run along memory.
template <class Pixel, class T>
RowLayout row_layout(const TableProblem<Pixel, T>& p) {
  const auto in_chunks = [&]<class E>(const Grid<E>& grid, Index stride) {
    constexpr std::size_t chunk = 16 / sizeof(T);
    return grid.columns % Index(chunk) == 0 &&
           rows_begin_at(chunk * sizeof(E), grid, p.images, stride);
  };
  const auto pitched = []<class E>(const Grid<E>& grid) {
    return grid.column_stride == 1 && grid.row_stride >= grid.columns &&
           grid.row_stride * Index(sizeof(E)) % 16 == 0;
  };
  return {in_chunks(p.image, p.image_stride), in_chunks(p.table, p.table_stride),
          rows_begin_at(16, p.image, p.images, p.image_stride),
          rows_begin_at(16, p.table, p.images, p.table_stride),
          pitched(p.image) && pitched(p.table)};
}

}  // namespace wavescan::Impl::sat

#endif
