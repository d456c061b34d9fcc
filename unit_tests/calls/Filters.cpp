// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_FiltFilt.hpp>
#include <WaveScan_Filter.hpp>
#include <WaveScan_LinearRecurrence.hpp>
#include <WaveScan_TridiagonalSolve.hpp>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <vector>

#include "SecondCalls.hpp"

namespace wavescan::Test {
namespace {

TEST(SecondCalls, OfFilters) {
  const std::vector<double> b{0.2, 0.3, 0.1}, a{1, -0.9, 0.4};
  const std::vector<FilterSection> sos{{1, 2, 1, 1, -0.5, 0.2}, {1, 0, 0, 1, 0, 0.3}};
  for (const std::size_t n : {100, 100'000}) {
    const Array<double> x("x", n), y("y", n), w("w", n), right("right", n);
    Kokkos::deep_copy(w, 1.0);
    check_second_call("lfilter", [=] { lfilter(b, a, x, y); });
    check_second_call("lfilter without feedback", [=] { lfilter(b, {1}, x, y); });
    check_second_call("sosfilt", [=] { sosfilt(sos, x, y); });
    check_second_call("filtfilt", [=] { filtfilt(b, a, x, y); });
    check_second_call("sosfiltfilt", [=] { sosfiltfilt(sos, x, y); });
    check_second_call("exponential_moving_average", [=] { exponential_moving_average(0.1, x, y); });
    check_second_call("linear_recurrence", [=] { linear_recurrence({0.5, 0.25}, x, y); });
    check_second_call("linear_recurrence of Views", [=] {
      linear_recurrence(std::array{right, right}, x, y);
    });
    check_second_call("tridiagonal_solve", [=] { tridiagonal_solve(right, w, right, x, y); });
  }
}

}  // namespace
}  // namespace wavescan::Test
