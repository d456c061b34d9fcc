// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include "array.hpp"
#include "runtime.hpp"

#include <Kokkos_Core.hpp>

#include <complex>
#include <concepts>
#include <mutex>
#include <string>

/// @file
/// @brief From arrays whose type and place are known at run time to Views and instances.

namespace wavescan::python {

using Single = Kokkos::complex<float>;
using Double = Kokkos::complex<double>;

template <class T>
inline constexpr Type type_of = Type::Other;
template <>
inline constexpr Type type_of<float> = Type::Float32;
template <>
inline constexpr Type type_of<double> = Type::Float64;
template <>
inline constexpr Type type_of<Single> = Type::Complex64;
template <>
inline constexpr Type type_of<Double> = Type::Complex128;
template <>
inline constexpr Type type_of<std::uint8_t> = Type::UInt8;
template <>
inline constexpr Type type_of<std::int32_t> = Type::Int32;
template <>
inline constexpr Type type_of<std::int64_t> = Type::Int64;

/// @brief A number as an element.
template <class T>
T as(const Number& number) {
  if constexpr (std::integral<T>)
    return static_cast<T>(number.is_integer ? number.integer
                                            : static_cast<std::int64_t>(number.real));
  else if constexpr (std::floating_point<T>)
    return static_cast<T>(number.real);
  else
    return T(static_cast<typename T::value_type>(number.real),
             static_cast<typename T::value_type>(number.imaginary));
}

/// @brief Calls use.operator()<T>() for that of the types which the array has.
/// @throws TypeError if it has none of them
template <class... Ts, class Use>
void with_type(const char* function, const Array& array, const Use& use) {
  const bool found =
      ((array.type == type_of<Ts> ? (use.template operator()<Ts>(), true) : false) || ...);
  if (found) return;
  std::string names;
  for (const Type type : {type_of<Ts>...})
    names += (names.empty() ? "" : ", ") + std::string(name_of(type));
  throw TypeError(std::string("wavescan.") + function + ": '" + array.name + "' must be of " +
                  names + "; got " + std::string(name_of(array.type)));
}

using Host = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::DefaultExecutionSpace;
inline constexpr bool has_device = !std::same_as<Host, Device>;

/// @brief Functions that run on the host take turns: each of them uses all threads.
std::mutex& host_turn();

/// @brief The instance that enqueues on a stream of the caller's.
Device device_instance(const Place& place);

/// @brief Calls use(execution space instance).
template <class Use>
void with_space(const Place& place, const Use& use) {
  require_ready(place);
  if constexpr (has_device) {
    if (place.on_device) {
      use(device_instance(place));
      return;
    }
  }
  const std::lock_guard lock(host_turn());
  use(Host());
}

/// @brief A View of elements of a rank, or of lines of them. Strides may be negative: they are kept
/// modulo 2^64.
template <class T, class Exec>
using LineView = Kokkos::View<T*, Kokkos::LayoutStride, typename Exec::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T, class Exec>
using LinesView = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T, class Exec>
using BoxView = Kokkos::View<T***, Kokkos::LayoutStride, typename Exec::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T, class Exec>
LinesView<T, Exec> lines_view(const Exec&, char* data, std::int64_t rows, std::int64_t row_stride,
                              std::int64_t columns, std::int64_t column_stride) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return LinesView<T, Exec>(
      reinterpret_cast<T*>(data),
      Kokkos::LayoutStride(size(rows), size(row_stride), size(columns), size(column_stride)));
}
template <class T, class Exec>
LineView<T, Exec> line_view(const Exec&, char* data, std::int64_t extent, std::int64_t stride) {
  return LineView<T, Exec>(
      reinterpret_cast<T*>(data),
      Kokkos::LayoutStride(static_cast<std::size_t>(extent), static_cast<std::size_t>(stride)));
}
/// @brief An array of rank 1, 2 or 3 as it is.
template <class T, class Exec>
LineView<T, Exec> line_view(const Exec& exec, const Array& x) {
  return line_view<T>(exec, x.data, x.extent[0], x.stride[0]);
}
template <class T, class Exec>
LinesView<T, Exec> matrix_view(const Exec& exec, const Array& x) {
  return lines_view<T>(exec, x.data, x.extent[0], x.stride[0], x.extent[1], x.stride[1]);
}
template <class T, class Exec>
BoxView<T, Exec> box_view(const Exec&, const Array& x) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return BoxView<T, Exec>(
      reinterpret_cast<T*>(x.data),
      Kokkos::LayoutStride(size(x.extent[0]), size(x.stride[0]), size(x.extent[1]),
                           size(x.stride[1]), size(x.extent[2]), size(x.stride[2])));
}

}  // namespace wavescan::python
