// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_VIEWS_HPP
#define WAVESCAN_TOOL_VIEWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

// Between std::vector on the host and Views where the default execution space computes.
namespace wavescan_tool {

using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
using DeviceVector = Kokkos::View<T*, Kokkos::LayoutRight, Exec>;
template <class T>
using DeviceMatrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
template <class T>
using DeviceCube = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

template <class T>
DeviceVector<T> to_device(const std::string& label, const std::vector<T>& values) {
  using Host = Kokkos::View<const T*, Kokkos::LayoutRight, Kokkos::HostSpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const DeviceVector<T> view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(view, Host(values.data(), values.size()));
  return view;
}

/// @brief A matrix from its entries, row after row.
template <class T>
DeviceMatrix<T> to_device(const std::string& label, const std::vector<T>& values, std::size_t rows,
                          std::size_t columns) {
  using Host = Kokkos::View<const T**, Kokkos::LayoutRight, Kokkos::HostSpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const DeviceMatrix<T> view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), rows, columns);
  Kokkos::deep_copy(view, Host(values.data(), rows, columns));
  return view;
}

/// @brief The entries of a View, the last index fastest.
template <class V>
auto to_host(const V& view) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  using T = typename V::non_const_value_type;
  static_assert(std::is_same_v<typename decltype(mirror)::array_layout, Kokkos::LayoutRight>);
  return std::vector<T>(mirror.data(), mirror.data() + mirror.size());
}

}  // namespace wavescan_tool

#endif
