// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRSMALLPARTS_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRSMALLPARTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/WaveScan_SmallPath.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Paths through small parts of a matrix on a GPU (CUDA).
///
/// A warp takes a part. Lanes own rows, 32 at a time, and walk along the columns, each a column
/// behind the lane above; where entries come from is a byte each in shared memory. Then one lane
/// follows the path back from its end.

namespace wavescan::Impl {

/// @brief A part of the matrix that the path crosses from corner to corner.
struct PairSmallPart {
  Index begin_a, begin_b;
  int rows, columns;
  int open_begin, open_end;  ///< as PathPart's

  static constexpr int most_entries = 128 * 128, most_columns = 512;
  /// @brief Whether a part is small, but not empty, and its entries fit in 32 bits.
  static bool supports(const PathPart& part, const ScoreBounds& costs) {
    const Index rows = part.rows(), columns = part.columns();
    return rows > 0 && columns > 0 && columns <= most_columns && rows * columns <= most_entries &&
           (rows + columns) * std::max({costs.largest, -costs.least, costs.open}) < 1 << 29;
  }
};

/// @brief The runs of a small path, the last one first.
struct PairSmallRuns {
  static constexpr int most = 63;
  std::uint16_t count;  ///< beyond `most`: they did not fit
  std::uint16_t runs[most];
  /// @brief Returns the word of a run: its kind is in the two lowest bits.
  static KOKKOS_FUNCTION std::uint16_t run(PathKind kind, int length) {
    return static_cast<std::uint16_t>(length << 2 | kind);
  }
};

struct PairSmallProblem {
  CodeSequence a, b;
  DeviceScores scores;
  const PairSmallPart* parts;
  PairSmallRuns* runs;
};

class PairSmallPath {
 public:
  struct Border {
    int h, e;
  };
  struct Memory {
    Border border[PairSmallPart::most_columns];  ///< the row above the lanes'
    std::uint8_t steps[PairSmallPart::most_entries];
  };

  __device__ PairSmallPath(const PairSmallProblem& problem, const PairSmallPart& part,
                           Memory& memory)
      : scores_(problem.scores),
        part_(part),
        a_{problem.a.data + part.begin_a * problem.a.step, problem.a.step, part.rows},
        b_{problem.b.data + part.begin_b * problem.b.step, problem.b.step, part.columns},
        memory_(memory) {}

  __device__ void find(PairSmallRuns& runs) {
    for (int j = gpu::lane(); j < part_.columns; j += gpu::warp_size) {
      const int h = -scores_.open - j * scores_.extend;
      memory_.border[j] = {h, h - scores_.open};
    }
    gpu::sync_warp();
    for (int first = 0; first < part_.rows; first += gpu::warp_size) {
      fill_rows(first);
      gpu::sync_warp();
    }
    if (gpu::lane() == 0) follow(runs);
  }

 private:
  __device__ int left_of(int row) const {
    return row < 0 ? 0 : -part_.open_begin - row * scores_.extend;
  }

  __device__ void fill_rows(int first) {
    const int row = first + gpu::lane(), columns = part_.columns;
    const bool is_inside = row < part_.rows;
    const std::int32_t* const scores = scores_.scores + (is_inside ? a_[row] : 0) * scores_.letters;
    Border here{0, 0};
    int diagonal = left_of(row - 1), left = left_of(row), f = left - scores_.open;
    for (int step = 0; step < columns + gpu::warp_size - 1; ++step) {
      gpu::sync_warp();  // the first lane has read what the last one writes
      Border above = gpu::shuffle_up(here, 1);
      const int j = step - gpu::lane();
      if (gpu::lane() == 0 && j < columns) above = memory_.border[j];
      if (!is_inside || j < 0 || j >= columns) continue;
      int h = diagonal + scores[b_[j]];
      diagonal = above.h;
      const std::uint8_t steps =
          small_step(above.h, left, scores_.open, scores_.extend, h, above.e, f);
      left = h;
      here = {h, above.e};
      memory_.steps[row * columns + j] = steps;
      if (gpu::lane() == gpu::warp_size - 1 || row == part_.rows - 1) memory_.border[j] = here;
    }
  }

  __device__ void follow(PairSmallRuns& runs) const {
    const Border end = memory_.border[part_.columns - 1];
    const bool in_e = end.e + scores_.open - part_.open_end > end.h;
    int count = 0, length = 0;
    PathKind last = PairOfLetters;
    const auto flush = [&] {
      if (length == 0) return;
      if (count < PairSmallRuns::most) runs.runs[count] = PairSmallRuns::run(last, length);
      ++count;
    };
    const auto add = [&](PathKind kind, int more) {
      if (kind != last) {
        flush();
        length = 0;
      }
      last = kind;
      length += more;
    };
    PathWalk<int> walk{part_.rows - 1, part_.columns - 1, in_e};
    while (walk.is_inside()) {
      const int step = memory_.steps[walk.row * part_.columns + walk.column];
      add(walk.go(step), 1);
    }
    if (walk.row >= 0) add(LetterOfA, walk.row + 1);
    if (walk.column >= 0) add(LetterOfB, walk.column + 1);
    flush();
    runs.count = static_cast<std::uint16_t>(count);
  }

  const DeviceScores& scores_;
  const PairSmallPart part_;
  const CodeSequence a_, b_;
  Memory& memory_;
};

/// @brief The kernel: a block of one warp follows each part.
template <class Problem>
__global__ void __launch_bounds__(gpu::warp_size)
    follow_small_parts(WAVESCAN_GRID_CONSTANT const Problem problem) {
  __shared__ PairSmallPath::Memory memory;
  PairSmallPath(problem, problem.parts[blockIdx.x], memory).find(problem.runs[blockIdx.x]);
}

/// @brief Follows the path through parts that PairSmallPart::supports, on the device. Waits for it.
/// @return for each part its runs, or none if they are too many
template <class Device>
std::vector<std::vector<PathRun>> runs_of_small_parts(const Device& exec, const CodeSequence& a,
                                                      const CodeSequence& b,
                                                      const DeviceScores& scores,
                                                      const std::vector<PathPart>& parts) {
  std::vector<PairSmallPart> described;
  for (const PathPart& part : parts)
    described.push_back({part.begin_a, part.begin_b, static_cast<int>(part.rows()),
                         static_cast<int>(part.columns()), static_cast<int>(part.open_begin),
                         static_cast<int>(part.open_end)});
  const auto count = static_cast<Index>(parts.size());
  CallMemory<Device> memory(exec);
  const auto on_device = memory.copy_of(described);
  const auto found = memory.template take<PairSmallRuns>(count);
  gpu::launch({exec, "WaveScan::align::small_parts", false}, follow_small_parts<PairSmallProblem>,
              count, gpu::warp_size, 0,
              PairSmallProblem{a, b, scores, on_device.data(), found.data()});
  std::vector<std::vector<PathRun>> runs;
  for (const PairSmallRuns& small : values_on_host(exec, found)) {
    std::vector<PathRun>& of_part = runs.emplace_back();
    if (small.count > PairSmallRuns::most) continue;
    for (int r = small.count - 1; r >= 0; --r)
      of_part.push_back({path_letters[small.runs[r] & 3], small.runs[r] >> 2});
  }
  return runs;
}

}  // namespace wavescan::Impl

#endif
