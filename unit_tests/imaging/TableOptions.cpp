// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_ImageViews.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ImageReference.hpp"

// What summed-area tables can do beyond a plain table of one image: borders, squares, batches.
// Few types, as each takes a device's compiler long.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

const std::vector<std::pair<std::int64_t, std::int64_t>> shapes{
    {1, 1}, {3, 5}, {33, 31}, {2, 3001}, {3001, 2}, {64, 700}, {257, 263}};

/// @brief Of floating point all small integers, so that sums of squares are exact.
template <class Pixel>
std::vector<Pixel> exact_pixels(std::int64_t count) {
  const auto bytes = Random().values<std::uint8_t>(count);
  std::vector<Pixel> pixels;
  for (const std::uint8_t byte : bytes)
    pixels.push_back(static_cast<Pixel>(std::floating_point<Pixel> ? byte % 16 : byte));
  return pixels;
}
template <class T, class Pixel>
std::vector<T> table_of(const Image<Pixel>& image) {
  const auto sums = sums_of_prefixes<std::uint64_t>(image, [](Pixel p) { return p; });
  return {sums.begin(), sums.end()};
}
template <class T, class Pixel>
std::vector<T> table_of_squares(const Image<Pixel>& image) {
  const auto sums = sums_of_prefixes<std::uint64_t>(
      image, [](Pixel p) { return static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(p); });
  return {sums.begin(), sums.end()};
}

template <class T>
std::vector<T> in_border(const std::vector<T>& table, std::int64_t rows, std::int64_t columns) {
  std::vector<T> result(static_cast<std::size_t>(columns + 1), T(0));
  auto entry = table.begin();
  for (std::int64_t i = 0; i < rows; ++i) {
    result.push_back(T(0));
    result.insert(result.end(), entry, entry + columns);
    entry += columns;
  }
  return result;
}

void expect_border(std::int64_t rows, std::int64_t columns) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
  const Image<std::uint8_t> image{rows, columns, Random().values<std::uint8_t>(rows * columns)};
  const GuardedArray<std::uint8_t> in(row_major(rows, columns), image.pixels);
  const auto expected = in_border(table_of<std::uint32_t>(image), rows, columns);
  for (const Placement& place :
       {row_major(rows + 1, columns + 1), column_major(rows + 1, columns + 1),
        spread(rows + 1, columns + 1)}) {
    const GuardedArray<std::uint32_t> out(place);
    summed_area_table(in.matrix(), out.matrix(), {.zero_border = true});
    EXPECT_TRUE(equal(out.values(), expected));
    EXPECT_TRUE(out.guards_intact());
  }
}

TEST(SummedAreaTable, InABorderOfZeros) {
  for (const auto& [rows, columns] : shapes) expect_border(rows, columns);
}

TEST(SummedAreaTable, BorderOfNoPixels) {
  for (const auto& [rows, columns] : {std::pair(0, 0), std::pair(0, 4), std::pair(4, 0)}) {
    const GuardedArray<std::uint8_t> in(row_major(rows, columns));
    const GuardedArray<std::uint32_t> out(row_major(rows + 1, columns + 1));
    summed_area_table(in.matrix(), out.matrix(), {.zero_border = true});
    EXPECT_TRUE(equal(out.values(), std::vector<std::uint32_t>(
                                        static_cast<std::size_t>((rows + 1) * (columns + 1)), 0)));
    EXPECT_TRUE(out.guards_intact());
  }
}

template <class Pixel, class T, class S>
void expect_squares(std::int64_t rows, std::int64_t columns, const Placement& table_place,
                    const Placement& squares_place) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
  const Image<Pixel> image{rows, columns, exact_pixels<Pixel>(rows * columns)};
  const GuardedArray<Pixel> in(row_major(rows, columns), image.pixels);
  const GuardedArray<T> out(table_place);
  const GuardedArray<S> squares(squares_place);
  summed_area_table(in.matrix(), out.matrix(), squares.matrix());
  EXPECT_TRUE(equal(out.values(), table_of<T>(image)));
  EXPECT_TRUE(equal(squares.values(), table_of_squares<S>(image)));
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(squares.guards_intact());
  EXPECT_TRUE(same_bits(in.values(), image.pixels));
  if constexpr (std::same_as<Pixel, T>) {  // the table in place of the image
    const GuardedArray<S> again(squares_place);
    summed_area_table(in.matrix(), in.matrix(), again.matrix());
    EXPECT_TRUE(equal(in.values(), table_of<T>(image)));
    EXPECT_TRUE(equal(again.values(), table_of_squares<S>(image)));
  }
}

TEST(SummedAreaTable, WithSquares) {
  for (const auto& [m, n] : shapes) {
    const Placement right = row_major(m, n), left = column_major(m, n), strided = spread(m, n);
    expect_squares<std::uint8_t, std::uint32_t, std::uint64_t>(m, n, right, right);
    expect_squares<std::uint8_t, std::uint32_t, std::uint64_t>(m, n, left, strided);
    expect_squares<float, float, float>(m, n, right, left);
  }
}

// As LargeNarrow, with squares.
TEST(SummedAreaTable, LargeNarrowWithSquares) {
  constexpr std::int64_t m = 20011, n = 67;
  expect_squares<std::uint8_t, std::uint32_t, std::uint64_t>(m, n, row_major(m, n),
                                                             row_major(m, n));
}

TEST(SummedAreaTable, WithSquaresInABorder) {
  const Image<std::uint8_t> image{13, 17, Random().values<std::uint8_t>(13 * 17)};
  const GuardedArray<std::uint8_t> in(row_major(13, 17), image.pixels);
  const GuardedArray<std::uint32_t> table(row_major(14, 18));
  const GuardedArray<std::uint64_t> squares(row_major(14, 18));
  summed_area_table(in.matrix(), table.matrix(), squares.matrix(), {.zero_border = true});
  EXPECT_TRUE(equal(table.values(), in_border(table_of<std::uint32_t>(image), 13, 17)));
  EXPECT_TRUE(equal(squares.values(), in_border(table_of_squares<std::uint64_t>(image), 13, 17)));
}

/// @brief Images one below the other.
template <class T>
auto stacked(const GuardedArray<T>& array, std::int64_t images) {
  const Placement& p = array.placement();
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return Kokkos::View<T***, Kokkos::LayoutStride, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      array.vector().data(),
      Kokkos::LayoutStride(size(images), size(p.rows / images * p.row_stride),
                           size(p.rows / images), size(p.row_stride), size(p.columns),
                           size(p.column_stride)));
}

void expect_batch(std::int64_t images, std::int64_t rows, std::int64_t columns) {
  SCOPED_TRACE(std::to_string(images) + " x " + std::to_string(rows) + " x " +
               std::to_string(columns));
  const std::vector<std::uint8_t> pixels = Random().values<std::uint8_t>(images * rows * columns);
  std::vector<std::uint32_t> tables;
  std::vector<std::uint64_t> squares;
  for (std::int64_t m = 0; m < images; ++m) {
    const auto image = image_at(pixels, m * rows * columns, rows, columns);
    const auto table = table_of<std::uint32_t>(image);
    const auto table_squared = table_of_squares<std::uint64_t>(image);
    tables.insert(tables.end(), table.begin(), table.end());
    squares.insert(squares.end(), table_squared.begin(), table_squared.end());
  }
  const std::int64_t all = images * rows;
  const Placement right = row_major(all, columns), strided = spread(all, columns);
  for (const auto& [place, place_of_squares] : {std::pair(right, strided), {strided, right}}) {
    const GuardedArray<std::uint8_t> in(row_major(all, columns), pixels);
    const GuardedArray<std::uint32_t> out(place), out_again(place);
    const GuardedArray<std::uint64_t> out_squares(place_of_squares);
    summed_area_table(stacked(in, images), stacked(out, images));
    EXPECT_TRUE(equal(out.values(), tables));
    EXPECT_TRUE(out.guards_intact());
    summed_area_table(stacked(in, images), stacked(out_again, images),
                      stacked(out_squares, images));
    EXPECT_TRUE(equal(out_again.values(), tables));
    EXPECT_TRUE(equal(out_squares.values(), squares));
    EXPECT_TRUE(out_squares.guards_intact());
  }
}

TEST(SummedAreaTable, OfBatches) {
  for (const std::int64_t images : {1, 2, 3, 100}) {  // more and fewer than threads
    expect_batch(images, 1, 1);
    expect_batch(images, 17, 40);
    expect_batch(images, 200, 130);
    expect_batch(images, 5, 1000);
  }
}

// A plan for all at once: a batch, squares, a border. It is asked twice, and allocates nothing
// then.
TEST(SummedAreaTable, PlanOfBatchesWithSquaresInABorder) {
  constexpr std::int64_t images = 2, rows = 33, columns = 70;
  const SummedAreaTable<Exec, std::uint8_t, std::uint32_t, std::uint64_t> plan(
      Exec(), images, rows, columns, {.zero_border = true});
  Random random;
  for (int k = 0; k < 2; ++k) {
    const auto pixels = random.values<std::uint8_t>(images * rows * columns);
    std::vector<std::uint32_t> tables;
    std::vector<std::uint64_t> tables_of_squares;
    for (std::int64_t m = 0; m < images; ++m) {
      const auto image = image_at(pixels, m * rows * columns, rows, columns);
      const auto table = in_border(table_of<std::uint32_t>(image), rows, columns);
      const auto squared = in_border(table_of_squares<std::uint64_t>(image), rows, columns);
      tables.insert(tables.end(), table.begin(), table.end());
      tables_of_squares.insert(tables_of_squares.end(), squared.begin(), squared.end());
    }
    const GuardedArray<std::uint8_t> in(row_major(images * rows, columns), pixels);
    const GuardedArray<std::uint32_t> out(row_major(images * (rows + 1), columns + 1));
    const GuardedArray<std::uint64_t> squares(row_major(images * (rows + 1), columns + 1));
    const auto batch = stacked(in, images);
    const auto table = stacked(out, images);
    const auto table_of_squares = stacked(squares, images);
    plan(batch, table, table_of_squares);
    Kokkos::fence();
    {
      const Recorder recorder;
      plan(batch, table, table_of_squares);
      EXPECT_EQ(join(recorder.allocations()), "");
      EXPECT_EQ(join(recorder.fences()), "");
    }
    EXPECT_TRUE(equal(out.values(), tables));
    EXPECT_TRUE(equal(squares.values(), tables_of_squares));
    EXPECT_TRUE(out.guards_intact());
    EXPECT_TRUE(squares.guards_intact());
  }
}

TEST(SummedAreaTable, OfChannels) {
  constexpr std::int64_t rows = 21, columns = 34, channels = 3;
  const auto pixels = Random().values<std::uint8_t>(rows * columns * channels);
  const GuardedArray<std::uint8_t> in(line(rows * columns * channels), pixels);
  const GuardedArray<std::uint32_t> out(line(rows * columns * channels));
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const Kokkos::View<const std::uint8_t***, Kokkos::LayoutRight, Exec, Unmanaged> color(
      in.vector().data(), rows, columns, channels);
  const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec, Unmanaged> tables(
      out.vector().data(), rows, columns, channels);
  summed_area_table(channels_first(color), channels_first(tables));
  std::vector<std::uint32_t> expected(pixels.size());
  for (std::size_t c = 0; c < channels; ++c) {
    Image<std::uint8_t> image{rows, columns, {}};
    for (std::size_t k = c; k < pixels.size(); k += channels) image.pixels.push_back(pixels[k]);
    const auto table = table_of<std::uint32_t>(image);
    for (std::size_t k = 0; k < table.size(); ++k) expected[k * channels + c] = table[k];
  }
  EXPECT_TRUE(equal(out.values(), expected));
  EXPECT_TRUE(out.guards_intact());
}

TEST(ChannelsFirst, SharesTheMemoryOfATemporary) {
  using Tables = Kokkos::View<int***, Kokkos::LayoutRight, Exec>;
  using Batch = Kokkos::View<int****, Kokkos::LayoutLeft, Exec>;
  const auto tables = channels_first(Tables("tables", 4, 5, 3));
  EXPECT_EQ(tables.use_count(), 1);
  EXPECT_EQ(tables.label(), "tables");
  Kokkos::deep_copy(tables, 7);
  const auto batch = channels_first(Batch("batch", 2, 4, 5, 3));
  EXPECT_EQ(batch.use_count(), 1);
  for (const int r : {0, 1, 2}) EXPECT_EQ(tables.extent_int(r), batch.extent_int(r + 1));

  const Tables owner("owner", 4, 5, 3);
  {
    const auto part =
        channels_first(Kokkos::subview(owner, Kokkos::pair(1, 3), Kokkos::ALL, Kokkos::pair(1, 3)));
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(part.data(), owner.data() + 16);
    EXPECT_EQ(part.extent(0) * part.extent(1) * part.extent(2), 2u * 2 * 5);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

/// @brief A table of floats computed on the host by an instance.
template <class Host>
std::vector<float> table_by(const Host& host, const Image<float>& image) {
  const GuardedArray<float, Host> in(row_major(image.rows, image.columns), image.pixels);
  const GuardedArray<float, Host> out(row_major(image.rows, image.columns));
  summed_area_table(host, in.matrix(), out.matrix());
  return out.values();
}

TEST(SummedAreaTable, DoesNotDependOnTheNumberOfHostThreads) {
  const Kokkos::DefaultHostExecutionSpace host;
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{700, 701}, {5000, 33}, {40, 5000}, {300, 130}}) {
    const Image<float> image{rows, columns, Random().values<float>(rows * columns)};
    const auto expected = table_by(host, image);
    for (const auto& part : Kokkos::Experimental::partition_space(host, 1, 1))
      EXPECT_TRUE(same_bits(table_by(part, image), expected)) << rows << " x " << columns;
  }
}

TEST(MostPixels, IsTheLargestImageThatFits) {
  EXPECT_EQ(max_pixels<std::uint32_t>(255), 0xffffffffu / 255);
  EXPECT_EQ(max_pixels<std::int32_t>(255 * 255), 33025u);  // squares of bytes
  EXPECT_EQ(max_pixels<float>(1), std::uint64_t(1) << 24);
  EXPECT_EQ(max_pixels<double>(65535), (std::uint64_t(1) << 53) / 65535);
  EXPECT_EQ(max_pixels<std::uint8_t>(256), 0u);
  EXPECT_TRUE(rejects("max_pixels", "largest", [] { max_pixels<int>(0); }));
  // One pixel more and the last entry wraps around.
  const auto most = static_cast<std::int64_t>(max_pixels<std::uint16_t>(255));
  EXPECT_TRUE(accumulator_suffices<std::uint16_t>(1, most, 255));
  EXPECT_FALSE(accumulator_suffices<std::uint16_t>(1, most + 1, 255));
  using Host = Kokkos::DefaultHostExecutionSpace;
  const GuardedArray<std::uint8_t, Host> in(
      line(most + 1), std::vector<std::uint8_t>(static_cast<std::size_t>(most + 1), 255));
  const GuardedArray<std::uint16_t, Host> out(row_major(1, most + 1));
  summed_area_table(Host(), in.matrix(), out.matrix());
  const auto sums = out.values();
  EXPECT_EQ(sums[static_cast<std::size_t>(most - 1)], most * 255);
  EXPECT_LT(sums.back(), 255);
}

template <class Table, class Rectangles, class Out>
void sum_in_border(const Table& table, const Rectangles& rectangles, const Out& out) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(0, out.extent(0)),
      KOKKOS_LAMBDA(const int q) { out(q) = bordered_rectangle_sum(table, rectangles(q)); });
}

TEST(RectangleSums, OfTablesInABorder) {
  const Image<std::uint8_t> image{11, 9, Random().values<std::uint8_t>(99)};
  const GuardedArray<std::uint8_t> in(row_major(11, 9), image.pixels);
  const GuardedArray<std::uint32_t> table(row_major(12, 10));
  summed_area_table(in.matrix(), table.matrix(), {.zero_border = true});
  const std::vector<Rectangle> rectangles{{0, 0, 11, 9},  {0, 0, 1, 1}, {3, 2, 3, 7},
                                          {10, 8, 11, 9}, {2, 0, 7, 5}, {0, 4, 5, 9}};
  const Kokkos::View<Rectangle*, Exec> queries("queries", rectangles.size());
  const auto host = Kokkos::create_mirror_view(queries);
  for (std::size_t q = 0; q < rectangles.size(); ++q) host(q) = rectangles[q];
  Kokkos::deep_copy(queries, host);
  const auto count = static_cast<std::int64_t>(rectangles.size());
  const GuardedArray<std::uint32_t> out(line(count)), same(line(count));
  sum_in_border(table.matrix(), queries, out.vector());
  rectangle_sums(without_border(table.matrix()), queries, same.vector());
  std::vector<std::uint32_t> expected;
  for (const Rectangle& r : rectangles)
    expected.push_back(sum_over<std::uint32_t>(image, r, [](std::uint8_t p) { return p; }));
  EXPECT_TRUE(equal(out.values(), expected));
  EXPECT_TRUE(equal(same.values(), expected));
  const GuardedArray<std::uint32_t> none(row_major(0, 3));
  EXPECT_TRUE(rejects("without_border", "table", [&] { without_border(none.matrix()); }));
  const GuardedArray<std::uint32_t> narrow(row_major(3, 0));
  EXPECT_TRUE(rejects("without_border", "table", [&] { without_border(narrow.matrix()); }));
}

TEST(SummedAreaTable, RejectsWrongOptions) {
  const GuardedArray<std::uint8_t> image(row_major(4, 6));
  const GuardedArray<std::uint32_t> table(row_major(5, 7)), narrow(row_major(5, 6));
  const GuardedArray<std::uint64_t> squares(row_major(4, 6));
  const GuardedArray<float> all(row_major(4, 6));
  const auto before = table.values();
  const auto squares_before = squares.values();
  using Plan = SummedAreaTable<Exec, std::uint8_t, std::uint32_t>;
  const auto throws = [](const char* operation, const char* argument, const auto& call) {
    EXPECT_TRUE(rejects(operation, argument, call));
  };
  throws("summed_area_table", "table",
         [&] { summed_area_table(image.matrix(), narrow.matrix(), {.zero_border = true}); });
  throws("summed_area_table", "table", [&] { summed_area_table(image.matrix(), table.matrix()); });
  throws("summed_area_table", "squares", [&] {
    summed_area_table(image.matrix(), table.matrix(), squares.matrix(), {.zero_border = true});
  });
  throws("summed_area_table", "squares",
         [&] { summed_area_table(all.matrix(), all.matrix(), all.matrix()); });
  const GuardedArray<float> other(row_major(4, 6));
  throws("summed_area_table", "squares",
         [&] { summed_area_table(all.matrix(), other.matrix(), other.matrix()); });
  const GuardedArray<float> folded({4, 6, 1, 1});
  throws("summed_area_table", "table",
         [&] { summed_area_table(all.matrix(), folded.matrix(), other.matrix()); });
  throws("summed_area_table", "squares",
         [&] { summed_area_table(all.matrix(), other.matrix(), folded.matrix()); });
  throws("SummedAreaTable", "images", [] { Plan(Exec(), -1, 4, 6); });
  throws("SummedAreaTable", "rows",
         [] { Plan(Exec(), std::int64_t(1) << 32, std::int64_t(1) << 32, 1); });
  throws("SummedAreaTable", "columns",
         [] { Plan(Exec(), 1 << 10, std::int64_t(1) << 30, std::int64_t(1) << 30); });
  throws("summed_area_table", "image",
         [&] { Plan(Exec(), 2, 2, 6)(stacked(image, 1), stacked(table, 1)); });
  EXPECT_TRUE(equal(table.values(), before));
  EXPECT_TRUE(equal(squares.values(), squares_before));
}

}  // namespace
