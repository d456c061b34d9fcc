// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

void polynomial(const Scan<wavescan::PlusTimes<double>>& scan, const Input<double>& coefficients,
                double x, const Array<double>& values) {
  scan.weighted(coefficients, x, values);
}

void first_order(const Scan<wavescan::PlusTimes<double>>& scan, const Input<double>& x,
                 const Input<double>& a, const Array<double>& y) {
  scan.weighted(x, a, y);
}

void second_order(const Scan<MapComposition>& scan, const Input<double>& x, const Input<double>& a,
                  const Input<double>& b, const Array<double>& y) {
  // (y_{j-1}, y_{j-2}) -> (y_j, y_{j-1})
  const auto step = KOKKOS_LAMBDA(std::int64_t j) { return AffineMap{a(j), b(j), 1, 0, x(j), 0}; };
  const auto of_zero = KOKKOS_LAMBDA(const AffineMap& map) { return map.v0; };
  scan.inclusive(wavescan::computed_input(scan.length(), step),
                 wavescan::transform_output(y, of_zero));
}

}  // namespace applications
