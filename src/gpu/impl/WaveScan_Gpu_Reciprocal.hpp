// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_RECIPROCAL_HPP
#define WAVESCAN_IMPL_GPU_RECIPROCAL_HPP

#include <Kokkos_Core.hpp>

/// @file
/// @brief Reciprocals without the branch in which IEEE's treat numbers at the ends of the range.

namespace wavescan::Impl::gpu {

/// @brief 1 / x up to one unit in the last place, by an estimate and Newton's method. Zero and
/// infinity have NaN, and so may numbers below the normal ones; where 1 / x is below them, zero.
__device__ inline double reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));  // 20 bits
  const double error = fma(-x, y, 1.0);
  y = fma(fma(error, error, error), y, y);  // cubic: 60 bits
  return y;
#else
  return 1.0 / x;
#endif
}
__device__ inline float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // one unit in the last place
  return fmaf(fmaf(-x, y, 1.0f), y, y);
#else
  return 1.0f / x;
#endif
}

/// @brief The function `reciprocal` as an object.
struct Reciprocal {
  template <class T>
  __device__ T operator()(T x) const {
    return reciprocal(x);
  }
};

}  // namespace wavescan::Impl::gpu

#endif
