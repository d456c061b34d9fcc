// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_COPYELEMENTS_HPP
#define WAVESCAN_TEST_COPYELEMENTS_HPP

#include <Kokkos_Core.hpp>

/// @file
/// @brief Copies between Views that are compiled once for all ranks and layouts.

namespace wavescan::Test {

/// @brief Copies what a View without gaps has to one that lies alike, such as its mirror. For
/// Kokkos::deep_copy every rank and layout brings loops of its own, which take long to compile.
template <class To, class From>
void copy_elements(const To& to, const From& from) {
  using T = typename To::value_type;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const Kokkos::View<T*, typename To::memory_space, Unmanaged> all(to.data(), to.span());
  const Kokkos::View<const T*, typename From::memory_space, Unmanaged> source(from.data(),
                                                                              from.span());
  Kokkos::deep_copy(all, source);
}

}  // namespace wavescan::Test

#endif
