// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_CHECKREDUCTION_HPP
#define WAVESCAN_IMPL_SOR_GPU_CHECKREDUCTION_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor/WaveScan_BatchedChecks.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

/// @file
/// @brief Checks of a solve at sweeps that are done at once: snapshots of x in between,
/// and the sums of what all checks measure, by one kernel.

namespace wavescan::Impl::sor {

/// @brief Arrays like x, used in turn: for each check one with what x is, and where it checks at
/// updates another one before that with what x was before the last sweep.
template <class V>
struct SnapshotArrays {
  /// One more than a launch fills, which begins with what it has.
  static constexpr int slots = static_cast<int>(CheckSums::capacity) + 1;
  Grid<V> slot;  ///< slot 0, with dense rows

  static int of_check(Criterion criterion) { return criterion == Criterion::Update ? 2 : 1; }
  KOKKOS_FUNCTION Index apart() const { return slot.rows * slot.columns; }
  KOKKOS_FUNCTION Grid<V> operator[](int k) const {
    return {slot.data + k % slots * apart(), slot.rows, slot.columns, slot.columns, 1};
  }
};

/// @brief Gives all arrays the halo of x.
template <class V>
struct CopyHaloToSnapshots {
  Grid<const V> from;
  SnapshotArrays<V> to;
  KOKKOS_FUNCTION void operator()(Index k, Index i) const {
    CopyHalo<V>{from, to[static_cast<int>(k)]}(i);
  }
};

/// @brief Adds up the residuals, or updates, that a check sees, a part of them in each team.
template <class V, class Strips>
struct SumsOfChecks {
  using member_type = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;
  SnapshotArrays<const V> snapshots;
  Grid<const V> rhs;
  ConstantEquations<SORCoefficients<V>> equations;
  BatchedChecks batch;
  Strips strips;
  Index count;  ///< of strips
  int parts;
  ResidualSum* sums;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const int check = batch.number + team.league_rank() / parts, part = team.league_rank() % parts;
    ResidualSum sum;
    const auto add_up = [&](const auto& terms) {
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, count * part / parts, count * (part + 1) / parts),
          [&](Index k, ResidualSum& own) {
            strips.for_each(k, [&](Index i, Index j) { own.add(terms(i, j)); });
          },
          ResidualReducer(sum));
    };
    if (batch.criterion == Criterion::Update)
      add_up(UpdateTerms<V>{snapshots[2 * check + 1], snapshots[2 * check]});
    else
      add_up(ResidualTerms<V, decltype(equations)>{snapshots[check], rhs, equations});
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums[team.league_rank()] = sum; });
  }
};

/// @brief The sums of several checks: teams store theirs in the host's memory, which adds them up
/// in an order that is always the same.
class CheckReduction {
 public:
  CheckReduction() = default;
  explicit CheckReduction(const char* name) : parts_(name, max_parts * CheckSums::capacity) {}

  /// @brief Adds up what these checks of a problem's sweeps see; waits.
  template <class V>
  CheckSums operator()(const Kokkos::Cuda& exec, const Problem<V>& p, const BatchedChecks& batch,
                       const SnapshotArrays<V>& snapshots) const {
    constexpr int threads = 256;
    using Strips = StripsFor<Kokkos::Cuda, 8>;
    const Strips strips{1, p.interior_rows(), p.interior_columns()};
    const int parts =
        static_cast<int>(std::clamp<Index>(ceil_div(strips.count(), threads), 1, max_parts));
    Kokkos::parallel_for(
        "WaveScan::sor::checks",
        Kokkos::TeamPolicy<Kokkos::Cuda>(exec, batch.checks * parts, threads),
        SumsOfChecks<V, Strips>{{read_only(snapshots.slot)},
                                p.rhs,
                                ConstantEquations<SORCoefficients<V>>(p.coefficients),
                                batch,
                                strips,
                                strips.count(),
                                parts,
                                parts_.data()});
    exec.fence("WaveScan::sor: checks");
    CheckSums sums;
    for (int check = 0; check < batch.checks; ++check) {
      sums.push_back({});
      for (int part = 0; part < parts; ++part)
        sums.back().add(parts_(static_cast<std::size_t>(check * parts + part)));
    }
    return sums;
  }

 private:
  static constexpr int max_parts = 64;
  Kokkos::View<ResidualSum*, Kokkos::SharedHostPinnedSpace> parts_;
};

}  // namespace wavescan::Impl::sor

#endif
