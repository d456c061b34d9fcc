// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_HOSTWAYS_HPP
#define WAVESCAN_TEST_HOSTWAYS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Tools.hpp"

// What tests of the host's ways to scan share.

namespace wavescan::Test {

/// The space whose ways these are, with more threads than cores where it can have them.
inline auto host_instance() {
#ifdef KOKKOS_ENABLE_OPENMP
  return Kokkos::OpenMP(3);
#else
  return Kokkos::DefaultHostExecutionSpace();
#endif
}
using Host = decltype(host_instance());

template <class T>
constexpr std::int64_t block = 128 * 1024 / static_cast<std::int64_t>(sizeof(T));

/// Around vectors and groups of them, one block, two, several. A slow tool sees each of these once.
template <class T>
std::vector<std::int64_t> host_lengths() {
  std::vector<std::int64_t> result{0,  1,  2,   7,   31,  32,  33,  61,
                                   64, 67, 127, 131, 255, 256, 257, 1021};
  if (few_cases_wanted()) {
    result.insert(result.end(), {block<T> + 1, 2 * block<T> - 1, 4 * block<T> + 37});
    return result;
  }
  for (const std::int64_t around : {block<T>, 2 * block<T>, 5 * block<T>})
    for (const std::int64_t by : {-1, 0, 1, 37}) result.push_back(around + by);
  return result;
}

}  // namespace wavescan::Test

#endif
