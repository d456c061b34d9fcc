// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_FILTERPROBLEM_HPP
#define WAVESCAN_IMPL_FILTER_FILTERPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

namespace wavescan::Impl::filter {

/// @brief Layout of the states of lines: those of sections, or of one filter.
template <class T>
struct StateLines {
  T* data = nullptr;  ///< null if nobody gave or asked for them
  Index line_stride = 0;
  Index section_stride = 0;
  Index stride = 0;
  int of_section = 1;
  int count = 0;

  KOKKOS_FUNCTION T& operator()(Index line, int i) const {
    return data[line * line_stride + i / of_section * section_stride + i % of_section * stride];
  }
  /// @brief The states of some of a cascade's sections.
  StateLines of_sections(int first, int number) const {
    StateLines some = *this;
    if (data != nullptr) some.data += first * section_stride;
    some.count = number * of_section;
    return some;
  }
  /// @brief The state of a line; entries that are not there are zero.
  template <int K>
  KOKKOS_FUNCTION StateVector<std::remove_const_t<T>, K> load(Index line) const {
    StateVector<std::remove_const_t<T>, K> state{};
    if (data != nullptr)
      for (int i = 0; i < K; ++i)
        if (i < count) state.value[i] = (*this)(line, i);
    return state;
  }
  template <int K>
  KOKKOS_FUNCTION void store(Index line, const StateVector<T, K>& state) const {
    if (data == nullptr) return;
    for (int i = 0; i < K; ++i)
      if (i < count) (*this)(line, i) = state.value[i];
  }
};

/// @brief Lines to filter.
template <class T>
struct Problem {
  Lines<const T> in;
  Lines<T> out;
  LineExtents extents;
  StateLines<const T> initial;
  StateLines<T> final;
};

}  // namespace wavescan::Impl::filter

#endif
