// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_BLOCKBAND_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_BLOCKBAND_HPP

#include <WaveScan_SmallMatrices.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/block_sor/gpu/WaveScan_BandPoints.hpp>
#include <impl/block_sor/gpu/WaveScan_PackedBlocks.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief Bands of rows in a sweep of block SOR on a GPU, a warp for each.
///
/// In a step a lane computes a point of its row. The point above comes by a shuffle from the lane
/// above, which had it the step before; that on the left stays in registers. Blocks come to shared
/// memory some steps ahead, each lane's by itself. Rows that other warps compute come as tagged
/// words, which lanes look for some steps ahead: of the band above for the first lane, and of the
/// band in front, in three dimensions, for all lanes.
///
/// Why waits end: bands are drawn in an order in which a band comes after those that it needs.

namespace wavescan::Impl::block_sor {

/// @brief A warp that computes bands.
template <class T, int B, int Rank>
class RunBands {
 public:
  using Parameters = BandSweep<T, B, Rank>;
  static constexpr int block_threads = gpu::warp_size;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;
  static constexpr int units = Parameters::Neighbours::units + Parameters::Values::units;
  static constexpr int step_bytes = units * gpu::warp_size * static_cast<int>(sizeof(BlockUnit));
  /// Bytes that a block may have on every device, or on those that copy asynchronously.
  static constexpr int room = (compiled_capability >= 80 ? 96 : 48) * 1024;
  static constexpr int stages = std::min(8, room / step_bytes);
  static constexpr int shared_bytes = stages * step_bytes;
  static_assert(stages > 0);

  __device__ RunBands(const Parameters& sweep, char* memory)
      : sweep_(sweep),
        queue_(sweep.queue),
        mine_(reinterpret_cast<BlockUnit*>(memory) + gpu::lane()) {}

  __device__ void run() {
    const BandOrder order = {sweep_.layout.planes, sweep_.layout.bands()};
    for (Index ticket = queue_.draw(); ticket < order.tickets(); ticket = queue_.draw())
      if (const auto band = order.of(ticket); band.exists && !run(band_of(band.plane, band.band)))
        break;
    gpu::wait_for_async_copies<0>();
    if (gpu::lane() == 0) queue_.leave(sweep_.tags());
  }

 private:
  using Vector = typename Parameters::Vector;
  using Words = typename Parameters::Words;
  static constexpr bool planes = Parameters::planes;
  static constexpr int lanes = gpu::warp_size;
  /// Steps by which lanes look for words ahead, as far as there are registers.
  static constexpr int ahead = Words::words * (planes ? 2 : 1) <= 12 ? 4 : 2;

  /// @brief A band, as one of its lanes sees it. In each step all pointers but the last one go on
  /// by what a step takes.
  struct Band {
    int steps, columns;
    bool has_row, first_plane;
    bool takes_row, hands_row;      ///< to and from other warps
    bool takes_plane, hands_plane;  ///< the same
    std::uint32_t row_tag, plane_tag;
    const BlockUnit* blocks;
    Index step_of_blocks;
    BlockUnit* values;
    gpu::TaggedWord *row_above, *row_below;  ///< of column 0
    gpu::TaggedWord *plane_in_front, *plane_behind;
    Vector left;  ///< of column 0
  };
  /// @brief Words that a lane looks for.
  struct Coming {
    typename Words::Found above;
    std::conditional_t<planes, typename Words::Found, char> front;
  };

  __device__ Band band_of(Index k, Index number) const {
    const BandLayout& layout = sweep_.layout;
    const int lane = gpu::lane();
    const Index row = sweep_.row(number, lane),
                step = (k * layout.bands() + number) * layout.steps();
    Band band;
    band.steps = static_cast<int>(layout.steps());
    band.columns = static_cast<int>(layout.columns);
    band.has_row = sweep_.has_row(row);
    band.first_plane = k == 0;
    band.takes_row = band.has_row && lane == sweep_.first_lane(number);
    band.hands_row = lane == lanes - 1 && number + 1 < layout.bands();
    band.takes_plane = planes && band.has_row && k > 0;
    band.hands_plane = planes && k + 1 < layout.planes;
    band.row_tag = queue_.tag();
    band.plane_tag = queue_.tag(static_cast<std::uint32_t>(k));
    band.blocks = sweep_.before.at(sweep_.place(step), sweep_.lane_in_place(lane));
    band.step_of_blocks = (sweep_.backward ? -1 : 1) * Parameters::Neighbours::units * lanes;
    band.values = sweep_.values.at(step, lane);
    band.row_above = sweep_.row_words(k, number, 0);
    band.row_below = sweep_.row_words(k, number + 1, 0);
    band.plane_in_front = sweep_.band_words(k + 1, number, 0, lane);
    band.plane_behind = sweep_.band_words(k, number, 0, lane);
    band.left = band.has_row ? point_of(sweep_.x, k, row, -1) : Vector{};
    return band;
  }

  /// @brief Computes a band; false if the launch is stuck.
  __device__ bool run(const Band& band) {
    Vector left = band.left;
    for (int s = 0; s < stages; ++s) fetch(band, s);
    Coming coming[ahead];
#pragma unroll
    for (int s = 0; s < ahead; ++s) look(band, s, coming[s]);
    std::uint32_t last_heartbeat = 0;
    for (int s = 0; s < band.steps; s += ahead) {  // in steps after the last one no lane is there
#pragma unroll
      for (int more = 0; more < ahead; ++more)
        if (!step(band, s + more, more, coming, left)) return false;
      if (s % 64 == 0) queue_.heartbeat(last_heartbeat);
    }
    return true;
  }

  /// @brief Computes step s; false if the launch is stuck. What takes long comes first.
  /// @param turn of the step, which tells the compiler what lies in which registers
  __device__ __forceinline__ bool step(const Band& band, int s, int turn, Coming (&coming)[ahead],
                                       Vector& left) {
    gpu::wait_for_async_copies<stages - 1>();
    const BlockUnit* const from = slot(s);
    Vector sum = Parameters::value(from);
    const auto blocks = Parameters::Neighbours::load(from + Parameters::Values::units * lanes);
    Vector above = gpu::shuffle_up(left, 1);
    if (!await(band, s, turn, coming)) return false;
    if (band.takes_row) above = coming[turn].above.value();
    Vector front{};
    if constexpr (planes) front = coming[turn].front.value();
    look(band, s + ahead, coming[turn]);
    fetch(band, s + stages);
    const AffineMaps<T, B> maps;
    if constexpr (planes)
      if (!band.first_plane) sum = maps.advance(front, block_of<T, B>(blocks.number, 2), sum);
    sum = maps.advance(above, block_of<T, B>(blocks.number, 1), sum);
    sum = maps.advance(left, block_of<T, B>(blocks.number, 0), sum);
    if (!is_here(band, s)) return true;
    left = sum;
    if (band.hands_row)
      Words::publish(band.row_below + Index(s - gpu::lane()) * Words::words, sum, band.row_tag);
    if constexpr (planes)
      if (band.hands_plane)
        Words::publish(band.plane_behind + Index(s) * (lanes * Words::words), sum, band.plane_tag);
    Parameters::set_value(band.values + Index(s) * (Parameters::Values::units * lanes), sum);
    return true;
  }

  __device__ __forceinline__ bool is_here(const Band& band, int s) const {
    const int j = s - gpu::lane();
    return band.has_row && j >= 0 && j < band.columns;
  }
  __device__ __forceinline__ BlockUnit* slot(int s) const {
    return mine_ + static_cast<unsigned>(s) % stages * (units * lanes);
  }

  /// @brief Starts to copy what step s of the band needs.
  __device__ __forceinline__ void fetch(const Band& band, int s) const {
    if (s < band.steps) {
      BlockUnit* const to = slot(s);
      const BlockUnit* const values = band.values + Index(s) * (Parameters::Values::units * lanes);
      const BlockUnit* const blocks = band.blocks + s * band.step_of_blocks;
#pragma unroll
      for (int u = 0; u < Parameters::Values::units; ++u)
        gpu::copy_async_once(to + u * lanes, values + u * lanes);
#pragma unroll
      for (int u = 0; u < Parameters::Neighbours::units; ++u)
        gpu::copy_async_once(to + (Parameters::Values::units + u) * lanes, blocks + u * lanes);
    }
    gpu::commit_async_copies();
  }

  /// @brief Looks for the words of step s.
  __device__ __forceinline__ void look(const Band& band, int s, Coming& coming) const {
    const bool here = is_here(band, s);
    coming.above.load_if(band.takes_row && here,
                         band.row_above + Index(s - gpu::lane()) * Words::words);
    if constexpr (planes)
      coming.front.load_if(band.takes_plane && here,
                           band.plane_in_front + Index(s) * (lanes * Words::words));
  }
  /// @brief Waits until all lanes have those of step s; false if the launch is stuck.
  ///
  /// A look fails where the band is close behind another one, and so would those of the next steps:
  /// they are repeated, too. In the time that takes the band falls behind, until looks succeed.
  __device__ __forceinline__ bool await(const Band& band, int s, int turn,
                                        Coming (&coming)[ahead]) const {
    const bool here = is_here(band, s);
    const auto there = [&] {
      bool all = !(band.takes_row && here) || coming[turn].above.has_tag(band.row_tag);
      if constexpr (planes)
        all =
            all && (!(band.takes_plane && here) || coming[turn].front.has_tag(band.plane_tag - 1));
      return gpu::all(all);
    };
    const auto look_again = [&] {
#pragma unroll
      for (int more = 0; more < ahead; ++more) look(band, s + more, coming[(turn + more) % ahead]);
      return there();
    };
    return there() || queue_.wait(look_again, gpu::Backoff::None);
  }

  const Parameters& sweep_;
  gpu::TaskQueue queue_;
  BlockUnit* mine_;  ///< of the lane, in shared memory
};

}  // namespace wavescan::Impl::block_sor

#endif
