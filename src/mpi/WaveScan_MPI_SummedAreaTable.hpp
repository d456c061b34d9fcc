// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SUMMEDAREATABLE_HPP
#define WAVESCAN_MPI_SUMMEDAREATABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_ColumnSums.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_RowBlocks.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <exception>
#include <optional>

/// @file
/// @brief Summed-area tables of images whose rows are distributed over processes.
///
/// Source of the formula: Hou et al., IPDPS 2018, section IV.

namespace wavescan::mpi {

/// @brief A plan for summed-area tables of distributed images, which owns buffers and a
/// communicator.
///
/// Every process holds a block of rows, of any number, also 0; blocks follow each other in the
/// order of ranks. Its table holds, for its rows, the sums over the whole image from row 0 on. With
/// `zero_border` a table has one row and one column more than its block: the row is the last one of
/// the blocks above, zeros on the first process, so that sums over rectangles inside a block need
/// no other process. All functions are collective, see mpi::Scan.
///
/// Integers are exact. Sums of floating-point numbers depend on the distribution by rounding.
///
/// The sums over the columns of a block go to the processes below first, so the image is read
/// twice. Then its table is computed, which begins with the sums over all columns above.
///
/// Cost, for a block of m x n: that of wavescan::SummedAreaTable, one more time to read the image,
/// and ceil(log2 P) messages of n sums. On GPUs other than NVIDIA's, where `zero_border` keeps rows
/// from beginning at multiples of 16 bytes, for small tables, and where columns run along memory,
/// the sums above are added in one more pass over the table. Memory: 5 n sums besides, and sums
/// over parts of the columns, on GPUs some MiB.
/// @tparam Exec  execution space
/// @tparam Pixel element type of the images
/// @tparam T     element type of the tables
template <ExecutionSpace Exec, class Pixel, class T>
class SummedAreaTable {
 public:
  /// @param comm    communicator, which the plan duplicates
  /// @param exec    instance that all calls enqueue on
  /// @param rows    rows of this process' block
  /// @param columns columns, the same on all processes
  /// @param options border, accuracy; the same on all processes
  /// @throws std::invalid_argument if a size is negative, or columns or border differ
  SummedAreaTable(MPI_Comm comm, const Exec& exec, std::int64_t rows, std::int64_t columns,
                  const SummedAreaTableOptions& options = {})
      : transport_(exec, Impl::mpi::Communicator::duplicate("mpi::SummedAreaTable", comm)),
        rows_(rows),
        columns_(columns),
        border_(options.zero_border ? 1 : 0) {
    const Impl::Calling calling("mpi::SummedAreaTable");
    Impl::mpi::together(transport_.comm(), "mpi::SummedAreaTable",
                        {{"operation", Impl::mpi::number_of_call<Pixel, T>("mpi::SummedAreaTable")},
                         {"columns", columns},
                         {"zero_border", border_}},
                        [&] {
                          local_.emplace(exec, rows, columns, options);
                          sums_ = decltype(sums_)(transport_, rows, columns);
                        });
  }

  /// @brief The block's part of the table; waits. See wavescan::summed_area_table.
  /// @throws std::invalid_argument on all processes, if one of them would in
  /// wavescan::summed_area_table; tables of other processes then hold nothing of use
  template <ViewOfRank<2> Image, ViewOfRank<2> Table>
  void operator()(const Image& image, const Table& table) const {
    const Impl::Calling calling("mpi::summed_area_table");
    const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::summed_area_table");
    constexpr const char* operation = "mpi::summed_area_table";
    const Impl::mpi::Communicator& comm = transport_.comm();
    const bool followed = comm.rank() + 1 < comm.size();
    std::exception_ptr error = Impl::mpi::exception_of([&] {
      const typename Image::const_type pixels = image;
      const auto grid = grid_of(pixels);
      if (grid.rows != rows_ || grid.columns != columns_)
        (*local_)(image, table);  // says what is wrong
      else if (followed)
        sums_.reduce(transport_, grid);
    });
    Impl::mpi::Agreement(comm, operation, {{"operation", Impl::mpi::number_of(operation)}}, error)
        .reach();
    const auto above = sums_.above(transport_, followed && rows_ > 0);
    bool complete = false;
    error = Impl::mpi::exception_of(
        [&] { complete = Impl::sat::ContinuedTable::enqueue(*local_, image, table, above); });
    Impl::mpi::Agreement(comm, operation, {}, error).reach();
    if (above.columns)
      Impl::mpi::complete_table(transport_.exec(), Impl::mpi::RowBlock<T>::of(table), above.up_to,
                                border_, complete);
  }

  /// @brief Waits for the calls.
  void wait() const { transport_.exec().fence("WaveScan::mpi::summed_area_table::wait"); }

 private:
  Impl::mpi::Transport<Exec> transport_;
  std::int64_t rows_, columns_;
  std::int64_t border_;  ///< rows, and columns
  std::optional<wavescan::SummedAreaTable<Exec, Pixel, T>> local_;
  Impl::mpi::ColumnSums<Exec, Pixel, T> sums_;
};

/// @brief Summed-area table of an image whose rows are distributed: see mpi::SummedAreaTable.
///
/// Collective over `comm`; waits for the result.
/// @param comm    communicator
/// @param exec    execution space instance
/// @param image   View of rank 2, this process' rows
/// @param table   View of the same extents, with `zero_border` of one row and column more
/// @param options border, accuracy
template <ExecutionSpace Exec, ViewOfRank<2> Image, ViewOfRank<2> Table>
void summed_area_table(MPI_Comm comm, const Exec& exec, const Image& image, const Table& table,
                       const SummedAreaTableOptions& options = {}) {
  const Impl::Calling calling("mpi::summed_area_table");
  const SummedAreaTable<Exec, typename Image::non_const_value_type, typename Table::value_type>
      plan(comm, exec, static_cast<std::int64_t>(image.extent(0)),
           static_cast<std::int64_t>(image.extent(1)), options);
  plan(image, table);
  plan.wait();
}

/// @brief mpi::summed_area_table on the default instance of the table's execution space.
template <ViewOfRank<2> Image, ViewOfRank<2> Table>
void summed_area_table(MPI_Comm comm, const Image& image, const Table& table,
                       const SummedAreaTableOptions& options = {}) {
  summed_area_table(comm, typename Table::execution_space(), image, table, options);
}

}  // namespace wavescan::mpi

#endif
