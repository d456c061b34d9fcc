// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

void nesting_depth(const Scan<wavescan::Plus<int>>& scan, const Input<char>& text,
                   const Array<int>& depth) {
  const auto step = KOKKOS_LAMBDA(char c) { return c == '(' ? 1 : c == ')' ? -1 : 0; };
  scan.inclusive(wavescan::transform_input(text, step), depth);
}

void match_parentheses(const Exec& exec, const Input<char>& text, const Input<int>& depth,
                       const Array<std::int32_t>& partner) {
  const auto n = static_cast<std::int64_t>(text.extent(0));
  // In the order of positions, opening and closing parentheses of one level take turns.
  const Array<std::uint32_t> level("level", n), position("position", n);
  Kokkos::parallel_for(
      "level", Range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        const bool opens = text(i) == '(', closes = text(i) == ')';
        const std::int64_t of = n + depth(i) + (closes ? 1 : 0);
        level(i) = static_cast<std::uint32_t>(2 * of + (opens || closes ? 0 : 1));
        position(i) = static_cast<std::uint32_t>(i);
        partner(i) = -1;
      });
  radix_sort(exec, level, position);
  Kokkos::parallel_for(
      "partner", Range(exec, 0, n), KOKKOS_LAMBDA(std::int64_t k) {
        if (k == 0) return;
        const std::uint32_t a = position(k - 1), b = position(k);
        if (level(k - 1) == level(k) && text(a) == '(' && text(b) == ')') {
          partner(a) = static_cast<std::int32_t>(b);
          partner(b) = static_cast<std::int32_t>(a);
        }
      });
}

}  // namespace applications
