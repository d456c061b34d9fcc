// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_BANDS_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_BANDS_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <impl/WaveScan_IntegralHistogram_Problem.hpp>
#include <impl/WaveScan_SummedAreaTable_Bands.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief An integral histogram in bands of rows, one for each thread: the way for hosts.
///
/// As for summed-area tables, but all bins of a few rows are done while those rows, binned once,
/// and the rows above them are in cache. The image is read twice (once by a single thread) and the
/// histogram written once.

namespace wavescan::Impl {

/// @brief How many pixels of each column and bin a band holds.
template <class Pixel, class Binning, class Count>
struct BandCounts {
  HistogramProblem<Pixel, Binning, Count> problem;
  BandShape shape;
  Count* counts;  ///< (band, bin, column)
  KOKKOS_FUNCTION void operator()(const Index band) const {
    const HistogramExtents& extents = problem.histogram.extents;
    Count* const count = counts + band * extents.bins * extents.columns;
    for (Index k = 0; k < extents.bins * extents.columns; ++k) count[k] = Count(0);
    for (Index i = shape.begin(band); i < shape.end(band, extents.rows); ++i)
      for (Index j = 0; j < extents.columns; ++j) {
        const Index bin = problem.bin(i, j);
        if (bin < 0 || bin >= extents.bins) continue;
        Count& hit = count[bin * extents.columns + j];
        hit = wrapping_add(hit, Count(1));
      }
  }
};

/// @brief The entries of each band, from the counts of the columns above it.
template <class Pixel, class Binning, class Count>
struct BandHistogram {
  using bin_type = std::int16_t;
  HistogramProblem<Pixel, Binning, Count> problem;
  BandShape shape;
  const Count* counts_above;  ///< (band, bin, column); null where there is one band only
  bin_type* bins;             ///< (band, row at a time, column)

  KOKKOS_FUNCTION void operator()(const Index band) const {
    const HistogramExtents& extents = problem.histogram.extents;
    const Index end = shape.end(band, extents.rows);
    for (Index i = shape.begin(band); i < end; i += rows_at_a_time) {
      const int rows = i + rows_at_a_time < end ? rows_at_a_time : static_cast<int>(end - i);
      bin_rows(band, i, rows);
      for (Index bin = 0; bin < extents.bins; ++bin) count_rows(band, bin, i, rows);
    }
  }

 private:
  KOKKOS_FUNCTION bin_type* bins_of(Index band) const {
    return bins + band * rows_at_a_time * problem.histogram.extents.columns;
  }

  KOKKOS_FUNCTION void bin_rows(Index band, Index i, int rows) const {
    const HistogramExtents& extents = problem.histogram.extents;
    bin_type* to = bins_of(band);
    for (int r = 0; r < rows; ++r)
      for (Index j = 0; j < extents.columns; ++j, ++to) {
        const Index bin = problem.bin(i + r, j);
        *to = static_cast<bin_type>(bin >= 0 && bin < extents.bins ? bin : -1);
      }
  }

  KOKKOS_FUNCTION void count_rows(Index band, Index bin, Index i, int rows) const {
    const Index columns = problem.histogram.extents.columns;
    const Grid<Count> plane = problem.histogram.plane(bin);
    const bin_type* const binned = bins_of(band);
    const auto wanted = static_cast<bin_type>(bin);
    const auto load = [&](int r, Index j) {
      return static_cast<Count>(binned[r * columns + j] == wanted);
    };
    const auto store = [&](int r, Index j, const Count& value) { plane(i + r, j) = value; };
    const auto sum = [&](const auto& above) {
      sum_some_rows<Count>(rows, columns, above, load, store);
    };
    if (i > shape.begin(band)) {
      sum([&](Index j) { return plane(i - 1, j); });
    } else if (band == 0) {
      sum([](Index) { return Count(0); });
    } else {
      const Count* const columns_above =
          counts_above + (band * problem.histogram.extents.bins + bin) * columns;
      Count above = Count(0);
      sum([&](Index j) { return above = wrapping_add(above, columns_above[j]); });
    }
  }
};

/// @brief The workspace of the banded way for histograms of one size.
template <ExecutionSpace Exec, class Pixel, class Binning, class Count>
class BandedHistogram {
 public:
  BandedHistogram(const Exec& exec, const HistogramExtents& extents)
      : exec_(exec),
        shape_(BandShape::choose(exec, extents.rows)),
        over_bands_(exec, extents.bins * extents.columns, shape_.bands) {
    using Kokkos::view_alloc, Kokkos::WithoutInitializing;
    const auto bands = static_cast<std::size_t>(shape_.bands);
    const auto columns = static_cast<std::size_t>(extents.columns);
    counts_ = decltype(counts_)(
        view_alloc(exec, WithoutInitializing, "WaveScan::integral_histogram::band_counts"),
        bands > 1 ? bands : 0, static_cast<std::size_t>(extents.bins) * columns);
    bins_ =
        decltype(bins_)(view_alloc(exec, WithoutInitializing, "WaveScan::integral_histogram::bins"),
                        bands * rows_at_a_time * columns);
  }

  void operator()(const HistogramProblem<Pixel, Binning, Count>& problem) const {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    if (shape_.bands > 1) {
      Kokkos::parallel_for("WaveScan::integral_histogram::band_counts",
                           Policy(exec_, 0, shape_.bands),
                           BandCounts<Pixel, Binning, Count>{problem, shape_, counts_.data()});
      over_bands_.exclusive(counts_, counts_, ScanOptions<>().axis(0));
    }
    Kokkos::parallel_for(
        "WaveScan::integral_histogram::band_entries", Policy(exec_, 0, shape_.bands),
        BandHistogram<Pixel, Binning, Count>{problem, shape_, counts_.data(), bins_.data()});
  }

 private:
  Exec exec_;
  BandShape shape_;
  Scan<Exec, Plus<Count>> over_bands_;
  Kokkos::View<Count**, Kokkos::LayoutRight, typename Exec::memory_space> counts_;
  Kokkos::View<std::int16_t*, typename Exec::memory_space> bins_;
};

}  // namespace wavescan::Impl

#endif
