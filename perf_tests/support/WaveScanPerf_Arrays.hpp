// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ARRAYS_HPP
#define WAVESCAN_PERF_ARRAYS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Inputs that are the same in every run, for every competitor and on every backend.

namespace wavescan::Perf {

/// @brief Makes a value from 64 random bits: a small integer, or a fraction in [-1, 1). Other types
/// have a static member `random`.
template <class T>
KOKKOS_FUNCTION T random_value(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<double>(bits >> 40) / (1 << 23) - 1);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<int>(bits >> 51) - 4096);
  else
    return T::random(bits);
}

template <class T, class Space>
struct FillRandom {
  Kokkos::View<T*, Space> view;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    std::uint64_t bits = (static_cast<std::uint64_t>(j) + seed) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9;
    view(j) = random_value<T>(bits ^ (bits >> 30));
  }
};

template <class T, class Exec>
Kokkos::View<T*, typename Exec::memory_space> random_array(const Exec& exec, std::int64_t n,
                                                           std::uint64_t seed = 1) {
  using Space = typename Exec::memory_space;
  const Kokkos::View<T*, Space> view(
      Kokkos::view_alloc(exec, "random", Kokkos::WithoutInitializing), static_cast<std::size_t>(n));
  Kokkos::parallel_for("random",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                       FillRandom<T, Space>{view, seed});
  return view;
}

/// @brief The last element as a number, by which different programs' results can be compared.
template <class View>
double last_of(const View& view) {
  if constexpr (View::rank() == 2) {
    return last_of(Kokkos::subview(view, view.extent(0) - 1, Kokkos::ALL));
  } else {
    typename View::non_const_value_type last;
    Kokkos::deep_copy(Kokkos::View<decltype(last), Kokkos::HostSpace>(&last),
                      Kokkos::subview(view, view.extent(0) - 1));
    if constexpr (requires { last.number(); })
      return last.number();
    else
      return static_cast<double>(last);
  }
}

}  // namespace wavescan::Perf

#endif
