// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_SORPASSES_HPP
#define WAVESCAN_IMPL_MPI_SORPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_MPI_SOROptions.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORPlan.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_ExtendedBlock.hpp>
#include <impl/WaveScan_MPI_FusedSweeps.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <type_traits>
#include <utility>

/// @file
/// @brief Sweeps of SOR over blocks of a grid, bit for bit those of the whole array.
///
/// Processes are a grid themselves, of any numbers of rows and columns. A pass is up to `depth`
/// sweeps between two exchanges of edges. A process's predecessors hold what a sweep relaxes before
/// its block, its successors what comes after. A sweep needs, of the row and the column before the
/// block, the values of the same sweep, and of those after it the values of the sweep before. For
/// the latter a block is extended by `depth` rows and columns: each sweep makes one more of them
/// wrong, from the far end, and the last sweep finds one that is right. For the former there are
/// two ways:
///
/// Pipeline: the predecessors send their last row, or column, after every sweep. Processes on
/// an antidiagonal of their grid work at the same time (Koch, Baker and Alcouffe, 1992). Where
/// sweeps are fused, what crosses a line between two bands, and a partition through them, in a
/// whole pass is sent. A block of rows then has two parts: when the upper one is done, its first
/// rows go to the predecessor, which does its upper part of the next pass meanwhile. In grids
/// blocks look ahead for several passes instead.
///
/// Speculation: the block is extended on the other side, too, and begins from old values there.
/// Errors shrink from row to row until trajectories agree to the bit. Whether they did by the row,
/// or column, before the block is known when the predecessor has sent what it has there, for every
/// sweep of the pass: if all is equal, a block has seen nothing but right values, provided that
/// those of the predecessors are right, which by induction from the first process they are. If any
/// process finds a difference, all do the pass again in the pipeline, from the values before it,
/// which are kept. Where sweeps are fused, the row is one between two bands, in sweep s the s-th
/// row above it, and the column a partition through them.

namespace wavescan::Impl::mpi {

/// @brief Whether values differ, as bits, at some places of lists; or what they come from is of no
/// use.
template <class T>
struct BitsDiffer {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T* a;
  const T* b;
  ComparedPlaces places;
  const unsigned* failed;  ///< not zero: of no use; may be null
  KOKKOS_FUNCTION void operator()(const Index k, int& differ) const {
    if (k == 0 && failed && *failed != 0) differ = 1;
    if (places.has(k / places.length + 1, k % places.length) &&
        reinterpret_cast<const word*>(a)[k] != reinterpret_cast<const word*>(b)[k])
      differ = 1;
  }
};

/// @brief A mask as bytes.
template <class Fixed>
struct BytesOfMask {
  Fixed fixed;
  Grid<unsigned char> bytes;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const { bytes(i, j) = fixed(i, j) ? 1 : 0; }
};

/// @brief The place of a block in one dimension of the grid.
struct BlockPlace {
  int place = 0;     ///< of the process in its column, or row, of processes
  int places = 1;    ///< processes there
  Index count = 0;   ///< unknowns of the block
  Index before = 0;  ///< unknowns of the blocks before
  Index total = 0;   ///< of all blocks
  Index least = 0;   ///< of the smallest one

  /// @brief Returns the place in the order of a backward sweep.
  BlockPlace reversed() const {
    return {places - 1 - place, places, count, total - before - count, total, least};
  }
  bool has_predecessor() const { return place > 0; }
  bool has_successor() const { return place + 1 < places; }
};

/// @brief An interface between two blocks: the values that go across it from one process to the
/// next.
template <ExecutionSpace Exec, class T>
struct BlockInterface {
  using buffer_type = typename Transport<Exec>::template buffer_type<T>;
  buffer_type sent;  ///< what the successor depends on, sweep by sweep
  buffer_type came;  ///< what the predecessor has sent
  buffer_type seen;  ///< and what stood for it here
  int tag = 0;
  int from = no_rank, to = no_rank;
  Index length = 0;  ///< of the values of a sweep

  void reserve(const Transport<Exec>& transport, Index size) {
    for (buffer_type* buffer : {&sent, &came, &seen}) transport.enlarge(*buffer, size);
  }
  buffer_type part(const buffer_type& buffer, int sweep) const {
    return buffer.part(sweep * length, length);
  }
};

/// @brief Passes over the blocks of the processes that have unknowns.
template <ExecutionSpace Exec, class T>
class SORPasses {
  using interface_type = BlockInterface<Exec, T>;
  using view_type = typename ExtendedBlock<Exec, T>::view_type;

 public:
  SORPasses() = default;
  /// @param band rows of a band of fused sweeps, the same on all processes; 0: none
  SORPasses(const Transport<Exec>& transport, const BlockPlace& rows, const BlockPlace& columns,
            Index band, const wavescan::mpi::SOROptions& options)
      : transport_(transport),
        rows_(rows),
        columns_(columns),
        band_(band),
        options_(options),
        depth_(options.depth > 0 ? options.depth : 8),
        fused_(transport.exec(), rows.count + 2, columns.count + 2) {
    for (const BlockPlace& place : {rows, columns})
      if (place.places > 1) depth_ = std::min(depth_, place.least);
    down_.tag = 4;
    right_.tag = 5;
  }

  /// @brief Rows of a band of fused sweeps on this machine.
  static Index band(const Exec& exec, Index rows, Index columns) {
    return FusedSweeps<Exec, T>(exec, rows + 2, columns + 2).band();
  }

  /// @brief An array of the block with its halo, in whose memory there is room for its extension.
  view_type array() {
    if (home_.data() == nullptr) {
      const bool in_turn = columns_.places > 1 && fused_type::have_parts;
      const Index look_ahead = depth_ * (in_turn ? passes_between_exchanges : 1);
      room_rows_ = Room::around(rows_, look_ahead);
      room_columns_ = Room::around(columns_, look_ahead);
      Index pitch = room_columns_.all(columns_.count + 2);
      if (columns_.places > 1) {  // rows, and extended blocks in them, begin at cache lines
        room_columns_.before = room_columns_.before / line_of_values * line_of_values +
                               columns_.before % line_of_values;
        pitch = (room_columns_.all(columns_.count + 2) / line_of_values + 1) * line_of_values;
      }
      home_ = view_type("WaveScan::mpi::array",
                        static_cast<std::size_t>(room_rows_.all(rows_.count + 2)),
                        static_cast<std::size_t>(pitch));
    }
    return part_of(home_, {room_rows_.before, rows_.count + 2},
                   {room_columns_.before, columns_.count + 2});
  }

  /// @brief Does `count` sweeps in one direction on `problem.x`. Collective.
  /// @return passes that had to be done again
  /// @throws on all processes what one of them has caught; x is as it was then, or, if it has room
  /// for its extension, holds nothing of use
  template <class Problem>
  std::int64_t sweep(const Problem& problem, int count, bool backward) {
    const auto p = backward ? sor::reversed(problem) : problem;
    way_ = way_for(p, count);
    extend(backward);
    error_ = nullptr;
    const view_type in_place = place_of(p.x);
    prepare(p, in_place);
    std::int64_t repeated = 0;
    if (in_place.data() != nullptr)
      x_.refresh(transport_, extension_, way_.asks_predecessors());
    else
      x_.fill(transport_, extension_, sor::read_only(p.x), way_.asks_predecessors());
    if constexpr (fused_type::have_parts)
      if (way_.fused && !way_.speculates) {
        if (columns_.places == 1)
          fused_pipeline(p, count);
        else
          fused_pipeline_of_grid(p, count);
        count = 0;
      }
    if (transport_.comm().size() == 1 && count > 0) {  // nobody to exchange edges with
      guarded([&] { sweep_block(p, x_.values(), {}, count); });
      count = 0;
    }
    bool refreshed = count > 0;
    Index wrong = 0;  // rows behind, from the first one on, that passes have not got right
    for (int done = 0, sweeps = 0; done < count; done += sweeps) {
      const Index most = std::min<Index>(count - done, depth_);
      sweeps = way_.fused ? fused_.depth(p, most) : static_cast<int>(most);
      if (!refreshed) x_.refresh(transport_, extension_, way_.speculates);
      wrong = refreshed ? wrong + way_.settling : way_.settling;
      const bool asks_predecessors = columns_.places > 1 || wrong + way_.settling > way_.rows;
      if (asks_predecessors) wrong = 0;
      refreshed =
          way_.speculates && speculate(p, sweeps, asks_predecessors && done + sweeps < count);
      if (refreshed) continue;
      if (way_.speculates) ++repeated;
      pipeline(p, sweeps);
    }
    const bool stays = x_.values().data() == in_place.data();
    has_halo_ = agree(stays && refreshed && columns_.places == 1 ? 1 : 0) == 1;
    if (!stays) store(p.x);
    return repeated;
  }
  /// @brief Whether the last sweeps have left in x what neighbours have beside it, on all
  /// processes.
  bool has_halo() const { return has_halo_; }

 private:
  /// @brief The way in which processes sweep together; the same on all of them.
  struct Way {
    bool speculates = false;
    bool fused = false;
    Index rows = 0, columns = 0;  ///< by which blocks begin early, or more in bands
    Index settling = 0;           ///< rows after which errors from above have gone
    Index look_ahead = 0;         ///< sweeps between two exchanges of edges, if not the depth
    bool asks_predecessors() const { return speculates || fused; }
  };
  /// @brief Rows, or columns, of an array around a block with its halo.
  struct Room {
    Index before = 0, after = 0;
    static Room around(const BlockPlace& place, Index look_ahead) {
      constexpr Index most = 1024;
      return {place.has_predecessor() ? std::min(most, place.least) : 0,
              place.has_successor() ? look_ahead : 0};
    }
    Index all(Index of_block) const { return before + of_block + after; }
  };
  /// @brief The first row and column of a part of the extended block.
  struct Corner {
    Index row = 0, column = 0;
  };

  static constexpr Index passes_between_exchanges = 16;  ///< of a grid's pipeline, at most
  static constexpr double fused_sweep = 0.45;            ///< in units of a single one

  const Exec& exec() const { return transport_.exec(); }

  /// @brief Work that another process may wait for the end of, but not for its success.
  template <class Work>
  void guarded(const Work& work) {
    if (!error_) error_ = exception_of(work);
  }
  std::int64_t agree(std::int64_t least = 0) {
    return Agreement(transport_.comm(), "mpi::sor_sweeps", {}, error_, least).reach();
  }

  template <class Problem>
  Way way_for(const Problem& p, int count) const {
    using wavescan::mpi::SORScheme;
    if (transport_.comm().size() == 1) return {};
    const SORCoefficients<T>& c = p.coefficients;
    const Way pipeline = pipeline_way(count);
    if (options_.scheme == SORScheme::Pipeline) return pipeline;
    const auto overlap = [&](const BlockPlace& place, T along, T across) -> Index {
      if (place.places == 1) return 0;
      return options_.overlap >= 0
                 ? options_.overlap
                 : sor::speculation_overlap<T>(along, across, static_cast<int>(depth_));
    };
    Way way{true, band_ > 0 && fused_.depth(p, 1) > 0, overlap(rows_, c.up, c.left),
            overlap(columns_, c.left, c.up)};
    way.settling = way.rows;
    const Index most_rows = rows_.least - 1, most_columns = columns_.least - 1;
    if (way.fused) {  // a line between bands, and a partition, have to lie before the block
      const Index aligned_rows = rows_.places > 1 ? std::max(way.rows, band_) : 0;
      const Index before = columns_.places > 1 ? fused_.columns_before(way.columns, depth_) : 0;
      way.fused = (aligned_rows == 0 || aligned_rows + band_ - 1 <= most_rows) &&
                  (before == 0 || before + fused_.step() - 1 <= most_columns);
      if (way.fused) {
        way.rows = aligned_rows;
        way.columns = before;
      }
    }
    const bool possible = way.rows <= (rows_.places == 1 ? 0 : most_rows) &&
                          way.columns <= (columns_.places == 1 ? 0 : most_columns);
    if (options_.scheme == SORScheme::Speculation) {
      way.rows = std::min(way.rows, most_rows);
      way.columns = std::min(way.columns, most_columns);
      return way;
    }
    if (!possible) return pipeline;
    const auto more = [](Index twice, const BlockPlace& place) {
      return 1 + static_cast<double>(twice) / static_cast<double>(place.least);
    };
    const double sweeps = count * more(way.rows, rows_) * more(way.columns, columns_);
    return sweeps * (way.fused ? fused_sweep : 1) < time_of(pipeline, count) ? way : pipeline;
  }
  /// @brief The pipeline, of fused sweeps if blocks are large enough, and there are enough sweeps:
  /// above the line between bands there is a row for each sweep of a pass. In a grid of processes
  /// all wait for their successors when edges are exchanged, so that blocks look ahead for several
  /// passes.
  Way pipeline_way(int count) const {
    const Way single;
    if (band_ == 0 || !fused_type::have_parts) return single;
    Way way{false, true, depth_ + band_, fused_.columns_before(0, depth_)};
    if (columns_.places > 1) {
      Index passes = std::min<Index>((count + depth_ - 1) / depth_, passes_between_exchanges);
      for (const BlockPlace& place : {rows_, columns_})
        if (place.places > 1) passes = std::min(passes, place.least / (16 * depth_));
      way.look_ahead = depth_ * std::max<Index>(1, passes);
    }
    const auto fits = [&](const BlockPlace& place, Index& early, Index step) {
      if (place.places == 1) early = 0;
      return place.places == 1 || (early + step <= place.least && way.look_ahead <= place.least);
    };
    return fits(rows_, way.rows, band_) && fits(columns_, way.columns, fused_.step()) &&
                   time_of(way, count) < time_of(single, count)
               ? way
               : single;
  }
  /// @brief The time of a pipeline in units of a single sweep of a block: it fills, pass by pass or
  /// sweep by sweep, and waits for the successors' edges between exchanges.
  double time_of(const Way& way, int count) const {
    const Index others = rows_.places + columns_.places - 2;
    if (!way.fused) return static_cast<double>(count + others + 2 * ((count - 1) / depth_));
    const Index exchanges = way.look_ahead > 0 ? (count - 1) / way.look_ahead : 0;
    return fused_sweep * static_cast<double>(count + depth_ * (others + 2 * exchanges));
  }

  /// @brief The number of rows, or columns, by which a block begins early that has so many before
  /// it: at a multiple of `step`, in the whole grid, if sweeps are fused.
  Index overlap_of(Index overlap, Index before, Index step) const {
    return way_.fused && before > 0 ? overlap + (before - overlap) % step : overlap;
  }
  static ExtendedRange extended(const BlockPlace& place, Index look_ahead, const auto& overlap_of) {
    return {place.has_predecessor(),
            place.has_successor(),
            place.count,
            overlap_of(place.before),
            look_ahead,
            overlap_of(place.before + place.count)};
  }

  /// @brief Finds the neighbours, and what is exchanged with them.
  void extend(bool backward) {
    const BlockPlace rows = backward ? rows_.reversed() : rows_;
    const BlockPlace columns = backward ? columns_.reversed() : columns_;
    Extension& e = extension_;
    const Index look_ahead = std::max(depth_, way_.look_ahead);
    e.rows = extended(rows, look_ahead, [&](Index before) {
      return overlap_of(way_.rows, before, std::max<Index>(band_, 1));
    });
    e.columns = extended(columns, look_ahead, [&](Index before) {
      return overlap_of(way_.columns, before, fused_.step());
    });
    e.number_ranks(transport_.comm().rank(), columns.places, backward ? -1 : 1);
    down_.from = e.rank(-1, 0);
    down_.to = e.rank(1, 0);
    down_.length = columns.count + e.columns.after();
    right_.from = e.rank(0, -1);
    right_.to = e.rank(0, 1);
    right_.length = rows.count + e.rows.after();
    if (way_.fused) {  // lines between bands, in rows of the extended block
      line_ = rows.has_predecessor() ? e.rows.overlap - rows.before % band_ : 0;
      const Index end = rows.before + rows.count;
      leaving_line_ = rows.has_successor() ? e.rows.before() - 1 + rows.count - end % band_ : 0;
      const Index first = e.columns.before();
      partition_ = columns.has_predecessor() ? fused_.partition_before(first) : 0;
      leaving_partition_ =
          columns.has_successor() ? fused_.partition_before(first + columns.count) : 0;
    }
  }
  /// @brief Places that neighbours compare after a pass; their lists are what goes across an
  /// interface.
  ComparedPlaces compared(const interface_type& interface, int sweeps) const {
    const ExtendedRange &rows = extension_.rows, &columns = extension_.columns;
    if (way_.fused && &interface == &right_)
      return fused_.compared_at_partition(rows.all(), sweeps, line_);
    ComparedPlaces places;
    if (way_.fused && partition_ > 0) places = fused_.behind_partition(partition_);
    const ExtendedRange& along = &interface == &down_ ? columns : rows;
    places.lists = sweeps;
    places.length = way_.fused ? columns.all() - 2 : interface.length;
    places.end = (way_.fused ? columns.before() - 1 : 0) + along.count;
    if (along.successor) {
      places.end += along.look_ahead;
      places.end_slope = -1;
    }
    return places;
  }

  /// @brief The extended block where it can lie in x and around it, else nothing.
  view_type place_of(const Grid<T>& x) const {
    const ExtendedRange &rows = extension_.rows, &columns = extension_.columns;
    const auto fits = [](const ExtendedRange& e, const Room& room) {
      return e.before() - 1 <= room.before && e.after() - 1 <= room.after;
    };
    if (x.column_stride != 1) return {};
    const Grid<T> home = grid_of(home_);
    if (home.data != nullptr && x.row_stride == home.row_stride &&
        x.data == &home(room_rows_.before, room_columns_.before)) {
      if (!fits(rows, room_rows_) || !fits(columns, room_columns_)) return {};
      return part_of(home_, {room_rows_.before + 1 - rows.before(), rows.all()},
                     {room_columns_.before + 1 - columns.before(), columns.all()});
    }
    if (x.row_stride != x.columns || !fits(rows, {}) || !fits(columns, {})) return {};
    return view_type(x.data, static_cast<std::size_t>(x.rows), static_cast<std::size_t>(x.columns));
  }
  /// @brief Makes another array, whose rows lie as far from cache lines.
  view_type second_array(const view_type& values) {
    constexpr std::size_t line = 128 / sizeof(T);
    const std::size_t rows = values.extent(0);
    const auto pitch = static_cast<std::size_t>(grid_of(values).row_stride);
    if (second_.size() < rows * pitch + line)
      second_ = decltype(second_)(
          Kokkos::view_alloc(exec(), Kokkos::WithoutInitializing, "WaveScan::mpi::second"),
          rows * pitch + line);
    const auto place = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) / sizeof(T); };
    const std::size_t shift = (place(values.data()) - place(second_.data())) % line;
    return part_of(view_type(second_.data() + shift, rows, pitch), {0, extension_.rows.all()},
                   {0, extension_.columns.all()});
  }

  /// @brief Makes arrays, and extends what does not change from pass to pass. Allocations fail here
  /// or never.
  template <class Problem>
  void prepare(const Problem& p, const view_type& in_place) {
    guarded([&] {
      if (in_place.data() == nullptr) x_.resize(exec(), extension_, own_);
      x_.reserve(transport_, extension_, in_place.data() == nullptr ? own_ : in_place);
      if (way_.fused) fused_.reserve(exec(), extension_.rows.all(), extension_.columns.all());
      if (way_.speculates) next_ = second_array(x_.values());
      for (interface_type* interface : {&down_, &right_})
        if (interface->from != no_rank || interface->to != no_rank)
          interface->reserve(transport_,
                             std::max(depth_ * interface->length,
                                      compared(*interface, static_cast<int>(depth_)).all()));
      if (way_.fused && !way_.speculates) {
        const auto make = [&](auto& buffer, Index size) {
          if (buffer.size() != size) buffer = transport_.template buffer<T>(size);
        };
        const ExtendedRange &rows = extension_.rows, &columns = extension_.columns;
        for (auto* buffer : {&up_.sent, &up_.came}) make(*buffer, depth_ * columns.all());
        make(strip_.sent, rows.all() * columns.to(1).count);
        make(strip_.came, rows.all() * columns.from(-1).count);
      }
      if (p.rhs.data != nullptr) rhs_.reserve(transport_, extension_);
      if constexpr (has_mask<Problem>) {
        mask_.reserve(transport_, extension_);
        if (bytes_.size() == 0)
          bytes_ =
              decltype(bytes_)("WaveScan::mpi::mask", static_cast<std::size_t>(rows_.count + 2),
                               static_cast<std::size_t>(columns_.count + 2));
      }
    });
    agree();
    if (p.rhs.data != nullptr) rhs_.fill(transport_, extension_, p.rhs, way_.asks_predecessors());
    if constexpr (has_mask<Problem>) {
      const Grid<unsigned char> bytes = grid_in(bytes_, rows_.count + 2, columns_.count + 2);
      sor::for_rectangle(exec(), "WaveScan::mpi::mask", 0, bytes.rows, bytes.columns,
                         BytesOfMask<typename Problem::fixed_type>{p.fixed, bytes});
      mask_.fill(transport_, extension_, sor::read_only(bytes), way_.asks_predecessors());
    }
    if (way_.fused)
      guarded([&] {
        with_problem(p, [&](const auto& problem) { fused_.take_inputs(exec(), problem); });
      });
  }

  template <class Problem>
  static constexpr bool has_mask = !std::same_as<typename Problem::fixed_type, sor::NoFixedPoints>;

  /// @brief A part of the extended block, of x or of an input, from a corner on.
  template <class View>
  View part(const View& values, const Corner& corner) const {
    const auto from = [](Index first, Index all) { return Kokkos::make_pair(first, all); };
    return Kokkos::subview(values, from(corner.row, extension_.rows.all()),
                           from(corner.column, extension_.columns.all()));
  }
  /// @brief Calls use(inputs) with the inputs of a part of the extended block.
  template <class Problem, class Use>
  void with_inputs(const Problem& p, const Corner& corner, const Use& use) const {
    const auto with_mask = [&](const auto& inputs) {
      if constexpr (has_mask<Problem>)
        use(inputs.mask(part(mask_.values(), corner)));
      else
        use(inputs);
    };
    if (p.rhs.data != nullptr)
      with_mask(SORInputs<>().rhs(part(rhs_.values(), corner)));
    else
      with_mask(SORInputs<>());
  }

  /// @brief Sweeps of a part of the extended block, in `values`.
  template <class Problem, class View>
  void sweep_block(const Problem& p, const View& values, const Corner& corner, int count) {
    const std::pair size{extension_.rows.all() - corner.row,
                         extension_.columns.all() - corner.column};
    auto plan = plans_.find(size);
    if (plan == plans_.end()) {
      wavescan::SOROptions options;
      options.restore = false;
      plan = plans_.emplace(size, wavescan::SOR<Exec, T>(exec(), size.first, size.second, options))
                 .first;
    }
    with_inputs(p, corner, [&](const auto& inputs) {
      plan->second.sweeps(part(values, corner), p.coefficients, count, inputs);
    });
  }

  /// @brief A row, or for the interface to the right a column, of the extended block, from the
  /// block's own first entry on.
  Grid<T> line_of(const interface_type& interface, const view_type& values, Index k) const {
    const Extension& e = extension_;
    const Grid<T> all = grid_of(values);
    if (&interface == &down_) return rectangle(all, {k, 1}, {e.columns.before(), interface.length});
    return rectangle(all, {e.rows.before(), interface.length}, {k, 1});
  }
  const ExtendedRange& range_of(const interface_type& interface) const {
    return &interface == &down_ ? extension_.rows : extension_.columns;
  }
  /// @brief The values of a sweep in one of an interface's buffers.
  Grid<T> line_in(const interface_type& interface, const auto& buffer, int sweep) const {
    const auto part = interface.part(buffer, sweep);
    return &interface == &down_ ? grid_in(part.view(), 1, interface.length)
                                : grid_in(part.view(), interface.length, 1);
  }

  /// @brief A pass in which processes follow each other, sweep by sweep.
  template <class Problem>
  void pipeline(const Problem& p, int sweeps) {
    const view_type values = x_.values();
    const Corner halo{extension_.rows.before() - 1, extension_.columns.before() - 1};
    Exchange to_successor(transport_);
    for (int s = 0; s < sweeps; ++s) {
      Exchange from_predecessor(transport_);
      for (const interface_type* interface : {&down_, &right_})
        if (interface->from != no_rank)
          from_predecessor.receive(interface->part(interface->came, s), interface->from,
                                   interface->tag);
      from_predecessor.wait();
      for (const interface_type* interface : {&down_, &right_}) {
        if (interface->from == no_rank) continue;
        copy_rectangle(exec(), line_in(*interface, interface->came, s),
                       line_of(*interface, values, range_of(*interface).before() - 1));
      }
      guarded([&] { sweep_block(p, values, halo, 1); });
      for (const interface_type* interface : {&down_, &right_}) {
        if (interface->to == no_rank) continue;
        keep_last(*interface, values, s);
        to_successor.send(interface->part(interface->sent, s), interface->to, interface->tag);
      }
      to_successor.start();
    }
    to_successor.wait();
  }
  /// @brief Keeps the block's last row, or column, for the successor.
  void keep_last(const interface_type& interface, const view_type& values, int sweep) const {
    const ExtendedRange& range = range_of(interface);
    copy_rectangle(exec(), line_of(interface, values, range.before() + range.count - 1),
                   line_in(interface, interface.sent, sweep));
  }

  /// @brief Passes in which processes follow each other, pass by pass.
  template <class Problem>
  void fused_pipeline(const Problem& p, int count) {
    const Extension& e = extension_;
    const Range columns{0, e.columns.all()};
    // The upper part has what the predecessor waits for: its first rows after the pass.
    const Index needed = std::max(e.rows.before() + 2 * depth_, e.rows.all() / 2);
    const Index middle = (needed / band_ + 1) * band_;
    const Index end = leaving_line_ > 0 ? leaving_line_ : e.rows.before() + e.rows.count;
    const bool halves = e.rows.predecessor && middle < end;
    const LineOfBands<T> entering{line_, down_.came.view().data()};
    const LineOfBands<T> between{middle, down_.seen.view().data()};
    const LineOfBands<T> leaving{leaving_line_, down_.sent.view().data()};
    Exchange sends(transport_);
    for (int done = 0, sweeps = 0; done < count; done += sweeps) {
      sweeps = fused_.depth(p, std::min<Index>(depth_, count - done));
      const Index exported = compared(down_, sweeps).all();
      if (e.rows.predecessor) receive(down_.came, exported, down_.from, down_.tag);
      if (halves) sweep_part(p, sweeps, {entering, between, {}, {}}, middle);
      sends.wait();
      const auto tell_predecessor = [&] {
        if (!e.rows.predecessor || done + sweeps == count) return;
        const auto rows = rectangle(x_.grid(), e.rows.to(-1), columns);
        copy_rectangle(exec(), rows, grid_in(up_.sent.view(), rows.rows, rows.columns));
        sends.send(up_.sent, down_.from, up_.tag);
        sends.start();
      };
      if (halves) tell_predecessor();
      if (e.rows.successor && done > 0) {
        receive(up_.came, up_.came.size(), down_.to, up_.tag);
        const auto rows = rectangle(x_.grid(), e.rows.from(1), columns);
        copy_rectangle(exec(), grid_in(up_.came.view(), rows.rows, rows.columns), rows);
      }
      sweep_part(p, sweeps, {halves ? between : entering, leaving, {}, {}}, 0);
      if (!halves) tell_predecessor();
      if (e.rows.successor) {
        sends.send(down_.sent.part(0, exported), down_.to, down_.tag);
        sends.start();
      }
    }
    sends.wait();
  }
  /// @brief Passes in which processes of a grid follow each other, pass by pass.
  template <class Problem>
  void fused_pipeline_of_grid(const Problem& p, int count) {
    const Extension& e = extension_;
    const ExportedEdges<T> edges{{line_, down_.came.view().data()},
                                 {leaving_line_, down_.sent.view().data()},
                                 {partition_, right_.came.view().data()},
                                 {leaving_partition_, right_.sent.view().data()}};
    const auto strip = [&](const Range& columns) {
      return rectangle(x_.grid(), {0, e.rows.all()}, columns);
    };
    const auto values = [](const auto& buffer, const Grid<T>& of) {
      return grid_in(buffer.view(), of.rows, of.columns);
    };
    Exchange sends(transport_);
    Index looks_ahead = way_.look_ahead;  // sweeps before edges have to be exchanged
    for (int done = 0, sweeps = 0; done < count; done += sweeps) {
      sweeps = fused_.depth(p, std::min<Index>(depth_, count - done));
      sends.wait();
      if (looks_ahead < sweeps) {
        x_.refresh(transport_, e, true);
        looks_ahead = way_.look_ahead;
      }
      looks_ahead -= sweeps;
      // The process to the right needs old values beside the partition, which it does not keep.
      if (e.columns.successor) {
        const Grid<T> old = strip(e.columns.to(1));
        copy_rectangle(exec(), old, values(strip_.sent, old));
      }
      Exchange from_predecessor(transport_);
      const auto part = [&](const interface_type& interface, const auto& buffer) {
        return buffer.part(0, compared(interface, sweeps).all());
      };
      for (const interface_type* interface : {&down_, &right_})
        if (interface->from != no_rank)
          from_predecessor.receive(part(*interface, interface->came), interface->from,
                                   interface->tag);
      if (e.columns.predecessor) from_predecessor.receive(strip_.came, right_.from, strip_.tag);
      from_predecessor.wait();
      if (e.columns.predecessor) {
        const Grid<T> old = strip(e.columns.from(-1));
        copy_rectangle(exec(), values(strip_.came, old), old);
      }
      sweep_part(p, sweeps, edges, 0);
      for (const interface_type* interface : {&down_, &right_})
        if (interface->to != no_rank)
          sends.send(part(*interface, interface->sent), interface->to, interface->tag);
      if (e.columns.successor) sends.send(strip_.sent, right_.to, strip_.tag);
      sends.start();
    }
    sends.wait();
  }
  template <class Problem>
  void sweep_part(const Problem& p, int sweeps, const ExportedEdges<T>& edges, Index end) {
    guarded([&] {
      with_problem(
          p, [&](const auto& problem) { fused_.sweep_part(exec(), problem, sweeps, edges, end); });
    });
  }
  void receive(const typename interface_type::buffer_type& buffer, Index count, int from,
               int tag) const {
    Exchange exchange(transport_);
    exchange.receive(buffer.part(0, count), from, tag);
    exchange.wait();
  }
  /// @brief A pass in which processes do not wait for each other. False if a process could not
  /// foresee what its predecessors have done; then x is as it was.
  ///
  /// The edges for what follows go with what is compared.
  /// @param asks_predecessors whether these are those of the predecessors, too
  template <class Problem>
  bool speculate(const Problem& p, int sweeps, bool asks_predecessors) {
    const Grid<T> next = grid_of(next_);
    bool differ = false;
    if (way_.fused)
      guarded([&] { differ = !sweep_fused(p, next, sweeps); });
    else
      guarded([&] { sweep_singly(p, sweeps); });
    Exchange exchange(transport_);
    const auto values = [&](const interface_type& interface, const auto& buffer) {
      return buffer.part(0, compared(interface, sweeps).all());
    };
    for (const interface_type* interface : {&down_, &right_}) {
      if (interface->from != no_rank)
        exchange.receive(values(*interface, interface->came), interface->from, interface->tag);
      if (interface->to != no_rank)
        exchange.send(values(*interface, interface->sent), interface->to, interface->tag);
    }
    x_.edges().begin(exchange, exec(), extension_, next, asks_predecessors);
    exchange.wait();
    x_.edges().end(exec(), extension_, next, asks_predecessors);
    bool looked = false;
    for (const interface_type* interface : {&down_, &right_})
      if (interface->from != no_rank) {
        differ = differ || differs(*interface, sweeps);
        looked = true;
      }
    if (way_.fused && (differ || !looked))
      guarded([&] { differ = !fused_.speculation_valid(exec()) || differ; });
    const bool right = agree(differ ? 0 : 1) == 1;
    if (right) x_.swap(next_);
    return right;
  }
  bool differs(const interface_type& interface, int sweeps) const {
    const ComparedPlaces places = compared(interface, sweeps);
    int differ = 0;
    Kokkos::parallel_reduce(
        "WaveScan::mpi::compare",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec(), 0, places.all()),
        BitsDiffer<T>{interface.came.view().data(), interface.seen.view().data(), places,
                      way_.fused ? fused_.failed() : nullptr},
        Kokkos::Max<int>(differ));
    return differ > 0;
  }
  template <class Problem>
  bool sweep_fused(const Problem& p, const Grid<T>& next, int sweeps) const {
    bool done = false;
    with_problem(p, [&](const auto& problem) {
      done = fused_.sweep(exec(), problem, next, sweeps,
                          {{line_, down_.seen.view().data()},
                           {leaving_line_, down_.sent.view().data()},
                           {partition_, right_.seen.view().data()},
                           {leaving_partition_, right_.sent.view().data()}});
    });
    return done;
  }
  /// @brief Calls use(problem) with the extended block's.
  template <class Problem, class Use>
  void with_problem(const Problem& p, const Use& use) const {
    with_inputs(p, {}, [&](const auto& inputs) {
      use(sor::make_problem<Exec>("mpi::sor_sweeps", "x", x_.values(), p.coefficients, inputs));
    });
  }

  template <class Problem>
  void sweep_singly(const Problem& p, int sweeps) {
    copy_rectangle(exec(), x_.grid(), grid_of(next_));
    for (int s = 0; s < sweeps; ++s) {
      sweep_block(p, next_, {}, 1);
      for (const interface_type* interface : {&down_, &right_}) {
        if (interface->from != no_rank)
          copy_rectangle(exec(), line_of(*interface, next_, range_of(*interface).before() - 1),
                         line_in(*interface, interface->seen, s));
        if (interface->to != no_rank) keep_last(*interface, next_, s);
      }
    }
  }

  /// @brief Brings the block's own values to the array.
  void store(const Grid<T>& x) const {
    const Extension& e = extension_;
    const Grid<T> own = rectangle(x_.grid(), {e.rows.before(), e.rows.count},
                                  {e.columns.before(), e.columns.count});
    const Grid<T> to = sor::interior(x);
    constexpr const char* label = "WaveScan::mpi::store";
    if (to.row_stride < 0)
      sor::copy_entries(exec(), label, sor::read_only(reversed(own)), reversed(to));
    else
      sor::copy_entries(exec(), label, sor::read_only(own), to);
  }

  Transport<Exec> transport_;
  BlockPlace rows_, columns_;
  Index band_ = 0;
  wavescan::mpi::SOROptions options_;
  Index depth_ = 1;
  using fused_type = FusedSweeps<Exec, T>;
  fused_type fused_;
  Way way_;
  Extension extension_;
  Index line_ = 0, leaving_line_ = 0;            ///< between bands
  Index partition_ = 0, leaving_partition_ = 0;  ///< through them
  std::exception_ptr error_;
  bool has_halo_ = false;
  ExtendedBlock<Exec, T> x_, rhs_;
  view_type own_, next_;  ///< where x_ is if not in the user's array; what a pass comes to
  Kokkos::View<T*, typename Exec::memory_space> second_;  ///< the memory of next_
  view_type home_;                                        ///< that of array()
  Room room_rows_, room_columns_;                         ///< in it around the array
  ExtendedBlock<Exec, unsigned char> mask_;
  Kokkos::View<unsigned char**, Kokkos::LayoutRight, typename Exec::memory_space> bytes_;
  std::map<std::pair<Index, Index>, wavescan::SOR<Exec, T>> plans_;  ///< by their sizes
  interface_type down_, right_;  ///< to the process below, to the one on the right
  struct {
    typename interface_type::buffer_type sent, came;
    int tag = 7;
  } up_;  ///< first rows, to the process above
  struct {
    typename interface_type::buffer_type sent, came;
    int tag = 8;
  } strip_;  ///< last columns, to the process on the right
};

}  // namespace wavescan::Impl::mpi

#endif
