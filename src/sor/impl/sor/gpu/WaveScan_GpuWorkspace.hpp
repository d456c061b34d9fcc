// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_GPUWORKSPACE_HPP
#define WAVESCAN_IMPL_SOR_GPU_GPUWORKSPACE_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace wavescan::Impl::sor {

/// @brief Device memory of passes over arrays of one size. All of it is words, for each type of a
/// View is compiled by itself.
template <class V>
class GpuWorkspace {
 public:
  GpuWorkspace() = default;
  GpuWorkspace(const Kokkos::Cuda& exec, Index rows, Index columns, std::size_t message_words,
               std::size_t check_words, int multiprocessors) {
    allocate_cleared(exec, cleared_, "WaveScan::sor::messages", state_words + message_words);
    allocate_words(exec, measured_, "WaveScan::sor::measured",
                   (1 + static_cast<std::size_t>(multiprocessors) * pass_sizes<V, 1>.max_warps) *
                       sizeof(ResidualSum));
    allocate_words(exec, checks_, "WaveScan::sor::checks", check_words * sizeof(gpu::TaggedWord));
    allocate_words(exec, second_, "WaveScan::sor::second",
                   static_cast<std::size_t>(
                       std::max(max_pitch(columns) * rows, max_pitch(rows) * columns) + spread) *
                       sizeof(V));
    exec.fence("WaveScan::sor: the state is cleared");
  }

  PassState* state() const { return reinterpret_cast<PassState*>(cleared_.data()); }
  gpu::TaggedWord* messages() const { return cleared_.data() + state_words; }
  ResidualSum* measured() const { return reinterpret_cast<ResidualSum*>(measured_.data()); }
  V* checks() const { return reinterpret_cast<V*>(checks_.data()); }

  /// @brief An array like x, with rows as far off alignment as x's are.
  Grid<V> second_array(const Grid<V>& x) const {
    const Grid<V> memory = x.column_stride < 0 ? reversed(x) : x;
    const Index unit = unit_of(memory.columns);
    const Index pitch = (memory.columns + unit - 1) / unit * unit + memory.row_stride % unit;
    const auto shift = reinterpret_cast<std::uintptr_t>(memory.data) / sizeof(V) % spread;
    const Grid<V> grid{reinterpret_cast<V*>(second_.data()) + shift, x.rows, x.columns, pitch, 1};
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

  using Words = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>;
  static constexpr std::size_t state_words = 16;  // a cache line
  static_assert(sizeof(PassState) <= state_words * sizeof(gpu::TaggedWord));
  static void allocate_words(const Kokkos::Cuda& exec, Words& words, const char* name,
                             std::size_t bytes) {
    allocate(exec, words, name, bytes / sizeof(gpu::TaggedWord) + 1);
  }

  Words cleared_;  ///< the state of passes, and their messages
  Words measured_;
  Words checks_;
  Words second_;
};

}  // namespace wavescan::Impl::sor

#endif
