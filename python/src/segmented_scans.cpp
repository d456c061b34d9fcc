// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "segments.hpp"

#include <WaveScan_SegmentedScan.hpp>

namespace wavescan::python {

void segmented_scan(std::string_view op, const Array& x, const Array& out,
                    const OptionalArray& offsets, const OptionalArray& heads, bool exclusive,
                    bool reverse, const std::optional<Number>& initial, std::uintptr_t stream) {
  const char* const function = "segmented_scan";
  require_segments(function, x, offsets, heads);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_fits(function, "initial", initial, x);
  require_output(function, out, {&x});
  require_output(function, out, {pointer(offsets), pointer(heads)}, false);
  const Place place = common_place(function, stream, {&x, &out, pointer(offsets), pointer(heads)});
  const SegmentedScanOptions options{.reverse = reverse};
  with_type<float, double, std::int32_t, std::int64_t>(function, x, [&]<class T>() {
    with_operator<T>(function, op, [&]<class Op>() {
      // The operator's identity may enter every segment, so that one instantiation serves.
      const T first = initial ? as<T>(*initial) : Op().identity();
      with_space(place, [&](const auto& exec) {
        const auto in = line_view<const T>(exec, x);
        const auto to = line_view<T>(exec, out);
        with_segments(exec, offsets, heads, [&](const auto& segments) {
          if (exclusive)
            segmented_exclusive_scan(exec, in, segments, to, Op(), first, options);
          else
            segmented_inclusive_scan(exec, in, segments, to, Op(), first, options);
        });
      });
    });
  });
}

}  // namespace wavescan::python
