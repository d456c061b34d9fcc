// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScan_SmithWatermanMatrix.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, wt::Exec>;

template <class T>
void expect_matrix(const std::string& a, const std::string& b,
                   const ws::WavefrontOptions& options = {}) {
  const wt::LetterTable table;
  constexpr std::int64_t gap = 3;
  const Matrix<T> matrix("matrix", a.size(), b.size());
  Kokkos::deep_copy(matrix, T(-77));
  ws::smith_waterman_matrix(wt::Exec(), wt::letters(a), wt::letters(b), table, {gap}, matrix,
                            options);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix);
  const std::vector<std::int64_t> expected = wt::reference_matrix(a, b, table, gap);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      ASSERT_EQ(host(i, j), expected[i * b.size() + j]) << "at " << i << ", " << j;
}

TEST(Matrices, AllSchedulesAgree) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<std::pair<int, int>> extents{{0, 5},   {5, 0},   {1, 1},   {1, 300},
                                                 {300, 1}, {31, 33}, {64, 64}, {257, 131}};
  for (const auto& [m, n] : extents) {
    const std::string a = wt::random_text(random, m, "ACGT");
    const std::string b = (wt::mutated(random, a, "ACGT") + wt::random_text(random, n, "ACGT"))
                              .substr(0, static_cast<std::size_t>(n));
    for (const ws::Schedule schedule : ws::schedules) {
      SCOPED_TRACE(std::string(ws::to_string(schedule)) + ", " + std::to_string(m) + " x " +
                   std::to_string(n));
      expect_matrix<std::int32_t>(a, b, {.schedule = schedule});
      expect_matrix<std::int32_t>(a, b, {.schedule = schedule, .tile_rows = 5, .tile_columns = 7});
    }
  }
}

TEST(Matrices, WideIntegers) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = wt::random_text(random, 200, "ACGT");
  expect_matrix<std::int64_t>(a, wt::mutated(random, a, "ACGT"));
}

void expect_rejected(const Matrix<std::int32_t>& matrix, const ws::MatchMismatch& substitution,
                     std::int64_t gap, const std::string& message) {
  const auto letters = wt::letters("ACGTACGT");
  try {
    ws::smith_waterman_matrix(letters, letters, substitution, ws::LinearGap{gap}, matrix);
    ADD_FAILURE() << "accepted, but should have said: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Matrices, RejectsWhatDoesNotFit) {
  const Matrix<std::int32_t> matrix("matrix", 8, 8), small("matrix", 8, 7);
  expect_rejected(small, {}, 2,
                  "WaveScan::smith_waterman_matrix: argument 'matrix' must have a row for each "
                  "letter of 'a' and a column for each letter of 'b' (8 x 8), got 8 x 7");
  expect_rejected(matrix, {}, 0,
                  "WaveScan::smith_waterman_matrix: argument 'gap' must have a penalty greater "
                  "than 0, got 0");
  expect_rejected(matrix, {1 << 28, -1}, 2,
                  "WaveScan::smith_waterman_matrix: argument 'substitution' must have scores of "
                  "which 8 add up within the matrix's integers, got 268435456");
  expect_rejected(
      matrix, {1 << 26, -1}, 1 << 29,
      "WaveScan::smith_waterman_matrix: argument 'gap' must be so small that a gap of 8 "
      "letters fits the matrix's integers, got 536870912");
  const Kokkos::View<std::int32_t**, Kokkos::LayoutStride, wt::Exec> folded(
      matrix.data(), Kokkos::LayoutStride(8, 1, 8, 1));
  EXPECT_TRUE(wt::rejects("smith_waterman_matrix", "matrix", [&] {
    ws::smith_waterman_matrix(wt::letters("ACGTACGT"), wt::letters("ACGTACGT"), ws::MatchMismatch{},
                              ws::LinearGap{}, folded);
  }));
  EXPECT_TRUE(wt::rejects("smith_waterman_matrix", "tile_rows", [&] {
    ws::smith_waterman_matrix(wt::letters("ACGTACGT"), wt::letters("ACGTACGT"), ws::MatchMismatch{},
                              ws::LinearGap{}, matrix, {.tile_rows = -1});
  }));
}

}  // namespace
