// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_BACKENDTRAITS_HPP
#define WAVESCAN_IMPL_SOR_BACKENDTRAITS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORAlgorithm.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor/WaveScan_BatchedChecks.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_Norms.hpp>

#include <concepts>
#include <optional>

/// @file
/// @brief The requirements on backends, which are the kernels of an execution space, and what each
/// backend declares that it does.

namespace wavescan::Impl::sor {

/// @brief Sweeps to do, each of them a forward pass, a backward one or both.
struct SweepRequest {
  int count;
  bool forward = true;
  bool backward = false;
  bool from_zero = false;               ///< unknowns count as zero, whatever is there
  std::optional<Criterion> measured{};  ///< what the last pass adds up
};

/// @brief Calls use(problem, backward) for the passes of all sweeps, with the problem as each of
/// them sees it.
template <class P, class Use>
void for_each_pass(const P& problem, const SweepRequest& r, const Use& use) {
  for (int k = 0; k < r.count; ++k) {
    if (r.forward) use(problem, false);
    if (r.backward) use(reversed(problem), true);
  }
}

/// @brief A choice that consists of an algorithm alone; None: the backend declines.
struct SelectedAlgorithm {
  SORAlgorithm algorithm = SORAlgorithm::None;
};

/// @brief The capabilities of backends that sweep, for any problem, and do nothing else.
struct SweepsOnly {
  template <class P>
  static constexpr bool sweeps = true;
  template <class P>
  static constexpr bool starts_from_zero = false;
  template <class P>
  static constexpr bool measures = false;
  template <class P>
  static constexpr bool batches_checks = false;
};

/// @brief The capabilities of a backend. It chooses by `select` and launches by `run`; what it does
/// not declare here is not asked of it.
///
/// Specialisations for those that do more stand beside them; P is a problem:
/// - `sweeps<P>`: Selected select(exec, problem, to, request), and
///   void run(exec, selected, problem, to, request): sweeps from problem.x to `to`, which may be x;
/// - `starts_from_zero<P>`: these heed `from_zero`;
/// - `measures<P>`: ResidualSum run_measured(exec, selected, problem, to, request), which waits;
/// - `batches_checks<P>`: CheckSums sweep_with_checks(exec, problem, checks, forward, backward),
///   which waits, snapshot, snapshot_before and sweeps_to_begin.
template <class Backend>
struct BackendTraits : SweepsOnly {};

/// @brief The capabilities that a backend declares for a problem, checked against its members.
template <class Backend, class Exec, class P>
struct Capabilities {
  using Traits = BackendTraits<Backend>;
  using Selected = typename Backend::Selected;
  using Array = ArrayOf<typename P::value_type, P::rank>;

  static constexpr bool sweeps = Traits::template sweeps<P>;
  static constexpr bool starts_from_zero = Traits::template starts_from_zero<P>;
  static constexpr bool measures = Traits::template measures<P>;
  static constexpr bool batches_checks = Traits::template batches_checks<P>;

  static_assert(!sweeps || requires(const Backend& b, const Exec& exec, const P& p, const Array& to,
                                    const SweepRequest& request, const Selected& selected) {
    { b.select(exec, p, to, request) } -> std::same_as<Selected>;
    { b.run(exec, selected, p, to, request) } -> std::same_as<void>;
  });
  static_assert(!measures ||
                requires(const Backend& b, const Exec& exec, const P& p, const Array& to,
                         const SweepRequest& request, const Selected& selected) {
                  { b.run_measured(exec, selected, p, to, request) } -> std::same_as<ResidualSum>;
                });
  static_assert(!batches_checks || requires(const Backend& b, const Exec& exec, const P& p,
                                            const Array& x, const BatchedChecks& checks) {
    { b.sweep_with_checks(exec, p, checks, true, true) } -> std::same_as<CheckSums>;
    { b.snapshot(x, 0, Criterion::Update) } -> std::same_as<Array>;
    { b.snapshot_before(x, 0) } -> std::same_as<Array>;
    { b.sweeps_to_begin(p) } -> std::same_as<int>;
  });
  static_assert(sweeps || !(starts_from_zero || measures || batches_checks));
};

}  // namespace wavescan::Impl::sor

#endif
