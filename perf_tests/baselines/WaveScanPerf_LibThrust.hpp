// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_LIBTHRUST_HPP
#define WAVESCAN_PERF_LIBTHRUST_HPP

#include <baselines/WaveScanPerf_Algorithm3.hpp>
#include <baselines/WaveScanPerf_RowPartials.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <memory>

namespace wavescan::Perf {

/// @brief Baseline "lib_thrust": row by row, each completed by thrust::inclusive_scan, with the
/// comparator of algorithm 3 where there are weights (Hou et al., appendix and section VI-B).
template <class Problem>
class LibThrust {
 public:
  LibThrust(const Kokkos::Cuda& exec, const Problem& problem)
      : exec_(exec), rows_(exec, problem), loop_(problem.loop) {}

  void run() const {
    const auto policy = thrust_policy(exec_, *memory_);
    rows_.run([&](const auto& partials, const auto& out) {
      const auto n = static_cast<std::int64_t>(partials.size());
      if constexpr (Operator<algebra_type>)
        thrust::inclusive_scan(policy, partials.data(), partials.data() + n, out.data(),
                               Impl::loop_algebra(loop_));
      else
        algorithm3_scan<algebra_type>(policy, WeightRule<algebra_type>{loop_.weight()},
                                      static_cast<const value_type*>(partials.data()), n,
                                      out.data());
    });
  }

 private:
  using loop_type = typename Problem::loop_type;
  using value_type = typename Problem::value_type;
  using algebra_type = typename loop_type::algebra_type;

  Kokkos::Cuda exec_;
  RowByRow<Kokkos::Cuda, Problem> rows_;
  loop_type loop_;
  std::shared_ptr<KeptMemory> memory_ = std::make_shared<KeptMemory>();
};

}  // namespace wavescan::Perf

#endif
#endif
