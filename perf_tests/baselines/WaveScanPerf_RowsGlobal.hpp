// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ROWSGLOBAL_HPP
#define WAVESCAN_PERF_ROWSGLOBAL_HPP

#include <WaveScan_Scan.hpp>
#include <baselines/WaveScanPerf_RowPartials.hpp>

namespace wavescan::Perf {

/// @brief Baseline "rows_global": row by row, each completed by WaveScan's scan of one line.
/// Kernels that follow each other are the global synchronisation of Hou et al., section V-B.
template <ExecutionSpace Exec, class Problem>
class RowsGlobal {
 public:
  RowsGlobal(const Exec& exec, const Problem& problem)
      : rows_(exec, problem),
        scan_(exec, 1, problem.range.columns(), Impl::loop_algebra(problem.loop)),
        loop_(problem.loop) {}

  void run() const {
    rows_.run([this](const auto& partials, const auto& out) {
      if constexpr (Operator<algebra_type>)
        scan_.inclusive(partials, out);
      else
        scan_.weighted(partials, loop_.weight(), out);
    });
  }

 private:
  using loop_type = typename Problem::loop_type;
  using algebra_type = decltype(Impl::loop_algebra(std::declval<const loop_type&>()));

  RowByRow<Exec, Problem> rows_;
  Scan<Exec, algebra_type> scan_;
  loop_type loop_;
};

}  // namespace wavescan::Perf

#endif
