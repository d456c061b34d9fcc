// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_FUSEDSWEEPS_HPP
#define WAVESCAN_IMPL_MPI_FUSEDSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_NativeSweeps.hpp>

#include <stdexcept>

/// @file
/// @brief Several sweeps on one way through memory that tell, nevertheless, what a row's neighbours
/// came to be in each of them.
///
/// Hosts relax bands of rows; what a band hands on to the one below is all that the rows below
/// depend on, beside old values. Two processes whose bands begin in the same rows of the whole
/// array can therefore compare what they have between two bands. So blocks are extended up to a
/// limit between bands.

namespace wavescan::Impl::mpi {

/// @brief What crosses a line between two bands: of the rows at and above `row`, a multiple of a
/// band, a value of every unknown column for each sweep. Row 0: nothing is told.
template <class T>
struct LineOfBands {
  Index row = 0;
  T* values = nullptr;
};

/// @brief Where there are none: `band` is zero.
template <ExecutionSpace Exec, class T>
class FusedSweeps {
 public:
  FusedSweeps() = default;
  FusedSweeps(const Exec&, Index, Index) {}
  Index band() const { return 0; }
  template <class Problem>
  int depth(const Problem&) const {
    return 1;
  }
  template <class Problem>
  void sweep(const Exec&, const Problem&, const Grid<T>&, int, const LineOfBands<T>&,
             const LineOfBands<T>&) const {}
  template <class Problem>
  void sweep_part(const Exec&, const Problem&, int, const LineOfBands<T>&, const LineOfBands<T>&,
                  Index) const {}
};

template <ExecutionSpace Exec, class T>
  requires runs_on_host<Exec>
class FusedSweeps<Exec, T> {
 public:
  FusedSweeps() = default;
  FusedSweeps(const Exec& exec, Index rows, Index columns) : sweeps_(exec, rows, columns) {}

  /// @brief Rows of a band.
  Index band() const { return sweeps_.lanes(); }
  /// @brief The most sweeps on one way through memory.
  template <class Problem>
  int depth(const Problem&) const {
    return sweeps_.template max_depth<Problem>();
  }

  /// @brief Does `count` forward sweeps from x to `to`.
  /// @param behind, ahead receive what crosses these lines
  template <class Problem>
  void sweep(const Exec& exec, const Problem& problem, const Grid<T>& to, int count,
             const LineOfBands<T>& behind, const LineOfBands<T>& ahead) const {
    sor::HostPart<T> part;
    part.leaving = {tap(behind), tap(ahead)};
    require_done(sweeps_.sweep_part(exec, problem, to, count, part));
  }

  /// @brief Does `count` forward sweeps, 1, 2, 4 or up to `depth`, of the rows below a line, in
  /// place.
  /// @param behind what crosses this line; from the first row on if its row is 0
  /// @param ahead  receives what crosses this one
  /// @param end    another line, where sweeps end; 0: the last row
  template <class Problem>
  void sweep_part(const Exec& exec, const Problem& problem, int count, const LineOfBands<T>& behind,
                  const LineOfBands<T>& ahead, Index end) const {
    sor::HostPart<T> part;
    part.entering = tap(behind);
    part.leaving[0] = tap(ahead);
    if (end > 0) part.end = end;
    require_done(sweeps_.sweep_part(exec, problem, problem.x, count, part));
  }

 private:
  static sor::HostTap<T> tap(const LineOfBands<T>& line) { return {line.row, line.values}; }
  static void require_done(bool done) {
    if (!done) throw std::runtime_error("WaveScan: mpi::sor_sweeps: no bands for this problem");
  }

  sor::HostSweeps<Exec, T> sweeps_;
};

}  // namespace wavescan::Impl::mpi

#endif
