// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

/// x -> slope x + offset, of so many steps: 12 bytes, which are no whole part of a word of 16.
struct AffineMap {
  float slope;
  float offset;
  int steps;
};
/// Does not commute.
struct Compose {
  using value_type = AffineMap;
  KOKKOS_FUNCTION AffineMap operator()(const AffineMap& a, const AffineMap& b) const {
    return {b.slope * a.slope, b.slope * a.offset + b.offset, a.steps + b.steps};
  }
  KOKKOS_FUNCTION AffineMap identity() const { return {1, 0, 0}; }
};

/// As large as what kernels for GPUs take.
struct Vector {
  float of[16];
};
struct Add {
  using value_type = Vector;
  KOKKOS_FUNCTION Vector operator()(Vector a, const Vector& b) const {
    for (int i = 0; i < 16; ++i) a.of[i] += b.of[i];
    return a;
  }
  KOKKOS_FUNCTION Vector identity() const { return {}; }
};

void scans_of_user_types(const Kokkos::View<AffineMap**>& maps,
                         const Kokkos::View<Vector**>& vectors) {
  wavescan::inclusive_scan(maps, maps, Compose{});
  wavescan::inclusive_scan(vectors, vectors, Add{});
}
