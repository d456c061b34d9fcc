// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_LAPACK_HPP
#define WAVESCAN_PERF_LAPACK_HPP

#if defined(WAVESCAN_PERF_LAPACK)

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief LAPACK's tridiagonal solver, which pivots.

extern "C" {
void sgtsv_(const int*, const int*, float*, float*, float*, float*, const int*, int*);
void dgtsv_(const int*, const int*, double*, double*, double*, double*, const int*, int*);
}

namespace wavescan::Perf {

/// @brief Solves `systems`, one after the other by each thread, in arrays of its own: gtsv
/// overwrites them.
/// @param lower,diagonal,upper,right,x Views of rank 2: a system a row (axis 1), or a column
template <class Exec, class V>
void lapack_tridiagonal(const Exec& exec, int axis, const V& lower, const V& diagonal,
                        const V& upper, const V& right, const V& x) {
  using T = typename V::value_type;
  const auto systems = static_cast<std::int64_t>(x.extent(1 - axis));
  const auto solve = [=](const std::int64_t system) {
    const int n = static_cast<int>(x.extent(axis)), one = 1;
    const auto size = static_cast<std::size_t>(n);
    thread_local std::vector<T> a, b, c, y;
    for (auto* v : {&a, &b, &c, &y}) v->resize(size);
    const auto place = [&](std::size_t i) {
      const auto k = static_cast<std::size_t>(system);
      return axis == 1 ? k * x.stride(0) + i : i * x.stride(0) + k;
    };
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) a[i - 1] = lower.data()[place(i)];
      b[i] = diagonal.data()[place(i)];
      c[i] = upper.data()[place(i)];
      y[i] = right.data()[place(i)];
    }
    int info = 0;
    if constexpr (sizeof(T) == 4)
      sgtsv_(&n, &one, a.data(), b.data(), c.data(), y.data(), &n, &info);
    else
      dgtsv_(&n, &one, a.data(), b.data(), c.data(), y.data(), &n, &info);
    for (std::size_t i = 0; i < size; ++i) x.data()[place(i)] = y[i];
  };
  Kokkos::parallel_for("lapack", Kokkos::RangePolicy<Exec>(exec, 0, systems), solve);
}

}  // namespace wavescan::Perf

#endif

#endif
