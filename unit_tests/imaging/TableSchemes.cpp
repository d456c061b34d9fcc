// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <cstdint>
#include <impl/sat/gpu/WaveScan_TableSchemes.hpp>
#include <string>

// Which scheme of GPUs computes tables, and how it partitions images. That is decided on the host,
// so it is tested there, for devices that need not exist.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using namespace wavescan::Impl::sat;

constexpr int h200 = 132;  // multiprocessors

template <class Pixel, class T>
std::string strips(Index rows, Index columns, int blocks, Index images = 1) {
  const Strips s = decompositions<TableTypes<Pixel, T>>({images, rows, columns}, blocks).strips;
  if (s.strips == 0) return "none";
  return std::to_string(s.width) + "/" + std::to_string(s.bytes) + ", " + std::to_string(s.strips) +
         " x " + std::to_string(s.groups) + " x " + std::to_string(s.panels);
}

TEST(TableSchemes, StripsOfFloat) {
  const auto of = [](auto... sizes) { return strips<float, float>(sizes...); };
  EXPECT_EQ(of(2048, 2048, h200), "64/256, 32 x 4 x 1");
  EXPECT_EQ(of(4096, 4096, h200), "128/512, 32 x 4 x 1");
  EXPECT_EQ(of(5120, 5120, h200), "128/512, 40 x 3 x 1");
  EXPECT_EQ(of(8192, 8192, h200), "64/256, 128 x 1 x 1");
  EXPECT_EQ(of(8704, 8704, h200), "72/512, 121 x 1 x 1");
  EXPECT_EQ(of(10240, 10240, h200), "80/512, 128 x 1 x 1");
  EXPECT_EQ(of(16384, 16384, h200), "128/512, 128 x 1 x 1");
  EXPECT_EQ(of(20480, 20480, h200), "160/1024, 128 x 1 x 1");
  EXPECT_EQ(of(64, Index(1) << 22, h200), "256/1024, 132 x 1 x 125");
}

TEST(TableSchemes, StripsOfManyImages) {
  const auto of = [](auto... sizes) { return strips<float, float>(sizes...); };
  EXPECT_EQ(of(2048, 2048, h200, 16), "none");
  EXPECT_EQ(of(8192, 8192, h200, 16), "64/256, 128 x 1 x 1");
}

TEST(TableSchemes, StripsOfDouble) {
  const auto of = [](auto... sizes) { return strips<double, double>(sizes...); };
  EXPECT_EQ(of(4096, 4096, h200), "32/256, 128 x 1 x 1");
  EXPECT_EQ(of(5120, 5120, h200), "40/512, 128 x 1 x 1");
  EXPECT_EQ(of(8192, 8192, h200), "64/512, 128 x 1 x 1");
  EXPECT_EQ(of(10240, 10240, h200), "80/1024, 128 x 1 x 1");
}

TEST(TableSchemes, StripsOfUint8ToUint32) {
  const auto of = [](auto... sizes) { return strips<std::uint8_t, std::uint32_t>(sizes...); };
  EXPECT_EQ(of(4096, 4096, h200), "128/512, 32 x 4 x 1");
  EXPECT_EQ(of(8192, 8192, h200), "64/256, 128 x 1 x 1");
  EXPECT_EQ(of(16384, 16384, h200), "128/512, 128 x 1 x 1");
  EXPECT_EQ(of(20480, 20480, h200), "64/256, 107 x 1 x 3");
  EXPECT_EQ(of(32768, 32768, h200), "128/512, 128 x 1 x 2");
  EXPECT_EQ(of(1000, 40000, h200), "64/256, 125 x 1 x 5");
}

template <class Pixel, class T, bool Squared = false>
Scheme scheme(Index rows, Index columns, Index images = 1, const RowLayout& layout = {}) {
  return select_scheme<TableTypes<Pixel, T, Squared>>({images, rows, columns}, layout, h200);
}

const RowLayout unaligned{false, false, false, false, false};

TEST(TableSchemes, OfFloat) {
  const auto of = [](auto... how) { return scheme<float, float>(how...); };
  EXPECT_EQ(of(64, 64), Scheme::Resident);
  EXPECT_EQ(of(1024, 1024), Scheme::Resident);
  EXPECT_EQ(of(512, 512, 4), Scheme::Resident);
  EXPECT_EQ(of(1000, 1000, 1, unaligned), Scheme::Resident) << "low tiles";
  EXPECT_EQ(of(1080, 1920, 1, unaligned), Scheme::Tiles) << "high ones";
  EXPECT_EQ(of(256, 256, 100), Scheme::Walk);
  EXPECT_EQ(of(1080, 1920, 20), Scheme::Walk);
  EXPECT_EQ(of(1080, 1920, 20, unaligned), Scheme::Walk);
  EXPECT_EQ(of(4096, 4096), Scheme::Strips);
  EXPECT_EQ(of(4096, 4096, 1, unaligned), Scheme::Tiles);
  EXPECT_EQ(of(16384, 16384), Scheme::Strips);
  EXPECT_EQ(of(64, 1 << 22), Scheme::Strips);
  EXPECT_EQ(of(64, 1 << 22, 1, unaligned), Scheme::TwoScans) << "wider than all blocks' tiles";
  EXPECT_EQ(of(1000000, 64), Scheme::Tiles);
  EXPECT_EQ(of(500000, 512), Scheme::Strips);
  EXPECT_EQ(of(2048, 2048, 16), Scheme::Tiles);
  EXPECT_EQ(of(2160, 3840, 8), Scheme::Strips);
  EXPECT_EQ(of(1, 1000000), Scheme::TwoScans) << "a scan";
  EXPECT_EQ(of(0, 1000), Scheme::TwoScans);
}

TEST(TableSchemes, OfDouble) {
  const auto of = [](auto... how) { return scheme<double, double>(how...); };
  EXPECT_EQ(of(720, 1280), Scheme::Resident);
  EXPECT_EQ(of(1080, 1920), Scheme::Strips);
  EXPECT_EQ(of(500000, 256), Scheme::Strips);
  EXPECT_EQ(of(1080, 1920, 20), Scheme::Tiles);
}

TEST(TableSchemes, OfUint8ToUint32) {
  const auto of = [](auto... how) { return scheme<std::uint8_t, std::uint32_t>(how...); };
  EXPECT_EQ(of(2048, 2048), Scheme::Resident);
  EXPECT_EQ(of(4096, 4096), Scheme::Strips);
  EXPECT_EQ(of(4096, 4096, 8), Scheme::Tiles);
  EXPECT_EQ(of(8192, 8192, 4), Scheme::Strips);
  EXPECT_EQ(of(500000, 512), Scheme::Strips);
  EXPECT_EQ(of(1024, 1024, 64), Scheme::Walk);
  EXPECT_EQ(of(1025, 1025, 64, unaligned), Scheme::Walk);
  EXPECT_EQ(of(1080, 1921, 40, unaligned), Scheme::Tiles) << "large images of bytes";
}

TEST(TableSchemes, OfSquares) {
  const auto of = [](auto... how) { return scheme<std::uint8_t, std::uint64_t, true>(how...); };
  EXPECT_EQ(of(1024, 1024), Scheme::Resident);
  EXPECT_EQ(of(4096, 4096), Scheme::Strips);
  EXPECT_EQ(of(256, 256, 256), Scheme::Walk);
  EXPECT_EQ(of(1024, 1024, 32), Scheme::Tiles) << "walks leave processors idle";
  EXPECT_EQ(of(500000, 512), Scheme::Strips);
}

TEST(TableSchemes, OfDevicesWithoutBulkCopies) {
  EXPECT_EQ((select_scheme<TableTypes<float, float>>({1, 1024, 1024}, {}, 0)), Scheme::TwoScans);
}

TEST(TableSchemes, TileColumns) {
  const auto of = [](auto types, Index rows, Index columns, Index images) {
    return best_tile_columns<decltype(types)>({images, rows, columns}, h200);
  };
  constexpr TableTypes<float, float> floats;
  EXPECT_EQ(of(floats, 1, 1000, 1), 0) << "a line";
  EXPECT_EQ(of(floats, 1024, 1024, 1), 128);
  EXPECT_EQ(of(floats, 256, 256, 100), 64);
  EXPECT_EQ(of(floats, 2048, 2048, 16), 128);
  // By the waves that tiles make: all of these were measured.
  EXPECT_EQ(of(floats, 2048, 2049, 1), 64);
  EXPECT_EQ(of(floats, 4096, 4097, 1), 128);
  EXPECT_EQ(of(floats, 20000, 301, 1), 64);
  EXPECT_EQ(of(floats, 100000, 129, 1), 128);
  EXPECT_EQ(of(floats, 12000, 12001, 1), 128) << "too wide for the others";
  EXPECT_EQ(of(floats, 480, 640, 16), 128);
  EXPECT_EQ(of(TableTypes<double, double>(), 480, 640, 16), 64);
  EXPECT_EQ(of(TableTypes<double, double>(), 2048, 2049, 1), 64);
  EXPECT_EQ(of(TableTypes<std::uint8_t, std::uint32_t>(), 256, 256, 100), 128);
}

// What is expected of numbers is compiled once, and not for each type of tables.

struct TileOfStrips {
  Index columns, rows, quantum;
  int bytes;
};
void expect_tile(const Strips& s, const TileOfStrips& tile, Index rows) {
  EXPECT_EQ(tile.bytes, s.bytes);
  EXPECT_LE(s.width, tile.columns);
  EXPECT_EQ(s.width % tile.quantum, 0);
  EXPECT_GE(Index(s.steps) * s.groups * tile.rows, rows);
}
void expect_strips(const Strips& s, Index columns, int blocks) {
  EXPECT_GE(s.strips, 1);
  EXPECT_LE(s.blocks(), blocks);
  EXPECT_GE(Index(s.width) * s.strips * s.panels, columns);
}

template <class Pixel, class T>
void expect_strips_cover(const char* name) {
  using Types = TableTypes<Pixel, T>;
  for (const Index rows : {1, 31, 500, 20000})
    for (const Index columns : {129, 257, 1021, 9001, 40000})
      for (const int blocks : {1, 2, 7, 58, 132, 159}) {
        SCOPED_TRACE(std::string(name) + ' ' + std::to_string(rows) + " x " +
                     std::to_string(columns) + ", " + std::to_string(blocks) + " blocks");
        const Strips s = Strips::of<Types>({1, rows, columns}, blocks);
        s.with_tile<Types>([&]<class Tile>(std::type_identity<Tile>) {
          expect_tile(s,
                      {Tile::columns, Tile::rows, Tile::quantum,
                       Tile::columns * static_cast<int>(sizeof(T))},
                      rows);
        });
        expect_strips(s, columns, blocks);
      }
}

TEST(TableSchemes, StripsCoverImages) {
  expect_strips_cover<float, float>("float");
  expect_strips_cover<double, double>("double");
  expect_strips_cover<std::uint8_t, std::uint32_t>("uint8 to uint32");
  expect_strips_cover<float, double>("float to double");
}

TEST(TableSchemes, OneStripIsNone) {
  using Types = TableTypes<float, float>;
  EXPECT_EQ(Strips::of<Types>({1, 1000, 128}, h200).strips, 0);
  EXPECT_EQ(Strips::of<Types>({1, 0, 1000}, h200).strips, 0);
}

void expect_walk(const Walk& w, Index tile_columns, Index tile_rows, Index rows, Index columns) {
  EXPECT_GE(w.blocks * w.strips * tile_columns, columns);
  EXPECT_GE(Index(w.bands) * w.group * tile_rows, rows);
}
void expect_resident(const Resident& r, Index tile_columns, Index warps, const TableShape& all,
                     int blocks) {
  EXPECT_LE(r.blocks(), blocks);
  EXPECT_EQ(r.teams, all.images);
  EXPECT_GE(Index(r.across) * tile_columns, all.columns);
  EXPECT_GE(Index(r.down) * warps * r.warp_rows, all.rows);
}

template <class Pixel, class T>
void expect_others_cover() {
  using Types = TableTypes<Pixel, T>;
  using InWalks = WalkTile<Types, false>;
  using Residing = ResidentTile<Types, Resident::max_rows, true>;
  for (const Index images : {1, 3, 20, 200})
    for (const Index rows : {1, 31, 500, 20000})
      for (const Index columns : {4, 64, 132, 1024, 9000})
        for (const int blocks : {1, 7, 132}) {
          SCOPED_TRACE(std::to_string(images) + " of " + std::to_string(rows) + " x " +
                       std::to_string(columns) + ", " + std::to_string(blocks) + " blocks");
          const Walk w = Walk::of<Types>({images, rows, columns}, blocks);
          if (w.blocks > 0) expect_walk(w, InWalks::columns, InWalks::rows, rows, columns);
          const Resident r = Resident::of<Types>({images, rows, columns}, blocks);
          if (r.teams > 0)
            expect_resident(r, Residing::columns, Residing::warps, {images, rows, columns}, blocks);
        }
}

TEST(TableSchemes, OthersCoverImages) {
  expect_others_cover<float, float>();
  expect_others_cover<double, double>();
  expect_others_cover<std::uint8_t, std::uint32_t>();
}

}  // namespace
