// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTSUM_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTSUM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_VectorStencil.hpp>

#include <cmath>
#include <type_traits>

namespace wavescan::Impl::sor {

template <class Target, class C, bool MayBeFixed>
class HostSum;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_HostSum.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief The ResidualSum of a band, which each lane adds up for itself in double. The order of
/// additions is always the same.
/// @tparam C          coefficients of a point
/// @tparam MayBeFixed whether points that count are counted
template <class C, bool MayBeFixed>
class HostSum<WAVESCAN_TARGET, C, MayBeFixed> {
  using Stencil = VectorStencil<WAVESCAN_TARGET, C>;
  using V = typename Stencil::V;
  using Vector = typename Stencil::Vector;
  using Wide = typename Stencil::Wide;
  static constexpr int parts = widened_parts<WAVESCAN_TARGET, V>;

 public:
  /// @brief Lanes that count: those from `first` to `last`, unless they are fixed.
  struct Lanes {
    bool all;  ///< whether these are all lanes
    Index first;
    Index last;
    Vector fixed;  ///< of fixed points
  };

  WAVESCAN_TARGET_FUNCTION HostSum() {
    for (int p = 0; p < parts; ++p) squares_[p] = largest_[p] = points_[p] = zero();
  }

  /// @brief Adds up new - old.
  WAVESCAN_TARGET_FUNCTION void add_update(const Lanes& lanes, Vector now, Vector before) {
#pragma GCC unroll 2
    for (int p = 0; p < parts; ++p) add(lanes, p, widened(now, p) - widened(before, p));
  }

  /// @brief Adds up the residuals of points, given the equations of each part of a vector.
  template <class Equations, class Values>
  WAVESCAN_TARGET_FUNCTION void add_residual(const Lanes& lanes, const Equations& equation,
                                             const Values& x, Vector b) {
#pragma GCC unroll 2
    for (int p = 0; p < parts; ++p) add(lanes, p, Stencil::residual_of(equation.part(p), p, x, b));
  }

  /// @brief The sum of all lanes.
  /// @param points how many count, where none is fixed
  WAVESCAN_TARGET_FUNCTION ResidualSum total(Index points) const {
    ResidualSum sum;
    for (int p = 0; p < parts; ++p) {
      // Number by number: g++'s address sanitizer does not align arrays that vectors are stored to.
      for (int l = 0; l < Wide::lanes; ++l) {
        const double squares = squares_[p].v[l], largest = largest_[p].v[l];
        // NaN remains in sums, but not in a maximum.
        const bool finite = !std::isnan(squares) && !std::isinf(largest);
        sum.add(ResidualSum{squares, largest, static_cast<Index>(points_[p].v[l]),
                            finite ? Index(0) : Index(1)});
      }
    }
    if (!MayBeFixed) sum.points = points;
    return sum;
  }

 private:
  WAVESCAN_TARGET_FUNCTION static Wide zero() { return Wide::all(0); }

  WAVESCAN_TARGET_FUNCTION void add(const Lanes& lanes, int p, Wide r) {
    r = counted(lanes, p, r);
    squares_[p] = Wide::multiply_add(r, r, squares_[p]);
    largest_[p] = larger(r, largest_[p]);
    if constexpr (MayBeFixed) {
      const Wide one = Wide::all(1);
      points_[p] = Wide::multiply_add(counted(lanes, p, one), one, points_[p]);
    }
  }

  /// @brief Returns r with zero in lanes that do not count.
  WAVESCAN_TARGET_FUNCTION static Wide counted(const Lanes& lanes, int p, Wide r) {
    const Index before = p * Wide::lanes;
    if (!lanes.all)
      r = Wide::select(Wide::between(lanes.first - before, lanes.last - before), r, zero());
    return MayBeFixed ? select_marked(widened(lanes.fixed, p), zero(), r) : r;
  }

  Wide squares_[parts], largest_[parts], points_[parts];
};

}  // namespace wavescan::Impl::sor

#endif
