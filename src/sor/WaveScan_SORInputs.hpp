// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORINPUTS_HPP
#define WAVESCAN_SORINPUTS_HPP

#include <WaveScan_Concepts.hpp>

#include <concepts>

/// @file
/// @brief The inputs of SOR besides x.

namespace wavescan {

/// @brief Stands for an input that is not there.
struct NoInput {};

namespace Impl {

/// @brief A View with a value for each point of a grid of two or three dimensions.
template <class V>
concept ViewOfPoints = ViewOfRank<V, 2> || ViewOfRank<V, 3>;

}  // namespace Impl

/// @brief The optional inputs of SOR: `SORInputs().rhs(b).mask(fixed)`. A View that is not
/// allocated, `Kokkos::View<double**>()`, is no input: what there is may be chosen at run time.
template <class Rhs = NoInput, class Mask = NoInput>
class SORInputs {
 public:
  SORInputs() = default;
  SORInputs(const Rhs& rhs, const Mask& mask) : rhs_(rhs), mask_(mask) {}

  /// @brief Right-hand side b: a View with the extents and the value type of x. Its halo is not
  /// read, and nor are fixed points. Without it b is zero.
  template <Impl::ViewOfPoints B>
  SORInputs<B, Mask> rhs(const B& b) const {
    return {b, mask_};
  }

  /// @brief Points to hold fixed: a View of bool or any integral type with the extents of x. Where
  /// it is not zero x keeps its value bit for bit. Its halo is not read.
  template <Impl::ViewOfPoints M>
  SORInputs<Rhs, M> mask(const M& fixed) const {
    return {rhs_, fixed};
  }

  const Rhs& rhs() const { return rhs_; }
  const Mask& mask() const { return mask_; }

 private:
  Rhs rhs_{};
  Mask mask_{};
};

/// @brief The initial guess zero, in place of an array: all unknowns are zero at first, as
/// preconditioners need.
struct ZeroGuess {};

namespace Impl {

/// @brief An initial guess for arrays of a rank: a View of that rank, or ZeroGuess.
template <class From, int Rank>
concept StartOfSORFor = ViewOfRank<From, Rank> || std::same_as<From, ZeroGuess>;

}  // namespace Impl

/// @brief An initial guess for sweeps: a View of rank 2 or 3, or ZeroGuess.
template <class From>
concept StartOfSOR = Impl::StartOfSORFor<From, 2> || Impl::StartOfSORFor<From, 3>;

}  // namespace wavescan

#endif
