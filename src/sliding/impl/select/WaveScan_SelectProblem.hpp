// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_SELECTPROBLEM_HPP
#define WAVESCAN_IMPL_SELECT_SELECTPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief A selection as kernels see it: which elements are kept, and what moves where.
///
/// A *selector* tells whether element i is kept. It knows the types of the Views that its predicate
/// reads, and is the only part of a selection that does: what moves is bytes.

namespace wavescan::Impl::select {

/// @brief Elements of a View of rank 1, as a predicate reads them.
template <class T>
struct Elements {
  const T* data;
  Index stride;
  KOKKOS_FORCEINLINE_FUNCTION const T& operator()(Index i) const { return data[i * stride]; }
  Elements from(Index first) const { return {data + first * stride, stride}; }
  /// @brief Returns these elements as they lie elsewhere; bytes from element to element.
  KOKKOS_FUNCTION Elements elsewhere(const char* to, int pitch, int) const {
    return {reinterpret_cast<const T*>(to), pitch / static_cast<int>(sizeof(T))};
  }
  bool side_by_side() const { return stride == 1; }

  /// Loops over these are the ones that compilers vectorise.
  struct SideBySide {
    const T* data;
    KOKKOS_FORCEINLINE_FUNCTION const T& operator()(Index i) const { return data[i]; }
  };
  SideBySide side_by_side_from(Index first) const { return {data + first}; }
};

/// @brief Rows of a View of rank 2.
template <class T>
struct Rows {
  const T* data;
  Index stride;  ///< from row to row
  Index column_stride, columns;
  KOKKOS_FORCEINLINE_FUNCTION ElementRow<T> operator()(Index i) const {
    return {data + i * stride, column_stride, columns};
  }
  Rows from(Index first) const { return {data + first * stride, stride, column_stride, columns}; }
  /// @brief Returns these rows as they lie elsewhere; bytes from row to row, and from column to
  /// column.
  KOKKOS_FUNCTION Rows elsewhere(const char* to, int pitch, int column) const {
    constexpr auto size = static_cast<int>(sizeof(T));
    return {reinterpret_cast<const T*>(to), pitch / size, column / size, columns};
  }
  static bool side_by_side() { return true; }
  Rows side_by_side_from(Index first) const { return from(first); }
};

/// @brief Elements that are computed from their number.
template <class F>
struct ComputedElements {
  F function;
  Index first;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index i) const { return function(first + i); }
  ComputedElements from(Index begin) const { return {function, first + begin}; }
  static bool side_by_side() { return true; }
  ComputedElements side_by_side_from(Index begin) const { return from(begin); }
};

template <class F>
auto elements_of(const ComputedInput<F, 1>& in) {
  return ComputedElements<F>{in.function, 0};
}
template <AnyView V>
auto elements_of(const V& view) {
  using T = typename V::non_const_value_type;
  if constexpr (V::rank() == 1)
    return Elements<T>{view.data(), static_cast<Index>(view.stride(0))};
  else
    return Rows<T>{view.data(), static_cast<Index>(view.stride(0)),
                   static_cast<Index>(view.stride(1)), static_cast<Index>(view.extent(1))};
}

/// @brief The sources that a predicate reads: a list, as std::tuple is none in kernels of GPUs.
template <class... Sources>
struct SourceList;

template <>
struct SourceList<> {
  static constexpr int count = 0;
  template <class F, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION bool call(const F& f, Index, const Arguments&... arguments) const {
    return static_cast<bool>(f(arguments...));
  }
  template <class Equal>
  KOKKOS_FORCEINLINE_FUNCTION bool equal(const Equal&, Index, Index) const {
    return true;
  }
  static SourceList from(Index) { return {}; }
  static bool side_by_side() { return true; }
  static SourceList side_by_side_from(Index) { return {}; }
};

template <class First, class... Others>
struct SourceList<First, Others...> {
  static constexpr int count = 1 + static_cast<int>(sizeof...(Others));
  First first;
  SourceList<Others...> others;

  /// @brief f(arguments..., element i of each)
  template <class F, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION bool call(const F& f, Index i, const Arguments&... arguments) const {
    return others.call(f, i, arguments..., first(i));
  }
  /// @brief Whether elements i and j are equal in all of them.
  template <class Equal>
  KOKKOS_FORCEINLINE_FUNCTION bool equal(const Equal& equal_to, Index i, Index j) const {
    return static_cast<bool>(equal_to(first(i), first(j))) && others.equal(equal_to, i, j);
  }
  SourceList from(Index begin) const { return {first.from(begin), others.from(begin)}; }
  bool side_by_side() const { return first.side_by_side() && others.side_by_side(); }
  auto side_by_side_from(Index begin) const {
    return list_of(first.side_by_side_from(begin), others.side_by_side_from(begin));
  }

 private:
  template <class A, class... B>
  static SourceList<A, B...> list_of(const A& a, const SourceList<B...>& b) {
    return {a, b};
  }
};

inline SourceList<> sources_of() { return {}; }
template <class First, class... Others>
auto sources_of(const First& first, const Others&... others) {
  const auto rest = sources_of(others...);
  return [&]<class... R>(const SourceList<R...>& list) {
    return SourceList<decltype(elements_of(first)), R...>{elements_of(first), list};
  }(rest);
}

// Ways to tell whether an element is kept: test(sources, k, begin) for element begin + k, which is
// element k of the sources.

/// @brief A predicate of the value.
template <class Predicate>
struct OfValue {
  Predicate predicate;
  template <class Sources>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Sources& sources, Index k, Index) const {
    return sources.call(predicate, k);
  }
};
/// @brief A predicate of index and value.
template <class Predicate>
struct OfIndex {
  Predicate predicate;
  template <class Sources>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Sources& sources, Index k, Index begin) const {
    return sources.call(predicate, k, begin + k);
  }
};
/// @brief A flag.
struct IsSet {
  template <class Flag>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Flag& flag) const {
    return static_cast<bool>(flag);
  }
};
struct IsEqual {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
/// @brief The first element of each run of equal ones.
template <class Equal>
struct StartsRun {
  Equal equal;
  template <class Sources>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const Sources& sources, Index k, Index begin) const {
    return begin + k == 0 || behind_first(sources, k);
  }
  template <class Sources>
  KOKKOS_FORCEINLINE_FUNCTION bool behind_first(const Sources& sources, Index k) const {
    return !sources.equal(equal, k - 1, k);
  }
};

/// @brief Whether a test compares elements with those before them, and has a function for all but
/// the first one (`behind_first`).
template <class Test>
inline constexpr bool looks_left = false;
template <class Equal>
inline constexpr bool looks_left<StartsRun<Equal>> = true;

/// @brief Tells which elements are kept.
template <class Test, class Sources>
struct Selector {
  Test test;
  Sources sources;
  bool wanted;  ///< what the test says of elements that are kept

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index i) const {
    return test(sources, i, 0) == wanted;
  }
};

/// @brief A column of computed elements: nothing lies in memory.
template <class F>
struct ComputedColumn {
  F function;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Index, Index i) const { return function(i); }
};
template <class Source>
inline constexpr bool is_computed = false;
template <class F>
inline constexpr bool is_computed<ComputedColumn<F>> = true;

/// @brief A View whose elements move: column c of element i lies at (c, i).
template <class T, class Source = Lines<const T>>
struct Moved {
  Source in;
  Lines<T> out;
  Lines<T> rejected;  ///< where rejected elements go, if they are wanted
  Index columns;      ///< 1 for rank 1
  Index capacity;     ///< elements that `out` holds: of those kept, more are counted but not stored
  Index rejected_capacity;
  bool rejected_has_slack;  ///< a plan's buffer: what lies behind a column may be written, too

  bool in_place() const {
    if constexpr (is_computed<Source>)
      return false;
    else
      return in.data == out.data;
  }
};

/// @brief Views that move, each of them a Moved: a list, as for what predicates read.
template <class... Views>
struct MovedList;
template <>
struct MovedList<> {
  static void for_each(const auto&) {}
};
template <class First, class... Others>
struct MovedList<First, Others...> {
  First first;
  MovedList<Others...> others;
  void for_each(const auto& use) const {
    use(first);
    others.for_each(use);
  }
};

/// @brief The access that the types of all Views allow: without strides, perhaps with strides, or
/// rows. A later one includes those before.
enum class Shape { SideBySide, Strided, Rows };

template <class V>
inline constexpr Shape shape_of = Shape::SideBySide;
template <AnyView V>
inline constexpr Shape shape_of<V> = V::rank() == 2 ? Shape::Rows
                                     : std::same_as<typename V::array_layout, Kokkos::LayoutStride>
                                         ? Shape::Strided
                                         : Shape::SideBySide;

/// @brief A selection.
/// @tparam KeepsRejected whether rejected elements are stored, too
/// @tparam Views         what moves
template <Shape Form, bool KeepsRejected, class SelectorType, class... Views>
struct Problem {
  Index elements;
  SelectorType selector;
  MovedList<Views...> moved;
  Index* count;  ///< receives the number of elements kept

  static constexpr bool keeps_rejected = KeepsRejected;
  static constexpr std::size_t views = sizeof...(Views);
};

}  // namespace wavescan::Impl::select

#endif
