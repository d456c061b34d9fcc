// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTBANDS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTBANDS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief How the threads of a host share out tables.
///
/// Tables are cut into bands of rows, and bands into tiles. A tile needs the entries above it, from
/// the same tile of the band before. Threads draw bands by ticket and follow each other at a
/// distance of a tile, so that everything is read once and written once. Where a band has too few
/// tiles for that, it is summed up first, which brings it into the cache, and hands on the entries
/// below it before its own are computed. Of many images, each is one thread's. All of these ways,
/// with any number of threads, add the same numbers in the same order.

namespace wavescan::Impl {

/// @brief How tables of one size are cut.
struct HostTableCut {
  static constexpr Index most_rows = 256;  ///< of a band

  Index images = 1;
  Index band = 1;  ///< rows
  Index bands = 1;
  Index tile = 1;  ///< columns
  Index tiles = 1;
  bool whole_images = true;  ///< one thread does all bands of an image
  bool reduces = false;      ///< bands are summed up first
  Index workers = 1;

  HostTableCut() = default;
  HostTableCut(Index image_count, Index rows, Index columns, Index most_columns, Index threads)
      : images(image_count),
        band(std::clamp<Index>(rows / 8, 1, rows_that_fit(columns))),
        bands(ceil_div(rows, band)) {
    constexpr Index few_pixels = 1 << 14;  // not worth waking threads for
    constexpr Index unit = 64;             // a multiple of what vectors take at once
    if (images * bands * band * columns < few_pixels) threads = 1;
    whole_images = threads == 1 || images >= 4 * threads;
    tile = whole_images
               ? most_columns
               : std::clamp(ceil_div(columns, 2 * threads * unit) * unit, unit, most_columns);
    tiles = ceil_div(columns, tile);
    reduces = !whole_images && tiles < 2 * threads;
    workers = std::min(threads, tasks());
  }

  /// @brief Few enough to stay in the cache, enough to make up for starting a band and for fetching
  /// the entries above it from the cache of another core.
  static Index rows_that_fit(Index columns) {
    return std::clamp<Index>((1 << 15) / columns, 64, most_rows);
  }

  Index tasks() const { return whole_images ? images : images * bands; }
  /// @brief How many images are worked on at a time.
  Index slots() const { return whole_images ? workers : images; }
};

/// @brief Whether stores should bypass the caches, which saves reading what they overwrite: where
/// the output is much larger than the caches and its rows have few ends.
inline bool pays_to_stream(Index row_bytes, Index all_bytes) {
  constexpr Index few_ends = 512, many_bytes = 16 << 20;
  return row_bytes >= few_ends && all_bytes >= many_bytes;
}

/// @brief All workers' walk through all tables.
/// @tparam Work its `Worker(work, cut, index)` has `begin(image, band, slot)` and `tile(number,
///              await_above, hand_on)`: it calls the two before it uses what the band above has
///              left in the slot, and when it has put there what the band below needs
template <class Work>
class HostTableKernel {
 public:
  HostTableKernel(const Work& work, const HostTableCut& cut, int* ticket, int* tiles_done)
      : work_(work), cut_(cut), ticket_(ticket), tiles_done_(tiles_done) {}

  void operator()(const Index index) const {
    typename Work::Worker worker(work_, cut_, index);
    for (Index task = draw(); task < cut_.tasks(); task = draw())
      if (cut_.whole_images) {
        for (Index band = 0; band < cut_.bands; ++band) {
          worker.begin(task, band, index);
          for (Index tile = 0; tile < cut_.tiles; ++tile)
            worker.tile(
                tile, [] {}, [] {});
        }
      } else {
        const Index image = task / cut_.bands;
        const Index band = task % cut_.bands;
        int* const done = tiles_done_ + task;
        worker.begin(image, band, image);
        for (int tile = 0; tile < cut_.tiles; ++tile)
          worker.tile(
              tile,
              [&] {
                if (band > 0) wait_until_at_least(done - 1, tile + 1);
              },
              [&] { store_release(done, tile + 1); });
      }
    worker.finish();
  }

 private:
  Index draw() const { return Kokkos::atomic_fetch_add(ticket_, 1); }

  Work work_;
  HostTableCut cut_;
  int* ticket_;
  int* tiles_done_;  ///< of each band of each image
};

/// @brief The flags of kernels on tables of one size.
template <ExecutionSpace Exec>
class HostTableRunner {
 public:
  HostTableRunner(const Exec& exec, const HostTableCut& cut)
      : exec_(exec),
        cut_(cut),
        flags_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::tables::flags"),
               static_cast<std::size_t>(1 + (cut.whole_images ? 0 : cut.tasks()))) {}

  const HostTableCut& cut() const { return cut_; }

  template <class Work>
  void enqueue(const char* name, const Work& work) const {
    Kokkos::deep_copy(exec_, flags_, 0);
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec_, 0, cut_.workers),
        HostTableKernel<Work>(work, cut_, flags_.data(), flags_.data() + 1));
  }

 private:
  Exec exec_;
  HostTableCut cut_;
  Kokkos::View<int*, typename Exec::memory_space> flags_;  ///< the ticket, then each task
};

}  // namespace wavescan::Impl

#endif
