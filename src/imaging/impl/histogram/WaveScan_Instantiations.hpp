// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_HISTOGRAM_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_IntegralHistogram.hpp>

#include <cstdint>

/// @file
/// @brief Instantiations in WaveScan::kernels of integral histograms with counts of type T: of
/// images of bytes and of float, in bins of one width.

#define WAVESCAN_HISTOGRAM_OF(TEMPLATE, Exec, Pixel, Bins, T) \
  TEMPLATE Impl::histogram::Algorithm<Pixel, Bins, T>         \
  Impl::histogram::select_algorithm<Exec, Pixel, Bins, T>(    \
      const Exec&, const Impl::histogram::Extents&, Impl::Index);

#define WAVESCAN_HISTOGRAM_KERNELS(TEMPLATE, Exec, T)                      \
  WAVESCAN_HISTOGRAM_OF(TEMPLATE, Exec, std::uint8_t, UniformBins<int>, T) \
  WAVESCAN_HISTOGRAM_OF(TEMPLATE, Exec, float, UniformBins<float>, T)

namespace wavescan {

WAVESCAN_COMPILED_INTEGERS(WAVESCAN_HISTOGRAM_KERNELS)

}  // namespace wavescan

#endif
