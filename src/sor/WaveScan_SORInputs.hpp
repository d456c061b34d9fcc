// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORINPUTS_HPP
#define WAVESCAN_SORINPUTS_HPP

#include <WaveScan_Concepts.hpp>

#include <concepts>

/// @file
/// @brief What SOR reads besides x.

namespace wavescan {

/// @brief Stands for an input that is not there.
struct NoInput {};

namespace Impl {

/// @brief What a grid of two or three dimensions has a value for each point in.
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

/// @brief In the place of an array to start from: all unknowns are zero, as a preconditioner wants
/// it.
struct ZeroGuess {};

namespace Impl {

/// @brief What sweeps of arrays of a rank may start from.
template <class From, int Rank>
concept StartOfSORFor = ViewOfRank<From, Rank> || std::same_as<From, ZeroGuess>;

}  // namespace Impl

/// @brief What sweeps may start from.
template <class From>
concept StartOfSOR = Impl::StartOfSORFor<From, 2> || Impl::StartOfSORFor<From, 3>;

}  // namespace wavescan

#endif
