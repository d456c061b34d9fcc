// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_ALIGNEDWAVES_HPP
#define WAVESCAN_IMPL_MPI_ALIGNEDWAVES_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>

#include <cstdint>
#include <vector>
#if defined(WAVESCAN_HAS_NVCC_KERNELS)
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/gpu/WaveScan_PairPasses.hpp>
#include <impl/align/gpu/WaveScan_PairPath.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#endif

/// @file
/// @brief The matrix of a local alignment on the GPUs of several processes.
///
/// Its bands of rows are dealt out in waves: as many successive bands as a GPU computes at a time
/// go to one process, those below to the next one, and so on, round and round. So all are busy from
/// when the first wave has reached its last band. A wave begins when the one above has got so far,
/// and goes on with it: its process gets the lowest row in pieces, each while the GPU computes what
/// needs the one before. A piece is what a stage adds (PairStage): no kernel waits for another
/// process, so any number of processes may share a GPU.
///
/// Where the path is wanted, processes keep the rows between waves, and waves from below end at the
/// same rows. There the path crosses them where both add up to the most, which divides it for the
/// processes (special rows: Sandes and Melo, "CUDAlign 3.0", CCGrid 2014).

namespace wavescan::Impl::mpi {

/// @brief Whether a space has kernels for pairs of long sequences.
template <class Exec>
inline constexpr bool has_pair_kernels =
#if defined(WAVESCAN_HAS_NVCC_KERNELS)
    runs_on_gpu<Exec>;
#else
    false;
#endif

/// @brief A stand-in where there are no such kernels.
template <ExecutionSpace Exec, bool = has_pair_kernels<Exec>>
class AlignedWaves {
 public:
  using Codes = std::vector<std::uint8_t>;
  static Index warps(const Exec&, const LetterScores&) { return 0; }
  AlignedWaves(const Exec&, const Communicator&, const LetterScores&, const Codes&, const Codes&,
               const std::vector<Block>&, Index, Index) {}
  AlignmentScore end(const AlignmentPrefixes&) { return {}; }
};

#if defined(WAVESCAN_HAS_NVCC_KERNELS)

template <ExecutionSpace Exec>
class AlignedWaves<Exec, true> {
 public:
  using Codes = std::vector<std::uint8_t>;

  /// @brief The number of bands that this process' GPU computes at a time; 0: it has no kernels for
  /// them.
  static Index warps(const Exec& exec, const LetterScores& scoring) {
    return PairPasses<Exec>::supports(exec, scoring) ? PairPasses<Exec>::warps(exec) : 0;
  }

  /// @brief Collective.
  /// @param scoring must outlive this
  /// @param a, b    codes of all letters, and of this process' block
  /// @param warps   bands of a wave at most, the same everywhere
  /// @param slots   of a stage; 0: chosen
  AlignedWaves(const Exec& exec, const Communicator& comm, const LetterScores& scoring,
               const Codes& a, const Codes& b, const std::vector<Block>& blocks, Index warps,
               Index slots)
      : exec_(exec),
        transport_(Kokkos::Experimental::partition_space(exec, 1)[0], comm),
        progress_({}),
        warps_(warps),
        wanted_slots_(slots) {
    const Block& own = blocks[static_cast<std::size_t>(comm.rank())];
    const auto put = [&](const auto& view, const Codes& codes) {
      Kokkos::deep_copy(
          transport_.exec(), view,
          Kokkos::View<const std::uint8_t*, Kokkos::HostSpace>(codes.data(), codes.size()));
    };
    together(comm, "mpi::align_score", {}, [&] {
      passes_ = std::make_unique<PairPasses<Exec>>(exec, scoring, progress_);
      a_ = Letters("WaveScan::mpi::letters", a.size());
      b_ = transport_.template buffer<std::uint8_t>(blocks.back().end());
      put(a_, a);
      put(b_.part(own.first, own.count).view(), b);
    });
    broadcast_blocks<Exec, std::uint8_t>(transport_, b_, blocks);
    transport_.exec().fence("WaveScan::mpi::align: letters are there");
  }

  /// @brief The best score of the first letters of both sequences, and where it ends. Collective.
  AlignmentScore end(const AlignmentPrefixes& prefixes) {
    const auto matrix = pass_over<PairPass>(prefixes, a(), b(), {true}, passes_->scoring().costs);
    plan(prefixes);
    std::unique_ptr<PairLaunches<Exec>> stages;
    together(comm(), "mpi::align_score", {}, [&] { stages = prepare(matrix); });
    std::exception_ptr error;
    BestEntry best;
    for (Index stage = 0; stage < stage_count(); ++stage) {
      if (stages && !error)
        error = exception_of([&] { stages->launch({stage * slots_, (stage + 1) * slots_}); });
      if (stage > 0) exchange(stage - 1);
      exec_.fence("WaveScan::mpi::align: a stage is done");
    }
    if (stages && !error)
      error = exception_of([&] {
        best = stages->best();
        passes_->throw_if_stuck();
      });
    Agreement(comm(), "mpi::align_score", {}, error).reach();
    for (const auto& [score, row, column] :
         all_numbers<3>(comm(), {best.score, best.row, best.column}))
      if (const BestEntry other{score, row, column}; other.precedes(best)) best = other;
    return best.end();
  }

  /// @brief Divides a path at the rows that were kept when both of its ends were found. Collective.
  std::vector<PathPart> divided(const PathPart& whole, Index score) {
    const ScoreBounds& costs = passes_->scoring().costs;
    Buffer buffer;
    together(comm(), "mpi::align", {}, [&] {
      if (every_ > 0) buffer = transport_.template buffer<BoundaryEntry>(columns_);
    });
    std::vector<Index> rows;
    std::vector<PathCrossing> found;
    std::exception_ptr error;
    for (Index k = every_; k > 0 && k < waves_; k += every_) {
      const Index row = k * bands_ * passes_->band_rows();
      if (row <= whole.begin_a || row >= whole.end_a) continue;
      const int from = owner(wave_before(k, true)), to = owner(wave_before(k, false));
      const bool is_here = comm().rank() == to;
      if (comm().rank() == from)
        Kokkos::deep_copy(transport_.exec(), buffer.view(), part_of(kept_[1][k], 0, columns_));
      if (from != to) {
        Exchange<Exec> messages(transport_);
        if (is_here) messages.receive(buffer, from, tag);
        if (comm().rank() == from) messages.send(buffer, to, tag);
        messages.wait();
      }
      transport_.exec().fence("WaveScan::mpi::align: a row is there");
      PathCrossing crossed{};
      const BoundaryEntry edge{0, -costs.open};
      if (is_here && !error)
        error = exception_of([&] {
          crossed = path()
                        .find({{kept_[0][k].data(), buffer.view().data(), columns_, edge, edge}})
                        .front();
        });
      const auto numbers =
          all_numbers<3>(comm(), {crossed.score, crossed.column, crossed.within_gap});
      const auto& [best, column, within_gap] = numbers[static_cast<std::size_t>(to)];
      rows.push_back(row);
      found.push_back({best, column, within_gap});
    }
    Agreement(comm(), "mpi::align", {}, error).reach();
    return parts_between(whole, rows, found, score, costs);
  }

  /// @brief Returns the runs of a path as PairPath's function of that name does.
  template <class OnHost>
  std::vector<PathRun> runs_through(const std::vector<PathPart>& parts, const OnHost& on_host) {
    return path().runs_through(parts, on_host);
  }

 private:
  using Letters = Kokkos::View<std::uint8_t*, typename Exec::memory_space>;
  using Row = Kokkos::View<BoundaryEntry*, typename Exec::memory_space>;
  using Buffer = typename Transport<Exec>::template buffer_type<BoundaryEntry>;
  static constexpr int tag = 3;

  const Communicator& comm() const { return transport_.comm(); }
  Index processes() const { return comm().size(); }
  CodeSequence a() const { return {a_.data(), 1, static_cast<Index>(a_.extent(0))}; }
  CodeSequence b() const { return {b_.view().data(), 1, b_.size()}; }
  PairPath<Exec> path() { return {exec_, *passes_, a(), b()}; }
  static auto part_of(const Row& row, Index begin, Index end) {
    return Kokkos::subview(row, Kokkos::make_pair(begin, end));
  }

  /// @name When a wave does what, in slots
  /// A process' next wave begins when the bands of the one before are done, or when the wave above
  /// has got so far.
  /// @{
  void plan(const AlignmentPrefixes& prefixes) {
    const Index band = passes_->band_rows(), bands = ceil_div(prefixes.rows, band),
                all = processes();
    columns_ = prefixes.columns;
    chunks_ = ceil_div(columns_, Index(pair_chunk));
    // Short stages let all processes begin soon, long ones have few gaps between them.
    slots_ = wanted_slots_ > 0 ? wanted_slots_ : std::clamp<Index>(chunks_ / 64, 256, 1024);
    reversed_ = prefixes.reversed;
    meets_ = reversed_ && prefixes.for_path && every_ > 0 && ceil_div(bands, bands_) == waves_;
    if (!meets_) {
      bands_ = ceil_div(bands, all * ceil_div(bands, all * warps_));
      waves_ = ceil_div(bands, bands_);
      constexpr Index most_kept = Index(1) << 28;  // entries of a process
      const bool keeps = prefixes.for_path && !reversed_ && columns_ <= most_kept;
      every_ = keeps ? ceil_div(ceil_div(waves_, all), most_kept / columns_) : 0;
      kept_ = {};
    }
    padding_ = meets_ ? bands * band - prefixes.rows : 0;
    missing_ = meets_ ? (waves_ * bands_ - bands) * band : 0;
    // What a stage has computed is on its way during the next one.
    between_ = PairStage::slots_until(bands_) + 2 * slots_;
    round_ = std::max(chunks_ + most_delay, all * between_);
  }
  static constexpr Index most_delay = 2;  ///< from when a chunk is begun until it is handed on
  Index first_slot(Index wave) const {
    return wave / processes() * round_ + wave % processes() * between_;
  }
  Index stage_count() const {
    return ceil_div(first_slot(waves_ - 1) + PairStage::slots_until(bands_) + chunks_ + most_delay,
                    slots_);
  }
  /// @brief Columns of a wave's lowest row that are there after a stage.
  Index columns_after(Index wave, Index stage) const {
    const Index chunks =
        (stage + 1) * slots_ - first_slot(wave) - PairStage::slots_until(bands_ - 1) - most_delay;
    return std::min(std::clamp<Index>(chunks, 0, chunks_) * pair_chunk, columns_);
  }
  /// @}

  /// @name Rows of waves
  /// Waves have equally many rows, but the last one may have less; from below the first one has, if
  /// waves are to meet those from above, and is padded to whole bands.
  /// @{
  int owner(Index wave) const { return static_cast<int>(wave % processes()); }
  /// @brief The first row of a wave, with the padding above.
  Index first_row(Index wave) const {
    return std::max<Index>(wave * bands_ * passes_->band_rows() - missing_, 0);
  }
  /// @brief The wave whose lowest row lies at the end of the k-th wave from above.
  Index wave_before(Index k, bool reversed) const { return reversed ? waves_ - 1 - k : k - 1; }
  /// @brief Returns the memory for the lowest row of a process' wave.
  Row& below(Index wave) {
    const Index k = reversed_ ? waves_ - 1 - wave : wave + 1;
    if (every_ > 0 && k % every_ == 0) return kept_[reversed_ ? 1 : 0][k];
    return below_[parity(wave)];
  }
  std::size_t parity(Index wave) const { return static_cast<std::size_t>(wave / processes() % 2); }
  /// @}

  /// @brief Makes arrays and this process' passes: none may be missing when computations begin.
  std::unique_ptr<PairLaunches<Exec>> prepare(const PairPass& matrix) {
    const Index end = padding_ + matrix.a.length;
    std::vector<PairPass> passes;
    for (Index wave = comm().rank(); wave < waves_; wave += processes()) {
      const Index first = first_row(wave), rows = std::min(first_row(wave + 1), end) - first;
      PairPass& pass = passes.emplace_back(matrix);
      pass.first_row = first - padding_;
      pass.padding = wave == 0 ? padding_ : 0;
      pass.a = matrix.a.part(pass.first_row + pass.padding, rows - pass.padding);
      pass.first_slot = first_slot(wave);
      if (wave > 0) pass.row_above = made(above_[parity(wave)], came_[parity(wave)]).data();
      if (wave + 1 < waves_) pass.kept = {made(below(wave), sent_[parity(wave)]).data(), rows, 0};
    }
    return passes.empty() ? nullptr : passes_->stages(passes);
  }
  const Row& made(Row& row, Buffer& buffer) const {
    if (static_cast<Index>(row.extent(0)) < columns_)
      row = Row(Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::mpi::row"),
                static_cast<std::size_t>(columns_));
    transport_.enlarge(buffer, slots_ * pair_chunk);
    return row;
  }

  /// @brief Hands on what a stage has added to lowest rows.
  void exchange(Index stage) {
    const int all = comm().size(), left = (comm().rank() + all - 1) % all,
              right = (comm().rank() + 1) % all;
    Exchange<Exec> messages(transport_);
    const auto for_waves = [&](Index first, const auto& use) {
      for (Index wave = first; wave + 1 < waves_; wave += all) {
        const Index begin = columns_after(wave, stage - 1), end = columns_after(wave, stage);
        if (begin < end) use(wave, begin, end);
      }
    };
    // Waves above this process' own; the first one has none above it.
    const auto for_arrivals = [&](const auto& use) {
      for_waves(left,
                [&](Index wave, Index begin, Index end) { use(parity(wave + 1), begin, end); });
    };
    for_arrivals([&](std::size_t parity, Index begin, Index end) {
      messages.receive(came_[parity].part(0, end - begin), left, tag);
    });
    for_waves(comm().rank(), [&](Index wave, Index begin, Index end) {
      const Buffer buffer = sent_[parity(wave)].part(0, end - begin);
      Kokkos::deep_copy(transport_.exec(), buffer.view(), part_of(below(wave), begin, end));
      messages.send(buffer, right, tag);
    });
    messages.wait();
    for_arrivals([&](std::size_t parity, Index begin, Index end) {
      Kokkos::deep_copy(transport_.exec(), part_of(above_[parity], begin, end),
                        came_[parity].part(0, end - begin).view());
    });
    transport_.exec().fence("WaveScan::mpi::align: a piece of a row is there");
  }

  Exec exec_;
  Transport<Exec> transport_;  ///< on an instance of its own, beside the kernels
  Progress progress_;
  std::unique_ptr<PairPasses<Exec>> passes_;
  Index warps_, wanted_slots_;
  Letters a_;
  typename Transport<Exec>::template buffer_type<std::uint8_t> b_;
  Index slots_ = 0;  ///< of a stage
  Index columns_ = 0, chunks_ = 0;
  Index bands_ = 0;  ///< of a wave
  Index waves_ = 0;
  Index between_ = 0;                 ///< slots from a wave to the one below
  Index round_ = 0;                   ///< slots from one of a process' waves to its next one
  std::array<Row, 2> above_, below_;  ///< of two successive waves of this process
  std::array<Buffer, 2> came_, sent_;
  bool reversed_ = false;                     ///< waves come from below
  bool meets_ = false;                        ///< and end where those from above do
  Index padding_ = 0, missing_ = 0;           ///< rows of the first wave; and what it lacks
  Index every_ = 0;                           ///< waves between rows that are kept; 0: none is
  std::array<std::map<Index, Row>, 2> kept_;  ///< forwards, reversed; by number from above
};

#endif

}  // namespace wavescan::Impl::mpi

#endif
