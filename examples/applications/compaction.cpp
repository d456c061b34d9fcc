// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

void compact(const wavescan::Selection<Exec>& plan, const Input<float>& samples, float threshold,
             const Array<float>& kept, const Kokkos::View<std::int64_t, Exec>& count) {
  const auto loud = KOKKOS_LAMBDA(float x) { return x >= threshold || -x >= threshold; };
  plan.copy_if(samples, kept, loud, count);
}

}  // namespace applications
