// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_COMPONENTS_HPP
#define WAVESCAN_IMPL_SOR_COMPONENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_ComponentSearch.hpp>
#include <impl/sor/WaveScan_ComponentSweeps.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_SORLoop.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// @file
/// @brief SOR on devices where few points are unknown: only these are visited.
///
/// Connected components of unknowns need nothing from each other. A solve looks for them once,
/// which takes a pass over the mask and work in proportion to the unknowns, and from then on works
/// on a list of the unknowns and of the fixed values beside them.

namespace wavescan::Impl::sor {

/// @brief Puts the unknowns into their places in the list, and then what belongs to them.
template <ExecutionSpace Exec, class T, class Loop>
struct PackUnknowns {
  using Values = typename Loop::Inputs;
  static constexpr int inputs = static_cast<int>(Values().size());

  ComponentSearch<Exec> search;
  bool transposes;  ///< the rows of memory are the columns of x
  Grid<const T> x;
  Loop loop;
  int* slot = nullptr;  ///< (unknown, as found): its place

  NeighbourNumbers<ValueNumber>* neighbours = nullptr;
  std::uint16_t* level = nullptr;
  PointInX* point = nullptr;
  T* values_of_inputs = nullptr;
  T* around = nullptr;
  T* values = nullptr;

  struct Place {};
  KOKKOS_FUNCTION void operator()(Place, int u) const {
    const int g = search.group_of(u);
    slot[u] = search.groups[g].unknowns + Kokkos::atomic_fetch_add(&search.taken[g].unknowns, 1);
  }

  struct Fill {};
  KOKKOS_FUNCTION void operator()(Fill, int u) const {
    const int k = slot[u], g = search.group_of(u), bundle = search.bundle_of(u);
    const ComponentGroup begin = search.groups[2 * bundle], end = search.groups[2 * bundle + 2];
    const NeighbourNumbers<int> in_memory = search.neighbours_of(u);
    const NeighbourNumbers<int> found = transposes ? in_memory.transposed() : in_memory;
    const PointInX at = transposes ? PointInX{search.column[u] + 1, search.row[u] + 1}
                                   : PointInX{search.row[u] + 1, search.column[u] + 1};
    const int fixed = search.fixed_around(found);
    int next = search.groups[g].around +
               (fixed > 0 ? Kokkos::atomic_fetch_add(&search.taken[g].around, fixed) : 0);
    const auto number_of = [&](int neighbour, int i, int j) {
      if (neighbour >= 0) return static_cast<ValueNumber>(slot[neighbour] - begin.unknowns);
      around[next] = x(i, j);
      return static_cast<ValueNumber>(end.unknowns - begin.unknowns + next++ - begin.around);
    };
    neighbours[k] = {number_of(found.left, at.row, at.column - 1),
                     number_of(found.up, at.row - 1, at.column),
                     number_of(found.right, at.row, at.column + 1),
                     number_of(found.down, at.row + 1, at.column)};
    level[k] = static_cast<std::uint16_t>(search.level_of(u));
    point[k] = at;
    values[k] = x(at.row, at.column);
    const auto loop_inputs = loop.inputs();
    for (int m = 0; m < inputs; ++m)
      values_of_inputs[k * Index(inputs) + m] = loop_inputs[m](at.row, at.column);
  }
};

template <class T>
struct UnpackUnknowns {
  const PointInX* point;
  const T* values;
  Grid<T> x;
  KOKKOS_FUNCTION void operator()(int k) const { x(point[k].row, point[k].column) = values[k]; }
};

/// @brief Adds in the order in which the unknowns were found, which is the same every time.
struct AddTerms {
  const int* slot;
  const double* terms;
  double scale;
  KOKKOS_FUNCTION void operator()(int u, ResidualSum& sum) const {
    sum.add(scale * terms[slot[u]]);
  }
};

/// @brief The list of a solve's unknowns, and their values.
template <ExecutionSpace Exec, class T>
class Components {
 public:
  using Search = ComponentSearch<Exec>;

  /// @brief The result of a search.
  struct Found {
    int unknowns = 0;
    int bundles = 0;
    int largest_bundle = 0;  ///< unknowns
    int max_values = 0;      ///< of a bundle: its unknowns and what is around them
    int levels = 0;          ///< antidiagonals of the component that has most
  };

  bool choose = true;  ///< whether it matters what is quicker

  /// @brief Looks for the unknowns, and takes their values; false if these are too many or hang
  /// together in components that are too large for this to be faster. Waits.
  /// @param sweeps_at_once that solves do between two checks
  /// @param symmetric      whether each of them is a forward and a backward pass
  template <class C>
  bool find(const Exec& exec, const Problem<T, C, FixedPoints>& p, int sweeps_at_once,
            bool symmetric) const {
    found_ = {};
    if (p.fixed.word == MaskWord::None || p.empty() || !is_addressed(p)) return false;
    const bool transposes = p.x.column_stride > p.x.row_stride;
    Search search = search_in(transposes ? transposed(p) : p);
    if (!list_unknowns(exec, search)) return false;
    bundle_components(exec, search);
    if (!fits() || (choose && !is_profitable(p, sweeps_at_once, symmetric))) return false;
    pack(exec, search, p, transposes);
    return true;
  }
  const Found& found() const { return found_; }

  /// @brief Sweeps from the values of one list, 0 or 1, to the other, and gives the norm of what
  /// the last pass has changed, or of the residuals it has left. Waits for that.
  template <class C>
  double sweep(const Exec& exec, const Problem<T, C, FixedPoints>& p, int from, int to, int count,
               bool forward, bool backward, Criterion criterion, ResidualNorm norm) const {
    const auto loop = loop_of_unknowns(p);
    const auto equations = make_equations(p.coefficients);
    const ComponentSweeps<std::remove_const_t<decltype(loop)>,
                          std::remove_const_t<decltype(equations)>>
        sweeps{loop,
               loop_of_unknowns(reversed(p)),
               equations,
               p.rhs,
               packed_,
               values_[from].template data<T>(),
               values_[to].template data<T>(),
               terms_.template data<double>(),
               count,
               forward,
               backward,
               criterion};
    const auto scratch = Kokkos::PerTeam(sweeps.scratch_bytes(found_.max_values));
    const auto policy = [&](auto size) {
      return Kokkos::TeamPolicy<Exec>(exec, found_.bundles, size).set_scratch_size(0, scratch);
    };
    const int most = policy(Kokkos::AUTO).team_size_max(sweeps, Kokkos::ParallelForTag());
    Kokkos::parallel_for("WaveScan::sor::components", policy(std::min(most, team_size(exec))),
                         sweeps);
    return scaled_norm(norm, [&](double scale) { return sum_of_terms(exec, scale); });
  }

  /// @brief Enqueues the return of a list's values to x.
  void unpack(const Exec& exec, int list, const Grid<T>& x) const {
    Kokkos::parallel_for("WaveScan::sor::unpack", unknowns_policy<void>(exec),
                         UnpackUnknowns<T>{packed_.point, values_[list].template data<T>(), x});
  }

 private:
  static constexpr Index min_points_per_unknown = 4;

  template <class Tag>
  static auto policy(const Exec& exec, int count) {
    return Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<int>>(exec, 0, count);
  }
  template <class Tag>
  auto unknowns_policy(const Exec& exec) const {
    return policy<Tag>(exec, found_.unknowns);
  }
  template <class Tag>
  static auto rows_policy(const Exec& exec, int rows) {
    return Kokkos::TeamPolicy<Exec, Tag>(exec, rows, Kokkos::AUTO);
  }

  template <class C>
  static bool is_addressed(const Problem<T, C, FixedPoints>& p) {
    constexpr Index most = std::numeric_limits<int>::max() / 8;
    return p.x.rows < most && p.x.columns < most &&
           p.interior_rows() * p.interior_columns() / min_points_per_unknown < most;
  }
  template <class C>
  static Search search_in(const Problem<T, C, FixedPoints>& p) {
    Search search{};
    search.fixed = p.fixed;
    search.rows = static_cast<int>(p.interior_rows());
    search.columns = static_cast<int>(p.interior_columns());
    return search;
  }

  /// @brief Lists the unknowns. Returns false if there are none or too many.
  bool list_unknowns(const Exec& exec, Search& search) const {
    row_begin_.place(exec, "WaveScan::sor::row_begin", search.rows + 1, search.row_begin);
    Kokkos::parallel_for("WaveScan::sor::count_unknowns",
                         rows_policy<typename Search::CountRows>(exec, search.rows), search);
    int unknowns = 0;
    Kokkos::parallel_scan("WaveScan::sor::add_rows",
                          policy<typename Search::AddRows>(exec, search.rows + 1), search,
                          unknowns);
    if (unknowns == 0 || unknowns > Index(search.rows) * search.columns / min_points_per_unknown)
      return false;
    found_.unknowns = unknowns;
    row_.place(exec, "WaveScan::sor::row", unknowns, search.row);
    column_.place(exec, "WaveScan::sor::column", unknowns, search.column);
    parent_.place(exec, "WaveScan::sor::parent", unknowns, search.parent);
    size_.place(exec, "WaveScan::sor::size", unknowns, search.size);
    min_sum_.place(exec, "WaveScan::sor::min_sum", unknowns, search.min_sum);
    start_.place(exec, "WaveScan::sor::start", unknowns, search.start);
    Kokkos::parallel_for("WaveScan::sor::list_unknowns",
                         rows_policy<typename Search::ListUnknowns>(exec, search.rows), search);
    return true;
  }

  void bundle_components(const Exec& exec, Search& search) const {
    Kokkos::parallel_for("WaveScan::sor::join", unknowns_policy<typename Search::Join>(exec),
                         search);
    Kokkos::parallel_for("WaveScan::sor::measure_components",
                         unknowns_policy<typename Search::MeasureComponents>(exec), search);
    int largest = 0;
    Kokkos::parallel_reduce("WaveScan::sor::largest_component",
                            unknowns_policy<typename Search::LargestComponent>(exec), search,
                            Kokkos::Max<int>(largest));
    Kokkos::parallel_scan("WaveScan::sor::add_components",
                          unknowns_policy<typename Search::AddComponents>(exec), search);
    search.bundle_size = bundle_size(exec, largest);
    found_.bundles = found_.unknowns / search.bundle_size + 1;
    groups_.place(exec, "WaveScan::sor::groups", 2 * found_.bundles + 1, search.groups);
    taken_.place(exec, "WaveScan::sor::taken", 2 * found_.bundles + 1, search.taken);
    depth_.place(exec, "WaveScan::sor::depth", found_.bundles + 1, search.depth);
    Kokkos::parallel_for("WaveScan::sor::clear_bundles",
                         policy<typename Search::ClearBundles>(exec, 2 * found_.bundles + 1),
                         search);
    Kokkos::parallel_for("WaveScan::sor::measure_bundles",
                         unknowns_policy<typename Search::MeasureBundles>(exec), search);
    Kokkos::parallel_reduce("WaveScan::sor::largest_bundle", policy<void>(exec, found_.bundles),
                            LargestBundle{search.groups, search.depth},
                            Kokkos::Max<int>(found_.largest_bundle),
                            Kokkos::Max<int>(found_.max_values), Kokkos::Max<int>(found_.levels));
    exec.fence("WaveScan::sor: the largest bundle");
  }

  /// @brief Whether a bundle's values have numbers, and room in the scratch memory.
  bool fits() const {
    const int most =
        Kokkos::TeamPolicy<Exec>::scratch_size_max(0) / static_cast<int>(sizeof(T)) - 1;
    return found_.max_values <= std::min<int>(most, std::numeric_limits<ValueNumber>::max());
  }
  /// @brief Whether sweeps over the list are quicker than sweeps over the arrays.
  ///
  /// Microseconds, fitted to an H200: a step takes what its barrier takes, or what its unknowns
  /// take; a sweep over the arrays what its launch takes, and the points. Deep components spend
  /// many steps in which few of their unknowns have begun, or not ended yet.
  template <class C>
  bool is_profitable(const Problem<T, C, FixedPoints>& p, int sweeps, bool symmetric) const {
    constexpr double barrier = 0.35, unknown = 5e-7 * sizeof(T);
    constexpr double pass = 6.5, point = 5e-7 * sizeof(T);
    const double passes = symmetric ? 2.0 * sweeps : sweeps;
    const double steps =
        symmetric ? passes * found_.levels : 2 * passes - 1 + static_cast<double>(found_.levels);
    const auto points = static_cast<double>(p.interior_rows() * p.interior_columns());
    return steps * std::max(barrier, unknown * found_.unknowns) < passes * (pass + point * points);
  }

  template <class C>
  void pack(const Exec& exec, const Search& search, const Problem<T, C, FixedPoints>& p,
            bool transposes) const {
    const auto loop = loop_of_unknowns(p);
    using Pack = PackUnknowns<Exec, T, std::remove_const_t<decltype(loop)>>;
    ComponentGroup all;
    Kokkos::parallel_scan("WaveScan::sor::add_groups",
                          policy<typename Search::AddGroups>(exec, 2 * found_.bundles + 1), search,
                          all);
    Pack pack{search, transposes, read_only(p.x), loop};
    slot_.place(exec, "WaveScan::sor::slot", all.unknowns, pack.slot);
    neighbours_.place(exec, "WaveScan::sor::neighbours", all.unknowns, pack.neighbours);
    level_.place(exec, "WaveScan::sor::level", all.unknowns, pack.level);
    point_.place(exec, "WaveScan::sor::point", all.unknowns, pack.point);
    inputs_.place(exec, "WaveScan::sor::inputs", all.unknowns * Index(Pack::inputs),
                  pack.values_of_inputs);
    around_.place(exec, "WaveScan::sor::around", all.around, pack.around);
    values_[0].place(exec, "WaveScan::sor::values", all.unknowns, pack.values);
    values_[1].template uncleared_room<T>(exec, "WaveScan::sor::values", all.unknowns);
    terms_.template uncleared_room<double>(exec, "WaveScan::sor::terms", all.unknowns);
    packed_ = {search.groups, search.depth,          pack.neighbours, pack.level,
               pack.point,    pack.values_of_inputs, pack.around};
    Kokkos::parallel_for("WaveScan::sor::place", unknowns_policy<typename Pack::Place>(exec), pack);
    Kokkos::parallel_for("WaveScan::sor::fill", unknowns_policy<typename Pack::Fill>(exec), pack);
  }

  ResidualSum sum_of_terms(const Exec& exec, double scale) const {
    ResidualSum sum;
    Kokkos::parallel_reduce(
        "WaveScan::sor::norm", unknowns_policy<void>(exec),
        AddTerms{slot_.template data<int>(), terms_.template data<double>(), scale},
        ResidualReducer(sum));
    return sum;
  }

  /// @brief Unknowns of a bundle: many, so that few threads wait, but enough bundles for all of a
  /// device, and for teams that the largest component keeps busy.
  int bundle_size(const Exec& exec, int largest) const {
    constexpr Index fewest = 64, most = 512;
    const Index of_a_team = found_.unknowns * most / exec.concurrency();
    return static_cast<int>(std::max<Index>(std::clamp(of_a_team, fewest, most), largest / 2));
  }
  /// @brief Threads of a team: one for each unknown of a step, that is for half of a bundle's, or
  /// fewer if all teams have work for more than the device.
  int team_size(const Exec& exec) const {
    const auto is_full = [&](Index threads) {
      return threads * found_.bundles > 2 * static_cast<Index>(exec.concurrency());
    };
    int size = 32;
    while (size < found_.largest_bundle / 8 ||
           (size < found_.largest_bundle / 2 && !is_full(2 * size)))
      size *= 2;
    return size;
  }

  mutable Found found_;
  mutable PackedUnknowns<T> packed_{};  ///< in these arrays
  WorkMemory<Exec> row_begin_, row_, column_, parent_, size_, min_sum_, start_, slot_, groups_,
      taken_, depth_, level_, neighbours_, point_, inputs_, around_, values_[2], terms_;
};

/// @brief An iteration over the components that have been found: see WaveScan_SolveIteration.hpp.
template <ExecutionSpace Exec, class Problem>
class ComponentIteration {
  using T = typename Problem::value_type;

 public:
  ComponentIteration(const Exec& exec, const Components<Exec, T>& components,
                     const Problem& problem, const SolveControl& control, bool forward,
                     bool backward, bool restores)
      : exec_(exec),
        components_(components),
        problem_(problem),
        control_(control),
        forward_(forward),
        backward_(backward),
        restores_(restores) {}

  double check() const { return norm_after(0, Criterion::Residual); }
  double sweep(int count) const { return norm_after(count, control_.criterion); }
  void keep() {
    current_ = 1 - current_;
    committed_ = false;
  }
  bool restore() const { return restores_; }
  void commit() {
    if (!committed_) components_.unpack(exec_, current_, problem_.x);
    committed_ = true;
  }

 private:
  double norm_after(int count, Criterion criterion) const {
    return components_.sweep(exec_, problem_, current_, 1 - current_, count, forward_, backward_,
                             criterion, control_.norm);
  }

  const Exec& exec_;
  const Components<Exec, T>& components_;
  const Problem& problem_;
  const SolveControl& control_;
  bool forward_;
  bool backward_;
  bool restores_;
  bool committed_ = true;  ///< x has the values of the last check
  int current_ = 0;        ///< the list that has them
};

}  // namespace wavescan::Impl::sor

#endif
