// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>

namespace wavescan::python {
namespace {

/// Stands for elements of 16 bytes.
struct TwoWords {
  std::uint64_t first;
  std::uint64_t second;
};

/// Elements are moved as they are: words of their size serve all types.
template <class Use>
void with_word(const char* function, const Array& x, const Use& use) {
  if (x.type == Type::Other)
    throw TypeError(std::string("wavescan.") + function + ": '" + x.name +
                    "' must be of numbers or bool of 8 to 64 bits, or of complex numbers");
  switch (size_of(x.type)) {
    case 1:
      return use.template operator()<std::uint8_t>();
    case 2:
      return use.template operator()<std::uint16_t>();
    case 4:
      return use.template operator()<std::uint32_t>();
    case 8:
      return use.template operator()<std::uint64_t>();
    default:
      return use.template operator()<TwoWords>();
  }
}

void require_flags(const char* function, const Array& condition, const Array& x) {
  if (condition.type != Type::Bool && condition.type != Type::UInt8)
    throw TypeError(std::string("wavescan.") + function + ": '" + condition.name +
                    "' must be of bool, got " + std::string(name_of(condition.type)));
  require_rank(function, condition, 1, 1);
  if (condition.extent[0] != x.extent[0])
    reject(function, condition.name,
           "have as many elements as '" + std::string(x.name) + "' (" +
               std::to_string(x.extent[0]) + ")",
           std::to_string(condition.extent[0]));
}

/// Rows of a matrix whose elements are side by side, and which are as long as a word, are words.
Array rows_as_words(const Array& x, bool& possible) {
  Array words = x;
  const auto bytes = static_cast<std::int64_t>(size_of(x.type)) * x.extent[1];
  possible = x.stride[1] == 1 && x.stride[0] == x.extent[1] &&
             (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) &&
             reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(bytes) == 0;
  words.rank = 1;
  words.stride[0] = 1;
  words.type = bytes == 1   ? Type::UInt8
               : bytes == 2 ? Type::UInt16
               : bytes == 4 ? Type::UInt32
               : bytes == 8 ? Type::UInt64
                            : Type::Complex128;
  return words;
}

template <class Call>
std::int64_t move(const char* function, const OptionalArray& condition, const Array& x,
                  const Array& out, std::uintptr_t stream, const Call& call) {
  require_rank(function, x, 1, 2);
  require_type(function, out, x);
  if (condition) require_flags(function, *condition, x);
  require_shape(function, out, x);
  require_output(function, out, {&x});
  if (condition) require_output(function, out, {&*condition}, false);
  const Place place = common_place(function, stream, {&x, &out, condition ? &*condition : nullptr});
  std::int64_t count = 0;
  const auto run = [&](const Array& from, const Array& to) {
    with_word(function, from, [&]<class W>() {
      with_space(place, [&](const auto& exec) {
        using Exec = std::remove_cvref_t<decltype(exec)>;
        LineView<const std::uint8_t, Exec> flags;
        if (condition) flags = line_view<const std::uint8_t>(exec, *condition);
        if (from.rank == 1)
          count = call(exec, line_view<const W>(exec, from), line_view<W>(exec, to), flags);
        else
          count = call(exec, matrix_view<const W>(exec, from), matrix_view<W>(exec, to), flags);
      });
    });
  };
  if (x.rank == 2) {
    bool from_words = false, to_words = false;
    const Array from = rows_as_words(x, from_words), to = rows_as_words(out, to_words);
    if (from_words && to_words) {
      run(from, to);
      return count;
    }
    if (size_of(x.type) == 2 || size_of(x.type) == 16)  // rows of smaller words, to compile less
      throw TypeError(std::string("wavescan.") + function + ": '" + x.name +
                      "' of two dimensions must be of 1, 4 or 8 bytes an element");
  }
  run(x, out);
  return count;
}

}  // namespace

std::int64_t compress(const Array& condition, const Array& x, const Array& out,
                      std::uintptr_t stream) {
  return move("compress", condition, x, out, stream,
              [](const auto& exec, const auto& in, const auto& to, const auto& flags) {
                return copy_if(exec, in, to, flags);
              });
}

std::int64_t partition(const Array& condition, const Array& x, const Array& out,
                       std::uintptr_t stream) {
  return move("partition", condition, x, out, stream,
              [](const auto& exec, const auto& in, const auto& to, const auto& flags) {
                return wavescan::partition(exec, in, to, flags);
              });
}

std::int64_t unique_consecutive(const Array& x, const Array& out, std::uintptr_t stream) {
  const char* const function = "unique_consecutive";
  require_rank(function, x, 1, 1);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_output(function, out, {&x});
  const Place place = common_place(function, stream, {&x, &out});
  std::int64_t count = 0;
  with_type<float, double, std::int32_t, std::int64_t, std::uint8_t>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      count = unique_copy(exec, line_view<const T>(exec, x), line_view<T>(exec, out));
    });
  });
  return count;
}

}  // namespace wavescan::python
