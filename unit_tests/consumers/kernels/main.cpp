// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Calls what WaveScan::kernels has; exits with 0 where results are right.
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cstdint>
#include <string>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 100;
  const auto last = [](const auto& view, auto... indices) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view)(indices...);
  };

  Kokkos::View<double*> line("line", n), sums("sums", n);
  Kokkos::deep_copy(line, 1);
  wavescan::inclusive_scan(line, sums);
  bool right = last(sums, n - 1) == n;
  wavescan::weighted_scan(line, 0.5, sums);
  right = right && last(sums, n - 1) == 2;
  Kokkos::View<int*> ends("ends", 2);
  Kokkos::deep_copy(Kokkos::subview(ends, 1), n);
  wavescan::segmented_inclusive_scan(line, wavescan::segment_offsets(ends), sums);
  right = right && last(sums, n - 1) == n;
  wavescan::lfilter({1}, {1, -0.5}, line, sums);
  right = right && last(sums, n - 1) == 2;
  wavescan::sosfilt({{1, 0, 0, 1, -0.5, 0}}, line, sums);
  right = right && last(sums, n - 1) == 2;
  Kokkos::View<double*> none("none", n);
  wavescan::tridiagonal_solve(none, line, none, line, sums);
  right = right && last(sums, n - 1) == 1;
  Kokkos::deep_copy(sums, 0);
  wavescan::pentadiagonal_solve(none, none, line, none, none, line, sums);
  right = right && last(sums, n - 1) == 1;
  Kokkos::View<double*[2][2]> zero("zero", n), blocks("blocks", n);
  Kokkos::View<double* [2]> pairs("pairs", n);
  for (int r = 0; r < 2; ++r) Kokkos::deep_copy(Kokkos::subview(blocks, Kokkos::ALL(), r, r), 2);
  Kokkos::deep_copy(pairs, 4);
  wavescan::block_tridiagonal_solve(zero, blocks, zero, pairs, pairs);
  right = right && last(pairs, n - 1, 1) == 2;

  Kokkos::View<std::uint8_t**> image("image", n, n);
  Kokkos::View<std::int64_t**> table("table", n, n);
  Kokkos::View<std::int32_t***> histogram("histogram", 4, n, n);
  Kokkos::deep_copy(image, 200);
  wavescan::summed_area_table(image, table);
  wavescan::integral_histogram(image, wavescan::UniformBins<int>{0, 256, 4}, histogram);
  right = right && last(table, n - 1, n - 1) == 200 * n * n &&
          last(histogram, 3, n - 1, n - 1) == n * n;

  const std::string text(n, 'x');
  const auto letters = wavescan::sequence_set({text, text});
  right = right && wavescan::align_scores(letters, letters)[0].score == 2 * n &&
          wavescan::smith_waterman(letters.letters, letters.letters).score == 4 * n;

  // A halo of ones and no sources: everything becomes one.
  Kokkos::View<float**> u("u", n, n);
  Kokkos::deep_copy(u, 1);
  wavescan::sor_sweeps(u, wavescan::poisson<float>(1, 1), 3);
  const auto report = wavescan::sor_solve(u, wavescan::poisson<float>(1, 1));
  right = right && report.final_residual == 0 && last(u, 1, 1) == 1;
  Kokkos::View<float***> v("v", 10, 10, 10);
  Kokkos::deep_copy(v, 1);
  wavescan::sor_sweeps(v, wavescan::poisson_3d<float>(1, 1), 3);
  const auto report_3d = wavescan::sor_solve(v, wavescan::poisson_3d<float>(1, 1));
  return right && report_3d.final_residual < 1e-5 && Kokkos::abs(last(v, 1, 1, 1) - 1) < 1e-5 ? 0
                                                                                              : 1;
}
