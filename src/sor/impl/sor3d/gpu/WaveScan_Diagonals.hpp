// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_DIAGONALS_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_DIAGONALS_HPP

#include <Kokkos_Core.hpp>

namespace wavescan::Impl::sor3d {

/// @brief A task's place among those below and beside each other.
struct TaskPlace {
  int down, across;
};

/// @brief Tasks are numbered diagonal by diagonal, in which none needs another one.
KOKKOS_INLINE_FUNCTION TaskPlace place_on_diagonals(int task, int tasks_down, int tasks_across) {
  for (int diagonal = 0;; ++diagonal) {
    const int first = diagonal < tasks_across ? 0 : diagonal - tasks_across + 1;
    const int last = diagonal < tasks_down ? diagonal : tasks_down - 1;
    const int count = last - first + 1;
    if (task < count) return {first + task, diagonal - first - task};
    task -= count;
  }
}

}  // namespace wavescan::Impl::sor3d

#endif
