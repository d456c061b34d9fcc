// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_HOST_SELECTEDCOLUMNS_HPP
#define WAVESCAN_IMPL_SELECT_HOST_SELECTEDCOLUMNS_HPP

#include <impl/scan/host/WaveScan_HostTile.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/host/WaveScan_Compaction.hpp>
#include <impl/select/host/WaveScan_Units.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

/// @file
/// @brief What a selection on the host moves: columns of bytes, whatever the Views' types are.

namespace wavescan::Impl::select {

/// @brief Places for units, in columns.
struct Places {
  std::byte* data = nullptr;
  Index stride = 0;         ///< bytes from unit to unit
  Index column_stride = 0;  ///< bytes from column to column
  Index capacity = 0;       ///< units of a column

  std::byte* at(Index column, Index i) const { return data + column * column_stride + i * stride; }
};

/// @brief Computes the chosen ones of `count` elements from `begin` on, side by side.
using MakeChosen = void(const void* maker, Index begin, Index count, const std::uint64_t* chosen,
                        std::byte* to);

/// @brief What makes the elements of a View: nothing, for those that lie in memory.
template <class T, class Source>
struct Maker {
  explicit Maker(const auto&) {}
  static constexpr MakeChosen* make = nullptr;
};
template <class T, class F>
struct Maker<T, ComputedColumn<F>> {
  ComputedColumn<F> source;
  explicit Maker(const ComputedColumn<F>& column) : source(column) {}
  static void make(const void* maker, Index begin, Index count, const std::uint64_t* chosen,
                   std::byte* to) {
    const ComputedColumn<F>& source = static_cast<const Maker*>(maker)->source;
    for (Index first = 0; first < count; first += mask_bits)
      for (std::uint64_t rest = chosen[first / mask_bits]; rest != 0; rest &= rest - 1) {
        const T value = source(0, begin + first + std::countr_zero(rest));
        std::memcpy(to, &value, sizeof(T));
        to += sizeof(T);
      }
  }
};

/// @brief One View: columns of units. A View of rank 1 has one, and so has a matrix whose rows lie
/// in one piece, which are its units.
struct Columns {
  Places in, out, rejected;
  Index columns = 1;
  std::size_t bytes = 0;            ///< of a unit
  bool rejected_has_slack = false;  ///< behind each column of `rejected` is room for anything
  MakeChosen* make = nullptr;       ///< of what is computed, which has no place in `in`

  bool in_place() const { return in.data == out.data; }
  std::size_t unit_bytes() const { return static_cast<std::size_t>(columns) * bytes; }

  template <class T, class Source>
  static Columns of(const Moved<T, Source>& moved, Index elements, bool keeps_rejected) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    const auto places = [](const auto& lines, Index capacity) {
      auto* const data = const_cast<std::remove_const_t<T>*>(lines.data);
      return Places{reinterpret_cast<std::byte*>(data), lines.stride * size,
                    lines.line_stride * size, capacity};
    };
    Columns c{{},
              places(moved.out, moved.capacity),
              places(moved.rejected, moved.rejected_capacity),
              moved.columns,
              sizeof(T),
              moved.rejected_has_slack,
              Maker<T, Source>::make};
    if constexpr (!is_computed<Source>) {
      c.in = places(moved.in, elements);
      const bool rows = moved.columns > 1 && moved.in.line_stride == 1 &&
                        moved.out.line_stride == 1 &&
                        (!keeps_rejected || moved.rejected.line_stride == 1);
      if (rows) {
        c.bytes *= static_cast<std::size_t>(moved.columns);
        c.columns = 1;
      }
    }
    return c;
  }
};

template <std::size_t Views>
using ColumnsOfViews = std::array<Columns, Views>;

template <class... Moveds>
ColumnsOfViews<sizeof...(Moveds)> columns_of(const MovedList<Moveds...>& moved, Index elements,
                                             bool keeps_rejected) {
  ColumnsOfViews<sizeof...(Moveds)> all;
  std::size_t k = 0;
  moved.for_each([&](const auto& view) { all[k++] = Columns::of(view, elements, keeps_rejected); });
  return all;
}

inline std::tuple<> makers_of(const MovedList<>&) { return {}; }
template <class T, class Source, class... Others>
auto makers_of(const MovedList<Moved<T, Source>, Others...>& moved) {
  // Elements in memory are bytes, whatever their type.
  using Type = std::conditional_t<is_computed<Source>, Maker<T, Source>, Maker<void, void>>;
  return std::tuple_cat(std::tuple<Type>(moved.first.in), makers_of(moved.others));
}

/// @brief Bytes of an element of all Views.
template <std::size_t Views>
std::size_t unit_bytes(const ColumnsOfViews<Views>& all) {
  std::size_t bytes = 0;
  for (const Columns& c : all) bytes += c.unit_bytes();
  return bytes;
}

/// @brief Copies `count` units of one column, which lie side by side, to place `first` and the
/// following ones, as far as there are such.
inline void store_units(const Places& to, Index column, Index first, const std::byte* from,
                        std::size_t bytes, Index count, bool streaming) {
  count = std::min(count, to.capacity - first);
  if (count <= 0) return;
  std::byte* const target = to.at(column, first);
  const std::size_t all = static_cast<std::size_t>(count) * bytes;
  if (to.stride == static_cast<Index>(bytes)) {
    if (streaming)
      stream_bytes(target, from, all);
    else
      std::memcpy(target, from, all);
    return;
  }
  with_unit(bytes, [&](auto unit) {
    for (Index i = 0; i < count; ++i)
      copy_unit<unit()>(target + i * to.stride, from + static_cast<std::size_t>(i) * bytes, bytes);
  });
}

}  // namespace wavescan::Impl::select

#endif
