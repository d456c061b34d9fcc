// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

void add(const Scan<Carries>& scan, const Input<std::uint64_t>& a, const Input<std::uint64_t>& b,
         const Array<std::uint64_t>& sum) {
  const std::int64_t limbs = scan.length() - 1;
  const auto limb = KOKKOS_LAMBDA(std::int64_t j) {
    if (j == limbs) return CarryRun{0, CarryRun::same_as_enters, CarryRun::none};
    const std::uint64_t both = a(j) + b(j);
    return CarryRun{both, CarryRun::same_as_enters,
                    both < a(j)     ? CarryRun::one
                    : both + 1 == 0 ? CarryRun::same_as_enters
                                    : CarryRun::none};
  };
  const auto with_carry = KOKKOS_LAMBDA(const CarryRun& run) {
    return run.sum + (run.into_last == CarryRun::one ? 1 : 0);
  };
  scan.inclusive(wavescan::computed_input(scan.length(), limb),
                 wavescan::transform_output(sum, with_carry));
}

}  // namespace applications
