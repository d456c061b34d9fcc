// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_COMPONENTSWEEPS_HPP
#define WAVESCAN_IMPL_SOR_COMPONENTSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor/WaveScan_ComponentSearch.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_SORLoop.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Sweeps over bundles of connected components.

namespace wavescan::Impl::sor {

/// @brief A point of x.
struct PointInX {
  int row, column;
};

/// @brief Numbers of a bundle's values: those of its unknowns, then those around them.
using ValueNumber = std::uint16_t;

/// @brief The data of the unknowns, those of a group next to each other.
template <class T>
struct PackedUnknowns {
  const ComponentGroup* groups;                     ///< (bundle, parity of the level); one more
  const int* depth;                                 ///< (bundle): its greatest level
  const NeighbourNumbers<ValueNumber>* neighbours;  ///< (unknown)
  const std::uint16_t* level;                       ///< (unknown)
  const PointInX* point;                            ///< (unknown): where it is in x
  const T* inputs;                                  ///< (unknown, input of the loop)
  const T* around;                                  ///< values of fixed points, bundle by bundle
};

/// @brief Some sweeps of all components, a bundle by a team, and what they leave.
///
/// Sweep k of point (i, j) takes place at step i + j + 2k. Its left and upper neighbour then had
/// sweep k a step before, and the right and lower one sweep k - 1, as in the serial loop; points
/// of one step are not neighbours. So a team does the points of a step at once, in its scratch
/// memory, and waits for itself between steps. It needs nobody else.
template <class Loop, class Equations>
struct ComponentSweeps {
  using T = typename Loop::algebra_type::value_type;
  using Values = typename Loop::Inputs;
  using Neighbours = NeighbourNumbers<ValueNumber>;
  static constexpr int inputs = static_cast<int>(Values().size());

  Loop forward_loop;
  Loop backward_loop;
  Equations equations;
  Grid<const T> rhs;
  PackedUnknowns<T> unknowns;
  const T* from;  ///< (unknown): its value
  T* to;          ///< (unknown): its value afterwards
  double* terms;  ///< (unknown): of the norm
  int count;
  bool forward;
  bool backward;
  Criterion criterion;

  static std::size_t scratch_bytes(int values) {
    return static_cast<std::size_t>(values) * sizeof(T) + alignof(T);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Bundle b(unknowns, team.league_rank());
    const int values = b.unknowns() + b.around_end - b.around;
    T* const v = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(values * sizeof(T)), alignof(T)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, values), [&](int k) {
      v[k] = k < b.unknowns() ? from[b.even + k] : unknowns.around[b.around + k - b.unknowns()];
    });
    team.team_barrier();
    if (!forward || !backward)
      pass(team, b, v, backward, count, true);
    else
      for (int sweep = 1; sweep <= count; ++sweep) {
        pass(team, b, v, false, 1, false);
        pass(team, b, v, true, 1, sweep == count);
      }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, b.even, b.end), [&](int k) {
      to[k] = v[k - b.even];
      if (criterion == Criterion::Residual) terms[k] = residual(k, v, v[k - b.even]);
    });
  }

 private:
  /// @brief The ranges of a bundle's unknowns, and of the values around them.
  struct Bundle {
    int even, odd, end;
    int around, around_end;
    int depth;
    KOKKOS_FUNCTION Bundle(const PackedUnknowns<T>& all, int b)
        : even(all.groups[2 * b].unknowns),
          odd(all.groups[2 * b + 1].unknowns),
          end(all.groups[2 * b + 2].unknowns),
          around(all.groups[2 * b].around),
          around_end(all.groups[2 * b + 2].around),
          depth(all.depth[b]) {}
    KOKKOS_FUNCTION int unknowns() const { return end - even; }
  };

  template <class Team>
  KOKKOS_FUNCTION void pass(const Team& team, const Bundle& b, T* v, bool back, int sweeps,
                            bool last) const {
    const int newest = 2 * (sweeps - 1);
    const bool measures = last && criterion == Criterion::Update;
    for (int step = 0; step <= b.depth + newest; ++step) {
      const bool odd = ((back ? step + b.depth : step) & 1) != 0;
      const bool all_go_on = step >= b.depth && step < newest;
      Kokkos::parallel_for(
          Kokkos::TeamThreadRange(team, odd ? b.odd : b.even, odd ? b.end : b.odd), [&](int k) {
            int age = 0;  // in steps
            if (!all_go_on) {
              const int level = unknowns.level[k];
              age = step - (back ? b.depth - level : level);
              if (age < 0 || age > newest) return;
            }
            const T old = v[k - b.even];
            const Neighbours& beside = unknowns.neighbours[k];
            const T relaxed =
                back ? relax(backward_loop, v, beside.reversed(), old, reversed(inputs_of(k)))
                     : relax(forward_loop, v, beside, old, inputs_of(k));
            v[k - b.even] = relaxed;
            if (measures && !all_go_on && age == newest)
              terms[k] = static_cast<double>(relaxed) - static_cast<double>(old);
          });
      team.team_barrier();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static FivePointValues<T> values_of(const T* v,
                                                                  const Neighbours& beside,
                                                                  T center) {
    return {center, v[beside.left], v[beside.up], v[beside.right], v[beside.down]};
  }

  KOKKOS_FORCEINLINE_FUNCTION static T relax(const Loop& loop, const T* v, const Neighbours& beside,
                                             T center, const Values& here) {
    const FivePointValues<T> x = values_of(v, beside, center);
    const T s = loop.partial_of(0, 0, x, here);
    return typename Loop::algebra_type().advance(x.left, loop.weight(0, 0, here), s);
  }

  KOKKOS_FORCEINLINE_FUNCTION Values inputs_of(int k) const {
    Values here;
    for (int m = 0; m < inputs; ++m) here[m] = unknowns.inputs[k * Index(inputs) + m];
    return here;
  }
  /// @brief The inputs as the reversed problem has them: see VariableLoop.
  KOKKOS_FORCEINLINE_FUNCTION static Values reversed(Values here) {
    if constexpr (inputs == 7) {
      Kokkos::kokkos_swap(here[1], here[3]);
      Kokkos::kokkos_swap(here[2], here[4]);
    }
    return here;
  }

  KOKKOS_FUNCTION double residual(int k, const T* v, T center) const {
    const PointInX at = unknowns.point[k];
    const SORCoefficients<double> c = equations(at.row, at.column);
    const double b = rhs.data ? c.rhs * inputs_of(k)[inputs - 1] : 0;
    return residual_of(c, b, values_of(v, unknowns.neighbours[k], center));
  }
};

}  // namespace wavescan::Impl::sor

#endif
