// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <WaveScan_SegmentDescriptions.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "DistributedLines.hpp"

/// @file
/// @brief Arrays that are distributed and divided into segments, for tests, and the serial loop
/// over their segments.

namespace wavescan::Test {

/// @brief A distributed array in segments, as all processes know it, and this process' block.
struct Segmented {
  Distribution blocks;
  std::vector<std::int64_t> begins;  ///< of segments, in order, the first one at 0
  std::vector<int> owners;           ///< the process that a segment begins on

  static Segmented random(Random& random, int number) {
    Segmented s;
    const int processes = size_of(world);
    s.blocks = Distribution::random(random, processes, number % 3 == 0 ? 3000 : 70);
    const std::int64_t mean = std::vector<std::int64_t>{1, 4, 60, 1000, 1 << 20}[number % 5u];
    for (std::int64_t at = 0; at < s.blocks.all() || s.begins.empty();
         at += random.integer(0, 2 * mean))
      s.begins.push_back(at);
    for (int owner = 0; const std::int64_t begin : s.begins) {
      // Where a block ends, the segment that begins next may be told of by that block, too.
      while (begin > s.blocks.first(owner + 1) ||
             (begin == s.blocks.first(owner + 1) && owner + 1 < processes &&
              random.integer(0, 2) != 0))
        ++owner;
      s.owners.push_back(owner);
    }
    return s;
  }

  std::int64_t all() const { return blocks.all(); }
  std::int64_t first() const { return blocks.first(rank_of(world)); }
  std::int64_t count() const { return blocks.count(rank_of(world)); }
  std::int64_t end(std::size_t s) const { return s + 1 < begins.size() ? begins[s + 1] : all(); }

  template <class T>
  Kokkos::View<T*, Exec> block(const std::vector<T>& whole) const {
    return view_of(part_of(whole, 1, all(), first(), count()));
  }
  /// @brief Of segments that begin here, from the block's begin, then the end of the block.
  std::vector<int> offsets() const {
    std::vector<int> own;
    for (std::size_t s = 0; s < begins.size(); ++s)
      if (owners[s] == rank_of(world)) own.push_back(static_cast<int>(begins[s] - first()));
    own.push_back(static_cast<int>(count()));
    return own;
  }
  std::vector<std::uint8_t> flags() const {
    std::vector<std::uint8_t> all_flags(static_cast<std::size_t>(all()), 0);
    for (const std::int64_t begin : begins)
      if (begin > 0 && begin < all()) all_flags[static_cast<std::size_t>(begin)] = 1;
    return all_flags;
  }
  std::vector<short> keys() const {
    std::vector<short> all_keys;
    short key = 3;
    for (const std::uint8_t flag : flags()) {
      if (flag != 0) key = key == 3 ? 5 : 3;
      all_keys.push_back(key);
    }
    return all_keys;
  }
  /// @brief Calls use(segments) with a description of the block by the way of this number.
  template <class Use>
  void describe(int way, const Use& use) const {
    if (way == 0)
      use(segment_offsets(view_of(offsets())));
    else if (way == 1)
      use(segment_heads(block(flags())));
    else
      use(segment_keys(block(keys())));
  }
};

/// @brief Scans every segment in a serial loop.
/// @param next (state, j) to the state after element j
template <class T, class Next>
std::vector<T> scanned(const Segmented& s, bool inclusive, bool reverse, const T* init,
                       const T& identity, const std::vector<T>& x, const Next& next) {
  std::vector<T> y(x.size());
  for (std::size_t k = 0; k < s.begins.size(); ++k) {
    T state = init ? *init : identity;
    const std::int64_t begin = s.begins[k], length = s.end(k) - begin;
    for (std::int64_t i = 0; i < length; ++i) {
      const auto j = static_cast<std::size_t>(begin + (reverse ? length - 1 - i : i));
      const T after = i == 0 && !init ? x[j] : next(state, j);
      y[j] = inclusive ? after : state;
      state = after;
    }
  }
  return y;
}

}  // namespace wavescan::Test
