// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

/// Reads an array beside its own, which kernels fetch ahead.
struct CheapestWay {
  using algebra_type = wavescan::MinPlus<int>;
  using Cost = Kokkos::Array<int, 1>;
  wavescan::Grid<const int> terrain;

  KOKKOS_FUNCTION Kokkos::Array<wavescan::LoopInput<int>, 1> inputs() const {
    return {wavescan::LoopInput<int>{terrain, 0}};
  }
  KOKKOS_FUNCTION int weight(std::int64_t, std::int64_t, const Cost& cost) const { return cost[0]; }
  KOKKOS_FUNCTION int partial(std::int64_t, std::int64_t, int up, int, const auto&,
                              const Cost& cost) const {
    return up + cost[0];
  }
};

/// Larger than what kernels for GPUs take: the portable schedules run it.
struct SixSums {
  float of[6];
};
struct AddSix {
  using value_type = SixSums;
  KOKKOS_FUNCTION SixSums operator()(SixSums a, const SixSums& b) const {
    for (int i = 0; i < 6; ++i) a.of[i] += b.of[i];
    return a;
  }
  KOKKOS_FUNCTION SixSums identity() const { return {}; }
};
struct Histories {
  using algebra_type = AddSix;
  KOKKOS_FUNCTION SixSums partial(std::int64_t, std::int64_t, const SixSums& up, const SixSums&,
                                  const auto&) const {
    return up;
  }
};

void wavefronts(const Kokkos::View<int**>& ways, const wavescan::Grid<const int>& terrain,
                const Kokkos::View<SixSums**>& histories) {
  wavescan::wavefront(CheapestWay{terrain}, ways);
  wavescan::wavefront(Histories{}, histories);
}
