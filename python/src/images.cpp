// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <impl/WaveScan_KeptPlans.hpp>

#include <cmath>

namespace wavescan::python {
namespace {

/// Pixels of bool are bytes.
Array as_pixels(const Array& image) {
  Array pixels = image;
  if (image.type == Type::Bool) pixels.type = Type::UInt8;
  return pixels;
}

/// Calls use.operator()<Pixel, Entry>() for pairs of types that tables are computed for.
template <class Use>
void with_table_types(const char* function, const Array& image, const Array& table,
                      const Use& use) {
  const auto entries = [&]<class Pixel, class... Entries>() {
    with_type<Entries...>(function, table,
                          [&]<class Entry>() { use.template operator()<Pixel, Entry>(); });
  };
  with_type<std::uint8_t, float, double, std::int32_t, std::int64_t>(
      function, image, [&]<class Pixel>() {
        if constexpr (std::same_as<Pixel, std::uint8_t>)
          entries.template operator()<Pixel, std::int32_t, std::int64_t, float, double>();
        else if constexpr (std::same_as<Pixel, float>)
          entries.template operator()<Pixel, float, double>();
        else
          entries.template operator()<Pixel, Pixel>();
      });
}

/// A dense array that is kept between calls.
template <class T, class Exec>
auto kept_table(const Exec& exec, std::string_view name, const Array& image) {
  return Impl::kept_array<T>(exec, name, image.elements());
}
template <class T, class Exec, class Kept>
LinesView<T, Exec> view_of_kept(const Exec& exec, const Kept& kept, const Array& image) {
  return lines_view<T>(exec, reinterpret_cast<char*>(kept->data()), image.extent[0],
                       image.extent[1], image.extent[1], 1);
}

}  // namespace

void integral_image(const char* function, const Array& given, const Array& table, bool zero_border,
                    std::uintptr_t stream) {
  const Array image = as_pixels(given);
  require_rank(function, image, 2, 2);
  Array wanted = image;
  for (std::size_t r = 0; r < 2; ++r) wanted.extent[r] += zero_border ? 1 : 0;
  require_shape(function, table, wanted);
  require_output(function, table, {&image}, !zero_border);
  const Place place = common_place(function, stream, {&image, &table});
  with_table_types(function, image, table, [&]<class Pixel, class Entry>() {
    with_space(place, [&](const auto& exec) {
      summed_area_table(exec, matrix_view<const Pixel>(exec, image),
                        matrix_view<Entry>(exec, table),
                        SummedAreaTableOptions{.zero_border = zero_border,
                                               .sums_in_double = std::same_as<Entry, float>});
    });
  });
}

void window_moments(const char* function, const Array& given, std::int64_t radius,
                    const Array& mean, const OptionalArray& variance, std::uintptr_t stream) {
  const Array image = as_pixels(given);
  require_rank(function, image, 2, 2);
  require_shape(function, mean, image);
  require_output(function, mean, {&image}, false);
  if (variance) {
    require_type(function, *variance, mean);
    require_shape(function, *variance, image);
    require_output(function, *variance, {&image, &mean}, false);
  }
  const Place place = common_place(function, stream, {&image, &mean, pointer(variance)});
  const auto run = [&]<class Pixel, class Entry, class Out>() {
    with_space(place, [&](const auto& exec) {
      const auto pixels = matrix_view<const Pixel>(exec, image);
      const auto kept = kept_table<Entry>(exec, "WaveScan::python::table", image);
      const auto table = view_of_kept<Entry>(exec, kept, image);
      if (variance) {
        if constexpr (std::floating_point<Out>) {
          const auto kept_squares = kept_table<Entry>(exec, "WaveScan::python::squares", image);
          const auto squares = view_of_kept<Entry>(exec, kept_squares, image);
          summed_area_table(exec, pixels, table, squares);
          local_variance(exec, table, squares, radius, matrix_view<Out>(exec, *variance));
        }
      } else {
        summed_area_table(exec, pixels, table);
      }
      box_filter(exec, table, radius, matrix_view<Out>(exec, mean));
    });
  };
  with_type<std::uint8_t, float, double>(function, image, [&]<class Pixel>() {
    if constexpr (std::same_as<Pixel, std::uint8_t>)
      with_type<std::uint8_t, double>(function, mean, [&]<class Out>() {
        run.template operator()<Pixel, std::int64_t, Out>();
      });
    else
      with_type<Pixel>(function, mean,
                       [&]<class Out>() { run.template operator()<Pixel, double, Out>(); });
  });
}

void integral_histogram(const Array& given, double lower, double upper, const Array& histogram,
                        std::uintptr_t stream) {
  const char* const function = "integral_histogram";
  const Array image = as_pixels(given);
  require_rank(function, image, 2, 2);
  Array wanted = histogram;
  wanted.rank = 3;
  wanted.extent[1] = image.extent[0];
  wanted.extent[2] = image.extent[1];
  require_shape(function, histogram, wanted);
  require_output(function, histogram, {&image}, false);
  const Place place = common_place(function, stream, {&image, &histogram});
  const auto bins = static_cast<int>(histogram.extent[0]);
  if (image.type == Type::UInt8)
    for (const double bound : {lower, upper})
      if (!(std::abs(bound) < 2147483648.0) || bound != std::floor(bound))
        reject(function, "range", "be whole numbers of 32 bits for images of bytes",
               std::to_string(bound));
  const auto run = [&]<class Pixel, class Bound>() {
    with_type<std::int32_t, std::int64_t>(function, histogram, [&]<class Count>() {
      with_space(place, [&](const auto& exec) {
        wavescan::integral_histogram(
            exec, matrix_view<const Pixel>(exec, image),
            UniformBins<Bound>{static_cast<Bound>(lower), static_cast<Bound>(upper), bins},
            box_view<Count>(exec, histogram));
      });
    });
  };
  with_type<std::uint8_t, float>(function, image, [&]<class Pixel>() {
    run.template operator()<Pixel, std::conditional_t<std::same_as<Pixel, float>, float, int>>();
  });
}

}  // namespace wavescan::python
