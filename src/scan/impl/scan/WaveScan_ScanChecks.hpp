// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SCANCHECKS_HPP
#define WAVESCAN_IMPL_SCAN_SCANCHECKS_HPP

#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief The name by which errors call the carry in of some options.
template <class Options>
inline constexpr std::string_view name_of_carry_in = "carry_in";

/// @brief The arrays of a scan as memory: what is checked does not depend on their types.
struct ScanArrays {
  std::string_view operation;
  Footprint in, out;
  std::optional<Footprint> weight{}, carry_in{}, carry_out{};
  std::string_view carry_in_name = "carry_in";  ///< as the operation calls it

  /// @brief Throws unless a plan for `lines` can scan them along `axis`.
  void require_valid(LineExtents lines, int axis) const {
    if (weight) require_same_extents(operation, "weight", *weight, "in", in);
    require_extents_of(operation, "out", out, "in", in);
    const LineExtents given = line_extents(in, axis);
    if (given.lines != lines.lines || given.length != lines.length)
      reject(operation, "in",
             "must hold the plan's " + std::to_string(lines.lines) + " lines of " +
                 std::to_string(lines.length) + " elements",
             std::to_string(given.lines) + " lines of " + std::to_string(given.length));
    const Footprint written = out.within(in);
    require_distinct_elements(operation, "out", written);
    if (weight) require_same_or_disjoint(operation, "weight", *weight, "out", written);
    require_same_or_disjoint(operation, "in", in, "out", written);
    if (carry_in) {
      require_disjoint(operation, carry_in_name, *carry_in, "out", written);
      require_carries(carry_in_name, *carry_in, lines);
    }
    if (carry_out) {
      require_distinct_elements(operation, "carry_out", *carry_out);
      if (weight) require_disjoint(operation, "weight", *weight, "carry_out", *carry_out);
      require_disjoint(operation, "in", in, "carry_out", *carry_out);
      require_disjoint(operation, "out", written, "carry_out", *carry_out);
      if (carry_in)
        require_same_or_disjoint(operation, carry_in_name, *carry_in, "carry_out", *carry_out);
      require_carries("carry_out", *carry_out, lines);
    }
  }

 private:
  void require_carries(std::string_view argument, const Footprint& carries,
                       LineExtents lines) const {
    require(carries.rank == 0 || carries.extent[0] == lines.lines, operation, argument,
            "must hold one state for each line", carries.extent[0]);
    require(carries.begin != 0 || lines.lines == 0, operation, argument, "must be allocated",
            "a View without memory");
  }
};

}  // namespace wavescan::Impl

#endif
