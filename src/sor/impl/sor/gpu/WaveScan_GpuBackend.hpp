// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_GPUBACKEND_HPP
#define WAVESCAN_IMPL_SOR_GPU_GPUBACKEND_HPP

#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/gpu/WaveScan_ResidentSweeps.hpp>
#include <impl/sor/gpu/WaveScan_TemporalBlocking.hpp>

#include <algorithm>
#include <concepts>

namespace wavescan::Impl::sor {

/// @brief Sweeps with five points and the same coefficients everywhere on NVIDIA GPUs: temporal
/// blocking, and grids that stay in shared memory.
template <class T>
class GpuBackend {
  using Exec = Kokkos::Cuda;

 public:
  struct Selected : SelectedAlgorithm {
    LaunchSequence launches{};  ///< of temporal blocking
    ResidentLayout layout{};
  };

  GpuBackend() = default;
  /// @param stall_seconds after which waits are given up
  GpuBackend(const Exec& exec, Index rows, Index columns, double stall_seconds)
      : fused_(exec, rows, columns, stall_seconds), resident_(exec, rows, columns, stall_seconds) {}

  template <class P>
  static constexpr bool may_be_resident = std::same_as<typename P::fixed_type, NoFixedPoints>;

  template <ConstantProblem P>
  Selected select(const Exec& exec, const P& p, const Grid<T>& to, const SweepRequest& r) const {
    if constexpr (may_be_resident<P>)
      if (resident_.is_preferred(p, r.count, r.forward, r.backward)) {
        // Better without these; a residual has a kernel of its own.
        if (r.from_zero || r.measured == Criterion::Residual) return {};
        if (!r.measured)
          if (const auto layout = resident_.layout_on(exec, p))
            return {{SORAlgorithm::Resident}, {}, *layout};
      }
    if (const auto launches = fused_.launches_for(p, to, r))
      return {{SORAlgorithm::TemporalBlocking}, *launches};
    return {};
  }
  template <ConstantProblem P>
  void run(const Exec& exec, const Selected& selected, const P& p, const Grid<T>& to,
           const SweepRequest& r) const {
    if constexpr (may_be_resident<P>)
      if (selected.algorithm == SORAlgorithm::Resident)
        return resident_.run(exec, p, to, r.count, r.backward, selected.layout);
    fused_.run(exec, p, to, selected.launches, r.from_zero);
  }
  template <ConstantProblem P>
  ResidualSum run_measured(const Exec& exec, const Selected& selected, const P& p,
                           const Grid<T>& to, const SweepRequest& r) const {
    return fused_.run_measured(exec, p, to, selected.launches, *r.measured);
  }

  /// @brief Sweeps for several checks at once, fewer than asked for where snapshots are few, and
  /// what each of them measures; none if other sweeps are better. Waits.
  template <ConstantProblem P>
  CheckSums sweep_with_checks(const Exec& exec, const P& p, BatchedChecks batch, bool forward,
                              bool backward) const {
    batch.checks = std::min(batch.checks, resident_.max_checks_at(batch.criterion));
    const bool has_two = std::min(batch.first, batch.every) > 1;
    // Snapshots have one dense dimension, and kernels take them for x.
    if (!has_dense_rows(with_dense_rows(p).x) ||
        batch.every > resident_.max_sweeps / batch.checks ||
        (batch.criterion == Criterion::Update && !has_two) ||
        !resident_.is_preferred(p, batch.sweeps(), forward, backward))
      return {};
    if (batch.number == 0) resident_.prepare_snapshots(exec, p.x);
    return resident_.sweep_with_checks(exec, p, batch, backward);
  }
  /// @brief What x was at such a check.
  Grid<T> snapshot(const Grid<T>& x, int check, Criterion criterion) const {
    return resident_.snapshot(x, check, criterion);
  }
  /// @brief What a check of updates compares that with.
  Grid<T> snapshot_before(const Grid<T>& x, int check) const {
    return resident_.snapshot_before(x, check);
  }
  /// @brief As many sweeps as launches with checks take to begin.
  template <ConstantProblem P>
  int sweeps_to_begin(const P& p) const {
    return resident_.sweeps_to_begin(p);
  }

  /// @brief Makes workspace beforehand. False if other kernels must do such sweeps, or measure.
  template <ConstantProblem P>
  bool reserve(const Exec& exec, const P& p, const SweepRequest& r, bool measured) const {
    if constexpr (may_be_resident<P>)
      if (measured &&
          resident_.is_preferred(p, resident_.max_checks_at(Criterion::Residual) * r.count,
                                 r.forward, r.backward))
        resident_.reserve_snapshots(exec, p.x);
    return fused_.supports_arrays_of(p);
  }
  void throw_if_stuck() const {
    fused_.throw_if_stuck();
    resident_.throw_if_stuck();
  }

 private:
  GpuSweeps<T> fused_;
  ResidentSweeps<T> resident_;
};

template <class T>
struct BackendTraits<GpuBackend<T>> {
  template <class P>
  static constexpr bool sweeps = ConstantProblem<P>;
  template <class P>
  static constexpr bool starts_from_zero = sweeps<P>&& GpuBackend<T>::template may_be_resident<P>;
  template <class P>
  static constexpr bool measures = sweeps<P>;
  template <class P>
  static constexpr bool batches_checks = starts_from_zero<P>;
};

}  // namespace wavescan::Impl::sor

#endif
