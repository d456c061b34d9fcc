// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_WORKSPACES_HPP
#define WAVESCAN_WORKSPACES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_KeptPlans.hpp>

#include <cstddef>

/// @file
/// @brief The workspaces that free functions keep from one call to the next.
///
/// A free function such as inclusive_scan takes the workspace, and what has been decided, of an
/// earlier call with the same types, extents and options on the same execution space instance: so
/// it neither allocates nor waits. At most 32 workspaces of 4 GiB together are kept, those used
/// last; Kokkos::finalize releases them. Plans, such as Scan, own theirs, which do not count here.
///
/// Before you destroy a stream that an instance was made of, call release_workspaces(): kept
/// workspaces hold a copy of their instance.

namespace wavescan {

/// @brief Waits for what has been enqueued on an instance.
/// @throws std::runtime_error if kernels of a free function got stuck there, see
/// SOROptions::stall_seconds. (So does the next call like that one.)
template <ExecutionSpace Exec>
void fence(const Exec& exec) {
  exec.fence("WaveScan::fence");
  Impl::KeptPlans::store().throw_if_stuck(exec);
}

/// @brief Releases the workspaces that free functions keep. Waits for the work that uses them.
inline void release_workspaces() { Impl::KeptPlans::store().release(); }

/// @brief Lets free functions keep at most so many bytes between calls, 4 GiB by default; with
/// none, each call allocates its workspace and waits until it can release it.
inline void limit_workspaces(std::size_t bytes) { Impl::KeptPlans::store().limit(bytes); }

/// @brief Bytes of the workspaces that are kept now.
inline std::size_t kept_workspace_bytes() { return Impl::KeptPlans::store().bytes(); }

}  // namespace wavescan

#endif
