// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "segments.hpp"

#include <WaveScan_Algebras.hpp>
#include <WaveScan_SegmentedScan.hpp>

namespace wavescan::python {

void segmented_recurrence(const Array& a, const Array& x, const Array& out,
                          const OptionalArray& offsets, const OptionalArray& heads, bool reverse,
                          std::uintptr_t stream) {
  const char* const function = "segmented_linear_recurrence";
  require_segments(function, x, offsets, heads);
  require_type(function, out, x);
  require_type(function, a, x);
  require_shape(function, out, x);
  require_shape(function, a, x);
  require_output(function, out, {&x, &a});
  require_output(function, out, {pointer(offsets), pointer(heads)}, false);
  const Place place =
      common_place(function, stream, {&x, &a, &out, pointer(offsets), pointer(heads)});
  with_type<float, double, Single, Double>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      with_segments(exec, offsets, heads, [&](const auto& segments) {
        segmented_weighted_scan(exec, line_view<const T>(exec, x), line_view<const T>(exec, a),
                                segments, line_view<T>(exec, out), PlusTimes<T>(), NoCarry(),
                                {.reverse = reverse});
      });
    });
  });
}

}  // namespace wavescan::python
