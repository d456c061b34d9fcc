// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <WaveScan_MPI_Rebalance.hpp>
#include <functional>
#include <vector>

#include "Distributed.hpp"

/// @file
/// @brief Poisson's equation for other libraries: what all of them are given, and what is asked.

namespace distributed {

/// @brief Over-relaxed sweeps of -Laplace(x) = 1 on n x n points, from x = 0, with zeros around.
struct OtherSor {
  std::function<void(int)> sweep;    ///< so many
  std::function<double()> residual;  ///< 2-norm
};

#ifdef WAVESCAN_PERF_PETSC
OtherSor petsc_sor(int n, double omega);
#endif
#ifdef WAVESCAN_PERF_HYPRE
OtherSor hypre_sor(int n, double omega);
#endif

/// @brief The matrix in compressed rows, of which a process has those of its rows of the mesh.
template <class Index>
struct PoissonBlock {
  Index first, count;  ///< unknowns of this process
  std::vector<Index> row_map{0}, row_sizes, numbers, columns;
  std::vector<double> values;

  explicit PoissonBlock(Index n) {
    const auto block = wavescan::mpi::even_block(n, world);
    first = n * static_cast<Index>(block.first);
    count = n * static_cast<Index>(block.count);
    for (Index k = first; k < first + count; ++k) {
      const Index i = k / n, j = k % n;
      const auto add = [&](bool is_inside, Index column, double value) {
        if (!is_inside) return;
        columns.push_back(column);
        values.push_back(value);
      };
      add(i > 0, k - n, -1);
      add(j > 0, k - 1, -1);
      add(true, k, 4);
      add(j + 1 < n, k + 1, -1);
      add(i + 1 < n, k + n, -1);
      numbers.push_back(k);
      row_map.push_back(static_cast<Index>(columns.size()));
      row_sizes.push_back(row_map.back() - *(row_map.end() - 2));
    }
  }
};

}  // namespace distributed
