// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRSMALLPARTS_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRSMALLPARTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Paths through small parts of a matrix on a GPU, as SmallPath of WaveScan_LanePath.hpp
/// follows them on hosts (CUDA).
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
  static bool suits(const PathPart& part, const LaneScores& costs) {
    const Index rows = part.rows(), columns = part.columns();
    return rows > 0 && columns > 0 && columns <= most_columns && rows * columns <= most_entries &&
           (rows + columns) * std::max({costs.largest, -costs.least, costs.open}) < 1 << 29;
  }
};

/// @brief The runs of a small path, the last one first.
struct PairSmallRuns {
  static constexpr int most = 63;
  enum Kind { Pair, OfA, OfB };
  std::uint16_t count;  ///< beyond `most`: they did not fit
  std::uint16_t runs[most];
  /// @brief Of a run: its kind is in the two lowest bits.
  static KOKKOS_FUNCTION std::uint16_t run(Kind kind, int length) {
    return static_cast<std::uint16_t>(length << 2 | kind);
  }
};

struct PairSmallProblem {
  PairSequence a, b;
  PairScores scores;
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
  enum Step : std::uint8_t { FromE = 1, FromF = 2, EGoesOn = 4, FGoesOn = 8 };

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
      std::uint8_t taken = 0;
      const auto gap = [&](int& longer, int opened, Step goes_on) {
        longer -= scores_.extend;
        if (longer > opened)
          taken |= goes_on;
        else
          longer = opened;
      };
      gap(above.e, above.h - scores_.open, EGoesOn);
      gap(f, left - scores_.open, FGoesOn);
      int best = diagonal + scores[b_[j]];
      Step from{};
      if (above.e > best) {
        best = above.e;
        from = FromE;
      }
      if (f > best) {
        best = f;
        from = FromF;
      }
      diagonal = above.h;
      left = best;
      here = {best, above.e};
      memory_.steps[row * columns + j] = static_cast<std::uint8_t>(taken | from);
      if (gpu::lane() == gpu::warp_size - 1 || row == part_.rows - 1) memory_.border[j] = here;
    }
  }

  __device__ void follow(PairSmallRuns& runs) const {
    const Border end = memory_.border[part_.columns - 1];
    bool in_e = end.e + scores_.open - part_.open_end > end.h, in_f = false;
    int count = 0, length = 0;
    PairSmallRuns::Kind last = PairSmallRuns::Pair;
    const auto flush = [&] {
      if (length == 0) return;
      if (count < PairSmallRuns::most) runs.runs[count] = PairSmallRuns::run(last, length);
      ++count;
    };
    const auto add = [&](PairSmallRuns::Kind kind, int more) {
      if (kind != last) {
        flush();
        length = 0;
      }
      last = kind;
      length += more;
    };
    int i = part_.rows - 1, j = part_.columns - 1;
    while (i >= 0 && j >= 0) {
      const int step = memory_.steps[i * part_.columns + j];
      if (!in_e && !in_f) {
        in_e = (step & FromE) != 0;
        in_f = (step & FromF) != 0;
      }
      if (in_e) {
        add(PairSmallRuns::OfA, 1);
        in_e = (step & EGoesOn) != 0;
        --i;
      } else if (in_f) {
        add(PairSmallRuns::OfB, 1);
        in_f = (step & FGoesOn) != 0;
        --j;
      } else {
        add(PairSmallRuns::Pair, 1);
        --i;
        --j;
      }
    }
    if (i >= 0) add(PairSmallRuns::OfA, i + 1);
    if (j >= 0) add(PairSmallRuns::OfB, j + 1);
    flush();
    runs.count = static_cast<std::uint16_t>(count);
  }

  const PairScores& scores_;
  const PairSmallPart part_;
  const PairSequence a_, b_;
  Memory& memory_;
};

/// @brief A block of one warp for each part.
template <class Problem>
__global__ void __launch_bounds__(gpu::warp_size)
    follow_small_parts(WAVESCAN_GRID_CONSTANT const Problem problem) {
  __shared__ PairSmallPath::Memory memory;
  PairSmallPath(problem, problem.parts[blockIdx.x], memory).find(problem.runs[blockIdx.x]);
}

/// @brief Follows the path through parts that PairSmallPart::suits, on the device. Waits for it.
/// @return for each part its runs, or none if they are too many
template <class Device>
std::vector<std::vector<PathRun>> runs_of_small_parts(const Device& exec, const PairSequence& a,
                                                      const PairSequence& b,
                                                      const PairScores& scores,
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
      of_part.push_back({"MID"[small.runs[r] & 3], small.runs[r] >> 2});
  }
  return runs;
}

}  // namespace wavescan::Impl

#endif
