// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_UNIT_HPP
#define WAVESCAN_IMPL_GPU_UNIT_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Units that are moved on GPUs, whatever their type is: so many bytes, as words that are as
/// wide as their alignment lets them be.

namespace wavescan::Impl::gpu {

template <int Bytes>
struct Unit {
  static constexpr int alignment = (Bytes & -Bytes) < 16 ? (Bytes & -Bytes) : 16;
  using Word = std::conditional_t<
      alignment == 16, uint4,
      std::conditional_t<
          alignment == 8, std::uint64_t,
          std::conditional_t<alignment == 4, std::uint32_t,
                             std::conditional_t<alignment == 2, std::uint16_t, std::uint8_t>>>>;
  Word word[Bytes / alignment];

  static bool is_aligned(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
  }
};

}  // namespace wavescan::Impl::gpu

#endif
