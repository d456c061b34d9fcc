// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_CODESEQUENCE_HPP
#define WAVESCAN_IMPL_ALIGN_CODESEQUENCE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_HostThreads.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Sequences of letters' codes.

namespace wavescan::Impl {

/// @brief Codes of letters, forwards or backwards.
struct CodeSequence {
  const std::uint8_t* data = nullptr;
  Index step = 1;
  Index length = 0;
  KOKKOS_FUNCTION std::uint8_t operator[](Index k) const { return data[k * step]; }
  /// @brief `count` letters from `first` on.
  CodeSequence part(Index first, Index count) const { return {data + first * step, step, count}; }
  CodeSequence reversed() const {
    return {length == 0 ? data : data + (length - 1) * step, -step, length};
  }
};

/// @brief True for HostThreads and execution spaces of hosts.
template <class Place>
inline constexpr bool computes_on_host = runs_on_host<Place>;
template <>
inline constexpr bool computes_on_host<HostThreads> = true;

/// @brief The space whose threads compute what the instance's own space has no kernels for.
template <class Place>
auto host_instance(const Place& place) {
  if constexpr (computes_on_host<Place>)
    return place;
  else
    return Kokkos::DefaultHostExecutionSpace();
}

/// @brief The letters' codes on the host. Waits for the space.
/// @tparam Place an execution space, or HostThreads
template <class Place>
std::vector<std::uint8_t> codes_on_host(const Place& exec, const LetterSequence& letters,
                                        const Alphabet& alphabet) {
  if constexpr (computes_on_host<Place>) {
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(letters.length));
    HostThreads::of(exec).share(letters.length, .7e-9, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k)
        codes[static_cast<std::size_t>(k)] = alphabet.codes[static_cast<unsigned char>(letters(k))];
    });
    return codes;
  } else {
    CallMemory<Place> memory(exec);
    return values_on_host(exec, encode(memory, letters, alphabet));
  }
}
inline CodeSequence code_sequence(const std::vector<std::uint8_t>& codes) {
  return {codes.data(), 1, static_cast<Index>(codes.size())};
}

}  // namespace wavescan::Impl

#endif
