// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_COMPONENTITERATION_HPP
#define WAVESCAN_IMPL_SOR_COMPONENTITERATION_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_SOR_Components.hpp>

/// @file
/// @brief What a solve does between two checks, where only the unknowns are visited.

namespace wavescan::Impl {

/// @brief An iteration over the components that have been found: see SORIterationOf.
template <ExecutionSpace Exec, class Problem>
class SORComponentIteration {
  using T = typename Problem::value_type;

 public:
  SORComponentIteration(const Exec& exec, const SORComponents<Exec, T>& components,
                        const Problem& problem, const SolveControl& control, bool forward,
                        bool backward, bool restores)
      : exec_(exec),
        components_(components),
        problem_(problem),
        control_(control),
        forward_(forward),
        backward_(backward),
        restores_(restores) {}

  double look() const { return norm_after(0, Criterion::Residual); }
  double sweep(int count) const { return norm_after(count, control_.criterion); }
  void keep() {
    current_ = 1 - current_;
    settled_ = false;
  }
  bool restore() const { return restores_; }
  void settle() {
    if (!settled_) components_.unpack(exec_, current_, problem_.x);
    settled_ = true;
  }

 private:
  double norm_after(int count, Criterion criterion) const {
    return components_
        .sweep(exec_, problem_, current_, 1 - current_, count, forward_, backward_, criterion)
        .norm(control_.norm);
  }

  const Exec& exec_;
  const SORComponents<Exec, T>& components_;
  const Problem& problem_;
  const SolveControl& control_;
  bool forward_;
  bool backward_;
  bool restores_;
  bool settled_ = true;  ///< x has the values of the last check
  int current_ = 0;      ///< the list that has them
};

}  // namespace wavescan::Impl

#endif
