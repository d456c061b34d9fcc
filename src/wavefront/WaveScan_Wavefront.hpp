// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_WAVEFRONT_HPP
#define WAVESCAN_WAVEFRONT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>
#include <impl/wavefront/WaveScan_Algorithms.hpp>
#include <impl/wavefront/WaveScan_ScheduleChoice.hpp>
#include <impl/wavefront/WaveScan_Serial.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

/// @file
/// @brief Runs a wavefront loop that the user describes, in any schedule.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018.

namespace wavescan {

/// @brief The entries that a wavefront computes: rows [row_begin, row_end) and columns
/// [column_begin, column_end). Entries outside keep their values and serve as neighbours: a halo.
struct IndexRange {
  std::int64_t row_begin = 0;
  std::int64_t row_end = 0;
  std::int64_t column_begin = 0;
  std::int64_t column_end = 0;

  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// @brief Options of a wavefront; what is left out is chosen.
struct WavefrontOptions {
  Schedule schedule = Schedule::Auto;
  std::optional<IndexRange> range{};  ///< default: the whole array
  std::int64_t tile_rows = 0;         ///< rows of a tile; 0: chosen. GPU kernels have their own
  std::int64_t tile_columns = 0;      ///< columns of a tile; 0: chosen. GPU kernels have their own
  /// Seconds without progress after which blocks that wait for each other on a GPU give up; 0:
  /// never, for instance while a debugger stops them.
  double stall_seconds = 10;
  bool exact = false;  ///< Auto chooses only among the schedules that give the bits of Serial

  friend bool operator==(const WavefrontOptions&, const WavefrontOptions&) = default;
};

namespace Impl {

/// @brief Says what a loop lacks; whether it lacks nothing.
template <class L>
constexpr bool is_loop() {
  static_assert(!HasInputs<L> || TakesItsInputs<L>,
                "WaveScan: a loop with inputs(), a Kokkos::Array of LoopInput of its value_type, "
                "needs partial(i, j, up, up_left, [up_right,] old, inputs) and no weight(i, j) but "
                "weight(i, j, inputs); see WavefrontLoop");
  static_assert(WavefrontLoop<L>,
                "WaveScan: a loop needs algebra_type (an Algebra or an Operator) and "
                "partial(i, j, up, up_left, [up_right,] old) that returns its value_type; see "
                "WavefrontLoop");
  return WavefrontLoop<L>;
}

}  // namespace Impl

/// @brief A plan for wavefronts of one loop type and one array size, which owns the workspace.
///
/// Calls enqueue work on the plan's instance, allocate nothing and return. One plan must not be
/// used from two instances at a time.
///
/// @tparam Exec execution space
/// @tparam L    the loop, see WavefrontLoop
template <ExecutionSpace Exec, class L>
class Wavefront {
  static_assert(Impl::is_loop<L>());

 public:
  using value_type = Impl::LoopValue<L>;

  /// @param exec    instance that all calls enqueue on
  /// @param rows    rows of the array
  /// @param columns columns of the array
  /// @param options schedule, range, tile size
  /// @throws std::invalid_argument if the range leaves the array or a size is negative, or if the
  /// schedule is not one that an exact loop has, or one with up_right
  WAVESCAN_SELDOM Wavefront(const Exec& exec, std::int64_t rows, std::int64_t columns,
                            const WavefrontOptions& options = {});

  /// @brief Enqueues the loop on the array.
  ///
  /// Work: O(entries); memory traffic: the loop's own, and for RowSweep a row of partial values.
  /// @param loop  what to compute
  /// @param array a View of rank 2, or a Grid made from one (reversed, transposed)
  /// @throws std::invalid_argument if the array does not have the plan's extents
  /// @throws std::runtime_error if an earlier call got stuck, see WavefrontOptions::stall_seconds
  template <class Array>
  void operator()(const L& loop, const Array& array) const;

  /// @brief Waits for the calls.
  /// @throws std::runtime_error if one of them got stuck, see WavefrontOptions::stall_seconds
  void wait() const;

  /// @brief Reports calls that have got stuck by now, without waiting for any.
  /// @throws std::runtime_error if one has, see WavefrontOptions::stall_seconds
  void throw_if_stuck() const;

  /// @brief The schedule that is run: the one asked for, or what Auto chose.
  Schedule schedule() const { return schedule_; }

 private:
  using problem_type = Impl::WavefrontProblem<L>;
  using ways = Impl::WavefrontAlgorithms<Exec, problem_type>;
  using skewed = typename ways::skewed;
  static constexpr bool exact = Impl::is_exact_loop<L>;
  static constexpr bool up_right = problem_type::up_right;
  static constexpr bool one_pipeline = std::same_as<typename ways::compensated, skewed>;
  using algorithm_type = std::conditional_t<
      exact, std::variant<std::monostate, skewed>,
      std::conditional_t<up_right || one_pipeline,
                         std::variant<std::monostate, typename ways::row_sweep, skewed>,
                         std::variant<std::monostate, typename ways::row_sweep,
                                      typename ways::compensated, skewed>>>;

  bool empty() const { return range_.rows() == 0 || range_.columns() == 0; }

  Exec exec_;
  std::int64_t rows_;
  std::int64_t columns_;
  Impl::Block range_;
  Schedule schedule_;
  algorithm_type algorithm_;
};

namespace Impl {

/// @brief The range that a wavefront of rows x columns computes.
WAVESCAN_SELDOM inline Block checked_range(std::int64_t rows, std::int64_t columns,
                                           const WavefrontOptions& options) {
  const auto require = [](bool holds, const char* argument, const char* expectation,
                          const auto& actual) {
    Impl::require(holds, "wavefront", argument, expectation, actual);
  };
  require(rows >= 0, "rows", "must not be negative", rows);
  require(columns >= 0, "columns", "must not be negative", columns);
  require(options.tile_rows >= 0, "tile_rows", "must not be negative", options.tile_rows);
  require(options.tile_columns >= 0, "tile_columns", "must not be negative", options.tile_columns);
  require(options.stall_seconds >= 0, "stall_seconds", "must not be negative",
          options.stall_seconds);
  if (!options.range) return {0, rows, 0, columns};
  const IndexRange& r = *options.range;
  const auto text = [&] {
    std::ostringstream words;
    words << "rows [" << r.row_begin << ", " << r.row_end << ") and columns [" << r.column_begin
          << ", " << r.column_end << ") of " << rows << " x " << columns;
    return words.str();
  };
  require(0 <= r.row_begin && r.row_begin <= r.row_end && r.row_end <= rows &&
              0 <= r.column_begin && r.column_begin <= r.column_end && r.column_end <= columns,
          "range", "must lie inside the array", text);
  return {r.row_begin, r.row_end, r.column_begin, r.column_end};
}

}  // namespace Impl

template <ExecutionSpace Exec, class L>
Wavefront<Exec, L>::Wavefront(const Exec& exec, std::int64_t rows, std::int64_t columns,
                              const WavefrontOptions& options)
    : exec_(exec),
      rows_(rows),
      columns_(columns),
      range_(Impl::checked_range(rows, columns, options)) {
  const LoopShape loop = Impl::loop_shape<L>(range_);
  schedule_ = options.schedule == Schedule::Auto
                  ? Impl::choose_schedule(exec, loop, exact || up_right || options.exact)
                  : options.schedule;
  Impl::require(!exact || is_exact(schedule_), "wavefront", "schedule",
                "must be auto, serial or tile-skewed: the loop is exact", to_string(schedule_));
  Impl::require(!up_right || schedule_ != Schedule::TileCompensated, "wavefront", "schedule",
                "must not be tile-compensated: the loop asks for up_right, which a tile or strip "
                "on the right computes later",
                to_string(schedule_));
  if (empty()) return;
  Impl::TileShape shape = Impl::choose_tile(exec, schedule_, loop);
  if (options.tile_rows > 0) shape.rows = options.tile_rows;
  if (options.tile_columns > 0) shape.columns = options.tile_columns;
  shape.rows = std::min(shape.rows, range_.rows());
  shape.columns = std::min(shape.columns, range_.columns());
  const Impl::AlgorithmOptions algorithm_options{range_, shape, options.stall_seconds};
  if constexpr (!exact)
    if (schedule_ == Schedule::RowSweep)
      algorithm_.template emplace<typename ways::row_sweep>(exec, algorithm_options);
  if constexpr (!exact && !up_right)
    if (schedule_ == Schedule::TileCompensated)
      algorithm_.template emplace<typename ways::compensated>(exec, algorithm_options);
  if (schedule_ == Schedule::TileSkewed)
    algorithm_.template emplace<skewed>(exec, algorithm_options);
}

template <ExecutionSpace Exec, class L>
template <class Array>
void Wavefront<Exec, L>::operator()(const L& loop, const Array& array) const {
  if constexpr (AnyView<Array>) {
    static_assert(Array::rank() == 2, "WaveScan: 'array' must have rank 2");
    static_assert(WritableView<Array>, "WaveScan: 'array' must not be const");
    static_assert(AccessibleFrom<Array, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'array'");
  }
  static_assert(std::same_as<typename Array::value_type, value_type>,
                "WaveScan: 'array' must have the value_type of the loop's algebra");
  const Grid<value_type> grid = grid_of(array);
  if (grid.rows != rows_ || grid.columns != columns_)
    Impl::reject("wavefront", "array",
                 "must have the plan's extents (" + std::to_string(rows_) + " x " +
                     std::to_string(columns_) + ")",
                 std::to_string(grid.rows) + " x " + std::to_string(grid.columns));
  if constexpr (AnyView<Array>) Impl::require_distinct_elements("wavefront", "array", array);
  if (empty()) return;
  const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::wavefront::") +
                                               to_string(schedule_));
  const problem_type problem{loop, Impl::row_recurrence(loop), grid, range_};
  std::visit(
      [&](const auto& algorithm) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(algorithm)>, std::monostate>)
          Impl::run_serial(exec_, problem);
        else
          algorithm.run(exec_, problem);
      },
      algorithm_);
}

template <ExecutionSpace Exec, class L>
void Wavefront<Exec, L>::wait() const {
  exec_.fence("WaveScan::wavefront::wait");
  throw_if_stuck();
}

template <ExecutionSpace Exec, class L>
void Wavefront<Exec, L>::throw_if_stuck() const {
  std::visit(
      [](const auto& algorithm) {
        if constexpr (!std::same_as<std::remove_cvref_t<decltype(algorithm)>, std::monostate>)
          algorithm.throw_if_stuck();
      },
      algorithm_);
}

/// @brief Computes A(i,j) = accumulate(distribute(A(i,j-1), weight), partial(i, j, ...)) in place.
///
/// All schedules give the same result where theorem 1 of Hou et al. holds for the loop's algebra:
/// exactly for integers, up to rounding for floating point. TileSkewed gives the bits of Serial.
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call (see
/// WaveScan_Workspaces.hpp), which also reports whether this one got stuck.
///
/// @param exec    execution space instance; left out: the default instance of the array's space
/// @param loop    description of the loop, see WavefrontLoop
/// @param array   View of rank 2, any layout, or a Grid (reversed, transposed)
/// @param options schedule, range, tile size
/// @throws std::invalid_argument if the range leaves the array or a tile size is negative
/// @throws std::runtime_error if an earlier call got stuck, see WavefrontOptions::stall_seconds
template <ExecutionSpace Exec, class L, class Array>
void wavefront(const Exec& exec, const L& loop, const Array& array,
               const WavefrontOptions& options = {}) {
  if constexpr (Impl::is_loop<L>()) {
    const auto grid = grid_of(array);
    // A range is always given: g++ 12 warns where an optional without a value is copied.
    const IndexRange all{0, grid.rows, 0, grid.columns};
    const auto& [schedule, range, tile_rows, tile_columns, stall_seconds, exact] = options;
    const auto plan = Impl::kept_plan_of<Wavefront<Exec, L>>(
        exec,
        std::tuple(grid.rows, grid.columns, schedule, range ? *range : all, tile_rows, tile_columns,
                   stall_seconds, exact),
        [&] { return Wavefront<Exec, L>(exec, grid.rows, grid.columns, options); });
    (*plan)(loop, array);
  }
}

/// @brief wavefront on the default instance of the View's execution space.
template <class L, ViewOfRank<2> Array>
void wavefront(const L& loop, const Array& array, const WavefrontOptions& options = {}) {
  wavefront(typename Array::execution_space(), loop, array, options);
}

}  // namespace wavescan

#endif
