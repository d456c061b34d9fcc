// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_COMPONENTSEARCH_HPP
#define WAVESCAN_IMPL_SOR_COMPONENTSEARCH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief The connected components of unknowns between fixed points, on any device.

namespace wavescan::Impl::sor {

/// @brief The size of a group of unknowns: those of a bundle whose levels are even, or odd;
/// also the sum of the sizes of all groups before it.
struct ComponentGroup {
  int unknowns = 0;
  int around = 0;  ///< fixed neighbours, counted for each unknown
  KOKKOS_FUNCTION ComponentGroup& operator+=(const ComponentGroup& other) {
    unknowns += other.unknowns;
    around += other.around;
    return *this;
  }
};

/// @brief The numbers of the four neighbours of a point.
template <class Number>
struct alignas(4 * sizeof(Number)) NeighbourNumbers {
  Number left, up, right, down;
  KOKKOS_FORCEINLINE_FUNCTION NeighbourNumbers reversed() const { return {right, down, left, up}; }
  KOKKOS_FORCEINLINE_FUNCTION NeighbourNumbers transposed() const {
    return {up, left, down, right};
  }
};

/// @brief The steps of the search, one kernel each, in this order. Rows are those of memory.
///
/// Unknowns are listed row by row. Neighbours are joined by union-find with the least unknown of a
/// component as its root: a root is hooked below a lesser one by compare-and-swap, so that some
/// thread always gets on. Whole components, in the order of their roots, fill bundles, each of
/// which is to be relaxed by one team.
template <ExecutionSpace Exec>
struct ComponentSearch {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;

  FixedPoints fixed;
  int rows;  ///< of the interior
  int columns;
  int* row_begin;          ///< (row): its first unknown; one row more
  int* row;                ///< (unknown)
  int* column;             ///< (unknown)
  int* parent;             ///< (unknown): a lesser one of the component, or itself
  int* size;               ///< (root): of its component
  int* min_sum;            ///< (root): of row and column
  int* start;              ///< (root): unknowns of the components before
  ComponentGroup* groups;  ///< (bundle, parity of the level); one more
  ComponentGroup* taken;   ///< likewise: by unknowns that have their place in the list
  int* depth;              ///< (bundle): its greatest level; one more
  int bundle_size;         ///< a bundle's last component begins before this

  struct CountRows {};
  KOKKOS_FUNCTION void operator()(CountRows, const Team& team) const {
    const int i = team.league_rank();
    int found = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, columns),
        [&](int j, int& sum) { sum += fixed(i + 1, j + 1) ? 0 : 1; }, found);
    Kokkos::single(Kokkos::PerTeam(team), [&] { row_begin[i] = found; });
  }

  struct AddRows {};
  KOKKOS_FUNCTION void operator()(AddRows, int i, int& sum, bool final) const {
    const int found = i < rows ? row_begin[i] : 0;
    if (final) row_begin[i] = sum;
    sum += found;
  }

  struct ListUnknowns {};
  KOKKOS_FUNCTION void operator()(ListUnknowns, const Team& team) const {
    const int i = team.league_rank(), begin = row_begin[i];
    if (row_begin[i + 1] == begin) return;
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, columns), [&](int j, int& sum, bool final) {
      if (fixed(i + 1, j + 1)) return;
      if (final) list(begin + sum, i, j);
      ++sum;
    });
  }

  struct Join {};
  KOKKOS_FUNCTION void operator()(Join, int u) const {
    const int right = right_of(u);
    if (right >= 0) join(u, right);
    const int below = find(row[u] + 1, column[u]);
    if (below >= 0) join(u, below);
  }

  struct MeasureComponents {};
  KOKKOS_FUNCTION void operator()(MeasureComponents, int u) const {
    const int root = root_of(u);
    Kokkos::atomic_store(&parent[u], root);  // nobody else writes here: it stays the root
    Kokkos::atomic_inc(&size[root]);
    Kokkos::atomic_min(&min_sum[root], row[u] + column[u]);
  }

  struct LargestComponent {};
  KOKKOS_FUNCTION void operator()(LargestComponent, int u, int& most) const {
    most = Kokkos::max(most, size[u]);
  }

  struct AddComponents {};
  KOKKOS_FUNCTION void operator()(AddComponents, int u, int& sum, bool final) const {
    if (parent[u] != u) return;
    if (final) start[u] = sum;
    sum += size[u];
  }

  struct ClearBundles {};
  KOKKOS_FUNCTION void operator()(ClearBundles, int g) const {
    groups[g] = taken[g] = ComponentGroup{};
    if (g % 2 == 0) depth[g / 2] = 0;
  }

  struct MeasureBundles {};
  KOKKOS_FUNCTION void operator()(MeasureBundles, int u) const {
    ComponentGroup& group = groups[group_of(u)];
    Kokkos::atomic_inc(&group.unknowns);
    Kokkos::atomic_add(&group.around, fixed_around(neighbours_of(u)));
    Kokkos::atomic_max(&depth[bundle_of(u)], level_of(u));
  }

  struct AddGroups {};
  KOKKOS_FUNCTION void operator()(AddGroups, int g, ComponentGroup& sum, bool final) const {
    const ComponentGroup here = groups[g];
    if (final) groups[g] = sum;
    sum += here;
  }

  /// @brief The place of an unknown in the order of its component's antidiagonals.
  KOKKOS_FUNCTION int level_of(int u) const { return row[u] + column[u] - min_sum[parent[u]]; }
  KOKKOS_FUNCTION int bundle_of(int u) const { return start[parent[u]] / bundle_size; }
  KOKKOS_FUNCTION int group_of(int u) const { return 2 * bundle_of(u) + (level_of(u) & 1); }
  /// @brief The unknowns beside one; negative: the point there is fixed.
  KOKKOS_FUNCTION NeighbourNumbers<int> neighbours_of(int u) const {
    const int i = row[u], j = column[u];
    const bool follows = u > row_begin[i] && column[u - 1] == j - 1;
    return {follows ? u - 1 : -1, find(i - 1, j), right_of(u), find(i + 1, j)};
  }
  KOKKOS_FUNCTION static int fixed_around(const NeighbourNumbers<int>& n) {
    return (n.left < 0) + (n.up < 0) + (n.right < 0) + (n.down < 0);
  }

 private:
  KOKKOS_FUNCTION void list(int u, int i, int j) const {
    row[u] = i;
    column[u] = j;
    parent[u] = u;
    size[u] = 0;
    min_sum[u] = i + j;
  }
  KOKKOS_FUNCTION int right_of(int u) const {
    return u + 1 < row_begin[row[u] + 1] && column[u + 1] == column[u] + 1 ? u + 1 : -1;
  }
  /// @brief The unknown at a point of the interior, or a negative number.
  KOKKOS_FUNCTION int find(int i, int j) const {
    if (i < 0 || i >= rows) return -1;
    int begin = row_begin[i], end = row_begin[i + 1];
    while (begin < end) {
      const int middle = begin + (end - begin) / 2;
      column[middle] < j ? begin = middle + 1 : end = middle;
    }
    return begin < row_begin[i + 1] && column[begin] == j ? begin : -1;
  }
  /// @brief The root of a component that nobody joins to others.
  KOKKOS_FUNCTION int root_of(int u) const {
    while (true) {
      const int above = Kokkos::atomic_load(&parent[u]);
      if (above == u) return u;
      u = above;
    }
  }
  /// @brief The root of a component that others may be joining; shortens the way there.
  KOKKOS_FUNCTION int changing_root_of(int u) const {
    int above = Kokkos::atomic_load(&parent[u]);
    while (above != u) {
      const int next = Kokkos::atomic_load(&parent[above]);
      if (next != above) Kokkos::atomic_store(&parent[u], next);
      u = above;
      above = next;
    }
    return u;
  }
  KOKKOS_FUNCTION void join(int a, int b) const {
    while (true) {
      a = changing_root_of(a);
      b = changing_root_of(b);
      if (a == b) return;
      const int least = Kokkos::min(a, b), other = Kokkos::max(a, b);
      if (Kokkos::atomic_compare_exchange(&parent[other], other, least) == other) return;
    }
  }
};

/// @brief The greatest needs of any bundle.
struct LargestBundle {
  const ComponentGroup* groups;
  const int* depth;
  KOKKOS_FUNCTION void operator()(int b, int& unknowns, int& values, int& levels) const {
    ComponentGroup sum = groups[2 * b];
    sum += groups[2 * b + 1];
    unknowns = Kokkos::max(unknowns, sum.unknowns);
    values = Kokkos::max(values, sum.unknowns + sum.around);
    levels = Kokkos::max(levels, depth[b] + 1);
  }
};

}  // namespace wavescan::Impl::sor

#endif
