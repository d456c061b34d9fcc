// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_GPUBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_GPUBATCH_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/gpu/WaveScan_BatchKernel.hpp>
#include <impl/align/gpu/WaveScan_BatchPairs.hpp>
#include <impl/align/gpu/WaveScan_BatchProblem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// @file
/// @brief Scores of many pairs on a GPU: which kernels compute them, and their launches.

namespace wavescan::Impl::batch {

/// @brief Letters, those with the same scores taken together.
struct LetterClasses {
  std::uint8_t codes[256] = {};  ///< of letters: their classes
  LetterScores scoring;          ///< of classes

  LetterClasses() = default;
  explicit LetterClasses(const TabulatedScores& table) {
    const Alphabet& all = table.alphabet;
    const int n = all.size;
    const auto at = [&](int x, int y) { return table.scores[static_cast<std::size_t>(x * n + y)]; };
    std::vector<int> first, class_of_letter;
    for (int x = 0; x < n; ++x) {
      const auto same = std::find_if(first.begin(), first.end(), [&](int y) {
        for (int z = 0; z < n; ++z)
          if (at(x, z) != at(y, z) || at(z, x) != at(z, y)) return false;
        return true;
      });
      class_of_letter.push_back(static_cast<int>(same - first.begin()));
      if (same == first.end()) first.push_back(x);
    }
    for (int c = 0; c < 256; ++c)
      if (n > 0) codes[c] = static_cast<std::uint8_t>(class_of_letter[all.codes[c]]);
    Alphabet joined;
    joined.size = static_cast<int>(first.size());
    std::vector<Index> scores;
    for (const int x : first)
      for (const int y : first) scores.push_back(at(x, y));
    scoring = LetterScores(joined, std::move(scores), table.costs);
  }
};

/// @brief Aligns pairs with each other.
/// @tparam Exec the device; a parameter, for else every file that includes this would compile the
///              kernels
template <class Exec>
class GpuBatch {
 public:
  GpuBatch(const Exec& exec, const Survey& all, const LetterClasses& letters,
           const AlignmentEdges& edges)
      : exec_(exec), all_(all), letters_(letters), costs_(letters.scoring.costs), edges_(edges) {}

  /// @brief Whether kernels can count with these scores.
  bool fits() const {
    const Index longest = std::max(all_.rows, all_.columns);
    if (longest >= 1 << 30) return false;
    if (costs_.largest + costs_.open > 32767) return false;
    const Index of_letter = std::max({costs_.largest, -costs_.least, costs_.extend}),
                bound = edges_.local ? costs_.largest * all_.shorter + costs_.open
                                     : (all_.rows + all_.columns) * of_letter + 2 * costs_.open;
    return bound < max_score / 2 && warps<IntCells, int_rows>() > 0;
  }

  /// @brief Enqueues all of it, and waits for what decides whether more has to be done.
  /// @param a, b all letters
  void run(const LetterSequence& a, const LetterSequence& b, const Pairs& pairs,
           AlignmentScore* results) {
    const bool one_query = pairs.a.sequences == 1 && pairs.ends == nullptr;
    const bool shorts = short_entries();
    const int choice = shorts ? best_choice(one_query) : -1;
    const int rows = shorts ? rows_of_lane(choice) : int_rows;
    const PairOrder order(memory_, {pairs, rows}, all_);
    Problem problem = describe(order, shorts ? 2 : 1);
    problem.a = a.data;
    problem.b = b.data;
    problem.stride_a = a.stride;
    problem.stride_b = b.stride;
    problem.direction = pairs.ends == nullptr ? 1 : -1;
    problem.pairs = pairs;
    problem.results = results;
    if (!shorts) {
      launch<IntCells, int_rows>(problem, one_query);
      return;
    }
    const bool may_fail = costs_.largest * all_.shorter > problem.reliable;
    if (may_fail) problem.redo = memory_.template take<std::uint32_t>(pairs.count).data();
    with_rows(choice, [&]<int Rows>() { launch<ShortCells, Rows>(problem, one_query); });
    if (!may_fail) return;
    std::uint32_t again = 0;
    copy_to_host(exec_, &again, problem.redone, 1);
    exec_.fence("WaveScan::align_many: scores have been found");
    if (again == 0) return;
    // Those whose entries have become too large: a warp each.
    problem.order = problem.redo;
    problem.tasks = 0;
    Index of_class[classes] = {};
    of_class[class_of(32 * int_rows, int_rows)] = again;
    divide(of_class, problem, 1);
    launch<IntCells, int_rows>(problem, one_query);
  }

 private:
  static constexpr int int_rows = 16;
  /// Borders of all warps take 1 GiB at most, if they are not a single warp's.
  static constexpr Index max_border_entries = (Index(1) << 30) / Index(sizeof(Border));

  template <class F>
  static void with_rows(int choice, const F& f) {
    switch (choice) {
      case 0:
        return f.template operator()<rows_of_lane(0)>();
      case 1:
        return f.template operator()<rows_of_lane(1)>();
      case 2:
        return f.template operator()<rows_of_lane(2)>();
      default:
        return f.template operator()<rows_of_lane(3)>();
    }
  }

  /// @brief Whether entries of 16 bits can do with these scores, most of them at least.
  bool short_entries() const {
    return edges_.local && gpu::device_kind(exec_).capability >= 90 &&
           costs_.least + costs_.open >= 0 && costs_.largest + costs_.open <= 127 &&
           costs_.open <= ShortCells::largest / 4;
  }

  int best_choice(bool one_query) const {
    int best = 0;
    double least = std::numeric_limits<double>::max();
    for (int k = 0; k < row_choices; ++k) {
      int resident = 0;
      with_rows(k, [&]<int Rows>() {
        resident = one_query && query_bytes<ShortCells, Rows>() <= shared_memory()
                       ? max_threads / gpu::warp_size
                       : warps<ShortCells, Rows>();
      });
      constexpr int enough = 12;
      const double cost = all_.cost[k] * std::max(1., static_cast<double>(enough) / resident);
      if (cost >= least) continue;
      least = cost;
      best = k;
    }
    return best;
  }

  /// @brief The number of warps whose profiles fit a multiprocessor.
  template <class Cells, int Rows>
  int warps() const {
    const std::size_t bytes =
        CellTraits<Cells>::pairs *
        static_cast<std::size_t>(Profile<Cells, Rows>::bytes(letters_.scoring.letters));
    return static_cast<int>(
        std::min<std::size_t>(max_threads / gpu::warp_size, shared_memory() / bytes));
  }
  /// @brief The bytes that the scores of a query of all pairs take.
  template <class Cells, int Rows>
  std::size_t query_bytes() const {
    return static_cast<std::size_t>(bands<Rows>()) *
           static_cast<std::size_t>(Profile<Cells, Rows>::bytes(letters_.scoring.letters));
  }
  template <int Rows>
  Index bands() const {
    return std::max<Index>(ceil_div(all_.rows, Index(32 * Rows)), 1);
  }
  std::size_t shared_memory() const {
    return gpu::device_properties(exec_).sharedMemPerBlockOptin - 1024;
  }

  /// @brief Brings scores to the device.
  template <class Cells>
  void pack_scores(Problem& problem) {
    using Traits = CellTraits<Cells>;
    constexpr int in_word = Traits::scores_in_word;
    const auto letters = static_cast<int>(letters_.scoring.letters);
    problem.score_groups = letters / in_word + 1;
    std::vector<std::uint32_t> words(
        static_cast<std::size_t>((letters + 1) * problem.score_groups));
    auto score = letters_.scoring.scores.begin();
    for (int x = 0; x < letters; ++x)
      for (int y = 0; y < letters; ++y)
        words[static_cast<std::size_t>(x * problem.score_groups + y / in_word)] |=
            Traits::packed(static_cast<int>(*score++ + costs_.open), y % in_word);
    problem.scores = memory_.copy_of(words).data();
    exec_.fence("WaveScan::align_many: scores are on the device");
  }

  /// @param pairs of a lane
  Problem describe(const PairOrder& order, int pairs) {
    Problem problem{};
    problem.order = order.numbers;
    std::copy_n(letters_.codes, 256, problem.codes);
    problem.letters = static_cast<int>(letters_.scoring.letters);
    problem.open = static_cast<int>(costs_.open);
    problem.extend = static_cast<int>(costs_.extend);
    problem.free_above = edges_.free.begin_b;
    problem.free_left = edges_.free.begin_a;
    problem.free_below = edges_.free.end_b;
    problem.free_right = edges_.free.end_a;
    problem.one = 1;
    problem.thirty_two = 32;
    problem.reliable = ShortCells::largest - static_cast<int>(costs_.open + costs_.largest);
    problem.redone = memory_.template zeros<std::uint32_t>(1).data();
    problem.queue = {memory_.template zeros<gpu::TaskCounters>(1).data(), {}};
    divide(order.of_class, problem, pairs);
    return problem;
  }

  /// @brief Tasks: groups of pairs that fill a warp.
  /// @param pairs of a lane
  void divide(const Index (&of_class)[classes], Problem& problem, int pairs) const {
    Index before = 0;
    int used = 0;
    problem.tasks = 0;
    for (int c = classes; c-- > 0;) {
      if (of_class[c] == 0) continue;
      const int lanes = lanes_of_class(c);
      problem.class_of_tasks[used++] = {lanes, before, of_class[c], problem.tasks};
      before += of_class[c];
      problem.tasks += ceil_div(of_class[c], Index(gpu::warp_size / lanes * pairs));
    }
    for (; used < classes; ++used)
      problem.class_of_tasks[used] = {32, before, 0, std::numeric_limits<Index>::max()};
  }

  template <class Cells, int Rows>
  void launch(Problem problem, bool one_query) {
    pack_scores<Cells>(problem);
    const Index bands = this->bands<Rows>();
    problem.query_bands = static_cast<int>(bands);
    problem.query_lanes = problem.class_of_tasks[0].lanes;
    std::size_t shared = query_bytes<Cells, Rows>();
    problem.one_query = one_query && shared <= shared_memory();
    int warps = max_threads / gpu::warp_size;
    if (!problem.one_query) {
      warps = this->warps<Cells, Rows>();
      shared = static_cast<std::size_t>(warps) * CellTraits<Cells>::pairs *
               static_cast<std::size_t>(Profile<Cells, Rows>::bytes(letters_.scoring.letters));
    }
    Index blocks =
        std::min<Index>(gpu::device_properties(exec_).multiProcessorCount, problem.tasks);
    if (bands > 1) {
      problem.border_columns = all_.columns + 32;
      const Index most = std::max<Index>(max_border_entries / problem.border_columns, 1);
      warps = static_cast<int>(std::min<Index>(warps, most));
      blocks = std::min(blocks, most / warps);
      problem.borders =
          memory_.template take<Border>(blocks * warps * problem.border_columns).data();
    }
    const auto enqueue = [&](auto kernel) {
      gpu::launch({exec_, "WaveScan::align_many::batch", false}, kernel, blocks,
                  warps * gpu::warp_size, shared, problem);
    };
    if constexpr (CellTraits<Cells>::pairs > 1) {
      enqueue(align_batch<Cells, Rows, true>);
    } else if (edges_.local) {
      enqueue(align_batch<Cells, Rows, true>);
    } else {
      enqueue(align_batch<Cells, Rows, false>);
    }
  }

  const Exec& exec_;
  Survey all_;
  const LetterClasses& letters_;
  const ScoreBounds& costs_;
  AlignmentEdges edges_;
  CallMemory<Exec> memory_{exec_};
};

/// @brief Finds where a pair's best alignment begins, from where the reversed one ends.
struct BeginFromEnd {
  const AlignmentScore* ends;
  AlignmentScore* begins;
  KOKKOS_FUNCTION void operator()(const Index pair) const {
    begins[pair].end_a = ends[pair].end_a - begins[pair].end_a;
    begins[pair].end_b = ends[pair].end_b - begins[pair].end_b;
  }
};

/// @brief Sets of sequences on the device, and what their letters score.
template <class SetA, class SetB, Substitution S>
class GpuPairs {
  using Exec = gpu::Device;
  using Batch = GpuBatch<Exec>;

 public:
  GpuPairs(const char* operation, const Exec& exec, const SetA& a, const SetB& b,
           const Scoring<S>& scoring, Index count)
      : exec_(exec),
        pairs_{offsets_of(a.offsets), offsets_of(b.offsets), count, nullptr},
        letters_a_(letter_sequence(a.letters)),
        letters_b_(letter_sequence(b.letters)),
        edges_(AlignmentEdges::of(scoring.mode, scoring.free_ends)),
        all_(survey(exec, pairs_)) {
    if (all_.least_offset < 0 || all_.shortest < 0 || all_.largest_a > letters_a_.length ||
        all_.largest_b > letters_b_.length || count >= std::numeric_limits<int>::max())
      return;
    const TabulatedScores table =
        tabulated_scores(operation, exec, letters_a_, letters_b_, scoring, all_.shorter);
    letters_ = LetterClasses(table);
    has_kernels_ = batch_of(all_, edges_).fits();
  }

  /// @brief Whether the device's kernels can do it; the host checks the arguments once more.
  bool has_kernels() const { return has_kernels_; }
  Index count() const { return pairs_.count; }

  /// @brief Scores and ends, left on the device.
  void find_ends(AlignmentScore* ends) const {
    batch_of(all_, edges_).run(letters_a_, letters_b_, pairs_, ends);
  }

  /// @brief Scores and ends. Waits for them.
  std::vector<AlignmentScore> ends() const {
    CallMemory<Exec> memory(exec_);
    const auto found = memory.take<AlignmentScore>(count());
    find_ends(found.data());
    return values_on_host(exec_, found);
  }

  /// @brief Scores, ends and beginnings. Waits for them.
  std::vector<Alignment> stretches() const {
    CallMemory<Exec> memory(exec_);
    const auto ends = memory.take<AlignmentScore>(count()),
               begins = memory.take<AlignmentScore>(count());
    find_ends(ends.data());
    find_begins(ends.data(), begins.data());
    const auto ends_on_host = values_on_host(exec_, ends),
               begins_on_host = values_on_host(exec_, begins);
    std::vector<Alignment> results(ends_on_host.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      results[k].score = ends_on_host[k].score;
      results[k].begin_a = begins_on_host[k].end_a;
      results[k].end_a = ends_on_host[k].end_a;
      results[k].begin_b = begins_on_host[k].end_b;
      results[k].end_b = ends_on_host[k].end_b;
    }
    return results;
  }

 private:
  /// @brief The places where alignments begin that end there, as `end_a` and `end_b`.
  void find_begins(const AlignmentScore* ends, AlignmentScore* begins) const {
    Pairs reversed = pairs_;
    reversed.ends = ends;
    batch_of(survey(exec_, reversed), edges_.from_end())
        .run(letters_a_, letters_b_, reversed, begins);
    Kokkos::parallel_for(
        "WaveScan::align_many::begins",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec_, 0, pairs_.count),
        BeginFromEnd{ends, begins});
  }
  template <class Places>
  static Offsets offsets_of(const Places& offsets) {
    return {offsets.data(), static_cast<Index>(offsets.stride(0)),
            static_cast<Index>(offsets.extent(0)) - 1};
  }
  Batch batch_of(const Survey& all, const AlignmentEdges& edges) const {
    return Batch(exec_, all, letters_, edges);
  }

  const Exec& exec_;
  Pairs pairs_;
  LetterSequence letters_a_, letters_b_;
  AlignmentEdges edges_;
  Survey all_;
  LetterClasses letters_;
  bool has_kernels_ = false;
};

}  // namespace wavescan::Impl::batch

#endif
