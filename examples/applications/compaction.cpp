// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

Array<std::uint32_t> iota(const Exec& exec, std::int64_t n) {
  const Array<std::uint32_t> numbers(Kokkos::view_alloc(exec, "iota", Kokkos::WithoutInitializing),
                                     n);
  Kokkos::parallel_for(
      "iota", Range(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) { numbers(i) = static_cast<std::uint32_t>(i); });
  return numbers;
}

void compact(const wavescan::Selection<Exec>& plan, const Input<float>& samples, float threshold,
             const Array<float>& kept, const Kokkos::View<std::int64_t, Exec>& count) {
  const auto loud = KOKKOS_LAMBDA(float x) { return x >= threshold || -x >= threshold; };
  plan.copy_if(samples, kept, loud, count);
}

}  // namespace applications
