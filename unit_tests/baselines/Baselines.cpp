// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>
#include <baselines/WaveScanPerf_Hypertile.hpp>
#include <baselines/WaveScanPerf_LibThrust.hpp>
#include <baselines/WaveScanPerf_Problems.hpp>
#include <baselines/WaveScanPerf_RowsGlobal.hpp>
#include <baselines/WaveScanPerf_Tile.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Every baseline against schedule Serial, on arrays smaller and larger than a tile.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

struct Shape {
  std::int64_t rows, columns;
};
constexpr Shape shapes[]{{3, 3},   {5, 300}, {300, 5},  {32, 64},   {33, 65},  {31, 63},
                         {64, 32}, {66, 66}, {97, 131}, {130, 257}, {257, 128}};
constexpr TileSize sizes[]{{1, 1}, {2, 7}, {32, 32}, {32, 64}, {48, 5}, {64, 33}};

/// How many entries differ, by more than rounding for floating-point numbers.
template <class Matrix>
int differences(const Matrix& a, const Matrix& b) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  int count = 0;
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j)
      if constexpr (std::is_integral_v<typename Matrix::value_type>)
        count += x(i, j) != y(i, j) ? 1 : 0;
      else
        count += std::abs(x(i, j) - y(i, j)) <= 1e-5 * (1 + std::abs(x(i, j))) ? 0 : 1;
  return count;
}

/// @param run run(exec, on, size) calls a baseline on a Case
template <class L, class Run>
void check(const Run& run) {
  const Exec exec;
  for (const Shape& shape : shapes) {
    const Case<Exec, L> expected(exec, shape.rows, shape.columns);
    const Case<Exec, L> actual(exec, shape.rows, shape.columns);
    wavefront(exec, expected.loop(), expected.array(),
              {.schedule = Schedule::Serial, .range = expected.range()});
    for (const TileSize& size : sizes) {
      actual.restart(exec);
      run(exec, actual, size);
      EXPECT_EQ(differences(expected.array(), actual.array()), 0)
          << L::name << " on " << shape.rows << " x " << shape.columns << ", tiles of " << size.rows
          << " x " << size.columns;
    }
  }
}

template <class L>
class Baselines : public testing::Test {};
using Loops = testing::Types<Algorithm1, MeanOfFive, LocalAlignment, SummedArea>;
TYPED_TEST_SUITE(Baselines, Loops);

TYPED_TEST(Baselines, Tile) {
  check<TypeParam>([](const Exec& exec, const auto& on, const TileSize& size) {
    Tile(exec, on.problem(), size).run();
  });
}

TYPED_TEST(Baselines, Hypertile) {
  check<TypeParam>([](const Exec& exec, const auto& on, const TileSize& size) {
    const Hypertile program(exec, on.problem(), size);
    program.change_layout();
    Kokkos::deep_copy(exec, on.array(), 99);
    program.run();
    program.change_layout_back();
  });
}

TYPED_TEST(Baselines, RowsGlobal) {
  check<TypeParam>([](const Exec& exec, const auto& on, const TileSize&) {
    RowsGlobal(exec, on.problem()).run();
  });
}

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
TYPED_TEST(Baselines, LibThrust) {
  check<TypeParam>([](const Exec& exec, const auto& on, const TileSize&) {
    LibThrust(exec, on.problem()).run();
  });
}
#endif

}  // namespace
