// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_COUNTANDSCAN_HPP
#define WAVESCAN_IMPL_HISTOGRAM_COUNTANDSCAN_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/histogram/WaveScan_HistogramProblem.hpp>

/// @file
/// @brief Integral histograms on every device, by counts and scans.

namespace wavescan::Impl::histogram {

/// @brief Counts down one column of one plane.
template <class Pixel, class Binning, class Count>
struct CountColumn {
  Problem<Pixel, Binning, Count> problem;
  bool bins_lie_together;  ///< neighbouring threads take neighbouring memory
  KOKKOS_FUNCTION void operator()(const Index n) const {
    const Extents& extents = problem.histogram.extents;
    const Index bin = bins_lie_together ? n % extents.bins : n / extents.columns;
    const Index j = bins_lie_together ? n / extents.bins : n % extents.columns;
    Count count = Count(0);
    for (Index i = 0; i < extents.rows; ++i) {
      const bool hit = static_cast<Index>(problem.binning(problem.image(i, j))) == bin;
      count = wrapping_add(count, static_cast<Count>(hit));
      problem.histogram(bin, i, j) = count;
    }
  }
};

/// @brief Counts down the columns of all planes, and scans along their rows in place.
///
/// The image is read once for each bin, the histogram written twice and read once or twice.
template <ExecutionSpace Exec, class Pixel, class Binning, class Count>
class CountAndScan {
 public:
  CountAndScan(const Exec& exec, const Extents& extents)
      : exec_(exec),
        all_rows_(exec, extents.bins * extents.rows, extents.columns),
        rows_of_a_plane_(exec, extents.rows, extents.columns) {}

  void operator()(const Problem<Pixel, Binning, Count>& problem) const {
    for (Index m = 0; m < problem.images; ++m) enqueue_one(problem.of_image(m));
  }

 private:
  void enqueue_one(const Problem<Pixel, Binning, Count>& problem) const {
    const Planes<Count>& h = problem.histogram;
    const auto& [bins, rows, columns] = h.extents;
    enqueue_items(exec_, "WaveScan::integral_histogram::column_counts", bins * columns,
                  2e-9 * static_cast<double>(rows),
                  CountColumn<Pixel, Binning, Count>{problem, h.bin_stride < h.column_stride});
    // All rows of all planes at once, if they lie at equal distances in one order or the other.
    if (h.bin_stride == rows * h.row_stride)
      scan_rows(all_rows_, h.data, bins * rows, h.row_stride, h);
    else if (h.row_stride == bins * h.bin_stride)
      scan_rows(all_rows_, h.data, bins * rows, h.bin_stride, h);
    else
      for (Index bin = 0; bin < bins; ++bin)
        scan_rows(rows_of_a_plane_, h.data + bin * h.bin_stride, rows, h.row_stride, h);
  }

  void scan_rows(const Scan<Exec, Plus<Count>>& scan, Count* data, Index rows, Index row_stride,
                 const Planes<Count>& h) const {
    const auto lines =
        strided_view<Exec>(Grid<Count>{data, rows, h.extents.columns, row_stride, h.column_stride});
    scan.inclusive(lines, lines, ScanOptions<>().axis(1));
  }

  Exec exec_;
  Scan<Exec, Plus<Count>> all_rows_;
  Scan<Exec, Plus<Count>> rows_of_a_plane_;
};

}  // namespace wavescan::Impl::histogram

#endif
