// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Operators.hpp>
#include <WaveScan_MPI_SegmentedReduce.hpp>
#include <string>
#include <vector>

#include "DistributedSegments.hpp"

namespace wavescan::Test {
namespace {

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

TEST(MpiSegments, Reductions) {
  for_cases(cases(), [](Random& random, int number) {
    check_reduction(Plus<std::int64_t>(), random, number);
    check_reduction(Affine<std::uint64_t>(), random, number);
  });
}

}  // namespace
}  // namespace wavescan::Test
