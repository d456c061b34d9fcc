// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_MPI_IntegralHistogram.hpp>
#include <WaveScan_MPI_SummedAreaTable.hpp>
#include <vector>

#include "Distributed.hpp"

namespace wavescan::Test {
namespace {

/// @brief The sum of f(i, j) over rows [0, row) and columns [0, column), by a plain table.
template <class T, class F>
std::vector<T> sums_of(std::int64_t rows, std::int64_t columns, const F& f) {
  std::vector<T> sums(static_cast<std::size_t>((rows + 1) * (columns + 1)), T(0));
  const auto at = [&](std::int64_t i, std::int64_t j) -> T& {
    return sums[static_cast<std::size_t>(i * (columns + 1) + j)];
  };
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      at(i + 1, j + 1) = static_cast<T>(at(i + 1, j) + at(i, j + 1) - at(i, j) + f(i, j));
  return sums;
}

template <class Pixel, class T, class Layout>
void check_table(Random& random, const Distribution& rows, std::int64_t columns, bool border) {
  const std::int64_t b = border ? 1 : 0;
  const auto pixels = random.integers<Pixel>(rows.all() * columns, 0, 100);
  const auto sums = sums_of<T>(rows.all(), columns, [&](auto i, auto j) {
    return static_cast<T>(pixels[static_cast<std::size_t>(i * columns + j)]);
  });
  const std::int64_t first = rows.first(rank_of(world)), m = rows.count(rank_of(world));
  const auto extent = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const Kokkos::View<Pixel**, Layout, Shared> image("image", extent(m), extent(columns));
  const Kokkos::View<T**, Layout, Shared> table("table", extent(m + b), extent(columns + b));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      image(i, j) = pixels[static_cast<std::size_t>((first + i) * columns + j)];
  Kokkos::deep_copy(table, T(111));
  mpi::summed_area_table(world, image, table, {.zero_border = border});
  bool equal = true;
  for (std::int64_t i = 0; i < m + b; ++i)
    for (std::int64_t j = 0; j < columns + b; ++j)
      equal &= table(i, j) ==
               sums[static_cast<std::size_t>((first + i + 1 - b) * (columns + 1) + j + 1 - b)];
  EXPECT_TRUE(equal) << m << " of " << rows.all() << " rows, " << columns << " columns";
}

TEST(MpiTables, SummedAreaTables) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int turn = 0; turn < 10; ++turn)
    for (const bool border : {false, true}) {
      const auto rows = Distribution::random(random, size_of(world), 40);
      const std::int64_t columns = random.integer(0, 70);
      check_table<std::uint8_t, std::uint32_t, Kokkos::LayoutRight>(random, rows, columns, border);
      // Sums of integers.
      check_table<double, double, Kokkos::LayoutLeft>(random, rows, columns, border);
    }
}

/// @brief Tables that GPUs begin with the sums of what is above, and others of about their size.
TEST(MpiTables, LargeSummedAreaTables) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t columns : {1024, 1040, 1500, 4112, 1027}) {
    SCOPED_TRACE(columns);
    const auto rows = Distribution::at_least(random, size_of(world), 256, 600);
    check_table<std::uint8_t, std::uint32_t, Kokkos::LayoutRight>(random, rows, columns, false);
    check_table<double, double, Kokkos::LayoutRight>(random, rows, columns, false);
    check_table<std::int16_t, std::int16_t, Kokkos::LayoutRight>(random, rows, columns, false);
    check_table<float, double, Kokkos::LayoutLeft>(random, rows, columns, true);
    if (!everywhere(world, !testing::Test::HasFailure())) return;
  }
}

TEST(MpiTables, IntegralHistograms) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int turn = 0; turn < 10; ++turn) {
    const auto rows = Distribution::random(random, size_of(world), 20);
    const std::int64_t columns = random.integer(0, 50), bins = random.integer(1, 9);
    const auto pixels = random.integers<int>(rows.all() * columns, 0, 255);
    const UniformBins<int> binning{0, 256, static_cast<int>(bins)};
    const std::int64_t first = rows.first(rank_of(world)), m = rows.count(rank_of(world));
    const auto extent = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const Kokkos::View<int**, Kokkos::LayoutRight, Shared> image("image", extent(m),
                                                                 extent(columns));
    const Kokkos::View<int***, Kokkos::LayoutRight, Shared> histogram("histogram", extent(bins),
                                                                      extent(m), extent(columns));
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        image(i, j) = pixels[static_cast<std::size_t>((first + i) * columns + j)];
    Kokkos::deep_copy(histogram, -1);
    mpi::integral_histogram(world, image, binning, histogram);
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      const auto sums = sums_of<int>(rows.all(), columns, [&](auto i, auto j) {
        return binning(pixels[static_cast<std::size_t>(i * columns + j)]) == bin ? 1 : 0;
      });
      bool equal = true;
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          equal &= histogram(bin, i, j) ==
                   sums[static_cast<std::size_t>((first + i + 1) * (columns + 1) + j + 1)];
      EXPECT_TRUE(equal) << "bin " << bin;
    }
  }
}

TEST(MpiTables, Errors) {
  if (size_of(world) == 1) return;
  const bool wrong = rank_of(world) == 1;
  const Kokkos::View<int**, Shared> image("image", 4, 5), table("table", 4, wrong ? 6 : 5);
  EXPECT_TRUE(rejects("mpi::summed_area_table", "table",
                      [&] { mpi::summed_area_table(world, image, table); }));
  const std::size_t columns = wrong ? 7 : 5;
  const Kokkos::View<int**, Shared> other("image", 4, columns), sums("table", 4, columns);
  EXPECT_TRUE(rejects("mpi::summed_area_table", "columns",
                      [&] { mpi::summed_area_table(world, other, sums); }));
  EXPECT_TRUE(rejects("mpi::SummedAreaTable", "rows", [&] {
    mpi::SummedAreaTable<Exec, int, int>(world, Exec(), wrong ? -1 : 4, 5);
  }));
  const mpi::SummedAreaTable<Exec, int, int> plan(world, Exec(), wrong ? 3 : 4, 5);
  EXPECT_TRUE(rejects("mpi::summed_area_table", "image", [&] { plan(image, image); }));

  const UniformBins<int> binning{0, 256, wrong ? 2 : 3};
  const Kokkos::View<int***, Kokkos::LayoutRight, Shared> histogram("histogram", 3, 4, 5);
  const Kokkos::View<int**, Kokkos::LayoutRight, Shared> pixels("image", 4, 5);
  EXPECT_TRUE(rejects("mpi::integral_histogram", "binning",
                      [&] { mpi::integral_histogram(world, pixels, binning, histogram); }));
}

}  // namespace
}  // namespace wavescan::Test
