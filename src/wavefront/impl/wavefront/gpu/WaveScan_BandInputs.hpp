// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_BANDINPUTS_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_BANDINPUTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <utility>

/// @file
/// @brief The arrays that a loop reads besides its own, on their way through shared memory.

namespace wavescan::Impl {

/// @brief A loop's inputs as a kernel is given them: looked up by an index, they stay where
/// parameters are.
template <class Problem>
struct InputParameters {
  using value_type = typename Problem::value_type;
  static constexpr int count = input_count<typename Problem::loop_type>;

  LoopInput<value_type> input[count];

  explicit InputParameters(const Problem& problem) {
    const auto inputs = problem.loop.inputs();
    for (int k = 0; k < count; ++k) input[k] = inputs[k];
  }
};

template <class Problem>
  requires(input_count<typename Problem::loop_type> == 0)
struct InputParameters<Problem> {
  static constexpr int count = 0;
  explicit InputParameters(const Problem&) {}
};

/// @brief The inputs of a band whose lane l computes in a step the column before that of lane l-1,
/// or the one before that: Problem::lag.
///
/// Entries lie in the order of the steps that use them, those of a step next to each other. A warp
/// fetches those of the next chunk of steps while it works on one: loads into registers would have
/// to be waited for one by one. Where copies are not asynchronous, or inputs too many for shared
/// memory, they are read when they are asked for.
///
/// @tparam Lanes that have rows
/// @tparam Rows  of a lane
/// @tparam Room  bytes of shared memory that there are for them
template <class Problem, int Lanes, int Rows, int Room>
class BandInputs {
 public:
  using value_type = typename Problem::value_type;
  using Kept = InputParameters<Problem>;
  using Values = decltype(std::declval<Problem>().inputs(0, 0));
  static constexpr int count = Kept::count;

  /// Steps whose inputs are fetched at once.
  static constexpr int chunk = 16;

 private:
  static constexpr int lag = Problem::lag;
  static constexpr int kept_steps = 2 * chunk;
  /// Entries from one step to the next: one more than rows, so that lanes that fetch a row find its
  /// entries in different banks.
  static constexpr int pitch = Lanes * Rows + 1;

 public:
  /// The bytes that inputs need, if there is room.
  static constexpr int bytes =
      (count * kept_steps * pitch * static_cast<int>(sizeof(value_type)) + 15) / 16 * 16;
  static constexpr bool fit = count > 0 && bytes <= Room;
  /// @brief Whether they are fetched ahead.
  static __device__ constexpr bool fetched() { return fit && gpu::copies_are_async; }

  /// @param first row of the band in the Grids
  /// @param rows  of the band that there are
  /// @param origin column of the Grids that column 0 is
  /// @param begin  the first column that there is
  /// @param end    the column after the last one
  __device__ BandInputs(const Kept& inputs, unsigned char* shared, Index first, int rows,
                        Index origin, int begin, int end)
      : inputs_(inputs),
        data_(reinterpret_cast<value_type*>(shared)),
        first_row_(first),
        rows_(rows),
        origin_(origin),
        begin_(begin),
        end_(end) {
    if constexpr (fetched())
      for (int k = 0; k < count; ++k)
        if (!inputs_.input[k].values.data)
          for (int e = gpu::lane(); e < kept_steps * pitch; e += gpu::warp_size)
            data_[k * kept_steps * pitch + e] = inputs_.input[k].constant;
  }

  /// @brief Starts to copy the inputs of the next chunk of steps.
  __device__ void fetch() {
    if constexpr (fetched()) {
      const int step = chunk_ * chunk + gpu::lane() % chunk;
#pragma unroll 1
      for (int k = 0; k < count; ++k)
        if (inputs_.input[k].values.data)
          for (int r = 0; r < Rows; ++r) fetch_rows(inputs_.input[k].values, k, r, step);
      ++chunk_;
      gpu::commit_async_copies();
    }
  }

  /// @brief The inputs of a lane's r-th entry of a step.
  __device__ __forceinline__ Values values(int step, int r, int lane) const {
    Values values{};
    if constexpr (fetched()) {
#pragma unroll
      for (int k = 0; k < count; ++k) values[k] = *slot(k, step, r, lane);
    } else if constexpr (count > 0) {
      const int column = step - lag * lane;
      if (is_there(lane, r, column))
#pragma unroll
        for (int k = 0; k < count; ++k)
          values[k] = inputs_.input[k](first_row_ + lane * Rows + r, origin_ + column);
    }
    return values;
  }

 private:
  static constexpr int at_once = gpu::warp_size / chunk;  ///< lanes' rows that a warp fetches
  static_assert(gpu::warp_size % chunk == 0 && Lanes % at_once == 0);

  __device__ __forceinline__ bool is_there(int lane, int r, int column) const {
    return column >= begin_ && column < end_ && lane * Rows + r < rows_;
  }
  __device__ __forceinline__ value_type* slot(int k, int step, int r, int lane) const {
    return data_ + (k * kept_steps + (step & (kept_steps - 1))) * pitch + r * Lanes + lane;
  }

  /// @brief Fetches the r-th rows of all lanes.
  __device__ void fetch_rows(const Grid<const value_type>& grid, int k, int r, int step) const {
    const int first_lane = gpu::lane() / chunk;
    const value_type* place =
        &grid(first_row_ + first_lane * Rows + r, origin_ + step - lag * first_lane);
    const Index next = at_once * (Rows * grid.row_stride - lag * grid.column_stride);
    value_type* const to = slot(k, step, r, first_lane);
#pragma unroll
    for (int l = 0; l < Lanes; l += at_once) {
      const int lane = first_lane + l;
      fetch_entry(is_there(lane, r, step - lag * lane), to + l, place);
      place += next;
    }
  }
  static __device__ void fetch_entry(bool wanted, value_type* to, const value_type* place) {
    constexpr int size = sizeof(value_type);
    if constexpr (size == alignof(value_type) && (size == 4 || size == 8 || size == 16))
      gpu::copy_async_if<size>(wanted, to, place);
    else if (wanted)
      *to = *place;
  }

  const Kept& inputs_;
  value_type* data_;
  Index first_row_;
  int rows_;
  Index origin_;
  int begin_;
  int end_;
  int chunk_ = 0;  ///< that is fetched next
};

}  // namespace wavescan::Impl

#endif
