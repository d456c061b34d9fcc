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
#include <impl/columns/WaveScan_CheckBlocks.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace wavescan::Impl::columns {

/// @brief Whether matrices of a View of this type are of systems whose right-hand sides have this
/// rank, or one is that of all systems.
template <class V, int rank>
inline constexpr bool are_blocks_of_rank = V::rank() == 3 ||
                                           static_cast<int>(V::rank()) == rank + 1;

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
  static_assert(
      are_blocks_of_rank<A, rank> && are_blocks_of_rank<B, rank> && are_blocks_of_rank<C, rank>,
      "WaveScan: diagonals must have one rank more than 'x', or rank 3");
  const Footprint rights = right, results = x, blocks[] = {lower, diagonal, upper};
  const int axis = options.axis == -1 ? rank - 2 : options.axis;
  const int along = checked_axis(operation, rank - 1, axis);
  require(options.refinements == 0, operation, "options",
          "must not be refined: that is for systems without blocks", options.refinements);
  require_block_size(operation, "right", rights);
  const LineExtents extents = rank == 2
                                  ? LineExtents{1, rights.extent[0]}
                                  : LineExtents{rights.extent[1 - along], rights.extent[along]};
  require_extents_of(operation, "x", results, "right", rights);
  const Footprint written = results.within(rights);
  require_cover_blocks(operation, blocks, rights, rank == 2, extents.length, "right");
  for (int k = 0; k < 3; ++k)
    require_disjoint(operation, diagonal_name<1>(k), blocks[k], "x", written);
  require_same_or_disjoint(operation, "right", rights, "x", written);
  if (extents.lines == 0 || extents.length == 0) return;
  BlockSystems<T> s{{},
                    constant_blocks(block_lines<1>(right, along)),
                    block_lines<1>(x, along),
                    extents,
                    options.cyclic};
  set_matrices(s, along, options.transposed, lower, diagonal, upper);
  const Kokkos::Profiling::ScopedRegion region(
      options.label.empty() ? "WaveScan::" + std::string(operation) : options.label);
  with_block_size<X::static_extent(rank - 1)>(
      rights.extent[rank - 1],
      [&]<int M>(std::integral_constant<int, M>) { solve_blocks<M>(exec, s); });
}

}  // namespace wavescan::Impl::columns

#endif
