// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include "array.hpp"

#include <string>
#include <vector>

/// @file
/// @brief The life of Kokkos in a Python process, which it may share with other users of Kokkos.

namespace wavescan::python {

/// @brief Makes sure that Kokkos can be used from here: initializes it if nobody has.
/// @throws std::runtime_error in a process that was forked after Kokkos was initialized, whose
///         threads do not exist; after the interpreter's end began; without a GPU where one is
///         needed
void require_ready(const Place& place);

/// @brief Counts a call while it lives. Made and destroyed under the interpreter's lock.
/// @throws std::runtime_error after the interpreter's end began
class InCall {
 public:
  InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall();
};

/// @brief Lets functions throw from now on; returns whether some are still being called.
bool refuse_calls();

/// @brief Finalizes Kokkos if we initialized it, after the last call.
void shut_down();

/// @brief Waits for everything that was enqueued on a place.
void wait(const Place& place);

void release_workspaces();

/// @brief What was built and what runs, names and values.
std::vector<std::pair<std::string, std::string>> configuration();

}  // namespace wavescan::python
