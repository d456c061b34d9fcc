// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_WORKSPACE_HPP
#define WAVESCAN_IMPL_SOR_GPU_WORKSPACE_HPP

#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/gpu/WaveScan_Pass.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wavescan::Impl::sor {

/// @brief Device memory of passes over arrays of one size.
template <class V>
struct GpuWorkspace {
  Kokkos::View<PassState, Kokkos::CudaSpace> state;
  Kokkos::View<ResidualSum*, Kokkos::CudaSpace> measured;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> messages;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> checks;

  GpuWorkspace() = default;
  GpuWorkspace(const Kokkos::Cuda& exec, Index rows, Index columns, std::size_t message_words,
               std::size_t check_words, int multiprocessors)
      : state(Kokkos::view_alloc(exec, "WaveScan::sor::state")),
        measured(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::measured"),
                 1 + static_cast<std::size_t>(multiprocessors) * PassShape<V, 1, false>::max_warps),
        messages(Kokkos::view_alloc(exec, "WaveScan::sor::messages"), message_words),
        checks(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::checks"),
               check_words),
        second_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::second"),
                static_cast<std::size_t>(
                    std::max(max_pitch(columns) * rows, max_pitch(rows) * columns) + spread)) {
    exec.fence("WaveScan::sor: the state is cleared");
  }

  /// @brief An array like x, with rows as far off alignment as x's are.
  Grid<V> second_array(const Grid<V>& x) const {
    const Grid<V> memory = x.column_stride < 0 ? reversed(x) : x;
    const Index unit = unit_of(memory.columns);
    const Index pitch = (memory.columns + unit - 1) / unit * unit + memory.row_stride % unit;
    const auto shift = reinterpret_cast<std::uintptr_t>(memory.data) / sizeof(V) % spread;
    const Grid<V> grid{second_.data() + shift, x.rows, x.columns, pitch, 1};
    return x.column_stride < 0 ? reversed(grid) : grid;
  }

 private:
  /// Arrays with the same residues by this begin at the same places between alignments.
  static constexpr Index spread = 32;
  /// @brief Arrays whose pitches have the same residue by this have rows at the same places between
  /// alignments: of cache lines, or of 16 bytes where lines would waste much.
  static Index unit_of(Index columns) {
    return columns < 2 * spread ? 16 / static_cast<Index>(sizeof(V)) : spread;
  }
  static Index max_pitch(Index columns) { return columns + 2 * unit_of(columns); }

  Kokkos::View<V*, Kokkos::CudaSpace> second_;
};

}  // namespace wavescan::Impl::sor

#endif
