// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_PROCESSGRID_HPP
#define WAVESCAN_IMPL_MPI_PROCESSGRID_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_ExtendedBlock.hpp>
#include <impl/WaveScan_MPI_SORPasses.hpp>
#include <impl/WaveScan_Require.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wavescan::Impl::mpi {

/// @brief The blocks of a grid of processes. Rows and columns of processes whose blocks are empty
/// take no part.
class ProcessGrid {
 public:
  /// @brief Collective.
  /// @param process_columns processes beside each other
  /// @param rows, columns   unknowns of this process' block
  /// @param band            rows of a band of fused sweeps
  /// @throws std::invalid_argument on all processes, if blocks are not those of a grid
  ProcessGrid(const Communicator& comm, std::string_view operation, int process_columns, Index rows,
              Index columns, Index band)
      : band_(band) {
    const auto all = all_numbers<3>(comm, {rows, columns, band});
    const int size = comm.size();
    require(size % process_columns == 0, operation, "process_columns",
            "must divide the number of processes, " + std::to_string(size), process_columns);
    const auto of = [&](int row, int column) -> const std::array<std::int64_t, 3>& {
      return all[static_cast<std::size_t>(row * process_columns + column)];
    };
    std::vector<Index> heights, widths;
    for (int p = 0; p < size / process_columns; ++p) heights.push_back(of(p, 0)[0]);
    for (int q = 0; q < process_columns; ++q) widths.push_back(of(0, q)[1]);
    for (int rank = 0; rank < size; ++rank) {
      const int p = rank / process_columns, q = rank % process_columns;
      require(of(p, q)[0] == heights[static_cast<std::size_t>(p)], operation, "rows",
              "must be the same on all ranks beside each other", of(p, q)[0]);
      require(of(p, q)[1] == widths[static_cast<std::size_t>(q)], operation, "columns",
              "must be the same on all ranks below each other", of(p, q)[1]);
      if (of(p, q)[0] > 0 && of(p, q)[1] > 0 && of(p, q)[2] != band) band_ = 0;
    }
    rows_ = place_in(heights, comm.rank() / process_columns);
    columns_ = place_in(widths, comm.rank() % process_columns);
  }

  bool takes_part() const { return rows_.count > 0 && columns_.count > 0; }
  const BlockPlace& rows() const { return rows_; }
  const BlockPlace& columns() const { return columns_; }
  /// @brief Rows of a band where they are the same everywhere, else 0.
  Index band() const { return band_; }

  /// @brief An array with its halo, as a block that is extended by a row and a column; ranks are
  /// those of the processes that take part.
  Extension halo() const {
    Extension e;
    e.rows = {rows_.has_predecessor(), rows_.has_successor(), rows_.count};
    e.columns = {columns_.has_predecessor(), columns_.has_successor(), columns_.count};
    e.number_ranks(rows_.place * columns_.places + columns_.place, columns_.places, 1);
    return e;
  }

 private:
  /// @brief A place among those that are not empty.
  static BlockPlace place_in(const std::vector<Index>& counts, int own) {
    BlockPlace place;
    place.places = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (k == static_cast<std::size_t>(own)) {
        place.place = place.places;
        place.before = place.total;
        place.count = counts[k];
      }
      place.total += counts[k];
      if (counts[k] == 0) continue;
      place.least = place.places == 0 ? counts[k] : std::min(place.least, counts[k]);
      ++place.places;
    }
    return place;
  }

  BlockPlace rows_, columns_;
  Index band_;
};

}  // namespace wavescan::Impl::mpi

#endif
