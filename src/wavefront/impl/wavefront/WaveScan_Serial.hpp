// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_SERIAL_HPP
#define WAVESCAN_IMPL_WAVEFRONT_SERIAL_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

namespace wavescan::Impl {

/// @brief Schedule Serial: one thread, natural order. The reference for all others.
template <class Problem>
struct SerialWavefront {
  Problem problem;
  KOKKOS_FUNCTION void operator()(Index) const {
    const Block& range = problem.range;
    for (Index i = range.row_begin; i < range.row_end; ++i)
      problem.run_row(i, range.column_begin, range.column_end);
  }
};

template <ExecutionSpace Exec, class Problem>
void run_serial(const Exec& exec, const Problem& problem) {
  enqueue_workers(exec, "WaveScan::wavefront::serial", 1, 0, SerialWavefront<Problem>{problem});
}

}  // namespace wavescan::Impl

#endif
