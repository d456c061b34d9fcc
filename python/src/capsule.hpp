// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include "array.hpp"

#include <nanobind/nanobind.h>

/// @file
/// @brief Arrays out of DLPack's capsules.

namespace wavescan::python {

/// @brief What a capsule tells, which stays its owner's: the array is alive as long as the caller
/// has the capsule.
/// @throws TypeError if it is no such capsule, or its array has another type than some function
/// takes
Array array_of(const char* function, const char* argument, nanobind::handle capsule);

/// @brief Likewise, or nothing for None.
std::optional<Array> optional_array_of(const char* function, const char* argument,
                                       const std::optional<nanobind::handle>& capsule);

/// @brief A Python int, float or complex.
Number number_of(const char* function, const char* argument, nanobind::handle value);
std::optional<Number> optional_number_of(const char* function, const char* argument,
                                         const std::optional<nanobind::handle>& value);

}  // namespace wavescan::python
