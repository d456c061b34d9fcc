// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "array.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace wavescan::python {
namespace {

struct TypeFacts {
  std::string_view name;
  std::size_t size;
};
constexpr TypeFacts facts[] = {
    {"bool", 1},    {"int8", 1},      {"uint8", 1},       {"int16", 2},
    {"uint16", 2},  {"int32", 4},     {"uint32", 4},      {"int64", 8},
    {"uint64", 8},  {"float16", 2},   {"bfloat16", 2},    {"float32", 4},
    {"float64", 8}, {"complex64", 8}, {"complex128", 16}, {"another type", 1}};

std::string place_of(const Array& x) {
  return x.on_device ? "device " + std::to_string(x.device) : "the host";
}

/// The bytes that an array lies between.
std::pair<std::uintptr_t, std::uintptr_t> range_of(const Array& x) {
  auto low = reinterpret_cast<std::uintptr_t>(x.data), high = low;
  const auto size = static_cast<std::int64_t>(size_of(x.type));
  if (x.elements() == 0) return {low, low};
  for (int r = 0; r < x.rank; ++r) {
    const std::int64_t reach = (x.extent[r] - 1) * x.stride[r] * size;
    (reach < 0 ? low : high) += static_cast<std::uintptr_t>(reach);
  }
  return {low, high + static_cast<std::uintptr_t>(size)};
}

bool same_elements(const Array& a, const Array& b) {
  if (a.data != b.data || a.type != b.type || a.rank != b.rank) return false;
  for (int r = 0; r < a.rank; ++r)
    if (a.extent[r] != b.extent[r] || (a.extent[r] > 1 && a.stride[r] != b.stride[r])) return false;
  return true;
}

/// Of arrays of up to two dimensions the operations themselves find out exactly.
bool is_checked_by_operation(const Array& x) { return x.rank <= 2; }

}  // namespace

std::string_view name_of(Type type) { return facts[static_cast<int>(type)].name; }
std::size_t size_of(Type type) { return facts[static_cast<int>(type)].size; }

std::int64_t Array::elements() const {
  std::int64_t count = 1;
  for (int r = 0; r < rank; ++r) count *= extent[r];
  return count;
}

Array Array::without_first() const {
  Array rest = *this;
  rest.rank = rank - 1;
  for (int r = 0; r + 1 < rank; ++r) {
    rest.extent[r] = extent[r + 1];
    rest.stride[r] = stride[r + 1];
  }
  return rest;
}

std::string shape_of(const Array& array) {
  std::string text = "(";
  for (int r = 0; r < array.rank; ++r)
    text += (r > 0 ? ", " : "") + std::to_string(array.extent[r]);
  return text + (array.rank == 1 ? ",)" : ")");
}

void reject(const char* function, const char* argument, const std::string& wanted,
            const std::string& came) {
  throw std::invalid_argument(std::string("wavescan.") + function + ": '" + argument + "' must " +
                              wanted + ", got " + came);
}

int checked_axis(const char* function, const Array& x, std::int64_t axis) {
  require_rank(function, x, 1, Array::most_dimensions);
  if (axis < -x.rank || axis >= x.rank)
    reject(function, "axis",
           "be from " + std::to_string(-x.rank) + " to " + std::to_string(x.rank - 1) + " for '" +
               x.name + "' of shape " + shape_of(x),
           std::to_string(axis));
  return static_cast<int>(axis < 0 ? axis + x.rank : axis);
}

void require_rank(const char* function, const Array& x, int least, int most) {
  if (x.rank >= least && x.rank <= most) return;
  std::string wanted = "have " + std::to_string(least);
  if (most >= Array::most_dimensions)
    wanted += " or more dimensions";
  else
    wanted += (most > least ? " to " + std::to_string(most) : "") +
              (most == 1 ? " dimension" : " dimensions");
  reject(function, x.name, wanted, "shape " + shape_of(x));
}

void require_type(const char* function, const Array& x, const Array& like) {
  if (x.type == like.type) return;
  throw TypeError(std::string("wavescan.") + function + ": '" + x.name +
                  "' must have the dtype of '" + like.name + "' (" +
                  std::string(name_of(like.type)) + "), got " + std::string(name_of(x.type)));
}

void require_flags(const char* function, const Array& x) {
  if (x.type == Type::Bool || x.type == Type::UInt8) return;
  throw TypeError(std::string("wavescan.") + function + ": '" + x.name + "' must be of bool, got " +
                  std::string(name_of(x.type)));
}

void require_shape(const char* function, const Array& x, const Array& like) {
  if (x.rank == like.rank &&
      std::equal(x.extent.begin(), x.extent.begin() + x.rank, like.extent.begin()))
    return;
  reject(function, x.name, std::string("have the shape of '") + like.name + "' " + shape_of(like),
         shape_of(x));
}

void require_shape_along(const char* function, const Array& x, const Array& like, int axis,
                         std::int64_t extent) {
  Array wanted = like;
  wanted.extent[axis] = extent;
  if (x.rank == wanted.rank &&
      std::equal(x.extent.begin(), x.extent.begin() + x.rank, wanted.extent.begin()))
    return;
  reject(function, x.name, "have the shape " + shape_of(wanted), shape_of(x));
}

void require_fits(const char* function, const char* argument, const std::optional<Number>& number,
                  const Array& like) {
  if (!number) return;
  const bool takes_complex = like.type == Type::Complex64 || like.type == Type::Complex128;
  const bool takes_fractions =
      takes_complex || like.type == Type::Float32 || like.type == Type::Float64;
  if ((number->is_complex && !takes_complex) || (!number->is_integer && !takes_fractions))
    throw TypeError(std::string("wavescan.") + function + ": '" + argument +
                    "' must be a number of the dtype of '" + like.name + "' (" +
                    std::string(name_of(like.type)) + "), got a " +
                    (number->is_complex ? "complex" : "float"));
  if (like.type == Type::Int32 && number->integer != static_cast<std::int32_t>(number->integer))
    reject(function, argument, "fit int32", std::to_string(number->integer));
}

void require_output(const char* function, const Array& out, std::initializer_list<const Array*> in,
                    bool in_place) {
  if (!out.writable) reject(function, out.name, "be writable", "an array that is read-only");
  if (!is_checked_by_operation(out) && out.elements() > 0) {
    // Sorted by their steps, dimensions must not reach into each other.
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;
    for (int r = 0; r < out.rank; ++r)
      if (out.extent[r] > 1)
        steps.emplace_back(out.stride[r] < 0 ? -out.stride[r] : out.stride[r], out.extent[r]);
    std::sort(steps.begin(), steps.end());
    std::int64_t reach = 0;
    for (const auto& [step, extent] : steps) {
      if (step <= reach) reject(function, out.name, "have elements that lie apart", "others");
      reach += (extent - 1) * step;
    }
  }
  const auto [low, high] = range_of(out);
  for (const Array* x : in) {
    if (!x || (in_place && same_elements(*x, out))) continue;
    if (in_place && x->type == out.type && is_checked_by_operation(out) && x->rank == out.rank)
      continue;
    const auto [begin, end] = range_of(*x);
    if (low == high || begin == end || high <= begin || end <= low) continue;
    reject(function, out.name,
           (in_place ? std::string("be '") + x->name + "' itself or share no memory with it"
                     : std::string("share no memory with '") + x->name + "'"),
           "arrays that overlap");
  }
}

Place common_place(const char* function, std::uintptr_t stream,
                   std::initializer_list<const Array*> arrays) {
  const Array* first = nullptr;
  for (const Array* x : arrays) {
    if (!x) continue;
    if (!first) first = x;
    if (x->on_device != first->on_device || (x->on_device && x->device != first->device))
      reject(function, x->name,
             std::string("lie where '") + first->name + "' does (" + place_of(*first) + ")",
             place_of(*x));
  }
  return {first->on_device, first->device, stream};
}

}  // namespace wavescan::python
