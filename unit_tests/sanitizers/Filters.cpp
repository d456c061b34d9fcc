// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Filter.hpp>
#include <WaveScan_LinearRecurrence.hpp>
#include <WaveScan_TridiagonalSolve.hpp>

#include <utility>
#include <vector>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

/// One line of several tiles for each block, and lines that begin and end in the midst of tiles.
template <class T>
void run_filters_of() {
  const std::vector<double> b{0.25, 0.25}, a{1, -0.5};
  const FilterSection section{0.5, 0.2, 0.1, 1, -0.8, 0.36};
  for (const auto& [lines, length] : {std::pair(1, 3'000'001), std::pair(7, 100'000)}) {
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> x("x", lines, length), y("y", lines, length);
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> state("state", lines, 1);
    lfilter(b, a, x, y, ScanOptions().carry_in(state).carry_out(state));
    sosfilt({section, section, section}, y, y);
    // A state that lives as long as the line.
    lfilter({1}, {1, -0.9999999}, y, y);
    // On tensor cores.
    lfilter({1}, {1, -0.3, 0.1, 0, 0, 0, 0, 0, 0, 0.01}, y, y);
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> outputs("outputs", lines, 2);
    const auto goes_on = ScanOptions().carry_in(outputs).carry_out(outputs);
    linear_recurrence(std::vector{x, x}, y, y, goes_on);
    linear_recurrence(std::vector{x, x}, y, y, ScanOptions(goes_on).reverse());
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> ones("ones", lines, length);
    Kokkos::deep_copy(ones, T(1));
    tridiagonal_solve(x, ones, x, y, y);
  }
}

}  // namespace

void run_filters() {
  run_filters_of<float>();
  run_filters_of<double>();
}

}  // namespace wavescan::Test
