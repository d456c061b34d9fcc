// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_ROWBLOCKS_HPP
#define WAVESCAN_IMPL_MPI_ROWBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_SegmentExchange.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>

#include <cstddef>
#include <exception>
#include <string_view>

/// @file
/// @brief Tables and histograms of sums whose rows are distributed, and that do not begin with what
/// all blocks above sum up to: it is added to all rows. For histograms it is the sum of these
/// blocks' last rows, each computed as if it were alone.

namespace wavescan::Impl::mpi {

/// @brief A block of rows of one or several tables (planes), as memory.
template <class T>
struct RowBlock {
  T* data;
  Index planes, rows, columns;
  Index plane_stride, row_stride, column_stride;

  KOKKOS_FUNCTION T& operator()(Index plane, Index row, Index column) const {
    return data[plane * plane_stride + row * row_stride + column * column_stride];
  }

  template <ViewOfRank<2> V>
  static RowBlock of(const V& v) {
    const auto [rows, columns] = extents(v, 0);
    return {v.data(), 1, rows, columns, 0, stride(v, 0), stride(v, 1)};
  }
  template <ViewOfRank<3> V>
  static RowBlock of(const V& v) {
    const auto [rows, columns] = extents(v, 1);
    return {v.data(),    static_cast<Index>(v.extent(0)), rows, columns, stride(v, 0), stride(v, 1),
            stride(v, 2)};
  }

 private:
  struct Extents {
    Index rows, columns;
  };
  template <class V>
  static Extents extents(const V& v, int first) {
    return {static_cast<Index>(v.extent(first)), static_cast<Index>(v.extent(first + 1))};
  }
  template <class V>
  static Index stride(const V& v, int r) {
    return static_cast<Index>(v.stride(r));
  }
};

/// @brief Takes the last row of a block: line p * columns + j is column j of plane p.
template <class T>
struct TakeLastRow {
  RowBlock<T> block;
  T* lines;
  KOKKOS_FUNCTION void operator()(const Index line) const {
    lines[line] = block(line / block.columns, block.rows - 1, line % block.columns);
  }
};

/// @brief Adds a row to all rows of a block, a row or an entry at a time.
template <class T>
struct AddToRows {
  RowBlock<T> block;
  const T* lines;
  struct Rows {};
  struct Entries {};

  KOKKOS_FUNCTION void operator()(Rows, const Index k) const {
    const Index plane = k / block.rows, row = k % block.rows;
    const T* const sums = lines + plane * block.columns;
    T* const entries = &block(plane, row, 0);
    if (block.column_stride == 1)
      for (Index j = 0; j < block.columns; ++j) entries[j] = Plus<T>()(sums[j], entries[j]);
    else
      for (Index j = 0; j < block.columns; ++j) add(plane, row, j);
  }
  KOKKOS_FUNCTION void operator()(Entries, const Index k) const {
    const Index row = k / block.columns;
    add(row / block.rows, row % block.rows, k % block.columns);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(Index plane, Index row, Index j) const {
    T& entry = block(plane, row, j);
    entry = Plus<T>()(lines[plane * block.columns + j], entry);
  }
};

/// @brief Enqueues the addition of a row, for each plane, to all rows of a block.
template <ExecutionSpace Exec, class T>
void add_to_rows(const Exec& exec, const RowBlock<T>& block, const T* lines) {
  const AddToRows<T> add{block, lines};
  const auto run = [&]<class Tag>(Tag, Index count) {
    Kokkos::parallel_for("WaveScan::mpi::add_blocks_above",
                         Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<Index>>(exec, 0, count),
                         add);
  };
  if constexpr (runs_on_host<Exec>)
    run(typename AddToRows<T>::Rows(), block.planes * block.rows);
  else
    run(typename AddToRows<T>::Entries(), block.planes * block.rows * block.columns);
}

/// @brief Fills the first row of a table that has a border: a zero, then entries.
template <class T>
struct FillFirstRow {
  RowBlock<T> block;
  const T* entries;
  KOKKOS_FUNCTION void operator()(const Index column) const {
    block(0, 0, column) = column == 0 ? T() : entries[column - 1];
  }
};

/// @brief Enqueues what a table lacks of the entries above.
/// @param border   rows, and columns, before its own entries: 0 or 1
/// @param complete whether its own entries lack nothing
template <ExecutionSpace Exec, class T>
void complete_table(const Exec& exec, const RowBlock<T>& table, const T* entries_above,
                    Index border, bool complete) {
  if (border > 0)
    enqueue_items(exec, "WaveScan::mpi::fill_border", table.columns, seconds_of_line,
                  FillFirstRow<T>{table, entries_above});
  if (complete) return;
  RowBlock<T> own = table;
  own.data += border * (table.row_stride + table.column_stride);
  own.rows -= border;
  own.columns -= border;
  add_to_rows(exec, own, entries_above);
}

/// @brief Workspace of a plan of tables, besides the plan of a block.
template <ExecutionSpace Exec, class T>
class RowBlockSums {
 public:
  RowBlockSums() = default;
  RowBlockSums(const Transport<Exec>& transport, Index lines) : exchange_(transport, lines) {}

  /// @brief Completes a block of which each process has computed its own. Collective.
  /// @param block  without data if an error kept it from being computed
  /// @param filled whether the last row is more than a border
  /// @throws what any process has caught
  void complete(const Transport<Exec>& transport, std::string_view operation,
                const RowBlock<T>& block, bool filled, std::exception_ptr error) const {
    const Exec& exec = transport.exec();
    const Index lines = block.planes * block.columns;
    if (!error && filled)
      error = exception_of([&] {
        enqueue_items(exec, "WaveScan::mpi::last_row", lines, seconds_of_line,
                      TakeLastRow<T>{block, exchange_.own()});
      });
    Agreement(transport.comm(), operation, {{"operation", number_of(operation)}}, error).reach();
    const bool preceded = exchange_.scan(
        transport, PlainRecurrence<Plus<T>>{}, transport.comm().rank(),
        [](int place) { return place; }, filled);
    if (preceded) add_to_rows(exec, block, exchange_.before());
  }

  std::size_t bytes() const { return exchange_.bytes(); }

 private:
  SegmentExchange<Exec, PlainRecurrence<Plus<T>>> exchange_;
};

}  // namespace wavescan::Impl::mpi

#endif
