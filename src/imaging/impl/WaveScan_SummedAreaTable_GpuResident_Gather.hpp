// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_GATHER_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPURESIDENT_GATHER_HPP

#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuResident_Tile.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief A warp's share in asking the other blocks for the sums over their tiles: some warps ask
/// for those over columns, some for rows, some for whole tiles.
///
/// What lies above the wave is kept from wave to wave, by each thread for what it asks for.
template <class Tile>
class ResidentGatherer {
  using V = typename Tile::V;
  using Strip = typename Tile::Strip;
  using Pair = SumPair<V>;
  static constexpr int at_once = 8;

 public:
  __device__ ResidentGatherer(const ResidentTask<Tile>& task, ResidentShared<Tile>& shared,
                              int team, int x, int y)
      : task_(task), shared_(shared), first_block_(team * task.cut.team_blocks()), x_(x), y_(y) {}

  /// @brief Leaves in shared memory what all others add to a tile.
  /// @param first of the image
  /// @param last  of the block: nothing below it will be asked for
  __device__ void gather_sums(int t, std::uint32_t tag, bool first, bool last) {
    const int warp = gpu::warp();
    const bool columns = warp < Tile::column_warps;
    const bool rows = !columns && warp < Tile::column_warps + Tile::row_warps;
    if (first || rows) carry_ = Pair();
    const Request request = columns ? columns_above(last) : rows ? rows_left() : corner(last);
    const Pair sum = add_up(task_.ring.record(t, first_block_, Tile::record_words), request, tag);
    if (columns)
      put_columns(sum);
    else if (rows)
      put_rows(sum);
    else
      put_corner(sum);
  }

 private:
  /// @brief Pairs of words that lie `stride` words apart.
  struct Request {
    int from;
    int stride;
    int above;  ///< the first of them, which lie above the tile (or to the left)
    int all;    ///< with those beside and below it
    int most;   ///< that any lane of the warp asks for
  };

  /// @brief Waits for all, and adds up in order: the sum of those above.
  __device__ Pair add_up(const gpu::TaggedWord* records, const Request& r, std::uint32_t tag) {
    Pair above = carry_;
    for (int first = 0; first < r.most; first += at_once) {
      typename gpu::Tagged<Pair>::Found found[at_once];
      bool missing = false;
      do {
#pragma unroll
        for (int m = 0; m < at_once; ++m)
          found[m].load_if(first + m < r.all, records + r.from + (first + m) * r.stride);
        missing = false;
#pragma unroll
        for (int m = 0; m < at_once; ++m) missing |= first + m < r.all && !found[m].has_tag(tag);
      } while (gpu::any(missing));
#pragma unroll
      for (int m = 0; m < at_once; ++m) {
        if (first + m < r.above) above += found[m].value();
        if (first + m < r.all) carry_ += found[m].value();
      }
    }
    return above;
  }

  // Columns: warps take pairs of columns, and share the tiles in parts.
  static __device__ int column_pair() { return static_cast<int>(threadIdx.x) % Tile::column_pairs; }
  static __device__ int column_part() { return static_cast<int>(threadIdx.x) / Tile::column_pairs; }
  __device__ Request columns_above(bool last) const {
    constexpr int parts = Tile::column_parts;
    const int row_words = task_.cut.across * Tile::record_words;
    const int above = (y_ - column_part() + parts - 1) / parts;
    const int all = last ? above : (task_.cut.down - column_part() + parts - 1) / parts;
    return {
        column_part() * row_words + x_ * Tile::record_words + Tile::columns_at + 2 * column_pair(),
        parts * row_words, above, all, all};
  }
  __device__ void put_columns(const Pair& sum) const {
    *reinterpret_cast<Pair*>(&shared_.above[column_part()][column_pair() * Pair::count]) = sum;
  }

  // Rows: a warp takes those of a few warps, and its lanes share the tiles in parts.
  __device__ Request rows_left() const {
    constexpr int parts = Tile::row_parts;
    const int pairs = task_.cut.warp_rows * (Tile::warps / Tile::row_warps) / Pair::count;
    const int pair = gpu::lane() % Tile::row_pairs;
    const int part = gpu::lane() / Tile::row_pairs;
    const int all = pair < pairs ? (x_ - part + parts - 1) / parts : 0;
    const int warp = gpu::warp() - Tile::column_warps;
    return {(y_ * task_.cut.across + part) * Tile::record_words + Tile::rows_at +
                2 * (warp * pairs + pair),
            parts * Tile::record_words, all, all, (x_ + parts - 1) / parts};
  }
  __device__ void put_rows(Pair sum) const {
    sum = gpu::warp_reduce<gpu::warp_size, Tile::row_pairs>(sum);
    // All parts have the same now; what lies beyond the pairs is zero.
    V down = sum.value[0];
#pragma unroll
    for (int i = 1; i < Pair::count; ++i) down += sum.value[i];
    down = gpu::warp_inclusive_scan<Tile::row_pairs>(down);
    const int pair = gpu::lane();
    const int warp = gpu::warp() - Tile::column_warps;
    V above = gpu::shuffle_up(down, 1);
    if (pair == 0) above = V(0);
    if (pair >= Tile::row_pairs) return;
#pragma unroll
    for (int i = 0; i < Pair::count; ++i)
      shared_.left[warp][pair * Pair::count + i] = above += sum.value[i];
    if (pair == Tile::row_pairs - 1) shared_.rows[warp] = down;
  }

  // Corner: lanes take tiles, in as many columns as the power of two. The sums of those that are
  // not to the left are only waited for.
  static constexpr int total_pairs = Tile::total_words / 2;
  __device__ int corner_thread() const {
    return (static_cast<int>(threadIdx.x) - 32 * (Tile::column_warps + Tile::row_warps)) /
           total_pairs;
  }
  __device__ int corner_x() const { return corner_thread() & ((1 << task_.cut.across_bits) - 1); }
  __device__ Request corner(bool last) const {
    const ResidentCut& cut = task_.cut;
    const int x = corner_x();
    const int y = corner_thread() >> cut.across_bits;
    const int step_bits = Tile::corner_bits - cut.across_bits;
    const auto steps = [=](int begin, int end) {
      return (end - begin + (1 << step_bits) - 1) >> step_bits;
    };
    const int end = last ? y_ : cut.down;
    return {(y * cut.across + x) * Tile::record_words + gpu::lane() % total_pairs * 2,
            (cut.across << step_bits) * Tile::record_words, x < x_ ? steps(y, y_) : 0,
            x < (last ? x_ : cut.across) ? steps(y, end) : 0, steps(0, end)};
  }
  __device__ void put_corner(const Pair& above) const {
    V sum = above.value[0];
#pragma unroll
    for (int i = 1; i < Pair::count; ++i) sum += above.value[i];
    sum = gpu::warp_reduce(corner_x() < x_ ? sum : V(0));
    if (gpu::lane() == 0) shared_.corner[gpu::warp() - Tile::column_warps - Tile::row_warps] = sum;
  }

  const ResidentTask<Tile>& task_;
  ResidentShared<Tile>& shared_;
  int first_block_;
  int x_;
  int y_;
  Pair carry_;
};

}  // namespace wavescan::Impl

#endif
