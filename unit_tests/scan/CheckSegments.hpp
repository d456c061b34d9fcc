// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_CHECKSEGMENTS_HPP
#define WAVESCAN_TEST_CHECKSEGMENTS_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"

/// @file
/// @brief Segmentations of all kinds, and what scans and reductions of them are, in serial loops.

namespace wavescan::Test {

/// @brief Segments that cover `elements()` elements, as offsets.
struct Segmentation {
  std::string name;
  std::vector<std::int64_t> offsets{0};

  std::int64_t elements() const { return offsets.back(); }
  std::int64_t segments() const { return static_cast<std::int64_t>(offsets.size()) - 1; }

  /// @brief Of each element, whether a segment begins with it.
  std::vector<unsigned char> heads() const {
    std::vector<unsigned char> flags(static_cast<std::size_t>(elements()), 0);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      if (offsets[s] < offsets[s + 1]) flags[static_cast<std::size_t>(offsets[s])] = 1;
    return flags;
  }
  /// @brief Of each element, a key that neighbouring segments do not share.
  std::vector<int> keys() const {
    std::vector<int> keys;
    int key = 7;
    for (const unsigned char head : heads()) {
      if (head != 0) key = key == 7 ? 9 : 7;
      keys.push_back(key);
    }
    return keys;
  }
  /// @brief Without its empty segments.
  Segmentation runs() const {
    Segmentation some{name, {0}};
    for (const std::int64_t offset : offsets)
      if (offset > some.offsets.back()) some.offsets.push_back(offset);
    return some;
  }
};

/// @brief n elements, divided into segments whose lengths `length()` draws.
template <class Length>
Segmentation segmentation(const std::string& name, std::int64_t n, const Length& length) {
  Segmentation s{name + " of " + std::to_string(n), {0}};
  while (s.offsets.back() < n)
    s.offsets.push_back(std::min(n, s.offsets.back() + std::max<std::int64_t>(length(), 0)));
  return s;
}

/// @brief Segmentations of n elements.
inline std::vector<Segmentation> segmentations(Random& random, std::int64_t n) {
  std::vector<Segmentation> all;
  for (const std::int64_t mean : {1, 8, 32, 1000})
    all.push_back(segmentation("mean " + std::to_string(mean), n,
                               [&] { return random.integer(mean > 1 ? 0 : 1, 2 * mean - 1); }));
  all.push_back(segmentation("power law", n, [&] {
    return static_cast<std::int64_t>(std::pow(random.integer(1, 1 << 20) / double(1 << 20), -1.2));
  }));
  all.push_back(segmentation("many empty", n,
                             [&] { return random.integer(0, 9) < 9 ? 0 : random.integer(1, 40); }));
  all.push_back(segmentation("one", n, [&] { return n; }));
  all.push_back(segmentation("of 4096", n, [] { return 4096; }));
  all.push_back(
      segmentation("all sizes", n, [&] { return std::int64_t(1) << random.integer(0, 14); }));
  Segmentation ends = segmentation("empty at both ends", n, [&] { return random.integer(1, 300); });
  ends.offsets.insert(ends.offsets.begin(), 100, 0);
  ends.offsets.insert(ends.offsets.end(), 100, n);
  all.push_back(ends);
  return all;
}

/// @brief Calls visit(s, first, step, count) for each segment: its number and its elements in the
/// order in which they are scanned.
template <class Visit>
void for_segments(const Segmentation& segments, bool reverse, const Visit& visit) {
  for (std::size_t s = 0; s + 1 < segments.offsets.size(); ++s) {
    const std::int64_t begin = segments.offsets[s], end = segments.offsets[s + 1];
    visit(s, static_cast<std::size_t>(reverse ? end - 1 : begin), reverse ? -1 : 1, end - begin);
  }
}

/// @brief The scan of every segment, in order.
/// @param first   (s, x, j) to the state after a segment's first element
/// @param advance (state, x, j) to the next state
/// @param enter   (s) to what an exclusive scan has at first
template <class T, class First, class Advance, class Enter>
std::vector<T> scanned(const Segmentation& segments, const std::vector<T>& x, bool reverse,
                       bool inclusive, const First& first, const Advance& advance,
                       const Enter& enter) {
  std::vector<T> y = x;
  for_segments(segments, reverse, [&](std::size_t s, std::size_t j, int step, std::int64_t count) {
    T state{};
    for (std::int64_t k = 0; k < count; ++k, j += static_cast<std::size_t>(step)) {
      const T next = k == 0 ? first(s, x[j], j) : advance(state, x[j], j);
      y[j] = inclusive ? next : k == 0 ? enter(s) : state;
      state = next;
    }
  });
  return y;
}

/// @brief n values that an operator takes: random numbers, or what it makes of them itself.
template <class Op>
std::vector<typename Op::value_type> random_operands(Random& random, std::int64_t n) {
  using T = typename Op::value_type;
  std::vector<T> values;
  for (std::int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_arithmetic_v<T>)
      values.push_back(random.value<T>());
    else
      values.push_back(Op::random(random));
  }
  return values;
}

/// @brief Sizes: none, few, primes, around words and tiles; on devices several of each block's
/// tiles.
template <class Exec>
std::vector<std::int64_t> segmented_sizes() {
  std::vector<std::int64_t> sizes{0, 1, 2, 31, 32, 33, 511, 512, 1023, 2047, 4097, 6144, 30011};
  if (!few_cases_wanted()) sizes.push_back(131072);
  if (!on_host<Exec>) sizes.insert(sizes.end(), {262153, 700001});
  return sizes;
}

/// @brief As many elements as give each block of a device several tiles; fewer on hosts.
template <class Exec>
std::int64_t many_tiles() {
  return !on_host<Exec> ? 1900019 : few_cases_wanted() ? 40009 : 262147;
}

}  // namespace wavescan::Test

#endif
