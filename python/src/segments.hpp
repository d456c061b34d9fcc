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

/// @brief Requires offsets on the host to ascend from 0 to the length of x. Those on devices are
/// not waited for.
inline void require_ascending(const char* function, const Array& offsets, const Array& x) {
  if (offsets.on_device) return;
  const auto offset = [&](std::int64_t s) {
    return reinterpret_cast<const std::int64_t*>(offsets.data)[s * offsets.stride[0]];
  };
  const std::int64_t last = offsets.extent[0] - 1, length = x.extent[0];
  const auto refuse = [&](std::int64_t s) {
    reject(function, "offsets",
           "ascend from 0 to the length of 'x' (" + std::to_string(length) + ")",
           std::to_string(offset(s)) + " at " + std::to_string(s));
  };
  if (offset(0) != 0) refuse(0);
  for (std::int64_t s = 1; s <= last; ++s)
    if (offset(s) < offset(s - 1)) refuse(s);
  if (offset(last) != length) refuse(last);
}

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
    require_ascending(function, *offsets, x);
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
