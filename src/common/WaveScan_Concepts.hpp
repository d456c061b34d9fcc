// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_CONCEPTS_HPP
#define WAVESCAN_CONCEPTS_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Concepts shared by every layer: Views, execution spaces and who may reach whose memory.

namespace wavescan {

/// @brief Any Kokkos::View, of any rank, layout and memory space.
template <class V>
concept AnyView = Kokkos::is_view_v<V>;

/// @brief A Kokkos::View of rank `Rank`.
template <class V, int Rank>
concept ViewOfRank = AnyView<V> && V::rank()
== Rank;

/// @brief A View whose elements may be written.
template <class V>
concept WritableView = AnyView<V> && !std::is_const_v<typename V::value_type>;

/// @brief A Kokkos execution space, such as Kokkos::OpenMP or Kokkos::Cuda.
template <class E>
concept ExecutionSpace = Kokkos::is_execution_space_v<E>;

/// @brief A View whose memory the execution space `Exec` can reach.
template <class V, class Exec>
concept AccessibleFrom = AnyView<V> &&
    static_cast<bool>(Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible);

/// @brief Types that a scan can carry from one thread to another byte by byte.
template <class T>
concept Scannable = std::is_trivially_copyable_v<T> && std::is_object_v<T>;

namespace Impl {

/// @brief The one index type of the library: 64 bits everywhere, so that no size overflows it.
using Index = std::int64_t;

}  // namespace Impl
}  // namespace wavescan

#endif
