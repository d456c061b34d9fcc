// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "segments.hpp"

#include <WaveScan_SegmentedReduce.hpp>

namespace wavescan::python {

void segmented_reduce(std::string_view op, const Array& x, const Array& out, const Array& offsets,
                      const std::optional<Number>& initial, std::uintptr_t stream) {
  const char* const function = "segmented_reduce";
  require_segments(function, x, offsets, std::nullopt);
  require_type(function, out, x);
  require_rank(function, out, 1, 1);
  require_fits(function, "initial", initial, x);
  if (out.extent[0] != offsets.extent[0] - 1)
    reject(function, "out",
           "have an element for each segment, " + std::to_string(offsets.extent[0] - 1),
           std::to_string(out.extent[0]));
  require_output(function, out, {&x, &offsets}, false);
  const Place place = common_place(function, stream, {&x, &out, &offsets});
  with_type<float, double, std::int32_t, std::int64_t>(function, x, [&]<class T>() {
    with_operator<T>(function, op, [&]<class Op>() {
      const T first = initial ? as<T>(*initial) : Op().identity();
      with_space(place, [&](const auto& exec) {
        wavescan::segmented_reduce(exec, line_view<const T>(exec, x),
                                   segment_offsets(line_view<const std::int64_t>(exec, offsets)),
                                   line_view<T>(exec, out), Op(), first);
      });
    });
  });
}

}  // namespace wavescan::python
