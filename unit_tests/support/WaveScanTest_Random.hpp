// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_RANDOM_HPP
#define WAVESCAN_TEST_RANDOM_HPP

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace wavescan::Test {

/// @brief Random data whose seed a failing test prints:
///
///     Random random;
///     SCOPED_TRACE(random.trace());
///
/// The seed is fixed unless the environment variable WAVESCAN_TEST_SEED gives another.
class Random {
 public:
  Random() : Random(seed_from_environment()) {}
  explicit Random(std::uint64_t seed) : seed_(seed), engine_(seed) {}

  std::string trace() const { return "WAVESCAN_TEST_SEED=" + std::to_string(seed_); }

  /// @brief An integer in [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }

  /// @brief Integers: any value of the type. Floating point: a value in [-1, 1).
  template <class T>
    requires std::is_arithmetic_v<T> T value() {
      if constexpr (std::floating_point<T>)
        return std::uniform_real_distribution<T>(T(-1), T(1))(engine_);
      else
        return static_cast<T>(engine_());
    }

  template <class T>
  std::vector<T> values(std::int64_t count) {
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) result.push_back(value<T>());
    return result;
  }

  /// @brief Integers in [low, high], as numbers of any type.
  template <class T>
  std::vector<T> integers(std::int64_t count, std::int64_t low, std::int64_t high) {
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) result.push_back(static_cast<T>(integer(low, high)));
    return result;
  }

 private:
  static std::uint64_t seed_from_environment() {
    const char* const text = std::getenv("WAVESCAN_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 20180521;
  }

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace wavescan::Test

#endif
