// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_KOKKOSKERNELS_HPP
#define WAVESCAN_PERF_KOKKOSKERNELS_HPP

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_gauss_seidel.hpp>
#include <Kokkos_Core.hpp>
#include <WaveScan_Concepts.hpp>
#include <array>
#include <cstddef>
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

/// @brief -Laplace on a square mesh, with a row for every entry of an array with its halo. The
/// halo is zero, and its rows are those of the identity.
template <class T, class Exec>
struct CrsPoisson {
  Kokkos::View<int*, Exec> row_map;
  Kokkos::View<int*, Exec> columns;
  Kokkos::View<T*, Exec> values;

  CrsPoisson(int side, double h) {
    const auto inside = [side](int row) {
      const int i = row / side, j = row % side;
      return i > 0 && i < side - 1 && j > 0 && j < side - 1;
    };
    const auto per_area = static_cast<T>(1 / (h * h));
    std::vector<int> map{0}, entries;
    std::vector<T> numbers;
    for (int row = 0; row < side * side; ++row) {
      entries.push_back(row);
      numbers.push_back(inside(row) ? 4 * per_area : T(1));
      for (const int neighbour : {row - side, row - 1, row + 1, row + side})
        if (inside(row) && inside(neighbour)) {
          entries.push_back(neighbour);
          numbers.push_back(-per_area);
        }
      map.push_back(static_cast<int>(entries.size()));
    }
    row_map = on_device_of<int, Exec>(map);
    columns = on_device_of<int, Exec>(entries);
    values = on_device_of<T, Exec>(numbers);
  }
};

/// @brief What gets a colour: each row, or a cluster of neighbouring rows that are relaxed in
/// order.
enum class Coloured { Rows, Clusters };

constexpr int rows_a_cluster = 4;

/// @brief Over-relaxed sweeps of -Laplace(x) = rhs on square arrays with a halo of zeros.
template <ExecutionSpace Exec, class T>
std::function<void(int)> kokkos_kernels_sweeps(
    Coloured coloured, const Kokkos::View<T**, Kokkos::LayoutRight, Exec>& x,
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec>& rhs, double omega, double h) {
  using Space = typename Exec::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, T, Exec, Space, Space>;
  using Vector = Kokkos::View<T*, Kokkos::LayoutLeft, Exec>;
  const int rows = static_cast<int>(x.size());
  const CrsPoisson<T, Exec> a(static_cast<int>(x.extent(0)), h);
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
