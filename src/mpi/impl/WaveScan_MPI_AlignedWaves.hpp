// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_ALIGNEDWAVES_HPP
#define WAVESCAN_IMPL_MPI_ALIGNEDWAVES_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>

#include <cstdint>
#include <vector>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/gpu/WaveScan_PairPasses.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
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

namespace wavescan::Impl::mpi {

/// @brief Whether a space has kernels for pairs of long sequences.
template <class Exec>
inline constexpr bool has_pair_kernels =
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
    std::same_as<Exec, Kokkos::Cuda>;
#else
    false;
#endif

/// @brief Where there are no such kernels.
template <ExecutionSpace Exec, bool = has_pair_kernels<Exec>>
class AlignedWaves {
 public:
  using Codes = std::vector<std::uint8_t>;
  static bool is_for_host(Index, Index) { return true; }
  static Index warps(const Exec&, const HostScoring&) { return 0; }
  AlignedWaves(const Exec&, const Communicator&, const HostScoring&, const Codes&, const Codes&,
               const std::vector<Block>&, Index, Index) {}
  AlignmentScore end(Index, Index, bool) { return {}; }
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

template <ExecutionSpace Exec>
class AlignedWaves<Exec, true> {
 public:
  using Codes = std::vector<std::uint8_t>;

  static bool is_for_host(Index rows, Index columns) {
    return PairPasses<Exec>::is_for_host(rows, columns);
  }
  /// @brief How many bands this process' GPU computes at a time; 0: it has no kernels for them.
  static Index warps(const Exec& exec, const HostScoring& scoring) {
    return PairPasses<Exec>::suit(exec, scoring) ? PairPasses<Exec>::warps(exec) : 0;
  }

  /// @brief Collective.
  /// @param scoring must outlive this
  /// @param a, b    codes of all letters, and of this process' block
  /// @param warps   bands of a wave at most, the same everywhere
  /// @param slots   of a stage; 0: chosen
  AlignedWaves(const Exec& exec, const Communicator& comm, const HostScoring& scoring,
               const Codes& a, const Codes& b, const std::vector<Block>& blocks, Index warps,
               Index slots)
      : exec_(exec),
        transport_(Kokkos::Experimental::partition_space(exec, 1)[0], comm),
        progress_({}),
        warps_(warps),
        wanted_slots_(slots) {
    const auto part_of = [&](std::size_t rank) {
      return b_.part(blocks[rank].first, blocks[rank].count);
    };
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
      put(part_of(static_cast<std::size_t>(comm.rank())).view(), b);
    });
    for (std::size_t rank = 0; rank < blocks.size(); ++rank)
      if (blocks[rank].count > 0) transport_.broadcast(part_of(rank), static_cast<int>(rank));
    transport_.exec().fence("WaveScan::mpi::align: letters are there");
  }

  /// @brief The best score of the first letters of both sequences, and where it ends. Collective.
  /// @param reversed beginning with the last ones of these
  AlignmentScore end(Index rows, Index columns, bool reversed) {
    PairPass matrix;
    matrix.local = true;
    matrix.a = PairSequence{a_.data(), 1, rows};
    matrix.b = PairSequence{b_.view().data(), 1, columns};
    if (reversed) {
      matrix.a = matrix.a.reversed();
      matrix.b = matrix.b.reversed();
    }
    plan(rows, columns);
    std::unique_ptr<PairStages> stages;
    together(comm(), "mpi::align_score", {}, [&] { stages = prepare(matrix); });
    std::exception_ptr error;
    PairBest best;
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
      if (const PairBest other{score, row, column}; other.precedes(best)) best = other;
    return best.score == 0 ? AlignmentScore{}
                           : AlignmentScore{best.score, best.row + 1, best.column + 1};
  }

 private:
  using Letters = Kokkos::View<std::uint8_t*, typename Exec::memory_space>;
  using Row = Kokkos::View<BoundaryEntry*, typename Exec::memory_space>;
  using Buffer = typename Transport<Exec>::template buffer_type<BoundaryEntry>;
  static constexpr int tag = 3;

  const Communicator& comm() const { return transport_.comm(); }
  Index processes() const { return comm().size(); }

  /// @name When a wave does what, in slots
  /// A process' next wave begins when the bands of the one before are done, or when the wave above
  /// has got so far.
  /// @{
  void plan(Index rows, Index columns) {
    columns_ = columns;
    chunks_ = ceil_div(columns, Index(pair_chunk));
    // Short stages let all processes begin soon, long ones have few gaps between them.
    slots_ = wanted_slots_ > 0 ? wanted_slots_ : std::clamp<Index>(chunks_ / 64, 256, 1024);
    const Index bands = ceil_div(rows, passes_->band_rows()), all = processes();
    bands_ = ceil_div(bands, all * ceil_div(bands, all * warps_));
    waves_ = ceil_div(bands, bands_);
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

  /// @brief Makes arrays and this process' passes: none may be missing when computations begin.
  std::unique_ptr<PairStages> prepare(const PairPass& matrix) {
    const Index rows = bands_ * passes_->band_rows();
    std::vector<PairPass> passes;
    for (Index wave = comm().rank(); wave < waves_; wave += processes()) {
      const auto parity = static_cast<std::size_t>(wave / processes() % 2);
      PairPass& pass = passes.emplace_back(matrix);
      pass.first_row = wave * rows;
      pass.a = matrix.a.part(pass.first_row, std::min(rows, matrix.a.length - pass.first_row));
      pass.first_slot = first_slot(wave);
      if (wave > 0) pass.row_above = made(above_[parity], came_[parity]).data();
      if (wave + 1 < waves_) pass.kept = {made(below_[parity], sent_[parity]).data(), rows, 0};
    }
    return passes.empty() ? nullptr : passes_->stages(passes);
  }
  const Row& made(Row& row, Buffer& buffer) const {
    const auto size = static_cast<std::size_t>(columns_);
    if (row.extent(0) < size) {
      row = Row(Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::mpi::row"), size);
      buffer = transport_.template buffer<BoundaryEntry>(slots_ * pair_chunk);
    }
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
        if (begin < end) use(static_cast<std::size_t>(wave / all % 2), begin, end);
      }
    };
    const auto part_of = [](const Row& row, Index begin, Index end) {
      return Kokkos::subview(row, Kokkos::make_pair(begin, end));
    };
    // Waves above this process' own; the first one has none above it.
    const Index first_above = comm().rank() > 0 ? comm().rank() - 1 : all - 1;
    const auto for_arrivals = [&](const auto& use) {
      for_waves(first_above, [&](std::size_t parity, Index begin, Index end) {
        use(comm().rank() > 0 ? parity : 1 - parity, begin, end);
      });
    };
    for_arrivals([&](std::size_t parity, Index begin, Index end) {
      messages.receive(came_[parity].part(0, end - begin), left, tag);
    });
    for_waves(comm().rank(), [&](std::size_t parity, Index begin, Index end) {
      const Buffer buffer = sent_[parity].part(0, end - begin);
      Kokkos::deep_copy(transport_.exec(), buffer.view(), part_of(below_[parity], begin, end));
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
};

#endif

}  // namespace wavescan::Impl::mpi

#endif
