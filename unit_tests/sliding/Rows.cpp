// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <functional>
#include <vector>

#include "CheckSliding.hpp"

// Rows, several Views at once, flags and predicates of the index.

namespace sliding_rows {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

struct FirstPositive {
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row) const {
    return row[0] > 0;
  }
};
struct IsInside {
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& position, float velocity, std::int32_t id) const {
    return position[0] > -0.5 && position[position.size() - 1] < 0.5 && velocity > -0.75f &&
           id % 5 != 0;
  }
};
struct IsEven {
  template <class... X>
  KOKKOS_FUNCTION bool operator()(std::int64_t i, const X&...) const {
    return i % 2 == 0;
  }
};
struct ThirdOrLarge {
  KOKKOS_FUNCTION bool operator()(std::int64_t i, const std::int32_t& x) const {
    return i % 3 == 0 || x > 90;
  }
};

/// The rows of a matrix for which `keep(i)`.
template <class T, class Keep>
std::vector<T> rows_kept(const std::vector<T>& values, std::int64_t columns, const Keep& keep) {
  std::vector<T> kept;
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  for (std::int64_t i = 0; i < rows; ++i)
    if (keep(i))
      kept.insert(kept.end(), values.begin() + i * columns, values.begin() + (i + 1) * columns);
  return kept;
}

/// Selections of rows that are seen through Views of a layout.
template <class Exec>
struct RowCalls {
  using Array = GuardedArray<double, Exec>;
  using InPlace = std::function<std::int64_t(const Array&)>;
  std::function<std::int64_t(const Array& source, const Array& target)> copy;
  InPlace copy_in_place, partition_in_place, unique_in_place;
};
template <class Layout, class Exec>
RowCalls<Exec> row_calls(const Exec& exec) {
  using Array = GuardedArray<double, Exec>;
  return {[exec](const Array& source, const Array& target) {
            return copy_if(exec, source.template matrix<Layout>(), target.matrix(),
                           FirstPositive());
          },
          [exec](const Array& array) {
            const auto view = array.template matrix<Layout>();
            return copy_if(exec, view, view, FirstPositive());
          },
          [exec](const Array& array) {
            return partition(exec, array.template matrix<Layout>(), FirstPositive());
          },
          [exec](const Array& array) { return unique(exec, array.template matrix<Layout>()); }};
}

/// Rows of all placements, of which the first column decides.
template <class Exec>
void check_row_calls(const Exec& exec, const RowCalls<Exec>& calls, const Placement& from,
                     const Placement& to, const std::vector<double>& in) {
  const std::int64_t columns = from.columns, rows = from.rows;
  const auto keep = [&](std::int64_t i) { return in[static_cast<std::size_t>(i * columns)] > 0; };
  const auto expected = rows_kept(in, columns, keep);
  auto others = rows_kept(in, columns, [&](std::int64_t i) { return !keep(i); });
  const std::int64_t kept = static_cast<std::int64_t>(expected.size()) / columns;
  using Array = GuardedArray<double, Exec>;
  {
    const Array source(from, in), target(to);
    EXPECT_EQ(calls.copy(source, target), kept);
    EXPECT_TRUE(starts_with(target.values(), expected, true));
    EXPECT_TRUE(target.guards_intact());
  }
  {
    const Array array(from, in);
    EXPECT_EQ(calls.copy_in_place(array), kept);
    EXPECT_TRUE(starts_with(array.values(), expected, false));
    EXPECT_TRUE(array.guards_intact());
  }
  {
    const Array array(from, in), target(to);
    auto all = expected;
    all.insert(all.end(), others.begin(), others.end());
    EXPECT_EQ(partition(exec, array.matrix(), target.matrix(), FirstPositive()), kept);
    EXPECT_TRUE(same_bits(target.values(), all));
    EXPECT_EQ(calls.partition_in_place(array), kept);
    EXPECT_TRUE(same_bits(array.values(), all));
    EXPECT_TRUE(array.guards_intact());
  }
  {
    // Every row twice, then one of each.
    std::vector<double> twice;
    for (std::int64_t i = 0; i < rows; ++i)
      twice.insert(twice.end(), in.begin() + i / 2 * columns, in.begin() + (i / 2 + 1) * columns);
    const Array array(from, twice);
    const std::vector<double> once(in.begin(), in.begin() + (rows + 1) / 2 * columns);
    EXPECT_EQ(calls.unique_in_place(array), (rows + 1) / 2);
    EXPECT_TRUE(starts_with(array.values(), once, false));
    EXPECT_TRUE(array.guards_intact());
  }
}
template <class Layout, class Exec>
void check_rows(const Exec& exec, const Placement& from, const Placement& to,
                const std::vector<double>& in) {
  check_row_calls(exec, row_calls<Layout>(exec), from, to, in);
}

TEST(SlidingRows, OfAllLayouts) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t rows : {0, 1, 7, 1030, 9001})
    for (const std::int64_t columns : {1, 2, 3, 100}) {
      if (rows == 9001 && (columns == 100 || few_cases_wanted())) continue;
      if (rows == 1030 && columns % 3 != 0 && few_cases_wanted()) continue;
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      const auto in = random.values<double>(rows * columns);
      for_each_instance([&](const auto& exec) {
        SCOPED_TRACE(std::string(exec.name()) + " of " + std::to_string(exec.concurrency()));
        const auto right = row_major(rows, columns), left = column_major(rows, columns);
        check_rows<Kokkos::LayoutRight>(exec, right, right, in);
        check_rows<Kokkos::LayoutLeft>(exec, left, left, in);
        check_rows<Kokkos::LayoutRight>(exec, right, left, in);
        check_rows<Kokkos::LayoutLeft>(exec, left, right, in);
        check_rows<Kokkos::LayoutStride>(exec, spread(rows, columns), right, in);
        check_rows<Kokkos::LayoutRight>(exec, right, spread(rows, columns), in);
      });
    }
}

/// Rows wider than what a thread holds of a block otherwise.
TEST(SlidingRows, Wide) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t rows = 5, columns = 20011;
  const auto in = random.values<double>(rows * columns);
  const Kokkos::DefaultExecutionSpace exec;
  const auto right = row_major(rows, columns), left = column_major(rows, columns);
  check_rows<Kokkos::LayoutRight>(exec, right, right, in);
  check_rows<Kokkos::LayoutLeft>(exec, left, left, in);
  check_rows<Kokkos::LayoutStride>(exec, spread(rows, columns), left, in);
}

TEST(SlidingRows, WithoutColumns) {
  const Kokkos::View<double**> nothing("nothing", 100, 0);
  EXPECT_EQ(remove_if(nothing, by_index(IsEven())), 50);
}

/// Particles: positions in rows, velocities and numbers.
template <class Exec>
void check_particles(const Exec& exec, const Placement& rows, Random& random) {
  const std::int64_t n = rows.rows;
  const auto position = random.values<double>(3 * n);
  const auto velocity = random.values<float>(n);
  std::vector<std::int32_t> id(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::int32_t>(i);
  const auto keep = [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    return position[3 * k] > -0.5 && position[3 * k + 2] < 0.5 && velocity[k] > -0.75f &&
           id[k] % 5 != 0;
  };
  const auto lose = [&](std::int64_t i) { return !keep(i); };
  GuardedArray<double, Exec> x(rows, position), y(rows);
  GuardedArray<float, Exec> v(line(n), velocity), w(line(n));
  GuardedArray<std::int32_t, Exec> k(line(n), id), l(line(n, 2));
  const auto all = zip(x.matrix(), v.vector(), k.vector());
  const auto copies = zip(y.matrix(), w.vector(), l.vector());
  const auto kept_id = rows_kept(id, 1, keep);
  const auto kept = static_cast<std::int64_t>(kept_id.size());

  EXPECT_EQ(copy_if(exec, all, copies, IsInside()), kept);
  EXPECT_TRUE(starts_with(y.values(), rows_kept(position, 3, keep), true));
  EXPECT_TRUE(starts_with(w.values(), rows_kept(velocity, 1, keep), true));
  EXPECT_TRUE(starts_with(l.values(), kept_id, true));

  const auto joined = [](auto a, const auto& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  EXPECT_EQ(partition(exec, all, copies, IsInside()), kept);
  EXPECT_TRUE(
      same_bits(y.values(), joined(rows_kept(position, 3, keep), rows_kept(position, 3, lose))));
  EXPECT_TRUE(same_bits(l.values(), joined(kept_id, rows_kept(id, 1, lose))));

  EXPECT_EQ(copy_if(exec, all, all, IsInside()), kept);
  EXPECT_TRUE(starts_with(x.values(), rows_kept(position, 3, keep), false));
  EXPECT_TRUE(starts_with(v.values(), rows_kept(velocity, 1, keep), false));
  EXPECT_TRUE(starts_with(k.values(), kept_id, false));
  for (const auto& intact : {x.guards_intact(), y.guards_intact(), v.guards_intact(),
                             w.guards_intact(), k.guards_intact(), l.guards_intact()})
    EXPECT_TRUE(intact);

  x.set(position);
  v.set(velocity);
  k.set(id);
  EXPECT_EQ(partition(exec, all, IsInside()), kept);
  EXPECT_TRUE(
      same_bits(x.values(), joined(rows_kept(position, 3, keep), rows_kept(position, 3, lose))));
  EXPECT_TRUE(
      same_bits(v.values(), joined(rows_kept(velocity, 1, keep), rows_kept(velocity, 1, lose))));
  EXPECT_TRUE(same_bits(k.values(), joined(kept_id, rows_kept(id, 1, lose))));
  EXPECT_TRUE(x.guards_intact());
}

TEST(SlidingTogether, Particles) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {0, 1, 77, 12345})
    for_each_instance([&](const auto& exec) {
      SCOPED_TRACE(std::to_string(n) + " on " + std::to_string(exec.concurrency()));
      check_particles(exec, row_major(n, 3), random);
      check_particles(exec, column_major(n, 3), random);
    });
}

TEST(SlidingTogether, KeysAndValues) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {0, 1, 1000, 60001}) {
    const auto keys = spread_elements<std::int32_t>(random, n, Spread::Random);
    std::vector<std::int32_t> sorted(keys);
    std::sort(sorted.begin(), sorted.end());
    const auto values = random.values<double>(n);
    const auto rows = random.values<float>(2 * n);
    const auto first = [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      return i == 0 || sorted[k] != sorted[k - 1];
    };
    const auto expected = rows_kept(sorted, 1, first);
    for_each_instance([&](const auto& exec) {
      using Exec = std::remove_cvref_t<decltype(exec)>;
      const GuardedArray<std::int32_t, Exec> k(line(n), sorted);
      const GuardedArray<double, Exec> v(line(n, 2), values);
      const GuardedArray<float, Exec> r(column_major(n, 2), rows);
      EXPECT_EQ(unique_by_key(exec, k.vector(), zip(v.vector(), r.matrix())),
                static_cast<std::int64_t>(expected.size()));
      EXPECT_TRUE(starts_with(k.values(), expected, false));
      EXPECT_TRUE(starts_with(v.values(), rows_kept(values, 1, first), false));
      EXPECT_TRUE(starts_with(r.values(), rows_kept(rows, 2, first), false));
      EXPECT_TRUE(k.guards_intact());
      EXPECT_TRUE(v.guards_intact());
      EXPECT_TRUE(r.guards_intact());
    });
  }
}

TEST(SlidingPredicates, FlagsOfSeveralTypes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 40011;
  const auto in = random.values<std::int32_t>(n);
  const auto check = [&](auto flag, std::int64_t stride) {
    using Flag = decltype(flag);
    // Not only zeros and ones: what counts is whether they are zero.
    const auto flags = random.integers<Flag>(n, 0, std::is_same_v<Flag, bool> ? 1 : 3);
    const auto keep = [&](std::int64_t i) {
      return static_cast<bool>(flags[static_cast<std::size_t>(i)]);
    };
    const auto lose = [&](std::int64_t i) { return !keep(i); };
    for_each_instance([&](const auto& exec) {
      using Exec = std::remove_cvref_t<decltype(exec)>;
      const GuardedArray<Flag, Exec> f(line(n, stride), std::vector<Flag>(flags));
      const GuardedArray<std::int32_t, Exec> x(line(n), in), y(line(n));
      const auto kept = rows_kept(in, 1, keep);
      EXPECT_EQ(copy_if(exec, x.vector(), y.vector(), f.vector()),
                static_cast<std::int64_t>(kept.size()));
      EXPECT_TRUE(starts_with(y.values(), kept, true));
      EXPECT_EQ(remove_if(exec, x.vector(), f.vector()),
                n - static_cast<std::int64_t>(kept.size()));
      EXPECT_TRUE(starts_with(x.values(), rows_kept(in, 1, lose), false));
    });
  };
  check(std::uint8_t(), 1);
  check(std::int32_t(), 1);
  check(std::int32_t(), 3);
  check(0.5, 1);
}

/// The flags may be what moves.
TEST(SlidingPredicates, OwnFlags) {
  Random random;
  const std::int64_t n = 70001;
  const auto in = random.integers<std::int32_t>(n, 0, 2);
  std::vector<std::int32_t> kept;
  for (const std::int32_t x : in)
    if (x != 0) kept.push_back(x);
  for_each_instance([&](const auto& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    const GuardedArray<std::int32_t, Exec> x(line(n), in);
    EXPECT_EQ(copy_if(exec, x.vector(), x.vector(), x.vector()),
              static_cast<std::int64_t>(kept.size()));
    EXPECT_TRUE(starts_with(x.values(), kept, false));
  });
}

TEST(SlidingPredicates, ByIndex) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 50023;
  const auto in = spread_elements<std::int32_t>(random, n, Spread::Random);
  const auto even = rows_kept(in, 1, [](std::int64_t i) { return i % 2 == 0; });
  const auto third = rows_kept(
      in, 1, [&](std::int64_t i) { return i % 3 == 0 || in[static_cast<std::size_t>(i)] > 90; });
  for_each_instance([&](const auto& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    const GuardedArray<std::int32_t, Exec> x(line(n), in), y(line(n));
    EXPECT_EQ(copy_if(exec, x.vector(), y.vector(), by_index(ThirdOrLarge())),
              static_cast<std::int64_t>(third.size()));
    EXPECT_TRUE(starts_with(y.values(), third, true));
    EXPECT_EQ(
        copy_if(exec, zip(x.vector(), y.vector()), zip(x.vector(), y.vector()), by_index(IsEven())),
        static_cast<std::int64_t>(even.size()));
    EXPECT_TRUE(starts_with(x.values(), even, false));
  });
}

/// Counts its calls.
struct Counting {
  Kokkos::View<std::int64_t*> calls;
  KOKKOS_FUNCTION bool operator()(std::int64_t i, const std::int32_t&) const {
    Kokkos::atomic_inc(&calls(i));
    return i % 3 != 0;
  }
};
TEST(SlidingPredicates, AreCalledOnce) {
  const std::int64_t n = 30011;
  const Kokkos::View<std::int32_t*> x("x", n), y("y", n);
  const Kokkos::View<std::int64_t*> calls("calls", n);
  copy_if(x, y, by_index(Counting{calls}));
  remove_if(x, by_index(Counting{calls}));
  partition(x, by_index(Counting{calls}));
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls);
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(host(i), 3) << "element " << i;
}

}  // namespace
}  // namespace sliding_rows
