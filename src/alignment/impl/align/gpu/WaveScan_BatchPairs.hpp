// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_BATCHPAIRS_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_BATCHPAIRS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/gpu/WaveScan_BatchProblem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// @brief The sequences of each pair, their lengths, and the order in which they are aligned:
/// longest first, and those side by side that are about as long. All on the device, where the
/// sequences are.

namespace wavescan::Impl::batch {

/// @brief Rows of a lane for which kernels are compiled.
inline constexpr int row_choices = 4;
KOKKOS_FORCEINLINE_FUNCTION constexpr int rows_of_lane(int choice) {
  return choice == 3 ? 32 : 16 + 4 * choice;
}

/// @brief Facts about all pairs together.
struct Survey {
  Index least_offset = 0, largest_a = 0, largest_b = 0, shortest = 0;  ///< 0 or less: not usable
  Index rows = 0, columns = 0, min_rows = 0, min_columns = 0;
  Index shorter = 0;  ///< the longest of the shorter ones
  double all_columns = 0;
  double cost[row_choices] = {};  ///< in cycles of a lane, with so many rows a lane
};

/// @brief Reduction of pairs to what has to be known.
struct SurveyPairs {
  using value_type = Survey;
  Pairs pairs;

  template <class T>
  static KOKKOS_FUNCTION T larger(T x, T y) {
    return x > y ? x : y;
  }
  template <class T>
  static KOKKOS_FUNCTION T smaller(T x, T y) {
    return x < y ? x : y;
  }
  KOKKOS_FUNCTION void operator()(const Index pair, Survey& all) const {
    const Index rows = pairs.rows(pair), columns = pairs.columns(pair);
    const Index begin_a = pairs.a.begin(pair), begin_b = pairs.b.begin(pair);
    all.least_offset = smaller(all.least_offset, smaller(begin_a, begin_b));
    all.shortest = smaller(all.shortest, smaller(rows, columns));
    all.largest_a = larger(all.largest_a, begin_a + rows);
    all.largest_b = larger(all.largest_b, begin_b + columns);
    all.rows = larger(all.rows, rows);
    all.columns = larger(all.columns, columns);
    all.min_rows = smaller(all.min_rows, rows);
    all.min_columns = smaller(all.min_columns, columns);
    all.shorter = larger(all.shorter, smaller(rows, columns));
    all.all_columns += static_cast<double>(columns);
    for (int k = 0; k < row_choices; ++k) {
      const int rows_each = rows_of_lane(k);
      const Index in_use = (rows + rows_each - 1) / rows_each;
      const int lanes = in_use <= 4 ? 4 : in_use <= 8 ? 8 : in_use <= 16 ? 16 : 32;
      const Index bands = (in_use + 31) / 32;
      const Index steps = lanes * bands * (columns + lanes);
      all.cost[k] += static_cast<double>(steps) * (9 * rows_each + 50);
    }
  }
  static KOKKOS_FUNCTION void init(Survey& all) {
    constexpr Index beyond = Index(1) << 62;
    all = Survey{};
    all.min_rows = all.min_columns = beyond;
  }
  static KOKKOS_FUNCTION void join(Survey& into, const Survey& from) {
    into.least_offset = smaller(into.least_offset, from.least_offset);
    into.shortest = smaller(into.shortest, from.shortest);
    into.largest_a = larger(into.largest_a, from.largest_a);
    into.largest_b = larger(into.largest_b, from.largest_b);
    into.rows = larger(into.rows, from.rows);
    into.columns = larger(into.columns, from.columns);
    into.min_rows = smaller(into.min_rows, from.min_rows);
    into.min_columns = smaller(into.min_columns, from.min_columns);
    into.shorter = larger(into.shorter, from.shorter);
    into.all_columns += from.all_columns;
    for (int k = 0; k < row_choices; ++k) into.cost[k] += from.cost[k];
  }
};

/// @brief Finds the facts about all pairs. Waits for `exec`.
template <ExecutionSpace Exec>
Survey survey(const Exec& exec, const Pairs& pairs) {
  Survey all;
  Kokkos::parallel_reduce("WaveScan::align_many::survey",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, pairs.count),
                          SurveyPairs{pairs}, all);
  return all;
}

/// @brief Bins of like lengths: by class, the one with most bands first, and by columns, 16 bins
/// for each power of two.
struct LengthBins {
  Pairs pairs;
  int rows_of_lane = 16;
  static constexpr int in_class = 512;
  static constexpr int count = classes * in_class;

  KOKKOS_FUNCTION int bin(Index pair) const {
    const int c = class_of(static_cast<int>(pairs.rows(pair)), rows_of_lane);
    auto columns = static_cast<std::uint32_t>(pairs.columns(pair));
    int octave = 0;
    for (; columns >= 32; columns >>= 1) ++octave;
    return (classes - 1 - c) * in_class + in_class - 1 - (octave * 16 + static_cast<int>(columns));
  }
};

struct CountBins {
  LengthBins bins;
  std::uint32_t* counts;
  KOKKOS_FUNCTION void operator()(const Index pair) const {
    Kokkos::atomic_inc(counts + bins.bin(pair));
  }
};

/// @brief Puts pairs in order; `next` is where the next one of each bin goes.
struct PlacePairs {
  LengthBins bins;
  std::uint32_t* next;
  std::uint32_t* order;
  KOKKOS_FUNCTION void operator()(const Index pair) const {
    order[Kokkos::atomic_fetch_add(next + bins.bin(pair), 1u)] = static_cast<std::uint32_t>(pair);
  }
};

/// @brief Numbers of pairs in the order in which they are aligned, and how many there are of each
/// class.
struct PairOrder {
  const std::uint32_t* numbers = nullptr;  ///< null: as they are
  Index of_class[classes] = {};

  /// @brief Waits for the instance, unless all pairs are of about the same lengths.
  template <ExecutionSpace Exec>
  PairOrder(CallMemory<Exec>& memory, const LengthBins& bins, const Survey& all) {
    const auto class_with = [&](Index rows) {
      return class_of(static_cast<int>(rows), bins.rows_of_lane);
    };
    // Where lengths are about the same, to sort pairs would take longer than it saves.
    const double mean = all.all_columns / static_cast<double>(bins.pairs.count);
    if (class_with(all.rows) == class_with(all.min_rows) &&
        static_cast<double>(all.columns) <= 1.15 * mean) {
      of_class[class_with(all.rows)] = bins.pairs.count;
      return;
    }
    const Exec& exec = memory.exec();
    const auto order = memory.template take<std::uint32_t>(bins.pairs.count),
               in_bins = memory.template zeros<std::uint32_t>(LengthBins::count);
    const Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>> policy(exec, 0, bins.pairs.count);
    Kokkos::parallel_for("WaveScan::align_many::count", policy, CountBins{bins, in_bins.data()});
    std::vector<std::uint32_t> next = values_on_host(exec, in_bins);
    std::uint32_t before = 0;
    for (std::size_t k = 0; k < next.size(); ++k) {
      of_class[classes - 1 - k / LengthBins::in_class] += next[k];
      before += std::exchange(next[k], before);
    }
    const auto next_on_device = memory.copy_of(next);
    exec.fence("WaveScan::align_many: bins are on the device");
    Kokkos::parallel_for("WaveScan::align_many::place", policy,
                         PlacePairs{bins, next_on_device.data(), order.data()});
    numbers = order.data();
  }
};

}  // namespace wavescan::Impl::batch

#endif
