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
struct Histories {
  struct Sum {
    struct value_type {
      float of[6];
    };
    KOKKOS_FUNCTION value_type operator()(value_type a, const value_type& b) const {
      for (int i = 0; i < 6; ++i) a.of[i] += b.of[i];
      return a;
    }
    KOKKOS_FUNCTION value_type identity() const { return {}; }
  };
  using algebra_type = Sum;
  using Value = Sum::value_type;
  KOKKOS_FUNCTION Value partial(std::int64_t, std::int64_t, const Value& up, const Value&,
                                const auto&) const {
    return up;
  }
};

void wavefronts(const Kokkos::View<int**>& ways, const wavescan::Grid<const int>& terrain,
                const Kokkos::View<Histories::Value**>& histories) {
  wavescan::wavefront(CheapestWay{terrain}, ways);
  wavescan::wavefront(Histories{}, histories);
}
