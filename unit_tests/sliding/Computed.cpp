// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "CheckSliding.hpp"

// Elements that are computed from their index, alone and beside Views.

namespace sliding_computed {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// Of runs of three, each with a number of its own.
struct Third {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i / 3; }
};
struct Index32 {
  KOKKOS_FUNCTION std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};
struct Keeps {
  unsigned limit;
  KOKKOS_FUNCTION bool operator()(std::uint8_t key, std::uint32_t) const { return key < limit; }
};
struct IsOdd {
  KOKKOS_FUNCTION bool operator()(std::int64_t i, std::int64_t value) const {
    return (i + value) % 2 != 0;
  }
};

template <class T>
std::vector<T> front(const std::vector<T>& v, std::int64_t n) {
  return {v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n)};
}

template <class Exec>
void check(const Exec& exec, Random& random, std::int64_t n, unsigned limit) {
  SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(limit) + " per cent");
  const auto keys = spread_elements<std::uint8_t>(random, n, Spread::Random);
  std::vector<std::uint32_t> places, others;
  std::vector<std::uint8_t> kept, rejected, flags;
  std::vector<std::int64_t> thirds, odd, flagged;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint8_t key = keys[static_cast<std::size_t>(i)];
    const bool keep = key < limit;
    (keep ? places : others).push_back(static_cast<std::uint32_t>(i));
    (keep ? kept : rejected).push_back(key);
    flags.push_back(keep);
    if (keep) flagged.push_back(i / 3);
    if (i % 3 == 0) thirds.push_back(i / 3);
    if ((i + i / 3) % 2 != 0) odd.push_back(i / 3);
  }
  const auto size_of = [](const auto& v) { return static_cast<std::int64_t>(v.size()); };
  const GuardedArray<std::uint8_t, Exec> key(line(n), keys), flag(line(n), flags);
  const GuardedArray<std::uint8_t, Exec> out_keys(line(n)), other_keys(line(n));
  const GuardedArray<std::uint32_t, Exec> out(line(n)), other(line(n, 2));
  const auto index = computed_input(n, Index32());
  const auto third = computed_input(n, Third());
  const auto values = [&] { return GuardedArray<std::int64_t, Exec>(line(n)); };
  const auto check_thirds = [&](const auto& select, const std::vector<std::int64_t>& expected) {
    const auto to = values();
    EXPECT_EQ(select(to.vector()), size_of(expected));
    EXPECT_TRUE(starts_with(to.values(), expected, true));
    EXPECT_TRUE(to.guards_intact());
  };

  EXPECT_EQ(partition_copy(exec, zip(key.vector(), index), zip(out_keys.vector(), out.vector()),
                           zip(other_keys.vector(), other.vector()), Keeps{limit}),
            size_of(kept));
  EXPECT_TRUE(starts_with(out_keys.values(), kept, true));
  EXPECT_TRUE(starts_with(out.values(), places, true));
  EXPECT_TRUE(starts_with(other_keys.values(), rejected, true));
  EXPECT_TRUE(starts_with(other.values(), others, true));
  // In place where there is memory.
  EXPECT_EQ(copy_if(exec, zip(index, key.vector()), zip(out.vector(), key.vector()), flag.vector()),
            size_of(kept));
  EXPECT_TRUE(starts_with(key.values(), kept, false));
  EXPECT_TRUE(starts_with(out.values(), places, true));
  check_thirds([&](const auto& to) { return copy_if(exec, third, to, flag.vector()); }, flagged);
  check_thirds([&](const auto& to) { return copy_if(exec, third, to, by_index(IsOdd())); }, odd);
  check_thirds([&](const auto& to) { return unique_copy(exec, third, to); }, thirds);
  const Kokkos::View<std::int64_t*, Exec> none;
  EXPECT_EQ(unique_copy(exec, third, none), size_of(thirds));
  const Partition<Exec> plan(exec, n, sizeof(std::int64_t));
  odd.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    if ((i + i / 3) % 2 == 0) odd.push_back(i / 3);
  const auto both = values();
  plan.partition(third, both.vector(), by_index(IsOdd()));
  EXPECT_TRUE(same_bits(both.values(), odd));
  for (const auto* array : {&key, &flag, &out_keys, &other_keys})
    EXPECT_TRUE(array->guards_intact());
  EXPECT_TRUE(out.guards_intact());
}

TEST(SlidingComputed, AloneAndBesideViews) {
  Random random;
  SCOPED_TRACE(random.trace());
  for_each_instance([&](const auto& exec) {
    for (const std::int64_t n : {0, 1, 31, 64, 1000, 4096, 40009})
      for (const unsigned limit : {0u, 3u, 50u, 100u}) check(exec, random, n, limit);
  });
}

}  // namespace
}  // namespace sliding_computed
