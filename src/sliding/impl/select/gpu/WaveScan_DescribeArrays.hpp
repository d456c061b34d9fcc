// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_DESCRIBEARRAYS_HPP
#define WAVESCAN_IMPL_SELECT_GPU_DESCRIBEARRAYS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/gpu/WaveScan_ElementTiles.hpp>
#include <impl/select/gpu/WaveScan_SelectTuning.hpp>
#include <impl/select/gpu/WaveScan_StridedTiles.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>

/// @file
/// @brief Descriptions of a selection's arrays, in memory and in a kernel's stages; none, if the
/// kernel cannot load or store them.

namespace wavescan::Impl::select {

/// @brief Calls use(lines, columns) for all that is read: what moves, then flags; and
/// skip(std::type_identity<T>()) for elements of T that are computed.
template <class ProblemType, class Use, class Skip>
void for_inputs(const ProblemType& problem, const Use& use, const Skip& skip) {
  problem.moved.for_each([&]<class T, class Source>(const Moved<T, Source>& moved) {
    if constexpr (is_computed<Source>)
      skip(std::type_identity<T>());
    else
      use(moved.in, moved.columns);
  });
  if constexpr (reads_flags<decltype(problem.selector.test)>) {
    const auto& flags = problem.selector.sources.first;
    use(Lines<std::remove_reference_t<decltype(*flags.data)>>{flags.data, 0, flags.stride},
        Index(1));
  }
}
template <class ProblemType, class Use>
void for_inputs(const ProblemType& problem, const Use& use) {
  for_inputs(problem, use, [](const auto&) {});
}
/// @brief Calls use(lines, columns) for all that is read or written.
template <class ProblemType, class Use>
void for_all_arrays(const ProblemType& problem, const Use& use) {
  for_inputs(problem, use);
  problem.moved.for_each([&](const auto& moved) {
    use(moved.out, moved.columns);
    if (problem.keeps_rejected) use(moved.rejected, moved.columns);
  });
}

/// @brief Returns the number of elements from the next 16-byte boundary before this one, at which
/// an element could begin.
template <class T>
int lead_of(const T* data) {
  int lead = 0;
  while ((reinterpret_cast<std::uintptr_t>(data) - static_cast<unsigned>(lead) * sizeof(T)) % 16)
    ++lead;
  return lead;
}

/// @brief Elements side by side; in small tiles, if the blocks have no more than one each.
template <class Tiles, class ProblemType>
std::optional<typename Tiles::Arrays> describe_elements(const ProblemType& problem, Index blocks) {
  bool able = true;
  for_all_arrays(problem, [&]<class T>(const Lines<T>& lines, Index columns) {
    able &= columns == 1 && lines.stride == 1 && gpu::Unit<sizeof(T)>::is_aligned(lines.data);
  });
  if (!able) return {};
  typename Tiles::Arrays arrays{
      problem.elements, problem.selector, 0, true, 0, computed_sources(problem.moved), {}, {}, {}};
  bool first_input = true;
  for_inputs(problem, [&](const auto& lines, Index) {
    if (first_input) arrays.lead = lead_of(lines.data);
    first_input = false;
  });
  arrays.segment = Tiles::segment_of(arrays.lead + arrays.elements, blocks);
  int array = 0, offset = 0;
  const auto describe = [&]<class T>(const Lines<T>& lines, Index) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    const Index front = arrays.lead * size;
    arrays.in[array] = {Lines<const char>{reinterpret_cast<const char*>(lines.data), 0, 1},
                        LineExtents{1, problem.elements * size}, front};
    constexpr int width = gpu::Unit<Tiles::vector* static_cast<int>(size)>::alignment;
    const int shift = arrays.in[array].shift(front);
    arrays.aligned &= shift % width == 0;
    // Copies are quick where both ends have the same alignment to cache lines.
    constexpr int left = Tiles::left_bytes(static_cast<int>(size));
    const auto window = reinterpret_cast<std::uintptr_t>(arrays.in[array].base) - left;
    arrays.first[array++] = offset + static_cast<int>(window % 128) + left + shift;
    offset += Tiles::array_bytes(static_cast<int>(size));
  };
  for_inputs(problem, describe, [&]<class T>(std::type_identity<T>) {
    arrays.first[array++] = offset;
    offset += Tiles::array_bytes(sizeof(T));
  });
  array = 0;
  problem.moved.for_each([&](const auto& moved) {
    arrays.to[array++] = {reinterpret_cast<char*>(moved.out.data),
                          reinterpret_cast<char*>(moved.rejected.data), moved.capacity,
                          moved.rejected_capacity};
  });
  return arrays;
}

/// @brief The windows in which a View is loaded; bytes.
struct Windows {
  Index number, pitch, column;
  Index size;       ///< of an element
  Index row_bytes;  ///< of a window, without the gap behind the row

  /// @brief Whether columns lie within their rows: then one window holds them all.
  template <class T>
  Windows(const Lines<T>& lines, Index columns) : size(static_cast<Index>(sizeof(T))) {
    const Index reach = (columns - 1) * lines.line_stride + 1;
    const bool together = columns == 1 || reach <= lines.stride;
    number = together ? 1 : columns;
    pitch = lines.stride * size;
    column = columns == 1 ? 0 : lines.line_stride * size;
    row_bytes = together ? reach * size : size;
    if (columns == 1) row_bytes = size;
  }
  /// @brief Bytes before the rows of a tile; those of a row before it, if that is needed.
  static Index front(Index pitch, bool left) { return left ? ceil_div(pitch, Index(16)) * 16 : 0; }
  /// @brief Returns the distance from window to window in a stage, where both lie between 16-byte
  /// boundaries, and between elements, as in memory.
  Index apart(Index rows, bool left) const {
    if (number == 1) return column;
    const Index common = std::lcm(Index(16), size), least = (rows + left) * pitch + 32;
    return least + ((column - least) % common + common) % common;
  }
  Index stage_bytes(Index rows, bool left) const {
    const Index all = (rows + left) * pitch + 48;
    return front(pitch, left) + (number == 1 ? all : (number - 1) * apart(rows, left) + all);
  }
};

/// @brief Rows of a tile: as many as a stage holds, but not much more than a block gets; 0 if it
/// holds too few of them.
template <class Tiles, class ProblemType>
Index strided_tile(const ProblemType& problem, Index blocks) {
  constexpr bool left = looks_left<decltype(problem.selector.test)>;
  constexpr Index segments = SelectWarps::compacting, lists = StridedTuning::lists * 2;
  const auto bytes = [&](Index rows) {
    Index sum = rows * lists;
    for_inputs(problem, [&](const auto& lines, Index columns) {
      sum += ceil_div(Windows(lines, columns).stage_bytes(rows, left), Index(16)) * 16;
    });
    return sum;
  };
  const Index wanted = std::max<Index>(ceil_div(problem.elements, blocks), 512);
  Index least = 0, most = std::min<Index>(wanted, Tiles::stage_bytes);  // by bisection
  while (least < most) {
    const Index middle = (least + most + 1) / 2;
    (bytes(middle) <= Tiles::stage_bytes ? least : most) =
        bytes(middle) <= Tiles::stage_bytes ? middle : middle - 1;
  }
  const Index rows = least < segments ? least : least / segments * segments;
  // Windows that are loaded one by one should be worth it.
  constexpr Index least_window = 64;
  bool able = rows > 0;
  for_inputs(problem, [&](const auto& lines, Index columns) {
    const Windows windows(lines, columns);
    able &= windows.number == 1 || rows * windows.pitch >= least_window || rows == problem.elements;
  });
  return able ? rows : 0;
}

/// @brief Rows and elements with strides.
template <class Tiles, class ProblemType>
std::optional<typename Tiles::Arrays> describe_strided(const ProblemType& problem, Index blocks) {
  constexpr bool left = looks_left<decltype(problem.selector.test)>;
  constexpr Index most_pitch = INT_MAX / 2;
  bool able = true;
  Index loaded = 0, moved_bytes = 0;
  for_all_arrays(problem, [&]<class T>(const Lines<T>& lines, Index columns) {
    able &= columns > 0 && lines.stride > 0 && (columns == 1 || lines.line_stride > 0) &&
            lines.stride * static_cast<Index>(sizeof(T)) < most_pitch &&
            gpu::Unit<sizeof(T)>::is_aligned(lines.data);
  });
  if (!able) return {};
  for_inputs(problem, [&]<class T>(const Lines<T>& lines, Index columns) {
    const Windows windows(lines, columns);
    loaded += windows.number * windows.pitch;
    moved_bytes += columns * static_cast<Index>(sizeof(T));
  });
  constexpr Index most_loaded = 4;  // bytes for each that is needed
  if (loaded > most_loaded * moved_bytes) return {};
  const Index tile = strided_tile<Tiles>(problem, blocks);
  if (tile == 0) return {};

  const auto number = [](Index n) { return static_cast<int>(n); };
  typename Tiles::Arrays arrays{problem.elements,
                                problem.selector,
                                number(tile),
                                number(ceil_div(tile, Index(SelectWarps::compacting))),
                                0,
                                {},
                                {}};
  Index offset = 0;
  int array = 0;
  for_inputs(problem, [&]<class T>(const Lines<T>& lines, Index columns) {
    const Windows windows(lines, columns);
    arrays.in[array++] = {
        {Lines<const char>{reinterpret_cast<const char*>(lines.data), 0, 1},
         LineExtents{1, (problem.elements - 1) * windows.pitch + windows.row_bytes}, 0},
        number(windows.number),
        number(windows.pitch),
        number(offset + Windows::front(windows.pitch, left)),
        number(windows.apart(tile, left)),
        windows.column};
    offset += ceil_div(windows.stage_bytes(tile, left), Index(16)) * 16;
  });
  arrays.lists = number(offset);
  array = 0;
  problem.moved.for_each([&]<class T>(const Moved<T>& moved) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    using Word = typename gpu::Unit<sizeof(T)>::Word;
    const bool rejects = problem.keeps_rejected;
    const bool whole =
        moved.columns == 1 ||
        (Windows(moved.in, moved.columns).number == 1 && moved.in.line_stride == 1 &&
         moved.out.line_stride == 1 && (!rejects || moved.rejected.line_stride == 1));
    const Index words = (whole ? moved.columns : 1) * static_cast<Index>(sizeof(T) / sizeof(Word));
    arrays.to[array++] = {
        reinterpret_cast<char*>(moved.out.data),
        reinterpret_cast<char*>(moved.rejected.data),
        moved.out.line_stride * size,
        moved.rejected.line_stride * size,
        number(moved.out.stride * size),
        number(moved.rejected.stride * size),
        whole ? 1 : number(moved.columns),
        number(words),
        words == 1 ? 0u : static_cast<std::uint32_t>(ceil_div(Index(1) << 32, words)),
        moved.capacity,
        moved.rejected_capacity};
  });
  return arrays;
}

}  // namespace wavescan::Impl::select

#endif
