// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dispatch.hpp"
#include "operations.hpp"

#include <WaveScan_Operators.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Scan.hpp>
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
void with_word(std::size_t bytes, const Use& use) {
  switch (bytes) {
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

/// Rows are moved in words of 1, 4 or 8 bytes.
template <class Use>
void with_word_of_rows(std::size_t bytes, const Use& use) {
  if (bytes == 1) return use.template operator()<std::uint8_t>();
  if (bytes == 4) return use.template operator()<std::uint32_t>();
  use.template operator()<std::uint64_t>();
}

void require_condition(const char* function, const Array& condition, const Array& x) {
  require_flags(function, condition);
  require_rank(function, condition, 1, 1);
  if (condition.extent[0] != x.extent[0])
    reject(function, condition.name,
           "have as many elements as '" + std::string(x.name) + "' (" +
               std::to_string(x.extent[0]) + ")",
           std::to_string(condition.extent[0]));
}

/// An array whose elements are seen as words of another size; strides count words.
struct Words {
  Array array;
  std::size_t bytes = 0;

  explicit Words(const Array& x) : array(x), bytes(size_of(x.type)) {}

  /// Whether rows are dense, and begin at multiples of so many bytes.
  bool has_rows_of(std::size_t word) const {
    const auto size = static_cast<std::int64_t>(bytes), step = static_cast<std::int64_t>(word);
    return array.stride[1] == 1 && array.extent[1] * size % step == 0 &&
           (array.extent[0] < 2 || array.stride[0] * size % step == 0) &&
           reinterpret_cast<std::uintptr_t>(array.data) % word == 0;
  }
  void see_as(std::size_t word) {
    const auto size = static_cast<std::int64_t>(bytes), step = static_cast<std::int64_t>(word);
    array.extent[1] = array.extent[1] * size / step;
    array.stride[0] = array.stride[0] * size / step;
    bytes = word;
  }
  /// Rows of one word, side by side, are elements.
  bool is_line() const {
    return array.extent[1] == 1 && (array.extent[0] < 2 || array.stride[0] == 1);
  }
};

void require_movable(const char* function, const Array& x) {
  if (x.type == Type::Other)
    throw TypeError(std::string("wavescan.") + function + ": '" + x.name +
                    "' must be of numbers or bool of 8 to 64 bits, or of complex numbers, got " +
                    std::string(name_of(x.type)));
}

template <class Call>
std::int64_t move(const char* function, const OptionalArray& condition, const Array& x,
                  const Array& out, std::uintptr_t stream, const Call& call) {
  require_rank(function, x, 1, 2);
  require_type(function, out, x);
  if (condition) require_condition(function, *condition, x);
  require_shape(function, out, x);
  require_output(function, out, {&x});
  if (condition) require_output(function, out, {&*condition}, false);
  const Place place = common_place(function, stream, {&x, &out, pointer(condition)});
  require_movable(function, x);
  std::int64_t count = 0;
  const auto run = [&]<class W>(const auto& view) {
    with_space(place, [&](const auto& exec) {
      using Exec = std::remove_cvref_t<decltype(exec)>;
      LineView<const std::uint8_t, Exec> flags;
      if (condition) flags = line_view<const std::uint8_t>(exec, *condition);
      count = call(exec, view.template operator()<const W>(exec, false),
                   view.template operator()<W>(exec, true), flags);
    });
  };
  Words from(x), to(out);
  if (x.rank == 2) {
    for (const std::size_t word : {16, 8, 4, 2, 1}) {
      if (!from.has_rows_of(word) || !to.has_rows_of(word)) continue;
      const auto row = static_cast<std::size_t>(x.extent[1]) * from.bytes;
      if ((word == 16 || word == 2) && row != word) continue;  // rows of one word are elements
      from.see_as(word);
      to.see_as(word);
      break;
    }
    if (!from.is_line() || !to.is_line()) {
      if (from.bytes == 2 || from.bytes == 16)
        throw TypeError(std::string("wavescan.") + function + ": rows of '" + x.name +
                        "' must be dense where elements have 2 or 16 bytes");
      with_word_of_rows(from.bytes, [&]<class W>() {
        run.template operator()<W>([&]<class E>(const auto& exec, bool is_output) {
          return matrix_view<E>(exec, (is_output ? to : from).array);
        });
      });
      return count;
    }
  }
  with_word(from.bytes, [&]<class W>() {
    run.template operator()<W>([&]<class E>(const auto& exec, bool is_output) {
      return line_view<E>(exec, (is_output ? to : from).array);
    });
  });
  return count;
}

/// Whether elements begin a run that is not the first: the sums are the runs' numbers.
template <class In, class Out>
struct MarkRuns {
  In x;
  Out begins;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    begins(j) = j > 0 && !(x(j) == x(j - 1)) ? 1 : 0;
  }
};

/// What is behind the last element of each run, ...
template <class In, class Out>
struct StoreEnds {
  In run;
  Out counts;
  std::int64_t length;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    if (j + 1 == length || run(j + 1) != run(j)) counts(run(j)) = j + 1;
  }
};
/// ... less where the run begins.
template <class In, class Out>
struct SubtractBegins {
  In run;
  Out counts;
  KOKKOS_FUNCTION void operator()(const std::int64_t j) const {
    if (j == 0 || run(j - 1) != run(j)) counts(run(j)) -= j;
  }
};

template <class Exec, class Functor>
void for_each_element(const Exec& exec, const char* name, std::int64_t length,
                      const Functor& functor) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(name, Policy(exec, 0, length), functor);
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

std::int64_t unique_consecutive(const Array& x, const Array& out, const OptionalArray& inverse,
                                const OptionalArray& counts, std::uintptr_t stream) {
  const char* const function = "unique_consecutive";
  require_rank(function, x, 1, 1);
  require_type(function, out, x);
  require_shape(function, out, x);
  require_output(function, out, {&x});
  const Place place = common_place(function, stream, {&x, &out});
  for (const OptionalArray* runs : {&inverse, &counts})
    if (*runs) with_type<std::int64_t>(function, **runs, []<class T>() {});
  std::int64_t count = 0;
  const std::int64_t length = x.extent[0];
  with_type<float, double, std::int32_t, std::int64_t, std::uint8_t>(function, x, [&]<class T>() {
    with_space(place, [&](const auto& exec) {
      const auto in = line_view<const T>(exec, x);
      if (inverse)
        for_each_element(exec, "WaveScan::python::mark_runs", length,
                         MarkRuns{in, line_view<std::int64_t>(exec, *inverse)});
      count = unique_copy(exec, in, line_view<T>(exec, out));  // may overwrite x
    });
  });
  if (inverse && length > 0)
    with_space(place, [&](const auto& exec) {
      const auto run = line_view<std::int64_t>(exec, *inverse);
      inclusive_scan(exec, run, run, Plus<std::int64_t>());
      if (!counts) return;
      const auto lengths = line_view<std::int64_t>(exec, *counts);
      for_each_element(exec, "WaveScan::python::store_ends", length,
                       StoreEnds{run, lengths, length});
      for_each_element(exec, "WaveScan::python::subtract_begins", length,
                       SubtractBegins{run, lengths});
    });
  return count;
}

}  // namespace wavescan::python
