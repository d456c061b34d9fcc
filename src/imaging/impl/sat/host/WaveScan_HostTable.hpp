// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_HOST_HOSTTABLE_HPP
#define WAVESCAN_IMPL_SAT_HOST_HOSTTABLE_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>
#include <impl/sat/host/WaveScan_HostTableBands.hpp>
#include <impl/sat/host/WaveScan_HostTableTile.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

/// @file
/// @brief Summed-area tables on the host: every pixel is read once and every entry written once.

namespace wavescan::Impl {

/// @brief The pixels of an image, or their squares, as type A.
template <class Pixel, class A, bool Squared>
struct PixelRows {
  using pixel_type = Pixel;
  static constexpr bool takes_pixels_as_they_are = !Squared;
  Grid<const Pixel> image;

  /// @brief Whether `values` never needs the buffer.
  bool in_memory() const { return std::same_as<Pixel, A> && !Squared && image.column_stride == 1; }
  const Pixel* at(Index i, Index column) const {
    return &image(i, std::min(column, image.columns - 1));
  }
  /// @brief Pixels of row i, as they lie there or put into the buffer.
  const A* values(Index i, Index column, Index count, A* buffer) const {
    const Pixel* const pixels = &image(i, column);
    if constexpr (std::same_as<Pixel, A>)
      if (in_memory()) return pixels;
    if (image.column_stride == 1)
      dispatch([&](auto target) { run_inlined(target, Taken{pixels, count, buffer}); });
    else
      for (Index j = 0; j < count; ++j) buffer[j] = taken(pixels[j * image.column_stride]);
    return buffer;
  }

 private:
  WAVESCAN_INLINED static A taken(const Pixel& pixel) {
    const A x = static_cast<A>(pixel);
    return Squared ? wrapping_multiply(x, x) : x;
  }
  /// @brief Pixels side by side, which are put into a buffer.
  struct Taken {
    const Pixel* pixels;
    Index count;
    A* buffer;
    template <class Target>
    WAVESCAN_INLINED void operator()(Target) const {
      constexpr Index several = 64;
      Index j = 0;
      for (; j + several <= count; j += several) {
        WAVESCAN_INDEPENDENT_ITERATIONS
        for (Index k = 0; k < several; ++k) buffer[j + k] = taken(pixels[j + k]);
      }
      for (; j < count; ++j) buffer[j] = taken(pixels[j]);
    }
  };
};

/// @brief One table of a problem, in the hands of one thread.
template <class Rows, class A, class T>
class HostTableWorker {
 public:
  HostTableWorker() = default;

  /// @param entries above the table, if not zeros
  void begin(const Rows& rows, const Grid<T>& table, Index band_rows, A* above, bool topmost,
             const T* entries) {
    rows_ = rows;
    table_ = table;
    above_ = above;
    entries_above_ = entries;
    if (topmost) begin_above();
    std::fill_n(left_, band_rows, A(0));
    left_of_reduced_ = A(0);
  }
  void sum(const TableTile& t, bool streaming) {
    A* const above = above_ + t.column;
    std::copy_n(tile_.sum(rows_, t, left_, above, table_, streaming), t.columns, above);
  }

  /// @brief The band's part of what the bands below need; `above` becomes it.
  void sum_ahead(const TableTile& t) { reduce(t, above_ + t.column); }
  /// @brief Sums up the parts of as many bands, which lie above.
  void enter(const A* ahead, Index bands) {
    begin_above();
    for (Index band = 0; band < bands; ++band, ahead += table_.columns)
      for_each_column(table_.columns,
                      [&](Index j) { above_[j] = wrapping_add(above_[j], ahead[j]); });
  }

  void reduce(const TableTile& t) { reduce(t, own_); }
  void pass_on(const TableTile& t) {
    A* const above = above_ + t.column;
    std::copy_n(above, t.columns, entering_);
    for_each_column(t.columns, [&](Index j) { above[j] = wrapping_add(entering_[j], own_[j]); });
  }
  void sum_reduced(const TableTile& t, bool streaming) {
    tile_.sum(rows_, t, left_, entering_, table_, streaming);
  }

 private:
  void reduce(const TableTile& t, A* own) {
    left_of_reduced_ = tile_.reduce(rows_, t, left_of_reduced_, own);
  }
  void begin_above() {
    if (entries_above_)
      std::copy_n(entries_above_, table_.columns, above_);
    else
      std::fill_n(above_, table_.columns, A(0));
  }

  using tile_type = HostTableTile<A, T>;
  tile_type tile_;
  A left_[HostTablePartition::max_rows];  ///< as `sum` has it, which for bytes is the row's own sum
  A left_of_reduced_;                     ///< all of the band
  A entering_[tile_type::max_columns];
  A own_[tile_type::max_columns];
  Rows rows_;
  Grid<T> table_;
  A* above_;
  const T* entries_above_;
};

/// @brief Tables as the work of HostTableKernel.
/// @tparam A type in which sums are kept
/// @tparam B type in which sums of squares are kept
template <class Pixel, class T, class S, class A, class B>
struct HostTables {
  using Problem = sat::TableProblem<Pixel, T, S>;
  static constexpr bool has_squares = Problem::has_squares;
  static constexpr bool has_two_passes = true;

  /// Both tables' tiles of as many columns fit.
  static constexpr Index max_columns =
      std::min(HostTableTile<A, T>::max_columns, HostTableTile<B, S>::max_columns);

  Problem problem;
  A* above;  ///< (slot, column), and behind them what bands of the first of two passes sum up to
  B* squares_above;
  bool streaming;

  class Worker {
   public:
    Worker(const HostTables& work, const HostTablePartition& partition, Index)
        : work_(work), partition_(partition) {}

    void begin(Index image, Index band, Index slot) {
      const Problem one = work_.problem.of_image(image);
      const Index columns = one.table.columns;
      tile_.go_to_band(partition_, band, one.table.rows);
      all_columns_ = columns;
      sums_.begin({one.image}, one.table, tile_.rows, work_.above + slot * columns, band == 0,
                  one.above.up_to);
      if constexpr (has_squares)
        squares_.begin({one.image}, one.squares, tile_.rows, work_.squares_above + slot * columns,
                       band == 0, nullptr);
    }
    /// @brief The first of two passes over a band.
    void sum_ahead(Index image, Index band) {
      begin(image, band, partition_.ahead(image, band));
      for (Index number = 0; number < partition_.tiles; ++number) {
        tile_.go_to_tile(partition_, number, all_columns_);
        each([&](auto& table) { table.sum_ahead(tile_); });
      }
    }
    /// @brief Begins with what lies above the band, from the first of two passes.
    void enter(Index image, Index band) {
      const Index ahead = partition_.ahead(image, 0) * all_columns_;
      sums_.enter(work_.above + ahead, band);
      if constexpr (has_squares) squares_.enter(work_.squares_above + ahead, band);
    }

    template <class Await, class HandOn>
    void tile(Index number, const Await& await_above, const HandOn& hand_on) {
      tile_.go_to_tile(partition_, number, all_columns_);
      if (partition_.reduces) {
        each([&](auto& table) { table.reduce(tile_); });
        await_above();
        each([&](auto& table) { table.pass_on(tile_); });
        hand_on();
        each([&](auto& table) { table.sum_reduced(tile_, work_.streaming); });
      } else {
        await_above();
        each([&](auto& table) { table.sum(tile_, work_.streaming); });
        hand_on();
      }
    }
    void finish() const {
      if (work_.streaming) end_streaming();
    }

   private:
    /// @brief Squares first: the table may take the place of the image.
    template <class F>
    void each(const F& f) {
      if constexpr (has_squares) f(squares_);
      f(sums_);
    }

    struct Nothing {};
    const HostTables& work_;
    const HostTablePartition& partition_;
    TableTile tile_;
    Index all_columns_;
    HostTableWorker<PixelRows<Pixel, A, false>, A, T> sums_;
    [[no_unique_address]] std::conditional_t<
        has_squares, HostTableWorker<PixelRows<Pixel, B, true>, B, S>, Nothing>
        squares_;
  };
};

/// @brief The workspace for tables of one size.
template <ExecutionSpace Exec, class Pixel, class T, class S, class A, class B>
class HostTable {
  using Work = HostTables<Pixel, T, S, A, B>;

 public:
  HostTable(const Exec& exec, const sat::TableShape& shape)
      : row_major_(exec, partition(exec, shape)),
        column_major_(exec, partition(exec, shape.transposed())),
        above_(workspace_array<A>(exec, "WaveScan::tables::above", sums(shape))),
        squares_above_(workspace_array<B>(exec, "WaveScan::tables::above",
                                          Work::has_squares ? sums(shape) : 0)) {}

  /// @brief Enqueues the tables, and tells whether they have what is above the image.
  bool operator()(const sat::TableProblem<Pixel, T, S>& problem) const {
    const bool along_rows = runs_along_rows(problem);
    if (along_rows)
      run(row_major_, problem);
    else
      run(column_major_, transposed(problem));
    return along_rows;
  }

 private:
  static HostTablePartition partition(const Exec& exec, const sat::TableShape& shape) {
    constexpr Index squares_bytes = Work::has_squares ? sizeof(S) : 0;
    constexpr Index bytes = sizeof(Pixel) + sizeof(T) + squares_bytes;
    const Index threads = resident_teams(exec, 1);
    return {shape,
            Work::max_columns,
            threads,
            {.in_caches = fits_in_caches(shape.images * shape.pixels() * bytes, threads),
             .can_reduce = true}};
  }
  /// @brief Sums of a table in the workspace.
  Index sums(const sat::TableShape& shape) const {
    return std::max(row_major_.partition().rows() * shape.columns,
                    column_major_.partition().rows() * shape.rows);
  }

  void run(const HostTableRunner<Exec>& runner, const sat::TableProblem<Pixel, T, S>& p) const {
    const Grid<T>& table = p.table;
    const bool in_place = static_cast<const void*>(p.image.data) == table.data;
    const auto row_bytes = table.columns * static_cast<Index>(sizeof(T));
    runner.enqueue("WaveScan::summed_area_table::host", table.rows * table.columns,
                   Work{p, above_.data(), squares_above_.data(),
                        !in_place && !runner.partition().two_passes && table.column_stride == 1 &&
                            prefers_streaming(row_bytes, p.images * table.rows * row_bytes)});
  }

  HostTableRunner<Exec> row_major_;
  HostTableRunner<Exec> column_major_;
  Kokkos::View<A*, typename Exec::memory_space> above_;
  Kokkos::View<B*, typename Exec::memory_space> squares_above_;
};

}  // namespace wavescan::Impl

#endif
