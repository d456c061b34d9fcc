// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SAT_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SummedAreaTable.hpp>

#include <cstdint>

/// @file
/// @brief Instantiations in WaveScan::kernels of summed-area tables of type T: of images of that
/// type and of bytes.

#define WAVESCAN_SAT_OF(TEMPLATE, Exec, Pixel, T)                    \
  TEMPLATE Impl::sat::Algorithm<Pixel, T, Impl::sat::NoSquares>      \
  Impl::sat::select_algorithm<Exec, Pixel, T, Impl::sat::NoSquares>( \
      const Exec&, const Impl::sat::TableShape&, bool);

#define WAVESCAN_SAT_KERNELS(TEMPLATE, Exec, T)    \
  WAVESCAN_SAT_OF(TEMPLATE, Exec, T, T)            \
  WAVESCAN_SAT_OF(TEMPLATE, Exec, std::uint8_t, T) \
  TEMPLATE void Impl::fill_border(const Exec&, const Impl::Images<T>&);

namespace wavescan {

WAVESCAN_COMPILED_NUMBERS(WAVESCAN_SAT_KERNELS)

}  // namespace wavescan

#endif
