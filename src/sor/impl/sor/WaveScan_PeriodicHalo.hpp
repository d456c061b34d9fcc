// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_PERIODICHALO_HPP
#define WAVESCAN_IMPL_SOR_PERIODICHALO_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <algorithm>

namespace wavescan::Impl::sor {

/// @brief The dimensions that are periodic: their last unknowns come before their first ones.
struct Periodic {
  bool rows = false;
  bool columns = false;
  bool any() const { return rows || columns; }
};

/// @brief Gives the halo of periodic dimensions the values of the unknowns that it stands for.
template <class T>
struct WrapHalo {
  Grid<T> x;
  Periodic periodic;

  KOKKOS_FUNCTION void operator()(Index k) const {
    if (periodic.rows && k < x.columns) {
      const Index j = unknown(k, x.columns, periodic.columns);
      x(0, k) = x(x.rows - 2, j);
      x(x.rows - 1, k) = x(1, j);
    }
    // The corners of both are done already.
    const Index first = periodic.rows ? 1 : 0;
    if (periodic.columns && k >= first && k < x.rows - first) {
      x(k, 0) = x(k, x.columns - 2);
      x(k, x.columns - 1) = x(k, 1);
    }
  }

 private:
  KOKKOS_FUNCTION static Index unknown(Index k, Index extent, bool wraps) {
    if (!wraps) return k;
    return k == 0 ? extent - 2 : k == extent - 1 ? 1 : k;
  }
};

template <ExecutionSpace Exec, class T>
void wrap_halo(const Exec& exec, const Grid<T>& x, const Periodic& periodic) {
  if (!periodic.any() || x.rows < 3 || x.columns < 3) return;
  enqueue_items(exec, "WaveScan::sor::wrap_halo", std::max(x.rows, x.columns), 4e-9,
                WrapHalo<T>{x, periodic});
}

}  // namespace wavescan::Impl::sor

#endif
