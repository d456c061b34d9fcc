// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWED_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWED_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>
#include <impl/wavefront/gpu/WaveScan_BandInputs.hpp>
#include <impl/wavefront/gpu/WaveScan_BandRing.hpp>
#include <impl/wavefront/gpu/WaveScan_RowMessages.hpp>
#include <impl/wavefront/gpu/WaveScan_SkewedGroup.hpp>
#include <impl/wavefront/gpu/WaveScan_WavefrontSizes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Schedule TileSkewed on GPUs: natural order, each lane one step behind the lane above it.
///
/// A warp owns a band of rows, a lane R neighbouring ones of them. In a step a lane computes a
/// column of its rows in natural order and hands the lowest entry on to the lane below, which
/// computes the entries under it one step later. Bands that follow each other belong to the warps
/// of a block, which hand on the lowest row of a band through shared memory; the lowest row of the
/// last one goes to the next block through global memory. Every entry is computed by the operations
/// of the serial loop, so the result has its bits. If entries need their upper right neighbour, a
/// lane is two steps behind the one above it: the lag.
///
/// All that counts is how long a step takes and how many steps lie between bands: with few rows or
/// columns nothing else is to be done meanwhile. So the warps that compute do nothing but that, in
/// shared memory; each has another warp that carries old values there and results back, and two
/// more exchange rows with other blocks. What a loop reads besides its own array, its inputs, a
/// warp that computes starts to copy itself, since copies in order of steps need no other's word.
///
/// Why old values are old: entries (i, j) with j from an entry's own column on are read for it at
/// the latest, and entries of the row below only for those that are computed before what overwrites
/// them. In the band, a lane overwrites what is under an entry one step later; in the band below,
/// after the value of the entry has arrived. Values are fetched ahead, never later.

namespace wavescan::Impl {

/// @brief The arguments of the skewed kernel.
/// @tparam Sizes its member `value` is a SkewedSizes
template <class Problem, class Sizes>
struct SkewedKernel {
  static constexpr const char* name = "WaveScan::wavefront::skewed_bands";
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  using Place = gpu::Tagged<value_type>;

  static constexpr int lanes = 32;                ///< that have rows; all, on most devices
  static constexpr int rows = Sizes::value.rows;  ///< of a lane
  static constexpr int band_rows = lanes * rows;
  static constexpr int behind = Problem::lag * (lanes - 1);  ///< steps, the last lane
  static_assert(Problem::lag == 1 || rows == 1, "a lane's rows have no lag");
  static constexpr int chunk = Sizes::value.chunk;
  static constexpr int max_threads = (2 * Sizes::value.bands + 2) * gpu::warp_size;
  static constexpr int steps_at_once = 8;  ///< after which bands look at each other
  using Ring = BandRing<value_type, band_rows, chunk, Sizes::value.chunks>;
  using Blocks = typename Ring::Blocks;
  using Inbox = BandInbox<value_type, Ring::pitch>;
  /// The bytes that every device with asynchronous copies has for a block.
  static constexpr int min_shared = 99 * 1024;
  using Inputs = BandInputs<Problem, lanes, rows,
                            min_shared - static_cast<int>(Ring::bytes + 2 * sizeof(Inbox))>;
  static_assert(lanes <= gpu::warp_size && chunk % steps_at_once == 0);

  Problem problem;
  Blocks blocks;
  typename Inputs::Kept inputs;
  gpu::TaskQueue::Launch queue;
  gpu::TaggedWord* rows_sent;  ///< lowest rows of blocks' bands, by turns in one of two places
  int bands;

  static auto function() -> void (*)(SkewedKernel);
  SkewedKernel(const Problem& p, const gpu::TaskQueue::Launch& launch, gpu::TaggedWord* words)
      : problem(p),
        blocks(p.grid, p.range.column_begin, p.range.column_end),
        inputs(p),
        queue(launch),
        rows_sent(words),
        bands(static_cast<int>(count_bands(p.range))) {}

  static Index count_bands(const Block& range) { return ceil_div(range.rows(), band_rows); }

  /// @brief Threads of a block that computes some bands at a time: for each a warp that computes
  /// and one that carries, and two for the rows from and to other blocks.
  static constexpr int threads(int bands_at_once) {
    return (2 * bands_at_once + 2) * gpu::warp_size;
  }
  __device__ static int bands_at_once() { return gpu::warps() / 2 - 1; }
  KOKKOS_FUNCTION static constexpr std::size_t band_bytes(bool with_inputs) {
    return Ring::bytes + (with_inputs ? static_cast<std::size_t>(Inputs::bytes) : 0);
  }
  static std::size_t shared_bytes(const gpu::Device& exec, int bands_at_once) {
    const bool with_inputs =
        Inputs::fit && gpu::device_path(Operation::TileSkewed, exec) == DevicePath::AsyncCopies;
    return static_cast<std::size_t>(bands_at_once) * band_bytes(with_inputs) +
           static_cast<std::size_t>(bands_at_once + 1) * sizeof(Inbox);
  }

  /// Whether there is room for the loop's inputs, so that some ranges may be supported.
  static constexpr bool may_support = Inputs::fit || Inputs::count == 0;
  /// Whether all ranges are supported on all devices that are compiled for.
  static constexpr bool supports_all =
      may_support && Sizes::value.from == 0 && compiled_capability >= 80;

  /// @brief Whether the sizes are meant for such a range, and there is room for them and for the
  /// loop's inputs.
  static bool supports(const gpu::Device& exec, const Block& range) {
    return may_support && range.rows() > Sizes::value.from * range.columns() &&
           shared_bytes(exec, 1) <= shared_room(exec);
  }

  /// @brief A band for each scheduler of a multiprocessor, and more if there are so many.
  static gpu::LaunchShape shape(const gpu::Device& exec, const Block& range) {
    const Index bands = count_bands(range);
    const Index processors = gpu::device_properties(exec).multiProcessorCount;
    int at_once = static_cast<int>(std::min(
        {std::max<Index>(ceil_div(bands, processors), 4), bands, Index(Sizes::value.bands)}));
    while (at_once > 1 && shared_bytes(exec, at_once) > shared_room(exec)) --at_once;
    return {std::min(ceil_div(bands, at_once), processors), threads(at_once),
            shared_bytes(exec, at_once)};
  }
  static std::size_t shared_room(const gpu::Device& exec) {
#if defined(WAVESCAN_HAS_HIP_KERNELS)
    return gpu::device_properties(exec).sharedMemPerBlock;
#else
    return gpu::device_properties(exec).sharedMemPerBlockOptin;
#endif
  }

  static std::size_t words(const Block& range) {
    return 2 * static_cast<std::size_t>(row_words(ceil_div(range.columns(), Ring::unit) + 1));
  }
  KOKKOS_FUNCTION static Index row_words(Index block_count) {
    return block_count * Ring::unit * Place::words;
  }

  /// @brief Columns, from the origin of the blocks on.
  __device__ int width() const {
    return static_cast<int>(problem.range.column_end - blocks.origin);
  }
  __device__ Index first_row(int band) const {
    return problem.range.row_begin + Index(band) * band_rows;
  }
  /// @brief Rows from `first` on up to `end`, at most `most`.
  static __device__ int rows_from(Index first, Index end, int most) {
    return first >= end ? 0 : static_cast<int>(end - first < most ? end - first : most);
  }

  /// @brief Groups of bands, one for each time that a block draws.
  __device__ int groups() const { return (bands + bands_at_once() - 1) / bands_at_once(); }
  __device__ std::uint32_t tags() const { return static_cast<std::uint32_t>(groups()); }

  /// @brief The words through which the lowest row of a group goes to the next one. The group after
  /// that uses the same words: it sends an entry when the next one has, which then has received
  /// that column.
  __device__ RowWords sent(const gpu::TaskQueue& started, int group) const {
    return {rows_sent + (group & 1) * row_words(blocks.count),
            started.tag(static_cast<std::uint32_t>(group)), width()};
  }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::max_threads)
    skewed_bands(WAVESCAN_GRID_CONSTANT const Kernel kernel) {
  extern __shared__ char memory[];
  __shared__ Index drawn;
  const gpu::TaskQueue queue(kernel.queue);
  bool stuck = false;
  while (true) {
    if (gpu::warp() == 0) {
      const Index group = queue.draw();
      if (gpu::lane() == 0) drawn = group;
    }
    __syncthreads();
    const int group = drawn < kernel.groups() ? static_cast<int>(drawn) : -1;
    if (group < 0 || stuck) break;
    const SkewedGroup<Kernel> work(kernel, queue, reinterpret_cast<unsigned char*>(memory), group);
    work.clear();
    __syncthreads();
    stuck = __syncthreads_or(!work.run());
  }
  if (threadIdx.x == 0) queue.leave(kernel.tags());
}

template <class Problem, class Sizes>
auto SkewedKernel<Problem, Sizes>::function() -> void (*)(SkewedKernel) {
  return skewed_bands<SkewedKernel>;
}

}  // namespace wavescan::Impl

#endif
