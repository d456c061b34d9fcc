// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_BANDPOINTS_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_BANDPOINTS_HPP

#include <WaveScan_SmallMatrices.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/block_sor/gpu/WaveScan_PackedBlocks.hpp>
#include <impl/sor/WaveScan_Box.hpp>

#include <cstdint>

/// @file
/// @brief The work of all threads at once in a sweep of block SOR on a GPU, before the bands and
/// after them: they compute what points need of old values, and store results where they belong.

namespace wavescan::Impl::block_sor {

/// @brief The arguments of the kernels of a sweep; arrays and indices are in the sweep's order.
template <class T, int B, int Rank>
struct BandSweep {
  static constexpr bool planes = Rank == 3;
  static constexpr int lanes = BandLayout::lanes;
  using Vector = SmallVector<T, B>;
  using Neighbours = PackedNumbers<T, Rank * B * B>;  ///< blocks of left, up, front
  using Factors = PackedNumbers<T, B * B>;
  using Values = PackedNumbers<T, B>;
  using Words = gpu::Tagged<Vector>;
  template <class V>
  using Array = sor::ArrayOf<V, Rank>;

  BandLayout layout;
  bool backward;
  T keep;  ///< 1 - omega
  Array<Vector> x;
  Array<const Vector> b;     ///< without data: zero
  Neighbours before, after;  ///< of points that are computed before their neighbour, and after it
  Factors factors;           ///< of right-hand sides
  Values values;             ///< of points: what others wait for, and then results
  gpu::TaggedWord* rows;     ///< for each band, the row above it
  gpu::TaggedWord* bands;    ///< of the last two planes, what planes behind them need
  gpu::TaskQueue::Launch queue;

  /// @brief The place of a step's blocks, which in memory does not depend on the order.
  __device__ Index place(Index step) const {
    return backward ? layout.all_steps() - 1 - step : step;
  }
  __device__ int lane_in_place(int lane) const { return backward ? lanes - 1 - lane : lane; }
  /// @brief Lanes of a band without a row before its first one.
  __device__ int first_lane(Index band) const {
    return backward && band == 0 ? layout.spare_lanes() : 0;
  }
  __device__ Index row(Index band, int lane) const {
    return band * lanes + lane - (backward ? layout.spare_lanes() : 0);
  }
  __device__ bool has_row(Index i) const { return i >= 0 && i < layout.rows; }

  __device__ gpu::TaggedWord* row_words(Index k, Index band, Index j) const {
    return rows + ((k * layout.bands() + band) * layout.columns + j) * Words::words;
  }
  /// @brief The words that a lane of a band hands on in plane k; the plane after the next one uses
  /// the same words, when the next one has received them.
  __device__ gpu::TaggedWord* band_words(Index k, Index band, Index step, int lane) const {
    return bands + ((((k % 2) * layout.bands() + band) * layout.steps() + step) * lanes + lane) *
                       Words::words;
  }
  static __device__ __forceinline__ Vector value(const BlockUnit* from) {
    const auto packed = Values::load(from);
    Vector value;
#pragma unroll
    for (int r = 0; r < B; ++r) value[r] = packed.number[r];
    return value;
  }
  static __device__ __forceinline__ void set_value(BlockUnit* to, const Vector& value) {
    typename Values::Values packed{};
#pragma unroll
    for (int r = 0; r < B; ++r) packed.number[r] = value[r];
    Values::store(packed, to);
  }
  __device__ std::uint32_t tags() const { return static_cast<std::uint32_t>(layout.planes); }
};

/// @brief A point, as a warp that has a step and a lane find it.
template <class Sweep>
struct PointOfStep {
  Index step, k, band, i, j;
  int lane;
  bool exists;

  __device__ explicit PointOfStep(const Sweep& sweep)
      : step(Index(blockIdx.x) * gpu::warps() + gpu::warp()), lane(gpu::lane()) {
    const BandLayout& layout = sweep.layout;
    const Index task = step / layout.steps();
    k = task / layout.bands();
    band = task % layout.bands();
    i = sweep.row(band, lane);
    j = step % layout.steps() - lane;
    exists = k < layout.planes && sweep.has_row(i) && j >= 0 && j < layout.columns;
  }
};

/// @brief A kernel that has a warp for each step.
template <class T, int B, int Rank>
struct KernelOfPoints {
  using Parameters = BandSweep<T, B, Rank>;
  static constexpr int block_threads = 128;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;

  const Parameters& given;
  char* memory;
};

/// @brief Computes what a point needs of old values, and hands on the halo above.
template <class T, int B, int Rank>
struct PrepareBands : KernelOfPoints<T, B, Rank> {
  __device__ void run() const {
    using Sweep = BandSweep<T, B, Rank>;
    const Sweep& sweep = this->given;
    const PointOfStep<Sweep> point(sweep);
    if (!point.exists) return;
    const auto& [step, k, band, i, j, lane, exists] = point;
    const auto x = [&](Index plane, Index row, Index column) -> const auto& {
      return point_of(sweep.x, plane, row, column);
    };
    if (i == 0)
      Sweep::Words::publish(sweep.row_words(k, 0, j), x(k, -1, j),
                            gpu::TaskQueue(sweep.queue).tag());
    const AffineMaps<T, B> maps;
    const Index place = sweep.place(step);
    const int lane_there = sweep.lane_in_place(lane);
    auto sum = x(k, i, j);
    for (T& number : sum.value) number *= sweep.keep;
    if (sweep.b.data)
      sum = maps.advance(
          point_of(sweep.b, k, i, j),
          block_of<T, B>(Sweep::Factors::load(sweep.factors.at(place, lane_there)).number, 0), sum);
    const auto after = Sweep::Neighbours::load(sweep.after.at(place, lane_there));
    sum = maps.advance(x(k, i, j + 1), block_of<T, B>(after.number, 0), sum);
    sum = maps.advance(x(k, i + 1, j), block_of<T, B>(after.number, 1), sum);
    if constexpr (Rank == 3) {
      sum = maps.advance(x(k + 1, i, j), block_of<T, B>(after.number, 2), sum);
      if (k == 0) {
        const auto before = Sweep::Neighbours::load(sweep.before.at(place, lane_there));
        sum = maps.advance(x(-1, i, j), block_of<T, B>(before.number, 2), sum);
      }
    }
    sweep.set_value(sweep.values.at(step, lane), sum);
  }
};

/// @brief Stores results where they belong. (Lanes of a band are at as many rows: stores to so many
/// lines would hold up their steps.)
template <class T, int B, int Rank>
struct StoreBands : KernelOfPoints<T, B, Rank> {
  __device__ void run() const {
    const auto& sweep = this->given;
    if (const PointOfStep<BandSweep<T, B, Rank>> point(sweep); point.exists)
      point_of(sweep.x, point.k, point.i, point.j) =
          sweep.value(sweep.values.at(point.step, point.lane));
  }
};

}  // namespace wavescan::Impl::block_sor

#endif
