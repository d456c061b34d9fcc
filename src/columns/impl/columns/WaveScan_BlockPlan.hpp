// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_BLOCKPLAN_HPP
#define WAVESCAN_IMPL_COLUMNS_BLOCKPLAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_PivotReport.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/columns/WaveScan_BlockThomas.hpp>
#include <impl/columns/WaveScan_CheckBlocks.hpp>
#include <impl/columns/WaveScan_ReportPivots.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace wavescan::Impl::columns {

/// @brief Plans for block tridiagonal matrices.
/// @tparam fixed the size of blocks, or 0
template <ExecutionSpace Exec, std::floating_point T, std::size_t fixed>
class BlockPlan {
 public:
  template <AnyView A, AnyView B, AnyView C>
  BlockPlan(const Exec& exec, const TridiagonalOptions& options, const A& lower, const B& diagonal,
            const C& upper)
      : exec_(exec), options_(options), one_for_all_(B::rank() == 3) {
    require(options.refinements == 0, operation, "options",
            "must not be refined: that is for systems without blocks", options.refinements);
    // The axis is that of right-hand sides, which one matrix does not have.
    along_ = checked_axis(operation, 2, options.axis);
    const Footprint reference = diagonal;
    require_block_size(operation, "diagonal", reference);
    size_ = reference.extent[reference.rank - 1];
    extents_ = extents_of_matrices(reference);
    // Factors lie as the diagonal does, but on devices, where neighbouring systems are neighbours.
    side_by_side_ = !runs_on_host<Exec> || block_lines<2>(diagonal, along_).line_stride == 1;
    const ColumnsAlgorithm algorithm = select_plan_algorithm();
    has_left_ = options.cyclic && algorithm != ColumnsAlgorithm::Chunks;
    allocate(exec, factors_, "WaveScan::columns::factors", (has_left_ ? 4 : 3) * numbers());
#if defined(WAVESCAN_HAS_VECTORS)
    if (algorithm == ColumnsAlgorithm::Lanes)
      allocate(exec, workspace_, "WaveScan::columns::lanes",
               most_lane_numbers<T>(exec, extents_.length * size_));
#endif
    factorize(lower, diagonal, upper);
  }

  template <AnyView A, AnyView B, AnyView C>
  void factorize(const A& lower, const B& diagonal, const C& upper) const {
    constexpr int rank = static_cast<int>(B::rank());
    static_assert(std::same_as<typename A::non_const_value_type, T> &&
                      std::same_as<typename B::non_const_value_type, T> &&
                      std::same_as<typename C::non_const_value_type, T> &&
                      (rank == 3 || rank == 4) && (A::rank() == 3 || A::rank() == rank) &&
                      (C::rank() == 3 || C::rank() == rank),
                  "WaveScan: 'diagonal' must be of the plan's type and of rank 3 or 4, 'lower' and "
                  "'upper' of the same type, and of that rank or of rank 3");
    const Footprint reference = diagonal, blocks[] = {lower, diagonal, upper};
    const LineExtents extents = extents_of_matrices(reference);
    require((rank == 3) == one_for_all_ && extents.lines == extents_.lines &&
                extents.length == extents_.length && reference.extent[rank - 1] == size_,
            operation, "diagonal", "must have the extents that the plan was made for",
            extents_of(reference));
    require_cover_blocks(operation, blocks, reference, rank == 3, extents.length, "diagonal");
    if (numbers() == 0) return;
    BlockSystems<T> s{{}, {}, {}, extents, options_.cyclic};
    set_matrices(s, along_, options_.transposed, lower, diagonal, upper);
    with_block_size<fixed>(size_, [&]<int M>(std::integral_constant<int, M>) {
      BlockFactors<T> factors;
      for (int k = 0; k < 3; ++k) factors.row[k] = array<M>(k);
      if (has_left_) factors.left = array<M>(3);
      factorize_blocks<M>(exec_, s, factors);
    });
  }

  template <AnyView D, AnyView X>
  void solve(const D& right, const X& x) const {
    constexpr int rank = static_cast<int>(X::rank());
    static_assert(std::same_as<typename X::value_type, T> &&
                      std::same_as<typename D::non_const_value_type, T> && D::rank() == X::rank() &&
                      rank >= 2 && rank <= 4,
                  "WaveScan: 'right' and 'x' must be of the plan's type, 'x' writable, both of the "
                  "same rank, 2 to 4");
    const Footprint rights = right, results = x;
    const LineExtents extents =
        rank == 2 ? LineExtents{1, rights.extent[0]}
                  : LineExtents{rights.extent[rank - 2 - along_], rights.extent[rank - 3 + along_]};
    require(extents.length == extents_.length && rights.extent[rank - 1] == size_ &&
                (one_for_all_ || (rank > 2 && extents.lines == extents_.lines)),
            operation, "right",
            "must have as many unknowns and systems as the matrices (" +
                std::to_string(extents_.lines) + " of " + std::to_string(extents_.length) +
                " blocks of " + std::to_string(size_) + ")",
            extents_of(rights));
    require_extents_of(operation, "x", results, "right", rights);
    require_same_or_disjoint(operation, "right", rights, "x", results.within(rights));
    if (rights.extent[0] == 0 || extents.lines == 0 || extents.length == 0) return;
    const Kokkos::Profiling::ScopedRegion region(
        options_.label.empty() ? "WaveScan::BlockTridiagonal::solve" : options_.label);
    BlockSystems<T> s{{},
                      constant_blocks(block_lines<1>(right, along_)),
                      block_lines<1>(x, along_),
                      extents,
                      options_.cyclic};
    with_block_size<fixed>(size_, [&]<int M>(std::integral_constant<int, M>) {
      for (int k = 0; k < 3; ++k) s.diagonal[k] = constant_blocks(array<M>(k));
      BlockLines<const T> left;
      if (has_left_) left = constant_blocks(array<M>(3));
      const Index sets = rank == 4 ? rights.extent[0] : 1;
      for (Index set = 0; set < sets; ++set) {
        s.right.data = right.data() + set * static_cast<Index>(right.stride(0));
        s.x.data = x.data() + set * static_cast<Index>(x.stride(0));
        solve_factored_blocks<M>(exec_, s, left, workspace_.data());
      }
    });
  }

  PivotReport report() const { return report_pivots(exec_, factors_.data(), numbers(), 3); }
  std::size_t workspace_bytes() const { return (factors_.size() + workspace_.size()) * sizeof(T); }

 private:
  static constexpr std::string_view operation = "BlockTridiagonal";

  LineExtents extents_of_matrices(const Footprint& of) const {
    return of.rank == 3 ? LineExtents{1, of.extent[0]}
                        : LineExtents{of.extent[1 - along_], of.extent[along_]};
  }
  Index numbers() const { return extents_.lines * extents_.length * size_ * size_; }
  ColumnsAlgorithm select_plan_algorithm() const {
    ColumnsAlgorithm algorithm{};
    with_block_size<fixed>(size_, [&]<int M>(std::integral_constant<int, M>) {
      algorithm = select_block_algorithm<M, T>(
          exec_, {one_for_all_ ? 3 : extents_.lines, extents_.length}, options_.cyclic);
    });
    return algorithm;
  }

  /// @brief One of the arrays: factors, then coefficients of the last unknown.
  template <int M>
  BlockLines<T> array(int number) const {
    auto lines = block_array<M>(factors_.data() + number * numbers(), extents_, side_by_side_);
    if (one_for_all_) lines.line_stride = 0;
    return lines;
  }

  Exec exec_;
  TridiagonalOptions options_;
  bool one_for_all_ = false, side_by_side_ = false, has_left_ = false;
  int along_ = 1;
  Index size_ = 0;
  LineExtents extents_;
  Kokkos::View<T*, typename Exec::memory_space> factors_;
  Kokkos::View<T*, typename Exec::memory_space> workspace_;  ///< of solves on hosts
};

}  // namespace wavescan::Impl::columns

#endif
