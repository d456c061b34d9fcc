// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"
#include "planes.hpp"

#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>

namespace wavescan::python {
namespace {

template <class T, class Op, class Exec>
void scan_planes(const Exec& exec, const Op& op, const Array& x, const Array& out, int axis,
                 const LineOptions& options, const std::optional<Number>& initial) {
  const Planes<2> planes({&x, &out}, axis);
  const std::int64_t length = x.extent[axis];
  const auto plain = ScanOptions().reverse(options.reverse);
  planes.for_each([&](const auto& data) {
    const auto in = lines_view<const T>(exec, data[0], planes.lines(), planes.line_stride(0),
                                        length, planes.stride(0));
    const auto to = lines_view<T>(exec, data[1], planes.lines(), planes.line_stride(1), length,
                                  planes.stride(1));
    if (initial && options.exclusive)
      exclusive_scan(exec, in, to, as<T>(*initial), op, plain);
    else if (initial)
      inclusive_scan(exec, in, to, op, as<T>(*initial), plain);
    else if (options.exclusive)
      exclusive_scan(exec, in, to, op, plain);
    else
      inclusive_scan(exec, in, to, op, plain);
  });
}

}  // namespace

void scan(const char* function, std::string_view op, const Array& x, const Array& out,
          const LineOptions& options, const std::optional<Number>& initial, std::uintptr_t stream) {
  const int axis = checked_axis(function, x, options.axis);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_fits(function, "initial", initial, x);
  require_output(function, out, {&x});
  const Place place = common_place(function, stream, {&x, &out});
  const auto run = [&]<class T>(const auto& make) {
    with_space(place, [&](const auto& exec) {
      scan_planes<T>(exec, make, x, out, axis, options, initial);
    });
  };
  if (op == "add")
    with_type<float, double, std::int32_t, std::int64_t, Single, Double>(
        function, x, [&]<class T>() { run.template operator()<T>(Plus<T>()); });
  else if (op == "multiply")
    with_type<float, double, std::int32_t, std::int64_t>(
        function, x, [&]<class T>() { run.template operator()<T>(Times<T>()); });
  else if (op == "maximum")
    with_type<float, double, std::int32_t, std::int64_t>(
        function, x, [&]<class T>() { run.template operator()<T>(Max<T>()); });
  else if (op == "minimum")
    with_type<float, double, std::int32_t, std::int64_t>(
        function, x, [&]<class T>() { run.template operator()<T>(Min<T>()); });
  else
    reject(function, "op", "be 'add', 'multiply', 'maximum' or 'minimum'",
           "'" + std::string(op) + "'");
}

}  // namespace wavescan::python
