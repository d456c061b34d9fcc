// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_INTEGRALHISTOGRAM_HPP
#define WAVESCAN_MPI_INTEGRALHISTOGRAM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_RowBlocks.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <exception>
#include <optional>

/// @file
/// @brief Integral histograms of images whose rows are distributed over processes.
///
/// Source of the formula: Hou et al., IPDPS 2018, section IV.

namespace wavescan::mpi {

/// @brief A plan for integral histograms of distributed images, which owns buffers and a
/// communicator.
///
/// Every process holds a block of rows, of any number, and the counts of the whole image from row 0
/// on for these. All functions are collective, see mpi::Scan. Integers are exact.
///
/// Cost, for a block of m x n and b bins: that of wavescan::IntegralHistogram, ceil(log2 P)
/// messages of b n counts, and one more pass over the histogram. Memory: 3 b n counts besides.
/// @tparam Exec  execution space
/// @tparam Pixel element type of the images
/// @tparam Bins  the binning
/// @tparam Count element type of the histograms
template <ExecutionSpace Exec, class Pixel, Binning<Pixel> Bins, class Count>
class IntegralHistogram {
 public:
  /// @param comm    communicator, which the plan duplicates
  /// @param exec    instance that all calls enqueue on
  /// @param bins    number of bins, the same on all processes
  /// @param rows    rows of this process' block
  /// @param columns columns, the same on all processes
  /// @throws std::invalid_argument if a size is out of range, or bins or columns differ
  IntegralHistogram(MPI_Comm comm, const Exec& exec, std::int64_t bins, std::int64_t rows,
                    std::int64_t columns)
      : transport_(exec, Impl::mpi::Communicator::duplicate("mpi::IntegralHistogram", comm)),
        rows_(rows) {
    const Impl::Calling calling("mpi::IntegralHistogram");
    Impl::mpi::together(
        transport_.comm(), "mpi::IntegralHistogram",
        {{"operation", Impl::mpi::number_of_call<Pixel, Bins, Count>("mpi::IntegralHistogram")},
         {"bins", bins},
         {"columns", columns}},
        [&] {
          local_.emplace(exec, bins, rows, columns);
          sums_ = decltype(sums_)(transport_, bins * columns);
        });
  }

  /// @brief The block's part of the histogram; waits. See wavescan::integral_histogram.
  /// @throws std::invalid_argument on all processes, if one of them would in
  /// wavescan::integral_histogram; histograms of other processes then hold nothing of use
  template <ViewOfRank<2> Image, ViewOfRank<3> Histogram>
  void operator()(const Image& image, const Bins& binning, const Histogram& histogram) const {
    const Impl::Calling calling("mpi::integral_histogram");
    const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::integral_histogram");
    const std::exception_ptr error =
        Impl::mpi::exception_of([&] { (*local_)(image, binning, histogram); });
    sums_.complete(transport_, "mpi::integral_histogram", Impl::mpi::RowBlock<Count>::of(histogram),
                   rows_ > 0, error);
  }

  /// @brief Waits for the calls.
  void wait() const { transport_.exec().fence("WaveScan::mpi::integral_histogram::wait"); }

 private:
  Impl::mpi::Transport<Exec> transport_;
  std::int64_t rows_;
  std::optional<wavescan::IntegralHistogram<Exec, Pixel, Bins, Count>> local_;
  Impl::mpi::RowBlockSums<Exec, Count> sums_;
};

/// @brief Integral histogram of an image whose rows are distributed: see mpi::IntegralHistogram.
///
/// Collective over `comm`; waits for the result.
/// @param comm      communicator
/// @param exec      execution space instance
/// @param image     View of rank 2, this process' rows
/// @param binning   turns pixels into bins
/// @param histogram View (bin, row, column)
template <ExecutionSpace Exec, ViewOfRank<2> Image, class Bins, ViewOfRank<3> Histogram>
void integral_histogram(MPI_Comm comm, const Exec& exec, const Image& image, const Bins& binning,
                        const Histogram& histogram) {
  const Impl::Calling calling("mpi::integral_histogram");
  const IntegralHistogram<Exec, typename Image::non_const_value_type, Bins,
                          typename Histogram::value_type>
      plan(comm, exec, static_cast<std::int64_t>(histogram.extent(0)),
           static_cast<std::int64_t>(image.extent(0)), static_cast<std::int64_t>(image.extent(1)));
  plan(image, binning, histogram);
  plan.wait();
}

/// @brief mpi::integral_histogram on the default instance of the histogram's execution space.
template <ViewOfRank<2> Image, class Bins, ViewOfRank<3> Histogram>
void integral_histogram(MPI_Comm comm, const Image& image, const Bins& binning,
                        const Histogram& histogram) {
  integral_histogram(comm, typename Histogram::execution_space(), image, binning, histogram);
}

}  // namespace wavescan::mpi

#endif
