// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

void fibonacci(const Scan<MatrixProduct<fibonacci_modulus>>& scan,
               const Array<std::uint32_t>& numbers) {
  const auto step = KOKKOS_LAMBDA(std::int64_t) { return Matrix{1, 1, 1, 0}; };
  const auto number = KOKKOS_LAMBDA(const Matrix& power) { return power.m01; };
  scan.inclusive(wavescan::computed_input(scan.length(), step),
                 wavescan::transform_output(numbers, number));
}

}  // namespace applications
