// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// The exchange of prefixes between blocks, and scans over the warps of a block, against serial
// loops, with an operator that does not commute.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_BlockScan.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_GroupedExchange.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>

#include "GpuValues.hpp"

namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

/// @brief Maps in order: what the exchange asks of a recurrence with weights of its own.
struct OrderedTraits {
  using segment = Map<std::uint32_t>;
  using weight_type = int;  ///< none
  static constexpr bool ordered = true;
  KOKKOS_FUNCTION segment identity() const { return {1, 0}; }
  KOKKOS_FUNCTION weight_type weight_of(Index) const { return 0; }
  KOKKOS_FUNCTION segment join(const segment& a, const segment& b, weight_type) const {
    return Compose()(a, b);
  }
};
/// @brief Sums with a constant weight: the weight of a tile on the right multiplies the left.
struct WeightedTraits {
  using segment = std::uint64_t;
  using weight_type = std::uint64_t;
  static constexpr bool ordered = false;
  KOKKOS_FUNCTION segment identity() const { return 0; }
  KOKKOS_FUNCTION weight_type weight_of(Index tiles) const {
    weight_type w = 1;
    for (Index i = 0; i < tiles; ++i) w *= 0x9e3779b97f4a7c15u;
    return w;
  }
  KOKKOS_FUNCTION segment join(segment a, segment b, weight_type w) const { return a * w + b; }
};

/// @brief Shifted sums, whose weights go by lengths, and vanish after `64 / shift` tiles.
struct LengthTraits {
  using segment = std::uint64_t;
  using weight_type = std::uint64_t;
  static constexpr bool ordered = true;
  static constexpr bool weighs_by_length = true;
  int shift = 1;
  KOKKOS_FUNCTION segment identity() const { return 0; }
  KOKKOS_FUNCTION weight_type weight_of(Index tiles) const {
    return tiles * shift < 64 ? weight_type(1) << (tiles * shift) : 0;
  }
  KOKKOS_FUNCTION segment join(segment a, segment b, weight_type w) const { return a * w + b; }
};

/// @brief A segment, and whether lines start in it.
template <class Segment>
struct Started {
  Segment inner;
  std::uint32_t starts;
  bool operator==(const Started& other) const {
    return inner == other.inner && (starts != 0) == (other.starts != 0);
  }
};
/// @brief Segments of which those before a start have no effect.
template <class Traits>
struct StartTraits : Traits {
  using segment = Started<typename Traits::segment>;
  using weight_type = typename Traits::weight_type;
  static constexpr bool knows_starts = true;
  KOKKOS_FUNCTION segment identity() const { return {Traits::identity(), 0}; }
  KOKKOS_FUNCTION segment join(const segment& a, const segment& b, weight_type w) const {
    return {b.starts != 0 ? b.inner : Traits::join(a.inner, b.inner, w), a.starts + b.starts};
  }
};

}  // namespace

namespace wavescan::Test {

template <class Segment>
struct Random<Started<Segment>> {
  static Started<Segment> value(std::mt19937_64& random) {
    const auto starts = random() % 30 == 0 ? 1 + random() % 3 : 0;
    return {Random<Segment>::value(random), static_cast<std::uint32_t>(starts)};
  }
};

}  // namespace wavescan::Test

namespace {

/// @brief Each block's tiles: out[t] is the segment of the tiles since the block's last one, and of
/// no more than `reach`.
template <class Traits>
__global__ void exchange(Traits traits, gpu::TotalsMailbox mailbox,
                         const typename Traits::segment* totals, typename Traits::segment* out,
                         Index count, Index reach, int depth) {
  using Exchange = gpu::PrefixExchange<Traits, 2>;
  const gpu::CyclicTiles tiles{count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)};
  const gpu::LaunchTags tags = mailbox.epoch().tags();
  const Exchange exchange(
      traits, mailbox, tiles.block, tiles.blocks, [&](Index n) { return traits.weight_of(n); },
      depth);
  for (int k = 0; k < tiles.count(); ++k) {
    const auto wave = static_cast<std::uint32_t>(k);
    const Index t = tiles.of(k);
    if (gpu::lane() == 0)
      Exchange::publish(mailbox, wave, tiles.block, tiles.blocks, totals[t], tags);
    const auto joined = exchange.join_totals(wave, tags, t < reach ? t : reach);
    if ((gpu::weighs_by_length<Traits> || gpu::knows_starts<Traits>)&&tiles.is_last(k))
      exchange.await_others(wave, tags);
    if (tiles.is_last(k) && gpu::lane() == 0) mailbox.epoch().end(tags, wave);
    if (gpu::lane() == 0) out[t] = joined;
  }
}

template <class Traits>
void test_exchange(int blocks, Index count, Index reach, const Traits& traits = {},
                   int depth = 64) {
  using segment = typename Traits::segment;
  const gpu::Device exec{};
  const auto totals = random_values<segment>(static_cast<int>(count));
  const DeviceArray<segment> in(totals), out(random_values<segment>(static_cast<int>(count)));
  const DeviceArray<gpu::TaggedWord> words(
      std::vector<gpu::TaggedWord>(gpu::TotalsMailbox::size<segment>(blocks), 0));
  for (int launch = 0; launch < 3; ++launch) {
    gpu::launch({exec, "prefix_exchange_test", true}, exchange<Traits>, blocks, gpu::warp_size, 0,
                traits, gpu::TotalsMailbox{words.data()}, static_cast<const segment*>(in.data()),
                out.data(), count, reach, depth);
    const auto found = out.values();
    for (Index t = 0; t < count; ++t) {
      const Index tiles = std::min({t, reach, Index(blocks) - 1});
      segment expected = tiles > 0 ? totals[static_cast<std::size_t>(t - tiles)] : segment();
      for (Index i = t - tiles + 1; i < t; ++i)
        expected = traits.join(expected, totals[static_cast<std::size_t>(i)], traits.weight_of(1));
      if (tiles > 0) {
        ASSERT_TRUE(found[static_cast<std::size_t>(t)] == expected)
            << "tile " << t << " of " << count << ", " << blocks << " blocks, reach " << reach;
      }
    }
  }
}

#if defined(WAVESCAN_EMULATOR)  // which takes its time
constexpr int numbers_of_blocks[] = {1, 3, 65};
constexpr Index numbers_of_tiles[] = {2, 130}, reaches[] = {0, 30, 1000};
#else
constexpr int numbers_of_blocks[] = {1, 2, 3, 33, 64, 65};
constexpr Index numbers_of_tiles[] = {1, 2, 65, 130, 2500}, reaches[] = {0, 1, 30, 1000};
#endif

TEST(GpuPrefixExchange, JoinsTheTilesBefore) {
  for (const int blocks : numbers_of_blocks)
    for (const Index count : numbers_of_tiles)
      for (const Index reach : reaches) {
        test_exchange<OrderedTraits>(blocks, count, reach);
        test_exchange<WeightedTraits>(blocks, count, reach);
        for (const int shift : {1, 8, 64})  // all tiles, eight, and one
          test_exchange<LengthTraits>(blocks, count, reach, {shift}, 64 / shift);
        test_exchange<StartTraits<OrderedTraits>>(blocks, count, reach);
        test_exchange<StartTraits<LengthTraits>>(blocks, count, reach);
      }
}

/// @brief Each block's tiles: in_group[t] is what their group has before them in their line, of so
/// many tiles, and before_group[t] what is before that, of a wave's tiles at most.
__global__ void exchange_in_groups(gpu::TotalsMailbox mailbox, const Map<std::uint32_t>* totals,
                                   Map<std::uint32_t>* in_group, Map<std::uint32_t>* before_group,
                                   Index count, Index line) {
  using V = Map<std::uint32_t>;
  const gpu::CyclicTiles tiles{count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)};
  const gpu::LaunchTags tags = mailbox.epoch().tags();
  const gpu::GroupedExchange<V, Compose> exchange(mailbox, tiles.block, tiles.blocks);
  const V none{1, 0};
  for (int k = 0; k < tiles.count(); ++k) {
    const auto wave = static_cast<std::uint32_t>(k);
    const Index t = tiles.of(k), before = t % line;
    if (gpu::lane() == 0) exchange.publish(wave, totals[t], tags);
    const V own = exchange.join_group(wave, tags, before, none);
    if (exchange.is_last_of_group()) exchange.publish_group(wave, Compose()(own, totals[t]), tags);
    const V others = exchange.join_groups(wave, tags, before - exchange.before_in_group(), none);
    if (tiles.is_last(k) && gpu::lane() == 0) mailbox.epoch().end(tags, wave);
    if (gpu::lane() == 0) {
      in_group[t] = own;
      before_group[t] = others;
    }
  }
}

void test_grouped_exchange(int blocks, Index count, Index line) {
  using V = Map<std::uint32_t>;
  const gpu::Device exec{};
  const auto totals = random_values<V>(static_cast<int>(count));
  const DeviceArray<V> in(totals), in_group(totals), before_group(totals);
  const int senders = gpu::GroupedExchange<V, Compose>::senders(blocks);
  const DeviceArray<gpu::TaggedWord> words(
      std::vector<gpu::TaggedWord>(gpu::TotalsMailbox::size<V>(senders), 0));
  int size = 1;
  while (size * size < blocks) ++size;
  const auto join = [&](Index begin, Index end) {
    V sum{1, 0};
    for (Index i = begin; i < end; ++i) sum = Compose()(sum, totals[static_cast<std::size_t>(i)]);
    return sum;
  };
  for (int launch = 0; launch < 3; ++launch) {
    gpu::launch({exec, "grouped_exchange_test", true}, exchange_in_groups, blocks, gpu::warp_size,
                0, gpu::TotalsMailbox{words.data()}, static_cast<const V*>(in.data()),
                in_group.data(), before_group.data(), count, line);
    const auto near = in_group.values(), far = before_group.values();
    for (Index t = 0; t < count; ++t) {
      const Index group = t - t % blocks % size, first = t - t % line;
      ASSERT_TRUE(near[static_cast<std::size_t>(t)] == join(std::max(group, first), t) &&
                  far[static_cast<std::size_t>(t)] == join(std::max(group - blocks, first), group))
          << "tile " << t << " of " << count << ", " << blocks << " blocks, lines of " << line;
    }
  }
}

TEST(GpuGroupedExchange, JoinsTheTilesBefore) {
  for (const int blocks : numbers_of_blocks)
    for (const Index count : numbers_of_tiles)
      for (const Index line : {Index(1), Index(30), Index(5000)})
        test_grouped_exchange(blocks, count, line);
}

template <class Traits, int Warps>
__global__ void scan_warps(Traits traits, const typename Traits::segment* totals,
                           gpu::LaneMask starts, const typename Traits::weight_type* weights,
                           typename Traits::segment* before, typename Traits::segment* all) {
  const gpu::BlockScan<Traits, Warps> warps(traits, totals, starts, weights);
  const auto left = warps.before(gpu::warp());
  const auto total = warps.total();
  if (gpu::lane() == 0) before[gpu::warp()] = left;
  if (threadIdx.x == 0) *all = total;
}

template <class Traits, int Warps>
void test_block_scan(gpu::LaneMask starts) {
  using segment = typename Traits::segment;
  using weight = typename Traits::weight_type;
  const Traits traits;
  const auto totals = random_values<segment>(Warps);
  std::vector<weight> powers;
  for (int j = 0; j < 5; ++j) powers.push_back(traits.weight_of(Index(1) << j));
  const DeviceArray<segment> in(totals), before(random_values<segment>(Warps)),
      all(random_values<segment>(1));
  const DeviceArray<weight> weights(powers);
  gpu::launch({gpu::Device{}, "block_scan_test", false}, scan_warps<Traits, Warps>, 1,
              Warps * gpu::warp_size, 0, traits, static_cast<const segment*>(in.data()), starts,
              static_cast<const weight*>(weights.data()), before.data(), all.data());
  segment sum = totals[0];
  const auto found = before.values();
  for (int w = 1; w < Warps; ++w) {
    EXPECT_TRUE(found[static_cast<std::size_t>(w)] == sum) << "warp " << w << " of " << Warps;
    const segment& own = totals[static_cast<std::size_t>(w)];
    sum = starts >> w & 1 ? own : traits.join(sum, own, traits.weight_of(1));
  }
  EXPECT_TRUE(all.values()[0] == sum) << Warps << " warps";
}

TEST(GpuBlockScan, JoinsTheWarpsBefore) {
  for (const gpu::LaneMask starts : {0x0u, 0x1u, 0x4u, 0x92u, 0xffffu}) {
    test_block_scan<OrderedTraits, 1>(starts);
    test_block_scan<OrderedTraits, 6>(starts);
    test_block_scan<OrderedTraits, 16>(starts);
    test_block_scan<WeightedTraits, 12>(starts);
  }
}

}  // namespace

#endif
