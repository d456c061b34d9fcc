// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_FUSEDSWEEPS_HPP
#define WAVESCAN_IMPL_MPI_FUSEDSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Backend.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_SecondArray.hpp>

#include <algorithm>
#include <concepts>
#include <stdexcept>

/// @file
/// @brief Several sweeps on one way through memory that export, nevertheless, what the neighbours
/// of a row, or of a column, came to be in each of them.
///
/// Hosts relax bands of rows, NVIDIA's GPUs groups of them; what a band hands on to the one below
/// is all that the rows below depend on, besides old values. Two processes whose bands begin in the
/// same rows of the whole array can therefore compare what they have between two bands. So blocks
/// are extended up to a limit between bands. On hosts a part of the rows can also begin with what a
/// process above has exported of such a line, which pipelines need.
///
/// Bands themselves are divided at a *partition*: what is exported there is all that values on the
/// right of it depend on. Hosts export where bands are before a step, in which each row and sweep
/// is at a column of its own: two processes have the same partition if their steps begin in the
/// same columns of the whole array.

namespace wavescan::Impl::mpi {

/// @brief Values that cross a line between two bands: of the rows at and above `row`, a multiple of
/// a band's rows, one value in every unknown column for each sweep. Row 0: nothing is exported.
template <class T>
struct LineOfBands {
  Index row = 0;
  T* values = nullptr;
};

/// @brief A partition through all bands, see `partition_before`. Place 0: nothing is exported.
template <class T>
struct PartitionOfBands {
  Index place = 0;
  T* values = nullptr;
};
/// @brief The edges that are exported, before a block and at its end.
template <class T>
struct ExportedEdges {
  LineOfBands<T> entering_line, leaving_line;
  PartitionOfBands<T> entering_partition, leaving_partition;
};

/// @brief Places of lists, one for each sweep from 1 on, that two processes compare.
struct ComparedPlaces {
  Index lists = 0, length = 0;
  Index first = 0, end = 0;  ///< in sweep s: from first + first_slope * s on, likewise the end
  int first_slope = 0, end_slope = 0;

  Index all() const { return lists * length; }
  KOKKOS_FUNCTION bool has(Index sweep, Index place) const {
    return place >= first + first_slope * sweep && place < end + end_slope * sweep;
  }
};

/// @brief The largest power of two up to `most`.
inline int power_of_two(Index most) {
  int power = 1;
  while (2 * power <= most) power *= 2;
  return power;
}

/// @brief A stand-in where there are no fused sweeps: `band` is zero.
template <ExecutionSpace Exec, class T>
class FusedSweeps {
 public:
  static constexpr bool have_parts = false;

  FusedSweeps() = default;
  FusedSweeps(const Exec&, Index, Index) {}
  Index band() const { return 0; }
  template <class Problem>
  int depth(const Problem&, Index) const {
    return 0;
  }
  void reserve(const Exec&, Index, Index) {}
  template <class Problem>
  void take_inputs(const Exec&, const Problem&) {}
  Index step() const { return 1; }
  Index columns_before(Index overlap, Index) const { return overlap; }
  Index partition_before(Index) const { return 0; }
  ComparedPlaces compared_at_partition(Index, int, Index) const { return {}; }
  ComparedPlaces behind_partition(Index) const { return {}; }
  template <class Problem>
  bool sweep(const Exec&, const Problem&, const Grid<T>&, int, const ExportedEdges<T>&) const {
    return false;
  }
  bool speculation_valid(const Exec&) const { return true; }
  const unsigned* failed() const { return nullptr; }
};

template <ExecutionSpace Exec, class T>
  requires runs_on_host<Exec>
class FusedSweeps<Exec, T> {
 public:
  static constexpr bool have_parts = true;

  FusedSweeps() = default;
  FusedSweeps(const Exec& exec, Index rows, Index columns) : sweeps_(exec, rows, columns) {}

  /// @brief Rows of a band.
  Index band() const { return sweeps_.lanes(); }
  /// @brief The number of sweeps, out of `count`, that are done on one way through memory, a power
  /// of two; 0: they are done one by one.
  template <class Problem>
  int depth(const Problem&, Index count) const {
    return power_of_two(std::min<Index>(count, sweeps_.template max_depth<Problem>()));
  }
  /// @brief Makes what sweeps of so many rows and columns need.
  void reserve(const Exec&, Index, Index) {}
  /// @brief Takes a right-hand side or a mask that has changed; to be called before sweeps.
  template <class Problem>
  void take_inputs(const Exec&, const Problem&) {}

  /// @brief A number of columns: extended blocks begin at a multiple of it in the whole array.
  Index step() const { return band(); }
  /// @brief The number of columns by which blocks begin early if values at a partition have to be
  /// right, and those of a row are right after `overlap` columns.
  Index columns_before(Index overlap, Index depth) const { return overlap + 2 * band() + depth; }
  /// @brief The place of a partition behind which, in the last of some sweeps, a block's columns
  /// from `first` on lie.
  Index partition_before(Index first) const { return (first + 1) / band() * band(); }
  /// @brief The values that are exported of a partition through so many rows, halo included, and
  /// those of them that are compared: the ones below a line.
  ComparedPlaces compared_at_partition(Index rows, int sweeps, Index line) const {
    const Index of_band = sor::HostPartition<T>::values_of_band(band(), sweeps);
    const Index values =
        sor::HostDecomposition(rows - 2, 0, sweeps_.lanes(), sweeps).bands * of_band;
    return {1, values, line / band() * of_band, values};
  }
  /// @brief The first columns, of lists of the unknown ones, that what is below a line and behind a
  /// partition depends on.
  ComparedPlaces behind_partition(Index partition) const {
    return {.first = partition - 3, .first_slope = -1};
  }

  /// @brief Enqueues `count` forward sweeps, as many as `depth` says, from x to `to`.
  /// @return false if there is no way to do so
  template <class Problem>
  bool sweep(const Exec& exec, const Problem& problem, const Grid<T>& to, int count,
             const ExportedEdges<T>& edges) const {
    sor::HostPart<T> part;
    part.leaving = {tap(edges.entering_line), tap(edges.leaving_line)};
    part.partitions = {partition(edges.entering_partition), partition(edges.leaving_partition)};
    require_done(sweeps_.sweep_part(exec, problem, to, count, part));
    return true;
  }
  /// @brief Whether the results of the last sweeps are of use. If not, others have to be done.
  /// Waits.
  bool speculation_valid(const Exec&) const { return true; }
  /// @brief A number that is not zero if the last sweeps are of no use, for kernels that are
  /// enqueued later; null: they are of use.
  const unsigned* failed() const { return nullptr; }

  /// @brief Does `count` forward sweeps, as many as `depth` says, of what is below a line and to
  /// the right of a partition, in place.
  /// @param edges what crosses the line and the partition before the block, if there are any, and
  ///              where to put what crosses those at its end
  /// @param end  another line, where sweeps end; 0: the last row
  template <class Problem>
  void sweep_part(const Exec& exec, const Problem& problem, int count,
                  const ExportedEdges<T>& edges, Index end) const {
    sor::HostPart<T> part;
    part.entering = tap(edges.entering_line);
    part.entering_partition = partition(edges.entering_partition);
    part.leaving[0] = tap(edges.leaving_line);
    part.partitions[0] = partition(edges.leaving_partition);
    if (end > 0) part.end = end;
    require_done(sweeps_.sweep_part(exec, problem, problem.x, count, part));
  }

 private:
  static sor::HostTap<T> tap(const LineOfBands<T>& line) { return {line.row, line.values}; }
  static sor::HostPartition<T> partition(const PartitionOfBands<T>& bands) {
    return {bands.place, bands.values};
  }
  static void require_done(bool done) {
    if (!done) throw std::runtime_error("WaveScan: mpi::sor_sweeps: no bands for this problem");
  }

  sor::HostSweeps<Exec, T> sweeps_;
};

#if defined(WAVESCAN_HAS_CUDA_KERNELS)
/// @brief Passes whose blocks are groups of bands, with lines between groups. A partition is a
/// column, the same in all sweeps, like those at which blocks of one device that lie side by side
/// are compared.
template <class T>
class FusedSweeps<Kokkos::Cuda, T> {
 public:
  static constexpr bool have_parts = false;

  FusedSweeps() = default;
  FusedSweeps(const Kokkos::Cuda& exec, Index rows, Index columns)
      : warps_(sor::GpuSweeps<T>::usual_warps(exec, rows, columns)) {}

  Index band() const { return Index(sor::Decomposition::band_rows) * warps_; }
  template <class Problem>
  int depth(const Problem&, Index count) const {
    return power_of_two(std::min<Index>(count, has_mask<Problem> ? Sweeps::max_masked_depth : 8));
  }
  Index step() const { return Partition::step; }
  Index columns_before(Index overlap, Index) const {
    return overlap + step() + Partition::way_to_check;
  }
  Index partition_before(Index first) const { return first / step() * step(); }
  ComparedPlaces compared_at_partition(Index rows, int sweeps, Index line) const {
    return {
        .lists = sweeps, .length = rows - 2, .first = line - 1, .end = rows - 2, .first_slope = -1};
  }
  ComparedPlaces behind_partition(Index partition) const {
    return {.first = partition - Partition::way_to_check};
  }
  void reserve(const Kokkos::Cuda& exec, Index rows, Index columns) {
    if (rows_ == rows && columns_ == columns) return;
    sweeps_ = Sweeps(exec, rows, columns);
    sweeps_.tuning.warps = warps_;
    sweeps_.tuning.blocks = 1;
    rows_ = rows;
    columns_ = columns;
  }
  template <class Problem>
  void take_inputs(const Kokkos::Cuda& exec, const Problem& problem) {
    if constexpr (has_mask<Problem>) {
      const auto encoded = sor::with_encoded_mask(exec, problem, encoded_rhs_);
      coefficients_ = encoded.coefficients;
      rhs_ = encoded.rhs;
      mask_ = encoded.fixed;
    }
  }
  template <class Problem>
  bool sweep(const Kokkos::Cuda& exec, const Problem& problem, const Grid<T>& to, int count,
             const ExportedEdges<T>& edges) const {
    const auto line = [](const LineOfBands<T>& l) { return sor::LineOfSweeps<T>{l.row, l.values}; };
    const auto partition = [](const PartitionOfBands<T>& c) {
      return Partition{c.place, c.values};
    };
    const auto sweep = [&](const auto& p) {
      return sweeps_.sweep_and_export_edges(
          exec, p, to, count, {line(edges.entering_line), line(edges.leaving_line)},
          {partition(edges.entering_partition), partition(edges.leaving_partition)});
    };
    if constexpr (has_mask<Problem>)
      return sweep(
          sor::MaskedProblem<T, sor::EncodedMask<T>>{coefficients_, problem.x, rhs_, mask_});
    else
      return sweep(problem);
  }
  bool speculation_valid(const Kokkos::Cuda& exec) const { return sweeps_.speculation_valid(exec); }
  const unsigned* failed() const { return sweeps_.failed(); }

 private:
  using Sweeps = sor::GpuSweeps<T>;
  using Partition = sor::PartitionOfSweeps<T>;
  template <class Problem>
  static constexpr bool has_mask = !std::same_as<typename Problem::fixed_type, sor::NoFixedPoints>;

  int warps_ = 0;  ///< that relax a group of bands
  Index rows_ = 0, columns_ = 0;
  Sweeps sweeps_;
  // With a mask: what the right-hand side that tells of fixed points comes with.
  sor::SecondArray<Kokkos::Cuda, T> encoded_rhs_;
  SORCoefficients<T> coefficients_{};
  Grid<const T> rhs_{};
  sor::EncodedMask<T> mask_{};
};
#endif

}  // namespace wavescan::Impl::mpi

#endif
