// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PASSNORM_HPP
#define WAVESCAN_IMPL_SOR_GPU_PASSNORM_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/sor/gpu/WaveScan_PassDecomposition.hpp>

/// @file
/// @brief The measurement of a pass's last sweep.
///
/// Each lane adds up the squares of all its bands' terms, in double, then the lanes of each warp
/// are added up, then the warps, always in the same order: decompositions that are equal give sums
/// that are. Updates themselves are rounded to V, because conversions are what takes long.
/// Residuals, differences of nearly equal numbers, are taken in double, and so convert each value
/// once for all points of its row.

namespace wavescan::Impl::sor {

/// @brief A lane's sum over the points that its bands own, of terms of type T.
template <class T>
class LaneSum {
 public:
  /// @brief Begins a row, of which only the points of some steps count.
  __device__ void begin(int first_step, int steps) {
    first_step_ = first_step;
    steps_ = static_cast<unsigned>(steps);
  }
  /// @tparam All        whether the step is one of those
  /// @tparam MayBeFixed whether `fixed` may be true
  template <bool All, bool MayBeFixed>
  __device__ void add(int step, T term, bool fixed) {
    bool counts = true;
    if constexpr (!All) counts = static_cast<unsigned>(step - first_step_) < steps_;
    if constexpr (MayBeFixed) counts &= !fixed;
    if constexpr (!All || MayBeFixed) term = gpu::select(counts, term, T(0));
    squares_ = multiply_add(static_cast<double>(term), static_cast<double>(term), squares_);
    largest_ = larger(largest_, Kokkos::abs(term));
    if (counts) ++points_;
  }
  __device__ ResidualSum sum() const {
    // NaN remains in sums, but not in a maximum.
    const bool finite = !Kokkos::isnan(squares_) && !Kokkos::isinf(largest_);
    return {squares_, static_cast<double>(largest_), points_, finite ? 0 : 1};
  }

 private:
  // Neither gives b if that is NaN. Of doubles only a comparison is an instruction.
  static __device__ float larger(float a, float b) { return Kokkos::fmax(a, b); }
  static __device__ double larger(double a, double b) { return a < b ? b : a; }

  double squares_ = 0;
  T largest_ = 0;
  int points_ = 0;
  int first_step_ = 0;
  unsigned steps_ = 0;
};

/// @brief The steps of a band at which points count: lane by lane a step later.
struct CountedSteps {
  int begin = 0;  ///< the first lane's
  int end = 0;

  __device__ bool any(int first, int steps) const {
    return begin < end && first + steps > begin && first < end + Decomposition::band_rows - 1;
  }
  /// @brief True if all of these steps count for all lanes.
  __device__ bool all(int first, int steps) const {
    return first >= begin + Decomposition::band_rows - 1 && first + steps <= end;
  }
};

/// @brief The residuals of a row's points, one after the other.
class RowResidual {
 public:
  /// @brief Returns the residual of the point whose right neighbour is `right`; the call before had
  /// the point itself there. The equation's `rhs` is one.
  template <class V>
  __device__ double operator()(const SORCoefficients<double>& equation, V up, V right, V down,
                               V rhs) {
    left_ = center_;
    center_ = right_;
    right_ = static_cast<double>(right);
    return row_residual_of(
        equation, static_cast<double>(rhs),
        {center_, left_, static_cast<double>(up), right_, static_cast<double>(down)});
  }

 private:
  double left_ = 0;
  double center_ = 0;
  double right_ = 0;
};

/// @brief Adds up the sums of a warp's lanes; each of them gets the total.
__device__ inline ResidualSum sum_of_warp(ResidualSum sum) {
  return gpu::warp_reduce<32, 1, gpu::LanePairs::NearFirst>(
      sum, [](const ResidualSum& other, ResidualSum own) {
        own.add(other);
        return own;
      });
}

/// @brief Adds up sums that other blocks of threads have stored, by one warp.
__device__ inline ResidualSum sum_of_all(const ResidualSum* sums, int count) {
  ResidualSum sum;
  for (int k = static_cast<int>(threadIdx.x) % 32; k < count; k += 32) sum.add(sums[k]);
  return sum_of_warp(sum);
}

}  // namespace wavescan::Impl::sor

#endif
