// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>

#include <array>
#include <cstdint>
#include <utility>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

struct IsOdd {
  template <class... More>
  KOKKOS_FUNCTION bool operator()(const ElementRow<std::int32_t>& row, const More&...) const {
    return row[row.size() - 1] % 2 != 0;
  }
  template <class... More>
  KOKKOS_FUNCTION bool operator()(std::int32_t x, const More&...) const {
    return x % 2 != 0;
  }
};
/// Holds for a sixteenth, or for all but that.
struct IsSixteenth {
  bool wanted;
  KOKKOS_FUNCTION bool operator()(std::int32_t x) const { return (x % 16 == 0) == wanted; }
};
template <class Rows>
struct NumberRows {
  Rows rows;
  KOKKOS_FUNCTION void operator()(const int i) const {
    for (int j = 0; j < 5; ++j) rows(i, j) = i / 3 + j;
  }
};
struct Number {
  Kokkos::View<std::int32_t*, Exec> view;
  KOKKOS_FUNCTION void operator()(const int i) const { view(i) = i / 3; }
};

/// Rows, and what lies beside one column of them.
template <class Layout>
void run_rows() {
  constexpr int n = 400'000;
  const Kokkos::View<std::int32_t*[5], Layout, Exec> x("x", n), y("y", n);
  const Kokkos::View<double*, Exec> z("z", n);
  Kokkos::parallel_for("number", Kokkos::RangePolicy<Exec>(0, n), NumberRows<decltype(x)>{x});
  expect_done(unique_copy(x, y) == (n + 2) / 3, "unique_copy of rows");
  expect_done(copy_if(y, y, Kokkos::subview(x, Kokkos::ALL, 1)) > 0, "copy_if of rows");
  expect_done(partition(zip(x, z), IsOdd()) > 0, "partition of rows");
  expect_done(unique(x) > 0, "unique of rows");
}

void run_elements(int n) {
  const Kokkos::View<std::int32_t*, Exec> x("x", n), y("y", n);
  const Kokkos::View<double*, Exec> z("z", n - 1);
  const Kokkos::View<bool*, Exec> flags("flags", n);
  Kokkos::parallel_for("number", Kokkos::RangePolicy<Exec>(0, n), Number{x});
  expect_done(unique_copy(x, y) == (n + 2) / 3, "unique_copy");
  expect_done(copy_if(x, y, flags) == 0, "copy_if");
  expect_done(partition(x, IsOdd()) > 0, "partition");
  const auto odd = Kokkos::subview(x, std::pair(1, n));
  expect_done(remove_if(zip(odd, z), IsOdd()) > 0, "remove_if");
  expect_done(unique(x) > 0, "unique");
}

}  // namespace

void run_sliding() {
  run_elements(3'000'001);                                          // several tiles for each block
  run_elements(200'003);                                            // small ones
  const Kokkos::View<std::int32_t*, Exec> more("more", 7'000'003);  // than all stages hold
  Kokkos::parallel_for("number", Kokkos::RangePolicy<Exec>(0, 7'000'003), Number{more});
  for (const bool few : {true, false})
    expect_done(partition(more, IsSixteenth{few}) > 0, "partition through the buffer");
  run_rows<Kokkos::LayoutRight>();
  run_rows<Kokkos::LayoutLeft>();
  using Matrix = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec>;
  for (const auto& [rows, columns, padded] :
       {std::array{1000, 2000, 2001}, std::array{1000, 2000, 2048}, std::array{200'000, 7, 8},
        std::array{700, 1000, 3000}}) {
    const Kokkos::View<std::int32_t*, Exec> memory("memory", rows * padded);
    const Matrix narrow(memory.data(), rows, columns), wide(memory.data(), rows, padded);
    pad(narrow, wide, PadOptions().fill(1));
    unpad(wide, narrow);
  }
}

}  // namespace wavescan::Test
