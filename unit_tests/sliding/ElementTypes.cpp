// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckSliding.hpp"

// Selections of elements of all sizes, of all shares, in place and not.

namespace sliding_element_types {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// Calls check(t) with an element of each type.
template <class Check>
void for_each_type(const Check& check) {
  const auto check_type = [&](const auto& element) {
    SCOPED_TRACE("elements of " + std::to_string(sizeof(element)) + " bytes");
    check(element);
  };
  check_type(std::uint8_t());
  check_type(std::uint16_t());
  check_type(std::int32_t());
  check_type(double());
  check_type(Blob<12>());
  check_type(Blob<20>());
  check_type(Blob<33>());
}

TEST(SlidingElements, OfAllSharesAndSizes) {
  for_each_type([]<class T>(const T&) {
    Random random;
    SCOPED_TRACE(random.trace());
    WantedCases wanted;
    const std::int64_t block = Impl::select::block_of(sizeof(T));
    for (const std::int64_t n :
         {std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(63), std::int64_t(64),
          std::int64_t(65), std::int64_t(1023), std::int64_t(1025), block - 1, block, block + 1,
          3 * block + 77})
      for (const unsigned limit : {0u, 1u, 50u, 99u, 100u}) {
        if (!wanted.next()) continue;
        const auto spread = static_cast<Spread>(random.integer(0, 3));
        const auto in = spread_elements<T>(random, n, spread);
        SCOPED_TRACE(std::to_string(n) + " elements, below " + std::to_string(limit));
        check_vector(Kokkos::DefaultExecutionSpace(), in, limit);
      }
  });
}

#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
/// Blocks are drawn by few threads; of many, each owns one, which is shorter or longer than those.
TEST(SlidingElements, WithAnyNumberOfThreads) {
  for_each_type([]<class T>(const T&) {
    Random random;
    SCOPED_TRACE(random.trace());
    WantedCases wanted;
    const std::int64_t block = Impl::select::block_of(sizeof(T));
    for (const int threads : {2, 5, 25}) {
      const Kokkos::OpenMP host(threads);
      for (const std::int64_t n : {3 * block + 77, 20 * block + 1, 8 * threads * block}) {
        if (n > 25 * block || !wanted.next()) continue;
        SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(threads) + " threads");
        check_vector(host, spread_elements<T>(random, n, Spread::Random), 60);
      }
    }
  });
}
#endif

TEST(SlidingElements, OnEveryInstance) {
  for_each_type([]<class T>(const T&) {
    Random random;
    SCOPED_TRACE(random.trace());
    const std::int64_t n = 5 * Impl::select::block_of(sizeof(T)) / 2 + 13;
    // All shares with all spreads are those of OfAllSharesAndSizes.
    for (const auto& [spread, limit] :
         std::initializer_list<std::pair<Spread, unsigned>>{{Spread::Random, 60u},
                                                            {Spread::Runs, 3u},
                                                            {Spread::FrontKept, 98u},
                                                            {Spread::FrontDropped, 60u}}) {
      const auto in = spread_elements<T>(random, n, spread);
      for_each_instance([&](const auto& exec) {
        SCOPED_TRACE(std::string(exec.name()) + " of " + std::to_string(exec.concurrency()));
        check_vector(exec, in, limit);
      });
    }
  });
}

TEST(SlidingElements, OfStridedViews) {
  for_each_type([]<class T>(const T&) {
    Random random;
    SCOPED_TRACE(random.trace());
    const std::int64_t several_blocks =
        few_cases_wanted()
            ? std::min(2 * Impl::select::block_of(sizeof(T)) + 77, Impl::Index(40009))
            : 40009;
    for (const std::int64_t n : {std::int64_t(1), std::int64_t(1000), several_blocks})
      for_each_instance([&](const auto& exec) {
        SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(exec.concurrency()));
        const auto in = spread_elements<T>(random, n, Spread::Random);
        check_vector(exec, in, 40, 3, 1);
        check_vector(exec, in, 40, 1, 2);
        check_vector(exec, in, 40, 2, 3);
      });
  });
}

}  // namespace
}  // namespace sliding_element_types
