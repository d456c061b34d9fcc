// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_NORM_HPP
#define WAVESCAN_IMPL_SOR_GPU_NORM_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_SOR_Gpu_Shared.hpp>
#include <impl/WaveScan_SOR_Sum.hpp>

/// @file
/// @brief What a pass measures of its last sweep.
///
/// Each lane adds up the squares of all its bands' terms, in double, then the lanes of each warp
/// are added up, then the warps, always in the same order: the sum is the same whenever the cut is.
/// Updates themselves are rounded to V, because conversions are what takes long. Residuals,
/// differences of nearly equal numbers, are taken in double, and so convert each value once for all
/// points of its row.

namespace wavescan::Impl {

/// @brief A lane's sum over the points that its bands own, of terms of type T.
template <class T>
class SORLaneSum {
 public:
  /// @brief Begins a row, of which only the points of some steps count.
  __device__ void begin(int first_step, int steps) {
    first_step_ = first_step;
    steps_ = static_cast<unsigned>(steps);
  }
  __device__ void add(int step, T given, bool fixed) {
    const bool counts = static_cast<unsigned>(step - first_step_) < steps_ && !fixed;
    const T term = select(counts, given, T(0));
    squares_ = multiply_add(static_cast<double>(term), static_cast<double>(term), squares_);
    largest_ = Kokkos::fmax(largest_, Kokkos::abs(term));
    if (counts) ++points_;
  }
  __device__ ResidualSum sum() const {
    // NaN remains in sums, but not in a maximum.
    const bool finite = !Kokkos::isnan(squares_) && !Kokkos::isinf(largest_);
    return {squares_, static_cast<double>(largest_), points_, finite ? 0 : 1};
  }

 private:
  double squares_ = 0;
  T largest_ = 0;
  int points_ = 0;
  int first_step_ = 0;
  unsigned steps_ = 0;
};

/// @brief The residuals of a row's points, one after the other.
class SORRowResidual {
 public:
  /// @brief That of the point whose right neighbour is `right`; the one before had the point itself
  /// there.
  template <class V>
  __device__ double operator()(const SORCoefficients<double>& equation, V up, V right, V down,
                               V rhs) {
    left_ = center_;
    center_ = right_;
    right_ = static_cast<double>(right);
    double r = equation.rhs * static_cast<double>(rhs);
    r = multiply_add(equation.down, static_cast<double>(down), r);
    r = multiply_add(equation.up, static_cast<double>(up), r);
    r = multiply_add(equation.left, left_, r);
    r = multiply_add(equation.right, right_, r);
    return multiply_add(-equation.center, center_, r);
  }

 private:
  double left_ = 0;
  double center_ = 0;
  double right_ = 0;
};

/// @brief Adds up the sums of a warp's lanes; each of them gets the total.
__device__ inline ResidualSum sum_of_warp(ResidualSum sum) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) sum.add(gpu::shuffle_xor(sum, distance));
  return sum;
}

/// @brief Adds up sums that other blocks of threads have stored, by one warp.
__device__ inline ResidualSum sum_of_all(const ResidualSum* sums, int count) {
  ResidualSum sum;
  for (int k = static_cast<int>(threadIdx.x) % 32; k < count; k += 32) sum.add(sums[k]);
  return sum_of_warp(sum);
}

}  // namespace wavescan::Impl

#endif
