// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_OVERLAP_HPP
#define WAVESCAN_IMPL_OVERLAP_HPP

#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief True if every element of one has the address of the same element of the other.
inline bool same_elements(const Footprint& a, const Footprint& b) {
  if (a.first != b.first || a.element != b.element || a.rank != b.rank || a.extent != b.extent)
    return false;
  for (std::size_t r = 0; r < a.rank; ++r)
    if (a.extent[r] > 1 && a.stride[r] != b.stride[r]) return false;
  return true;
}

/// @brief True if the two footprints may share a byte.
///
/// Columns of one matrix interleave without meeting. Two tests tell them apart: all addresses of
/// both are congruent modulo the common divisor of the strides, and, where both have the same two
/// strides (and rows do not reach into each other), the offset must be reachable by differences of
/// indices. What remains in doubt counts as overlap.
inline bool may_overlap(const Footprint& a, const Footprint& b) {
  if (a.begin == a.end || b.begin == b.end || a.end <= b.begin || b.end <= a.begin) return false;
  std::int64_t divisor = 0;
  for (const Footprint* f : {&a, &b})
    for (std::size_t r = 0; r < f->rank; ++r)
      if (f->extent[r] > 1) divisor = std::gcd(divisor, f->stride[r]);
  const auto offset = static_cast<std::int64_t>(b.begin) - static_cast<std::int64_t>(a.begin);
  const auto fits = [&](std::int64_t d) {  // a and b disjoint at a distance of d bytes?
    return d >= static_cast<std::int64_t>(a.element) || -d >= static_cast<std::int64_t>(b.element);
  };
  if (divisor > 0) {
    const std::int64_t phase = ((offset % divisor) + divisor) % divisor;
    if (fits(phase) && fits(phase - divisor)) return false;
  }
  if (a.rank == 2 && b.rank == 2 && a.step(0) == b.step(0) && a.step(1) == b.step(1)) {
    const std::size_t slow = a.step(0) >= a.step(1) ? 0 : 1;
    const std::size_t fast = 1 - slow;
    const std::int64_t step = a.step(slow);
    const auto fits_in_step = [&](const Footprint& f) {
      return (f.extent[fast] - 1) * f.step(fast) + static_cast<std::int64_t>(f.element) <= step;
    };
    if (!fits_in_step(a) || !fits_in_step(b)) return true;
    const std::int64_t nearest = offset / step;
    for (std::int64_t d = nearest - 1; d <= nearest + 1; ++d) {
      if (d >= a.extent[slow] || -d >= b.extent[slow]) continue;
      const std::int64_t rest = offset - d * step;  // must be made up by the fast dimension
      const std::int64_t low = -(b.extent[fast] - 1) * a.step(fast);
      const std::int64_t high = (a.extent[fast] - 1) * a.step(fast);
      if (rest > low - static_cast<std::int64_t>(b.element) &&
          rest < high + static_cast<std::int64_t>(a.element))
        return true;
    }
    return false;
  }
  return true;
}

/// @brief True if two elements of a View may be in one place. Of ranks above 2, what remains in
/// doubt counts: that is whatever is no array in rows, of any order and pitch.
inline bool may_repeat(const Footprint& view) {
  std::array<std::size_t, Footprint::max_rank> order{};  // dimensions with steps, the fastest first
  std::size_t steps = 0;
  for (std::size_t r = 0; r < view.rank; ++r) {
    if (view.extent[r] == 0) return false;
    if (view.extent[r] < 2) continue;
    std::size_t place = steps++;
    for (; place > 0 && view.step(order[place - 1]) > view.step(r); --place)
      order[place] = order[place - 1];
    order[place] = r;
  }
  if (steps == 2) {  // a steps along one dimension may be b steps along the other
    const std::int64_t a = view.step(order[0]), b = view.step(order[1]);
    return a == 0 || (b / std::gcd(a, b) < view.extent[order[0]] &&
                      a / std::gcd(a, b) < view.extent[order[1]]);
  }
  std::int64_t reach = 0;  // from the first to the last element of the faster dimensions
  for (std::size_t k = 0; k < steps; ++k) {
    if (view.step(order[k]) <= reach) return true;
    reach += (view.extent[order[k]] - 1) * view.step(order[k]);
  }
  return false;
}

/// @brief Throws if elements of `output` overwrite each other.
inline void require_distinct_elements(std::string_view operation, std::string_view output_name,
                                      const Footprint& output) {
  if (!may_repeat(output)) return;
  std::string strides = "strides";
  for (std::size_t r = 0; r < output.rank; ++r)
    strides += (r == 0 ? " " : ", ") +
               std::to_string(output.stride[r] / static_cast<std::int64_t>(output.element));
  reject(operation, output_name, "must have no elements that overlap", strides);
}

/// @brief Throws if `output` shares memory with `input` in any way but element for element.
inline void require_same_or_disjoint(std::string_view operation, std::string_view input_name,
                                     const Footprint& input, std::string_view output_name,
                                     const Footprint& output) {
  if (same_elements(input, output) || !may_overlap(input, output)) return;
  reject(operation, output_name,
         "must be '" + std::string(input_name) + "' itself or share no memory with it",
         "partly overlapping Views");
}

/// @brief Throws if `output` shares any memory with `input`.
inline void require_disjoint(std::string_view operation, std::string_view input_name,
                             const Footprint& input, std::string_view output_name,
                             const Footprint& output) {
  if (!may_overlap(input, output)) return;
  reject(operation, output_name, "must share no memory with '" + std::string(input_name) + "'",
         "overlapping Views");
}

}  // namespace wavescan::Impl

#endif
