// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"
#include "planes.hpp"

#include <WaveScan_TridiagonalSolve.hpp>

namespace wavescan::python {

void solve_tridiagonal(const Array& dl, const Array& d, const Array& du, const Array& b,
                       const Array& out, std::int64_t given_axis, bool cyclic, bool transposed,
                       std::uintptr_t stream) {
  const char* const function = "solve_tridiagonal";
  const int axis = checked_axis(function, b, given_axis);
  require_type(function, out, b);
  require_shape(function, out, b);
  // A diagonal of one dimension is that of all systems.
  const auto as_all = [&](const Array& diagonal) {
    require_type(function, diagonal, b);
    if (diagonal.rank != 1 || b.rank == 1) {
      require_shape(function, diagonal, b);
      return diagonal;
    }
    if (diagonal.extent[0] != b.extent[axis])
      reject(function, diagonal.name,
             "have the shape of 'b' or as many elements as that has along the axis, " +
                 std::to_string(b.extent[axis]),
             shape_of(diagonal));
    Array all = b;
    all.name = diagonal.name;
    all.data = diagonal.data;
    all.stride = {};
    all.stride[static_cast<std::size_t>(axis)] = diagonal.stride[0];
    return all;
  };
  const Array lower = as_all(dl), diagonal = as_all(d), upper = as_all(du);
  require_output(function, out, {&b});
  require_output(function, out, {&dl, &d, &du}, false);
  const Place place = common_place(function, stream, {&b, &dl, &d, &du, &out});
  with_type<float, double>(function, b, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      const Planes<5> planes({&b, &lower, &diagonal, &upper, &out}, axis);
      planes.for_each([&](const auto& data) {
        const auto view = [&]<class E>(std::size_t k, E*) {
          return lines_view<E>(exec, data[k], planes.lines(), planes.line_stride(k), b.extent[axis],
                               planes.stride(k));
        };
        const T* const read = nullptr;
        T* const written = nullptr;
        tridiagonal_solve(exec, view(1, read), view(2, read), view(3, read), view(0, read),
                          view(4, written),
                          TridiagonalOptions{.cyclic = cyclic, .transposed = transposed});
      });
    });
  });
}

}  // namespace wavescan::python
