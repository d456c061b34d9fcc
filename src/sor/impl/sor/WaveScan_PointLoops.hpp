// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_POINTLOOPS_HPP
#define WAVESCAN_IMPL_SOR_POINTLOOPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

/// @file
/// @brief Loops over the entries of an array, and over interior points, in any order; copies, and
/// zeros to start from.
///
/// A work item visits some entries: on hosts next to each other in a row, on devices below each
/// other, and then work items side by side visit a row at once. (Kokkos' ranges of two indices
/// reach a tenth of a device's bandwidth, and keep hosts from vector registers.)

namespace wavescan::Impl::sor {

/// @brief A rectangle, whose rows and columns both begin at `first`, in strips of some entries.
template <bool AlongRows, int Length>
struct Strips {
  Index first;
  Index rows;
  Index columns;

  /// @brief The most entries of a strip.
  Index length() const { return std::min<Index>(AlongRows ? columns : rows, Length); }
  Index count() const {
    if (rows <= 0 || columns <= 0) return 0;
    return AlongRows ? rows * ceil_div(columns, Length) : ceil_div(rows, Length) * columns;
  }
  /// @brief Calls use(i, j) for the entries of a strip.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Index k, const Use& use) const {
    if constexpr (AlongRows) {
      const Index of_row = (columns + Length - 1) / Length;
      const Index i = first + k / of_row;
      const Index begin = first + k % of_row * Length;
      const Index end = Kokkos::min(begin + Length, first + columns);
      for (Index j = begin; j < end; ++j) use(i, j);
    } else {
      const Index above = k / columns;
      const Index j = first + k - above * columns;
      const Index begin = first + above * Length;
      const Index end = Kokkos::min(begin + Length, first + rows);
      for (Index i = begin; i < end; ++i) use(i, j);
    }
  }
};

/// @brief Planes of strips.
template <bool AlongRows, int Length>
struct BoxStrips {
  Index first;
  Index planes;
  Strips<AlongRows, Length> of_plane;
  Index per_plane;

  BoxStrips(Index first_index, Index plane_count, Index rows, Index columns)
      : first(first_index),
        planes(plane_count > 0 ? plane_count : 0),
        of_plane{first_index, rows, columns},
        per_plane(of_plane.count()) {}

  Index length() const { return of_plane.length(); }
  Index count() const { return planes * per_plane; }
  /// @brief Calls use(k, i, j) for the entries of a strip.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Index strip, const Use& use) const {
    const Index above = strip / per_plane;
    of_plane.for_each(strip - above * per_plane,
                      [&](Index i, Index j) { use(first + above, i, j); });
  }
};

/// @brief The strips for an execution space.
/// @tparam Height of strips on devices
template <ExecutionSpace Exec, int Height = 8>
using StripsFor = Strips<runs_on_host<Exec>, runs_on_host<Exec> ? 4096 : Height>;
template <ExecutionSpace Exec, int Height = 8>
using BoxStripsFor = BoxStrips<runs_on_host<Exec>, runs_on_host<Exec> ? 4096 : Height>;

/// @brief The strips of all entries of an array, or of those without `border` rows, columns and
/// planes at each end.
template <ExecutionSpace Exec, int Height = 8, class T>
auto strips_of(const Grid<T>& x, Index border) {
  return StripsFor<Exec, Height>{border, x.rows - 2 * border, x.columns - 2 * border};
}
template <ExecutionSpace Exec, int Height = 8, class T>
auto strips_of(const Box<T>& x, Index border) {
  return BoxStripsFor<Exec, Height>(border, x.planes - 2 * border, x.rows - 2 * border,
                                    x.columns - 2 * border);
}

/// @brief The time that a host's thread takes to copy or clear an entry, more or less.
inline constexpr double seconds_of_entry = .5e-9;

template <class Function, class Strips>
struct InStrips {
  Function function;
  Strips strips;
  KOKKOS_FUNCTION void operator()(Index k) const { strips.for_each(k, function); }
};

template <ExecutionSpace Exec, class Strips, class Function>
void for_strips(const Exec& exec, const char* label, const Strips& strips,
                const Function& function) {
  if (strips.count() > 0)
    enqueue_items(exec, label, strips.count(), seconds_of_entry * strips.length(),
                  InStrips<Function, Strips>{function, strips});
}

/// @brief Enqueues function(i, j) for rows and columns from `first` on.
template <ExecutionSpace Exec, class Function>
void for_rectangle(const Exec& exec, const char* label, Index first, Index rows, Index columns,
                   const Function& function) {
  for_strips(exec, label, StripsFor<Exec>{first, rows, columns}, function);
}
/// @brief Enqueues function(i, j) or function(k, i, j) for all entries of an array.
template <ExecutionSpace Exec, class Array, class Function>
void for_entries(const Exec& exec, const char* label, const Array& x, const Function& function) {
  for_strips(exec, label, strips_of<Exec>(x, 0), function);
}
/// @brief Enqueues function(i, j) or function(k, i, j) for all entries of an array but its halo.
template <ExecutionSpace Exec, class Array, class Function>
void for_interior(const Exec& exec, const char* label, const Array& x, const Function& function) {
  for_strips(exec, label, strips_of<Exec>(x, 1), function);
}

/// @brief A point by its indices in x, halo included.
struct Point {
  Index i = 0;
  Index j = 0;
};

inline std::string to_string(const Point& point) {
  return "(" + std::to_string(point.i) + ", " + std::to_string(point.j) + ")";
}

template <class Function>
struct WithIndicesTransposed {
  Function function;
  KOKKOS_FUNCTION void operator()(Index j, Index i) const { function(i, j); }
  KOKKOS_FUNCTION void operator()(Index j, Index i, Index k) const { function(k, i, j); }
};

/// @brief Enqueues function(i, j) or function(k, i, j) for all points, in the order in which `like`
/// lies in memory.
template <ExecutionSpace Exec, class Array, class Function>
void for_points(const Exec& exec, const char* label, const Array& like, const Function& function) {
  if (is_transposed_in_memory(like))
    for_interior(exec, label, transposed(like), WithIndicesTransposed<Function>{function});
  else
    for_interior(exec, label, like, function);
}

template <class Predicate, class Strips>
struct FirstPoint {
  Predicate predicate;
  Strips strips;
  Index columns;
  KOKKOS_FUNCTION void operator()(Index k, Index& first) const {
    strips.for_each(k, [&](Index i, Index j) {
      if (predicate(i, j)) first = Kokkos::min(first, i * columns + j);
    });
  }
};

/// @brief The first point in natural order for which predicate(i, j) holds; waits for it.
template <ExecutionSpace Exec, class Predicate>
std::optional<Point> first_point(const Exec& exec, const char* label, Index rows, Index columns,
                                 const Predicate& predicate) {
  if (rows <= 2 || columns <= 2) return std::nullopt;
  Index first = 0;
  const StripsFor<Exec> strips{1, rows - 2, columns - 2};
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  Kokkos::parallel_reduce(label, Policy(exec, 0, strips.count()),
                          FirstPoint<Predicate, StripsFor<Exec>>{predicate, strips, columns},
                          Kokkos::Min<Index>(first));
  if (first == Kokkos::reduction_identity<Index>::min()) return std::nullopt;
  return Point{first / columns, first % columns};
}

/// @brief An array without its halo.
template <class T>
Grid<T> interior(const Grid<T>& x) {
  if (x.rows <= 2 || x.columns <= 2) return {};
  return {&x(1, 1), x.rows - 2, x.columns - 2, x.row_stride, x.column_stride};
}

template <class T>
Box<T> interior(const Box<T>& x) {
  if (x.planes <= 2 || x.rows <= 2 || x.columns <= 2) return {};
  return {&x(1, 1, 1),    x.planes - 2, x.rows - 2,     x.columns - 2,
          x.plane_stride, x.row_stride, x.column_stride};
}

template <class From, class To>
struct CopyEntries {
  From from;
  To to;
  template <class... At>
  KOKKOS_FUNCTION void operator()(At... at) const {
    to(at...) = from(at...);
  }
};

/// @brief Enqueues a copy of all entries between arrays of the same extents.
template <ExecutionSpace Exec, class From, class To>
void copy_entries(const Exec& exec, const char* label, const From& from, const To& to) {
  const auto copy = is_transposed_in_memory(to)
                        ? CopyEntries<From, To>{transposed(from), transposed(to)}
                        : CopyEntries<From, To>{from, to};
  for_entries(exec, label, copy.to, copy);
}

/// @brief Copies the halo of x, of which nothing else is copied.
template <class V>
struct CopyHalo {
  Grid<const V> from;
  Grid<V> to;
  KOKKOS_FUNCTION void operator()(Index i) const {
    if (i < from.columns) {
      to(0, i) = from(0, i);
      to(from.rows - 1, i) = from(from.rows - 1, i);
    }
    if (i < from.rows) {
      to(i, 0) = from(i, 0);
      to(i, from.columns - 1) = from(i, from.columns - 1);
    }
  }
};

template <ExecutionSpace Exec, class T>
void copy_halo(const Exec& exec, const Grid<T>& from, const Grid<T>& to) {
  enqueue_items(exec, "WaveScan::sor::copy_halo", std::max(from.rows, from.columns),
                8 * seconds_of_entry, CopyHalo<T>{read_only(from), to});
}

/// @brief Copies the two outermost planes of a box, which are its halo as seen from one side.
template <class T>
struct CopyFaces {
  Box<const T> from;
  Box<T> to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    to(0, i, j) = from(0, i, j);
    to(from.planes - 1, i, j) = from(from.planes - 1, i, j);
  }
};

template <ExecutionSpace Exec, class T>
void copy_halo(const Exec& exec, const Box<T>& given, const Box<T>& to) {
  const Box<const T> from = read_only(given);
  const auto copy = [&](const CopyFaces<T>& faces) {
    for_rectangle(exec, "WaveScan::sor::copy_halo", 0, faces.to.rows, faces.to.columns, faces);
  };
  const auto with_rows_first = []<class V>(const Box<V>& b) {
    return Box<V>{b.data,       b.rows,         b.planes,       b.columns,
                  b.row_stride, b.plane_stride, b.column_stride};
  };
  copy({from, to});
  copy({with_rows_first(from), with_rows_first(to)});
  copy({transposed(from), transposed(to)});
}

/// @brief Sets all points to zero that are not fixed.
template <class Array, class Fixed>
struct ClearUnknowns {
  Array x;
  Fixed fixed;
  template <class... At>
  KOKKOS_FUNCTION void operator()(At... at) const {
    if (!fixed(at...)) x(at...) = 0;
  }
};

/// @brief Copies the unknowns of dense rows between arrays of the same alignment, or sets them to
/// zero, on a device, 16 bytes at a time: as fast as the driver clears, and twice as fast as it
/// copies rows that begin anywhere. Units are counted from one on, as rows are.
template <class T>
struct CopyUnits {
  static constexpr Index of_unit = 16 / static_cast<Index>(sizeof(T));
  struct alignas(16) Unit {
    T values[of_unit];
  };
  Grid<const T> from;  ///< without data: zero
  Grid<T> to;

  Index units() const { return to.columns / of_unit + 2; }
  KOKKOS_FUNCTION void operator()(Index i, Index unit) const {
    T* const row = &to(i, 0);
    const T* const old = from.data ? &from(i, 0) : nullptr;
    const auto lead =
        static_cast<Index>(reinterpret_cast<std::uintptr_t>(row) / sizeof(T)) % of_unit;
    const Index begin = (unit - 1) * of_unit - lead, end = begin + of_unit;
    if (begin >= 1 && end < to.columns)
      *reinterpret_cast<Unit*>(row + begin) =
          old ? *reinterpret_cast<const Unit*>(old + begin) : Unit{};
    else
      for (Index j = begin > 1 ? begin : 1; j < end && j + 1 < to.columns; ++j)
        row[j] = old ? old[j] : T(0);
  }
};

/// @brief Sets the unknowns of a row of dense entries to zero on a host, with a mask of bytes if
/// there is one: eight at once where none of them is fixed.
template <class T>
struct ClearRow {
  Grid<T> x;
  Grid<const unsigned char> mask;
  void operator()(Index row_above) const {
    const Index i = row_above + 1;
    T* const row = &x(i, 1);
    const Index n = x.columns - 2;
    if (!mask.data) {
      std::fill_n(row, n, T(0));
      return;
    }
    const unsigned char* const fixed = &mask(i, 1);
    constexpr Index at_once = sizeof(std::uint64_t);
    for (Index j = 0; j < n; j += at_once) {
      const Index count = std::min(at_once, n - j);
      std::uint64_t any = 0;
      std::memcpy(&any, fixed + j, static_cast<std::size_t>(count));
      if (any == 0)
        std::fill_n(row + j, count, T(0));
      else
        for (Index k = j; k < j + count; ++k) row[k] = fixed[k] != 0 ? row[k] : T(0);
    }
  }
};

template <ExecutionSpace Exec, class T, class C, class F>
void clear_unknowns(const Exec& exec, const Problem<T, C, F>& problem) {
  constexpr auto label = "WaveScan::sor::clear";
  const auto p = in_memory_order(problem);
  if (p.empty()) return;
  const FixedPointsOf<rank_of<C>> fixed = p.fixed;
  const bool none = fixed.word == MaskWord::None;
  if constexpr (runs_on_host<Exec> && rank_of<C> == 2) {
    const Grid<const unsigned char> mask = mask_of<unsigned char>(fixed);
    if (p.x.column_stride == 1 && (none || mask.column_stride == 1))
      return enqueue_items(exec, label, p.x.rows - 2, seconds_of_entry * p.x.columns,
                           ClearRow<T>{p.x, mask});
  }
  const auto clear = [&](const auto& held) {
    for_interior(exec, label, p.x,
                 ClearUnknowns<decltype(p.x), std::remove_cvref_t<decltype(held)>>{p.x, held});
  };
  if constexpr (!std::same_as<F, NoFixedPoints>)
    if (!none) return clear(fixed);
  if constexpr (!runs_on_host<Exec> && rank_of<C> == 2)
    if (p.x.column_stride == 1) {
      const CopyUnits<T> units{{}, p.x};
      return for_rectangle(exec, label, 1, p.interior_rows(), units.units(), units);
    }
  clear(NoFixedPoints());
}

}  // namespace wavescan::Impl::sor

#endif
