// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_HISTOGRAMSCHEMES_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_HISTOGRAMSCHEMES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/histogram/WaveScan_HistogramProblem.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

/// @file
/// @brief The selection of schemes for integral histograms on NVIDIA GPUs, by size and layout, and
/// the decomposition of their work: on the host, for plans, tests and the page on histograms.

namespace wavescan::Impl::histogram {

enum class Scheme {
  Portable,     ///< counts and scans, as on every device
  Planar,       ///< neighbours in memory are columns of a bin
  SmallPlanar,  ///< the same, of images so small that warps walk down all rows
  Interleaved,  ///< neighbours in memory are bins of a pixel
};

/// @brief Histograms that a scheme is selected for.
struct Request {
  Extents extents;
  Index images;
  Order order;
  bool looks_up;  ///< bins of pixels come from a table
  bool wraps;     ///< counts are integers of 32 bits, which wrap around
};
struct DeviceLimits {
  Index multiprocessors;
  Index shared_bytes;  ///< of a block
};

/// @brief Limits for how the work is divided.
struct SchemeTuning {
  int max_band_rows = 256;
  int min_band_rows = 8;
  int min_bins = 2;  ///< that are written in planes at once, if there are as many
  int max_bins = 8;
  int max_team = 16;          ///< warps that write planes together
  int max_strips = 2;         ///< of 128 columns, that such a warp takes at once
  int max_segments = 64;      ///< columns' parts where bins are interleaved
  int wanted_band_rows = 32;  ///< there, before columns are parted
  int small_rows = 16;  ///< limit for each block that writes a small image, or for 16 if fewer
};

/// @brief The decomposition of the work.
///
/// Images are divided into *bands* of rows. First blocks count the pixels of *groups* of columns in
/// many bands at once. Then teams of warps write *tasks*: some bins of a band, and where bins are
/// interleaved, a segment of its columns.
struct Decomposition {
  bool wide = false;      ///< codes of 16 bits and counts of 32, half as many else
  int band_rows = 0;      ///< of every band but perhaps an image's last
  int bands = 0;          ///< of an image
  int group = 32;         ///< columns that a block counts: 4, 8, 16 or 32
  int groups = 0;         ///< of an image
  int counted_bands = 0;  ///< at once
  /// 2^32 / band_rows, rounded up: divides the rows of the bands that are counted at once.
  std::uint32_t inverse_band_rows = 0;
  int team = 1;          ///< warps that write a task
  int bins_at_once = 1;  ///< of a task
  int segment = 0;       ///< columns that a team takes at once
  int tasks = 1;         ///< of a band
  Index counts = 0;      ///< that the workspace has, in bytes
  Index shared_bytes = 0;
};

struct SchemeChoice {
  Scheme scheme = Scheme::Portable;
  Decomposition decomposition;
};

inline constexpr int block_warps = 16, block_threads = 32 * block_warps;
inline constexpr int lookup_bytes = 256 * 32 * 4;

/// @brief Codes and counts with few bytes serve for so much.
inline constexpr Index max_narrow_bins = 255, max_narrow_rows = 65535;

/// @brief Small planar kernel: blocks bin eight rows at once, and write eight bins of a strip of
/// columns.
struct SmallSizes {
  static constexpr int strip = 32;
  static constexpr int bins_at_once = 8;
  static constexpr int threads = bins_at_once * 32;
  static constexpr int counted_rows = 8;
  static constexpr Index match_bytes = 8;

  static KOKKOS_FUNCTION int strips(int columns) { return (columns + strip - 1) / strip; }
  static KOKKOS_FUNCTION int fours(int bins) { return (bins + 3) / 4; }
  /// @brief Words of four counts for a row of a strip: an odd number, to avoid bank conflicts.
  static KOKKOS_FUNCTION int pitch(int bins) { return fours(bins) | 1; }
  static Index tasks(const Request& r) {
    return r.images * ceil_div(r.extents.columns, strip) * ceil_div(r.extents.bins, bins_at_once);
  }
};

/// @brief Planar kernel: the shared memory of a team, in words of 32 bits for each bin.
struct PlanarSizes {
  static constexpr int strip = 128;            ///< columns
  static constexpr int rows_at_once = 8;       ///< of a strip: a word of pixels for every lane
  static constexpr int max_strips = 32;        ///< of a segment
  static constexpr int row_bytes = strip * 4;  ///< of a warp, besides

  /// @param strips of a segment
  /// @param rows   of a band, 0 if there is one segment only
  static KOKKOS_FUNCTION Index team_bytes(int bins, int strips, int rows) {
    const Index words = Index(strips) * (strip + 2 * 32 + 1) + 4 * 32 + 2 + 2 * rounded(rows);
    return (bins * words * 4 + 16 + 15) / 16 * 16;
  }
  static KOKKOS_FUNCTION int rounded(int rows) {
    return (rows + rows_at_once - 1) / rows_at_once * rows_at_once;
  }
  /// @brief Rows for team_bytes: those that have other segments to their left.
  static KOKKOS_FUNCTION int rows_with_left(const Decomposition& decomposition, Index columns) {
    return decomposition.segment < columns ? decomposition.band_rows : 0;
  }
};

/// @brief Interleaved kernel: a block has counts for each row of a band and its sum, and warps some
/// rows of codes and of entries.
struct InterleavedSizes {
  static constexpr int strip = 32;
  static constexpr int bins_at_once = 32;
  static constexpr int columns_at_once = 4;  ///< of all bins
  static constexpr int task_bytes = 16;
  static constexpr Index row_bytes = (block_warps + 1) * bins_at_once * 4;
  static KOKKOS_FUNCTION constexpr Index warp_bytes(bool wide) {
    return strip * (wide ? 64 : 32) + columns_at_once * bins_at_once * 4;
  }
};

/// @brief Rows and pitch of the codes in the workspace: writers take eight rows of codes at a time,
/// from any row on, and whole strips of columns.
KOKKOS_FUNCTION constexpr Index code_rows(Index rows) {
  return rows + PlanarSizes::rows_at_once - 1;
}
constexpr Index code_pitch(Index columns) {
  return ceil_div(columns, PlanarSizes::strip) * PlanarSizes::strip;
}

/// @brief Rows of a band: as many as there can be if all workers shall be busy to the end.
/// @param tasks of a band, of all images together
inline int choose_band_rows(Index rows, Index tasks, Index workers, int least, int most) {
  for (Index rounds = 1;; ++rounds) {
    const Index bands = rounds * workers / tasks;
    if (bands == 0) continue;
    const Index band_rows = std::max<Index>(ceil_div(rows, bands), least);
    const bool few_idle = ceil_div(rows, band_rows) * tasks * 10 >= rounds * workers * 9;
    if (band_rows == least || (band_rows <= most && few_idle)) return static_cast<int>(band_rows);
  }
}

/// @brief Planes: as few segments of a row as there can be, and no more warps than they need. Of
/// the numbers of bins at once the one with which the slowest worker moves the fewest bytes.
inline Decomposition divide_planes(const Request& r, const DeviceLimits& device,
                                   Decomposition decomposition, const SchemeTuning& tuning) {
  const Index strips = ceil_div(r.extents.columns, PlanarSizes::strip);
  decomposition.team = static_cast<int>(ceil_div(strips, ceil_div(strips, tuning.max_team)));
  // Wider codes need more registers.
  const Index max_strips = decomposition.wide ? 1 : std::min(tuning.max_strips, 2);
  decomposition.segment =
      static_cast<int>(std::min(ceil_div(strips, decomposition.team), max_strips)) *
      decomposition.team * PlanarSizes::strip;
  const Index workers = device.multiprocessors * (block_warps / decomposition.team);
  double fewest = std::numeric_limits<double>::infinity();
  const Index max_bins = std::min<Index>(tuning.max_bins, r.extents.bins);
  const Index min_bins = std::min<Index>(tuning.min_bins, max_bins);
  for (Index bins = max_bins; bins >= min_bins; --bins) {
    Decomposition other = decomposition;
    other.tasks = static_cast<int>(ceil_div(r.extents.bins, bins));
    other.bins_at_once = static_cast<int>(ceil_div(r.extents.bins, other.tasks));
    other.band_rows = choose_band_rows(r.extents.rows, r.images * other.tasks, workers,
                                       tuning.min_band_rows, tuning.max_band_rows);
    const Index tasks = r.images * ceil_div(r.extents.rows, other.band_rows) * other.tasks;
    const auto entries = static_cast<double>(ceil_div(tasks, workers) * other.bins_at_once *
                                             PlanarSizes::rounded(other.band_rows));
    // An entry has 4 bytes. The codes have one for all bins, and 4 are written and read to know
    // what a column of a band has above it.
    const double bytes = entries * (4 + 1. / other.bins_at_once + 4. / other.band_rows);
    if (bytes >= fewest) continue;
    fewest = bytes;
    decomposition = other;
  }
  const int rows = PlanarSizes::rows_with_left(decomposition, r.extents.columns);
  decomposition.shared_bytes =
      block_warps * PlanarSizes::row_bytes +
      block_warps / decomposition.team *
          PlanarSizes::team_bytes(decomposition.bins_at_once,
                                  decomposition.segment / PlanarSizes::strip, rows);
  if (decomposition.shared_bytes <= device.shared_bytes || tuning.max_bins == 1)
    return decomposition;
  SchemeTuning fewer_bins = tuning;
  --fewer_bins.max_bins;
  return divide_planes(r, device, decomposition, fewer_bins);
}

/// @brief Interleaved bins: rows are parted only if bands would be too low otherwise.
inline Decomposition divide_interleaved(const Request& r, const DeviceLimits& device,
                                        Decomposition decomposition, const SchemeTuning& tuning) {
  using Sizes = InterleavedSizes;
  decomposition.team = block_warps;
  decomposition.bins_at_once = Sizes::bins_at_once;
  const Index fixed_bytes = Sizes::task_bytes + block_warps * Sizes::warp_bytes(decomposition.wide);
  const Index max_rows = (device.shared_bytes - fixed_bytes) / Sizes::row_bytes - 1;
  const int most = static_cast<int>(std::min<Index>(max_rows, tuning.max_band_rows));
  const Index strips = ceil_div(r.extents.columns, Sizes::strip);
  const Index max_segments = std::clamp<Index>(strips / 4, 1, tuning.max_segments);
  for (Index segments = 1; segments <= max_segments; ++segments) {
    const Index part = ceil_div(strips, segments);
    decomposition.segment = static_cast<int>(part) * Sizes::strip;
    decomposition.tasks =
        static_cast<int>(ceil_div(r.extents.bins, Sizes::bins_at_once) * ceil_div(strips, part));
    decomposition.band_rows =
        choose_band_rows(r.extents.rows, r.images * decomposition.tasks, device.multiprocessors,
                         std::min(tuning.min_band_rows, most), most);
    if (decomposition.band_rows >= std::min(tuning.wanted_band_rows, most)) break;
  }
  decomposition.shared_bytes = fixed_bytes + (decomposition.band_rows + 1) * Sizes::row_bytes;
  return decomposition;
}

/// @brief The columns of a block that counts: as many as leave none idle.
inline void divide_counting(const Request& r, const DeviceLimits& device,
                            Decomposition& decomposition) {
  const auto& [bins, rows, columns] = r.extents;
  const Index table = r.looks_up ? lookup_bytes : 0;
  const auto band_bytes = [&] { return (bins + 1) * decomposition.group * 4; };
  while (decomposition.group > 4 &&
         (r.images * ceil_div(columns, decomposition.group) < device.multiprocessors / 2 ||
          band_bytes() > device.shared_bytes - table))
    decomposition.group /= 2;
  decomposition.groups = static_cast<int>(ceil_div(columns, decomposition.group));
  decomposition.bands = static_cast<int>(ceil_div(rows, decomposition.band_rows));
  decomposition.counted_bands = static_cast<int>(
      std::min<Index>(decomposition.bands, (device.shared_bytes - table) / band_bytes()));
  decomposition.inverse_band_rows = static_cast<std::uint32_t>(
      ((Index(1) << 32) + decomposition.band_rows - 1) / decomposition.band_rows);
  decomposition.shared_bytes =
      std::max(decomposition.shared_bytes, table + decomposition.counted_bands * band_bytes());
  decomposition.counts = r.images * (decomposition.bands - 1) * bins * code_pitch(columns) *
                         (decomposition.wide ? 4 : 2);
}

/// @brief Small images: a single band, walked through without a queue of tasks.
inline Decomposition divide_small(const Request& r) {
  using Sizes = SmallSizes;
  const int strips = Sizes::strips(static_cast<int>(r.extents.columns));
  const int bins = static_cast<int>(r.extents.bins);
  Decomposition decomposition;
  decomposition.band_rows = static_cast<int>(r.extents.rows);
  decomposition.bands = 1;
  decomposition.counts = r.images * strips * Sizes::fours(bins) * r.extents.rows * 8;
  decomposition.shared_bytes =
      std::max((r.looks_up ? lookup_bytes : 0) +
                   Index(strips) * Sizes::counted_rows * Sizes::pitch(bins) * 4,
               2 * Sizes::threads * Sizes::bins_at_once * Sizes::match_bytes);
  return decomposition;
}

/// @brief The scheme for images of a size, on a device, and how it divides them.
inline SchemeChoice select_scheme(const Request& r, const DeviceLimits& device,
                                  const SchemeTuning& tuning = {}) {
  const auto& [bins, rows, columns] = r.extents;
  constexpr Index limit = std::numeric_limits<int>::max() / 2;
  const bool countable =
      r.wraps || rows * columns <= Index(std::numeric_limits<std::uint32_t>::max());
  if (r.order == Order::Other || std::max({rows, columns, r.images}) > limit || bins > 65535 ||
      !countable)
    return {};
  Decomposition decomposition;
  decomposition.wide = bins > max_narrow_bins || rows > max_narrow_rows;
  const Index blocks = SmallSizes::tasks(r);
  if (r.order == Order::Planar && !decomposition.wide && columns <= max_narrow_rows &&
      blocks <= device.multiprocessors && rows <= tuning.small_rows * std::max<Index>(blocks, 16)) {
    const Decomposition small = divide_small(r);
    if (small.shared_bytes <= device.shared_bytes) return {Scheme::SmallPlanar, small};
  }
  decomposition = r.order == Order::Planar ? divide_planes(r, device, decomposition, tuning)
                                           : divide_interleaved(r, device, decomposition, tuning);
  divide_counting(r, device, decomposition);
  if (decomposition.counted_bands == 0 || decomposition.shared_bytes > device.shared_bytes)
    return {};
  return {r.order == Order::Planar ? Scheme::Planar : Scheme::Interleaved, decomposition};
}

}  // namespace wavescan::Impl::histogram

#endif
