// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SPECIAL_HPP
#define WAVESCAN_IMPL_SOR_SPECIAL_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SOR_Host.hpp>
#include <impl/WaveScan_SOR_Pieces.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <impl/WaveScan_SOR_Gpu.hpp>
#endif

#include <optional>

namespace wavescan::Impl {

/// @brief The way of sweeping that an execution space has of its own: made for an instance, rows,
/// columns, and the seconds after which waits are given up. On devices: few rows in pieces.
template <class Exec, class T>
class SpecialSOR {
 public:
  SpecialSOR() = default;
  SpecialSOR(const Exec& exec, Index rows, Index columns, double) : pieces_(exec, rows, columns) {}
  bool sweep_to(const Exec& exec, const SORProblem<T>& p, const Grid<T>& to, int count,
                bool forward, bool backward) const {
    const bool suits = pieces_.suits(p);
    if (suits) pieces_.sweep_to(exec, p, to, count, forward, backward);
    return suits;
  }
  bool reserve(const Exec& exec, const SORProblem<T>& p, int, bool, bool, bool) const {
    if (pieces_.suits(p)) pieces_.reserve(exec, p);
    return false;
  }

 private:
  SORPieces<Exec, T> pieces_;
};

template <class Exec, class T>
  requires runs_on_host<Exec>
class SpecialSOR<Exec, T> : public SORHost<Exec, T> {
 public:
  SpecialSOR() = default;
  SpecialSOR(const Exec& exec, Index rows, Index columns, double)
      : SORHost<Exec, T>(exec, rows, columns) {}
};

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// @brief On NVIDIA's: fused sweeps too.
template <class T>
class SpecialSOR<Kokkos::Cuda, T> {
  using Exec = Kokkos::Cuda;

 public:
  SpecialSOR() = default;
  SpecialSOR(const Exec& exec, Index rows, Index columns, double stall_seconds)
      : pieces_(exec, rows, columns), fused_(exec, rows, columns, stall_seconds) {}

  bool sweep_to(const Exec& exec, const SORProblem<T>& p, const Grid<T>& to, int count,
                bool forward, bool backward) const {
    const bool suits = pieces_.suits(p);
    // Whatever the next call's number of sweeps.
    if (suits && pieces_.is_best(p, 1)) pieces_.reserve(exec, p);
    const bool best = suits && pieces_.is_best(p, count);
    if (!best && fused_.sweep_to(exec, p, to, count, forward, backward)) return true;
    if (suits) pieces_.sweep_to(exec, p, to, count, forward, backward);
    return suits;
  }
  std::optional<ResidualSum> measured_sweep_to(const Exec& exec, const SORProblem<T>& p,
                                               const Grid<T>& to, int count, bool forward,
                                               bool backward, Criterion criterion) const {
    if (pieces_.suits(p) && pieces_.is_best(p, count)) return std::nullopt;
    return fused_.measured_sweep_to(exec, p, to, count, forward, backward, criterion);
  }
  bool reserve(const Exec& exec, const SORProblem<T>& p, int count, bool forward, bool backward,
               bool measured) const {
    const bool fuses = fused_.reserve(exec, p, count, forward, backward, measured);
    const bool suits = pieces_.suits(p);
    if (suits && (pieces_.is_best(p, 1) || !fuses)) pieces_.reserve(exec, p);
    return fuses && !(suits && pieces_.is_best(p, count));
  }
  void throw_if_stuck() const { fused_.throw_if_stuck(); }

 private:
  SORPieces<Exec, T> pieces_;
  SORGpu<T> fused_;
};
#endif

}  // namespace wavescan::Impl

#endif
