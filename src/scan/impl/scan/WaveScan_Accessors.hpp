// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_ACCESSORS_HPP
#define WAVESCAN_IMPL_SCAN_ACCESSORS_HPP

#include <impl/WaveScan_Lines.hpp>

#include <concepts>

/// @file
/// @brief Accessors of a scan, from which its elements come and to which its results go: lines in
/// memory, or functions on the way.
///
/// A *source* gives element j of line l by `source(l, j)`, a *target* takes it by `target(l, j) =
/// value`; Lines are both. Kernels that need memory as it is ask for Lines; all others do with
/// sources and targets.

namespace wavescan::Impl {

/// @brief Elements of a line from `first` on, of what is no memory.
template <class Accessor>
struct AccessedElements {
  const Accessor& accessor;
  Index line, first;
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator[](Index i) const {
    return accessor(line, first + i);
  }
};

/// @brief A source: elements of lines, each passed through a function.
template <class T, class F>
struct TransformSource {
  Lines<T> lines;
  F function;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index line, Index j) const {
    return function(lines(line, j));
  }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<TransformSource> from(Index line,
                                                                     Index first) const {
    return {*this, line, first};
  }
};

/// @brief A source: a function of an element's indices, which lies nowhere.
template <class F, int Rank>
struct ComputedSource {
  F function;
  int axis;     ///< that lines run along
  Index first;  ///< index of element 0 of every line
  Index step;   ///< from element to element: 1 or -1
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index line, Index j) const {
    const Index k = first + j * step;
    if constexpr (Rank == 1)
      return function(k);
    else
      return axis == 0 ? function(k, line) : function(line, k);
  }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<ComputedSource> from(Index line, Index j) const {
    return {*this, line, j};
  }
};

/// @brief A target: values pass through a function on their way to lines.
template <class T, class F>
struct TransformTarget {
  struct Place {
    T& element;
    const F& function;
    template <class Value>
    KOKKOS_FORCEINLINE_FUNCTION void operator=(const Value& value) const {
      element = static_cast<T>(function(value));
    }
  };
  Lines<T> lines;
  F function;
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(Index line, Index j) const {
    return {lines(line, j), function};
  }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<TransformTarget> from(Index line,
                                                                     Index first) const {
    return {*this, line, first};
  }
};

/// @brief A target that keeps nothing, of scans whose last states alone are wanted.
struct NoTarget {
  struct Place {
    template <class Value>
    KOKKOS_FORCEINLINE_FUNCTION void operator=(const Value&) const {}
  };
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(Index, Index) const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<NoTarget> from(Index line, Index first) const {
    return {*this, line, first};
  }
};

/// @brief The first element's address: two accessors of one place have the same elements.
template <class T>
KOKKOS_FUNCTION const void* memory_of(const Lines<T>& lines) {
  return lines.data;
}
template <class T, class F>
KOKKOS_FUNCTION const void* memory_of(const TransformSource<T, F>& source) {
  return source.lines.data;
}
template <class F, int Rank>
KOKKOS_FUNCTION const void* memory_of(const ComputedSource<F, Rank>&) {
  return nullptr;
}
template <class T, class F>
KOKKOS_FUNCTION const void* memory_of(const TransformTarget<T, F>& target) {
  return target.lines.data;
}

KOKKOS_INLINE_FUNCTION const void* memory_of(const NoTarget&) { return nullptr; }

/// @brief Whether neighbouring lines are neighbours in memory.
template <class T>
bool are_adjacent(const Lines<T>& lines) {
  return lines.line_stride == 1;
}
template <class T, class F>
bool are_adjacent(const TransformSource<T, F>& source) {
  return are_adjacent(source.lines);
}
template <class F, int Rank>
bool are_adjacent(const ComputedSource<F, Rank>&) {
  return true;
}
template <class T, class F>
bool are_adjacent(const TransformTarget<T, F>& target) {
  return are_adjacent(target.lines);
}

inline bool are_adjacent(const NoTarget&) { return true; }

/// @brief Stands in place of the type of a scan's input elements where source and target are not
/// both plain Lines.
template <class Source, class Target>
struct Through {};

/// @brief A scan's source and target: Lines, or what Through names.
template <class Value, class In>
struct ScanAccessors {
  using source = Lines<const In>;
  using target = Lines<Value>;
};
template <class Value, class Source, class Target>
struct ScanAccessors<Value, Through<Source, Target>> {
  using source = Source;
  using target = Target;
};

template <class Value, class In>
inline constexpr bool target_is_lines =
    std::same_as<typename ScanAccessors<Value, In>::target, Lines<Value>>;

/// @brief The name of the accessors in ScanProblem: its `In`.
template <class Value, class Source, class Target>
struct AccessorsName {
  using type = Through<Source, Target>;
};
template <class Value, class T>
struct AccessorsName<Value, Lines<const T>, Lines<Value>> {
  using type = const T;
};

}  // namespace wavescan::Impl

#endif
