// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SCANINPUTS_HPP
#define WAVESCAN_SCANINPUTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Inputs and outputs of scans in place of Views: functions on the way from and to memory,
/// so that nothing is stored between.

namespace wavescan {

/// @brief A View whose elements pass through a function before they are scanned: see
/// transform_input.
template <AnyView V, class F>
struct TransformInput {
  /// @brief Type of what is scanned.
  using value_type = std::decay_t<std::invoke_result_t<const F&, typename V::const_value_type&>>;
  using execution_space = typename V::execution_space;
  V view;
  F function;
  static constexpr std::size_t rank() { return V::rank(); }
  std::size_t extent(std::size_t r) const { return view.extent(r); }
};

/// @brief Elements that are computed from their index, and lie nowhere: see computed_input.
template <class F, int Rank>
  requires(Rank == 1 || Rank == 2)
struct ComputedInput {
 private:
  static auto value_at(const F& f) {
    if constexpr (Rank == 1)
      return f(std::int64_t());
    else
      return f(std::int64_t(), std::int64_t());
  }

 public:
  /// @brief Type of what is scanned.
  using value_type = decltype(value_at(std::declval<const F&>()));
  using execution_space = Kokkos::DefaultExecutionSpace;
  F function;
  std::array<std::int64_t, Rank> extents;
  static constexpr std::size_t rank() { return Rank; }
  std::size_t extent(std::size_t r) const { return static_cast<std::size_t>(extents[r]); }
};

/// @brief A View that results reach through a function: see transform_output.
template <WritableView V, class F>
struct TransformOutput {
  /// @brief Type of what is stored.
  using value_type = typename V::value_type;
  using execution_space = typename V::execution_space;
  V view;
  F function;
  static constexpr std::size_t rank() { return V::rank(); }
  std::size_t extent(std::size_t r) const { return view.extent(r); }
};

/// @brief An input of scans: f(x) for every element x of a View. Stored nowhere.
/// @param view of rank 1 or 2
/// @param f    callable on the device; what it returns is converted to the scan's type
template <AnyView V, class F>
TransformInput<V, F> transform_input(const V& view, const F& f) {
  return {view, f};
}

/// @brief An input of scans and selections, of rank 1: f(i) for i in [0, n). Stored nowhere.
/// @param n number of elements
/// @param f takes a std::int64_t on the device; reads no memory that is written meanwhile
/// @throws std::invalid_argument if n is negative
template <class F>
ComputedInput<F, 1> computed_input(std::int64_t n, const F& f) {
  Impl::require(n >= 0, "computed_input", "n", "must not be negative", n);
  return {f, {n}};
}

/// @brief An input of scans of rank 2: f(i, j) for i in [0, m), j in [0, n). Stored nowhere.
template <class F>
ComputedInput<F, 2> computed_input(std::int64_t m, std::int64_t n, const F& f) {
  Impl::require(m >= 0, "computed_input", "m", "must not be negative", m);
  Impl::require(n >= 0, "computed_input", "n", "must not be negative", n);
  return {f, {m, n}};
}

/// @brief An output of scans: each result y is stored as f(y), converted to the View's type. The
/// scan itself has the type of its operator, or the View's if that has none.
template <WritableView V, class F>
TransformOutput<V, F> transform_output(const V& view, const F& f) {
  return {view, f};
}

namespace Impl {

template <class T>
inline constexpr bool is_transform_input = false;
template <class V, class F>
inline constexpr bool is_transform_input<TransformInput<V, F>> = true;
template <class T>
inline constexpr bool is_computed_input = false;
template <class F, int Rank>
inline constexpr bool is_computed_input<ComputedInput<F, Rank>> = true;
template <class T>
inline constexpr bool is_transform_output = false;
template <class V, class F>
inline constexpr bool is_transform_output<TransformOutput<V, F>> = true;

/// @brief An input of a scan.
template <class T>
concept ScanInput = AnyView<T> || is_transform_input<T> || is_computed_input<T>;
/// @brief An output of a scan.
template <class T>
concept ScanOutput = AnyView<T> || is_transform_output<T>;

/// @brief The View behind an input or output.
template <AnyView V>
const V& view_behind(const V& view) {
  return view;
}
template <class T>
  requires(is_transform_input<T> || is_transform_output<T>)
const auto& view_behind(const T& end) { return end.view; }

template <class End, class Exec>
inline constexpr bool reachable = AccessibleFrom<End, Exec>;
template <class V, class F, class Exec>
inline constexpr bool reachable<TransformInput<V, F>, Exec> = AccessibleFrom<V, Exec>;
template <class F, int Rank, class Exec>
inline constexpr bool reachable<ComputedInput<F, Rank>, Exec> = true;
template <class V, class F, class Exec>
inline constexpr bool reachable<TransformOutput<V, F>, Exec> = AccessibleFrom<V, Exec>;

/// @brief The memory of an input or output.
template <class End>
Footprint footprint_of(const End& end) {
  return view_behind(end);
}
template <class F, int Rank>
Footprint footprint_of(const ComputedInput<F, Rank>& in) {
  Footprint nowhere;
  nowhere.element = sizeof(typename ComputedInput<F, Rank>::value_type);
  nowhere.rank = Rank;
  for (std::size_t r = 0; r < nowhere.rank; ++r) nowhere.extent[r] = in.extents[r];
  return nowhere;
}

/// @brief Lines from their last element to the first.
template <class T>
Lines<T> reversed(const Lines<T>& lines, Index length) {
  if (length == 0) return lines;
  return {lines.data + (length - 1) * lines.stride, lines.line_stride, -lines.stride};
}

/// @brief The first `length` elements of the lines of a View, forwards or backwards.
template <class T, AnyView V>
Lines<T> scan_lines(const V& view, int axis, Index length, bool reverse) {
  const Lines<typename V::value_type> lines = lines_of(view, axis);
  const Lines<T> same{lines.data, lines.line_stride, lines.stride};
  return reverse ? reversed(same, length) : same;
}

/// @brief The source that kernels read an input from.
template <AnyView V>
auto source_of(const V& view, int axis, Index length, bool reverse) {
  return scan_lines<typename V::const_value_type>(view, axis, length, reverse);
}
template <class V, class F>
auto source_of(const TransformInput<V, F>& in, int axis, Index length, bool reverse) {
  using T = typename V::const_value_type;
  return TransformSource<T, F>{scan_lines<T>(in.view, axis, length, reverse), in.function};
}
template <class F, int Rank>
auto source_of(const ComputedInput<F, Rank>& in, int axis, Index length, bool reverse) {
  return ComputedSource<F, Rank>{in.function, axis, reverse ? length - 1 : 0, reverse ? -1 : 1};
}

/// @brief The target that kernels write an output to.
template <AnyView V>
auto target_of(const V& view, int axis, Index length, bool reverse) {
  return scan_lines<typename V::value_type>(view, axis, length, reverse);
}
template <class V, class F>
auto target_of(const TransformOutput<V, F>& out, int axis, Index length, bool reverse) {
  using T = typename V::value_type;
  return TransformTarget<T, F>{scan_lines<T>(out.view, axis, length, reverse), out.function};
}

}  // namespace Impl
}  // namespace wavescan

#endif
