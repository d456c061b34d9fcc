// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_GPUBACKEND_HPP
#define WAVESCAN_IMPL_SOR_GPU_GPUBACKEND_HPP

#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/gpu/WaveScan_GpuSweeps.hpp>
#include <impl/sor/gpu/WaveScan_ResidentSweeps.hpp>

#include <concepts>

namespace wavescan::Impl::sor {

/// @brief Sweeps with five points and the same coefficients everywhere on NVIDIA GPUs: grids that
/// stay in shared memory, and temporal blocking.
template <class T>
class GpuBackend : ResidentSweeps<T> {
  using Exec = Kokkos::Cuda;
  using Resident = ResidentSweeps<T>;

 public:
  struct Selected : GpuSweeps<T>::Selected {
    ResidentLayout layout{};
  };

  GpuBackend() = default;
  /// @param stall_seconds after which waits are given up
  GpuBackend(const Exec& exec, Index rows, Index columns, double stall_seconds)
      : Resident(exec, rows, columns, stall_seconds), fused_(exec, rows, columns, stall_seconds) {}

  template <class P>
  static constexpr bool may_be_resident = std::same_as<typename P::fixed_type, NoFixedPoints>;

  template <ConstantProblem P>
  Selected select(const Exec& exec, const P& p, const Grid<T>& to, const SweepRequest& r) const {
    if constexpr (may_be_resident<P>)
      if (this->is_preferred(p, r.count, r.forward, r.backward)) {
        // Better without these; a residual has a kernel of its own.
        if (r.from_zero || r.measured == Criterion::Residual) return {};
        if (!r.measured)
          if (const auto layout = this->layout_on(exec, p))
            return {{{SORAlgorithm::Resident}}, *layout};
      }
    return {fused_.select(exec, p, to, r)};
  }
  template <ConstantProblem P>
  void run(const Exec& exec, const Selected& selected, const P& p, const Grid<T>& to,
           const SweepRequest& r) const {
    if constexpr (may_be_resident<P>)
      if (selected.algorithm == SORAlgorithm::Resident)
        return Resident::run(exec, p, to, r.count, r.backward, selected.layout);
    fused_.run(exec, selected, p, to, r);
  }
  template <ConstantProblem P>
  ResidualSum run_measured(const Exec& exec, const Selected& selected, const P& p,
                           const Grid<T>& to, const SweepRequest& r) const {
    return fused_.run_measured(exec, selected, p, to, r);
  }

  using Resident::snapshot;
  using Resident::snapshot_before;
  using Resident::sweep_with_checks;
  using Resident::sweeps_to_begin;

  /// @brief Makes workspace beforehand. False if other kernels must do such sweeps, or measure.
  template <ConstantProblem P>
  bool reserve(const Exec& exec, const P& p, const SweepRequest& r, bool measured) const {
    if constexpr (may_be_resident<P>)
      if (measured && this->is_preferred(p, this->max_checks_at(Criterion::Residual) * r.count,
                                         r.forward, r.backward))
        this->reserve_snapshots(exec, p.x);
    return fused_.reserve(exec, p);
  }
  void throw_if_stuck() const {
    fused_.throw_if_stuck();
    Resident::throw_if_stuck();
  }

 private:
  GpuSweeps<T> fused_;
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
