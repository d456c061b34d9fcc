// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_FILTERTUNING_HPP
#define WAVESCAN_IMPL_FILTER_GPU_FILTERTUNING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#include <impl/filter/WaveScan_Transition.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief Sizes of the kernel that filters tiles, and the tables that it reads.

namespace wavescan::Impl::filter {

/// @brief Ways in which a thread finds what its samples leave behind: as a sum of responses, where
/// no sample waits for another, for K operations and K constants a sample; or by filtering them,
/// for 2 K + 1 operations and as many constants in all.
enum class Reduction { ByResponses, ByFiltering };

/// @brief Layout of the kernel.
///
/// - `Words`: 16-byte words of consecutive samples of a thread: an odd number, so that a warp reads
///   shared memory without bank conflicts (see odd_words); the more, the less often states are
///   joined, each time by some matrices
/// - `Warps` that filter; with the others, three of a bulk mover, a multiple of four, by which
/// registers are given out
/// - `Delay`: tiles between a tile's reduction and its run
/// - `Unrolled`: words of a run. Code that leaves the instruction cache costs more than loops
/// - `By`: see Reduction
/// - `InShared`: matrices and responses lie in shared memory, whose words take four cycles on their
///   way to a warp, rather than among the kernel's parameters, where they are operands of
///   instructions, but must fit in 4 KiB
template <int Words, int Warps, int Delay, int Unrolled, Reduction By, bool InShared>
struct TileShape {
  static constexpr int words = Words;
  static constexpr int warps = Warps;
  static constexpr int delay = Delay;
  static constexpr int run_words = Unrolled;
  static constexpr bool by_responses = By == Reduction::ByResponses;
  static constexpr bool in_shared = InShared;
};

/// @brief 16-byte words of a thread where warps have another number of lanes than 32: a warp has as
/// many, about, since shared memory is no larger where warps are.
/// @param words of a thread of 32, an odd number; so is the result
constexpr int odd_words(int words, int lanes = gpu::warp_size) { return words * 32 / lanes | 1; }

/// @brief The shape that was the fastest on an H200.
template <class T, int K>
using LargeShape = std::conditional_t<
    K <= 2, TileShape<5, 13, 3, 5, Reduction::ByResponses, false>,
    std::conditional_t<
        K <= 4, TileShape<7, 9, 3, 1, Reduction::ByResponses, false>,
        std::conditional_t<
            K * sizeof(T) <= 32, TileShape<9, 9, 2, 1, Reduction::ByFiltering, false>,
            std::conditional_t<sizeof(T) == 8, TileShape<9, 5, 3, 1, Reduction::ByResponses, true>,
                               TileShape<13, 5, 2, 1, Reduction::ByResponses, true>>>>>;

/// @brief The shape with as many warps as there is shared memory for, whose size is that of the
/// GPUs that are compiled for.
template <int K, class Shape>
struct FittingShape {
  static constexpr int words = odd_words(Shape::words);
  /// Bytes, for coefficients of 8: of the matrices for each lane, and of the others.
  static constexpr int tables = K * K * 16 * gpu::warp_size + 4096;
  static constexpr int delay = gpu::block_memory < 128 * 1024 ? 1 : Shape::delay;
  static constexpr int warps =
      std::min(Shape::warps,
               (gpu::block_memory - 4096 - tables) / ((delay + 3) * words * 16 * gpu::warp_size));
  using type = TileShape<words, std::max(warps, 1), delay, Shape::run_words,
                         Shape::by_responses ? Reduction::ByResponses : Reduction::ByFiltering,
                         Shape::in_shared>;
};
template <class T, int K>
using ChosenShape = std::conditional_t<gpu::has_hopper_memory, LargeShape<T, K>,
                                       typename FittingShape<K, LargeShape<T, K>>::type>;
/// @brief Whether enough warps are left to be quicker than the portable form.
template <class T, int K>
inline constexpr bool has_room = gpu::has_hopper_memory || ChosenShape<T, K>::warps >= 2;

/// Where blocks have less shared memory, two passes of two sections are faster than one of four.
template <>
inline constexpr std::size_t max_sections_anyway<gpu::Device, float> =
    gpu::has_hopper_memory ? 4 : 2;

/// @brief Sizes that follow from a shape.
template <class T, class Shape>
struct FilterTuning {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int words = Shape::words;
  static constexpr int bytes = 16 * words;
  static constexpr int items = bytes / size;
  static constexpr int warps = Shape::warps;
  static constexpr int threads = gpu::warp_size * warps;
  static constexpr Index tile = Index(threads) * items;
  static constexpr int delay = Shape::delay;
  static constexpr int look_back_loads = 5;
};

/// @brief Transitions of states within a warp, and responses to samples.
template <class Form, class Shape>
struct WarpTables {
  using C = typename Form::coefficient_type;
  static constexpr int K = Form::states;
  using Sizes = FilterTuning<typename Form::value_type, Shape>;
  static constexpr int lengths = gpu::warp_steps;
  StateMatrix<C, K> threads[lengths];  ///< over the samples of 1, 2, 4, ... threads
  C response[Shape::by_responses ? Sizes::items : 1]
            [K];  ///< behind a thread's last sample, to each of its samples

  WarpTables() = default;
  explicit WarpTables(const Transition<Form>& transition) {
    for (int j = 0; j < lengths; ++j) threads[j] = transition.power(Index(Sizes::items) << j);
    if constexpr (Shape::by_responses)
      transition.for_responses(Sizes::items, [&](int i, const StateVector<C, K>& r) {
        std::copy_n(r.value, K, response[Sizes::items - 1 - i]);
      });
  }
};

/// @brief A substitute for tables that lie elsewhere.
struct NoTables {
  NoTables() = default;
  explicit NoTables(const auto&) {}
};
/// @brief A warp's tables, where they are to lie: in shared memory, or among the parameters.
template <class Form, class Shape, bool InShared>
using WarpTablesIn =
    std::conditional_t<Shape::in_shared == InShared, WarpTables<Form, Shape>, NoTables>;

/// @brief Transitions of states over warps and tiles. A copy lies in shared memory.
template <class Form, class Shape>
struct SharedTables : WarpTablesIn<Form, Shape, true> {
  using C = typename Form::coefficient_type;
  static constexpr int K = Form::states;
  using Sizes = FilterTuning<typename Form::value_type, Shape>;
  using Matrix = StateMatrix<C, K>;
  static constexpr int lengths = gpu::warp_steps;

  Matrix warps[lengths];             ///< over the samples of 1, 2, 4, ... warps
  Matrix before_warp[Sizes::warps];  ///< of the warps before one
  Matrix tile;
  Matrix tiles[lengths];                ///< of 1, 2, 4, ... times the tiles that a lane joins
  C before_lane[K][K][gpu::warp_size];  ///< of the lanes before one; entries of lanes lie side by
                                        ///< side

  SharedTables() = default;
  SharedTables(const Transition<Form>& transition, int loads)
      : WarpTablesIn<Form, Shape, true>(transition) {
    for (int j = 0; j < lengths; ++j) {
      warps[j] = transition.power(Index(Sizes::items) << (gpu::warp_steps + j));
      tiles[j] = transition.power(Sizes::tile * loads << j);
    }
    transition.for_multiples(Index(Sizes::items) * gpu::warp_size, Sizes::warps,
                             [&](int w, const Matrix& m) { before_warp[w] = m; });
    tile = transition.power(Sizes::tile);
    transition.for_multiples(Sizes::items, gpu::warp_size, [&](int lane, const Matrix& m) {
      for (int r = 0; r < K; ++r)
        for (int c = 0; c < K; ++c) before_lane[r][c][lane] = m.entry[r][c];
    });
  }
};

}  // namespace wavescan::Impl::filter

#endif
