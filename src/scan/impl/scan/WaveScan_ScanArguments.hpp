// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SCANARGUMENTS_HPP
#define WAVESCAN_IMPL_SCAN_SCANARGUMENTS_HPP

#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_ScanChecks.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

/// @file
/// @brief The one way from the arguments of a free function to a plan and its call.
///
/// A call is [label,] [instance,] in, [weight,] out, and then in any order what its type tells from
/// the others: an operator, a function that transforms the input, an initial value, options.

namespace wavescan {

template <ExecutionSpace Exec, class Combine>
class Scan;

namespace Impl {

/// @brief Whether a scan can take these as input and output; says why, if not.
template <class In, class Out>
consteval bool can_be_scanned() {
  constexpr bool views = ScanInput<In> && ScanOutput<Out>;
  static_assert(views,
                "WaveScan: 'in' and 'out' must be of type Kokkos::View. Of a DynRankView or an "
                "OffsetView hand over a View of the same memory, such as offset_view.view()");
  if constexpr (views) {
    constexpr bool ranks = In::rank() == Out::rank() && (In::rank() == 1 || In::rank() == 2);
    static_assert(ranks,
                  "WaveScan: 'in' and 'out' must both have rank 1 or both rank 2. Scan Views of "
                  "higher rank by their subviews, or as a View of rank 2 of the same memory");
    constexpr bool copyable = Scannable<std::remove_const_t<typename In::value_type>> &&
                              Scannable<std::remove_const_t<typename Out::value_type>>;
    static_assert(copyable,
                  "WaveScan: elements must be trivially copyable: threads hand them on byte by "
                  "byte. Scan what they consist of, or their indices");
    static_assert(!std::is_const_v<typename Out::value_type>, "WaveScan: 'out' must not be const");
    return ranks && copyable && !std::is_const_v<typename Out::value_type>;
  } else {
    return false;
  }
}

/// @brief The role of an argument behind the Views.
enum class Role { Options, Operator, Function, Init, Unknown };

template <class T>
inline constexpr bool is_scan_options = false;
template <class In, class Out>
inline constexpr bool is_scan_options<ScanOptions<In, Out>> = true;

template <class Element, class X>
inline constexpr bool is_function_of = std::invocable<const X&, const Element&>;
template <class X>
inline constexpr bool is_function_of<void, X> = false;

/// @tparam T       type of the scan
/// @tparam Element type of the elements that a function transforms, or void
template <class T, class Element, class X>
consteval Role role_of() {
  if constexpr (is_scan_options<X>)
    return Role::Options;
  else if constexpr (OperatorOn<X, T>)
    return Role::Operator;
  else if constexpr (is_function_of<Element, X>)
    return Role::Function;
  else if constexpr (AnyView<X> || std::convertible_to<const X&, T>)
    return Role::Init;
  else
    return Role::Unknown;
}

/// @brief The type of a scan: the operator's, if it has one of its own, else the output's.
template <class Out, class... Rest>
struct ScanType {
  using type = typename Out::value_type;
};
template <class Out, class First, class... Rest>
struct ScanType<Out, First, Rest...> : ScanType<Out, Rest...> {};
template <class Out, class First, class... Rest>
  requires(Operator<First> || Algebra<First> || Kokkos::is_reducer<First>::value)
struct ScanType<Out, First, Rest...> {
  using type = typename First::value_type;
};

/// @brief The first argument of a role, or `missing`.
template <Role R, class T, class Element, class Missing>
const Missing& argument_of(const Missing& missing) {
  return missing;
}
template <Role R, class T, class Element, class Missing, class First, class... Rest>
const auto& argument_of(const Missing& missing, const First& first, const Rest&... rest) {
  if constexpr (role_of<T, Element, First>() == R)
    return first;
  else
    return argument_of<R, T, Element>(missing, rest...);
}

struct NoArgument {};

template <Role R, class T, class Element, class... Rest>
inline constexpr int arguments_of = (0 + ... + (role_of<T, Element, Rest>() == R ? 1 : 0));

/// @brief Options whose carry in the user has handed over as `init`.
template <class Options>
struct WithInit : Options {};

template <class Options>
inline constexpr std::string_view name_of_carry_in<WithInit<Options>> = "init";

/// @brief The options, with an initial value from elsewhere.
template <class T, class Options, class Init>
auto with_init(const Options& options, const Init& init) {
  if constexpr (std::same_as<Init, NoArgument>) {
    return options;
  } else {
    static_assert(std::same_as<std::remove_cvref_t<decltype(options.carry_in())>, NoCarry>,
                  "WaveScan: an initial value and a carry in are the same thing; give one");
    if constexpr (AnyView<Init>)
      return WithInit<decltype(options.carry_in(init))>{options.carry_in(init)};
    else
      return options.carry_in(static_cast<T>(init));
  }
}

/// @brief The plan of an earlier call with the same extents, with the operator of this one.
template <ExecutionSpace Exec, class Combine>
class KeptScan : KeptPlan<Scan<Exec, Combine>, Exec, std::tuple<Index, Index>>,
                 public Scan<Exec, Combine> {
 public:
  KeptScan(const Exec& exec, LineExtents extents, const Combine& combine)
      : Kept(exec, {extents.lines, extents.length},
             [&] { return Scan<Exec, Combine>(exec, extents.lines, extents.length, combine); }),
        Scan<Exec, Combine>(Kept::operator*(), combine) {}

 private:
  using Kept = KeptPlan<Scan<Exec, Combine>, Exec, std::tuple<Index, Index>>;
};

/// @brief Finds plans for scans of arrays that lie in this process as a whole.
struct OneProcess {
  /// @param extents_of callable that gives the extents of the lines, after checks
  template <ExecutionSpace Exec, class Combine, class ExtentsOf>
  KeptScan<Exec, Combine> plan(const Exec& exec, const Combine& combine,
                               const ExtentsOf& extents_of) const {
    return {exec, extents_of(), combine};
  }
};

/// @brief A call of a free function: finds or makes a plan and calls it.
/// @tparam Function what is asked of the plan
/// @tparam Planner  makes the plan: OneProcess, or what does so for several
template <class Function, class Planner = OneProcess>
struct ScanCall {
  static constexpr std::size_t space_argument = Function::weighted ? 2 : 1;  ///< 'out'
  Planner planner;

  /// @param second the weight, or, of functions without one, the output
  template <ExecutionSpace Exec, class In, class Second, class... Rest>
  void run(const std::string& label, const Exec& exec, const In& in, const Second& second,
           const Rest&... rest) const {
    if constexpr (Function::weighted)
      run_weighted(label, exec, in, second, rest...);
    else
      run_weighted(label, exec, in, NoArgument(), second, rest...);
  }

 private:
  template <class Exec, class In, class Weight, class Out, class... Rest>
  void run_weighted(const std::string& label, const Exec& exec, const In& in, const Weight& weight,
                    const Out& out, const Rest&... rest) const {
    if constexpr (can_be_scanned<In, Out>()) {
      using T = typename ScanType<Out, Rest...>::type;
      using Element = std::conditional_t<Function::transforms, typename In::value_type, void>;
      static_assert(arguments_of<Role::Unknown, T, Element, Rest...> == 0,
                    "WaveScan: an argument behind 'out' is neither an operator on the scan's type "
                    "(that of the elements of 'out') nor an initial value nor ScanOptions");
      static_assert(arguments_of<Role::Operator, T, Element, Rest...> <= 1 &&
                        arguments_of<Role::Init, T, Element, Rest...> <= 1 &&
                        arguments_of<Role::Options, T, Element, Rest...> <= 1,
                    "WaveScan: two operators, two initial values or two sets of options");
      constexpr int functions = arguments_of<Role::Function, T, Element, Rest...>;
      static_assert(functions == (Function::transforms ? 1 : 0),
                    "WaveScan: a transform scan takes one function of one element");
      const typename Function::usual_operator usual;
      const ScanOptions<> no_options{};
      const NoArgument nothing;
      const auto combine = as_operator<T>(argument_of<Role::Operator, T, Element>(usual, rest...));
      auto given = argument_of<Role::Options, T, Element>(no_options, rest...);
      if (!label.empty()) given = given.label(label);
      const auto options =
          with_init<T>(given, argument_of<Role::Init, T, Element>(nothing, rest...));

      const auto plan = planner.plan(exec, combine, [&] {
        const int axis = checked_axis("Scan", static_cast<int>(In::rank()), options.axis());
        return line_extents(footprint_of(in), axis);
      });
      if constexpr (functions == 1) {
        const auto& function = argument_of<Role::Function, T, Element>(nothing, rest...);
        Function::run(plan, transform_input(in, function), weight, out, options);
      } else if constexpr (!Function::transforms) {
        Function::run(plan, in, weight, out, options);
      }
    }
  }
};
template <class Function, class... Args>
void call_scan(const Args&... args) {
  call_as(Function::name, ScanCall<Function>(), args...);
}

}  // namespace Impl
}  // namespace wavescan

#endif
