// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef APPLICATIONS_TEST_DATA_HPP
#define APPLICATIONS_TEST_DATA_HPP

#include <gtest/gtest.h>

#include <applications.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Random.hpp"

namespace applications_test {

using namespace applications;
using wavescan::Test::Random;

/// @brief 0, 1, primes, around tiles and blocks, and one of many of these.
inline const std::vector<std::int64_t> sizes = {0, 1, 2, 3, 31, 257, 1021, 8192, 65537, 300007};

/// @brief An array on the device; where no values are given, filled with a marker.
template <class T>
class Data {
 public:
  explicit Data(std::size_t n) : n_(n), bytes_(n * sizeof(T), 0xa5) {}
  explicit Data(const std::vector<T>& values) : Data(values.size()) {
    if (n_ > 0) std::memcpy(bytes_.host(), values.data(), n_ * sizeof(T));
    bytes_.to_device();
  }
  Array<T> view() const { return Array<T>(reinterpret_cast<T*>(bytes_.data()), n_); }
  std::vector<T> values() const {
    std::vector<T> result(n_);
    bytes_.to_host();
    if (n_ > 0) std::memcpy(result.data(), bytes_.host(), n_ * sizeof(T));
    return result;
  }

 private:
  std::size_t n_;
  wavescan::Test::MirroredBytes<Exec::memory_space> bytes_;
};

/// @brief Characters drawn from some, each as often as it occurs there.
inline std::vector<char> random_text(Random& random, std::int64_t n, const std::string& letters) {
  std::vector<char> text;
  const auto last = static_cast<std::int64_t>(letters.size()) - 1;
  for (std::int64_t k = 0; k < n; ++k)
    text.push_back(letters[static_cast<std::size_t>(random.integer(0, last))]);
  return text;
}

}  // namespace applications_test

#endif
