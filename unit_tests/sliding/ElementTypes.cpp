// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckSliding.hpp"

// Selections of elements of all sizes, of all shares, in place and not.

namespace sliding_element_types {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class T>
class SlidingElements : public testing::Test {};
using Types =
    testing::Types<std::uint8_t, std::uint16_t, std::int32_t, double, Blob<12>, Blob<20>, Blob<33>>;
TYPED_TEST_SUITE(SlidingElements, Types);

TYPED_TEST(SlidingElements, OfAllSharesAndSizes) {
  Random random;
  SCOPED_TRACE(random.trace());
  WantedCases wanted;
  const std::int64_t block = Impl::select::block_of(sizeof(TypeParam));
  for (const std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(63),
                               std::int64_t(64), std::int64_t(65), std::int64_t(1023),
                               std::int64_t(1025), block - 1, block, block + 1, 3 * block + 77})
    for (const unsigned limit : {0u, 1u, 50u, 99u, 100u}) {
      if (!wanted.next()) continue;
      const auto spread = static_cast<Spread>(random.integer(0, 3));
      const auto in = spread_elements<TypeParam>(random, n, spread);
      SCOPED_TRACE(std::to_string(n) + " elements, below " + std::to_string(limit));
      check_vector(Kokkos::DefaultExecutionSpace(), in, limit);
    }
}

TYPED_TEST(SlidingElements, OnEveryInstance) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 5 * Impl::select::block_of(sizeof(TypeParam)) / 2 + 13;
  for (const Spread spread :
       {Spread::Random, Spread::Runs, Spread::FrontKept, Spread::FrontDropped})
    for (const unsigned limit : {3u, 60u, 98u}) {
      const auto in = spread_elements<TypeParam>(random, n, spread);
      for_each_instance([&](const auto& exec) {
        SCOPED_TRACE(std::string(exec.name()) + " of " + std::to_string(exec.concurrency()));
        check_vector(exec, in, limit);
      });
    }
}

TYPED_TEST(SlidingElements, OfStridedViews) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t several_blocks =
      few_cases_wanted()
          ? std::min(2 * Impl::select::block_of(sizeof(TypeParam)) + 77, Impl::Index(40009))
          : 40009;
  for (const std::int64_t n : {std::int64_t(1), std::int64_t(1000), several_blocks})
    for_each_instance([&](const auto& exec) {
      SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(exec.concurrency()));
      const auto in = spread_elements<TypeParam>(random, n, Spread::Random);
      check_vector(exec, in, 40, 3, 1);
      check_vector(exec, in, 40, 1, 2);
      check_vector(exec, in, 40, 2, 3);
    });
}

}  // namespace
}  // namespace sliding_element_types
