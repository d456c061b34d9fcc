// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_GPUPASS_HPP
#define WAVESCAN_IMPL_SOR_GPU_GPUPASS_HPP

#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/gpu/WaveScan_BandTiles.hpp>
#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>
#include <impl/sor/gpu/WaveScan_PassSizes.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The data that the warps of a pass share: its description, and the layout of shared
/// memory.

namespace wavescan::Impl::sor {

/// @brief The state that passes leave behind for each other, in device memory; zero at first.
struct PassState {
  gpu::LaunchEnd launch;
  unsigned failed;  ///< a block of the last pass did not begin as its neighbour ended
  unsigned redone;  ///< passes that were redone, ever
};

/// @brief A line between two groups of bands, above which the last row is kept.
struct KeptLine {
  int band;              ///< the first one below the line; 0: there is none
  std::uint32_t* words;  ///< (column block, step, word)
};

/// @brief Some sweeps in one go through memory: from one array to another or in place.
template <class V>
struct GpuPass {
  BandTiles<V> old_values;
  BandTiles<V> rhs;
  BandTiles<V> results;  ///< without the rows of the halo, which is not ours
  /// For the old values of passes after the first.
  gpu::TileMap values_between[gpu::max_tile_classes];
  Grid<V> out;
  Grid<const V> halo;  ///< what the check copies to that of `out`; without data: nothing
  SORCoefficients<V> coefficients;
  Decomposition decomp;
  int last_sweeps;  ///< that the last pass does, at most its depth
  int rhs_pitch;    ///< bytes of a row of a tile of the right-hand side
  int slot_bytes;   ///< of a band's tiles
  bool has_rhs;
  bool has_mask;
  bool from_zero;  ///< old values are zero where a tile has unknowns only, whatever is in memory
  bool only_if_failed;

  PassState* state;
  gpu::TaggedWord* messages;      ///< (pass, block, place, step, word): the groups' last rows
  gpu::TaggedWord* stored_tiles;  ///< (pass, band): how many are in memory
  V* left_checks;                 ///< (block, sweep, band, lane): values left of the owned columns
  V* right_checks;                ///< (likewise): those in a block's last owned column
  std::uint32_t* top_checks;      ///< (block, step, word): the row above the owned bands
  std::uint32_t* bottom_checks;   ///< (likewise): the last row of the last band
  KeptLine lines[2];              ///< for those who share the grid with other devices
  ResidualSum* measured;          ///< by the last sweep, then (block of threads, warp): its parts
  SORCoefficients<double> equation;  ///< whose residuals are measured
  gpu::Watchdog watchdog;
};

/// @brief The sizes of a kernel for values of type V and T sweeps.
template <class V, int T>
inline constexpr PassSizes pass_sizes{sizeof(V), T};

/// @brief The constants of a kernel for values of type V, T sweeps and one order of operations.
/// @tparam Masked   whether the right-hand side may tell that points are fixed, see FixedPointCode
/// @tparam Measurement what is added up; for residuals the last of the T sweeps changes nothing
template <class V, int T, bool Transposed, bool Masked = false,
          Measurement Measured = Measurement::Nothing>
struct PassShape {
  using value_type = V;
  static constexpr int sweeps = T;
  static constexpr int relaxing = Measured == Measurement::Residuals ? T - 1 : T;
  /// The grid is transposed: the operations keep the order of the grid that was given.
  static constexpr bool transposed = Transposed;
  static constexpr bool masked = Masked;
  static constexpr Measurement measured = Measured;
  /// Steps of which nothing counts have code of their own. Where passes follow each other both are
  /// in use at once, and for many sweeps too long for the instruction cache.
  static constexpr bool skips_uncounted = Measured == Measurement::Residuals || T <= 4;
  /// The simplest of the shapes that have the same layout of what is checked.
  using plain = PassShape<V, T, false>;

  static constexpr int row_bytes = pass_sizes<V, T>.row_bytes;
  static constexpr int chunk = pass_sizes<V, T>.chunk;
  static constexpr int x_bytes = pass_sizes<V, T>.x_bytes;
  static constexpr bool rhs_like_results = pass_sizes<V, T>.rhs_like_results;
  static constexpr int stride = pass_sizes<V, T>.stride;
  static constexpr int ring = pass_sizes<V, T>.ring;
  static constexpr int all_warps = pass_sizes<V, T>.all_warps;

  /// @brief Columns of tiles by which these are waited for before a lane needs them.
  KOKKOS_FUNCTION static constexpr int ahead(const TileSkew& skew) {
    return (skew.ahead() + stride - 1) / stride * stride;
  }
  /// Steps that are unrolled: the code of all warps of a multiprocessor shares its instruction
  /// cache.
  static constexpr int unrolled =
      relaxing == 4 ? 2 : (relaxing == 8 ? 2 : 4) * static_cast<int>(sizeof(V) / 4);
  /// Words of a step of the last row: sweeps 0 to T.
  static constexpr int words = (T + 1) * static_cast<int>(sizeof(V) / 4);

  struct alignas(pass_sizes<V, T>.last_row_alignment) LastRow {
    V value[T + 1];
  };
  static_assert(sizeof(LastRow) == pass_sizes<V, T>.last_row_bytes);

  /// Each band has a warp of its own that copies.
  static constexpr bool has_copiers = 2 * pass_sizes<V, T>.max_warps + 2 <= all_warps;
  /// All threads of that warp copy, or only store results; if not, the copy engine does.
  static constexpr bool loads_as_warp = gpu::mover != gpu::Mover::Bulk;
  static constexpr bool stores_as_warp = loads_as_warp || (T == 1 && sizeof(V) == 4);
  static_assert(has_copiers || !stores_as_warp);
};

/// @brief The shape of a pass of so many sweeps that relax.
template <class V, int Relaxing, bool Transposed, bool Masked, Measurement Measured>
using MeasuringShape = PassShape<V, sweeps_of(Relaxing, Measured), Transposed, Masked, Measured>;

/// @brief The layout of shared memory.
template <class Shape>
struct PassMemory {
  using LastRow = typename Shape::LastRow;

  std::uint32_t slots;  ///< address
  std::uint32_t rings;  ///< address
  gpu::Barrier* full;   ///< (band, slot)
  gpu::Barrier* done;   ///< (band, slot)
  /// Steps done by: the importer, each band, the exporter. Between groups side by side, which need
  /// nothing from each other, stands one that keeps nobody waiting.
  ProgressFlag* progress;
  const Decomposition& decomp;
  int slot_bytes;

  __device__ PassMemory(unsigned char* memory, const Decomposition& given, int bytes)
      : decomp(given), slot_bytes(bytes) {
    const std::uint32_t start = gpu::shared_address(memory);
    unsigned char* next = memory + (128 - start % 128) % 128;
    const int all = decomp.warps * decomp.slots;
    slots = gpu::shared_address(next);
    next += static_cast<std::size_t>(all) * slot_bytes;
    rings = gpu::shared_address(next);
    next += static_cast<std::size_t>((decomp.warps + 1) * Shape::ring) * sizeof(LastRow);
    full = reinterpret_cast<gpu::Barrier*>(next);
    done = full + all;
    progress = reinterpret_cast<ProgressFlag*>(done + all);
  }

  __device__ ProgressFlag* progress_of(const WarpPlace& place) const {
    return progress + place.beside * (decomp.stack + 1) + place.level + 1;
  }
  __device__ ProgressFlag& progress_of_exporter() const {
    return progress[decomp.beside * (decomp.stack + 1)];
  }
  __device__ std::uint32_t slot(int band, int index) const {
    return slots + static_cast<std::uint32_t>((band * decomp.slots + index) * slot_bytes);
  }
  /// @brief The ring through which the row above `band` comes in.
  __device__ std::uint32_t ring(int band) const {
    return rings + static_cast<std::uint32_t>(band * Shape::ring) * sizeof(LastRow);
  }
};

/// @brief Calls function(ticket, time) for the tickets of this block of threads; `time` counts the
/// steps before.
template <class Function>
__device__ void for_each_ticket(const Decomposition& decomp, const Function& function) {
  int time = 0;
  for (int index = static_cast<int>(blockIdx.x); index < decomp.tickets();
       index += static_cast<int>(gridDim.x)) {
    const Ticket ticket = decomp.ticket(index);
    if (ticket.group >= decomp.groups_of(ticket.row_block)) continue;
    function(ticket, time);
    time += decomp.steps();
  }
}

}  // namespace wavescan::Impl::sor

#endif
