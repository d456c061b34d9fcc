// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Tables of bytes in the registers of each target that this processor has.
#include <gtest/gtest.h>

#include <WaveScanTest_Random.hpp>
#include <algorithm>
#include <cstdint>
#include <impl/sat/host/WaveScan_HostByteTable.hpp>
#include <new>
#include <string>
#include <vector>

#include "ImageReference.hpp"

namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

/// @brief Rows of a few bytes, in the middle of a larger image and table.
class BytesOfATile {
 public:
  BytesOfATile(std::int64_t rows, std::int64_t columns)
      : image_{rows, columns, Random().values<std::uint8_t>(rows * columns)}, entries_(all()) {
    std::fill(entries_.begin(), entries_.end(), untouched);
    for (std::uint32_t k = 0; k < 300; ++k) {
      left_.push_back(7 * k);
      above_.push_back(1000u * k);
      below_.push_back(untouched);
    }
  }

  /// @brief Called with the rows, the entries above, and where those of the last row go.
  template <class Sum>
  void expect_entries(const Sum& sum) {
    sum(rows(), image_.rows, above_.data(), below_.data());
    const auto sums = sums_of_prefixes<std::uint32_t>(image_, [](std::uint8_t p) { return p; });
    std::uint32_t from_the_left = 0;
    for (std::int64_t i = 0; i < image_.rows; ++i) {
      from_the_left += 7 * static_cast<std::uint32_t>(i);
      for (std::int64_t j = 0; j < stride; ++j) {
        const std::uint32_t entry = entries_[at(i * stride + j)];
        if (j >= image_.columns) {
          ASSERT_EQ(entry, untouched) << i << ", " << j;
          continue;
        }
        ASSERT_EQ(entry, sums[at(i * image_.columns + j)] + from_the_left + above_[at(j)])
            << i << ", " << j;
        if (i == image_.rows - 1) {
          ASSERT_EQ(below_[at(j)], entry);
        }
      }
      const std::uint32_t row_sum =
          sums[at((i + 1) * image_.columns - 1)] - (i > 0 ? sums[at(i * image_.columns - 1)] : 0);
      ASSERT_EQ(left_[at(i)], 7 * static_cast<std::uint32_t>(i) + row_sum) << i;
    }
    ASSERT_EQ(below_[at(image_.columns)], untouched);
  }

  /// @brief Called with the rows and where the sums of columns go.
  template <class Sum>
  void expect_sums_of_columns(const Sum& sum) {
    std::vector<std::uint16_t> words(300);
    sum(rows(), image_.rows, words.data(), below_.data());
    for (std::int64_t j = 0; j < image_.columns; ++j) {
      std::uint32_t expected = 0;
      for (std::int64_t i = 0; i < image_.rows; ++i) expected += image_(i, j);
      ASSERT_EQ(below_[at(j)], expected) << j;
    }
    ASSERT_EQ(below_[at(image_.columns)], untouched);
  }

 private:
  static constexpr std::int64_t stride = 128;
  static constexpr std::uint32_t untouched = 0xabcdef01;
  static std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }
  std::size_t all() const { return at(image_.rows * stride); }
  HostByteRows rows() {
    return {image_.pixels.data(), image_.columns, entries_.data(), stride,
            left_.data(),         image_.columns};
  }

  /// At cache lines, for stores that bypass the caches.
  template <class T>
  struct Aligned {
    using value_type = T;
    T* allocate(std::size_t n) {
      return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64)));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }
    bool operator==(const Aligned&) const = default;
  };

  Image<std::uint8_t> image_;
  std::vector<std::uint32_t, Aligned<std::uint32_t>> entries_;
  std::vector<std::uint32_t> left_, above_, below_;
};

template <class Target>
void expect_bytes_summed_by() {
  using Table = HostByteTable<Target>;
  if constexpr (Table::available)
    for (const std::int64_t rows : {1, 2, 7, 8, 19, 257})
      for (const std::int64_t columns : {1, 3, 8, 15, 16, 64, 101}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
        BytesOfATile(rows, columns).expect_entries(Table::template sum<false>);
        BytesOfATile(rows, columns).expect_entries(Table::template sum<true>);
        BytesOfATile(rows, columns).expect_sums_of_columns(Table::sum_columns);
      }
}

TEST(HostByteTable, SumsTiles) {
  dispatch([](auto target) { expect_bytes_summed_by<decltype(target)>(); }, Avx512Vnni{});
  dispatch([](auto target) { expect_bytes_summed_by<decltype(target)>(); }, Avx2{});
}

}  // namespace
