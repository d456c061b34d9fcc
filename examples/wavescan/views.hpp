// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_VIEWS_HPP
#define WAVESCAN_TOOL_VIEWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
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

/// @brief The type to compute in: that of the file, or one in which sums of smaller integers fit.
/// It holds every value of the file's.
template <class T>
using Computed =
    std::conditional_t<std::is_floating_point_v<T> || sizeof(T) == sizeof(std::int64_t), T,
                       std::int64_t>;

/// @brief Copies bytes, whatever they are, which is compiled once for all types.
/// @param to, from in memory of these spaces
template <class To, class From>
void copy_bytes(void* to, const void* from, std::size_t bytes) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(
      Kokkos::View<char*, Kokkos::LayoutRight, To, Unmanaged>(static_cast<char*>(to), bytes),
      Kokkos::View<const char*, Kokkos::LayoutRight, From, Unmanaged>(
          static_cast<const char*>(from), bytes));
}

template <class T>
DeviceVector<T> to_device(const std::string& label, const std::vector<T>& values) {
  const DeviceVector<T> view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), values.size());
  copy_bytes<Exec, Kokkos::HostSpace>(view.data(), values.data(), values.size() * sizeof(T));
  return view;
}

/// @brief A matrix from its entries, row after row.
template <class T>
DeviceMatrix<T> to_device(const std::string& label, const std::vector<T>& values, std::size_t rows,
                          std::size_t columns) {
  const DeviceMatrix<T> view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), rows, columns);
  copy_bytes<Exec, Kokkos::HostSpace>(view.data(), values.data(), values.size() * sizeof(T));
  return view;
}

/// @brief The entries of a View, the last index fastest.
template <class V>
auto to_host(const V& view) {
  using T = typename V::non_const_value_type;
  static_assert(std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>);
  std::vector<T> values(view.size());
  copy_bytes<Kokkos::HostSpace, Exec>(values.data(), view.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace wavescan_tool

#endif
