// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_LINESEGMENTS_HPP
#define WAVESCAN_IMPL_SCAN_LINESEGMENTS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_ScanWorkspace.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/scan/gpu/WaveScan_LineReduction.hpp>
#endif

#include <cstddef>

/// @file
/// @brief Reduces every line of a scan to its segment: what it does to a state that enters it.
///
/// That is a scan which keeps nothing but the last states, so every way to scan is also a way to
/// reduce. GPUs have a way of their own for few long lines. Weights that come from a View are
/// scanned with their composition for operator.

namespace wavescan::Impl {

/// @brief Weights that follow each other.
template <Algebra A>
struct Composition {
  using value_type = typename A::weight_type;
  A algebra;
  KOKKOS_FUNCTION value_type operator()(const value_type& w, const value_type& v) const {
    return algebra.compose(w, v);
  }
  KOKKOS_FUNCTION value_type identity() const { return algebra.one(); }
};

/// @brief The way to reduce that an execution space has of its own: by default none.
template <ExecutionSpace Exec, class Value>
struct BackendReduction {
  BackendReduction() = default;
  BackendReduction(const Exec&, LineExtents) {}
  template <class Recurrence, class Source>
  bool enqueue(const Exec&, const Recurrence&, LineExtents, const Source&, Value*) const {
    return false;
  }
  std::size_t bytes() const { return 0; }
};
#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <class Value>
struct BackendReduction<gpu::Device, Value> : GpuLineReduction<Value> {
  using GpuLineReduction<Value>::GpuLineReduction;
};
#endif

/// @brief Enqueues the last state of each line of `source` that nothing enters.
/// @param length not 0
template <ExecutionSpace Exec, class Workspace, class Recurrence, class Source, class T>
void enqueue_last_states(const Exec& exec, const Workspace& workspace,
                         const BackendReduction<Exec, T>& backend, const Recurrence& recurrence,
                         LineExtents extents, const Source& source, T* states) {
  if (backend.enqueue(exec, recurrence, extents, source, states)) return;
  const ScanProblem<Recurrence, Through<Source, NoTarget>> problem{
      recurrence,    ScanKind::Inclusive, extents, source, {}, {{recurrence.identity(), false}, {}},
      {states, 1, 0}};
  enqueue_scan(workspace, exec, problem);
}

/// @brief Reduces lines of one size; owns what it needs besides the scan's workspace.
/// @tparam Recurrence plain, or weighted with weights from anywhere
template <ExecutionSpace Exec, class Recurrence>
class LineSegments {
 public:
  LineSegments() = default;
  LineSegments(const Exec& exec, LineExtents extents) : backend_(exec, extents) {}

  /// @param segments of each line
  template <class Workspace, class Problem>
  void enqueue(const Exec& exec, const Workspace& workspace, const Problem& problem,
               typename Recurrence::segment_type* segments) const {
    enqueue_last_states(exec, workspace, backend_, problem.recurrence, problem.extents, problem.in,
                        segments);
  }
  std::size_t bytes() const { return backend_.bytes(); }

 private:
  BackendReduction<Exec, typename Recurrence::value_type> backend_;
};

/// @brief Puts weight and value of each line's segment together.
template <Algebra A, class Weight>
struct JoinWeightsAndValues {
  using segment_type = WeightedSegment<A>;
  A algebra;
  Weight weight;
  Index length;
  const typename A::value_type* values;
  const typename A::weight_type* weights;
  segment_type* segments;
  KOKKOS_FUNCTION void operator()(const Index line) const {
    if constexpr (is_same_operator<A>)  // see WeightedRecurrence
      segments[line] = {static_cast<typename A::weight_type>(weight(line, 0)), values[line]};
    else if constexpr (is_constant_weight<Weight>)
      segments[line] = {algebra.power(weight.value, length), values[line]};
    else
      segments[line] = {weights[line], values[line]};
  }
};

template <ExecutionSpace Exec, Algebra A, class Weight>
class LineSegments<Exec, WeightedRecurrence<A, Weight>> {
  using value_type = typename A::value_type;
  using weight_type = typename A::weight_type;
  using memory_space = typename Exec::memory_space;

 public:
  LineSegments() = default;
  LineSegments(const Exec& exec, LineExtents extents) : backend_(exec, extents) {
    allocate(exec, values_, "WaveScan::scan::values", extents.lines);
    if constexpr (is_same_operator<A>) return;
    allocate(exec, weights_, "WaveScan::scan::weights", extents.lines);
    of_weights_ = make_workspace<decltype(of_weights_)>(exec, extents);
  }

  template <class Workspace, class W, class In>
  void enqueue(const Exec& exec, const Workspace& workspace,
               const ScanProblem<WeightedRecurrence<A, W>, In>& problem,
               WeightedSegment<A>* segments) const {
    const auto& [algebra, weight] = problem.recurrence;
    enqueue_last_states(exec, workspace, backend_, problem.recurrence, problem.extents, problem.in,
                        values_.data());
    if constexpr (!is_constant_weight<W> && !is_same_operator<A>)
      enqueue_last_states(exec, of_weights_, BackendReduction<Exec, weight_type>(),
                          PlainRecurrence<Composition<A>>{{algebra}}, problem.extents, weight,
                          weights_.data());
    Kokkos::parallel_for(
        "WaveScan::scan::segments",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, problem.extents.lines),
        JoinWeightsAndValues<A, W>{algebra, weight, problem.extents.length, values_.data(),
                                   weights_.data(), segments});
  }
  std::size_t bytes() const {
    return values_.size() * sizeof(value_type) + weights_.size() * sizeof(weight_type) +
           of_weights_.bytes() + backend_.bytes();
  }

 private:
  BackendReduction<Exec, value_type> backend_;
  Kokkos::View<value_type*, memory_space> values_;
  Kokkos::View<weight_type*, memory_space> weights_;
  ScanWorkspace<Exec, weight_type, weight_type> of_weights_;
};

}  // namespace wavescan::Impl

#endif
