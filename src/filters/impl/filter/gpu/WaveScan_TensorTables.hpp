// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TENSORTABLES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TENSORTABLES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/filter/WaveScan_DoubleDouble.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_StateJoins.hpp>

#include <type_traits>
#include <vector>

/// @file
/// @brief Responses to samples, and transitions of states, as matrices for tensor cores. The tables
/// are computed on the host in twice double precision.

namespace wavescan::Impl::filter {

/// @brief Layout of the kernel with tensor cores.
///
/// - `Words`: 16-byte words of samples of a thread, its row: an odd number, so that a warp reads
///   shared memory without bank conflicts; the more, the less often states are joined
/// - `Warps` that filter
/// - `Delay`: tiles between a tile's reduction and its run
template <class T, int Words, int Warps, int Delay>
struct TensorShape {
  static_assert(Words % 2 == 1);
  static constexpr int words = Words;
  static constexpr int warps = Warps;
  static constexpr int delay = Delay;
  static constexpr int row = Words * 16 / static_cast<int>(sizeof(T));
  static constexpr int warp = 32 * row;
  static constexpr Index tile = Index(warp) * warps;
};

/// @brief A copy lies in shared memory.
/// @tparam K tiles of eight state variables
template <int K, class Shape>
struct TensorTables {
  static constexpr int steps = JoinTables<K>::steps;
  static constexpr int blocks = ceil_div(Shape::row, 8);
  Tiles<K, blocks> response;  ///< behind a row, to each of its samples; zero beyond them
  Tiles<K, K> row;            ///< from the state before a row to that after it
  Tiles<K, K> pairs[steps];   ///< likewise over 2, 4, 8 and 16 rows
  JoinTables<K> join;
  Tiles<K, K> first_row[4];  ///< over a line's first row, by the samples there before the line

  template <class Form>
  TensorTables(const Form& form, const Transition<Form>& transition, LineExtents, Index,
               JoinDepth depth) {
    constexpr int states = 8 * K;
    static_assert(Form::states == states);
    const auto wide = form.template as<DoubleDouble>();
    StateVector<DoubleDouble, states> s{};
    std::vector<double> of_sample;  // what a unit sample leaves: after it, one sample later, ...
    for (int i = 0; i < Shape::row; ++i) {
      static_cast<void>(wide.step(DoubleDouble(i == 0 ? 1 : 0), s));
      for (int r = 0; r < states; ++r) of_sample.push_back(static_cast<double>(s.value[r]));
    }
    for (int r = 0; r < states; ++r)
      for (int c = 0; c < 8 * blocks; ++c) {
        const int after = Shape::row - 1 - c;
        response(r, c) = after >= 0 ? of_sample[after * states + r] : 0;
      }
    lead_over(row, transition, Shape::row);
    for (int j = 0; j < steps; ++j) lead_over(pairs[j], transition, Index(Shape::row) << (1 + j));
    for (int front = 0; front < TiledLines<typename Form::value_type>::fronts; ++front)
      lead_over(first_row[front], transition, Shape::row - front);
    join.fill(transition, Shape::warp, Shape::tile, depth.loads);
  }
};

}  // namespace wavescan::Impl::filter

#endif
