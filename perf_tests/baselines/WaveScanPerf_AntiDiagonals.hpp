// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ANTIDIAGONALS_HPP
#define WAVESCAN_PERF_ANTIDIAGONALS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <baselines/WaveScanPerf_Bands.hpp>
#include <cstddef>
#include <impl/WaveScan_Execution.hpp>

/// @file
/// @brief The anti-diagonal-major layout of Hou et al., figure 3: bands of h rows, and in a band of
/// n columns n + h - 1 anti-diagonals of h entries each. Entries before a row's begin and behind
/// its end are padding.

namespace wavescan::Perf {

/// @brief An array in that layout. It does not own its memory.
template <class T>
struct AntiDiagonals {
  T* data;
  Index rows, columns;
  Index height;  ///< h

  KOKKOS_FUNCTION Index bands() const { return Impl::ceil_div(rows, height); }
  /// @brief Anti-diagonals of a band.
  KOKKOS_FUNCTION Index diagonals() const { return columns + height - 1; }
  KOKKOS_FUNCTION Index size() const { return bands() * diagonals() * height; }
  /// @brief The h entries of an anti-diagonal: entry r is (band * h + r, diagonal - r).
  KOKKOS_FORCEINLINE_FUNCTION T* diagonal(Index band, Index diagonal) const {
    return data + (band * diagonals() + diagonal) * height;
  }
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index i, Index j) const {
    const Index r = i % height;
    return diagonal(i / height, j + r)[r];
  }
};

/// @brief Copies an array between the layouts through scratch memory, so that both are accessed in
/// runs of consecutive addresses. A team takes some anti-diagonals of a band.
template <class Exec, class T, bool Back>
struct ChangeLayout {
  using team_type = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int width = 32;  ///< anti-diagonals at a time
  static constexpr int pitch =
      width + 1;  ///< odd: columns of scratch memory lie in different banks

  Grid<T> grid;
  AntiDiagonals<T> diagonals;
  Index pieces;  ///< of a band

  /// @brief An entry of an array, if there is one, and its place in scratch memory.
  struct Entry {
    T* entry;
    int place;
  };

  KOKKOS_FUNCTION void operator()(const team_type& team) const {
    const int h = static_cast<int>(diagonals.height);
    const Index band = team.league_rank() / pieces;
    const Index first = team.league_rank() % pieces * width;
    T* const scratch = scratch_for<T>(team, h * pitch);
    const auto by_rows = [&](int k) -> Entry {
      const int r = k / width, d = k % width;
      const Index i = band * h + r, j = first + d - r;
      const bool exists = i < grid.rows && j >= 0 && j < grid.columns;
      return {exists ? &grid(i, j) : nullptr, r * pitch + d};
    };
    const auto by_diagonals = [&](int k) -> Entry {
      const int r = k % h, d = k / h;
      const bool exists = first + d < diagonals.diagonals();
      return {exists ? diagonals.diagonal(band, first + d) + r : nullptr, r * pitch + d};
    };
    const auto copy = [&](const auto& from, const auto& to) {
      const int rank = team.team_rank(), size = team.team_size();
      copy_overlapped(
          rank, h * width, size,
          [&](int k) {
            const Entry source = from(k);
            return source.entry != nullptr ? *source.entry : T{};
          },
          [&](int k, const T& value) { scratch[from(k).place] = value; });
      team.team_barrier();
      for (int k = rank; k < h * width; k += size) {
        const Entry target = to(k);
        if (target.entry != nullptr) *target.entry = scratch[target.place];
      }
    };
    if constexpr (Back)
      copy(by_diagonals, by_rows);
    else
      copy(by_rows, by_diagonals);
  }
};

template <bool Back, ExecutionSpace Exec, class T>
void change_layout(const Exec& exec, const Grid<T>& grid, const AntiDiagonals<T>& diagonals) {
  using Kernel = ChangeLayout<Exec, T, Back>;
  const Kernel kernel{grid, diagonals, Impl::ceil_div(diagonals.diagonals(), Kernel::width)};
  const auto scratch = static_cast<std::size_t>(diagonals.height * Kernel::pitch) * sizeof(T);
  Kokkos::parallel_for(
      Back ? "from_diagonals" : "to_diagonals",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(diagonals.bands() * kernel.pieces),
                               Impl::runs_on_host<Exec> ? 1 : 256)
          .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch + alignof(T)))),
      kernel);
}

}  // namespace wavescan::Perf

#endif
