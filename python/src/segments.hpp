// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_Operators.hpp>
#include <WaveScan_SegmentDescriptions.hpp>

#include <string>
#include <string_view>

/// @file
/// @brief What operations on segments share; they are compiled apart, because each of them takes
/// nvcc minutes.

namespace wavescan::python {

/// @brief Requires one dimension, and offsets or heads that tell segments.
inline void require_segments(const char* function, const Array& x, const OptionalArray& offsets,
                             const OptionalArray& heads) {
  require_rank(function, x, 1, 1);
  if (offsets) {
    require_rank(function, *offsets, 1, 1);
    if (offsets->type != Type::Int64)
      throw TypeError(std::string("wavescan.") + function + ": 'offsets' must be of int64, got " +
                      std::string(name_of(offsets->type)));
    if (offsets->extent[0] == 0)
      reject(function, "offsets", "have one element more than there are segments", "none");
  } else {
    require_flags(function, *heads);
    require_shape(function, *heads, x);
  }
}

/// @brief Calls use(segments).
template <class Exec, class Use>
void with_segments(const Exec& exec, const OptionalArray& offsets, const OptionalArray& heads,
                   const Use& use) {
  if (offsets)
    use(segment_offsets(line_view<const std::int64_t>(exec, *offsets)));
  else
    use(segment_heads(line_view<const std::uint8_t>(exec, *heads)));
}

/// @brief Calls use.operator()<Op>() for an operator by its name.
template <class T, class Use>
void with_operator(const char* function, std::string_view op, const Use& use) {
  if (op == "add") return use.template operator()<Plus<T>>();
  if (op == "maximum") return use.template operator()<Max<T>>();
  if (op == "minimum") return use.template operator()<Min<T>>();
  reject(function, "op", "be 'add', 'maximum' or 'minimum'", "'" + std::string(op) + "'");
}

}  // namespace wavescan::python
