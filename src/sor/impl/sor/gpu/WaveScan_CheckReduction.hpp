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

/// @brief The residuals of a check.
template <class V, class Equations>
struct ResidualsOfChecks {
  SnapshotArrays<const V> snapshots;
  Grid<const V> rhs;
  Equations equations;
  KOKKOS_FUNCTION auto operator()(int check) const {
    return ResidualTerms<V, Equations>{snapshots[check], rhs, equations};
  }
};
/// @brief Its updates.
template <class V>
struct UpdatesOfChecks {
  SnapshotArrays<const V> snapshots;
  KOKKOS_FUNCTION auto operator()(int check) const {
    return UpdateTerms<V>{snapshots[2 * check + 1], snapshots[2 * check]};
  }
};

/// @brief Each team adds up a part of a check's terms.
template <class Terms, class Strips>
struct SumsOfChecks {
  using member_type = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;
  Terms terms;
  Strips strips;
  Index count;  ///< of strips
  int number;
  int parts;
  ResidualSum* sums;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const int check = team.league_rank() / parts, part = team.league_rank() % parts;
    const auto terms_of_check = terms(number + check);
    ResidualSum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, count * part / parts, count * (part + 1) / parts),
        [&](Index k, ResidualSum& own) {
          strips.for_each(k, [&](Index i, Index j) { own.add(terms_of_check(i, j)); });
        },
        ResidualReducer(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums[team.league_rank()] = sum; });
  }
};

/// @brief The sums of several checks: teams store theirs in the host's memory, which adds them up
/// in an order that is always the same.
class CheckReduction {
 public:
  CheckReduction() = default;
  explicit CheckReduction(const char* name) : parts_(name, max_parts * CheckSums::capacity) {}

  /// @brief Adds up terms(number), terms(number + 1), ... of that many checks; waits.
  template <class Terms>
  CheckSums operator()(const Kokkos::Cuda& exec, Index rows, Index columns, int number, int checks,
                       const Terms& terms) const {
    constexpr int threads = 256;
    using Strips = StripsFor<Kokkos::Cuda, 8>;
    const Strips strips{1, rows, columns};
    const int parts =
        static_cast<int>(std::clamp<Index>(ceil_div(strips.count(), threads), 1, max_parts));
    Kokkos::parallel_for(
        "WaveScan::sor::checks", Kokkos::TeamPolicy<Kokkos::Cuda>(exec, checks * parts, threads),
        SumsOfChecks<Terms, Strips>{terms, strips, strips.count(), number, parts, parts_.data()});
    exec.fence("WaveScan::sor: checks");
    CheckSums sums;
    for (int check = 0; check < checks; ++check) {
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
