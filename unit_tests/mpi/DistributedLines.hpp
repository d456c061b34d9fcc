// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Operators.hpp>
#include <WaveScan_MPI_Scan.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "Distributed.hpp"

/// @file
/// @brief Distributed lines for tests of scans, and the serial loop they are compared with.

namespace wavescan::Test {

/// @brief Random values of this library's operators, on numbers, and of those that draw their own.
template <class Op>
std::vector<typename Op::value_type> draw(const Op& op, Random& random, std::int64_t count) {
  if constexpr (requires { op.random(random); })
    return random_values(op, random, count);
  else
    return random.values<typename Op::value_type>(count);
}

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutStride, Exec>;

/// @brief A block of a distributed matrix of lines; which of its two axes the lines run along, and
/// which of them is the closer one in memory, varies.
template <class T>
struct Block {
  int axis;  ///< that lines run along
  bool right;
  std::int64_t lines, length;
  Matrix<T> view;

  Block(int along, bool layout_right, std::int64_t count, std::int64_t elements)
      : axis(along), right(layout_right), lines(count), length(elements) {
    const auto rows = static_cast<std::size_t>(axis == 0 ? length : lines);
    const auto columns = static_cast<std::size_t>(axis == 0 ? lines : length);
    const Kokkos::View<T*, Exec> memory("block", rows * columns);
    keep_ = memory;
    view = right ? Matrix<T>(memory.data(), Kokkos::LayoutStride(rows, columns, columns, 1))
                 : Matrix<T>(memory.data(), Kokkos::LayoutStride(rows, 1, columns, rows));
  }
  /// @brief Elements `first` and on of lines that lie one after the other, `all` elements each.
  void set(const std::vector<T>& whole, std::int64_t all, std::int64_t first) const {
    const auto host = Kokkos::create_mirror_view(keep_);
    for_all([&](std::int64_t line, std::int64_t j, std::size_t place) {
      host(place) = whole[static_cast<std::size_t>(line * all + first + j)];
    });
    Kokkos::deep_copy(keep_, host);
  }
  void fill(int byte) const {
    const auto host = Kokkos::create_mirror_view(keep_);
    std::memset(static_cast<void*>(host.data()), byte, host.size() * sizeof(T));
    Kokkos::deep_copy(keep_, host);
  }
  std::vector<T> values() const {
    Kokkos::fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keep_);
    std::vector<T> result;
    for_all([&](std::int64_t, std::int64_t, std::size_t place) { result.push_back(host(place)); });
    return result;
  }

 private:
  template <class Use>
  void for_all(const Use& use) const {
    for (std::int64_t line = 0; line < lines; ++line)
      for (std::int64_t j = 0; j < length; ++j) {
        const bool along = (axis == 1) == right;
        use(line, j, static_cast<std::size_t>(along ? line * length + j : j * lines + line));
      }
  }
  Kokkos::View<T*, Exec> keep_;
};

/// @brief What a scan of whole lines gives, element by element, and the states after them.
template <class T>
struct Expected {
  std::vector<T> lines, after;
};

/// @param step state after an element: step(state, line, j)
template <class T>
Expected<T> serial(std::int64_t lines, std::int64_t length, bool inclusive, bool reverse,
                   const T* carry, const T& identity,
                   const std::function<T(std::int64_t line, std::int64_t j)>& first,
                   const std::function<T(const T&, std::int64_t line, std::int64_t j)>& step) {
  Expected<T> result;
  result.lines.resize(static_cast<std::size_t>(lines * length));
  for (std::int64_t line = 0; line < lines; ++line) {
    bool present = carry != nullptr;
    T state = present ? carry[line] : identity;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t j = reverse ? length - 1 - k : k;
      const T next = present ? step(state, line, j) : first(line, j);
      result.lines[static_cast<std::size_t>(line * length + j)] = inclusive ? next : state;
      state = next;
      present = true;
    }
    result.after.push_back(state);
  }
  return result;
}

template <class T>
std::vector<T> part_of(const std::vector<T>& whole, std::int64_t lines, std::int64_t length,
                       std::int64_t first, std::int64_t count) {
  std::vector<T> part;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t j = first; j < first + count; ++j)
      part.push_back(whole[static_cast<std::size_t>(line * length + j)]);
  return part;
}

template <class T>
Kokkos::View<T*, Exec> view_of(const std::vector<T>& values) {
  const Kokkos::View<T*, Exec> view("values", values.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t k = 0; k < values.size(); ++k) host(k) = values[k];
  Kokkos::deep_copy(view, host);
  return view;
}
template <class T>
std::vector<T> values_of(const Kokkos::View<T*, Exec>& view) {
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.size()};
}

struct Case {
  std::int64_t lines;
  Distribution blocks;
  int axis;
  bool right, reverse, inclusive, in_place, carry;

  static Case random(Random& random, int processes, int number) {
    Case c;
    c.lines = number % 5 == 0 ? 0 : number % 2 == 0 ? 1 : random.integer(1, 40);
    c.blocks = Distribution::random(random, processes, number % 3 == 0 ? 3000 : 70);
    c.draw_options(random);
    return c;
  }
  /// @brief Few lines that GPUs divided into parts to reduce them, some of them just too short for
  /// that; hosts do so with shorter ones, too.
  static Case long_lines(Random& random, int processes) {
    constexpr std::int64_t shortest = std::int64_t(1) << (Impl::runs_on_host<Exec> ? 17 : 18);
    Case c;
    c.lines = random.integer(1, 3);
    c.blocks = Distribution::at_least(random, processes, shortest - 9, shortest + 9);
    if (random.integer(0, 1) != 0)
      c.blocks = Distribution::at_least(random, processes, shortest, 2 * shortest);
    c.draw_options(random);
    return c;
  }

 private:
  void draw_options(Random& random) {
    axis = static_cast<int>(random.integer(0, 1));
    right = random.integer(0, 1) != 0;
    reverse = random.integer(0, 1) != 0;
    inclusive = random.integer(0, 1) != 0;
    in_place = random.integer(0, 1) != 0;
    carry = random.integer(0, 1) != 0;
  }
};

inline int cases() {
  const char* const per_cent = std::getenv("WAVESCAN_TEST_CASES");
  return per_cent ? std::max(1, 40 * std::atoi(per_cent) / 100) : 40;
}

/// @brief Calls check(random, number) for so many cases, until one fails on any process.
inline void for_cases(int count, const std::function<void(Random&, int)>& check) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int number = 0; number < count; ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    check(random, number);
    if (!everywhere(MPI_COMM_WORLD, !testing::Test::HasFailure())) return;
  }
}
/// @brief Calls check(random, case) for cases of all kinds, or of long lines.
using CheckCase = std::function<void(Random&, const Case&)>;
inline void for_random_cases(const CheckCase& check) {
  for_cases(cases(), [&](Random& random, int number) {
    check(random, Case::random(random, size_of(world), number));
  });
}
inline void for_long_lines(const CheckCase& check) {
  for_cases(6,
            [&](Random& random, int) { check(random, Case::long_lines(random, size_of(world))); });
}

}  // namespace wavescan::Test
