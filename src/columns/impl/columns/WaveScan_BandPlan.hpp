// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_BANDPLAN_HPP
#define WAVESCAN_IMPL_COLUMNS_BANDPLAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_PivotReport.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/columns/WaveScan_CheckSystems.hpp>
#include <impl/columns/WaveScan_ReportPivots.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace wavescan::Impl::columns {

/// @brief Plans for band matrices of any width.
template <ExecutionSpace Exec, std::floating_point T, int M>
class BandPlan {
 public:
  template <AnyView... Diagonals>
  BandPlan(std::string_view operation, const Exec& exec, const TridiagonalOptions& options,
           const Diagonals&... diagonals)
      : operation_(operation), exec_(exec), options_(options) {
    const auto& diagonal = nth<M>(diagonals...);
    constexpr int rank = static_cast<int>(std::remove_cvref_t<decltype(diagonal)>::rank());
    one_for_all_ = rank == 1;
    require(options.refinements == 0, operation, "options",
            "must not be refined: a plan does not keep the matrices", options.refinements);
    // The axis is that of right-hand sides, which one matrix does not have.
    along_ = checked_axis(operation, 2, options.axis);
    extents_ = line_extents(Footprint(diagonal), rank == 1 ? 0 : along_);
    // Factors lie as the diagonal does.
    const auto lines = diagonal_lines(diagonal, along_);
    side_by_side_ = lines.stride != 1 && lines.line_stride == 1;
    const ColumnsAlgorithm algorithm = select_factored_algorithm<T, M>(
        exec, {one_for_all_ ? 3 : extents_.lines, extents_.length}, options.cyclic);
    has_fill_ = options.cyclic && algorithm != ColumnsAlgorithm::Chunks;
    allocate(exec, factors_, "WaveScan::columns::factors", arrays() * entries());
#if defined(WAVESCAN_HAS_VECTORS)
    if (algorithm == ColumnsAlgorithm::Lanes)
      allocate(exec, workspace_, "WaveScan::columns::lanes",
               lane_workspace<Exec, T, M>(exec, extents_.length, options.cyclic));
#endif
    factorize(diagonals...);
  }

  template <AnyView... Diagonals>
  void factorize(const Diagonals&... diagonals) const {
    const auto& diagonal = nth<M>(diagonals...);
    constexpr int rank = static_cast<int>(std::remove_cvref_t<decltype(diagonal)>::rank());
    static_assert((rank == 1 || rank == 2) && are_diagonals<T, rank, Diagonals...>,
                  "WaveScan: 'diagonal' must be of the plan's type and of rank 1 or 2, 'lower' and "
                  "'upper' of the same type and of no larger rank");
    const Footprint reference = diagonal, bands[] = {Footprint(diagonals)...};
    const LineExtents extents = line_extents(reference, rank == 1 ? 0 : along_);
    require((rank == 1) == one_for_all_ && extents.lines == extents_.lines &&
                extents.length == extents_.length,
            operation_, "diagonal", "must have the extents that the plan was made for",
            extents_of(reference));
    require_cover<M>(operation_, bands, reference, extents, "diagonal");
    if (entries() == 0) return;
    EachOf<T, 2 * M + 1> factors;
    for (int k = 0; k <= 2 * M; ++k) factors.number[k] = part<T>(k);
    EachOf<T, M> fill;
    for (int m = 0; m < M && has_fill_; ++m) fill.number[m] = part<T>(2 * M + 1 + m);
    columns::factorize(exec_, matrices_of<T>(along_, extents.length, options_, diagonals...),
                       factors, fill, extents);
  }

  template <AnyView D, AnyView X>
  void solve(const D& right, const X& x) const {
    constexpr int rank = static_cast<int>(X::rank());
    static_assert(std::same_as<typename X::value_type, T> &&
                      std::same_as<typename D::non_const_value_type, T> && D::rank() == X::rank() &&
                      rank >= 1 && rank <= 3,
                  "WaveScan: 'right' and 'x' must be of the plan's type, 'x' writable, both of the "
                  "same rank, 1 to 3");
    const Footprint rights = right, results = x;
    const LineExtents extents =
        rank == 1 ? LineExtents{1, rights.extent[0]}
                  : LineExtents{rights.extent[rank - 1 - along_], rights.extent[rank - 2 + along_]};
    require(extents.length == extents_.length &&
                (one_for_all_ || (rank > 1 && extents.lines == extents_.lines)),
            operation_, "right",
            "must have as many unknowns and systems as the matrices (" +
                std::to_string(extents_.lines) + " of " + std::to_string(extents_.length) + ")",
            extents_of(rights));
    require_extents_of(operation_, "x", results, "right", rights);
    require_same_or_disjoint(operation_, "right", rights, "x", results.within(rights));
    if (rights.extent[0] == 0 || extents.lines == 0 || extents.length == 0) return;
    const Kokkos::Profiling::ScopedRegion region(
        options_.label.empty() ? "WaveScan::" + std::string(operation_) + "::solve"
                               : options_.label);
    const auto lines = [&]<class E>(E* data, const auto& view) {
      if constexpr (rank == 1)
        return Lines<E>{data, 0, static_cast<Index>(view.stride(0))};
      else
        return Lines<E>{data, static_cast<Index>(view.stride(rank - 1 - along_)),
                        static_cast<Index>(view.stride(rank - 2 + along_))};
    };
    FactoredSystems<T, M> s;
    for (int k = 0; k <= 2 * M; ++k) s.factors.diagonal[k] = part<const T>(k);
    for (int m = 0; m < M && has_fill_; ++m) s.fill[m] = part<const T>(2 * M + 1 + m);
    s.factors.cyclic = options_.cyclic;
    s.extents = extents;
    s.workspace = workspace_.data();
    const Index sets = rank == 3 ? rights.extent[0] : 1;
    for (Index set = 0; set < sets; ++set) {
      const T* const from = right.data() + set * static_cast<Index>(right.stride(0));
      T* const to = x.data() + set * static_cast<Index>(x.stride(0));
      s.right = lines(from, right);
      s.x = lines(to, x);
      solve_factored(exec_, s);
    }
  }

  PivotReport report() const { return report_pivots(exec_, factors_.data(), entries(), 2 * M + 1); }

  std::size_t workspace_bytes() const { return (factors_.size() + workspace_.size()) * sizeof(T); }

 private:
  template <int N, class First, class... Others>
  static const auto& nth(const First& first, const Others&... others) {
    if constexpr (N == 0)
      return first;
    else
      return nth<N - 1>(others...);
  }
  Index entries() const { return extents_.lines * extents_.length; }
  Index arrays() const { return has_fill_ ? 3 * M + 1 : 2 * M + 1; }

  /// @brief One of the arrays: factors, then fill.
  template <class E>
  Lines<E> part(int number) const {
    E* const data = factors_.data() + number * entries();
    if (one_for_all_) return {data, 0, 1};
    return side_by_side_ ? Lines<E>{data, 1, extents_.lines} : Lines<E>{data, extents_.length, 1};
  }

  std::string_view operation_;
  Exec exec_;
  TridiagonalOptions options_;
  bool one_for_all_ = false, side_by_side_ = false, has_fill_ = false;
  int along_ = 1;
  LineExtents extents_;
  Kokkos::View<T*, typename Exec::memory_space> factors_;
  Kokkos::View<T*, typename Exec::memory_space> workspace_;  ///< of solves on hosts
};

}  // namespace wavescan::Impl::columns

#endif
