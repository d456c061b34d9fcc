// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_PADCHECKS_HPP
#define WAVESCAN_IMPL_PAD_PADCHECKS_HPP

#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace wavescan::Impl::pad {

/// @brief Requires all extents but the last one to be the same.
inline void require_same_rows(std::string_view operation, const Footprint& in,
                              const Footprint& out) {
  for (std::size_t r = 0; r + 1 < in.rank; ++r)
    if (in.extent[r] != out.extent[r])
      reject(operation, "out", "must have the rows of 'in' (" + extents_of(in) + ")",
             extents_of(out));
}

/// @brief Requires so many columns behind the leading ones.
inline void require_columns(std::string_view operation, std::string_view argument,
                            const Footprint& wide, std::int64_t leading, std::int64_t columns) {
  require(leading >= 0, operation, "leading", "must not be negative", leading);
  require(wide.extent[wide.rank - 1] - leading >= columns, operation, argument,
          "must have at least " + std::to_string(leading) + " + " + std::to_string(columns) +
              " columns",
          wide.extent[wide.rank - 1]);
}

/// @brief Returns the direction in which the elements of a box move; throws if not all of them move
/// in one.
/// @param in      where they are read, and
/// @param out     written, perhaps with other columns
/// @param moved   displacement of the first element, in bytes
inline Direction require_one_direction(std::string_view operation, const Footprint& in,
                                       const Footprint& out, const Box& box, std::int64_t moved,
                                       std::size_t element) {
  if (!may_overlap(in, out)) return Direction::Apart;
  std::int64_t least = moved, most = moved;
  for (int r = 0; r < Box::rank; ++r) {
    const std::int64_t more =
        (box.extent[r] - 1) * (box.out[r] - box.in[r]) * static_cast<std::int64_t>(element);
    (more < 0 ? least : most) += more;
  }
  const bool ordered = box.grows(box.in) && box.grows(box.out);
  if (!ordered || (least < 0 && most > 0))
    reject(operation, "out",
           "must share no memory with 'in', or lie so that no element moves against the others",
           "overlapping Views");
  return most > 0 ? Direction::Up : Direction::Down;
}

}  // namespace wavescan::Impl::pad

#endif
