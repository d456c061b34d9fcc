// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_KOKKOSKERNELS_HPP
#define WAVESCAN_PERF_KOKKOSKERNELS_HPP

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_gauss_seidel.hpp>
#include <Kokkos_Core.hpp>
#include <baselines/WaveScanPerf_CrsPoisson.hpp>
#include <functional>
#include <memory>
#include <vector>

/// @file
/// @brief SOR by the multicolour Gauss-Seidel methods of Kokkos Kernels, on a matrix in compressed
/// rows.

namespace wavescan::Perf {

template <class T, class Exec>
Kokkos::View<T*, Exec> on_device_of(const std::vector<T>& values) {
  const Kokkos::View<T*, Exec> view("values", values.size());
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                              values.data(), values.size()));
  return view;
}

/// @brief What gets a colour: each row, or a cluster of neighbouring rows that are relaxed in
/// order.
enum class Coloured { Rows, Clusters };

constexpr int rows_a_cluster = 4;

/// @brief Over-relaxed sweeps of -Laplace(x) = rhs on arrays of equal sides with a halo of zeros.
/// @param x   contiguous, of two dimensions or three
template <class X>
std::function<void(int)> kokkos_kernels_sweeps(Coloured coloured, const X& x, const X& rhs,
                                               double omega, double h) {
  using T = typename X::non_const_value_type;
  using Exec = typename X::execution_space;
  using Space = typename Exec::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, T, Exec, Space, Space>;
  using Vector = Kokkos::View<T*, Kokkos::LayoutLeft, Exec>;
  const int rows = static_cast<int>(x.size());
  const CrsPoisson<T> on_host(static_cast<int>(X::rank()), static_cast<int>(x.extent(0)), h);
  struct {
    Kokkos::View<int*, Exec> row_map, columns;
    Kokkos::View<T*, Exec> values;
  } const a{on_device_of<int, Exec>(on_host.row_map), on_device_of<int, Exec>(on_host.columns),
            on_device_of<T, Exec>(on_host.values)};
  const auto handle = std::make_shared<Handle>();
  if (coloured == Coloured::Rows)
    handle->create_gs_handle(KokkosSparse::GS_DEFAULT);
  else
    handle->create_gs_handle(KokkosSparse::CLUSTER_DEFAULT, rows_a_cluster);
  KokkosSparse::gauss_seidel_symbolic(handle.get(), rows, rows, a.row_map, a.columns, true);
  KokkosSparse::gauss_seidel_numeric(handle.get(), rows, rows, a.row_map, a.columns, a.values,
                                     true);
  const Vector solution(x.data(), x.size());
  const Vector b(rhs.data(), rhs.size());
  return [=](int count) {
    KokkosSparse::forward_sweep_gauss_seidel_apply(handle.get(), rows, rows, a.row_map, a.columns,
                                                   a.values, solution, b, false, true,
                                                   static_cast<T>(omega), count);
  };
}

}  // namespace wavescan::Perf

#endif
