// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Operators.hpp>
#include <WaveScan_MPI_SegmentedReduce.hpp>
#include <WaveScan_MPI_SegmentedScan.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "WaveScanTest_Errors.hpp"
#include "distributed_lines.hpp"

namespace wavescan::Test {
namespace {

/// @brief A distributed array in segments, as all processes know it, and this process' block.
struct Segmented {
  Distribution blocks;
  std::vector<std::int64_t> begins;  ///< of segments, in order, the first one at 0
  std::vector<int> owners;           ///< the process that a segment begins on

  static Segmented random(Random& random, int number) {
    Segmented s;
    const int processes = size_of(world);
    s.blocks = Distribution::random(random, processes, number % 3 == 0 ? 3000 : 70);
    const std::int64_t mean = std::vector<std::int64_t>{1, 4, 60, 1000, 1 << 20}[number % 5u];
    for (std::int64_t at = 0; at < s.blocks.all() || s.begins.empty();
         at += random.integer(0, 2 * mean))
      s.begins.push_back(at);
    for (int owner = 0; const std::int64_t begin : s.begins) {
      // Where a block ends, the segment that begins next may be told of by that block, too.
      while (begin > s.blocks.first(owner + 1) ||
             (begin == s.blocks.first(owner + 1) && owner + 1 < processes &&
              random.integer(0, 2) != 0))
        ++owner;
      s.owners.push_back(owner);
    }
    return s;
  }

  std::int64_t all() const { return blocks.all(); }
  std::int64_t first() const { return blocks.first(rank_of(world)); }
  std::int64_t count() const { return blocks.count(rank_of(world)); }
  std::int64_t end(std::size_t s) const { return s + 1 < begins.size() ? begins[s + 1] : all(); }

  template <class T>
  Kokkos::View<T*, Exec> block(const std::vector<T>& whole) const {
    return view_of(part_of(whole, 1, all(), first(), count()));
  }
  /// @brief Of segments that begin here, from the block's begin, then the end of the block.
  std::vector<int> offsets() const {
    std::vector<int> own;
    for (std::size_t s = 0; s < begins.size(); ++s)
      if (owners[s] == rank_of(world)) own.push_back(static_cast<int>(begins[s] - first()));
    own.push_back(static_cast<int>(count()));
    return own;
  }
  std::vector<std::uint8_t> flags() const {
    std::vector<std::uint8_t> all_flags(static_cast<std::size_t>(all()), 0);
    for (const std::int64_t begin : begins)
      if (begin > 0 && begin < all()) all_flags[static_cast<std::size_t>(begin)] = 1;
    return all_flags;
  }
  std::vector<short> keys() const {
    std::vector<short> all_keys;
    short key = 3;
    for (const std::uint8_t flag : flags()) {
      if (flag != 0) key = key == 3 ? 5 : 3;
      all_keys.push_back(key);
    }
    return all_keys;
  }
  /// @brief Calls use(segments) with a description of the block by the way of this number.
  template <class Use>
  void describe(int way, const Use& use) const {
    if (way == 0)
      use(segment_offsets(view_of(offsets())));
    else if (way == 1)
      use(segment_heads(block(flags())));
    else
      use(segment_keys(block(keys())));
  }
};

template <class Op>
std::vector<typename Op::value_type> draw(const Op& op, Random& random, std::int64_t count) {
  if constexpr (requires { op.random(random); })
    return random_values(op, random, count);
  else
    return random.values<typename Op::value_type>(count);
}

/// @brief Scans every segment in a serial loop.
/// @param next (state, j) to the state after element j
template <class T, class Next>
std::vector<T> scanned(const Segmented& s, bool inclusive, bool reverse, const T* init,
                       const T& identity, const std::vector<T>& x, const Next& next) {
  std::vector<T> y(x.size());
  for (std::size_t k = 0; k < s.begins.size(); ++k) {
    T state = init ? *init : identity;
    const std::int64_t begin = s.begins[k], length = s.end(k) - begin;
    for (std::int64_t i = 0; i < length; ++i) {
      const auto j = static_cast<std::size_t>(begin + (reverse ? length - 1 - i : i));
      const T after = i == 0 && !init ? x[j] : next(state, j);
      y[j] = inclusive ? after : state;
      state = after;
    }
  }
  return y;
}

template <class Op>
void check_scan(const Op& op, Random& random, int number) {
  using T = typename Op::value_type;
  const Segmented s = Segmented::random(random, number);
  const auto x = draw(op, random, s.all());
  const T init = draw(op, random, 1)[0];
  const bool entered = random.integer(0, 1) != 0, inclusive = random.integer(0, 1) != 0,
             reverse = random.integer(0, 1) != 0, in_place = random.integer(0, 1) != 0;
  const auto expected =
      s.block(scanned(s, inclusive, reverse, entered ? &init : nullptr, op.identity(), x,
                      [&](const T& state, std::size_t j) { return op(state, x[j]); }));
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE("described in way " + std::to_string(way));
    const auto in = s.block(x), other = s.block(x);
    const auto& out = in_place ? in : other;
    const mpi::SegmentedScan<Exec, Op> plan(world, Exec(), s.count(), op);
    s.describe(way, [&](const auto& segments) {
      const auto scan = [&](const auto& state) {
        if (inclusive)
          plan.inclusive(in, segments, out, state, {.reverse = reverse});
        else
          plan.exclusive(in, segments, out, state, {.reverse = reverse});
      };
      if (entered)
        scan(init);
      else
        scan(NoCarry());
    });
    EXPECT_TRUE(equal(values_of(out), values_of(expected)));
  }
}

template <class A>
void check_weighted(const A& algebra, Random& random, int number) {
  using T = typename A::value_type;
  const Segmented s = Segmented::random(random, number);
  const auto list = [&](std::int64_t n) { return random.integers<T>(n, -50, 50); };
  const auto x = list(s.all()), w = list(s.all());
  const T init = list(1)[0], weight = list(1)[0];
  const bool entered = random.integer(0, 1) != 0, inclusive = random.integer(0, 1) != 0,
             reverse = random.integer(0, 1) != 0, constant = random.integer(0, 1) != 0;
  const auto expected = scanned(s, inclusive, reverse, entered ? &init : nullptr, algebra.zero(), x,
                                [&](const T& state, std::size_t j) {
                                  return algebra.accumulate(
                                      algebra.distribute(state, constant ? weight : w[j]), x[j]);
                                });
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE("described in way " + std::to_string(way));
    const auto in = s.block(x), weights = s.block(w);
    s.describe(way, [&](const auto& segments) {
      const auto scan = [&](const auto& by, const auto& state) {
        if (inclusive)
          mpi::segmented_weighted_scan(world, in, by, segments, in, algebra, state,
                                       {.reverse = reverse});
        else
          mpi::segmented_weighted_exclusive_scan(world, in, by, segments, in, algebra, state,
                                                 {.reverse = reverse});
      };
      const auto scan_by = [&](const auto& by) {
        if (entered)
          scan(by, init);
        else
          scan(by, NoCarry());
      };
      if (constant)
        scan_by(weight);
      else
        scan_by(weights);
    });
    EXPECT_TRUE(equal(values_of(in), values_of(s.block(expected))));
  }
}

template <class Op>
void check_reduction(const Op& op, Random& random, int number) {
  using T = typename Op::value_type;
  const Segmented s = Segmented::random(random, number);
  const auto x = draw(op, random, s.all());
  const auto in = s.block(x);
  const T init = draw(op, random, 1)[0];
  const bool entered = random.integer(0, 1) != 0;
  const auto reduced = [&](std::size_t k) {
    T state = entered ? init : op.identity();
    for (std::int64_t j = s.begins[k]; j < s.end(k); ++j) {
      const T& element = x[static_cast<std::size_t>(j)];
      state = j == s.begins[k] && !entered ? element : op(state, element);
    }
    return state;
  };
  const auto reduce = [&](const auto& segments, const auto& out, const auto& state) {
    return mpi::segmented_reduce(world, in, segments, out, op, state);
  };
  const auto reduce_all = [&](const auto& segments, const auto& out) {
    return entered ? reduce(segments, out, init) : reduce(segments, out, NoCarry());
  };
  const auto expect_kept = [&](const mpi::Kept& kept, std::size_t count) {
    EXPECT_EQ(kept.count, static_cast<std::int64_t>(count));
    std::int64_t before = 0, total = 0;
    MPI_Exscan(&kept.count, &before, 1, MPI_INT64_T, MPI_SUM, world);
    MPI_Allreduce(&kept.count, &total, 1, MPI_INT64_T, MPI_SUM, world);
    EXPECT_EQ(kept.offset, rank_of(world) > 0 ? before : 0);
    EXPECT_EQ(kept.total, total);
  };
  {
    std::vector<T> expected;
    for (std::size_t k = 0; k < s.begins.size(); ++k)
      if (s.owners[k] == rank_of(world)) expected.push_back(reduced(k));
    const Kokkos::View<T*, Exec> out("out", expected.size());
    expect_kept(reduce_all(segment_offsets(view_of(s.offsets())), out), expected.size());
    EXPECT_TRUE(equal(values_of(out), expected)) << "by offsets";
  }
  std::vector<T> expected;
  std::vector<short> expected_keys;
  const auto keys = s.keys();
  for (std::size_t k = 0; k < s.begins.size(); ++k)
    if (s.begins[k] >= s.first() && s.begins[k] < s.first() + s.count() && s.end(k) > s.begins[k]) {
      expected.push_back(reduced(k));
      expected_keys.push_back(keys[static_cast<std::size_t>(s.begins[k])]);
    }
  const auto first = [](const auto& view, std::size_t n) {
    auto values = values_of(view);
    values.resize(n);
    return values;
  };
  const Kokkos::View<T*, Exec> out("out", static_cast<std::size_t>(s.count()));
  expect_kept(reduce_all(segment_heads(s.block(s.flags())), out), expected.size());
  EXPECT_TRUE(equal(first(out, expected.size()), expected)) << "by flags";
  const Kokkos::View<T*, Exec> again("again", static_cast<std::size_t>(s.count()));
  const Kokkos::View<short*, Exec> unique("unique", static_cast<std::size_t>(s.count()));
  const auto by_key = [&](const auto& state) {
    return mpi::reduce_by_key(world, s.block(keys), in, unique, again, op, EqualKeys(), state);
  };
  expect_kept(entered ? by_key(init) : by_key(NoCarry()), expected.size());
  EXPECT_TRUE(equal(first(again, expected.size()), expected)) << "by key";
  EXPECT_TRUE(equal(first(unique, expected.size()), expected_keys));
}

TEST(MpiSegments, Scans) {
  for_cases(cases(), [](Random& random, int number) {
    check_scan(Plus<std::int64_t>(), random, number);
    check_scan(Max<float>(), random, number);
  });
}
TEST(MpiSegments, ScansByOperatorsThatDoNotCommute) {
  for_cases(cases(), [](Random& random, int number) {
    check_scan(Affine<std::uint64_t>(), random, number);
    check_scan(MatrixProduct<std::uint16_t, 3>(), random, number);
  });
}
TEST(MpiSegments, WeightedScans) {
  for_cases(cases(), [](Random& random, int number) {
    check_weighted(PlusTimes<std::int32_t>(), random, number);
    check_weighted(MaxPlus<std::int64_t>(), random, number);
  });
}
TEST(MpiSegments, Reductions) {
  for_cases(cases(), [](Random& random, int number) {
    check_reduction(Plus<std::int64_t>(), random, number);
    check_reduction(Affine<std::uint64_t>(), random, number);
  });
}

/// @brief One segment that goes through all processes, which the first one alone knows of.
TEST(MpiSegments, OneOverAllProcesses) {
  constexpr int n = 5;
  const int rank = rank_of(world), processes = size_of(world);
  const auto in = view_of(std::vector<int>(n, 1));
  const Kokkos::View<int*, Exec> out("out", n), sum("sum", rank == 0 ? 1u : 0u);
  const auto segments =
      segment_offsets(view_of(rank == 0 ? std::vector<int>{0, n} : std::vector<int>{n}));
  mpi::segmented_exclusive_scan(world, Exec(), in, segments, out, Plus(), 10, {.label = "mine"});
  std::vector<int> expected;
  for (int k = 0; k < n; ++k) expected.push_back(10 + rank * n + k);
  EXPECT_EQ(values_of(out), expected);
  const mpi::Kept kept = mpi::segmented_reduce(world, in, segments, sum);
  EXPECT_EQ(kept.total, 1);
  EXPECT_EQ(values_of(sum), std::vector<int>(rank == 0 ? 1 : 0, n * processes));
}

/// @brief Elements before all segments are a segment of their own, of which no result is kept.
TEST(MpiSegments, ElementsBeforeAllSegments) {
  const int rank = rank_of(world);
  const auto in = view_of(std::vector<int>(3, 1));
  const Kokkos::View<int*, Exec> out("out", 3), sum("sum", 1);
  const auto segments = segment_offsets(view_of(std::vector<int>{2, 3}));
  mpi::inclusive_scan_by_key(world, in, in, out);
  EXPECT_EQ(values_of(out), (std::vector<int>{3 * rank + 1, 3 * rank + 2, 3 * rank + 3}));
  mpi::segmented_inclusive_scan(world, in, segments, out);
  EXPECT_EQ(values_of(out), (rank == 0 ? std::vector<int>{1, 2, 1} : std::vector<int>{2, 3, 1}));
  mpi::segmented_reduce(world, in, segments, sum);
  EXPECT_EQ(values_of(sum)[0], rank + 1 == size_of(world) ? 1 : 3);
  mpi::exclusive_scan_by_key(world, in, in, out);
  EXPECT_EQ(values_of(out), (std::vector<int>{3 * rank, 3 * rank + 1, 3 * rank + 2}));
}

TEST(MpiSegments, WrongArgumentsAreSeenByAll) {
  const bool wrong = rank_of(world) + 1 == size_of(world);
  const auto in = view_of(std::vector<int>(4, 1)), out = view_of(std::vector<int>(4, -77));
  const auto expect = [&](const std::string& text, const auto& call) {
    const std::string error = error_of(call);
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_EQ(error.find("(on rank ") == std::string::npos, wrong) << error;
    EXPECT_EQ(values_of(out), std::vector<int>(4, -77));
  };
  const auto offsets = [&](const std::vector<int>& here) {
    return segment_offsets(view_of(wrong ? here : std::vector<int>{0, 4}));
  };
  expect(
      "WaveScan::mpi::segmented_inclusive_scan: argument 'offsets' must end with the number of "
      "elements, 4",
      [&] {
        mpi::segmented_inclusive_scan(world, in, offsets({0, 5}), out);
      });
  expect("'offsets' must begin between 0 and the number of elements, 4", [&] {
    mpi::segmented_inclusive_scan(world, in, offsets({-1, 4}), out);
  });
  expect("WaveScan::mpi::segmented_reduce: argument 'out'", [&] {
    mpi::segmented_reduce(world, in, offsets({0, 2, 3, 4}),
                          Kokkos::subview(out, Kokkos::pair(0, 1)));
  });
  expect("WaveScan::mpi::inclusive_scan_by_key: argument 'keys'", [&] {
    mpi::inclusive_scan_by_key(world, Kokkos::subview(in, Kokkos::pair(0, wrong ? 3 : 4)), in, out);
  });
  expect("WaveScan::mpi::reduce_by_key: argument 'unique'", [&] {
    const auto unique = view_of(std::vector<int>(4));
    mpi::reduce_by_key(world, in, in, wrong ? in : unique, out);
  });
}

TEST(MpiSegments, DirectionsThatDiffer) {
  if (size_of(world) == 1) return;
  const auto in = view_of(std::vector<int>(4, 1)), flags = view_of(std::vector<int>(4, 0));
  const std::string error = error_of([&] {
    mpi::segmented_inclusive_scan(world, in, segment_heads(flags), in, Plus(), {},
                                  {.reverse = rank_of(world) == 0});
  });
  EXPECT_NE(error.find("argument 'reverse' must be the same on all ranks"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace wavescan::Test
