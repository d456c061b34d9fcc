// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cstddef>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

/// @brief The elements of a View, row by row, on the host.
template <class View>
std::vector<typename View::non_const_value_type> values(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> result;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    if constexpr (View::rank() == 1)
      result.push_back(host(i));
    else
      for (std::size_t j = 0; j < host.extent(1); ++j) result.push_back(host(i, j));
  return result;
}

/// @brief A View with these elements, where kernels run.
template <class T>
Kokkos::View<T*> view_of(const std::vector<T>& elements) {
  Kokkos::View<T*> view("elements", elements.size());
  Kokkos::deep_copy(
      view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                elements.data(), elements.size()));
  return view;
}

/// @brief What is written to standard output while this lives, piece by piece.
class Printed {
 public:
  Printed() { testing::internal::CaptureStdout(); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  ~Printed() { std::cout << testing::internal::GetCapturedStdout(); }  // failures, if any

  std::string since_last() {
    std::string text = testing::internal::GetCapturedStdout();
    testing::internal::CaptureStdout();
    return text;
  }
};
