// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_Select.hpp>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "Distributed.hpp"
#include "WaveScanTest_Errors.hpp"

namespace wavescan::Test {
namespace {

using Ints = Kokkos::View<int*, Shared>;

struct IsOdd {
  KOKKOS_FUNCTION bool operator()(int x) const { return x % 2 != 0; }
};
struct IsEven {
  KOKKOS_FUNCTION bool operator()(int x) const { return x % 2 == 0; }
};
struct IsOddRow {
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row) const {
    return row[0] % 2 != 0;
  }
};

/// @brief A sequence that every process knows, and this process' block of it.
struct Sequence {
  Distribution blocks;
  std::vector<int> whole;

  Sequence(Random& random, int largest)
      : blocks(Distribution::random(random, size_of(world), 300)),
        whole(random.integers<int>(blocks.all(), 0, largest)) {}
  Ints block() const {
    const Ints v("block", static_cast<std::size_t>(blocks.count(rank_of(world))));
    for (std::size_t k = 0; k < v.size(); ++k)
      v(k) = whole[static_cast<std::size_t>(blocks.first(rank_of(world))) + k];
    return v;
  }
};

Ints marked_ints(std::int64_t n) {
  const Ints v("marked", static_cast<std::size_t>(n));
  Kokkos::deep_copy(v, -77);
  return v;
}

void expect_part(const Ints& found, const mpi::Kept& kept, const std::vector<int>& expected) {
  EXPECT_EQ(kept.total, static_cast<std::int64_t>(expected.size()));
  std::int64_t before = 0;
  MPI_Exscan(&kept.count, &before, 1, MPI_INT64_T, MPI_SUM, world);
  if (rank_of(world) == 0) before = 0;
  EXPECT_EQ(kept.offset, before);
  bool equal = true;
  for (std::int64_t k = 0; k < kept.count; ++k)
    equal &=
        found(static_cast<std::size_t>(k)) == expected[static_cast<std::size_t>(kept.offset + k)];
  EXPECT_TRUE(equal);
}

TEST(MpiSliding, Selections) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int turn = 0; turn < 20; ++turn) {
    const Sequence s(random, 9);
    std::vector<int> odd, even;
    for (const int x : s.whole) (x % 2 != 0 ? odd : even).push_back(x);
    const Ints in = s.block(), out = marked_ints(static_cast<std::int64_t>(in.size()) + 3);
    expect_part(out, mpi::copy_if(world, in, out, IsOdd()), odd);
    expect_part(out, mpi::remove_copy_if(world, "a label", Exec(), in, out, IsOdd()), even);
    expect_part(in, mpi::remove_if(world, in, IsOdd()), even);
  }
}

/// @brief Few values, so that runs go through processes, and empty blocks lie within them.
TEST(MpiSliding, RunsGoThroughProcesses) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int turn = 0; turn < 30; ++turn) {
    const Sequence s(random, turn % 3);
    std::vector<int> expected = s.whole;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const Ints in = s.block(), out = marked_ints(static_cast<std::int64_t>(in.size()));
    expect_part(out, mpi::unique_copy(world, in, out), expected);
    expect_part(in, mpi::unique(world, Exec(), in), expected);
  }
}

TEST(MpiSliding, BlocksAreRebalanced) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int turn = 0; turn < 20; ++turn) {
    const Sequence s(random, 1000);
    const auto even = mpi::even_block(s.blocks.all(), world);
    const Ints in = s.block(), out = marked_ints(even.count);
    mpi::rebalance(world, in, static_cast<std::int64_t>(in.size()), out);
    bool equal = true;
    for (std::int64_t k = 0; k < even.count; ++k)
      equal &=
          out(static_cast<std::size_t>(k)) == s.whole[static_cast<std::size_t>(even.first + k)];
    EXPECT_TRUE(equal);
    // In place, and less than there is room for: what is behind the end stays.
    std::vector<int> odd;
    for (const int x : s.whole)
      if (IsOdd()(x)) odd.push_back(x);
    const auto kept = mpi::remove_if(world, out, IsEven());
    for (auto k = static_cast<std::size_t>(kept.count); k < out.size(); ++k) out(k) = -5;
    mpi::rebalance(world, Exec(), out, kept.count, out);
    for (std::int64_t k = 0; k < even.count; ++k) {
      const std::int64_t place = even.first + k;
      const bool inside = place < kept.total;
      equal &= inside ? out(static_cast<std::size_t>(k)) == odd[static_cast<std::size_t>(place)]
                      : k < kept.count || out(static_cast<std::size_t>(k)) == -5;
    }
    EXPECT_TRUE(equal);
  }
}

/// @brief In memory of the execution space, where messages may begin and end, and in parts of
/// arrays that overlap, or have gaps.
TEST(MpiSliding, ElementsGoAsTheyLie) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Own = Kokkos::View<int*, Exec>;
  const auto copy = [](const auto& from, const auto& to) { Kokkos::deep_copy(to, from); };
  for (int turn = 0; turn < 20; ++turn) {
    const Sequence s(random, 1000);
    const auto to = Distribution::at_least(random, size_of(world), 0, 400);
    const std::int64_t room = to.count(rank_of(world)), first = to.first(rank_of(world));
    if (to.all() < s.blocks.all()) continue;
    const Ints block = s.block();
    const auto n = static_cast<std::int64_t>(block.size());
    const std::int64_t shift = random.integer(-1, 300), step = shift < 0 ? 2 : 1;
    // In and out are parts of one array, or out has gaps.
    const Own memory("memory", static_cast<std::size_t>(2 * (n + room + 300)));
    Kokkos::deep_copy(memory, -77);
    const auto part = [&](std::int64_t begin, std::int64_t count) {
      return Kokkos::subview(memory, Kokkos::make_pair(begin, begin + count));
    };
    const auto in = part(0, n);
    copy(block, in);
    const Kokkos::View<int*, Kokkos::LayoutStride, Exec> out(
        memory.data() + (shift < 0 ? n : shift),
        Kokkos::LayoutStride(static_cast<std::size_t>(room), static_cast<std::size_t>(step)));
    if (step == 1)
      mpi::rebalance(world, Exec(), in, n, part(shift, room));
    else
      mpi::rebalance(world, Exec(), in, n, out);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    for (std::int64_t k = 0; k < room && first + k < s.blocks.all(); ++k)
      ASSERT_EQ(found(static_cast<std::size_t>((shift < 0 ? n : shift) + step * k)),
                s.whole[static_cast<std::size_t>(first + k)])
          << k << ", shift " << shift;
  }
}

TEST(MpiSliding, Partitions) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int turn = 0; turn < 20; ++turn) {
    const Sequence s(random, 9);
    std::vector<int> expected = s.whole;
    const auto middle = std::stable_partition(expected.begin(), expected.end(), IsOdd());
    const Ints in = s.block();
    const auto even = mpi::even_block(s.blocks.all(), world);
    const Ints out = marked_ints(even.count);
    const auto kept = mpi::partition(world, in, out, IsOdd());
    EXPECT_EQ(kept.total, middle - expected.begin());
    const auto check = [&](const Ints& found, std::int64_t first) {
      bool equal = true;
      for (std::size_t k = 0; k < found.size(); ++k)
        equal &= found(k) == expected[static_cast<std::size_t>(first) + k];
      EXPECT_TRUE(equal);
    };
    check(out, even.first);
    mpi::partition(world, Exec(), in, in, IsOdd());
    check(in, s.blocks.first(rank_of(world)));
    // Rows.
    const Kokkos::View<int**, Kokkos::LayoutLeft, Shared> rows("rows", out.size(), 3);
    const auto whole = s.whole;
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t j = 0; j < 3; ++j)
        rows(i, j) = whole[static_cast<std::size_t>(even.first) + i] + 100 * static_cast<int>(j);
    mpi::partition(world, rows, rows, IsOddRow());
    bool equal = true;
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t j = 0; j < 3; ++j)
        equal &= rows(i, j) ==
                 expected[static_cast<std::size_t>(even.first) + i] + 100 * static_cast<int>(j);
    EXPECT_TRUE(equal);
  }
}

/// @brief A plan's buffers serve calls of all kinds and sizes, and more elements than before.
TEST(MpiSliding, PlansServeManyCalls) {
  Random random;
  SCOPED_TRACE(random.trace());
  mpi::DataSliding<Exec, int> plan(world);
  for (int turn = 0; turn < 15; ++turn) {
    const Sequence s(random, 9);
    std::vector<int> odd;
    for (const int x : s.whole)
      if (IsOdd()(x)) odd.push_back(x);
    const auto even = mpi::even_block(s.blocks.all(), world);
    const Ints in = s.block(), out = marked_ints(even.count);
    const auto kept = plan.partition(in, out, IsOdd());
    EXPECT_EQ(kept.total, static_cast<std::int64_t>(odd.size()));
    const Ints selected = marked_ints(static_cast<std::int64_t>(in.size()));
    const auto copied = plan.copy_if(in, selected, IsOdd());
    expect_part(selected, copied, odd);
    plan.rebalance(selected, copied.count, out);
    bool equal = true;
    for (std::int64_t k = 0; k < even.count && even.first + k < copied.total; ++k)
      equal &= out(static_cast<std::size_t>(k)) == odd[static_cast<std::size_t>(even.first + k)];
    EXPECT_TRUE(equal);
    odd.erase(std::unique(odd.begin(), odd.end()), odd.end());
    expect_part(in, plan.remove_if(in, IsEven()), [&] {
      std::vector<int> all;
      for (const int x : s.whole)
        if (IsOdd()(x)) all.push_back(x);
      return all;
    }());
    const auto rest = Kokkos::subview(selected, Kokkos::make_pair(std::int64_t(0), copied.count));
    expect_part(selected, plan.unique_copy(rest, rest), odd);
  }
}

TEST(MpiSliding, Errors) {
  const bool wrong = rank_of(world) == size_of(world) - 1;
  const Ints in("in", 8), shorter = marked_ints(wrong ? 7 : 8);
  const Ints front(in.data(), 7), shifted(in.data() + 1, 7);
  const auto starts = [](const std::string& operation, const std::string& argument,
                         const auto& call) {
    const std::string message = error_of(call);
    EXPECT_TRUE(
        message.starts_with("WaveScan::mpi::" + operation + ": argument '" + argument + "' must"))
        << message;
  };
  starts("copy_if", "out", [&] { mpi::copy_if(world, front, shifted, IsOdd()); });
  starts("unique_copy", "out", [&] { mpi::unique_copy(world, in, shorter); });
  starts("rebalance", "count", [&] { mpi::rebalance(world, in, wrong ? 9 : 8, in); });
  starts("rebalance", "out", [&] { mpi::rebalance(world, in, 8, shorter); });
  starts("partition", "out", [&] { mpi::partition(world, in, shorter, IsOdd()); });
  starts("partition", "comm", [&] { mpi::partition(MPI_COMM_NULL, in, in, IsOdd()); });
  EXPECT_EQ(shorter(0), -77);
  if (size_of(world) == 1) return;
  EXPECT_THROW(wrong ? mpi::copy_if(world, in, in, IsOdd()) : mpi::remove_if(world, in, IsOdd()),
               std::invalid_argument);
}

}  // namespace
}  // namespace wavescan::Test
