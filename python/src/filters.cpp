// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"
#include "planes.hpp"

#include <WaveScan_FiltFilt.hpp>
#include <WaveScan_Filter.hpp>

namespace wavescan::python {
namespace {

/// Calls use(instance, x, y) for each plane, which is of rank 2 and filtered along its rows.
template <class Use>
void for_planes(const char* function, const Array& x, const Array& out, std::int64_t given_axis,
                std::uintptr_t stream, const Use& use) {
  const int axis = checked_axis(function, x, given_axis);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_output(function, out, {&x});
  const Place place = common_place(function, stream, {&x, &out});
  with_type<float, double, Single, Double>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      const Planes<2> planes({&x, &out}, axis);
      planes.for_each([&](const auto& data) {
        use(exec,
            lines_view<const T>(exec, data[0], planes.lines(), planes.line_stride(0),
                                x.extent[axis], planes.stride(0)),
            lines_view<T>(exec, data[1], planes.lines(), planes.line_stride(1), x.extent[axis],
                          planes.stride(1)));
      });
    });
  });
}

/// The states of the lines of a plane, (lines, values) or (sections, lines, values).
template <class T, bool Sections, class Exec, std::size_t Count>
auto states_view(const Exec& exec, const Planes<Count>& planes, std::size_t k, char* data,
                 std::int64_t values, std::int64_t sections, std::int64_t section_stride) {
  if constexpr (Sections) {
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    return Kokkos::View<T***, Kokkos::LayoutStride, typename Exec::memory_space,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        reinterpret_cast<T*>(data),
        Kokkos::LayoutStride(size(sections), size(section_stride), size(planes.lines()),
                             size(planes.line_stride(k)), size(values), size(planes.stride(k))));
  } else {
    return lines_view<T>(exec, data, planes.lines(), planes.line_stride(k), values,
                         planes.stride(k));
  }
}

/// A filter whose states may come in and go out.
/// @param sections of a cascade; -1 for a transfer function
template <bool IsCascade, class Run>
void filter(const char* function, const Array& x, const Array& out, const OptionalArray& zi,
            const OptionalArray& zf, std::int64_t given_axis, std::int64_t sections,
            std::int64_t values, bool reverse, std::uintptr_t stream, const Run& run) {
  const int axis = checked_axis(function, x, given_axis);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_output(function, out, {&x});
  OptionalArray in, end;  // of one section, or of all
  for (const auto& [given, of_lines] : {std::pair(&zi, &in), std::pair(&zf, &end)}) {
    if (!*given) continue;
    const Array& states = **given;
    require_type(function, states, x);
    if constexpr (IsCascade) {
      if (states.rank != x.rank + 1 || states.extent[0] != sections)
        reject(function, states.name,
               "have a first dimension of " + std::to_string(sections) + " and then those of 'x'",
               "shape " + shape_of(states));
      *of_lines = states.without_first();
    } else {
      *of_lines = states;
    }
    require_shape_along(function, **of_lines, x, axis, values);
    require_output(function, out, {&states}, false);
  }
  if (end) require_output(function, *zf, {&x}, false);
  const Place place = common_place(function, stream, {&x, &out, pointer(zi), pointer(zf)});
  with_type<float, double, Single, Double>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      const Planes<4> planes({&x, &out, pointer(in), pointer(end)}, axis);
      planes.for_each([&](const auto& data) {
        const auto from = lines_view<const T>(exec, data[0], planes.lines(), planes.line_stride(0),
                                              x.extent[axis], planes.stride(0));
        const auto to = lines_view<T>(exec, data[1], planes.lines(), planes.line_stride(1),
                                      x.extent[axis], planes.stride(1));
        // One pair of types for all four cases: an array that is not there has no data.
        const auto options = ScanOptions().reverse(reverse);
        const auto states_in = states_view<const T, IsCascade>(exec, planes, 2, data[2], values,
                                                               sections, zi ? zi->stride[0] : 0);
        const auto states_out = states_view<T, IsCascade>(exec, planes, 3, data[3], values,
                                                          sections, zf ? zf->stride[0] : 0);
        if (in && end)
          run(exec, from, to, options.carry_in(states_in).carry_out(states_out));
        else if (in)
          run(exec, from, to, options.carry_in(states_in));
        else if (end)
          run(exec, from, to, options.carry_out(states_out));
        else
          run(exec, from, to, options);
      });
    });
  });
}

FiltFiltOptions filtfilt_options(const char* function, const std::string& padding,
                                 std::int64_t length) {
  FilterPadding kind = FilterPadding::None;
  if (padding == "odd")
    kind = FilterPadding::Odd;
  else if (padding == "even")
    kind = FilterPadding::Even;
  else if (padding == "constant")
    kind = FilterPadding::Constant;
  else if (padding != "none")
    reject(function, "padtype", "be 'odd', 'even', 'constant' or None", "'" + padding + "'");
  return FiltFiltOptions{.padding = kind, .length = kind == FilterPadding::None ? -1 : length};
}

}  // namespace

void lfilter(const Coefficients& b, const Coefficients& a, const Array& x, const Array& out,
             const OptionalArray& zi, const OptionalArray& zf, std::int64_t axis, bool reverse,
             std::uintptr_t stream) {
  const auto order = static_cast<std::int64_t>(std::max(b.size(), a.size())) - 1;
  filter<false>("lfilter", x, out, zi, zf, axis, -1, order, reverse, stream,
                [&](const auto& exec, const auto& from, const auto& to, const auto& options) {
                  wavescan::lfilter(exec, b, a, from, to, options);
                });
}

void sosfilt(const Sections& sos, const Array& x, const Array& out, const OptionalArray& zi,
             const OptionalArray& zf, std::int64_t axis, std::uintptr_t stream) {
  filter<true>("sosfilt", x, out, zi, zf, axis, static_cast<std::int64_t>(sos.size()), 2, false,
               stream,
               [&](const auto& exec, const auto& from, const auto& to, const auto& options) {
                 wavescan::sosfilt(exec, sos, from, to, options);
               });
}

void filtfilt(const Coefficients& b, const Coefficients& a, const Array& x, const Array& out,
              std::int64_t axis, const std::string& padding, std::int64_t length,
              std::uintptr_t stream) {
  const FiltFiltOptions options = filtfilt_options("filtfilt", padding, length);
  for_planes("filtfilt", x, out, axis, stream,
             [&](const auto& exec, const auto& from, const auto& to) {
               wavescan::filtfilt(exec, b, a, from, to, options);
             });
}

void sosfiltfilt(const Sections& sos, const Array& x, const Array& out, std::int64_t axis,
                 const std::string& padding, std::int64_t length, std::uintptr_t stream) {
  const FiltFiltOptions options = filtfilt_options("sosfiltfilt", padding, length);
  for_planes("sosfiltfilt", x, out, axis, stream,
             [&](const auto& exec, const auto& from, const auto& to) {
               wavescan::sosfiltfilt(exec, sos, from, to, options);
             });
}

Coefficients lfilter_zi(const Coefficients& b, const Coefficients& a) {
  return wavescan::lfilter_zi(b, a);
}
std::vector<std::array<double, 2>> sosfilt_zi(const Sections& sos) {
  return wavescan::sosfilt_zi(sos);
}
Coefficients lfiltic(const Coefficients& b, const Coefficients& a, const Coefficients& y,
                     const Coefficients& x) {
  return wavescan::lfiltic(b, a, y, x);
}

}  // namespace wavescan::python
