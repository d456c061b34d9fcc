// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWED_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWED_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Sizes.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Window.hpp>
#include <impl/WaveScan_Wavefront_Problem.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Schedule TileSkewed on GPUs: natural order, each lane one step behind the lane above it.
///
/// A warp owns a band of rows, a lane R neighbouring ones of them. In a step a lane computes a
/// tile of R x K entries in natural order and hands the lowest of its rows on to the lane below,
/// which computes the tile under it one step later. The last lane's lowest row goes to the warp of
/// the band below through global memory. Every entry is computed by the operations of the serial
/// loop, so the result has its bits.
///
/// Why old values are old: entries (i, j) with j from a tile's own column on are read by that tile
/// at the latest, and entries of the row below the tile's only by tiles to the left of those that
/// overwrite them. The latter come later: in the band, a lane writes what is under a tile one step
/// after that tile; in the band below, after the values of the tile's row have arrived, which are
/// sent when the tile has read all it needs. Values are fetched ahead, never later.

namespace wavescan::Impl {

/// @brief What the skewed kernel is given.
/// @tparam Sizes its member `value` is a SkewedSizes
template <class Problem, class Sizes>
struct SkewedKernel {
  static constexpr const char* name = "WaveScan::wavefront::skewed_bands";
  static constexpr int blocks_each = Sizes::value.warps;  ///< at most, on a multiprocessor
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  using Place = gpu::Tagged<value_type>;

  static constexpr int rows = Sizes::value.rows;        ///< of a lane
  static constexpr int columns = Sizes::value.columns;  ///< of a step
  static constexpr int ahead = Sizes::value.ahead;  ///< steps by which old values are fetched ahead
  /// Rows from the band above are received for so many columns at a time.
  static constexpr int chunk = Sizes::value.chunk * columns;
  static constexpr int band_rows = gpu::warp_size * rows;
  static_assert(chunk <= gpu::warp_size, "a lane receives a column");
  static_assert(std::has_single_bit(unsigned(Sizes::value.chunk)));
  using Blocks = ColumnBlocks<value_type, columns>;

  Problem problem;
  Blocks blocks;
  Turns::Launch turns;
  gpu::TaggedWord* rows_sent;  ///< lowest rows of bands, by turns in one of two places
  Index bands;

  static auto function() -> void (*)(SkewedKernel);
  SkewedKernel(const Problem& p, const Turns::Launch& launch, gpu::TaggedWord* words)
      : problem(p),
        blocks(p.grid, p.range.column_begin, p.range.column_end),
        turns(launch),
        rows_sent(words),
        bands(tasks(p.range)) {}

  static Index tasks(const Block& range) { return ceil_div(range.rows(), band_rows); }
  static std::size_t words(const Block& range) {
    return 2 * static_cast<std::size_t>(row_words(ceil_div(range.columns(), columns) + 1));
  }
  __device__ std::uint32_t tags() const { return static_cast<std::uint32_t>(bands); }
  static constexpr int threads = gpu::warp_size;

  KOKKOS_FUNCTION static Index row_words(Index block_count) {
    return ceil_div(block_count * columns, chunk) * chunk * Place::words;
  }
  /// @brief Where the lowest row of a band is sent. The band after the next one uses the same
  /// words: it sends an entry when the next band has, which then has received that column.
  __device__ gpu::TaggedWord* sent(Index band) const {
    return rows_sent + (band & 1) * row_words(blocks.count);
  }
};

template <class Kernel>
class SkewedBand {
 public:
  using problem_type = typename Kernel::problem_type;
  using value_type = typename Kernel::value_type;
  using Blocks = typename Kernel::Blocks;
  static constexpr int rows = Kernel::rows;
  static constexpr int columns = Kernel::columns;
  static constexpr int ahead = Kernel::ahead;

  /// @brief Shared memory of a warp.
  struct Shared {
    /// Old values of the lanes' rows and the row below them, for `ahead` steps.
    alignas(16) unsigned char old[ahead][rows + 1][gpu::warp_size][columns * sizeof(value_type)];
    /// The row above the band.
    alignas(16) unsigned char above[Kernel::chunk * sizeof(value_type)];

    __device__ value_type* old_block(int step, int row) {
      return reinterpret_cast<value_type*>(
          old[static_cast<unsigned>(step) % ahead][row][gpu::lane()]);
    }
    __device__ value_type* above_row() { return reinterpret_cast<value_type*>(above); }
  };

  __device__ SkewedBand(const Kernel& kernel, const Turns& turns, Shared& shared, Index band)
      : kernel_(kernel),
        problem_(kernel.problem),
        turns_(turns),
        shared_(shared),
        band_(band),
        sent_(band + 1 < kernel.bands ? kernel.sent(band) : nullptr),
        sent_above_(kernel.sent(band + 1)),
        tag_(turns.epoch() + 1 + static_cast<std::uint32_t>(band)),
        row_(problem_.range.row_begin + (band * gpu::warp_size + gpu::lane()) * rows) {
    const Index rest = problem_.range.row_end - row_;
    here_ = rest < 0 ? 0 : rest < rows ? static_cast<int>(rest) : rows;
    const Index rows_below = problem_.grid.rows - row_;
    fetched_rows_ = here_ == 0 ? 0 : rows_below <= rows ? static_cast<int>(rows_below) : rows + 1;
    const Index first = problem_.range.column_begin;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      left_[r] = r < here_ ? problem_.neighbour(row_ + r, first - 1) : value_type();
    above_left_ = here_ > 0 ? problem_.neighbour(row_ - 1, first - 1) : value_type();
    fetched_ = place_ = kernel.blocks.place(row_, -gpu::lane());
  }

  /// @brief Computes the band; false if the launch is stuck.
  __device__ bool run() {
    return gpu::any(fetched_rows_ <= rows) ? run_steps<false>() : run_steps<true>();
  }

 private:
  /// @tparam Full all rows of the band are in the range, and the one below is in the Grid
  template <bool Full>
  __device__ bool run_steps() {
    const int count = kernel_.blocks.count;
    const int steps = count + gpu::warp_size - 1;
    for (int step = 0; step < ahead; ++step) fetch<Full>(step);
    ask_above(0);
    for (int step = 0; step < steps; ++step) {
      const int chunk_step = step & (Kernel::chunk / columns - 1);
      if (chunk_step == 0 && step < count && !receive_above(Index(step) * columns)) return false;
      gpu::wait_for_async_copies<ahead - 2>();  // this step's and the next one's have come
      const int block = step - gpu::lane();
      if (gpu::lane() == 0) {
#pragma unroll
        for (int k = 0; k < columns; ++k)
          row_above_[k] = shared_.above_row()[chunk_step * columns + k];
      }
      const bool there = block >= 0 && block < count && (Full || here_ > 0);
      if (there) run_tile<Full>(step, block);
      send(there && sent_ && gpu::lane() == gpu::warp_size - 1, block);
      fetch<Full>(step + ahead);
      place_ += columns * problem_.grid.column_stride;
#pragma unroll
      for (int k = 0; k < columns; ++k) row_above_[k] = gpu::shuffle_up(row_above_[k], 1);
    }
    gpu::wait_for_async_copies<0>();
    return true;
  }

  /// @brief Starts to copy the old values for a step; called for one step after another.
  ///
  /// One block more than there are: whoever is in the last one may read its right neighbours.
  template <bool Full>
  __device__ void fetch(int step) {
    const int block = step - gpu::lane();
    const bool there = block >= 0 && block <= kernel_.blocks.count;
    const bool whole = there && kernel_.blocks.whole(block);
    const bool part = gpu::any(there && !whole);
#pragma unroll
    for (int r = 0; r <= rows; ++r) {
      value_type* const slot = shared_.old_block(step, r);
      const value_type* const place = fetched_ + r * problem_.grid.row_stride;
      const bool wanted = Full || r < fetched_rows_;
      Blocks::fetch(whole && wanted, slot, place);
      if (part && there && !whole && wanted) kernel_.blocks.fetch_part(slot, place, block);
    }
    fetched_ += columns * problem_.grid.column_stride;
    gpu::commit_async_copies();
  }

  /// @brief Computes a tile, column by column: all rows of a column that is in the range.
  template <bool Full>
  __device__ void run_tile(int step, int block) {
    const Blocks& blocks = kernel_.blocks;
    const Index j = blocks.column(block);
    const int first = blocks.first_of(block);
    const int last = block < blocks.count - 1 ? columns : blocks.tail;
    const bool alone = block == 0 && !problem_.has_left(problem_.range.column_begin);
    Window<value_type, rows + 1, columns + 1> old(problem_.grid);
    old.row = row_;
    old.column = j;
#pragma unroll
    for (int r = 0; r <= rows; ++r) {
      Blocks::read(shared_.old_block(step, r), old.value[r]);
      old.value[r][columns] = *shared_.old_block(step + 1, r);
    }
    value_type tile[rows][columns];
#pragma unroll
    for (int k = 0; k < columns; ++k) {
      if (k < first || k >= last) continue;
      value_type up = row_above_[k], up_left = above_left_;
      above_left_ = up;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (!Full && r >= here_) break;
        const value_type x = problem_.partial(row_ + r, j + k, up, up_left, old);
        up_left = left_[r];
        up = problem_.recurrence.advance(up_left, x, row_ + r, j + k);
        if (alone && k == first) up = x;
        tile[r][k] = left_[r] = up;
      }
      row_above_[k] = up;
    }
    const bool whole = first == 0 && last == columns && blocks.whole(block);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!Full && r >= here_) break;
      value_type* const place = place_ + r * problem_.grid.row_stride;
      if (whole)
        Blocks::write(place, tile[r]);
      else
        blocks.write_part(place, tile[r], first, last);
    }
  }

  __device__ void send(bool wanted, int block) const {
    gpu::TaggedWord* place = sent_ + Index(block) * columns * Kernel::Place::words;
#pragma unroll
    for (int k = 0; k < columns; ++k)
      Kernel::Place::publish_if(wanted, place + k * Kernel::Place::words, row_above_[k], tag_);
  }

  /// @brief Whether the lane receives an entry of the chunk that begins `first` columns from the
  /// origin.
  __device__ bool receives(Index first) const {
    return gpu::lane() < Kernel::chunk &&
           first + gpu::lane() < Index(kernel_.blocks.count) * columns;
  }
  __device__ const gpu::TaggedWord* received_from(Index first) const {
    return sent_above_ + (first + gpu::lane()) * Kernel::Place::words;
  }

  /// @brief Starts to load a chunk of the row above the band.
  __device__ void ask_above(Index first) {
    if (band_ == 0) {
      const Index j = kernel_.blocks.origin + first + gpu::lane();
      if (receives(first) && j >= problem_.range.column_begin && j < problem_.range.column_end)
        halo_ = problem_.neighbour(row_ - gpu::lane() * rows - 1, j);
    } else {
      found_.load_if(receives(first), received_from(first));
    }
  }

  /// @brief Waits for that chunk and starts to load the next one.
  __device__ bool receive_above(Index first) {
    if (band_ > 0) {
      const auto ready = [&] {
        const bool missing = receives(first) && !found_.has_tag(tag_ - 1);
        if (!gpu::any(missing)) return true;
        found_.load_if(missing, received_from(first));
        return false;
      };
      if (!turns_.wait(ready)) return false;
    }
    gpu::sync_warp();
    if (gpu::lane() < Kernel::chunk)
      shared_.above_row()[gpu::lane()] = band_ > 0 ? found_.value() : halo_;
    gpu::sync_warp();
    ask_above(first + Kernel::chunk);
    if (gpu::lane() == 0 && first % (64 * Kernel::chunk) == 0) turns_.beat();
    return true;
  }

  const Kernel& kernel_;
  const problem_type& problem_;
  const Turns& turns_;
  Shared& shared_;
  Index band_;
  gpu::TaggedWord* sent_;              ///< where the lowest row goes, if anybody wants it
  const gpu::TaggedWord* sent_above_;  ///< where the row above comes from
  std::uint32_t tag_;                  ///< of what the band sends; the one above has the tag before
  Index row_;                          ///< the lane's first
  int here_;                           ///< how many of its rows there are
  int fetched_rows_;                   ///< of which old values are fetched
  value_type* place_;                  ///< of the tile's first entry
  const value_type* fetched_;          ///< the same for the step that is fetched

  // What tiles hand on.
  value_type left_[rows];            ///< left neighbours
  value_type above_left_;            ///< the one above the first of them
  value_type row_above_[columns]{};  ///< the row above the tile, then the tile's lowest one

  typename Kernel::Place::Found found_;
  value_type halo_{};
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads)
    skewed_bands(WAVESCAN_GRID_CONSTANT const Kernel kernel) {
  __shared__ typename SkewedBand<Kernel>::Shared shared;
  const Turns turns(kernel.turns);
  for (Index band = turns.draw(); band < kernel.bands; band = turns.draw())
    if (!SkewedBand<Kernel>(kernel, turns, shared, band).run()) break;
  if (threadIdx.x == 0) turns.leave(kernel.tags());
}

template <class Problem, class Sizes>
auto SkewedKernel<Problem, Sizes>::function() -> void (*)(SkewedKernel) {
  return skewed_bands<SkewedKernel>;
}

}  // namespace wavescan::Impl

#endif
