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
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Arguments of tridiagonal systems: checks, and what kernels are given in place of Views.

namespace wavescan::Impl::columns {

/// @brief Options as they are, or those of scans.
inline const TridiagonalOptions& options_of(std::string_view, const TridiagonalOptions& options) {
  return options;
}
inline TridiagonalOptions options_of(std::string_view operation, const ScanOptions<>& options) {
  require(!options.is_reverse(), operation, "options",
          "must not be reverse: a system has no direction", "reverse");
  return TridiagonalOptions().axis(options.axis()).label(options.label());
}
template <class Options>
inline constexpr bool are_options =
    std::same_as<Options, TridiagonalOptions> || std::same_as<Options, ScanOptions<>>;

/// @brief Whether a View is of T, and of a rank that a diagonal may have beside systems of `rank`:
/// a number for each row of each system, for each row, or one.
template <class V, class T, int rank>
inline constexpr bool is_diagonal =
    std::same_as<typename V::non_const_value_type, T>&& V::rank() <= rank &&
    (V::rank() > 0 || std::floating_point<T>);

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

/// @brief Requires a diagonal to cover systems of these extents.
/// @param reference that all systems have: their right-hand sides
inline void require_covers(std::string_view operation, std::string_view name,
                           const Footprint& diagonal, const Footprint& reference,
                           const LineExtents& extents, std::string_view reference_name = "right") {
  if (diagonal.rank == reference.rank)
    return require_extents_of(operation, name, diagonal, reference_name, reference);
  if (diagonal.rank == 1 && diagonal.extent[0] < extents.length)
    reject(operation, name,
           "must have at least as many entries as systems have unknowns (" +
               std::to_string(extents.length) + ")",
           std::to_string(diagonal.extent[0]));
}

}  // namespace wavescan::Impl::columns

#endif
