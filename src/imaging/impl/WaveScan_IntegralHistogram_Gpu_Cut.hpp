// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CUT_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CUT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_IntegralHistogram_Problem.hpp>

#include <algorithm>
#include <limits>

namespace wavescan::Impl {

/// @brief Limits for how the work is cut.
struct HistogramTuning {
  int most_band_rows = 256;
  int least_band_rows = 8;
  int least_bins = 2;  ///< that are written in planes at once, if there are as many
  int most_bins = 8;
  int most_team = 16;         ///< warps that write planes side by side
  int most_strips = 2;        ///< of 128 columns, that such a warp takes at once
  int most_segments = 64;     ///< columns' parts where bins lie side by side
  int wanted_band_rows = 32;  ///< there, before columns are parted
  int walked_rows = 16;       ///< of small images, for each block that walks through all of them
};

/// @brief How the histograms of one layout are cut into pieces.
struct HistogramCut {
  int team = 1;          ///< warps that write a piece together
  int bins_at_once = 1;  ///< of a piece
  int segment = 0;       ///< columns that a team takes at once
  int band_rows = 0;
  int parts = 1;  ///< pieces of a band
};

/// @brief Rows of a band: as many as there can be if all workers shall be busy to the end.
/// @param parts pieces of a band, of all images together
inline int choose_band_rows(Index rows, Index parts, Index workers, int least, int most) {
  for (Index rounds = 1;; ++rounds) {
    const Index bands = rounds * workers / parts;
    if (bands == 0) continue;
    const Index band_rows = std::max<Index>(ceil_div(rows, bands), least);
    const Index pieces = ceil_div(rows, band_rows) * parts;
    const bool few_idle = pieces * 10 >= rounds * workers * 9;
    if (band_rows == least || (band_rows <= most && few_idle)) return static_cast<int>(band_rows);
  }
}

/// @brief Planes: as few segments of a row as there can be, and no more warps than they need. Of
/// the numbers of bins at once the one with which the slowest worker moves the fewest bytes.
inline HistogramCut cut_planes(const HistogramExtents& extents, Index images, Index multiprocessors,
                               int block_warps, int strip, const HistogramTuning& tuning) {
  HistogramCut cut;
  const Index strips = ceil_div(extents.columns, strip);
  cut.team = static_cast<int>(ceil_div(strips, ceil_div(strips, tuning.most_team)));
  cut.segment = static_cast<int>(std::min<Index>(ceil_div(strips, cut.team), tuning.most_strips)) *
                cut.team * strip;
  const Index workers = multiprocessors * (block_warps / cut.team);
  double fewest = std::numeric_limits<double>::infinity();
  const Index most_bins = std::min<Index>(tuning.most_bins, extents.bins);
  const Index least_bins = std::min<Index>(tuning.least_bins, most_bins);
  for (Index bins = most_bins; bins >= least_bins; --bins) {
    HistogramCut other = cut;
    other.parts = static_cast<int>(ceil_div(extents.bins, bins));
    other.bins_at_once = static_cast<int>(ceil_div(extents.bins, other.parts));
    other.band_rows = choose_band_rows(extents.rows, images * other.parts, workers,
                                       tuning.least_band_rows, tuning.most_band_rows);
    const Index pieces = images * ceil_div(extents.rows, other.band_rows) * other.parts;
    const auto entries = static_cast<double>(ceil_div(pieces, workers) * other.bins_at_once *
                                             ceil_div(other.band_rows, 8) * 8);
    // An entry has 4 bytes. The codes have one for all bins, and 4 are written and read to know
    // what a column of a band has above it.
    const double bytes = entries * (4 + 1. / other.bins_at_once + 4. / other.band_rows);
    if (bytes >= fewest) continue;
    fewest = bytes;
    cut = other;
  }
  return cut;
}

/// @brief Bins side by side: rows are parted only if bands would be too low otherwise.
inline HistogramCut cut_side_by_side(const HistogramExtents& extents, Index images,
                                     Index multiprocessors, int block_warps, int strip,
                                     int bins_at_once, int most_band_rows,
                                     const HistogramTuning& tuning) {
  HistogramCut cut;
  cut.team = block_warps;
  cut.bins_at_once = bins_at_once;
  const Index chunks = ceil_div(extents.bins, bins_at_once);
  const Index strips = ceil_div(extents.columns, strip);
  const Index most_segments = std::clamp<Index>(strips / 4, 1, tuning.most_segments);
  const int most = std::min(most_band_rows, tuning.most_band_rows);
  for (Index segments = 1; segments <= most_segments; ++segments) {
    const Index part = ceil_div(strips, segments);
    cut.segment = static_cast<int>(part) * strip;
    cut.parts = static_cast<int>(chunks * ceil_div(strips, part));
    cut.band_rows = choose_band_rows(extents.rows, images * cut.parts, multiprocessors,
                                     std::min(tuning.least_band_rows, most), most);
    if (cut.band_rows >= std::min(tuning.wanted_band_rows, most)) break;
  }
  return cut;
}

}  // namespace wavescan::Impl

#endif
