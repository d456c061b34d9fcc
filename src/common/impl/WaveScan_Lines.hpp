// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_LINES_HPP
#define WAVESCAN_IMPL_LINES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>

#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief Consecutive elements of a line in memory.
template <class T>
struct LineElements {
  T* data;
  Index stride;
  KOKKOS_FORCEINLINE_FUNCTION T& operator[](Index i) const { return data[i * stride]; }
};

/// @brief A View seen as a bundle of lines: element j of line l lies at data[l * line_stride + j *
/// stride].
///
/// Every rank, layout and axis becomes this one type, so that each kernel is compiled once.
template <class T>
struct Lines {
  T* data = nullptr;
  Index line_stride = 0;
  Index stride = 0;
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index line, Index j) const {
    return data[line * line_stride + j * stride];
  }
  /// @brief The elements of a line from `first` on.
  KOKKOS_FORCEINLINE_FUNCTION LineElements<T> from(Index line, Index first) const {
    return {&(*this)(line, first), stride};
  }
};

/// @brief The dimension that `axis` names, -1 being the last one.
inline int checked_axis(std::string_view operation, int rank, int axis) {
  if (axis == -1) return rank - 1;
  const auto expectation = [&] {
    return "must be a dimension of the input (0 to " + std::to_string(rank - 1) +
           ") or -1 for the last";
  };
  require(axis >= 0 && axis < rank, operation, "axis", expectation, axis);
  return axis;
}

/// @brief The number and length of the lines that a View has along an axis.
struct LineExtents {
  Index lines = 0;
  Index length = 0;
};

/// @param view of rank 1 or 2
inline LineExtents line_extents(const Footprint& view, int axis) {
  if (view.rank == 1) return {1, view.extent[0]};
  return axis == 0 ? LineExtents{view.extent[1], view.extent[0]}
                   : LineExtents{view.extent[0], view.extent[1]};
}

template <class ViewType>
  requires(ViewType::rank() == 1 || ViewType::rank() == 2)
Lines<typename ViewType::value_type> lines_of(const ViewType& view, int axis) {
  if constexpr (ViewType::rank() == 1)
    return {view.data(), 0, static_cast<Index>(view.stride(0))};
  else
    return {view.data(), static_cast<Index>(axis == 0 ? view.stride(1) : view.stride(0)),
            static_cast<Index>(axis == 0 ? view.stride(0) : view.stride(1))};
}

/// @brief A View of one state for each line as lines of one element.
template <class Element, class Carries>
  requires(Carries::rank() <= 1)
Lines<Element> lines_of_carries(const Carries& carries) {
  Index line_stride = 0;
  if constexpr (Carries::rank() == 1) line_stride = static_cast<Index>(carries.stride(0));
  return {carries.data(), line_stride, 0};
}

}  // namespace wavescan::Impl

#endif
