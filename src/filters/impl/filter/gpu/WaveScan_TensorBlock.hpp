// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TENSORBLOCK_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TENSORBLOCK_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_StateJoins.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <limits>
#include <type_traits>

namespace wavescan::Impl::filter {

/// @brief Stands for the filter where tables say all of it.
struct OnlyTables {};

/// @brief Shared memory of kernels with tensor cores for double precision.
/// @tparam Copied tables; their `join` joins states
/// @tparam Own    what is the kernel's own
template <int K, int Warps, class Copied, class Own>
struct TensorShared {
  Copied tables;
  JoinStates<K, Warps> states;
  Own own;
};
template <class T, int K, class Shape, class Copied, class Own>
using TensorPipeline = FilterPipeline<T, Shape, TensorShared<K, Shape::warps, Copied, Own>, 2>;

/// @brief The frame in which kernels with tensor cores for double precision run: their arguments,
/// and the warps that join states. What the warps that filter do is the kernel's own.
/// @tparam Tables what the kernel reads of global memory
/// @tparam Copied what of it is copied to shared memory
/// @tparam Form   of the filter, if the kernel wants it besides tables
template <class T, int K, class OfShape, class OfTables, class Copied, class Own,
          class Form = OnlyTables>
class TensorBlock : public TensorPipeline<T, K, OfShape, Copied, Own> {
  using Pipeline = TensorPipeline<T, K, OfShape, Copied, Own>;
  using Joins = StateJoins<K, OfShape::warps, Pipeline>;

 public:
  using Shape = OfShape;
  using Tables = OfTables;
  struct Parameters {
    TiledLines<T> lines;
    JoinDepth depth;
    const Tables* tables;
    Form form;

    Parameters() = default;
    template <class Of>
    Parameters(const Of& filter, const Transition<Of>&, Index max_blocks, Index most_tiles)
        : depth(JoinDepth::of(most_tiles, max_blocks)) {
      if constexpr (std::is_same_v<Form, Of>) form = filter;
    }
  };
  static constexpr int max_blocks = std::numeric_limits<int>::max(), max_depth = max_blocks;
  /// States of double samples are joined in their own precision, and outputs come of states eight
  /// samples before: at 714 errors were 380 times those of the loop.
  static constexpr FilterLimits limits_from(Index least_length) {
    return {true, sizeof(T) == 4 ? max_growth_of_exact : 600, Shape::tile, least_length,
            Shape::tile / 2};
  }
  static TotalsView make_totals(const gpu::Device& exec, Index blocks) {
    return Joins::make_totals(exec, blocks);
  }

 protected:
  using Pipeline::lines_, Pipeline::shared_;
  __device__ TensorBlock(const Parameters& filter, char* memory)
      : Pipeline(filter.lines, memory), filter_(filter) {}

  /// @brief Does every warp's work.
  /// @param tables what is copied
  /// @param filter filter(warp) is the work of a warp that filters
  template <class Filter>
  __device__ void run_filter(const Copied& tables, const Filter& filter) {
    this->run_warps([&] { this->copy_table(tables, shared_.tables); }, filter,
                    [&] { joins().publish_totals(); }, [&] { joins().read_prefixes(); });
  }

  const Parameters& filter_;

 private:
  /// @brief Makes the joins of states. They are no member: a kernel that refers to itself would not
  /// stay in registers.
  __device__ Joins joins() {
    return {lines_.totals, filter_.depth, shared_.tables.join, shared_.states, *this};
  }
};

}  // namespace wavescan::Impl::filter

#endif
