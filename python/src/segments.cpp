// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_SegmentedReduce.hpp>
#include <WaveScan_SegmentedScan.hpp>

namespace wavescan::python {
namespace {

const Array* pointer(const OptionalArray& array) { return array ? &*array : nullptr; }

void check(const char* function, const Array& x, const OptionalArray& offsets,
           const OptionalArray& heads) {
  require_rank(function, x, 1, 1);
  if (offsets) {
    require_rank(function, *offsets, 1, 1);
    if (offsets->type != Type::Int64)
      throw TypeError(std::string("wavescan.") + function + ": 'offsets' must be of int64, got " +
                      std::string(name_of(offsets->type)));
    if (offsets->extent[0] == 0)
      reject(function, "offsets", "have one element more than there are segments", "none");
  } else {
    if (heads->type != Type::Bool && heads->type != Type::UInt8)
      throw TypeError(std::string("wavescan.") + function + ": 'heads' must be of bool, got " +
                      std::string(name_of(heads->type)));
    require_shape(function, *heads, x);
  }
}

/// Calls use(segments).
template <class Exec, class Use>
void with_segments(const Exec& exec, const OptionalArray& offsets, const OptionalArray& heads,
                   const Use& use) {
  if (offsets)
    use(segment_offsets(line_view<const std::int64_t>(exec, *offsets)));
  else
    use(segment_heads(line_view<const std::uint8_t>(exec, *heads)));
}

/// Calls use.operator()<Op>() for an operator by its name.
template <class T, class Use>
void with_operator(const char* function, std::string_view op, const Use& use) {
  if (op == "add") return use.template operator()<Plus<T>>();
  if (op == "maximum") return use.template operator()<Max<T>>();
  if (op == "minimum") return use.template operator()<Min<T>>();
  reject(function, "op", "be 'add', 'maximum' or 'minimum'", "'" + std::string(op) + "'");
}

}  // namespace

void segmented_scan(std::string_view op, const Array& x, const Array& out,
                    const OptionalArray& offsets, const OptionalArray& heads, bool exclusive,
                    bool reverse, const std::optional<Number>& initial, std::uintptr_t stream) {
  const char* const function = "segmented_scan";
  check(function, x, offsets, heads);
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

void segmented_recurrence(const Array& a, const Array& x, const Array& out,
                          const OptionalArray& offsets, const OptionalArray& heads, bool reverse,
                          std::uintptr_t stream) {
  const char* const function = "segmented_linear_recurrence";
  check(function, x, offsets, heads);
  require_type(function, out, x);
  require_type(function, a, x);
  require_shape(function, out, x);
  require_shape(function, a, x);
  require_output(function, out, {&x, &a});
  require_output(function, out, {pointer(offsets), pointer(heads)}, false);
  const Place place =
      common_place(function, stream, {&x, &a, &out, pointer(offsets), pointer(heads)});
  using Single = Kokkos::complex<float>;
  using Double = Kokkos::complex<double>;
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

void segmented_reduce(std::string_view op, const Array& x, const Array& out, const Array& offsets,
                      const std::optional<Number>& initial, std::uintptr_t stream) {
  const char* const function = "segmented_reduce";
  check(function, x, offsets, std::nullopt);
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
