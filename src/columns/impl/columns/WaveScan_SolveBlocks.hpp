// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_SOLVEBLOCKS_HPP
#define WAVESCAN_IMPL_COLUMNS_SOLVEBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/columns/WaveScan_BlockThomas.hpp>
#include <impl/columns/WaveScan_CheckSystems.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// @brief Arguments of block tridiagonal systems: checks, and what kernels are given for them.

namespace wavescan::Impl::columns {

/// @brief A View of blocks, or of columns, of all systems or of one.
/// @param numbers dimensions of a block or a column: 2 or 1
template <int numbers, class V>
auto block_lines(const V& view, int along) {
  using E = typename V::value_type;
  constexpr int rank = static_cast<int>(V::rank()), first = rank - numbers;
  const auto stride = [&](int d) { return static_cast<Index>(view.stride(d)); };
  BlockLines<E> lines{view.data()};
  if constexpr (first == 1) {
    lines.stride = stride(0);
  } else {
    lines.stride = stride(along);
    lines.line_stride = stride(1 - along);
  }
  lines.row_stride = stride(first);
  if constexpr (numbers == 2) lines.column_stride = stride(first + 1);
  return lines;
}

/// @brief Transposed: block row i has what rows beside it have of column i.
template <class T>
void transpose(BlockLines<const T> (&diagonal)[3], Index length, bool cyclic) {
  std::swap(diagonal[0], diagonal[2]);
  for (int offset = -1; offset <= 1; ++offset) {
    BlockLines<const T>& of = diagonal[1 + offset];
    std::swap(of.row_stride, of.column_stride);
    of.shift = offset;
    of.period = cyclic ? length : 0;
  }
}

template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C, AnyView D, AnyView X>
void check_and_solve_blocks(const Exec& exec, const TridiagonalOptions& options, const A& lower,
                            const B& diagonal, const C& upper, const D& right, const X& x) {
  using T = typename X::value_type;
  constexpr std::string_view operation = "block_tridiagonal_solve";
  constexpr int rank = static_cast<int>(X::rank());
  static_assert(std::floating_point<T> && std::same_as<typename D::non_const_value_type, T> &&
                    std::same_as<typename A::non_const_value_type, T> &&
                    std::same_as<typename B::non_const_value_type, T> &&
                    std::same_as<typename C::non_const_value_type, T>,
                "WaveScan: all Views must be of float, or all of double, and 'x' writable");
  static_assert(D::rank() == X::rank() && (rank == 2 || rank == 3),
                "WaveScan: 'right' and 'x' must be of rank 2, or both of rank 3");
  const auto fits = []<class V>(std::type_identity<V>) {
    return V::rank() == 3 || static_cast<int>(V::rank()) == rank + 1;
  };
  static_assert(fits(std::type_identity<A>()) && fits(std::type_identity<B>()) &&
                    fits(std::type_identity<C>()),
                "WaveScan: diagonals must have one rank more than 'x', or rank 3");
  const Footprint rights = right, results = x, blocks[] = {lower, diagonal, upper};
  const int axis = options.axis() == -1 ? rank - 2 : options.axis();
  const int along = checked_axis(operation, rank - 1, axis);
  require(options.refinements() == 0, operation, "options",
          "must not be refined: that is for systems without blocks", options.refinements());
  const Index size = rights.extent[rank - 1];
  require(size >= 2 && size <= 5, operation, "right", "must have columns of 2 to 5 numbers",
          extents_of(rights));
  const LineExtents extents = rank == 2
                                  ? LineExtents{1, rights.extent[0]}
                                  : LineExtents{rights.extent[1 - along], rights.extent[along]};
  require_extents_of(operation, "x", results, "right", rights);
  const Footprint written = results.within(rights);
  for (int k = 0; k < 3; ++k) {
    const Footprint& of = blocks[k];
    const std::string_view name = diagonal_name<1>(k);
    const std::size_t first = of.rank - 2;
    const bool covers =
        of.extent[first] >= size && of.extent[first + 1] >= size &&
        (first == 1 ? of.extent[0] >= extents.length
                    : of.extent[0] >= rights.extent[0] && of.extent[1] >= rights.extent[1]);
    require(covers, operation, name,
            "must have a block of " + std::to_string(size) + " x " + std::to_string(size) +
                " for each column of 'right' (" + extents_of(rights) + ")",
            extents_of(of));
    require_disjoint(operation, name, of, "x", written);
  }
  require_same_or_disjoint(operation, "right", rights, "x", written);
  if (extents.lines == 0 || extents.length == 0) return;
  BlockSystems<T> s{{}, {}, block_lines<1>(x, along), extents, options.is_cyclic()};
  const auto constant = [](const auto& of) {
    return BlockLines<const T>{of.data, of.line_stride, of.stride, of.row_stride, of.column_stride};
  };
  s.right = constant(block_lines<1>(right, along));
  s.diagonal[0] = constant(block_lines<2>(lower, along));
  s.diagonal[1] = constant(block_lines<2>(diagonal, along));
  s.diagonal[2] = constant(block_lines<2>(upper, along));
  if (options.is_transposed()) transpose(s.diagonal, extents.length, s.cyclic);
  const Kokkos::Profiling::ScopedRegion region(
      options.label().empty() ? "WaveScan::" + std::string(operation) : options.label());
  constexpr auto fixed = X::static_extent(rank - 1);
  const auto solve_if = [&]<int M>(std::integral_constant<int, M>) {
    if constexpr (fixed == 0 || fixed == M)
      if (size == M) solve_blocks<M>(exec, s);
  };
  solve_if(std::integral_constant<int, 2>());
  solve_if(std::integral_constant<int, 3>());
  solve_if(std::integral_constant<int, 4>());
  solve_if(std::integral_constant<int, 5>());
}

}  // namespace wavescan::Impl::columns

#endif
