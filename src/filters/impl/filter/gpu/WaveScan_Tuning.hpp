// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TUNING_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TUNING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#include <impl/filter/WaveScan_Transition.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Sizes of the kernel that filters tiles, and the tables that it reads.

namespace wavescan::Impl::filter {

/// @brief Sizes for a type of samples and a number of states.
template <class T, int K>
struct Tuning {
  static constexpr int size = static_cast<int>(sizeof(T));
  /// 16-byte words of consecutive samples of a thread: an odd number, so that a warp reads shared
  /// memory without bank conflicts; the more, the less often states are joined, each time by some
  /// matrices.
  static constexpr int words = K <= 2 ? 3 : K <= 4 ? 5 : 7;
  static constexpr int bytes = 16 * words;
  static constexpr int items = bytes / size;
  /// With three more warps a multiple of four, by which registers are given out.
  static constexpr int threads = K <= 2 ? 544 : K <= 4 ? 416 : 288;
  static constexpr int warps = threads / 32;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int tile_bytes = threads * bytes;
  static constexpr int stage_bytes = ceil_div(tile_bytes, 128) * 128;
  static constexpr int delay =
      K <= 4 || size == 4 ? 3 : 2;  ///< tiles between a tile's reduction and its run
  static constexpr int look_back_loads = 5;
};

/// @brief What becomes of states over the lengths that occur. A copy lies in shared memory.
template <class T, int K>
struct Tables {
  using Sizes = Tuning<T, K>;
  using Matrix = StateMatrix<T, K>;
  static constexpr int lengths = 5;
  static constexpr int loads = Sizes::look_back_loads;

  /// What a sample of one leaves behind its thread's last one.
  alignas(16) T response[Sizes::items][K];
  Matrix threads[lengths];           ///< over the samples of 1, 2, 4, 8 and 16 threads
  Matrix warps[lengths];             ///< of as many warps
  Matrix before_warp[Sizes::warps];  ///< of the warps before one
  Matrix tile;
  Matrix tiles[lengths];    ///< of `loads` times 1, 2, 4, 8 and 16 tiles
  Matrix wave;              ///< of the tiles between two of a block
  Matrix first_thread;      ///< of those samples of a line's first thread that belong to it
  T before_lane[K][K][32];  ///< of the lanes before one; entries of lanes lie side by side

  template <class Form>
  Tables(const Transition<Form>& transition, int front, int blocks) {
    transition.for_responses(Sizes::items, [&](int i, const StateVector<T, K>& r) {
      std::copy_n(r.value, K, response[Sizes::items - 1 - i]);
    });
    for (int j = 0; j < lengths; ++j) {
      threads[j] = transition.power(Index(Sizes::items) << j);
      warps[j] = transition.power(Index(Sizes::items) << (5 + j));
      tiles[j] = transition.power(Sizes::tile * loads << j);
    }
    transition.for_multiples(Index(Sizes::items) * 32, Sizes::warps,
                             [&](int w, const Matrix& m) { before_warp[w] = m; });
    tile = transition.power(Sizes::tile);
    wave = transition.power(Sizes::tile * (blocks - 1));
    first_thread = transition.power(Sizes::items - front);
    transition.for_multiples(Sizes::items, 32, [&](int lane, const Matrix& m) {
      for (int r = 0; r < K; ++r)
        for (int c = 0; c < K; ++c) before_lane[r][c][lane] = m.entry[r][c];
    });
  }
};

}  // namespace wavescan::Impl::filter

#endif
