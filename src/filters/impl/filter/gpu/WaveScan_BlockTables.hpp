// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_BLOCKTABLES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_BLOCKTABLES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/filter/WaveScan_DoubleDouble.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_StateJoins.hpp>

#include <type_traits>
#include <vector>

/// @file
/// @brief A filter in block form: what a block of samples and the state that enters it become. The
/// tables are computed on the host in twice double precision.
///
/// If x and y are the samples of a block, and s and s' the states before and after it,
///
///     y = T x + H s,  s' = G x + A s,
///
/// where T is the lower triangular Toeplitz matrix of the impulse response. All four follow from a
/// form's step.
///
/// Source: Burrus, Block realization of digital filters, IEEE Trans. Audio Electroacoust. 20
/// (1972).

namespace wavescan::Impl::filter {

/// @brief Layout of the kernel for filters in block form.
///
/// - `Samples`: tiles of eight samples that a block has: the more, the fewer operations of H, G and
///   A, and the more of T
/// - `Blocks`: of a row, which is a run of samples; Samples times Blocks should be odd, so that a
///   warp reads shared memory without bank conflicts
/// - `Warps` that filter, 16 rows each
/// - `Delay`: tiles between a tile's reduction and its run
template <int Samples, int Blocks, int Warps, int Delay>
struct BlockShape {
  static constexpr int samples = Samples;
  static constexpr int blocks = Blocks;
  static constexpr int warps = Warps;
  static constexpr int delay = Delay;
  static constexpr int block = 8 * samples;
  static constexpr int row = block * blocks;
  static constexpr Index warp = 16 * row;
  static constexpr Index tile = warp * warps;
};

/// @brief Matrices from states to states, and to a row's outputs. A copy lies in shared memory.
/// @tparam K tiles of eight state variables
template <int K, class Shape>
struct RowTables {
  static constexpr int steps = JoinTables<K>::steps;
  Tiles<Shape::row / 8, K> outputs;
  Tiles<K, K> rows[steps];  ///< over 1, 2, 4 and 8 rows
  JoinTables<K> join;
};

/// @brief The matrices of a block, and of blocks in which a line begins or ends.
template <int K, class Shape>
struct BlockTables {
  static constexpr int N = Shape::samples;
  double response[N][64];  ///< the first column of T's tiles
  Tiles<N, K> h;
  Tiles<K, N> g;
  Tiles<K, K> a;
  /// By the samples before a line's first one up to a 16-byte boundary:
  struct Ends {
    Tiles<N, K> entering_h;  ///< of the state before that sample
    Tiles<K, K> entering_a;
    Tiles<K, N> leaving_g;  ///< to the state after the line's last sample, of its last block
    Tiles<K, K> leaving_a;
    Tiles<K, K> leaving_row;  ///< of its last row
  } ends[4];
  RowTables<K, Shape> rows;

  template <class Form>
  BlockTables(const Form& form, const Transition<Form>& transition, LineExtents extents, Index,
              JoinDepth depth) {
    constexpr int states = 8 * K, samples = Shape::block;
    static_assert(Form::states == states);
    using Vector = StateVector<DoubleDouble, states>;
    const auto wide = form.template as<DoubleDouble>();
    // Of a unit state: outputs and states; of a unit sample likewise. Index 0 is the first step.
    std::vector<double> output_of_state(Shape::row * states), output_of_sample(samples),
        state_of_sample(samples * states);
    std::vector<double> power((samples + 1) * states * states, 0.0);  // A^i, one sample each
    for (int q = 0; q < states; ++q) {
      Vector s{};
      s.value[q] = 1;
      for (int i = 0; i < Shape::row || i <= samples; ++i) {
        if (i <= samples)
          for (int r = 0; r < states; ++r)
            power[(i * states + r) * states + q] = static_cast<double>(s.value[r]);
        if (i < Shape::row)
          output_of_state[i * states + q] = static_cast<double>(wide.step(DoubleDouble(0), s));
      }
    }
    Vector s{};
    for (int i = 0; i < samples; ++i) {
      output_of_sample[i] = static_cast<double>(wide.step(DoubleDouble(i == 0 ? 1 : 0), s));
      for (int r = 0; r < states; ++r)
        state_of_sample[i * states + r] = static_cast<double>(s.value[r]);
    }
    const auto over = [&](Tiles<K, K>& m, int steps) {
      for (int r = 0; r < states; ++r)
        for (int q = 0; q < states; ++q) m(r, q) = power[(steps * states + r) * states + q];
    };
    // What the samples before `end` leave, and the outputs from `begin` on for a state there.
    const auto leave = [&](Tiles<K, Shape::samples>& m, int end) {
      for (int r = 0; r < states; ++r)
        for (int j = 0; j < samples; ++j)
          m(r, j) = j < end ? state_of_sample[(end - 1 - j) * states + r] : 0;
    };
    const auto enter = [&](auto& m, int count, int begin) {
      for (int j = 0; j < count; ++j)
        for (int q = 0; q < states; ++q)
          m(j, q) = j >= begin ? output_of_state[(j - begin) * states + q] : 0;
    };
    for (int t = 0; t < Shape::samples; ++t)
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) {
          const int distance = 8 * t + r - c;
          response[t][r * 8 + c] = distance >= 0 ? output_of_sample[distance] : 0;
        }
    enter(h, samples, 0);
    enter(rows.outputs, Shape::row, 0);
    leave(g, samples);
    over(a, samples);
    for (int front = 0; front < TiledLines<typename Form::value_type>::fronts; ++front) {
      auto& end = ends[front];
      const int in_last = static_cast<int>((front + extents.length - 1) % samples) + 1;
      enter(end.entering_h, samples, front);
      over(end.entering_a, samples - front);
      leave(end.leaving_g, in_last);
      over(end.leaving_a, in_last);
      lead_over(end.leaving_row, transition, (front + extents.length - 1) % Shape::row + 1);
    }
    for (int j = 0; j < RowTables<K, Shape>::steps; ++j)
      lead_over(rows.rows[j], transition, Index(Shape::row) << j);
    rows.join.fill(transition, Shape::warp, Shape::tile, depth.loads);
  }
};

}  // namespace wavescan::Impl::filter

#endif
