// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PAD_HPP
#define WAVESCAN_PAD_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/pad/WaveScan_PadChecks.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>
#include <impl/pad/WaveScan_PadWorkspace.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Moves of rows to another pitch, in place or not, with columns added or left out.
///
/// Source: Gomez-Luna et al., "In-Place Data Sliding Algorithms for Many-Core Architectures", ICPP
/// 2015, algorithm 1 (regular data sliding) and section IV-A.

namespace wavescan {

/// @brief Stands for a value that is not there: columns are added, but nothing is written to them.
struct NoFill {};

/// @brief Options of pad and unpad: `PadOptions().leading(1).fill(0.0)`.
/// @tparam Fill type of the value: NoFill, or what converts to the elements' type
template <class Fill = NoFill>
class PadOptions {
 public:
  /// @brief Makes options without leading columns and without a value.
  PadOptions() = default;
  /// @brief Sets both at once; the chained setters read better.
  PadOptions(std::int64_t leading, const Fill& fill) : leading_(leading), fill_(fill) {}

  /// @brief Columns that are added, or left out, before the others; all else are behind them.
  PadOptions leading(std::int64_t columns) const { return PadOptions(columns, fill_); }
  /// @brief Value of added columns; without one they keep what memory holds, in place that is
  /// unspecified.
  template <class Value>
  PadOptions<Value> fill(const Value& value) const {
    return PadOptions<Value>(leading_, value);
  }

  /// @brief The number of leading columns.
  std::int64_t leading() const { return leading_; }
  /// @brief The value, or NoFill.
  const Fill& fill() const { return fill_; }

 private:
  std::int64_t leading_ = 0;
  Fill fill_{};
};

namespace Impl::pad {

/// @brief Whether elements of one View can be moved to the other; says why, if not.
template <class Exec, class In, class Out>
consteval bool can_be_padded() {
  constexpr bool views = AnyView<In> && AnyView<Out>;
  static_assert(views, "WaveScan: 'in' and 'out' must be of type Kokkos::View");
  if constexpr (views) {
    constexpr bool ranks = In::rank() == Out::rank() && (In::rank() == 2 || In::rank() == 3);
    static_assert(ranks, "WaveScan: 'in' and 'out' must both have rank 2, or both rank 3");
    constexpr bool same =
        std::same_as<typename In::non_const_value_type, typename Out::value_type> &&
        Scannable<typename Out::value_type>;
    static_assert(same,
                  "WaveScan: 'in' and 'out' must have the same trivially copyable elements, "
                  "and those of 'out' must not be const");
    constexpr bool reachable = AccessibleFrom<In, Exec> && AccessibleFrom<Out, Exec>;
    static_assert(reachable, "WaveScan: the execution space cannot reach the memory of a View");
    return ranks && same && reachable;
  } else {
    return false;
  }
}

/// @brief Extents or strides of a View as those of rank 3.
inline Kokkos::Array<Index, Box::rank> aligned(
    const std::array<std::int64_t, Footprint::max_rank>& of, std::size_t rank, Index missing) {
  Kokkos::Array<Index, Box::rank> all{missing, missing, missing};
  for (std::size_t r = 0; r < rank; ++r) all[Box::rank - rank + r] = of[r];
  return all;
}

}  // namespace Impl::pad

/// @brief A plan for moves to another pitch, which owns the workspace and allocates nothing
/// afterwards.
///
/// Calls enqueue work on the instance that the plan was made with and return. One plan must not be
/// used from two instances at a time, nor by two threads.
///
/// Memory: on hosts 64 KiB for each thread; on NVIDIA GPUs with bulk copies 33 KiB; otherwise, and
/// for Views that their kernel declines (performance.md), a buffer of at most 32 MiB, which the
/// first such call allocates. Work: O(elements); span on hosts: O(elements / threads).
///
/// @tparam Exec execution space
template <ExecutionSpace Exec>
class Padding {
 public:
  /// @brief A plan for moves of at most so many elements of so many bytes, added ones not counted.
  /// @throws std::invalid_argument if a number is negative, or their product overflows
  Padding(const Exec& exec, std::int64_t elements, std::int64_t element_bytes)
      : exec_(exec), elements_(elements), element_bytes_(element_bytes) {
    Impl::require(elements >= 0, "Padding", "elements", "must not be negative", elements);
    Impl::require(element_bytes >= 0, "Padding", "element_bytes", "must not be negative",
                  element_bytes);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    Impl::require(elements <= most / std::max<std::int64_t>(element_bytes, 1), "Padding",
                  "elements", "must keep elements * element_bytes within 64 bits", elements);
    workspace_ = Impl::pad::Pad<Exec>(exec, elements, static_cast<std::size_t>(element_bytes));
  }

  /// @brief A plan for moves of the elements of a View.
  template <AnyView V>
  static Padding like(const Exec& exec, const V& view) {
    return Padding(exec, static_cast<std::int64_t>(view.size()),
                   static_cast<std::int64_t>(sizeof(typename V::value_type)));
  }

  /// @brief See wavescan::pad.
  template <class In, class Out, class Fill = NoFill>
  void pad(const In& in, const Out& out, const PadOptions<Fill>& options = {},
           const std::string& label = {}) const {
    if constexpr (Impl::pad::can_be_padded<Exec, In, Out>()) {
      using T = typename Out::value_type;
      const Impl::Footprint from = in, to = out;
      Impl::pad::require_same_rows("pad", from, to);
      const Impl::Index columns = from.extent[from.rank - 1];
      Impl::pad::require_columns("pad", "out", to, options.leading(), columns);
      Impl::pad::Margin<T> margin;
      if constexpr (!std::same_as<Fill, NoFill>) {
        static_assert(std::convertible_to<Fill, T>,
                      "WaveScan: the value to fill with must convert to the elements' type");
        margin = {true,
                  static_cast<T>(options.fill()),
                  out.data(),
                  Impl::pad::aligned(to.extent, to.rank, 1),
                  Impl::pad::aligned(to.stride, to.rank, 0),
                  options.leading(),
                  columns};
        for (int r = 0; r < Impl::pad::Box::rank; ++r)
          margin.stride[r] /= static_cast<Impl::Index>(sizeof(T));
      }
      Impl::require_distinct_elements("pad", "out", margin.filled ? to : to.within(from));
      enqueue("pad", label, in.data(), out.data() + offset(to, options.leading()), from, to,
              from.extent, margin);
    }
  }

  /// @brief See wavescan::unpad.
  template <class In, class Out, class Fill = NoFill>
  void unpad(const In& in, const Out& out, const PadOptions<Fill>& options = {},
             const std::string& label = {}) const {
    static_assert(std::same_as<Fill, NoFill>, "WaveScan: unpad has nothing to fill");
    if constexpr (Impl::pad::can_be_padded<Exec, In, Out>()) {
      using T = typename Out::value_type;
      const Impl::Footprint from = in, to = out;
      Impl::pad::require_same_rows("unpad", from, to);
      Impl::pad::require_columns("unpad", "in", from, options.leading(), to.extent[to.rank - 1]);
      Impl::require_distinct_elements("unpad", "out", to);
      enqueue("unpad", label, in.data() + offset(from, options.leading()), out.data(),
              from.within(to), to, to.extent, Impl::pad::Margin<T>());
    }
  }

  /// @brief See wavescan::shift_left.
  template <class V>
  void shift_left(const V& view, std::int64_t places, const std::string& label = {}) const {
    shift("shift_left", label, view, places, true);
  }
  /// @brief See wavescan::shift_right.
  template <class V>
  void shift_right(const V& view, std::int64_t places, const std::string& label = {}) const {
    shift("shift_right", label, view, places, false);
  }

  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  /// @brief Returns where column `column` begins, in elements.
  static Impl::Index offset(const Impl::Footprint& view, std::int64_t column) {
    return column * view.stride[view.rank - 1] / static_cast<Impl::Index>(view.element);
  }

  template <class V>
  void shift(std::string_view operation, const std::string& label, const V& view,
             std::int64_t places, bool left) const {
    static_assert(V::rank() == 1 && WritableView<V> && AccessibleFrom<V, Exec> &&
                      Scannable<typename V::value_type>,
                  "WaveScan: 'view' must be a writable View of rank 1 of trivially copyable "
                  "elements that the execution space can reach");
    Impl::require(places >= 0, operation, "places", "must not be negative", places);
    const auto length = static_cast<std::int64_t>(view.extent(0));
    if (places == 0 || places >= length) return;
    using T = typename V::value_type;
    Impl::Footprint part = view;
    Impl::require_distinct_elements(operation, "view", part);
    part.extent[0] = length - places;
    part = part.within(part);
    T* const there = view.data() + offset(part, places);
    enqueue(operation, label, left ? there : view.data(), left ? view.data() : there, part, part,
            part.extent, Impl::pad::Margin<T>(), "view");
  }

  /// @param from,to what is read and written, as memory
  /// @param in_name what the operation calls its input
  template <class T>
  void enqueue(std::string_view operation, const std::string& label, const T* in, T* out,
               const Impl::Footprint& from, const Impl::Footprint& to,
               const std::array<std::int64_t, Impl::Footprint::max_rank>& extent,
               const Impl::pad::Margin<T>& margin, std::string_view in_name = "in") const {
    namespace pad = Impl::pad;
    constexpr auto size = static_cast<Impl::Index>(sizeof(T));
    pad::Box box;
    box.extent = pad::aligned(extent, from.rank, 1);
    box.in = pad::aligned(from.stride, from.rank, 0);
    box.out = pad::aligned(to.stride, to.rank, 0);
    for (int r = 0; r < pad::Box::rank; ++r) {
      box.in[r] /= size;
      box.out[r] /= size;
    }
    Impl::require(box.elements() * size <= elements_ * element_bytes_, operation, in_name,
                  "must have at most the plan's " + std::to_string(elements_) + " elements of " +
                      std::to_string(element_bytes_) + " bytes",
                  box.elements());
    box.sort();
    pad::Direction direction = pad::Direction::Apart;
    if (box.elements() > 0) {
      Impl::Footprint read = from;
      read.end = read.end - read.begin + reinterpret_cast<std::uintptr_t>(in);
      read.begin = reinterpret_cast<std::uintptr_t>(in);
      direction = pad::require_one_direction(
          operation, read, to, box,
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out)) -
              static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(in)),
          sizeof(T));
    }
    std::optional<Kokkos::Profiling::ScopedRegion> region;
    if (Kokkos::Tools::profileLibraryLoaded())
      static_cast<void>(
          region.emplace(label.empty() ? "WaveScan::" + std::string(operation) : label));
    workspace_.enqueue(exec_, pad::Problem<T>{in, out, box, direction, margin});
  }

  Exec exec_;
  std::int64_t elements_, element_bytes_;
  Impl::pad::Pad<Exec> workspace_;
};

namespace Impl::pad {

/// @brief The plan of an earlier call for as many bytes, or a new one.
template <ExecutionSpace Exec, AnyView V>
auto kept_plan_like(const Exec& exec, const V& view) {
  return kept_plan<Padding<Exec>>(exec, static_cast<std::int64_t>(view.size()),
                                  static_cast<std::int64_t>(sizeof(typename V::value_type)));
}

struct PadCall : TakesFirstSpace {
  static constexpr std::string_view name = "pad";
  template <ExecutionSpace Exec, class In, class Out, class Fill = NoFill>
  static void run(const std::string& label, const Exec& exec, const In& in, const Out& out,
                  const PadOptions<Fill>& options = {}) {
    kept_plan_like(exec, in)->pad(in, out, options, label);
  }
};
struct UnpadCall : TakesFirstSpace {
  static constexpr std::string_view name = "unpad";
  template <ExecutionSpace Exec, class In, class Out>
  static void run(const std::string& label, const Exec& exec, const In& in, const Out& out,
                  const PadOptions<>& options = {}) {
    kept_plan_like(exec, in)->unpad(in, out, options, label);
  }
};
struct ShiftLeftCall : TakesFirstSpace {
  static constexpr std::string_view name = "shift_left";
  template <ExecutionSpace Exec, class V>
  static void run(const std::string& label, const Exec& exec, const V& view, std::int64_t places) {
    kept_plan_like(exec, view)->shift_left(view, places, label);
  }
};
struct ShiftRightCall : TakesFirstSpace {
  static constexpr std::string_view name = "shift_right";
  template <ExecutionSpace Exec, class V>
  static void run(const std::string& label, const Exec& exec, const V& view, std::int64_t places) {
    kept_plan_like(exec, view)->shift_right(view, places, label);
  }
};

}  // namespace Impl::pad

/// @brief Copies a matrix into a wider one: out(i, leading + j) = in(i, j).
///
///     pad([label,] [exec,] in, out [, options])
///
/// In place, `in` and `out` are two Views of one allocation that is large enough for the wider one:
///
///     Kokkos::View<double*> memory("matrix", rows * padded);
///     Kokkos::View<double**, Kokkos::LayoutRight> in(memory.data(), rows, columns);
///     Kokkos::View<double**, Kokkos::LayoutRight> out(memory.data(), rows, padded);
///     pad(in, out, PadOptions().fill(0.0));
///
/// They may share memory in any way in which all elements move to higher, or all to lower addresses
/// (or stay); `in` is overwritten then.
///
/// - `in`: View of rank 2, rows and columns, or 3, of which the first counts matrices; any layout
/// - `out`: View of the same rank and type with at least `leading` + in's columns; may have another
///   layout, if it shares no memory with `in`
/// - `options`: PadOptions; columns are added before and behind those of `in`
///
/// @throws std::invalid_argument if extents do not fit, `leading` is negative, or elements would
///                move in both directions within the memory that both share
template <ExecutionSpace Exec, class In, class Out, class Fill = NoFill>
void pad(const Exec& exec, const In& in, const Out& out, const PadOptions<Fill>& options = {}) {
  Impl::call<Impl::pad::PadCall>(exec, in, out, options);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void pad(const First& label_or_in, const Rest&... in_out_options) {
  Impl::call<Impl::pad::PadCall>(label_or_in, in_out_options...);
}

/// @brief Copies some columns of a matrix: out(i, j) = in(i, leading + j). The inverse of pad.
///
///     unpad([label,] [exec,] in, out [, options])
///
/// - `out`: as for pad, with the columns that are to be copied
/// - `options`: PadOptions without a value
///
/// All else as for pad.
template <ExecutionSpace Exec, class In, class Out>
void unpad(const Exec& exec, const In& in, const Out& out, const PadOptions<>& options = {}) {
  Impl::call<Impl::pad::UnpadCall>(exec, in, out, options);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void unpad(const First& label_or_in, const Rest&... in_out_options) {
  Impl::call<Impl::pad::UnpadCall>(label_or_in, in_out_options...);
}

/// @brief Moves the elements of a View of rank 1 by so many places to the front, in place: element
/// i to i - places. The last ones keep their values.
///
///     shift_left([label,] [exec,] view, places)
///
/// To erase elements [a, b) is to shift those from a on by b - a. Nothing moves if `places` is at
/// least the number of elements.
///
/// @throws std::invalid_argument if `places` is negative
template <ExecutionSpace Exec, class V>
void shift_left(const Exec& exec, const V& view, std::int64_t places) {
  Impl::call<Impl::pad::ShiftLeftCall>(exec, view, places);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void shift_left(const First& label_or_view, const Rest&... view_places) {
  Impl::call<Impl::pad::ShiftLeftCall>(label_or_view, view_places...);
}

/// @brief Moves the elements of a View of rank 1 by so many places to the back, in place: element i
/// to i + places. The first ones keep their values.
///
///     shift_right([label,] [exec,] view, places)
///
/// All else as for shift_left.
template <ExecutionSpace Exec, class V>
void shift_right(const Exec& exec, const V& view, std::int64_t places) {
  Impl::call<Impl::pad::ShiftRightCall>(exec, view, places);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void shift_right(const First& label_or_view, const Rest&... view_places) {
  Impl::call<Impl::pad::ShiftRightCall>(label_or_view, view_places...);
}

}  // namespace wavescan

#endif
