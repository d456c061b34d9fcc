// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_EXTENDEDROWS_HPP
#define WAVESCAN_IMPL_MPI_EXTENDEDROWS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <cstddef>

/// @file
/// @brief Blocks of rows together with rows of their neighbours.
///
/// Everything is seen in the order of a sweep: the process *behind* holds the rows that are relaxed
/// before (above, for forward sweeps), the one *ahead* those after. A backward sweep is a forward
/// one of the array from its last entry to the first.

namespace wavescan::Impl::mpi {

/// @brief Rows [first, first + count) of a grid.
template <class T>
Grid<T> rows_of(const Grid<T>& grid, Index first, Index count) {
  if (grid.data == nullptr || count == 0) return {};
  return {&grid(first, 0), count, grid.columns, grid.row_stride, grid.column_stride};
}

/// @brief A contiguous View as a grid of rows.
template <class View>
Grid<typename View::value_type> grid_in(const View& view, Index rows, Index columns) {
  return {view.data(), rows, columns, columns, 1};
}

/// @brief How a block is extended, and whose neighbours' rows that takes.
struct Extension {
  int behind = no_rank;
  int ahead = no_rank;
  Index rows = 0;        ///< of the block
  Index columns = 0;     ///< with the halo
  Index overlap = 0;     ///< rows behind the block that are relaxed too
  Index look_ahead = 1;  ///< rows ahead: as many as there are sweeps between exchanges

  /// @brief Rows before the block's own: a halo, and the overlap if somebody is behind.
  Index before() const { return 1 + (behind == no_rank ? 0 : overlap); }
  Index after() const { return ahead == no_rank ? 1 : look_ahead; }
  Index all() const { return before() + rows + after(); }
};

/// @brief Messages of rows, and the extended block that they complete.
template <ExecutionSpace Exec, class T>
class ExtendedRows {
 public:
  using view_type = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;

  ExtendedRows() = default;
  /// @param most_before, most_after the most rows that an extension has
  ExtendedRows(const Transport<Exec>& transport, Index rows, Index columns, Index most_before,
               Index most_after)
      : most_before_(most_before),
        values_(Kokkos::view_alloc(transport.exec(), Kokkos::WithoutInitializing,
                                   "WaveScan::mpi::extended"),
                static_cast<std::size_t>(most_before + rows + most_after),
                static_cast<std::size_t>(columns)),
        from_behind_(transport.template buffer<T>(most_before * columns)),
        to_ahead_(transport.template buffer<T>(most_before * columns)),
        from_ahead_(transport.template buffer<T>(most_after * columns)),
        to_behind_(transport.template buffer<T>(most_after * columns)) {}

  /// @brief The extended block from its row `first` on.
  view_type view(const Extension& e, Index first) const {
    return view_type(values_.data() + first * e.columns, static_cast<std::size_t>(e.all() - first),
                     static_cast<std::size_t>(e.columns));
  }
  /// @brief The rows behind that there is room for.
  Index most_before() const { return most_before_; }
  Grid<T> grid(const Extension& e) const { return grid_in(values_, e.all(), e.columns); }

  /// @brief Fills the extended block from this process' part, with its halo, and the neighbours'.
  /// @param x          in the order of the sweep; its first and last row are taken where there is
  ///                   no neighbour
  /// @param from_behind whether the rows behind are asked for
  void fill(const Transport<Exec>& transport, const Extension& e, const Grid<const T>& x,
            bool from_behind) const {
    const Exec& exec = transport.exec();
    const Index more = e.overlap + 1;
    Exchange exchange(transport.comm());
    if (from_behind) exchange.receive(from_behind_, e.behind, rows_ahead);
    exchange.receive(from_ahead_, e.ahead, rows_behind);
    if (from_behind && e.ahead != no_rank) {
      copy(exec, rows_of(x, 1 + e.rows - more, more), grid_in(to_ahead_.view(), more, e.columns));
      exchange.send(exec, to_ahead_, more * e.columns, e.ahead, rows_ahead);
    }
    if (e.behind != no_rank) {
      copy(exec, rows_of(x, 1, e.look_ahead), grid_in(to_behind_.view(), e.look_ahead, e.columns));
      exchange.send(exec, to_behind_, e.look_ahead * e.columns, e.behind, rows_behind);
    }
    exchange.wait();
    if (from_behind && e.behind != no_rank) from_behind_.received(exec, more * e.columns);
    if (e.ahead != no_rank) from_ahead_.received(exec, e.look_ahead * e.columns);
    assemble(exec, e, x, from_behind);
  }

  /// @brief The same again, from the messages that have come.
  void assemble(const Exec& exec, const Extension& e, const Grid<const T>& x,
                bool from_behind) const {
    const Grid<T> all = grid(e);
    copy(exec, rows_of(x, 1, e.rows), rows_of(all, e.before(), e.rows));
    if (e.behind == no_rank)
      copy(exec, rows_of(x, 0, 1), rows_of(all, 0, 1));
    else if (from_behind)
      copy(exec, grid_in(from_behind_.view(), e.before(), e.columns), rows_of(all, 0, e.before()));
    if (e.ahead == no_rank)
      copy(exec, rows_of(x, 1 + e.rows, 1), rows_of(all, e.before() + e.rows, 1));
    else
      copy(exec, grid_in(from_ahead_.view(), e.look_ahead, e.columns),
           rows_of(all, e.before() + e.rows, e.look_ahead));
  }

  std::size_t bytes() const {
    return values_.size() * sizeof(T) + 2 * from_behind_.bytes() + 2 * from_ahead_.bytes();
  }

 private:
  static constexpr int rows_ahead = 2, rows_behind = 3;  // tags: which way messages go

  template <class From>
  static void copy(const Exec& exec, const From& from, const Grid<T>& to) {
    if (to.rows > 0) sor::copy_entries(exec, "WaveScan::mpi::rows", sor::read_only(from), to);
  }

  Index most_before_ = 0;
  view_type values_;
  typename Transport<Exec>::template buffer_type<T> from_behind_, to_ahead_, from_ahead_,
      to_behind_;
};

}  // namespace wavescan::Impl::mpi

#endif
