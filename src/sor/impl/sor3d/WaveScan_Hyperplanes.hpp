// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_HYPERPLANES_HPP
#define WAVESCAN_IMPL_SOR3D_HYPERPLANES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace wavescan::Impl::sor3d {

/// @brief The points that are relaxed at one time, in all sweeps: runs of `length` columns. Run r
/// of row i of plane k (all from 0) is relaxed in sweep s at the time k + i + r + 2 s.
template <class P, bool Transposed>
struct RelaxHyperplane {
  using T = typename P::value_type;
  static constexpr Index length = 8;

  P problem;
  Index time;
  Index first_sweep;
  Index rows, runs;

  /// @param item numbers sweeps, rows and runs; what is left of the time says which plane it is
  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index run = item % runs;
    const Index row = item / runs % rows;
    const Index sweep = first_sweep + item / (runs * rows);
    const Index plane = time - 2 * sweep - row - run;
    if (plane < 0 || plane >= problem.x.planes - 2) return;
    relax(plane + 1, row + 1, 1 + run * length);
  }

 private:
  KOKKOS_FUNCTION void relax(Index k, Index i, Index first) const {
    const auto& x = problem.x;
    const Field<T> rhs = problem.field_of_rhs();
    const Index last = Kokkos::min(first + length, x.columns - 1) - 1;
    T left = x(k, i, first - 1);
    T center = x(k, i, first);
    for (Index j = first; j <= last; ++j) {
      const T right = x(k, i, j + 1);
      const SevenPointValues<T> near{center, left,           x(k, i - 1, j), x(k - 1, i, j),
                                     right,  x(k, i + 1, j), x(k + 1, i, j)};
      const T result = relaxed<Transposed, P::varies>(
          sor::coefficients_at(problem.coefficients, k, i, j), near, rhs(k, i, j));
      left = problem.fixed(k, i, j) ? center : result;
      x(k, i, j) = left;
      center = right;
    }
  }
};

/// @brief Sweeps on any device: a kernel for each time, in which all sweeps go on at once.
///
/// Launches: planes + rows + columns / 8, and two more for each sweep but the first.
template <ExecutionSpace Exec, class T>
class HyperplaneSweeps {
 public:
  using Selected = sor::SelectedAlgorithm;
  template <class P>
  Selected select(const Exec&, const P&, const Box<T>&, const sor::SweepRequest&) const {
    return {SORAlgorithm::Hyperplanes};
  }
  /// @brief Enqueues sweeps, at least one, of unknowns, at least one.
  template <class P>
  void run(const Exec& exec, const Selected&, const P& given, const Box<T>& to,
           const sor::SweepRequest& r) const {
    if (given.x.data != to.data) copy_entries(exec, "WaveScan::sor::copy", read_only(given.x), to);
    P p = given;
    p.x = to;
    if (!p.rhs.data) sor::neutralise_missing_rhs(p.coefficients);
    const bool symmetric = r.forward && r.backward;
    for (int k = 0; k < (symmetric ? r.count : 1); ++k) {
      if (r.forward) relax(exec, p, symmetric ? 1 : r.count);
      if (r.backward) relax(exec, reversed(p), symmetric ? 1 : r.count);
    }
  }
  template <class P>
  bool reserve(const Exec&, const P&, const sor::SweepRequest&, bool measured) const {
    return !measured;
  }
  void throw_if_stuck() const {}

 private:
  template <class P>
  static void relax(const Exec& exec, const P& p, Index sweeps) {
    // Transposed if the last columns are further from each other than the planes, in either
    // direction.
    const auto distance = [](Index stride) { return stride < 0 ? -stride : stride; };
    if (distance(p.x.plane_stride) < distance(p.x.column_stride))
      enqueue<true>(exec, transposed(p), sweeps);
    else
      enqueue<false>(exec, p, sweeps);
  }
  template <bool Transposed, class P>
  static void enqueue(const Exec& exec, const P& p, Index sweeps) {
    using Kernel = RelaxHyperplane<P, Transposed>;
    const Index rows = p.interior_rows();
    const Index runs = ceil_div(p.interior_columns(), Kernel::length);
    const Index times_of_sweep = p.interior_planes() + rows + runs - 2;
    for (Index time = 0; time < times_of_sweep + 2 * (sweeps - 1); ++time) {
      const Index first = std::max<Index>(0, ceil_div(time - times_of_sweep + 1, 2));
      const Index last = std::min(sweeps - 1, time / 2);
      Kokkos::parallel_for("WaveScan::sor3d::hyperplane",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(
                               exec, 0, (last - first + 1) * rows * runs),
                           Kernel{p, time, first, rows, runs});
    }
  }
};

}  // namespace wavescan::Impl::sor3d

#endif
