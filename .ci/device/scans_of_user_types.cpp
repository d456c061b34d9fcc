// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

/// x -> slope x + offset; does not commute, has 12 or 24 bytes.
template <class T>
struct Affine {
  struct value_type {
    T slope;
    T offset;
    int steps;
  };
  KOKKOS_FUNCTION value_type operator()(const value_type& a, const value_type& b) const {
    return {b.slope * a.slope, b.slope * a.offset + b.offset, a.steps + b.steps};
  }
  KOKKOS_FUNCTION value_type identity() const { return {T(1), T(0), 0}; }
};

/// As large as what kernels for GPUs take.
struct Sums {
  struct value_type {
    float of[16];
  };
  KOKKOS_FUNCTION value_type operator()(value_type a, const value_type& b) const {
    for (int i = 0; i < 16; ++i) a.of[i] += b.of[i];
    return a;
  }
  KOKKOS_FUNCTION value_type identity() const { return {}; }
};

template <class Op>
void scan(const Kokkos::View<typename Op::value_type**>& values, const Op& op) {
  wavescan::inclusive_scan(values, values, op);
}
template void scan(const Kokkos::View<Affine<float>::value_type**>&, const Affine<float>&);
template void scan(const Kokkos::View<Affine<double>::value_type**>&, const Affine<double>&);
template void scan(const Kokkos::View<Sums::value_type**>&, const Sums&);
