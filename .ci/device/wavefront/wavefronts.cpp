// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

// Each call compiles every schedule. Loops differ in their weights: for each entry, one, none; and
// in what they read.
struct Relaxation {
  using algebra_type = wavescan::PlusTimes<double>;
  KOKKOS_FUNCTION double weight(std::int64_t i, std::int64_t j) const { return i < j ? 0.5 : 0.25; }
  KOKKOS_FUNCTION double partial(std::int64_t i, std::int64_t j, double up, double up_left,
                                 const auto& old) const {
    return 0.25 * (up + up_left + old(i, j + 1) + old(i + 1, j));
  }
};

struct Smoothing {
  using algebra_type = wavescan::PlusTimes<float>;
  KOKKOS_FUNCTION float weight() const { return 0.5f; }
  KOKKOS_FUNCTION float partial(std::int64_t, std::int64_t, float up, float, const auto&) const {
    return 0.5f * up;
  }
};

struct PathCount {
  using algebra_type = wavescan::Plus<std::int64_t>;
  KOKKOS_FUNCTION std::int64_t partial(std::int64_t, std::int64_t, std::int64_t up, std::int64_t,
                                       const auto&) const {
    return up;
  }
};

// The upper right neighbour as well, in the exact schedules.
struct BinomialSmoothing {
  static constexpr bool exact = true;
  using algebra_type = wavescan::PlusTimes<float>;
  KOKKOS_FUNCTION float weight() const { return 0.25f; }
  KOKKOS_FUNCTION float partial(std::int64_t i, std::int64_t j, float up, float up_left,
                                float up_right, const auto& old) const {
    return 0.25f * old(i, j) + 0.125f * (up_left + up_right) + 0.25f * up;
  }
};

void wavefronts(const Kokkos::View<double**>& doubles, const Kokkos::View<float**>& floats,
                const Kokkos::View<std::int64_t**>& counts) {
  wavescan::wavefront(Relaxation{}, doubles);
  wavescan::wavefront(Smoothing{}, floats);
  wavescan::wavefront(BinomialSmoothing{}, floats);
  wavescan::wavefront(PathCount{}, counts);
}
