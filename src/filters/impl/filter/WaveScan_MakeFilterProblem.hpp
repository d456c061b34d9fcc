// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_MAKEFILTERPROBLEM_HPP
#define WAVESCAN_IMPL_FILTER_MAKEFILTERPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Conversion of the arguments of a filter's call to the problem.

namespace wavescan::Impl::filter {

/// @brief The shape of a line's state: (values), or (sections, 2).
struct StateShape {
  int sections;    ///< 0 for a filter in direct form
  int of_section;  ///< values of each, or of all
  int count() const { return (sections > 0 ? sections : 1) * of_section; }
};

/// @brief A View of states as lines: of the shape of the data with the filtered axis replaced by
/// `of_section` values, after the axis of the sections, if there are any.
template <class Element, class States>
StateLines<Element> state_lines(std::string_view operation, std::string_view argument,
                                const States& states, const StateShape& shape, LineExtents extents,
                                int data_rank, int axis) {
  const Footprint f = states;
  const auto size = static_cast<Index>(sizeof(Element));
  const std::size_t first = shape.sections > 0 ? 1 : 0;
  const std::size_t rank = first + static_cast<std::size_t>(data_rank);
  const std::size_t values = first + static_cast<std::size_t>(axis),
                    line = first + 1 - (values - first);
  const bool fits = f.rank == rank && (first == 0 || f.extent[0] == shape.sections) &&
                    f.extent[values] == shape.of_section &&
                    (data_rank == 1 || f.extent[line] == extents.lines);
  if (!fits) {
    std::string wanted = shape.sections > 0 ? std::to_string(shape.sections) + " x " : "";
    const std::string count = std::to_string(shape.of_section);
    const std::string lines = std::to_string(extents.lines);
    wanted += data_rank == 1 ? count : axis == 0 ? count + " x " + lines : lines + " x " + count;
    reject(operation, argument, "must hold a state for each line (" + wanted + ")", extents_of(f));
  }
  StateLines<Element> all;
  all.data = states.data();
  all.line_stride = data_rank == 1 ? 0 : f.stride[line] / size;
  all.section_stride = first == 1 ? f.stride[0] / size : 0;
  all.stride = f.stride[values] / size;
  all.of_section = shape.of_section;
  all.count = shape.count();
  return all;
}

/// @brief Lines from their last element to the first.
template <class T>
Lines<T> in_direction(const Lines<T>& lines, Index length, bool reverse) {
  if (!reverse || length == 0) return lines;
  return {lines.data + (length - 1) * lines.stride, lines.line_stride, -lines.stride};
}

/// @brief The lines of x along the axis of the options; says first what is wrong with the types.
template <class X, class Y, class Options>
auto extents_along(std::string_view operation, const X& x, const Options& options) {
  static_assert(
      requires { options.axis(); }, "WaveScan: options are an object, as in ScanOptions().axis(0)");
  static_assert(std::floating_point<typename RealOf<typename Y::non_const_value_type>::type>,
                "WaveScan: filters take Views of float, double, or Kokkos::complex of these");
  return line_extents(x, checked_axis(operation, static_cast<int>(X::rank()), options.axis()));
}

/// @brief Checks the arguments of a filter's call and gathers them.
template <ExecutionSpace Exec, class T, class In, class Out, class Options>
Problem<T> make_problem(std::string_view operation, const StateShape& shape, LineExtents extents,
                        const In& in, const Out& out, const Options& options) {
  using Initial = std::remove_cvref_t<decltype(options.carry_in())>;
  using Final = std::remove_cvref_t<decltype(options.carry_out())>;
  static_assert(AccessibleFrom<In, Exec> && AccessibleFrom<Out, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x' or 'y'");
  static_assert(std::same_as<typename In::non_const_value_type, T> &&
                    std::same_as<typename Out::value_type, T>,
                "WaveScan: 'x' and 'y' must have elements of one type, and 'y' must be writable");
  static_assert(In::rank() == Out::rank() && (In::rank() == 1 || In::rank() == 2),
                "WaveScan: 'x' and 'y' must both be of rank 1 or 2");
  constexpr int rank = static_cast<int>(In::rank());
  const Footprint x = in, y = out;
  const int axis = checked_axis(operation, rank, options.axis());
  require_extents_of(operation, "y", y, "x", x);
  const LineExtents given = line_extents(x, axis);
  if (given.lines != extents.lines || given.length != extents.length)
    reject(operation, "x",
           "must hold the plan's " + std::to_string(extents.lines) + " lines of " +
               std::to_string(extents.length) + " samples",
           std::to_string(given.lines) + " lines of " + std::to_string(given.length));
  require_distinct_elements(operation, "y", y.within(x));
  require_same_or_disjoint(operation, "x", x, "y", y.within(x));
  const bool reverse = options.is_reverse();
  Problem<T> problem{
      in_direction<const T>({in.data(), lines_of(in, axis).line_stride, lines_of(in, axis).stride},
                            extents.length, reverse),
      in_direction(lines_of(out, axis), extents.length, reverse),
      extents,
      {},
      {}};
  if constexpr (!std::same_as<Initial, NoCarry>) {
    static_assert(
        AnyView<Initial> && AccessibleFrom<Initial, Exec> &&
            std::same_as<typename Initial::non_const_value_type, T>,
        "WaveScan: 'carry_in' must be a View of states that the execution space can reach");
    problem.initial =
        state_lines<const T>(operation, "carry_in", options.carry_in(), shape, extents, rank, axis);
    require_disjoint(operation, "carry_in", options.carry_in(), "y", y.within(x));
  }
  if constexpr (!std::same_as<Final, NoCarry>) {
    static_assert(AccessibleFrom<Final, Exec> && std::same_as<typename Final::value_type, T>,
                  "WaveScan: 'carry_out' must be a View of states that the execution space can "
                  "reach");
    problem.final =
        state_lines<T>(operation, "carry_out", options.carry_out(), shape, extents, rank, axis);
    require_disjoint(operation, "x", x, "carry_out", options.carry_out());
    require_disjoint(operation, "y", y.within(x), "carry_out", options.carry_out());
    if constexpr (!std::same_as<Initial, NoCarry>)
      require_same_or_disjoint(operation, "carry_in", options.carry_in(), "carry_out",
                               options.carry_out());
  }
  return problem;
}

}  // namespace wavescan::Impl::filter

#endif
