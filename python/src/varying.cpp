// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"
#include "planes.hpp"

#include <WaveScan_LinearRecurrence.hpp>

namespace wavescan::python {

void varying_recurrence(const Array& a, const Array& x, const Array& out, std::int64_t given_axis,
                        bool reverse, std::uintptr_t stream) {
  const char* const function = "linear_recurrence";
  const int axis = checked_axis(function, x, given_axis);
  require_type(function, out, x);
  require_type(function, a, x);
  require_shape(function, out, x);
  if (a.rank != x.rank + 1)
    reject(function, a.name, "have the shape of 'x' and a last dimension for the order",
           "shape " + shape_of(a));
  Array first = a;  // the coefficients of the element before
  first.rank = x.rank;
  require_shape(function, first, x);
  const std::int64_t order = a.extent[x.rank], step = a.stride[x.rank];
  require_output(function, out, {&x});
  require_output(function, out, {&a}, false);
  const Place place = common_place(function, stream, {&x, &a, &out});
  with_type<float, double>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      const Planes<3> planes({&x, &first, &out}, axis);
      planes.for_each([&](const auto& data) {
        const auto view = [&]<class E>(std::size_t k, E* from) {
          return lines_view<E>(exec, reinterpret_cast<char*>(const_cast<T*>(from)), planes.lines(),
                               planes.line_stride(k), x.extent[axis], planes.stride(k));
        };
        std::vector<decltype(view(1, static_cast<const T*>(nullptr)))> coefficients;
        for (std::int64_t k = 0; k < order; ++k)
          coefficients.push_back(view(1, reinterpret_cast<const T*>(data[1]) + k * step));
        linear_recurrence(exec, coefficients, view(0, reinterpret_cast<const T*>(data[0])),
                          view(2, reinterpret_cast<T*>(data[2])), ScanOptions().reverse(reverse));
      });
    });
  });
}

}  // namespace wavescan::python
