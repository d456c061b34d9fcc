// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_CHECKBLOCKS_HPP
#define WAVESCAN_IMPL_COLUMNS_CHECKBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/columns/WaveScan_BlockSystems.hpp>
#include <impl/columns/WaveScan_CheckSystems.hpp>

#include <cstddef>
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
    // Before the last two dimensions, right-hand sides of a factorized matrix are counted.
    lines.stride = stride(first - 2 + along);
    lines.line_stride = stride(first - 1 - along);
  }
  lines.row_stride = stride(first);
  if constexpr (numbers == 2) lines.column_stride = stride(first + 1);
  return lines;
}

/// @brief Lower, middle and upper blocks of Views that have been checked. Transposed, block row i
/// has what rows beside it have of column i.
template <class T, class... Blocks>
void set_matrices(BlockSystems<T>& s, int along, bool transposed, const Blocks&... blocks) {
  BlockLines<const T> given[3] = {constant_blocks(block_lines<2>(blocks, along))...};
  if (transposed) {
    std::swap(given[0], given[2]);
    for (int offset = -1; offset <= 1; ++offset) {
      BlockLines<const T>& of = given[1 + offset];
      std::swap(of.row_stride, of.column_stride);
      of.shift = offset;
      of.period = s.cyclic ? s.extents.length : 0;
    }
  }
  for (int k = 0; k < 3; ++k) s.diagonal[k] = given[k];
}

/// @brief Requires sizes of blocks for which there are kernels.
inline void require_block_size(std::string_view operation, std::string_view name,
                               const Footprint& of) {
  const Index size = of.extent[of.rank - 1];
  require(size >= 2 && size <= 5, operation, name, "must have columns of 2 to 5 numbers",
          extents_of(of));
}

/// @brief Requires blocks for each row of each system, or for each row of one matrix.
/// @param reference      a View whose first two dimensions are those of systems, or the first one
///                       is that of one system, and the last one is that of blocks
/// @param of_one         whether there is one system
/// @param reference_name what errors call it
inline void require_cover_blocks(std::string_view operation, const Footprint (&blocks)[3],
                                 const Footprint& reference, bool of_one, Index length,
                                 std::string_view reference_name) {
  const Index size = reference.extent[reference.rank - 1];
  for (int k = 0; k < 3; ++k) {
    const Footprint& of = blocks[k];
    const std::size_t first = of.rank - 2;
    const bool covers = of.extent[first] >= size && of.extent[first + 1] >= size &&
                        (first == 1 ? of.extent[0] >= length
                                    : !of_one && of.extent[0] >= reference.extent[0] &&
                                          of.extent[1] >= reference.extent[1]);
    require(covers, operation, diagonal_name<1>(k),
            "must have a block of " + std::to_string(size) + " x " + std::to_string(size) +
                " for each column of '" + std::string(reference_name) + "' (" +
                extents_of(reference) + ")",
            extents_of(of));
  }
}

/// @brief Calls f(integral_constant) for a size of blocks.
/// @tparam fixed the only one, or 0, as a View's static extent is where there is none
template <std::size_t fixed, class F>
void with_block_size(Index size, const F& f) {
  const auto call_if = [&]<int M>(std::integral_constant<int, M> of) {
    if constexpr (fixed == 0 || fixed == M)
      if (size == M) f(of);
  };
  call_if(std::integral_constant<int, 2>());
  call_if(std::integral_constant<int, 3>());
  call_if(std::integral_constant<int, 4>());
  call_if(std::integral_constant<int, 5>());
}

}  // namespace wavescan::Impl::columns

#endif
