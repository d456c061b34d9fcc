// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_SOLVEBANDS_HPP
#define WAVESCAN_IMPL_COLUMNS_SOLVEBANDS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/columns/WaveScan_CheckSystems.hpp>
#include <impl/columns/WaveScan_Refinement.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace wavescan::Impl::columns {

/// @brief Checks the arguments of `tridiagonal_solve` and `pentadiagonal_solve`, and solves.
/// @param diagonals the farthest one below the middle first
template <ExecutionSpace Exec, class Options, AnyView D, AnyView X, AnyView... Diagonals>
void solve_bands(const Exec& exec, std::string_view operation, const Options& given, const D& right,
                 const X& x, const Diagonals&... diagonals) {
  static_assert(are_options<Options>,
                "WaveScan: options are TridiagonalOptions, or ScanOptions() with an axis or a "
                "label, as in ScanOptions().axis(0); systems have no carries");
  using T = typename X::value_type;
  constexpr int rank = static_cast<int>(X::rank());
  constexpr int M = static_cast<int>(sizeof...(Diagonals)) / 2;
  static_assert(std::floating_point<T> && std::same_as<typename D::non_const_value_type, T> &&
                    are_diagonals<T, rank, Diagonals...>,
                "WaveScan: all Views must be of float, or all of double, and 'x' writable; "
                "diagonals have no larger rank than 'x'");
  static_assert(D::rank() == X::rank() && (rank == 1 || rank == 2),
                "WaveScan: 'right' and 'x' must be of rank 1, or both of rank 2");
  const TridiagonalOptions options = options_of(operation, given);
  const int along = checked_axis(operation, rank, options.axis);
  const Footprint rights = right, results = x, bands[] = {Footprint(diagonals)...};
  const LineExtents extents = line_extents(rights, along);
  require_cover<M>(operation, bands, rights, extents);
  require_extents_of(operation, "x", results, "right", rights);
  const Footprint written = results.within(rights);
  for (int k = 0; k <= 2 * M; ++k)
    require_disjoint(operation, diagonal_name<M>(k), bands[k], "x", written);
  require_same_or_disjoint(operation, "right", rights, "x", written);
  if (extents.lines == 0 || extents.length == 0) return;
  const auto all = lines_of(right, along);
  const Kokkos::Profiling::ScopedRegion region(
      options.label.empty() ? "WaveScan::" + std::string(operation) : options.label);
  solve_refined(exec,
                Systems<T, M>{matrices_of<T>(along, extents.length, options, diagonals...),
                              {all.data, all.line_stride, all.stride},
                              lines_of(x, along),
                              extents},
                options.refinements);
}

}  // namespace wavescan::Impl::columns

#endif
