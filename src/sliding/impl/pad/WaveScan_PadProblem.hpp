// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_PADPROBLEM_HPP
#define WAVESCAN_IMPL_PAD_PADPROBLEM_HPP

#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

/// @file
/// @brief A move of a box of elements to other strides, perhaps within one piece of memory.

namespace wavescan::Impl::pad {

/// @brief Three dimensions, the slowest first, of what moves.
struct Box {
  static constexpr int rank = 3;
  Kokkos::Array<Index, rank> extent{1, 1, 1};
  Kokkos::Array<Index, rank> in{}, out{};  ///< strides, elements

  Index elements() const { return extent[0] * extent[1] * extent[2]; }

  /// @brief Sorts the dimensions, so that elements follow in the order of their addresses in the
  /// input.
  void sort() {
    const auto step = [&](int r) { return extent[r] > 1 ? in[r] : -1; };
    std::array<int, rank> order{0, 1, 2};
    std::sort(order.begin(), order.end(),  // std::stable_sort would allocate
              [&](int a, int b) { return step(a) != step(b) ? step(a) > step(b) : a < b; });
    const Box before = *this;
    for (int r = 0; r < rank; ++r) {
      extent[r] = before.extent[order[r]];
      in[r] = before.in[order[r]];
      out[r] = before.out[order[r]];
    }
  }

  /// @brief Joins dimensions whose elements follow each other without gaps in both arrays, into the
  /// fastest ones.
  void join() {
    Box joined;
    int last = rank;  // the slowest dimension of `joined`
    for (int r = rank - 1; r >= 0; --r) {
      if (extent[r] == 1) continue;
      if (last < rank && in[r] == joined.extent[last] * joined.in[last] &&
          out[r] == joined.extent[last] * joined.out[last]) {
        joined.extent[last] *= extent[r];
        continue;
      }
      --last;
      joined.extent[last] = extent[r];
      joined.in[last] = in[r];
      joined.out[last] = out[r];
    }
    if (last == rank) joined.in[rank - 1] = joined.out[rank - 1] = 1;
    *this = joined;
  }

  /// @brief Whether addresses grow in the order of the elements.
  bool grows(const Kokkos::Array<Index, rank>& stride) const {
    Index reach = 0;  // from the first to the last element of the faster dimensions
    for (int r = rank - 1; r >= 0; --r) {
      if (extent[r] <= 1) continue;
      if (stride[r] <= reach) return false;
      reach += (extent[r] - 1) * stride[r];
    }
    return true;
  }
};

/// @brief Directions of moves within one piece of memory: all elements to lower addresses, or to
/// higher ones, or to other memory.
enum class Direction { Apart, Down, Up };

/// @brief Columns beside those that are moved, of a View whose extents are the last but one.
template <class T>
struct Margin {
  bool filled = false;
  T value{};
  T* data = nullptr;
  Kokkos::Array<Index, 3> extent{};  ///< batches, rows, columns
  Kokkos::Array<Index, 3> stride{};
  Index leading = 0;
  Index moved = 0;  ///< columns behind the leading ones that hold elements

  KOKKOS_FUNCTION Index columns() const { return extent[2] - moved; }
  Index elements() const { return extent[0] * extent[1] * columns(); }
};

template <class T>
struct Problem {
  const T* in;
  T* out;
  Box box;
  Direction direction;
  Margin<T> margin;
};

}  // namespace wavescan::Impl::pad

#endif
