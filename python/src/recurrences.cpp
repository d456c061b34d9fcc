// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"
#include "planes.hpp"

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Scan.hpp>

namespace wavescan::python {
namespace {

/// What a weighted scan is called with.
struct Call {
  const Array& x;
  const std::optional<Number>& weight;
  const OptionalArray& weights;
  const Array& out;
  LineOptions options;
  int axis;
  const std::optional<Number>& initial;
  const OptionalArray& initials;
};

template <class T, class Algebra, class Exec>
void scan_planes(const Exec& exec, const Call& call) {
  const Planes<4> planes({&call.x, &call.out, pointer(call.weights), pointer(call.initials)},
                         call.axis);
  const std::int64_t length = call.x.extent[call.axis];
  planes.for_each([&](const auto& data) {
    const auto view = [&]<class E>(std::size_t k, E*) {
      return lines_view<E>(exec, data[k], planes.lines(), planes.line_stride(k), length,
                           planes.stride(k));
    };
    const auto in = view(0, static_cast<const T*>(nullptr));
    const auto to = view(1, static_cast<T*>(nullptr));
    const auto with_options = [&](const auto& weight, const auto& options) {
      if (call.options.exclusive)
        weighted_exclusive_scan(exec, in, weight, to, Algebra(), options);
      else
        weighted_scan(exec, in, weight, to, Algebra(), options);
    };
    const auto with_weight = [&](const auto& weight) {
      const auto plain = ScanOptions().reverse(call.options.reverse);
      if (call.initials)
        with_options(weight, plain.carry_in(line_view<const T>(exec, data[3], planes.lines(),
                                                               planes.line_stride(3))));
      else if (call.initial)
        with_options(weight, plain.carry_in(as<T>(*call.initial)));
      else
        with_options(weight, plain);
    };
    if (call.weights)
      with_weight(view(2, static_cast<const T*>(nullptr)));
    else
      with_weight(as<T>(*call.weight));
  });
}

}  // namespace

void weighted_scan(const char* function, std::string_view algebra, const Array& x,
                   const std::optional<Number>& weight, const OptionalArray& weights,
                   const Array& out, const LineOptions& options,
                   const std::optional<Number>& initial, const OptionalArray& initials,
                   std::uintptr_t stream) {
  const int axis = checked_axis(function, x, options.axis);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_fits(function, "a", weight, x);
  require_fits(function, "initial", initial, x);
  if (weights) {
    require_type(function, *weights, x);
    require_shape(function, *weights, x);
  }
  if (initials) {
    require_type(function, *initials, x);
    require_shape_along(function, *initials, x, axis, 1);
    require_output(function, out, {&*initials}, false);
  }
  require_output(function, out, {&x, pointer(weights)});
  const Place place =
      common_place(function, stream, {&x, &out, pointer(weights), pointer(initials)});
  const Call call{x, weight, weights, out, options, axis, initial, initials};
  const auto run = [&]<class T, class Algebra>() {
    with_space(place, [&](const auto& exec) { scan_planes<T, Algebra>(exec, call); });
  };
  if (algebra == "plus_times")
    with_type<float, double, std::int32_t, std::int64_t, Single, Double>(
        function, x, [&]<class T>() { run.template operator()<T, PlusTimes<T>>(); });
  else if (algebra == "max_plus")
    with_type<float, double, std::int32_t, std::int64_t>(
        function, x, [&]<class T>() { run.template operator()<T, MaxPlus<T>>(); });
  else if (algebra == "min_plus")
    with_type<float, double, std::int32_t, std::int64_t>(
        function, x, [&]<class T>() { run.template operator()<T, MinPlus<T>>(); });
  else
    reject(function, "algebra", "be 'plus_times', 'max_plus' or 'min_plus'",
           "'" + std::string(algebra) + "'");
}

}  // namespace wavescan::python
