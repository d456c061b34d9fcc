// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_MAKESCANPROBLEM_HPP
#define WAVESCAN_IMPL_SCAN_MAKESCANPROBLEM_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanChecks.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>

#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Conversion of the arguments of a plan's call to the problem that is scanned.

namespace wavescan::Impl {

/// @brief Throws unless a plan can be made for these lines.
inline void require_valid(std::string_view plan, LineExtents extents) {
  const auto [lines, length] = extents;
  require(lines >= 0, plan, "lines", "must not be negative", lines);
  require(length >= 0, plan, "length", "must not be negative", length);
  require(lines == 0 || length <= std::numeric_limits<Index>::max() / lines, plan, "length",
          "must keep lines * length within 64 bits", length);
}

/// @brief The memory of weights, if they are a View's.
template <class Weight>
std::optional<Footprint> footprint_of_weight(const Weight& weight) {
  if constexpr (AnyView<Weight>)
    return weight;
  else
    return std::nullopt;
}

/// @brief The recurrence of a weighted scan, whose weights are a View or one number.
template <ExecutionSpace Exec, class In, class Combine, class Weight, class Options>
auto weighted_recurrence(std::string_view operation, const Combine& combine, const Weight& weight,
                         const Options& options) {
  using W = typename Combine::weight_type;
  if constexpr (AnyView<Weight>) {
    static_assert(AccessibleFrom<Weight, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'weight'");
    static_assert(std::same_as<typename Weight::non_const_value_type, W>,
                  "WaveScan: 'weight' must have the algebra's weight_type");
    static_assert(Weight::rank() == In::rank(), "WaveScan: 'weight' must have the rank of 'in'");
    const int axis = checked_axis(operation, static_cast<int>(In::rank()), options.axis());
    const auto weights =
        source_of(weight, axis, line_extents(Footprint(weight), axis).length, options.is_reverse());
    return WeightedRecurrence<Combine, Lines<const W>>{combine, weights};
  } else {
    static_assert(std::convertible_to<Weight, W>,
                  "WaveScan: 'weight' must be a View or convert to the algebra's weight_type");
    return WeightedRecurrence<Combine, ConstantWeight<W>>{combine, {static_cast<W>(weight)}};
  }
}

/// @brief Checks the arguments of a scan and gathers them.
/// @param extents those of the plan
/// @param weight  where weights lie, if they are a View's
/// @throws std::invalid_argument as wavescan::inclusive_scan
template <ExecutionSpace Exec, class Recurrence, class In, class Out, class Options>
auto make_scan_problem(std::string_view operation, ScanKind kind, LineExtents extents,
                       const Recurrence& recurrence, const std::optional<Footprint>& weight,
                       const In& in, const Out& out, const Options& options) {
  using value_type = typename Recurrence::value_type;
  using CarryIn = std::remove_cvref_t<decltype(options.carry_in())>;
  using CarryOut = std::remove_cvref_t<decltype(options.carry_out())>;
  static_assert(reachable<In, Exec> && reachable<Out, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'in' or 'out'");
  static_assert(is_transform_output<Out> || std::same_as<typename Out::value_type, value_type>,
                "WaveScan: 'out' must have the operator's value_type");
  static_assert(std::convertible_to<typename In::value_type, value_type>,
                "WaveScan: elements of 'in' must convert to the operator's value_type");

  ScanArrays arrays{operation, footprint_of(in), footprint_of(out), weight};
  if constexpr (AnyView<CarryIn>) {
    static_assert(CarryIn::rank() == In::rank() - 1 && AccessibleFrom<CarryIn, Exec>,
                  "WaveScan: 'carry_in' must be a View that the execution space can reach, of "
                  "the input's rank less one");
    arrays.carry_in = options.carry_in();
    arrays.carry_in_name = name_of_carry_in<Options>;
  }
  if constexpr (!std::same_as<CarryOut, NoCarry>) {
    static_assert(AnyView<CarryOut> && WritableView<CarryOut> &&
                      CarryOut::rank() == In::rank() - 1 && AccessibleFrom<CarryOut, Exec>,
                  "WaveScan: 'carry_out' must be a writable View that the execution space can "
                  "reach, of the input's rank less one");
    arrays.carry_out = options.carry_out();
  }
  const int axis = checked_axis(operation, static_cast<int>(In::rank()), options.axis());
  arrays.require_valid(extents, axis);

  const auto source = source_of(in, axis, extents.length, options.is_reverse());
  const auto target = target_of(out, axis, extents.length, options.is_reverse());
  using Accessors = AccessorsName<value_type, std::remove_const_t<decltype(source)>,
                                  std::remove_const_t<decltype(target)>>;
  ScanProblem<Recurrence, typename Accessors::type> problem{
      recurrence, kind, extents, source, target, {{recurrence.identity(), false}, {}}, {}};
  if constexpr (AnyView<CarryIn>)
    problem.carry_in.each = lines_of_carries<const value_type>(options.carry_in());
  else if constexpr (!std::same_as<CarryIn, NoCarry>)
    problem.carry_in.common = {static_cast<value_type>(options.carry_in()), true};
  if constexpr (!std::same_as<CarryOut, NoCarry>)
    problem.carry_out = lines_of_carries<value_type>(options.carry_out());
  return problem;
}

}  // namespace wavescan::Impl

#endif
