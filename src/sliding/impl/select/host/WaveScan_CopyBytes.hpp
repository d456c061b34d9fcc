// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_HOST_COPYBYTES_HPP
#define WAVESCAN_IMPL_SELECT_HOST_COPYBYTES_HPP

#include <impl/WaveScan_Compiler.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

/// @file
/// @brief Copies of few bytes, whose number is known when compiling or not: all of them are read
/// before the first is written, so both places may overlap. Sizes and distances from which stores
/// go past the caches.

namespace wavescan::Impl::select {

/// @brief The bytes from which output is stored past the caches, as it had to be read first
/// otherwise.
inline constexpr std::size_t far_bytes = std::size_t(16) << 20;

/// @brief Returns the distance behind the input from which output in place is stored past the
/// caches, too: no cache holds it any more.
inline std::size_t cached_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  static const long last_level = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max(far_bytes, static_cast<std::size_t>(std::max(last_level, 0L)));
#else
  return far_bytes;
#endif
}

/// @brief Bytes in a register.
template <std::size_t Bytes>
struct Register {
  std::byte bytes[Bytes];
};
template <std::size_t Bytes>
  requires(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8)
struct Register<Bytes> {
  std::conditional_t<
      Bytes == 8, std::uint64_t,
      std::conditional_t<Bytes == 4, std::uint32_t,
                         std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>
      bytes;
};

template <std::size_t Bytes>
WAVESCAN_INLINED void copy_fixed(std::byte* to, const std::byte* from) {
  constexpr std::size_t part = std::bit_floor(std::min<std::size_t>(Bytes, 16));
  Register<part> first;
  std::memcpy(&first, from, part);
  if constexpr (part < Bytes) copy_fixed<Bytes - part>(to + part, from + part);
  std::memcpy(to, &first, part);
}

/// @brief Copies `bytes` from Bytes to 2 Bytes: two blocks, which overlap unless there are 2 Bytes.
template <std::size_t Bytes>
WAVESCAN_INLINED void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t part = std::min<std::size_t>(Bytes, 16);
  Register<part> first, last;
  std::memcpy(&first, from, part);
  std::memcpy(&last, from + bytes - part, part);
  if constexpr (part < Bytes) copy_ends<Bytes - part>(to + part, from + part, bytes - 2 * part);
  std::memcpy(to, &first, part);
  std::memcpy(to + bytes - part, &last, part);
}

WAVESCAN_INLINED void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t most = static_cast<std::size_t>(-1) / 2;  // compilers warn of more
  if (bytes > most) return;
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

/// @brief Calls use(std::integral_constant) with `bytes`, if it is a size of many types, else with
/// 0.
template <class Use>
void with_unit(std::size_t bytes, const Use& use) {
  using std::integral_constant, std::size_t;
  switch (bytes) {
    case 1:
      return use(integral_constant<size_t, 1>());
    case 2:
      return use(integral_constant<size_t, 2>());
    case 4:
      return use(integral_constant<size_t, 4>());
    case 8:
      return use(integral_constant<size_t, 8>());
    case 12:
      return use(integral_constant<size_t, 12>());
    case 16:
      return use(integral_constant<size_t, 16>());
    case 20:
      return use(integral_constant<size_t, 20>());
    case 24:
      return use(integral_constant<size_t, 24>());
    case 32:
      return use(integral_constant<size_t, 32>());
    default:
      return use(integral_constant<size_t, 0>());
  }
}

}  // namespace wavescan::Impl::select

#endif
