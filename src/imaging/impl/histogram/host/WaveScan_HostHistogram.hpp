// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_HOST_HOSTHISTOGRAM_HPP
#define WAVESCAN_IMPL_HISTOGRAM_HOST_HOSTHISTOGRAM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/histogram/WaveScan_HistogramProblem.hpp>
#include <impl/sat/host/WaveScan_HostTableBands.hpp>
#include <impl/sat/host/WaveScan_HostTableTile.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief Integral histograms on the host, tile by tile as summed-area tables are: the pixels of a
/// tile are binned, and then one bin's tile after the other is summed up and written.
///
/// Bins do not need each other. Where there are few images for all threads, their bins come in
/// groups, each of which is made as if it were an image of its own, by one thread if there are
/// enough of them. Each group bins all pixels, which takes about as long as to count them in a bin.

namespace wavescan::Impl::histogram {

/// @brief Numbers of bins in a tile; -1 for pixels without one.
using BinNumber = std::int16_t;

/// @brief The pixels of one bin as 1, all others as 0.
template <class Count>
struct BinRows {
  using pixel_type = BinNumber;
  static constexpr bool takes_pixels_as_they_are = false;
  const BinNumber* bins;  ///< of the tile
  TableTile tile;
  BinNumber bin;

  const BinNumber* at(Index i, Index) const { return bins + (i - tile.row) * tile.columns; }
  const Count* values(Index i, Index column, Index count, Count* buffer) const {
    const BinNumber* const row = at(i, column);
    for_each_column(count, [&](Index j) { buffer[j] = static_cast<Count>(row[j] == bin); });
    return buffer;
  }
};

/// @brief Groups of an image's bins: as many as threads, or more where images are to be shared out,
/// too.
inline Index groups_of(const Extents& extents, Index images, Index threads) {
  constexpr Index few_sums = 1 << 16;  // not worth waking threads for
  const Index sums = images * extents.rows * extents.columns * extents.bins;
  if (threads == 1 || images >= 4 * threads || sums < few_sums) return 1;
  return std::min(images == 1 ? threads : ceil_div(4 * threads, images), extents.bins);
}
/// @brief Bins of a group, at most.
inline Index most_bins(const Extents& extents, Index groups) {
  return ceil_div(extents.bins, groups);
}

/// @brief Histograms as the work of HostTableKernel.
template <class Pixel, class Binning, class Count>
struct HostWork {
  static constexpr bool has_two_passes = false;

  Problem<Pixel, Binning, Count> problem;
  Count* above;     ///< (slot, bin, column)
  Count* left;      ///< (worker, bin, row of a band)
  BinNumber* bins;  ///< (worker, row of a band, column of a tile)
  Index groups;     ///< of bins
  bool streaming;

  class Worker {
   public:
    Worker(const HostWork& work, const HostTablePartition& partition, Index index)
        : work_(work),
          partition_(partition),
          one_(work.problem),
          left_(work.left + index * most_bins(extents(), work.groups) * partition.band),
          bins_(work.bins + index * partition.band * partition.tile) {
      if constexpr (looks_up)
        for (int byte = 0; byte < 256; ++byte) known_[byte] = find_bin(static_cast<Pixel>(byte));
    }

    /// @param group of bins, of all images
    void begin(Index group, Index band, Index slot) {
      one_ = work_.problem.of_image(group / work_.groups);
      const Index number = group % work_.groups;
      first_bin_ = extents().bins * number / work_.groups;
      end_bin_ = extents().bins * (number + 1) / work_.groups;
      above_ = work_.above + slot * most_bins(extents(), work_.groups) * extents().columns;
      tile_.go_to_band(partition_, band, extents().rows);
      if (band == 0) std::fill_n(above_, (end_bin_ - first_bin_) * extents().columns, Count(0));
      std::fill_n(left_, (end_bin_ - first_bin_) * partition_.band, Count(0));
    }

    template <class Await, class HandOn>
    void tile(Index number, const Await& await_above, const HandOn& hand_on) {
      tile_.go_to_tile(partition_, number, extents().columns);
      find_bins();
      await_above();
      for (Index bin = first_bin_; bin < end_bin_; ++bin) {
        const Index own = bin - first_bin_;
        Count* const sums_above = above_ + own * extents().columns + tile_.column;
        const BinRows<Count> pixels{bins_, tile_, static_cast<BinNumber>(bin)};
        const Count* const last = sums_.sum(pixels, tile_, left_ + own * partition_.band,
                                            sums_above, one_.histogram.plane(bin), work_.streaming);
        std::copy_n(last, tile_.columns, sums_above);
      }
      hand_on();
    }
    void finish() const {
      if (work_.streaming) end_streaming();
    }

   private:
    static constexpr bool looks_up = may_look_up<Pixel, Binning>;

    const Extents& extents() const { return work_.problem.histogram.extents; }

    void find_bins() {
      BinNumber* to = bins_;
      for (Index i = tile_.row; i < tile_.row + tile_.rows; ++i)
        for (Index j = tile_.column; j < tile_.column + tile_.columns; ++j)
          if constexpr (looks_up)
            *to++ = known_[static_cast<unsigned char>(one_.image(i, j))];
          else
            *to++ = find_bin(one_.image(i, j));
    }
    BinNumber find_bin(const Pixel& pixel) const {
      return static_cast<BinNumber>(bin_or(work_.problem.binning, pixel, extents().bins, -1));
    }

    const HostWork& work_;
    const HostTablePartition& partition_;
    Problem<Pixel, Binning, Count> one_;   ///< image
    BinNumber known_[looks_up ? 256 : 1];  ///< of all bytes
    TableTile tile_;
    Index first_bin_ = 0, end_bin_ = 0;
    Count* above_ = nullptr;
    Count* left_;
    BinNumber* bins_;
    HostTableTile<Count, Count> sums_;
  };
};

/// @brief The workspace for histograms of one size.
template <ExecutionSpace Exec, class Pixel, class Binning, class Count>
class HostHistogram {
 public:
  HostHistogram(const Exec& exec, const Extents& extents, Index images)
      : groups_(groups_of(extents, images, resident_teams(exec, 1))),
        runner_(exec, {{images * groups_, extents.rows, extents.columns},
                       HostTableTile<Count, Count>::max_columns,
                       resident_teams(exec, 1),
                       {.many_images = resident_teams(exec, 1) / 2 + 1}}) {
    constexpr const char* name = "WaveScan::integral_histogram";
    const HostTablePartition& partition = runner_.partition();
    const Index bins = most_bins(extents, groups_);
    above_ = workspace_array<Count>(exec, name, partition.slots() * bins * extents.columns);
    left_ = workspace_array<Count>(exec, name, partition.workers * bins * partition.band);
    bins_ =
        workspace_array<BinNumber>(exec, name, partition.workers * partition.band * partition.tile);
  }

  void operator()(const Problem<Pixel, Binning, Count>& problem) const {
    const Planes<Count>& h = problem.histogram;
    const auto row_bytes = h.extents.columns * static_cast<Index>(sizeof(Count));
    runner_.enqueue(
        "WaveScan::integral_histogram::host",
        most_bins(h.extents, groups_) * h.extents.rows * h.extents.columns,
        HostWork<Pixel, Binning, Count>{
            problem, above_.data(), left_.data(), bins_.data(), groups_,
            h.column_stride == 1 && prefers_streaming(row_bytes, problem.images * h.extents.bins *
                                                                     h.extents.rows * row_bytes)});
  }

 private:
  template <class E>
  using Array = Kokkos::View<E*, typename Exec::memory_space>;

  Index groups_;
  HostTableRunner<Exec> runner_;
  Array<Count> above_;
  Array<Count> left_;
  Array<BinNumber> bins_;
};

}  // namespace wavescan::Impl::histogram

#endif
