// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_FILTER_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_Filter.hpp>
#include <impl/filter/WaveScan_MakePasses.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// @file
/// @brief Explicit instantiations in WaveScan::kernels for filters of float and double: all passes,
/// of transfer functions and of cascades.

#define WAVESCAN_FILTER_KERNELS(TEMPLATE, Exec, T)                                             \
  TEMPLATE Impl::filter::SharedPass<Exec, T> Impl::filter::direct_pass<Exec, T>(               \
      const Exec&, const std::vector<double>&, const std::vector<double>&, Impl::LineExtents); \
  TEMPLATE Impl::filter::SharedPass<Exec, T> Impl::filter::sections_pass<Exec, T>(             \
      const Exec&, std::span<const Impl::filter::SectionCoefficients>, Impl::LineExtents,      \
      std::size_t&);

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_FILTER_KERNELS)

}  // namespace wavescan

#endif
