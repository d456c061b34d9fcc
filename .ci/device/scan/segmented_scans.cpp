// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

void segmented_scans(const Kokkos::View<const float*>& x, const Kokkos::View<float*>& y,
                     const Kokkos::View<const double*>& doubles, const Kokkos::View<double*>& sums,
                     const Kokkos::View<const std::int64_t*>& offsets,
                     const Kokkos::View<const int*>& keys, const Kokkos::View<const bool*>& flags,
                     const Kokkos::View<int*>& unique) {
  using namespace wavescan;
  segmented_inclusive_scan(x, segment_offsets(offsets), y);
  segmented_exclusive_scan(x, segment_heads(flags), y, Max(), 1.f, {.reverse = true});
  exclusive_scan_by_key(keys, keys, unique);
  segmented_weighted_scan(x, x, segment_keys(keys), y);
  segmented_weighted_scan(x, .5f, segment_offsets(keys), y, PlusTimes(), x);
  segmented_inclusive_scan(doubles, segment_offsets(keys, keys), sums, Plus());
  segmented_reduce(doubles, segment_offsets(keys), sums);
  static_cast<void>(reduce_by_key(keys, x, unique, y));
}
