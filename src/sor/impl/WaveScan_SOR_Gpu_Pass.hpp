// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PASS_HPP
#define WAVESCAN_IMPL_SOR_GPU_PASS_HPP

#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Rings.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_SOR_Gpu_Cut.hpp>
#include <impl/WaveScan_SOR_Gpu_Tiles.hpp>
#include <impl/WaveScan_SOR_Sum.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief What the warps of a pass share: its description, and the layout of shared memory.

namespace wavescan::Impl {

/// @brief How many steps a warp has done. Bands hand on steps by multiples of eight.
///
/// Waits at barriers in shared memory were tried instead: they take hundreds of cycles.
using SORFlag = gpu::BlockFlag<gpu::FlagOrder::ReleaseAcquire, 8>;

/// @brief What passes leave behind for each other, in device memory.
struct SORGpuState {
  unsigned tag;      ///< greater than all tags used so far
  unsigned failed;   ///< a seam of the last pass did not fit
  unsigned redone;   ///< passes that were redone, ever
  unsigned arrived;  ///< blocks of threads at the end of a pass
};

/// @brief Some sweeps, fused: from one array to another or in place.
template <class V>
struct SORPass {
  SORBandTiles<V> old_values;
  SORBandTiles<V> rhs;
  SORBandTiles<V> results;  ///< without the rows of the halo, which is not ours
  /// For the old values of passes after the first.
  CUtensorMap values_between[gpu::most_tile_classes];
  Grid<V> out;
  SORCoefficients<V> coefficients;
  SORCut cut;
  int last_sweeps;  ///< that the last pass does, at most those that are fused
  int rhs_pitch;    ///< bytes of a row of a tile of the right-hand side
  int slot_bytes;   ///< of a band's tiles
  bool has_rhs;
  bool has_marks;
  bool only_if_failed;

  SORGpuState* state;
  gpu::TaggedWord* packets;       ///< (pass, block, place, step, word): the groups' last rows
  gpu::TaggedWord* stored_tiles;  ///< (pass, band): how many are in memory
  V* left_seams;                  ///< (block, sweep, band, lane): values left of the owned columns
  V* right_seams;                 ///< the same in a block's last owned column
  std::uint32_t* top_seams;       ///< (block, step, word): the row above the owned bands
  std::uint32_t* bottom_seams;    ///< the same of the last band
  ResidualSum* measured;          ///< by the last sweep, then (block of threads, warp): its parts
  SORCoefficients<double> equation;  ///< whose residuals are measured
  gpu::Watchdog watchdog;
};

/// @brief How the rows of a right-hand side lie in memory.
struct SORRhsRows {
  int class_bits = gpu::most_tile_class_bits;  ///< binary logarithm of the number of their classes
  bool aligned = false;                        ///< no row has a lead

  bool operator==(const SORRhsRows&) const = default;
};

/// @brief What a pass adds up besides relaxing.
///
/// Updates are known where they are made. A residual needs the same neighbours as one more sweep:
/// so it comes out of a further sweep that changes nothing, and is as sure as its values are.
enum class SORMeasured { Nothing, Updates, Residuals };

/// @brief How many sweeps are fused if so many of them relax.
constexpr int sor_sweeps_of(int relaxing, SORMeasured measured) {
  return relaxing + (measured == SORMeasured::Residuals ? 1 : 0);
}

/// @brief The constants of a kernel for values of type V, T sweeps and one order of operations.
/// @tparam Marked   whether the right-hand side may tell that points are fixed, see SORMark
/// @tparam Measured what is added up; for residuals the last of the T sweeps changes nothing
template <class V, int T, bool Transposed, bool Marked = false,
          SORMeasured Measured = SORMeasured::Nothing>
struct SORShape {
  using value_type = V;
  static constexpr int sweeps = T;
  static constexpr int relaxing = Measured == SORMeasured::Residuals ? T - 1 : T;
  /// The grid is transposed: the operations keep the order of the grid that was given.
  static constexpr bool transposed = Transposed;
  static constexpr bool marked = Marked;
  static constexpr SORMeasured measured = Measured;
  /// Steps of which nothing counts have code of their own. Where passes follow each other both are
  /// in use at once, and for many sweeps too long for the instruction cache.
  static constexpr bool skips_uncounted = Measured == SORMeasured::Residuals || T <= 4;
  /// Lays out seams alike.
  using plain = SORShape<V, T, false>;

  /// Bytes of a tile's row. Copies limit single sweeps, and memory is faster with 256 bytes of a
  /// row at a time; but of floats that would be too many columns for several slots.
  static constexpr int row_bytes = T == 1 && sizeof(V) == 8 ? 256 : 128;
  static constexpr int chunk = row_bytes / static_cast<int>(sizeof(V));
  /// Rows of the right-hand side above the band, for the later sweeps.
  KOKKOS_FUNCTION static constexpr int rhs_rows_above(int class_bits) {
    return ((T - 1) | ((1 << class_bits) - 1)) + 1;
  }
  KOKKOS_FUNCTION static constexpr int rhs_rows(int class_bits) {
    return SORCut::band_rows + rhs_rows_above(class_bits);
  }
  static constexpr int x_bytes = SORCut::band_rows * row_bytes;
  /// A single sweep needs the rows of the right-hand side of which it has results. Several sweeps
  /// need more, and meet in its columns at different steps.
  static constexpr bool rhs_like_results = T == 1;

  /// @brief Bytes of a tile's row of the right-hand side: more if rows have leads, and then such
  /// that few lanes meet in a bank.
  static constexpr int rhs_pitch(const SORRhsRows& rows) {
    return row_bytes + (rows.aligned ? 0 : rows.class_bits < gpu::most_tile_class_bits ? 16 : 32);
  }
  KOKKOS_FUNCTION static constexpr int rhs_tile_bytes(int class_bits, int pitch) {
    return ((rhs_rows(class_bits) >> class_bits) * pitch + 127) & -128;
  }
  static constexpr int slot_bytes(const SORRhsRows& rows) {
    return rhs_like_results
               ? 2 * x_bytes
               : x_bytes + (rhs_tile_bytes(rows.class_bits, rhs_pitch(rows)) << rows.class_bits);
  }

  /// Steps between two hand-overs. Many cost less time; few let the next band begin earlier, and
  /// need less shared memory.
  static constexpr int stride = sizeof(V) == 8 ? 8 : T >= 8 ? 16 : 32;
  /// Steps that a ring keeps of a band's last row. A band runs between stride + 32 and ring + 32 -
  /// 2 stride steps behind the one above: the wider this is, the less do warps wait.
  static constexpr int ring = sizeof(V) == 4 && T < 8 ? 128 : 64;
  /// Steps that are unrolled: the code of all warps of a multiprocessor shares its instruction
  /// cache.
  static constexpr int unrolled =
      relaxing == 4 ? 2 : (relaxing == 8 ? 2 : 4) * static_cast<int>(sizeof(V) / 4);
  /// Words of a step of the last row: sweeps 0 to T.
  static constexpr int words = (T + 1) * static_cast<int>(sizeof(V) / 4);

  struct alignas(T == 1 && sizeof(V) == 4 ? 8 : 16) LastRow {
    V value[T + 1];
  };

  /// @brief Slots without which a warp would wait for itself.
  static constexpr int fewest_slots(const SORLags& lags) {
    const int lag = lags.run > 0 ? 0 : lags.most_read();
    return 1 + (chunk + ahead(lags) + lags.behind(T) + T + stride + lag) / chunk;
  }
  /// @brief Columns of tiles by which these are waited for before a lane needs them.
  KOKKOS_FUNCTION static constexpr int ahead(const SORLags& lags) {
    return (lags.ahead() + stride - 1) / stride * stride;
  }

  static constexpr std::size_t shared_bytes(int warps, int slots, int bytes_of_slot) {
    return static_cast<std::size_t>(warps * slots) * (bytes_of_slot + 2 * sizeof(gpu::Barrier)) +
           static_cast<std::size_t>((warps + 1) * ring) * sizeof(LastRow) +
           static_cast<std::size_t>(2 * warps + 1) * sizeof(SORFlag) + 128;
  }
  /// Warps of a block of threads, whose number of registers allows for so many.
  static constexpr int all_warps = T * sizeof(V) > 40 ? 8 : T * sizeof(V) > 20 ? 12 : 14;
  static constexpr int most_warps = T * sizeof(V) > 32 ? 4 : 6;
  /// Each band has a warp of its own that copies.
  static constexpr bool has_copiers = 2 * most_warps + 2 <= all_warps;
  /// All threads of that warp store results, instead of the copy engine.
  static constexpr bool stores_as_warp = T == 1 && sizeof(V) == 4;
  static_assert(has_copiers || !stores_as_warp);
  /// @brief Warps that copy: one for each band, or a few that take longer.
  KOKKOS_FUNCTION static constexpr int copiers(int warps) {
    const int room = all_warps - 2 - warps;
    return warps < room ? warps : room;
  }
  /// @brief Besides the warps that relax and copy there are two that hand rows on.
  static constexpr int threads(int warps) { return 32 * (warps + copiers(warps) + 2); }
};

/// @brief That of so many sweeps that relax.
template <class V, int Relaxing, bool Transposed, bool Marked, SORMeasured Measured>
using SORMeasuringShape =
    SORShape<V, sor_sweeps_of(Relaxing, Measured), Transposed, Marked, Measured>;

/// @brief Shared memory.
template <class Shape>
struct SORShared {
  using LastRow = typename Shape::LastRow;

  std::uint32_t slots;  ///< address
  std::uint32_t rings;  ///< address
  gpu::Barrier* full;   ///< (band, slot)
  gpu::Barrier* done;   ///< (band, slot)
  /// Steps done by: the importer, each band, the exporter. Between groups side by side, which need
  /// nothing from each other, stands one that keeps nobody waiting.
  SORFlag* progress;
  const SORCut& cut;
  int slot_bytes;

  __device__ SORShared(unsigned char* memory, const SORCut& given, int bytes)
      : cut(given), slot_bytes(bytes) {
    const std::uint32_t start = gpu::shared_address(memory);
    unsigned char* next = memory + (128 - start % 128) % 128;
    const int all = cut.warps * cut.slots;
    slots = gpu::shared_address(next);
    next += static_cast<std::size_t>(all) * slot_bytes;
    rings = gpu::shared_address(next);
    next += static_cast<std::size_t>((cut.warps + 1) * Shape::ring) * sizeof(LastRow);
    full = reinterpret_cast<gpu::Barrier*>(next);
    done = full + all;
    progress = reinterpret_cast<SORFlag*>(done + all);
  }

  __device__ SORFlag* progress_of(const SORPlace& place) const {
    return progress + place.beside * (cut.stack + 1) + place.level + 1;
  }
  __device__ SORFlag& progress_of_exporter() const {
    return progress[cut.beside * (cut.stack + 1)];
  }
  __device__ std::uint32_t slot(int band, int index) const {
    return slots + static_cast<std::uint32_t>((band * cut.slots + index) * slot_bytes);
  }
  /// @brief Where the row above `band` comes in.
  __device__ std::uint32_t ring(int band) const {
    return rings + static_cast<std::uint32_t>(band * Shape::ring) * sizeof(LastRow);
  }
};

/// @brief Counts slots round and round, with the parity of the rounds.
struct SORSlotCounter {
  int index = 0;
  unsigned parity = 0;
  __device__ void advance(int slots) {
    if (++index == slots) {
      index = 0;
      parity ^= 1;
    }
  }
};

/// @brief Lets a warp wait until the flag of another warp of the block is at least `value`; returns
/// the flag. Who waits for other blocks gives up if nothing comes, so this wait ends.
///
/// What decides about branches comes from one lane, here and elsewhere: the compiler then knows
/// that the warp stays together, and shuffles cost what they should.
__device__ inline int wait_for(const SORFlag& flag, int value) {
  int found;
  while ((found = gpu::broadcast(flag.look(), 0)) - value < 0) nap(20);
  gpu::sync_warp();
  flag.rely_on(value);
  return found;
}

/// @brief The same, with what has been seen of the flag before, and perhaps suffices.
__device__ inline void wait_for(const SORFlag& flag, int value, int& seen) {
  if (seen - value < 0)
    seen = wait_for(flag, value);
  else
    flag.rely_on(value);
}

/// @brief Calls function(ticket, time) for the tickets of this block of threads; `time` counts the
/// steps before.
template <class Function>
__device__ void for_each_ticket(const SORCut& cut, const Function& function) {
  int time = 0;
  for (int index = static_cast<int>(blockIdx.x); index < cut.tickets();
       index += static_cast<int>(gridDim.x)) {
    const SORTicket ticket = cut.ticket(index);
    if (ticket.group >= cut.groups_of(ticket.row_block)) continue;
    function(ticket, time);
    time += cut.steps();
  }
}

}  // namespace wavescan::Impl

#endif
