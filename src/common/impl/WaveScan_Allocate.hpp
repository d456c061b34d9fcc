// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALLOCATE_HPP
#define WAVESCAN_IMPL_ALLOCATE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>

#include <concepts>
#include <cstddef>
#include <string>

/// @file
/// @brief Allocation of workspaces.

namespace wavescan::Impl {

/// @brief Bytes that this thread has allocated for workspaces so far: who keeps plans subtracts
/// what it was before.
inline std::size_t& allocated_bytes() {
  thread_local std::size_t bytes = 0;
  return bytes;
}

template <bool Cleared, ExecutionSpace Exec, WritableView V, std::integral... Extents>
WAVESCAN_SELDOM WAVESCAN_NOT_INLINED bool allocate_as(const Exec& exec, V& view,
                                                      const std::string& name, Extents... extents) {
  const std::size_t needed = (std::size_t(1) * ... * static_cast<std::size_t>(extents));
  if (needed == 0 || (view.data() && view.size() >= needed)) return false;
  if (view.data()) allocated_bytes() -= view.size() * sizeof(typename V::value_type);
  view = V();  // first free, then take
  if constexpr (Cleared)
    view = V(Kokkos::view_alloc(exec, name), static_cast<std::size_t>(extents)...);
  else
    view = V(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, name),
             static_cast<std::size_t>(extents)...);
  allocated_bytes() += needed * sizeof(typename V::value_type);
  return true;
}

/// @brief Allocates a View of these extents, unless it has as many elements; says whether it did.
/// Its elements are not initialized, and what was there is lost.
template <ExecutionSpace Exec, WritableView V, std::integral... Extents>
bool allocate(const Exec& exec, V& view, const std::string& name, Extents... extents) {
  return allocate_as<false>(exec, view, name, extents...);
}

/// @brief Allocates a View whose elements are zero.
template <ExecutionSpace Exec, WritableView V, std::integral... Extents>
bool allocate_cleared(const Exec& exec, V& view, const std::string& name, Extents... extents) {
  return allocate_as<true>(exec, view, name, extents...);
}

}  // namespace wavescan::Impl

#endif
