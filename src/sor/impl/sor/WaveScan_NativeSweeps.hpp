// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_NATIVESWEEPS_HPP
#define WAVESCAN_IMPL_SOR_NATIVESWEEPS_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/host/WaveScan_Sweeps.hpp>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <impl/sor/gpu/WaveScan_ResidentSweeps.hpp>
#include <impl/sor/gpu/WaveScan_Sweeps.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <optional>

namespace wavescan::Impl::sor {

/// @brief The way of sweeping that an execution space has of its own: made for an instance, rows,
/// columns, and the seconds after which waits are given up. Other devices have none.
template <class Exec, class T>
class NativeSweeps {
 public:
  NativeSweeps() = default;
  NativeSweeps(const Exec&, Index, Index, double) {}
};

template <class Exec, class T>
  requires runs_on_host<Exec>
class NativeSweeps<Exec, T> : public HostSweeps<Exec, T> {
 public:
  using HostSweeps<Exec, T>::HostSweeps;
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// @brief On NVIDIA's: temporal blocking, and grids that stay in shared memory.
template <class T>
class NativeSweeps<Kokkos::Cuda, T> {
  using Exec = Kokkos::Cuda;

 public:
  NativeSweeps() = default;
  NativeSweeps(const Exec& exec, Index rows, Index columns, double stall_seconds)
      : fused_(exec, rows, columns, stall_seconds), resident_(exec, rows, columns, stall_seconds) {}

  template <ConstantProblem P>
  bool sweep_to(const Exec& exec, const P& p, const Grid<T>& to, int count, bool forward,
                bool backward) const {
    if constexpr (may_be_resident<P>)
      if (resident_.is_best(p, count, forward, backward) &&
          resident_.sweep_to(exec, p, to, count, backward))
        return true;
    return fused_.sweep_to(exec, p, to, count, forward, backward);
  }
  /// @brief Sweeps, at least one, of unknowns that count as zero, whatever is there. False where
  /// that is not better than to clear them.
  template <ConstantProblem P>
  bool sweep_from_zero(const Exec& exec, const P& p, int count, bool forward, bool backward) const {
    if constexpr (may_be_resident<P>) {
      if (resident_.is_best(p, count, forward, backward)) return false;
      return fused_.sweep_from_zero(exec, p, count, forward, backward);
    } else {
      return false;
    }
  }
  template <ConstantProblem P>
  std::optional<ResidualSum> measured_sweep_to(const Exec& exec, const P& p, const Grid<T>& to,
                                               int count, bool forward, bool backward,
                                               Criterion criterion) const {
    if constexpr (may_be_resident<P>)
      if (criterion == Criterion::Residual && resident_.is_best(p, count, forward, backward))
        return std::nullopt;  // has a kernel of its own
    return fused_.measured_sweep_to(exec, p, to, count, forward, backward, criterion);
  }
  /// @brief Sweeps for several looks at once, fewer than asked for where arrays to show them are
  /// few, and what each of them measures; none if other sweeps are better. Waits.
  template <ConstantProblem P>
  LookSums sweep_for_looks(const Exec& exec, const P& p, LooksAhead ahead, bool forward,
                           bool backward) const {
    if constexpr (may_be_resident<P>) {
      ahead.looks = std::min(ahead.looks, resident_.max_looks_at(ahead.criterion));
      const bool has_two = std::min(ahead.first, ahead.every) > 1;
      // Arrays that show what looks see have one dense dimension, and kernels take them for x.
      if (!has_dense_rows(with_dense_rows(p).x) ||
          ahead.every > resident_.max_sweeps / ahead.looks ||
          (ahead.criterion == Criterion::Update && !has_two) ||
          !resident_.is_best(p, ahead.sweeps(), forward, backward))
        return {};
      if (ahead.number == 0) resident_.prepare_looks(exec, p.x);
      return resident_.sweep_for_looks(exec, p, ahead, backward);
    } else {
      return {};
    }
  }
  /// @brief What such a look saw.
  Grid<T> shown(const Grid<T>& x, int look, Criterion criterion) const {
    return resident_.shown(x, look, criterion);
  }
  /// @brief What a look at updates compares that with.
  Grid<T> shown_before(const Grid<T>& x, int look) const { return resident_.shown_before(x, look); }
  /// @brief As many sweeps as launches for looks take to begin.
  template <ConstantProblem P>
  int sweeps_to_begin(const P& p) const {
    return resident_.sweeps_to_begin(p);
  }

  template <ConstantProblem P>
  bool reserve(const Exec& exec, const P& p, int count, bool forward, bool backward,
               bool measured) const {
    if constexpr (may_be_resident<P>)
      if (measured && resident_.is_best(p, resident_.max_looks_at(Criterion::Residual) * count,
                                        forward, backward))
        resident_.reserve_looks(exec, p.x);
    return fused_.reserve(exec, p, count, forward, backward, measured);
  }
  void throw_if_stuck() const {
    fused_.throw_if_stuck();
    resident_.throw_if_stuck();
  }

 private:
  template <class P>
  static constexpr bool may_be_resident = std::same_as<typename P::fixed_type, NoFixedPoints>;

  GpuSweeps<T> fused_;
  ResidentSweeps<T> resident_;
};
#endif

}  // namespace wavescan::Impl::sor

#endif
