// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTCOLUMNS_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTCOLUMNS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_HostSegments.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

/// @file
/// @brief Lines that lie next to each other in memory, such as the columns of a row-major matrix:
/// the same element of many lines at a time, which the compiler makes vectors of.

namespace wavescan::Impl {

/// @brief Lines whose neighbours are neighbours in memory, which the compiler then knows.
template <class T>
struct AdjacentLines {
  T* data;
  Index stride;
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index line, Index j) const {
    return data[line + j * stride];
  }
};

template <class T>
AdjacentLines<T> adjacent(const Lines<T>& lines) {
  return {lines.data, lines.stride};
}
template <class Source>
const Source& adjacent(const Source& source) {
  return source;
}

/// @brief A recurrence whose weights, if it has a View of them, are adjacent_lines.
template <class Recurrence>
auto with_adjacent_weights(const Recurrence& recurrence) {
  return recurrence;
}
template <class A, class W>
auto with_adjacent_weights(const WeightedRecurrence<A, Lines<W>>& r) {
  return WeightedRecurrence<A, AdjacentLines<W>>{r.algebra, adjacent(r.weight)};
}

template <class Recurrence>
bool has_adjacent_weights(const Recurrence&) {
  return true;
}
template <class A, class W>
bool has_adjacent_weights(const WeightedRecurrence<A, Lines<W>>& r) {
  return r.weight.line_stride == 1;
}

/// @brief Whether neighbouring lines are neighbours in all the memory of a problem.
template <class Recurrence, class In>
bool lines_are_adjacent(const ScanProblem<Recurrence, In>& problem) {
  return problem.extents.lines > 1 && problem.accessors_are_adjacent() &&
         has_adjacent_weights(problem.recurrence);
}

/// @brief The most lines at a time: their states stay in the first-level cache.
template <class T>
inline constexpr Index max_adjacent_lines = std::max<Index>(4096 / static_cast<Index>(sizeof(T)),
                                                            1);

/// @brief Elements [begin, end) of some adjacent lines.
template <class Recurrence, class In>
class HostColumns {
  using value_type = typename Recurrence::value_type;
  using tile_type = HostTile<value_type>;
  using adjacent_type = decltype(with_adjacent_weights(std::declval<const Recurrence&>()));
  using source_type = std::remove_cvref_t<decltype(adjacent(
      std::declval<const typename ScanAccessors<value_type, In>::source&>()))>;
  using segments_type = HostSegments<adjacent_type, max_adjacent_lines<value_type>>;

 public:
  static constexpr bool always_reduced = false;

  HostColumns(const ScanProblem<Recurrence, In>& problem, Index line, Index lines, Index begin,
              Index end, bool streaming)
      : problem_(problem),
        recurrence_(with_adjacent_weights(problem.recurrence)),
        in_(adjacent(problem.in)),
        line_(line),
        lines_(lines),
        begin_(begin),
        end_(end),
        streaming_(streaming) {}

  void reduce() {
    for (Index l = 0; l < lines_; ++l) segments_.begin(l, recurrence_, in_, line_ + l, begin_);
    for (Index first = begin_, j = first + 1; j < end_; first = j) {
      for (const Index next = std::min(j + segments_type::few, end_); j < next; ++j) {
        WAVESCAN_INDEPENDENT_ITERATIONS
        for (Index l = 0; l < lines_; ++l) segments_.append(l, recurrence_, in_, line_ + l, j);
      }
      for (Index l = 0; l < lines_; ++l)
        segments_.commit(l, recurrence_, line_ + l, first, j - first);
      segments_.all_are_committed();
    }
    for (Index l = 0; l < lines_; ++l) segments_.finish(l, recurrence_, end_ - begin_);
  }

  /// @brief The states after these elements, which `states` enter; after reduce().
  void leave(const value_type* states, value_type* leaving) const {
    for (Index l = 0; l < lines_; ++l) leaving[l] = segments_.leave(l, recurrence_, states[l]);
  }

  /// @brief Scans the elements and turns the states before them into the states after them.
  void scan(value_type* states) const {
    if constexpr (target_is_lines<value_type, In>) {
      if (streaming_) return stream(states);
      for (Index j = begin_; j < end_; ++j) step(j, states, &problem_.out(line_, j));
    } else {
      for (Index j = begin_; j < end_; ++j) step(j, states, Across{problem_.out, line_, j});
    }
  }

 private:
  /// @brief Element j of output lines that do not lie in memory.
  struct Across {
    const typename ScanAccessors<value_type, In>::target& target;
    Index line, j;
    auto operator[](Index l) const { return target(line + l, j); }
  };

  void stream(value_type* states) const {
    // Several rows wait until they fill a tile, if all of them are one piece of memory.
    const Lines<value_type> rows{problem_.out.data, problem_.out.stride, 1};
    const Index several =
        rows.line_stride == lines_ ? std::max<Index>(tile_type::elements / lines_, 1) : 1;
    tile_type tile;
    for (Index j = begin_; j < end_; j += several) {
      const Index n = std::min(several, end_ - j);
      for (Index i = 0; i < n; ++i) step(j + i, states, tile.data() + i * lines_);
      tile_type::store_lines(tile.data(), rows, j, n, line_, lines_, true);
    }
  }

  /// @brief Element j of all lines. `y` may be where the input is.
  template <class Results>
  void step(Index j, value_type* states, Results y) const {
    const bool inclusive = problem_.kind == ScanKind::Inclusive;
    WAVESCAN_INDEPENDENT_ITERATIONS
    for (Index l = 0; l < lines_; ++l) {
      const value_type s = states[l];
      const value_type next =
          recurrence_.advance(s, static_cast<value_type>(in_(line_ + l, j)), line_ + l, j);
      y[l] = inclusive ? next : s;
      states[l] = next;
    }
  }

  const ScanProblem<Recurrence, In>& problem_;
  adjacent_type recurrence_;
  source_type in_;
  Index line_, lines_, begin_, end_;
  bool streaming_;
  segments_type segments_;
};

}  // namespace wavescan::Impl

#endif
