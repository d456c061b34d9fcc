// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_LOOKS_HPP
#define WAVESCAN_IMPL_SOR_GPU_LOOKS_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor/WaveScan_LooksAhead.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

/// @file
/// @brief Looks of a solve at sweeps that are done at once: arrays that show what x was in between,
/// and the sums of what all looks measure, by one kernel.

namespace wavescan::Impl::sor {

/// @brief Arrays like x, used in turn: for each look one with what x is, and where it looks at
/// updates another one before that with what x was before the last sweep.
template <class V>
struct ShownArrays {
  /// One more than a launch fills, which begins with what it has.
  static constexpr int slots = static_cast<int>(LookSums::capacity) + 1;
  Grid<V> slot;  ///< slot 0, with dense rows

  static int of_look(Criterion criterion) { return criterion == Criterion::Update ? 2 : 1; }
  KOKKOS_FUNCTION Index apart() const { return slot.rows * slot.columns; }
  KOKKOS_FUNCTION Grid<V> operator[](int k) const {
    return {slot.data + k % slots * apart(), slot.rows, slot.columns, slot.columns, 1};
  }
};

/// @brief Gives all arrays the halo of x.
template <class V>
struct CopyHaloToShown {
  Grid<const V> from;
  ShownArrays<V> to;
  KOKKOS_FUNCTION void operator()(Index k, Index i) const {
    CopyHalo<V>{from, to[static_cast<int>(k)]}(i);
  }
};

/// @brief The residuals of a look.
template <class V, class Equations>
struct ResidualsOfLooks {
  ShownArrays<const V> shown;
  Grid<const V> rhs;
  Equations equations;
  KOKKOS_FUNCTION auto operator()(int look) const {
    return ResidualTerms<V, Equations>{shown[look], rhs, equations};
  }
};
/// @brief Its updates.
template <class V>
struct UpdatesOfLooks {
  ShownArrays<const V> shown;
  KOKKOS_FUNCTION auto operator()(int look) const {
    return UpdateTerms<V>{shown[2 * look + 1], shown[2 * look]};
  }
};

/// @brief Each team adds up a part of a look's terms.
template <class Terms, class Strips>
struct SumsOfLooks {
  using member_type = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;
  Terms terms;
  Strips strips;
  Index count;  ///< of strips
  int number;
  int parts;
  ResidualSum* sums;

  KOKKOS_FUNCTION void operator()(const member_type& team) const {
    const int look = team.league_rank() / parts, part = team.league_rank() % parts;
    const auto terms_of_look = terms(number + look);
    ResidualSum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, count * part / parts, count * (part + 1) / parts),
        [&](Index k, ResidualSum& own) {
          strips.for_each(k, [&](Index i, Index j) { own.add(terms_of_look(i, j)); });
        },
        ResidualReducer(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums[team.league_rank()] = sum; });
  }
};

/// @brief The sums of several looks: teams store theirs in the host's memory, which adds them up in
/// an order that is always the same.
class LookReduction {
 public:
  LookReduction() = default;
  explicit LookReduction(const char* name) : parts_(name, max_parts * LookSums::capacity) {}

  /// @brief Adds up terms(number), terms(number + 1), ... of that many looks; waits.
  template <class Terms>
  LookSums operator()(const Kokkos::Cuda& exec, Index rows, Index columns, int number, int looks,
                      const Terms& terms) const {
    constexpr int threads = 256;
    using Strips = StripsFor<Kokkos::Cuda, 8>;
    const Strips strips{1, rows, columns};
    const int parts =
        static_cast<int>(std::clamp<Index>(ceil_div(strips.count(), threads), 1, max_parts));
    Kokkos::parallel_for(
        "WaveScan::sor::looks", Kokkos::TeamPolicy<Kokkos::Cuda>(exec, looks * parts, threads),
        SumsOfLooks<Terms, Strips>{terms, strips, strips.count(), number, parts, parts_.data()});
    exec.fence("WaveScan::sor: looks");
    LookSums sums;
    for (int look = 0; look < looks; ++look) {
      sums.push_back({});
      for (int part = 0; part < parts; ++part)
        sums.back().add(parts_(static_cast<std::size_t>(look * parts + part)));
    }
    return sums;
  }

 private:
  static constexpr int max_parts = 64;
  Kokkos::View<ResidualSum*, Kokkos::SharedHostPinnedSpace> parts_;
};

}  // namespace wavescan::Impl::sor

#endif
