// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SCAN_HPP
#define WAVESCAN_SCAN_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/scan/WaveScan_MakeScanProblem.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/scan/WaveScan_ScanWorkspace.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Inclusive, exclusive and weighted scans of Views.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, equation II-2 and section V (weighted scan).

namespace wavescan {

/// @brief A plan for scans of one size, which owns the workspace and allocates nothing afterwards.
///
/// Calls enqueue work on the instance that the plan was made with and return; a plan's calls on one
/// instance may follow each other at once. One plan must not be used from two instances at a time.
///
/// Memory: for long lines some values for each resident team, whatever their length, see
/// `workspace_bytes()`; none for many short lines. Work: O(elements); span: O(elements / threads +
/// log threads).
///
/// @tparam Exec    execution space
/// @tparam Combine an Operator (inclusive and exclusive scans) or an Algebra (weighted scans)
template <ExecutionSpace Exec, class Combine>
class Scan {
  static_assert(Operator<Combine> || Algebra<Combine>,
                "WaveScan: a scan needs an Operator (value_type, operator()(a, b), identity()) or "
                "an Algebra (value_type, weight_type, accumulate, distribute, compose, power, "
                "zero, one)");

 public:
  /// @brief Type of the results.
  using value_type = typename Combine::value_type;

  /// @brief A plan for scans of a number of lines of one length.
  /// @param exec    instance that all calls enqueue on
  /// @param lines   number of independent scans; 1 for a View of rank 1
  /// @param length  elements of each
  /// @param combine operator or algebra
  /// @throws std::invalid_argument if `lines` or `length` is negative or their product overflows
  Scan(const Exec& exec, std::int64_t lines, std::int64_t length, const Combine& combine = {});

  /// @brief A plan for scans of Views with the extents of `view` along `axis`.
  template <class V>
    requires(AnyView<V> && (V::rank() == 1 || V::rank() == 2))
  static Scan like(const Exec& exec, const V& view, const Combine& combine = {}, int axis = -1) {
    const Impl::LineExtents extents =
        Impl::line_extents(view, Impl::checked_axis("Scan", static_cast<int>(V::rank()), axis));
    return Scan(exec, extents.lines, extents.length, combine);
  }

  /// @brief Inclusive scan: out_j = x_0 ⋄ ... ⋄ x_j along each line. See wavescan::inclusive_scan.
  template <class In, class Out, class Options = ScanOptions<>>
    requires Operator<Combine>
  void inclusive(const In& in, const Out& out, const Options& options = {}) const {
    run("inclusive_scan", Impl::ScanKind::Inclusive, Impl::PlainRecurrence<Combine>{combine_}, {},
        in, out, options);
  }

  /// @brief Exclusive scan: out_j = x_0 ⋄ ... ⋄ x_{j-1} along each line. See
  /// wavescan::exclusive_scan.
  template <class In, class Out, class Options = ScanOptions<>>
    requires Operator<Combine>
  void exclusive(const In& in, const Out& out, const Options& options = {}) const {
    using CarryIn = std::remove_cvref_t<decltype(options.carry_in())>;
    static_assert(Impl::has_identity<Combine> || !std::same_as<CarryIn, NoCarry>,
                  "WaveScan: an exclusive scan starts with a value of yours, the operator having "
                  "no identity: exclusive_scan(in, out, init, op)");
    run("exclusive_scan", Impl::ScanKind::Exclusive, Impl::PlainRecurrence<Combine>{combine_}, {},
        in, out, options);
  }

  /// @brief Weighted scan: out_j = (out_{j-1} ∘ w_j) ⋄ x_j along each line. See
  /// wavescan::weighted_scan.
  template <class In, class Weight, class Out, class Options = ScanOptions<>>
    requires Algebra<Combine>
  void weighted(const In& in, const Weight& weight, const Out& out,
                const Options& options = {}) const {
    run_weighted("weighted_scan", Impl::ScanKind::Inclusive, in, weight, out, options);
  }

  /// @brief The weighted scan before each element. See wavescan::weighted_exclusive_scan.
  template <class In, class Weight, class Out, class Options = ScanOptions<>>
    requires Algebra<Combine>
  void weighted_exclusive(const In& in, const Weight& weight, const Out& out,
                          const Options& options = {}) const {
    run_weighted("weighted_exclusive_scan", Impl::ScanKind::Exclusive, in, weight, out, options);
  }

  /// @brief The plan `other` with another operator of the same type; they share the workspace.
  Scan(const Scan& other, const Combine& combine)
      : exec_(other.exec_),
        extents_(other.extents_),
        combine_(combine),
        workspace_(other.workspace_) {}

  /// @brief Number of independent scans the plan was made for.
  std::int64_t lines() const { return extents_.lines; }
  /// @brief Elements of each scan the plan was made for.
  std::int64_t length() const { return extents_.length; }
  /// @brief Bytes of device memory that the plan holds.
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  /// A weighted scan's segments do not depend on where the weights come from, so one workspace
  /// serves constant weights and Views of weights.
  template <class C>
  struct Plain {
    using type = Impl::PlainRecurrence<C>;
  };
  template <class C>
  struct Weighted {
    using type = Impl::WeightedRecurrence<C, Impl::ConstantWeight<typename C::weight_type>>;
  };
  using workspace_recurrence =
      typename std::conditional_t<Operator<Combine>, Plain<Combine>, Weighted<Combine>>::type;

  template <class In, class Weight, class Out, class Options>
  void run_weighted(std::string_view operation, Impl::ScanKind kind, const In& in,
                    const Weight& weight, const Out& out, const Options& options) const;

  /// @param weight where weights lie, if they are a View's
  template <class Recurrence, class In, class Out, class Options>
  void run(std::string_view operation, Impl::ScanKind kind, const Recurrence& recurrence,
           const std::optional<Impl::Footprint>& weight, const In& in, const Out& out,
           const Options& options) const;

  /// @brief Enqueues the scan; does not depend on the arguments' types.
  template <class Problem>
  void enqueue(std::string_view operation, const std::string& label, const Problem& problem) const;

  Exec exec_;
  Impl::LineExtents extents_;
  Combine combine_;
  Impl::ScanWorkspace<Exec, value_type, typename workspace_recurrence::segment_type> workspace_;
};

template <ExecutionSpace Exec, class Combine>
Scan<Exec, Combine>::Scan(const Exec& exec, std::int64_t lines, std::int64_t length,
                          const Combine& combine)
    : exec_(exec), extents_{lines, length}, combine_(combine) {
  Impl::require_valid("Scan", extents_);
  workspace_ = Impl::make_workspace<decltype(workspace_)>(exec, extents_);
}

template <ExecutionSpace Exec, class Combine>
template <class In, class Weight, class Out, class Options>
void Scan<Exec, Combine>::run_weighted(std::string_view operation, Impl::ScanKind kind,
                                       const In& in, const Weight& weight, const Out& out,
                                       const Options& options) const {
  run(operation, kind, Impl::weighted_recurrence<Exec, In>(operation, combine_, weight, options),
      Impl::footprint_of_weight(weight), in, out, options);
}

template <ExecutionSpace Exec, class Combine>
template <class Recurrence, class In, class Out, class Options>
void Scan<Exec, Combine>::run(std::string_view operation, Impl::ScanKind kind,
                              const Recurrence& recurrence,
                              const std::optional<Impl::Footprint>& weight, const In& in,
                              const Out& out, const Options& options) const {
  if constexpr (Impl::can_be_scanned<In, Out>())
    enqueue(operation, options.label(),
            Impl::make_scan_problem<Exec>(operation, kind, extents_, recurrence, weight, in, out,
                                          options));
}

template <ExecutionSpace Exec, class Combine>
template <class Problem>
void Scan<Exec, Combine>::enqueue(std::string_view operation, const std::string& label,
                                  const Problem& problem) const {
  if (extents_.lines == 0) return;
  if constexpr (!Impl::has_identity<Combine>)
    if (extents_.length == 0 && !problem.carry_in.present()) return;  // no state to hand out
  std::optional<Kokkos::Profiling::ScopedRegion> region;
  if (Kokkos::Tools::profileLibraryLoaded())
    static_cast<void>(
        region.emplace(label.empty() ? "WaveScan::" + std::string(operation) : label));
  Impl::enqueue_scan(workspace_, exec_, problem);
}

namespace Impl {

// The free functions: what they take, and what they ask of a plan.

template <ScanKind Kind, bool Weighted, bool Transforms>
struct ScanFunction {
  static constexpr bool exclusive = Kind == ScanKind::Exclusive;
  static constexpr bool weighted = Weighted, transforms = Transforms;
  static constexpr std::string_view name =
      Weighted     ? (exclusive ? "weighted_exclusive_scan" : "weighted_scan")
      : Transforms ? (exclusive ? "transform_exclusive_scan" : "transform_inclusive_scan")
                   : (exclusive ? "exclusive_scan" : "inclusive_scan");
  using usual_operator = std::conditional_t<Weighted, PlusTimes<>, Plus<>>;

  static void run(const auto& plan, const auto& in, [[maybe_unused]] const auto& weight,
                  const auto& out, const auto& options) {
    if constexpr (Weighted && exclusive)
      plan.weighted_exclusive(in, weight, out, options);
    else if constexpr (Weighted)
      plan.weighted(in, weight, out, options);
    else if constexpr (exclusive)
      plan.exclusive(in, out, options);
    else
      plan.inclusive(in, out, options);
  }
};
using InclusiveScan = ScanFunction<ScanKind::Inclusive, false, false>;
using ExclusiveScan = ScanFunction<ScanKind::Exclusive, false, false>;
using TransformInclusiveScan = ScanFunction<ScanKind::Inclusive, false, true>;
using TransformExclusiveScan = ScanFunction<ScanKind::Exclusive, false, true>;
using WeightedInclusiveScan = ScanFunction<ScanKind::Inclusive, true, false>;
using WeightedExclusiveScan = ScanFunction<ScanKind::Exclusive, true, false>;

}  // namespace Impl

/// @brief Inclusive scan: out_j = x_0 ⋄ x_1 ⋄ ... ⋄ x_j along each line.
///
///     inclusive_scan([label,] [exec,] in, out [, op] [, init] [, options])
///
/// Lines are the whole View for rank 1, and the rows or columns along `options.axis` for rank 2.
/// With an initial value, or a carry in, it stands before x_0. Operands keep their order, so the
/// operator need not commute. Integers are exact and wrap around; the association of floating-point
/// sums depends on the number of threads.
///
/// Enqueues on `exec` and returns. Keeps its small workspace for the next such call: see
/// WaveScan_Workspaces.hpp.
///
/// - `label`: a string, the name of the scan for profilers
/// - `exec`: execution space instance; by default the default one of the output's space
/// - `in`: View of rank 1 or 2, any layout, or transform_input or computed_input; elements are
///   converted to the scan's type, that of the elements of `out`
/// - `out`: View of at least these extents, whose elements do not overlap each other; what exceeds
///   them is left alone; may be `in` itself (in place); or transform_output
/// - `op`: an associative operator: one of this library (`Max{}`), a function or lambda `T f(T,
/// T)`,
///   `std::plus<>`, a reducer of Kokkos; by default Plus
/// - `init`: a value; or a View, as for `ScanOptions::carry_in`
/// - `options`: axis, direction, carries
///
/// @throws std::invalid_argument if extents differ, Views partly overlap, elements of `out` overlap
///                each other, a View of carries is not allocated, or the axis is wrong
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void inclusive_scan(const Exec& exec, const In& in, const Out& out,
                    const Rest&... op_init_options) {
  Impl::call_scan<Impl::InclusiveScan>(exec, in, out, op_init_options...);
}
/// @brief Inclusive scan with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void inclusive_scan(const First& label_or_in, const Rest&... in_out_op_init_options) {
  Impl::call_scan<Impl::InclusiveScan>(label_or_in, in_out_op_init_options...);
}

/// @brief Exclusive scan: out_j = x_0 ⋄ ... ⋄ x_{j-1}, out_0 = init, or the identity without it.
///
///     exclusive_scan([label,] [exec,] in, out [, init] [, op] [, options])
///
/// Arguments and errors as for inclusive_scan. With an operator that has no identity, an initial
/// value or a carry in is needed.
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void exclusive_scan(const Exec& exec, const In& in, const Out& out,
                    const Rest&... init_op_options) {
  Impl::call_scan<Impl::ExclusiveScan>(exec, in, out, init_op_options...);
}
/// @brief Exclusive scan with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void exclusive_scan(const First& label_or_in, const Rest&... in_out_init_op_options) {
  Impl::call_scan<Impl::ExclusiveScan>(label_or_in, in_out_init_op_options...);
}

/// @brief inclusive_scan of f(x_j), which is stored nowhere, in one pass.
///
///     transform_inclusive_scan([label,] [exec,] in, out, op, f [, init] [, options])
///
/// Arguments and errors as for inclusive_scan; `f` is a function of one element of `in`.
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void transform_inclusive_scan(const Exec& exec, const In& in, const Out& out,
                              const Rest&... op_f_init_options) {
  Impl::call_scan<Impl::TransformInclusiveScan>(exec, in, out, op_f_init_options...);
}
/// @brief Transformed inclusive scan with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void transform_inclusive_scan(const First& label_or_in, const Rest&... in_out_op_f_init_options) {
  Impl::call_scan<Impl::TransformInclusiveScan>(label_or_in, in_out_op_f_init_options...);
}

/// @brief exclusive_scan of f(x_j), which is stored nowhere, in one pass.
///
///     transform_exclusive_scan([label,] [exec,] in, out, init, op, f [, options])
///
/// Arguments and errors as for exclusive_scan; `f` is a function of one element of `in`.
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void transform_exclusive_scan(const Exec& exec, const In& in, const Out& out,
                              const Rest&... init_op_f_options) {
  Impl::call_scan<Impl::TransformExclusiveScan>(exec, in, out, init_op_f_options...);
}
/// @brief Transformed exclusive scan with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void transform_exclusive_scan(const First& label_or_in, const Rest&... in_out_init_op_f_options) {
  Impl::call_scan<Impl::TransformExclusiveScan>(label_or_in, in_out_init_op_f_options...);
}

/// @brief Weighted scan: out_j = (out_{j-1} ∘ w_j) ⋄ x_j along each line, out_0 = x_0.
///
///     weighted_scan([label,] [exec,] in, weight, out [, algebra] [, init] [, options])
///
/// This is the compensation step of Hou et al. (equation II-2 with the partial value added); for
/// PlusTimes it solves a first-order linear recurrence. With an initial value, or a carry in, c,
/// out_0 = (c ∘ w_0) ⋄ x_0; without one w_0 has no effect. Powers of a constant weight that
/// underflow drop the contributions of elements far away; so do products of a View of weights, but
/// not on hosts, where those of floating-point numbers keep their exponents.
///
/// - `weight`: one weight for all elements, or a View of weights of the extents of `in`; `out` may
///   be this View
/// - `algebra`: accumulation and distribution operator, as theorem 1 of Hou et al. wants them; by
///   default PlusTimes
///
/// All other arguments and errors as for inclusive_scan.
template <ExecutionSpace Exec, class In, class Weight, class Out, class... Rest>
void weighted_scan(const Exec& exec, const In& in, const Weight& weight, const Out& out,
                   const Rest&... algebra_init_options) {
  Impl::call_scan<Impl::WeightedInclusiveScan>(exec, in, weight, out, algebra_init_options...);
}
/// @brief Weighted scan with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void weighted_scan(const First& label_or_in, const Rest&... in_weight_out_algebra_init_options) {
  Impl::call_scan<Impl::WeightedInclusiveScan>(label_or_in, in_weight_out_algebra_init_options...);
}

/// @brief The weighted scan before each element: out_j is what weighted_scan has at j-1, and
/// out_0 = init, or zero without it.
///
///     weighted_exclusive_scan([label,] [exec,] in, weight, out [, init] [, algebra] [, options])
///
/// Arguments and errors as for weighted_scan.
template <ExecutionSpace Exec, class In, class Weight, class Out, class... Rest>
void weighted_exclusive_scan(const Exec& exec, const In& in, const Weight& weight, const Out& out,
                             const Rest&... init_algebra_options) {
  Impl::call_scan<Impl::WeightedExclusiveScan>(exec, in, weight, out, init_algebra_options...);
}
/// @brief Weighted exclusive scan with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void weighted_exclusive_scan(const First& label_or_in,
                             const Rest&... in_weight_out_init_algebra_options) {
  Impl::call_scan<Impl::WeightedExclusiveScan>(label_or_in, in_weight_out_init_algebra_options...);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/scan/WaveScan_Instantiations.hpp>
#endif

#endif
