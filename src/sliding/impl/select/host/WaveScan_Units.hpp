// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_HOST_UNITS_HPP
#define WAVESCAN_IMPL_SELECT_HOST_UNITS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

/// @file
/// @brief Copies of few bytes, whose number is known when compiling or not: all of them are read
/// before the first is written, so both places may overlap.

namespace wavescan::Impl::select {

template <std::size_t Bytes>
WAVESCAN_INLINED void copy_fixed(std::byte* to, const std::byte* from) {
  std::byte bytes[Bytes];
  std::memcpy(bytes, from, Bytes);
  std::memcpy(to, bytes, Bytes);
}

/// @brief Copies `bytes` from Bytes to 2 Bytes: two blocks, which overlap unless there are 2 Bytes.
template <std::size_t Bytes>
WAVESCAN_INLINED void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::byte first[Bytes], last[Bytes];
  std::memcpy(first, from, Bytes);
  std::memcpy(last, from + bytes - Bytes, Bytes);
  std::memcpy(to, first, Bytes);
  std::memcpy(to + bytes - Bytes, last, Bytes);
}

WAVESCAN_INLINED void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 64)
    std::memmove(to, from, bytes);
  else if (bytes > 32)
    copy_ends<32>(to, from, bytes);
  else if (bytes > 16)
    copy_ends<16>(to, from, bytes);
  else if (bytes >= 8)
    copy_ends<8>(to, from, bytes);
  else if (bytes >= 4)
    copy_ends<4>(to, from, bytes);
  else if (bytes >= 2)
    copy_ends<2>(to, from, bytes);
  else if (bytes == 1)
    *to = *from;
}

/// @brief Copies one unit.
/// @tparam Bytes its size, or 0 where only the program knows
template <std::size_t Bytes>
WAVESCAN_INLINED void copy_unit(std::byte* to, const std::byte* from, std::size_t bytes) {
  if constexpr (Bytes > 0)
    copy_fixed<Bytes>(to, from);
  else
    copy_bytes(to, from, bytes);
}

/// @brief Calls use(std::integral_constant) with `bytes`, if it is a size of many types, else with 0.
template <class Use>
void with_unit(std::size_t bytes, const Use& use) {
  using std::integral_constant, std::size_t;
  switch (bytes) {
    case 1: return use(integral_constant<size_t, 1>());
    case 2: return use(integral_constant<size_t, 2>());
    case 4: return use(integral_constant<size_t, 4>());
    case 8: return use(integral_constant<size_t, 8>());
    case 12: return use(integral_constant<size_t, 12>());
    case 16: return use(integral_constant<size_t, 16>());
    case 20: return use(integral_constant<size_t, 20>());
    case 24: return use(integral_constant<size_t, 24>());
    case 32: return use(integral_constant<size_t, 32>());
    default: return use(integral_constant<size_t, 0>());
  }
}

}  // namespace wavescan::Impl::select

#endif
