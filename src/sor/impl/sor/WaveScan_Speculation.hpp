// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SPECULATION_HPP
#define WAVESCAN_IMPL_SOR_SPECULATION_HPP

#include <algorithm>
#include <cmath>
#include <limits>

/// @file
/// @brief The distance by which parts of a grid that do not wait for each other have to start
/// early.

namespace wavescan::Impl::sor {

/// @brief The number of columns after which values that started from a guess are those of the
/// serial loop, bit for bit, all but surely; huge if the sweep does not forget.
///
/// Far from edges an error shrinks by |left| / (1 - |up|) a column. The factors were measured for
/// Poisson's equation with omega from 1 to 1.98: sweeps of one pass need longer, each starting
/// where the one before it has come to rest.
template <class V>
int speculation_overlap(double along, double across, int sweeps) {
  const double rate = std::abs(along) / (1 - std::abs(across));
  if (!(std::abs(across) < 1) || !(rate < 1)) return std::numeric_limits<int>::max() / 4;
  const double bits = std::numeric_limits<V>::digits + 3;
  constexpr double bits_of_chance = 26;  // among millions of rows hardly any may need longer
  const double deeper = 1 + 0.3 * std::log2(static_cast<double>(sweeps));
  const double columns = rate == 0 ? 0 : std::log(2.0) / -std::log(rate);
  return static_cast<int>(std::min(1e8, 6 + (deeper * bits + bits_of_chance) * columns)) + sweeps;
}

}  // namespace wavescan::Impl::sor

#endif
