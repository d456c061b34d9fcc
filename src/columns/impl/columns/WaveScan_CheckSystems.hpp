// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_CHECKSYSTEMS_HPP
#define WAVESCAN_IMPL_COLUMNS_CHECKSYSTEMS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/columns/WaveScan_Systems.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Arguments of systems: checks, and what kernels are given in place of Views.

namespace wavescan::Impl::columns {

/// @brief Options as they are, or those of scans.
inline const TridiagonalOptions& options_of(std::string_view, const TridiagonalOptions& options) {
  return options;
}
inline TridiagonalOptions options_of(std::string_view operation, const ScanOptions<>& options) {
  require(!options.is_reverse(), operation, "options",
          "must not be reverse: a system has no direction", "reverse");
  return {.axis = options.axis(), .label = options.label()};
}
template <class Options>
inline constexpr bool are_options =
    std::same_as<Options, TridiagonalOptions> || std::same_as<Options, ScanOptions<>>;

/// @brief Whether Views are of T, and of ranks that diagonals may have beside systems of `rank`: a
/// number for each row of each system, for each row, or one.
template <class T, int rank, class... V>
inline constexpr bool are_diagonals = ((std::same_as<typename V::non_const_value_type, T> &&
                                        static_cast<int>(V::rank()) <= rank) &&
                                       ...);

/// @brief The name of a diagonal of a band matrix in errors.
template <int M>
std::string_view diagonal_name(int number) {
  constexpr std::string_view names[] = {"lower2", "lower", "diagonal", "upper", "upper2"};
  return names[number + 2 - M];
}

/// @brief A diagonal that lies as systems do, or is the same for all of them.
template <class V>
auto diagonal_lines(const V& view, int along) {
  using T = std::remove_const_t<typename V::value_type>;
  if constexpr (V::rank() == 0) {
    return Lines<const T>{view.data(), 0, 0};
  } else {
    const auto lines = lines_of(view, V::rank() == 1 ? 0 : along);
    return Lines<const T>{lines.data, lines.line_stride, lines.stride};
  }
}

/// @brief Requires diagonals to cover systems of these extents.
/// @param reference that all systems have: their right-hand sides
template <int M>
void require_cover(std::string_view operation, const Footprint (&diagonals)[2 * M + 1],
                   const Footprint& reference, const LineExtents& extents,
                   std::string_view reference_name = "right") {
  for (int k = 0; k <= 2 * M; ++k) {
    const Footprint& diagonal = diagonals[k];
    const std::string_view name = diagonal_name<M>(k);
    if (diagonal.rank == reference.rank)
      require_extents_of(operation, name, diagonal, reference_name, reference);
    else if (diagonal.rank == 1 && diagonal.extent[0] < extents.length)
      reject(operation, name,
             "must have at least as many entries as systems have unknowns (" +
                 std::to_string(extents.length) + ")",
             std::to_string(diagonal.extent[0]));
  }
}

/// @brief Matrices of Views that have been checked, the farthest diagonal below the middle first.
template <class T, class... Diagonals>
auto matrices_of(int along, Index length, const TridiagonalOptions& options,
                 const Diagonals&... diagonals) {
  constexpr int M = static_cast<int>(sizeof...(Diagonals)) / 2;
  const Lines<const T> lines[] = {diagonal_lines(diagonals, along)...};
  return make_matrices<T, M>(lines, length, options.cyclic, options.transposed);
}

}  // namespace wavescan::Impl::columns

#endif
