// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_FUSEDSWEEPS_HPP
#define WAVESCAN_IMPL_MPI_FUSEDSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_NativeSweeps.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>

#include <algorithm>
#include <concepts>
#include <stdexcept>

/// @file
/// @brief Several sweeps on one way through memory that tell, nevertheless, what a row's neighbours
/// came to be in each of them.
///
/// Hosts relax bands of rows, NVIDIA's GPUs groups of them; what a band hands on to the one below
/// is all that the rows below depend on, beside old values. Two processes whose bands begin in the
/// same rows of the whole array can therefore compare what they have between two bands. So blocks
/// are extended up to a limit between bands. On hosts a part of the rows can also begin with what a
/// process above has told of such a line, which pipelines need.

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
  template <class Problem>
  bool sweep(const Exec&, const Problem&, const Grid<T>&, int, const LineOfBands<T>&,
             const LineOfBands<T>&) const {
    return false;
  }
  bool fits(const Exec&) const { return true; }
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
  /// @brief How many of so many sweeps go on one way through memory; 0: none, one by one instead.
  template <class Problem>
  int depth(const Problem&, Index count) const {
    return static_cast<int>(std::min<Index>(count, sweeps_.template max_depth<Problem>()));
  }
  /// @brief Makes what sweeps of so many rows and columns need.
  void reserve(const Exec&, Index, Index) {}
  /// @brief To be called when a right-hand side or a mask has changed, before sweeps.
  template <class Problem>
  void take_inputs(const Exec&, const Problem&) {}

  /// @brief Enqueues `count` forward sweeps, as many as `depth` says, from x to `to`.
  /// @param behind, ahead receive what crosses these lines
  /// @return false if there is no way to do so
  template <class Problem>
  bool sweep(const Exec& exec, const Problem& problem, const Grid<T>& to, int count,
             const LineOfBands<T>& behind, const LineOfBands<T>& ahead) const {
    sor::HostPart<T> part;
    part.leaving = {tap(behind), tap(ahead)};
    require_done(sweeps_.sweep_part(exec, problem, to, count, part));
    return true;
  }
  /// @brief Waits; whether the results of the last sweeps are of use. If not, others have to be
  /// done.
  bool fits(const Exec&) const { return true; }
  /// @brief What is not zero if they are not, for kernels that are enqueued behind; null: they are.
  const unsigned* failed() const { return nullptr; }

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

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// @brief Passes whose blocks are groups of bands, with lines between groups.
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
    const Index most = std::min<Index>(count, has_mask<Problem> ? Sweeps::max_masked_depth : 8);
    int depth = 1;
    while (2 * depth <= most) depth *= 2;
    return depth;
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
             const LineOfBands<T>& behind, const LineOfBands<T>& ahead) const {
    const auto sweep = [&](const auto& p) {
      return sweeps_.sweep_with_lines(exec, p, to, count,
                                      {{{behind.row, behind.values}, {ahead.row, ahead.values}}});
    };
    if constexpr (has_mask<Problem>)
      return sweep(
          sor::MaskedProblem<T, sor::EncodedMask<T>>{coefficients_, problem.x, rhs_, mask_});
    else
      return sweep(problem);
  }
  bool fits(const Kokkos::Cuda& exec) const { return sweeps_.fits(exec); }
  const unsigned* failed() const { return sweeps_.failed(); }

 private:
  using Sweeps = sor::GpuSweeps<T>;
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
