// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_EXTENDEDBLOCK_HPP
#define WAVESCAN_IMPL_MPI_EXTENDEDBLOCK_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <array>
#include <cstddef>
#include <utility>

/// @file
/// @brief Blocks of a grid together with rows and columns of their neighbours.
///
/// Everything is seen in the order of a sweep: the *predecessor* holds the rows, or columns,
/// that are relaxed before (above, to the left, for forward sweeps), the *successor* those after. A
/// backward sweep is a forward one of the array from its last entry to the first.

namespace wavescan::Impl::mpi {

struct Range {
  Index first = 0;
  Index count = 0;
};

/// @brief A rectangle of a grid.
template <class T>
Grid<T> rectangle(const Grid<T>& grid, const Range& rows, const Range& columns) {
  if (grid.data == nullptr || rows.count == 0 || columns.count == 0) return {};
  return {&grid(rows.first, columns.first), rows.count, columns.count, grid.row_stride,
          grid.column_stride};
}

/// @brief A number of values whose multiples keep the alignment to cache lines.
inline constexpr Index line_of_values = 32;

/// @brief A part of an array: rows and columns from the first ones on.
template <class View>
View part_of(const View& values, const Range& rows, const Range& columns) {
  const auto pair = [](const Range& r) { return Kokkos::make_pair(r.first, r.first + r.count); };
  return Kokkos::subview(values, pair(rows), pair(columns));
}

/// @brief A contiguous View as a grid of rows.
template <class View>
Grid<typename View::value_type> grid_in(const View& view, Index rows, Index columns) {
  return {view.data(), rows, columns, columns, 1};
}

template <class From, class T, ExecutionSpace Exec>
void copy_rectangle(const Exec& exec, const From& from, const Grid<T>& to) {
  if (to.rows > 0) sor::copy_entries(exec, "WaveScan::mpi::copy", sor::read_only(from), to);
}

/// @brief A block's rows, or its columns, and by how many it is extended. Directions are -1 for
/// the predecessor, 1 for the successor, and 0 for the block itself.
struct ExtendedRange {
  bool predecessor = false, successor = false;  ///< is there a process?
  Index count = 0;                              ///< unknowns of the block
  Index overlap = 0;                            ///< before the block, to be relaxed too
  Index look_ahead = 1;  ///< after it: as many as there are sweeps between exchanges
  Index overlap_of_successor = 0;

  /// @brief The number of rows or columns before the block's own: a halo, and the overlap if there
  /// is a predecessor.
  Index before() const { return 1 + (predecessor ? overlap : 0); }
  Index after() const { return successor ? look_ahead : 1; }
  Index all() const { return before() + count + after(); }
  bool reaches(int direction) const {
    return direction < 0 ? predecessor : direction == 0 || successor;
  }

  /// @brief The block's own, and the halo where there is no process.
  Range own() const {
    const Index lead = predecessor ? 0 : 1, trail = successor ? 0 : 1;
    return {before() - lead, lead + count + trail};
  }
  /// @brief The range that a process in that direction gives.
  Range from(int direction) const {
    if (direction == 0) return own();
    return direction < 0 ? Range{0, before()} : Range{before() + count, after()};
  }
  /// @brief The range that a process in that direction asks for.
  Range to(int direction) const {
    if (direction == 0) return own();
    return direction < 0
               ? Range{before(), look_ahead}
               : Range{before() + count - 1 - overlap_of_successor, 1 + overlap_of_successor};
  }
};

/// @brief The extension of a block in both dimensions, and its neighbours.
struct Extension {
  ExtendedRange rows, columns;
  std::array<int, 9> ranks{};

  int rank(int down, int right) const {
    if (!rows.reaches(down) || !columns.reaches(right)) return no_rank;
    return ranks[static_cast<std::size_t>(3 * (down + 1) + right + 1)];
  }
  /// @brief Ranks in a grid that is numbered row by row.
  /// @param next 1, or -1 for backward sweeps
  void number_ranks(int own, int process_columns, int next) {
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right)
        ranks[static_cast<std::size_t>(3 * (down + 1) + right + 1)] =
            own + next * (down * process_columns + right);
  }
};

/// @brief Messages that bring what neighbours have to the edges of extended blocks: one message in
/// each direction, corners included.
template <ExecutionSpace Exec, class T>
class EdgeExchange {
 public:
  /// @brief Brings the edges of `all`, an extended block, up to date. Collective.
  /// @param predecessors whether they are asked, too
  void refresh(const Transport<Exec>& transport, const Extension& e, const Grid<T>& all,
               bool predecessors) {
    Exchange exchange(transport);
    begin(exchange, transport.exec(), e, all, predecessors);
    exchange.wait();
    end(transport.exec(), e, all, predecessors);
  }
  /// @brief Begins a refresh, whose messages travel in the same exchange as others.
  void begin(Exchange<Exec>& exchange, const Exec& exec, const Extension& e, const Grid<T>& all,
             bool predecessors) {
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right)
        if (wanted(down, right, predecessors) && e.rank(down, right) != no_rank)
          exchange.receive(
              buffer(came_, down, right).part(0, size(e.rows.from(down), e.columns.from(right))),
              e.rank(down, right), tag(-down, -right));
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right) {
        if (!wanted(-down, -right, predecessors) || e.rank(down, right) == no_rank) continue;
        const Range rows = e.rows.to(down), columns = e.columns.to(right);
        const auto message = buffer(sent_, down, right).part(0, size(rows, columns));
        copy_rectangle(exec, rectangle(all, rows, columns),
                       grid_in(message.view(), rows.count, columns.count));
        exchange.send(message, e.rank(down, right), tag(down, right));
      }
  }
  /// @brief Ends a refresh, when the exchange has waited.
  void end(const Exec& exec, const Extension& e, const Grid<T>& all, bool predecessors) {
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right) {
        if (!wanted(down, right, predecessors) || e.rank(down, right) == no_rank) continue;
        const Range rows = e.rows.from(down), columns = e.columns.from(right);
        const auto message = buffer(came_, down, right).part(0, size(rows, columns));
        copy_rectangle(exec, grid_in(message.view(), rows.count, columns.count),
                       rectangle(all, rows, columns));
      }
  }

  /// @brief Makes buffers for such an extension.
  void reserve(const Transport<Exec>& transport, const Extension& e) {
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right) {
        if ((down == 0 && right == 0) || e.rank(down, right) == no_rank) continue;
        transport.enlarge(buffer(came_, down, right),
                          size(e.rows.from(down), e.columns.from(right)));
        transport.enlarge(buffer(sent_, down, right), size(e.rows.to(down), e.columns.to(right)));
      }
  }

 private:
  using buffer_type = typename Transport<Exec>::template buffer_type<T>;
  using buffers_type = std::array<buffer_type, 9>;

  /// @brief Whether something is asked for that comes from a direction.
  static bool wanted(int down, int right, bool predecessors) {
    return (down != 0 || right != 0) && (predecessors || (down >= 0 && right >= 0));
  }
  static Index size(const Range& rows, const Range& columns) { return rows.count * columns.count; }
  static int tag(int down, int right) { return 10 + 3 * (down + 1) + right + 1; }
  static buffer_type& buffer(buffers_type& buffers, int down, int right) {
    return buffers[static_cast<std::size_t>(3 * (down + 1) + right + 1)];
  }

  buffers_type sent_, came_;
};

/// @brief An extended block and its messages.
template <ExecutionSpace Exec, class T>
class ExtendedBlock {
 public:
  using view_type = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;

  /// @brief Makes what such an extension needs.
  void reserve(const Transport<Exec>& transport, const Extension& e) {
    resize(transport.exec(), e, values_);
    edges_.reserve(transport, e);
  }
  /// @brief Makes what such an extension needs, but takes `values` as its array.
  void reserve(const Transport<Exec>& transport, const Extension& e, const view_type& values) {
    values_ = values;
    edges_.reserve(transport, e);
  }
  /// @brief Makes an array like the extended block's.
  static void resize(const Exec& exec, const Extension& e, view_type& values) {
    const auto rows = static_cast<std::size_t>(e.rows.all());
    const auto columns = static_cast<std::size_t>(e.columns.all());
    if (values.extent(0) == rows && values.extent(1) == columns) return;
    // Rows have the same alignment, for kernels that load parts of cache lines, where all are
    // copied anyway.
    const bool alone = !e.columns.predecessor && !e.columns.successor;
    const Index unit = alone ? 1 : line_of_values;
    const Index pitch = (e.columns.all() + unit - 1) / unit * unit;
    values = part_of(
        view_type(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::mpi::extended"),
                  rows, static_cast<std::size_t>(pitch)),
        {0, e.rows.all()}, {0, e.columns.all()});
  }

  const view_type& values() const { return values_; }
  Grid<T> grid() const { return grid_of(values_); }
  /// @brief Goes on with other values, which take their place.
  void swap(view_type& values) { std::swap(values_, values); }

  /// @brief Fills the extended block from this process' part, with its halo, and the neighbours'.
  /// @param x      in the order of the sweep; its halo is taken where there is no neighbour
  /// @param predecessors whether they are asked, too
  void fill(const Transport<Exec>& transport, const Extension& e, const Grid<const T>& x,
            bool predecessors) {
    const Range rows = e.rows.own(), columns = e.columns.own();
    const auto in_x = [](const Range& own, const ExtendedRange& range) {
      return Range{range.predecessor ? 1 : 0, own.count};
    };
    copy_rectangle(transport.exec(), rectangle(x, in_x(rows, e.rows), in_x(columns, e.columns)),
                   rectangle(grid(), rows, columns));
    refresh(transport, e, predecessors);
  }
  EdgeExchange<Exec, T>& edges() { return edges_; }
  /// @brief Brings the neighbours' parts up to date.
  void refresh(const Transport<Exec>& transport, const Extension& e, bool predecessors) {
    edges_.refresh(transport, e, grid(), predecessors);
  }

 private:
  view_type values_;
  EdgeExchange<Exec, T> edges_;
};

}  // namespace wavescan::Impl::mpi

#endif
