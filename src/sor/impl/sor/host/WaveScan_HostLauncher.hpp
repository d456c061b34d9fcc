// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTLAUNCHER_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTLAUNCHER_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>
#include <impl/sor/host/WaveScan_HostBand.hpp>
#include <impl/sor/host/WaveScan_HostPass.hpp>
#include <impl/sor/host/WaveScan_HostStrips.hpp>
#include <impl/sor/host/WaveScan_SymmetricPasses.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace wavescan::Impl::sor {

/// @brief The kernel of a host thread.
template <class Passes>
struct HostWorker {
  using run_type = void (*)(const Passes&, Index pass, Index band);
  Passes passes;
  run_type run;
  void operator()(Index worker) const {
    passes.work([this](Index pass, Index band) { run(passes, pass, band); }, worker);
  }
  static constexpr bool runs_alone = true;
  void alone() const {
    HostWorker all = *this;
    all.passes.join_for_one_worker();
    all(0);
  }
};

/// @brief The kernel for so many sweeps, or null if the target has none.
template <class Target, bool Transposed, bool Measured, class Problem,
          int Sweeps = max_depth_on_host<Problem>>
typename HostWorker<HostPasses<Problem>>::run_type host_kernel(int depth) {
  if constexpr (!has_fused_vectors<Target, typename Problem::value_type>) {
    return nullptr;
  } else {
    if constexpr (Sweeps > 1)
      if (depth < Sweeps)
        return host_kernel<Target, Transposed, Measured, Problem, Sweeps / 2>(depth);
    constexpr int width = TargetVector<Target, typename Problem::value_type>::lanes;
    // Of constants only right-hand sides come in: one size does for all passes, and what they share
    // is compiled once.
    constexpr int sweeps = ConstantProblem<Problem> ? max_depth_on_host<Problem> : Sweeps;
    constexpr int rows = width + sweeps + (Measured ? 1 : 0) - 1;  // of inputs
    constexpr int lanes = (rows + width - 1) / width * width;
    return &HostBand<Target, Problem, lanes>::template run<Sweeps, Transposed, Measured>;
  }
}

/// @brief The kernel of a single sweep that tells nothing. Registers of 64 bytes, whose
/// loads straddle cache lines, were measured to make it slower.
template <class Target, bool Transposed, class Problem>
typename HostWorker<HostPasses<Problem>>::run_type strips_kernel() {
  using Narrow = std::conditional_t<std::same_as<Target, Avx512>, Avx2, Target>;
  if constexpr (has_fused_vectors<Narrow, typename Problem::value_type>)
    return &HostStrips<Narrow, Problem, Transposed>::run;
  else
    return nullptr;
}

/// @brief The kernel for passes forwards and backwards in turn, and how many rows it needs in a
/// band; null if the target has none.
template <class Problem>
struct HostSymmetricKernel {
  typename HostWorker<HostSymmetricPasses<Problem>>::run_type run = nullptr;
  Index height = 0;

  template <class Target, bool Transposed>
  static HostSymmetricKernel of() {
    if constexpr (has_fused_vectors<Target, typename Problem::value_type>) {
      using Band = HostSymmetric<Target, Problem, Transposed>;
      return {&Band::run, Band::height};
    } else {
      return {};
    }
  }
};

/// @brief Some passes of the same kind.
struct HostPassGroup {
  int depth;  ///< sweeps of a pass
  Index passes;
  bool backward;
  bool alternating = false;  ///< every other one in the opposite direction
  bool from_zero = false;    ///< the unknowns that the first one reads are taken for zero

  HostPassGroup last() const { return {depth, 1, alternating ? passes % 2 == 0 : backward}; }
};

/// @brief Launches passes over arrays of one size, and owns their workspace.
/// @tparam Most the best target to use
template <ExecutionSpace Exec, class V, class Most>
class HostLauncher {
 public:
  /// @brief Lanes of the registers, zero if there are none.
  static int lanes() {
    return dispatch(
        [](auto target) {
          using Target = decltype(target);
          if constexpr (has_fused_vectors<Target, V>)
            return TargetVector<Target, V>::lanes;
          else
            return 0;
        },
        Most{});
  }

  /// @brief Whether such passes, if they neither measure nor tell anything, are done in strips. In
  /// these a weight of zero does not cut off what lies to the left, as a mask promises.
  template <class Problem>
  static bool prefers_strips(const Problem& p, const HostPassGroup& group) {
    constexpr Index min_columns = 32;
    if constexpr (ConstantProblem<Problem>)
      return group.depth == 1 && !group.alternating && p.interior_columns() >= min_columns &&
             (std::same_as<typename Problem::fixed_type, NoFixedPoints> ||
              (p.coefficients.left != 0 && p.coefficients.up != 0));
    else
      return false;
  }

  /// @brief Enqueues passes in strips of which the first one goes from `from` to x.
  template <ConstantProblem P>
  WAVESCAN_SELDOM void enqueue_strips(const Exec& exec, const P& given, Grid<V> from,
                                      const HostPassGroup& group) const {
    const bool transposes = !has_dense_rows(given.x);
    const auto p = in_order_of_sweep(given, from, group.backward);
    using Problem = std::remove_const_t<decltype(p)>;
    const StripSizes sizes = reserve_strips(exec, p);
    const auto run = with_constant_order<P::dense>(transposes, [&](auto transposed) {
      return dispatch(
          [&](auto target) { return strips_kernel<decltype(target), transposed(), Problem>(); },
          Most{});
    });
    HostProgress* const first = cleared_progress(exec);
    const HostPasses<Problem> all{
        {group.passes, sizes.bands, sizes.blocks, 1, first + 1, &first->blocks, sizes.workers},
        p,
        from,
        group.from_zero,
        HostDecomposition(p.interior_rows(), p.interior_columns(), 1, 0),
        nullptr,
        0,
        Criterion::Residual,
        nullptr,
        {},
        0};
    constexpr double seconds_per_update = .8e-9;
    const auto updates =
        static_cast<double>(group.passes * p.interior_rows() * p.interior_columns());
    enqueue_workers(exec, "WaveScan::sor::host", sizes.workers, seconds_per_update * updates,
                    HostWorker<HostPasses<Problem>>{all, run});
  }

  /// @brief Enqueues passes of which the first one goes from `from` to x.
  template <class Problem>
  void enqueue(const Exec& exec, const Problem& problem, const Grid<V>& from,
               const HostPassGroup& group, const HostPart<V>& part = {}) const {
    if constexpr (ConstantProblem<Problem>)
      if (group.alternating && group.passes > 1) return enqueue_in_turn(exec, problem, from, group);
    launch(exec, problem, from, group, kernel_of<false, Problem>, std::nullopt, part);
  }

  /// @brief Does a pass from `from` to x, and measures it.
  template <class Problem>
  ResidualSum measure(const Exec& exec, const Problem& problem, const Grid<V>& from,
                      const HostPassGroup& group, Criterion criterion) const {
    const HostDecomposition decomp =
        launch(exec, problem, from, group, kernel_of<true, Problem>, criterion, {});
    exec.fence("WaveScan::sor: what a pass has measured");
    ResidualSum sum;
    const auto* const sums = sums_.template data<ResidualSum>();
    for (Index band = 0; band < decomp.bands; ++band) sum.add(sums[band]);
    return sum;
  }

  template <class Problem>
  static StripSizes strip_sizes(const Exec& exec, const Problem& p) {
    return StripSizes::of(p.interior_rows(), p.interior_columns(), resident_teams(exec, 1),
                          (p.rhs.data ? 2 : 1) * static_cast<Index>(sizeof(V)));
  }
  /// @brief Makes the workspace of passes in strips.
  template <class Problem>
  StripSizes reserve_strips(const Exec& exec, const Problem& p) const {
    const StripSizes sizes = strip_sizes(exec, p);
    make_progress(exec, sizes.bands);
    return sizes;
  }
  /// @brief Makes the workspace of such passes beforehand.
  template <class Problem>
  void reserve(const Exec& exec, const Problem& given, const HostPassGroup& group,
               bool measured) const {
    if constexpr (ConstantProblem<Problem>)
      if (group.alternating) {
        const auto p = with_dense_rows(given);
        make_room_in_turn(exec, p,
                          kernel_in_turn<Problem::dense>(p, !has_dense_rows(given.x)).height);
      }
    make_room(exec, with_dense_rows(given), group.depth, measured);
  }

 private:
  template <ConstantProblem Problem>
  WAVESCAN_SELDOM void enqueue_in_turn(const Exec& exec, const Problem& given, const Grid<V>& from,
                                       const HostPassGroup& group) const {
    const bool transposes = !has_dense_rows(given.x);
    const auto p = with_dense_rows(given);
    using Passes = HostSymmetricPasses<std::remove_const_t<decltype(p)>>;
    const auto kernel = kernel_in_turn<Problem::dense>(p, transposes);
    make_room_in_turn(exec, p, kernel.height);
    const Passes all(p, transposes ? transposed(from) : from, group.from_zero, group.passes,
                     kernel.height, slots_.template data<V>(), cleared_progress(exec));
    const Index workers = std::min(group.passes * all.bands, resident_teams(exec, 1));
    enqueue_workers(exec, "WaveScan::sor::host", workers, seconds_for(p, group.passes),
                    HostWorker<Passes>{all, kernel.run});
  }

  /// @brief The problem with dense rows, swept forwards; `from` becomes likewise.
  template <class P>
  static auto in_order_of_sweep(const P& given, Grid<V>& from, bool backward) {
    if (!has_dense_rows(given.x)) from = transposed(from);
    auto p = with_dense_rows(given);
    if (backward) {
      p = reversed(p);
      from = reversed(from);
    }
    return p;
  }

  template <class P>
  using WithDenseRows = decltype(with_dense_rows(std::declval<P>()));
  template <class P>
  using Kernel = typename HostWorker<HostPasses<WithDenseRows<P>>>::run_type;

  /// @brief The kernel for so many sweeps of a problem.
  template <bool Measured, class P>
  static Kernel<P> kernel_of(bool transposes, int depth) {
    constexpr Dense order = may_be_transposed<P> ? P::dense : Dense::Rows;
    return with_constant_order<order>(transposes, [&](auto transposed) {
      return dispatch(
          [&](auto target) {
            return host_kernel<decltype(target), transposed(), Measured, WithDenseRows<P>>(depth);
          },
          Most{});
    });
  }

  template <class P>
  WAVESCAN_SELDOM HostDecomposition launch(const Exec& exec, const P& given, Grid<V> from,
                                           const HostPassGroup& group,
                                           Kernel<P> kernel(bool transposes, int depth),
                                           std::optional<Criterion> measured,
                                           const HostPart<V>& part) const {
    const bool transposes = !has_dense_rows(given.x);
    const auto p = in_order_of_sweep(given, from, group.backward);
    using Problem = WithDenseRows<P>;
    const int stages = group.depth + (measured ? 1 : 0);
    const HostDecomposition decomp = make_room(exec, p, group.depth, measured.has_value());
    const Index edges_of_pass = edges_for(p, stages);
    HostProgress* const first = cleared_progress(exec);
    V* const edges =
        edges_.template data<V>() + lag_of<CoefficientsOf<Problem>> * lanes() * (stages + 1);
    const Index first_band = part.entering.row / lanes();
    const Index end_band = std::min(decomp.bands, part.end / lanes());
    const Index workers = std::min(group.passes * (end_band - first_band), resident_teams(exec, 1));
    // Large batches keep threads from asking each other too often, small ones let more of them
    // work.
    const Index batch = std::clamp<Index>(decomp.blocks / (4 * workers), 1, 4);
    const HostPasses<Problem> all{
        {group.passes, end_band - first_band, decomp.blocks, batch, first + 1, &first->blocks},
        p,
        from,
        group.from_zero,
        decomp,
        edges,
        edges_of_pass,
        measured.value_or(Criterion::Residual),
        sums_.template data<ResidualSum>(),
        part,
        first_band};
    enqueue_workers(exec, "WaveScan::sor::host", workers,
                    seconds_for(p, group.passes * group.depth),
                    HostWorker<HostPasses<Problem>>{all, kernel(transposes, group.depth)});
    return decomp;
  }

  template <Dense Which, class Problem>
  static auto kernel_in_turn(const Problem&, bool transposes) {
    return with_constant_order<Which>(transposes, [&](auto transposed) {
      return dispatch(
          [&](auto target) {
            return HostSymmetricKernel<Problem>::template of<decltype(target), transposed()>();
          },
          Most{});
    });
  }
  template <class Problem>
  void make_room_in_turn(const Exec& exec, const Problem& p, Index height) const {
    using Passes = HostSymmetricPasses<Problem>;
    slots_.template room<V>(exec, "WaveScan::sor::slots", Passes::entries(p, height));
    make_progress(exec, Passes::bands_of(p, height));
  }
  template <class Problem>
  static double seconds_for(const Problem& p, Index sweeps) {
    return .04e-9 * sizeof(V) *
           static_cast<double>(sweeps * p.interior_rows() * p.interior_columns());
  }
  /// @brief Entries of the edges of a pass: a block of slots before the first column, and some
  /// after the last one.
  template <class Problem>
  static Index edges_for(const Problem& p, int stages) {
    constexpr Index lag = lag_of<CoefficientsOf<Problem>>;
    return (p.x.columns + lag * (stages + 3 * lanes()) + lanes()) * (stages + 1);
  }
  /// @brief Makes what is not there yet of the workspace of two passes.
  template <class Problem>
  WAVESCAN_SELDOM HostDecomposition make_room(const Exec& exec, const Problem& p, int depth,
                                              bool measured) const {
    const int stages = depth + (measured ? 1 : 0);
    const HostDecomposition decomp(p.interior_rows(), p.interior_columns(), lanes(), stages,
                                   lag_of<CoefficientsOf<Problem>>);
    edges_.template room<V>(exec, "WaveScan::sor::edges", 2 * edges_for(p, stages));
    make_progress(exec, decomp.bands);
    if (measured) sums_.template room<ResidualSum>(exec, "WaveScan::sor::sums", decomp.bands);
    return decomp;
  }
  /// @brief A ticket, and how far the bands of two passes are.
  void make_progress(const Exec& exec, Index bands) const {
    progress_.template room<HostProgress>(exec, "WaveScan::sor::progress", 2 * bands + 1);
  }
  HostProgress* cleared_progress(const Exec& exec) const {
    progress_.clear(exec);
    return progress_.template data<HostProgress>();
  }

  // Sizes depend on the direction of x's rows and on the sweeps of a pass, and all that plans might
  // ever need would be much.
  WorkMemory<Exec> edges_;     ///< V
  WorkMemory<Exec> progress_;  ///< HostProgress
  WorkMemory<Exec> sums_;      ///< of bands: ResidualSum
  WorkMemory<Exec> slots_;     ///< of passes in turn: V
};

}  // namespace wavescan::Impl::sor

#endif
