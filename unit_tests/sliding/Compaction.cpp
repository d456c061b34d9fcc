// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <impl/select/host/WaveScan_Compaction.hpp>
#include <impl/select/host/WaveScan_Flags.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"

// Compaction by every target that the machine has, for units of every number of bytes, beside a
// loop.

namespace sliding_compaction {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Impl::select;
using wavescan::Test::Random;

std::vector<std::byte> random_bytes(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.integer(0, 254));
  return bytes;
}

/// @param share of the units that are chosen, in per cent
std::vector<std::uint64_t> random_masks(Random& random, Index count, std::int64_t share) {
  std::vector<std::uint64_t> masks(static_cast<std::size_t>((count + 63) / 64), 0);
  for (Index i = 0; i < count; ++i)
    if (random.integer(0, 99) < share)
      masks[static_cast<std::size_t>(i / 64)] |= std::uint64_t(1) << i % 64;
  return masks;
}

template <class Target>
void check_target(Target) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (std::size_t bytes = 1; bytes <= 66; ++bytes)
    for (const Index count : {0, 1, 63, 64, 200, 1024})
      for (const std::int64_t share : {0, 3, 50, 97, 100}) {
        SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(share) + " per cent of " +
                     std::to_string(count));
        const std::size_t stride = bytes + (bytes % 5 == 3 ? 7 : 0);
        const auto all = static_cast<std::size_t>(count);
        const auto from = random_bytes(random, all * stride);
        const auto masks = random_masks(random, count, share);
        std::vector<std::byte> expected;
        for (std::size_t i = 0; i < all; ++i)
          if (masks[i / 64] >> i % 64 & 1)
            expected.insert(expected.end(), from.begin() + static_cast<std::ptrdiff_t>(i * stride),
                            from.begin() + static_cast<std::ptrdiff_t>(i * stride + bytes));
        const auto slack = static_cast<std::size_t>(compaction_slack);
        std::vector<std::byte> to(expected.size() + slack + 16, std::byte(0xff));
        with_unit(bytes, [&](auto unit) {
          Compaction<Target, unit()>::run(to.data(), from.data(), static_cast<Index>(stride), bytes,
                                          masks.data(), count);
        });
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to.begin()));
        for (std::size_t k = expected.size() + slack; k < to.size(); ++k)
          ASSERT_EQ(to[k], std::byte(0xff)) << "written behind the slack";

        // In place, one unit lower: what lies from the last unit on stays as it is.
        if (stride != bytes) continue;
        auto memory = random_bytes(random, bytes);
        memory.insert(memory.end(), from.begin(), from.end());
        if (count > 0) {
          const auto last =
              std::vector<std::byte>(from.end() - static_cast<std::ptrdiff_t>(bytes), from.end());
          memory.insert(memory.end(), slack, std::byte(0xff));
          with_unit(bytes, [&](auto unit) {
            Compaction<Target, unit()>::run(memory.data(), memory.data() + bytes,
                                            static_cast<Index>(bytes), bytes, masks.data(), count);
          });
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin()));
          ASSERT_TRUE(std::equal(last.begin(), last.end(),
                                 memory.begin() + static_cast<std::ptrdiff_t>(count * bytes)));
          for (std::size_t k = (all + 1) * bytes; k < memory.size(); ++k)
            ASSERT_EQ(memory[k], std::byte(0xff)) << "written behind the array";
        }
      }
}

TEST(Compaction, ByAllTargets) {
  check_target(Baseline());
  dispatch([](auto target) { check_target(target); }, Avx2());
  dispatch([](auto target) { check_target(target); });
}

TEST(Compaction, Flags) {
  Random random;
  SCOPED_TRACE(random.trace());
  std::vector<std::uint8_t> flags(1024);
  for (auto& flag : flags) flag = static_cast<std::uint8_t>(random.integer(0, 1));
  std::uint64_t masks[16];
  pack_flags(flags.data(), 16, masks);
  for (std::size_t i = 0; i < flags.size(); ++i)
    ASSERT_EQ(masks[i / 64] >> i % 64 & 1, flags[i]) << "flag " << i;
}

}  // namespace
}  // namespace sliding_compaction
