// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TENSORBLOCK_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TENSORBLOCK_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/filter/gpu/WaveScan_StateJoins.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <cstddef>

namespace wavescan::Impl::filter {

/// @brief Stands for the filter where tables say all of it.
struct OnlyTables {};

/// @brief The frame in which kernels with tensor cores for double precision run: their arguments,
/// shared memory, and warps. What the warps that filter do is the kernel's own.
/// @tparam Tables what the kernel reads of global memory
/// @tparam Copied what of it is copied to shared memory; its `join` joins states
/// @tparam Own    what else the kernel has in shared memory
/// @tparam Form   of the filter, if the kernel wants it besides tables
template <class T, int K, class OfShape, class OfTables, class Copied, class Own,
          class Form = OnlyTables>
class TensorBlock {
 public:
  using Shape = OfShape;
  using Tables = OfTables;
  struct Parameters {
    TiledLines<T> lines;
    JoinDepth depth;
    const Tables* tables;
    Form form;
  };

 private:
  struct Shared {
    Copied tables;
    JoinStates<K, Shape::warps> states;
    Own own;
  };
  static constexpr int room = gpu::block_memory - 2048 - static_cast<int>(sizeof(Shared));

 protected:
  using Pipeline = FilterPipeline<T, Shape, room, 2>;

 private:
  using Joins = StateJoins<K, Shape::warps, Pipeline>;
  static constexpr int stages_bytes = Pipeline::stages * Pipeline::stage_bytes;

 public:
  static constexpr int block_threads = Pipeline::block_threads;
  static constexpr std::size_t shared_bytes =
      stages_bytes + sizeof(Shared) + sizeof(typename Pipeline::Barriers);
  static constexpr int memory_alignment = 128;
  static TotalsView make_totals(const gpu::Device& exec, Index blocks) {
    return Joins::make_totals(exec, blocks);
  }

 protected:
  static constexpr int slots = tile_slots;

  __device__ TensorBlock(const Parameters& filter, char* memory)
      : filter_(filter),
        shared_(*reinterpret_cast<Shared*>(memory + stages_bytes)),
        pipeline_(filter.lines, memory,
                  *reinterpret_cast<typename Pipeline::Barriers*>(&shared_ + 1)) {}

  /// @brief Every warp's work.
  /// @param tables what is copied
  /// @param filter filter(warp) is the work of a warp that filters
  template <class Filter>
  __device__ void run_warps(const Copied& tables, const Filter& filter) {
    if (threadIdx.x == Pipeline::copier * 32) pipeline_.init();
    constexpr int words = static_cast<int>(sizeof(Copied) / sizeof(double2));
    for (int i = static_cast<int>(threadIdx.x); i < words; i += block_threads)
      reinterpret_cast<double2*>(&shared_.tables)[i] = reinterpret_cast<const double2*>(&tables)[i];
    __syncthreads();
    const int warp = gpu::warp();
    if (warp < Shape::warps)
      filter(warp);
    else if (Pipeline::copies())
      pipeline_.copy_tiles();
    else if (warp == Pipeline::publisher)
      joins().publish_totals();
    else if (warp >= Pipeline::reader)
      joins().read_prefixes();
  }

  const Parameters& filter_;
  Shared& shared_;
  Pipeline pipeline_;

 private:
  /// @brief Not a member: a kernel that refers to itself would not stay in registers.
  __device__ Joins joins() {
    return {filter_.lines.totals, filter_.depth, shared_.tables.join, shared_.states, pipeline_};
  }
};

}  // namespace wavescan::Impl::filter

#endif
