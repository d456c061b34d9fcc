// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_PNG_MEMORY_HPP
#define WAVESCAN_TEST_PNG_MEMORY_HPP

#include <cstddef>

/// @file
/// @brief Lets memory be scarce, in this test program alone.

/// @brief While it lives, operator new throws std::bad_alloc for more bytes at a time.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

/// @brief While it lives, libpng has no memory for what it knows of an image.
class NoPngInfo {
 public:
  NoPngInfo();
  ~NoPngInfo();
  NoPngInfo(const NoPngInfo&) = delete;
  NoPngInfo& operator=(const NoPngInfo&) = delete;
};

/// @brief How many files libpng believes it is reading or writing.
int png_structures();

#endif
