// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if defined(WAVESCAN_PERF_KOKKOS_KERNELS)

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <support/WaveScanPerf_Segments.hpp>

// Sums of segments by Kokkos Kernels: the product of a sparse matrix with ones. The matrix has one
// column, so that the vector is in every cache; indices of columns are read, four bytes each.

namespace kokkos_kernels_segments_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

Work row_sums(const Exec& exec, std::int64_t n, const SegmentArrays<Exec>& arrays) {
  using Matrix = KokkosSparse::CrsMatrix<float, int, Exec, void, int>;
  using Vector = Kokkos::View<float*, Exec>;
  using Handle = KokkosSparse::SPMVHandle<Exec, Matrix, Vector, Vector>;
  const Kokkos::View<int*, Exec> columns("columns", static_cast<std::size_t>(n));
  const Matrix matrix("segments", static_cast<int>(arrays.segments), 1, static_cast<int>(n),
                      random_array<float>(exec, n), arrays.offsets, columns);
  const Vector ones("ones", 1), y("y", static_cast<std::size_t>(arrays.segments));
  Kokkos::deep_copy(exec, ones, 1);
  const auto handle = std::make_shared<Handle>();
  return {[=] { KokkosSparse::spmv(exec, handle.get(), "N", 1.f, matrix, ones, 0.f, y); },
          [=] { return last_of(y); }};
}

[[maybe_unused]] const bool registered = [] {
  add_segments<Exec>("segmented_reduce<float>", "kokkos_kernels", 4, 8,
                     [](const Exec& exec, std::int64_t n, const auto& arrays) {
                       return row_sums(exec, n, arrays);
                     });
  return true;
}();

}  // namespace
}  // namespace kokkos_kernels_segments_benchmarks

#endif
