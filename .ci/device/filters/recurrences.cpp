// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <array>
#include <vector>

// One type, since each call compiles all orders; complex samples where there is one order.
void recurrences(const Kokkos::View<double**>& x, const Kokkos::View<double*>& y,
                 const Kokkos::View<Kokkos::complex<float>*>& complex,
                 const Kokkos::View<wavescan::SmallVector<double, 2>*>& states,
                 const Kokkos::View<int*>& offsets) {
  wavescan::lfilter({1, 0.5}, {1, -0.5}, x, x);
  wavescan::sosfilt({{1, 0, 0, 1, -0.5, 0}}, x, x);
  wavescan::filtfilt({1}, {1, -0.5}, y, y);
  wavescan::exponential_moving_average(0.5, complex, complex);
  wavescan::linear_recurrence(std::vector{y, y}, y, y);
  wavescan::linear_recurrence(x, y, y);
  wavescan::weighted_scan(states, wavescan::SmallMatrix<double, 2>{}, states,
                          wavescan::AffineMaps<double, 2>());
  const auto segments = wavescan::segment_offsets(offsets);
  wavescan::segmented_linear_recurrence(std::array{1., -.5}, y, segments, y, states);
  wavescan::segmented_linear_recurrence(std::array{y, y}, y, segments, y);
}
