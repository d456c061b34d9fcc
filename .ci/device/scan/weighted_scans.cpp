// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

void weighted_scans(const Kokkos::View<float**>& floats, const Kokkos::View<double**>& doubles,
                    const Kokkos::View<const double**>& weights,
                    const Kokkos::View<std::int64_t**>& longs) {
  wavescan::weighted_scan(floats, 0.5f, floats);
  wavescan::weighted_scan(floats, floats, floats);
  wavescan::weighted_scan(doubles, weights, doubles);
  wavescan::weighted_scan(doubles, 0.5, doubles, wavescan::MaxPlus<double>{});
  wavescan::weighted_scan(longs, longs, longs, wavescan::MinPlus<std::int64_t>{});
}
