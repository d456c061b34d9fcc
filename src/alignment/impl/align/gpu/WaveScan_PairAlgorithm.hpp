// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRALGORITHM_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRALGORITHM_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>
#include <impl/align/gpu/WaveScan_PairPasses.hpp>
#include <impl/align/gpu/WaveScan_PairPath.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

/// @file
/// @brief Alignments of two sequences on a GPU (CUDA). The host follows the path through parts of
/// the matrix that are narrow.

namespace wavescan::Impl {

/// @brief Reduction: the largest of some numbers, `stride` apart, and of equal ones the first.
template <class Device>
struct FirstLargest {
  const Index* numbers;
  Index stride;
  using Largest = Kokkos::MaxFirstLoc<Index, Index>;
  KOKKOS_FUNCTION void operator()(const Index k, typename Largest::value_type& largest) const {
    const Index number = numbers[k * stride];
    if (number > largest.val || (number == largest.val && k < largest.loc)) {
      largest.val = number;
      largest.loc = k;
    }
  }
  /// @brief Finds the largest number and its place. Waits for `exec`.
  static typename Largest::value_type of(const Device& exec, const Index* numbers, Index count,
                                         Index stride) {
    typename Largest::value_type largest;
    Kokkos::parallel_reduce("WaveScan::align::largest",
                            Kokkos::RangePolicy<Device, Kokkos::IndexType<Index>>(exec, 0, count),
                            FirstLargest{numbers, stride}, Largest(largest));
    return largest;
  }
};

/// @tparam Device gpu::Device
/// @tparam Host   what the host does: HostSide
template <class Device, class Host>
class PairAlgorithm {
 public:
  template <class T>
  using Array = typename CallMemory<Device>::template Array<T>;
  using Codes = Array<std::uint8_t>;

  /// @param memory for this and nothing else from now on; it must stay alive
  PairAlgorithm(CallMemory<Device>& memory, const LetterScores& scoring, Codes a, Codes b,
                Progress& progress)
      : exec_(memory.exec()),
        memory_(memory),
        scoring_(scoring),
        codes_a_(std::move(a)),
        codes_b_(std::move(b)),
        progress_(progress),
        passes_(exec_, scoring, progress) {}

  Index rows() const { return static_cast<Index>(codes_a_.extent(0)); }
  Index columns() const { return static_cast<Index>(codes_b_.extent(0)); }
  const CodeSequence& a() { return host().algorithm.a(); }
  const CodeSequence& b() { return host().algorithm.b(); }
  const LetterScores& scoring() const { return scoring_; }
  Progress& progress() { return progress_; }

  AlignmentScore end_of(const AlignmentPrefixes& prefixes, const AlignmentEdges& edges,
                        Index target) {
    if (prefixes.rows == 0 || prefixes.columns == 0)
      return host().algorithm.end_of(prefixes, edges, target);
    const auto pass = pass_over<PairPass>(prefixes, sequence(codes_a_), sequence(codes_b_), edges,
                                          scoring_.costs);
    return edges.local ? best_of(pass, target, prefixes) : end_at_edges(pass, edges.free);
  }

  std::vector<PathRun> path(const Alignment& ends) {
    const PathPart whole = whole_path(ends, scoring_.costs);
    if (kept_.count == 0 && is_better_transposed(whole.rows(), whole.columns())) {
      PathPart transposed = whole;
      std::swap(transposed.begin_a, transposed.begin_b);
      std::swap(transposed.end_a, transposed.end_b);
      std::vector<PathRun> runs = runs_through({transposed}, true);
      for (PathRun& run : runs)
        if (run.kind != 'M') run.kind = run.kind == 'I' ? 'D' : 'I';
      return runs;
    }
    return runs_between(
        whole, parts_between_kept_rows(whole, ends.score), ends.score, scoring_, a(), b(),
        [&](const std::vector<PathPart>& parts) { return runs_through(parts, false); });
  }

 private:
  Host& host() {
    if (!host_)
      host_ = std::make_unique<Host>(scoring_, values_on_host(exec_, codes_a_),
                                     values_on_host(exec_, codes_b_), progress_);
    return *host_;
  }
  static CodeSequence sequence(const Codes& codes) {
    return {codes.data(), 1, static_cast<Index>(codes.extent(0))};
  }

  PairPath<Device> path_of(bool transposed) {
    const CodeSequence a = sequence(codes_a_), b = sequence(codes_b_);
    return {exec_, passes_, transposed ? b : a, transposed ? a : b};
  }
  /// @param transposed whether the parts' rows are letters of `b`
  std::vector<PathRun> runs_through(const std::vector<PathPart>& parts, bool transposed) {
    return path_of(transposed).runs_through(parts, [&](const std::vector<PathPart>& others) {
      return host().follow(others, transposed);
    });
  }

  /// @brief Whether matrices of few rows and many columns are computed transposed: more bands of
  /// rows then run at a time. Checkpoints know matrices as they are.
  bool is_better_transposed(Index rows, Index columns) const {
    return 4 * rows < 3 * columns && rows < passes_.warps(exec_) * passes_.band_rows() &&
           may_transpose();
  }
  bool may_transpose() const {
    return progress_.checkpoint() == nullptr && scoring_.is_symmetric();
  }
  /// @brief Returns the number of pieces into which a long sequence is divided, which overlap by so
  /// many letters: at least as many as cost an eighth more work, at most half as much again, until
  /// all warps have bands.
  Index pieces_of(Index longer, Index shorter, Index overlap) const {
    constexpr Index most_pieces = 256;
    const Index wanted = passes_.warps(exec_) / ceil_div(shorter, passes_.band_rows());
    return std::clamp<Index>(std::clamp(wanted, longer / (8 * overlap), longer / (2 * overlap)), 1,
                             most_pieces);
  }

  /// @brief The best entry of a local pass. Where one sequence is much longer, it is divided into
  /// pieces that overlap by what an alignment takes up at most.
  AlignmentScore best_of(PairPass pass, Index target, const AlignmentPrefixes& prefixes) {
    const bool of_a = pass.a.length > pass.b.length;
    const Index longer = of_a ? pass.a.length : pass.b.length,
                shorter = of_a ? pass.b.length : pass.a.length;
    const Index overlap = longest_alignment(shorter, longer, 0),
                pieces = pieces_of(longer, shorter, overlap), length = ceil_div(longer, pieces);
    if (pieces == 1 && target != unknown_score) pass.target = target;
    // A checkpoint keeps one row only, so it could not give these back.
    if (pieces == 1 && prefixes.for_path && progress_.checkpoint() == nullptr)
      keep_rows(pass, prefixes.reversed);
    std::vector<PairPass> passes;
    for (Index begin = 0; begin < longer; begin += length) {
      PairPass piece = pass;
      const Index from = std::max<Index>(begin - overlap, 0),
                  count = std::min(begin + length, longer) - from;
      if (of_a) {
        piece.a = pass.a.part(from, count);
        piece.first_row += from;
      } else {
        piece.b = pass.b.part(from, count);
        piece.first_column += from;
      }
      passes.push_back(piece);
    }
    return (pieces == 1 ? passes_.run(passes.front()) : passes_.run(passes)).end();
  }
  /// @brief Returns how many letters of one sequence an alignment may hold that scores so much, if
  /// those of the other one are so many: each of these, and gaps that the scores of all of them can
  /// pay for.
  /// @param worth at most 0
  Index longest_alignment(Index shorter, Index longer, Index worth) const {
    const ScoreBounds& costs = scoring_.costs;
    if (costs.extend == 0 || shorter > longer / (1 + costs.largest / costs.extend)) return longer;
    return std::min(longer, shorter + (shorter * costs.largest - worth) / costs.extend);
  }

  /// @name Rows that the passes of a local alignment keep
  /// Where both passes have been, the path crosses a row as in the divisions of PairPath. So the
  /// path's first divisions cost nothing.
  /// @{
  struct KeptRows {
    Array<BoundaryEntry> forwards, backwards;
    Index rows = 0;     ///< between those that are kept
    Index count = 0;    ///< rows kept forwards
    Index columns = 0;  ///< of these
    Index backward_count = 0, backward_columns = 0;
  };

  /// @brief Lets a pass keep rows: forwards some at equal distances, backwards the same ones.
  void keep_rows(PairPass& pass, bool backwards) {
    constexpr Index most_rows = 15, most_entries = Index(1) << 26, least_rows = 4096;
    const Index band = passes_.band_rows();
    if (!backwards) {
      const Index columns = pass.b.length, wanted = std::min(most_rows, most_entries / columns);
      kept_ = {};
      if (wanted == 0) return;
      const Index bands =
          std::max(ceil_div(ceil_div(pass.a.length, band), wanted + 1), ceil_div(least_rows, band));
      kept_.rows = bands * band;
      kept_.count = pass.a.length / kept_.rows;
      kept_.columns = columns;
      kept_.forwards = memory_.template take<BoundaryEntry>(kept_.count * columns);
      pass.kept = {kept_.forwards.data(), kept_.rows, 0};
    } else if (kept_.count > 0) {
      const Index all_bands = ceil_div(pass.a.length, band);
      pass.padding = all_bands * band - pass.a.length;
      pass.first_row = -pass.padding;
      kept_.backward_count = ceil_div(all_bands * band, kept_.rows);
      kept_.backward_columns = pass.b.length;
      kept_.backwards = memory_.template take<BoundaryEntry>(kept_.backward_count * pass.b.length);
      pass.kept = {kept_.backwards.data(), kept_.rows,
                   kept_.backward_count * kept_.rows - all_bands * band};
    }
  }

  std::vector<PathPart> parts_between_kept_rows(const PathPart& whole, Index score) {
    const BoundaryEntry edge{0, -scoring_.costs.open};
    std::vector<PairCrossing> crossings;
    std::vector<Index> rows;
    for (Index q = 1; q <= kept_.count && q < kept_.backward_count; ++q) {
      const Index row = q * kept_.rows;
      if (row <= whole.begin_a || row >= whole.end_a) continue;
      rows.push_back(row);
      crossings.push_back(
          {kept_.forwards.data() + (q - 1) * kept_.columns,
           kept_.backwards.data() + (kept_.backward_count - 1 - q) * kept_.backward_columns,
           kept_.backward_columns, edge, edge});
    }
    if (crossings.empty()) return {whole};
    return parts_between(whole, rows, path_of(false).find(crossings), score, scoring_.costs);
  }
  /// @}

  /// @brief The best entry of the last row and the last column, as far as ends are free.
  AlignmentScore end_at_edges(const PairPass& whole, const FreeEnds& free) {
    const Index extend = scoring_.costs.extend, m = whole.a.length, n = whole.b.length;
    const bool a_is_longer = m > n, transposed = can_be_partitioned(m, n, free)
                                                     ? a_is_longer && may_transpose()
                                                     : is_better_transposed(m, n);
    PairPass pass = whole;
    FreeEnds ends = free;
    if (transposed) {
      std::swap(pass.a, pass.b);
      std::swap(pass.free_left, pass.free_above);
      ends = {free.begin_b, free.end_b, free.begin_a, free.end_a};
    }
    // No alignment from the corner that counts takes up more rows.
    const Index reached = longest_within(pass.b.length, pass.a.length);
    const bool is_whole = ends.begin_a || !ends.end_a || reached == pass.a.length ||
                          progress_.checkpoint() != nullptr;
    if (!is_whole) pass.a = pass.a.part(0, reached);

    const Index rows = pass.a.length, columns = pass.b.length;
    CallMemory<Device> memory(exec_);
    const auto row = memory.template take<Index>(2 * columns);
    const auto column = memory.template take<Index>(ends.end_a ? rows : 0);
    pass.row = reinterpret_cast<BoundaryEntry*>(row.data());
    if (ends.end_a) pass.last_column = column.data();
    if (can_be_partitioned(rows, columns, ends) && columns > rows)
      run_in_pieces(pass);
    else
      passes_.run(pass);

    const auto largest = [&](bool in_row) {
      return in_row ? FirstLargest<Device>::of(exec_, row.data(), columns, 2)
                    : FirstLargest<Device>::of(exec_, column.data(), rows, 1);
    };
    AlignmentScore best{std::numeric_limits<Index>::min(), m, n};
    if (is_whole) {
      copy_to_host(exec_, &best.score, row.data() + 2 * columns - 2, 1);
      exec_.fence("WaveScan::align: the last entry is there");
    }
    if (free.end_b && (is_whole || transposed)) {
      // Before the first column lies the left edge, which comes first among equal ones.
      const auto in_row = largest(!transposed);
      const Index edge = whole.left(m - 1, extend);
      best = edge >= in_row.val ? AlignmentScore{edge, m, 0}
                                : AlignmentScore{in_row.val, m, in_row.loc + 1};
    }
    if (free.end_a && (is_whole || !transposed)) {
      const auto in_column = largest(transposed);
      const Index edge = whole.above(n - 1, extend);
      if (in_column.val > best.score || (in_column.val == best.score && in_column.loc + 1 < m))
        best = {in_column.val, in_column.loc + 1, n};
      if (edge >= best.score) best = {edge, 0, n};
    }
    return best;
  }

  /// @name Short sequences aligned within long ones
  /// No best alignment is worth less than all letters of the shorter one in a gap, if the ends of
  /// the longer one are free. So it takes up a part of the longer one only.
  /// @{
  Index longest_within(Index shorter, Index longer) const {
    const ScoreBounds& costs = scoring_.costs;
    return longest_alignment(shorter, longer, -costs.open - (shorter - 1) * costs.extend);
  }
  bool can_be_partitioned(Index rows, Index columns, const FreeEnds& free) const {
    const Index longer = std::max(rows, columns), shorter = std::min(rows, columns);
    return (rows < columns ? free.begin_b && free.end_b : free.begin_a && free.end_a) &&
           progress_.checkpoint() == nullptr && longest_within(shorter, longer) <= longer / 4;
  }
  /// @brief Divides columns into pieces that overlap. No entry is larger than in the whole matrix,
  /// and in a best alignment all are the same.
  void run_in_pieces(const PairPass& pass) {
    const Index columns = pass.b.length, overlap = longest_within(pass.a.length, columns),
                length = ceil_div(columns, pieces_of(columns, pass.a.length, overlap));
    std::vector<PairPass> passes;
    for (Index begin = 0; begin < columns; begin += length) {
      const Index from = std::max<Index>(begin - overlap, 0),
                  end = std::min(begin + length, columns);
      PairPass piece = pass;
      piece.b = pass.b.part(from, end - from);
      piece.free_left = pass.free_left && from == 0;
      piece.row = pass.row + from;
      piece.row_from = begin - from;
      if (end < columns) piece.last_column = nullptr;
      passes.push_back(piece);
    }
    passes_.run(passes);
  }
  /// @}

  Device exec_;
  CallMemory<Device>& memory_;
  const LetterScores& scoring_;
  Codes codes_a_, codes_b_;
  Progress& progress_;
  PairPasses<Device> passes_;
  std::unique_ptr<Host> host_;
  KeptRows kept_;
};

}  // namespace wavescan::Impl

#endif
