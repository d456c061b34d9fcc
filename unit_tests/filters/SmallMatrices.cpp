// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"

#include <WaveScan_Scan.hpp>
#include <WaveScan_SmallMatrices.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filters_small_matrices {

using namespace filters;
using namespace wavescan;

template <int N, bool constant>
void scan_affine_maps(std::int64_t n) {
  SCOPED_TRACE(std::to_string(N) + " x " + std::to_string(N) + ", length " + std::to_string(n));
  using Maps = AffineMaps<double, N>;
  const auto numbers = noise<double>((N * N + N) * (n + 1), 31);
  std::vector<SmallVector<double, N>> b(static_cast<std::size_t>(n));
  std::vector<SmallMatrix<double, N>> a(static_cast<std::size_t>(n + 1));
  std::size_t k = 0;
  for (auto& matrix : a)
    for (auto& row : matrix.entry)
      for (double& entry : row) entry = 0.8 / N * numbers[k++];
  for (auto& vector : b)
    for (double& value : vector.value) value = numbers[k++];
  const auto out = to_device(std::vector<SmallVector<double, N>>(b.size()));
  if constexpr (constant)
    weighted_scan(to_device(b), a.back(), out, Maps());
  else
    weighted_scan(to_device(b), to_device(std::vector(a.begin(), a.end() - 1)), out, Maps());
  const auto s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  long double state[N] = {};
  for (std::size_t j = 0; j < b.size(); ++j) {
    long double next[N];
    for (int r = 0; r < N; ++r) {
      next[r] = b[j][r];
      for (int c = 0; c < N; ++c)
        next[r] += static_cast<long double>((constant ? a.back() : a[j])(r, c)) * state[c];
    }
    for (int r = 0; r < N; ++r) {
      state[r] = next[r];
      ASSERT_NEAR(s(j)[r], static_cast<double>(next[r]), 1e-12) << j;
    }
  }
}

TEST(AffineMaps, AreScanned) {
  // A size decides what threads hand on, whatever the weights are, and weights are read alike.
  for (const std::int64_t n : {1, 2, 1000, 30011}) {
    scan_affine_maps<2, true>(n);
    scan_affine_maps<3, true>(n);
    scan_affine_maps<2, false>(n);
    scan_affine_maps<4, false>(n);
  }
}

}  // namespace filters_small_matrices
