// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <impl/select/WaveScan_PortableSelect.hpp>

#include "CheckSliding.hpp"

// Selections by loops and scans of Kokkos, the way of devices without one of their own; here on all
// execution spaces, with pieces so small that there are many.

namespace sliding_portable {
namespace {

using namespace wavescan;
using namespace wavescan::Test;
namespace select = wavescan::Impl::select;

/// Selects by the portable way, in place or not; with what is rejected if there is a place for it.
template <class Exec, class T, class Views, class Rejected>
void select_portably(const Exec& exec, const Views& in, const Views& out, const Rejected& rejected,
                     unsigned limit, std::int64_t piece, std::int64_t* count) {
  const auto ins = select::views_of(in), outs = select::views_of(out);
  const auto selector = select::selector_of<Exec>(Below{limit}, ins, true);
  const auto n = static_cast<std::int64_t>(in.extent(0));
  const select::PortableSelect<Exec> plan(exec, piece, sizeof(T));
  const select::Problem<select::Shape::Rows, (std::tuple_size_v<Rejected> > 0),
                        std::remove_const_t<decltype(selector)>, select::Moved<T>>
      problem{n, selector, select::moved_of(ins, outs, rejected), count};
  plan.enqueue(exec, problem);
  exec.fence();
}

template <class T, class Exec>
void check(const Exec& exec, const std::vector<T>& in, unsigned limit, std::int64_t piece) {
  const auto n = static_cast<std::int64_t>(in.size());
  const Expected<T> expected(in, {limit});
  const Count<Exec> count;
  const GuardedArray<T, Exec> from(line(n), in), to(line(n)), others(line(n, 2));
  select_portably<Exec, T>(exec, from.vector(), to.vector(), select::views_of(others.vector()),
                           limit, piece, count.view().data());
  EXPECT_EQ(count.value(), static_cast<std::int64_t>(expected.kept.size()));
  EXPECT_TRUE(starts_with(to.values(), expected.kept, true));
  EXPECT_TRUE(starts_with(others.values(), expected.rejected, true));
  select_portably<Exec, T>(exec, from.vector(), from.vector(), std::tuple<>(), limit, piece,
                           count.view().data());
  EXPECT_EQ(count.value(), static_cast<std::int64_t>(expected.kept.size()));
  EXPECT_TRUE(starts_with(from.values(), expected.kept, false));
  for (const auto& array : {&from, &to, &others}) EXPECT_TRUE(array->guards_intact());
}

TEST(SlidingPortably, InPieces) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {0, 1, 100, 5000})
    for (const std::int64_t piece : {1, 7, 999, 5000, 9999}) {
      if (n > 100 && piece < 100) continue;
      for_each_instance([&](const auto& exec) {
        SCOPED_TRACE(std::to_string(n) + " in pieces of " + std::to_string(piece));
        check(exec, spread_elements<std::int32_t>(random, n, Spread::Random), 60, piece);
        check(exec, spread_elements<Blob<20>>(random, n, Spread::FrontKept), 30, piece);
      });
    }
}

TEST(SlidingPortably, UniqueAndPartition) {
  Random random;
  SCOPED_TRACE(random.trace());
  for_each_instance([&](const auto& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    for (const std::int64_t n : {1, 3001}) {
      const auto in = random.integers<std::int32_t>(n, 0, 1);
      const Expected<std::int32_t> expected(in, {1});
      const GuardedArray<std::int32_t, Exec> x(line(n), in), y(line(n), in), buffer(line(n));
      const Count<Exec> count;
      const select::PortableSelect<Exec> plan(exec, 100, sizeof(std::int32_t));
      const auto views = select::views_of(x.vector()), others = select::views_of(y.vector());
      const auto sources = select::sources_of(x.vector());
      const select::Selector<select::StartsRun<select::IsEqual>,
                             std::remove_const_t<decltype(sources)>>
          runs{{}, sources, true};
      plan.enqueue(
          exec,
          select::Problem<select::Shape::Rows, false, decltype(runs), select::Moved<std::int32_t>>{
              n, runs, select::moved_of(views, views, std::tuple<>()), count.view().data()});
      EXPECT_EQ(count.value(), static_cast<std::int64_t>(expected.unique.size()));
      EXPECT_TRUE(starts_with(x.values(), expected.unique, false));

      const auto selector = select::selector_of<Exec>(Below{1}, others, true);
      const select::Problem<select::Shape::Rows, true, std::remove_const_t<decltype(selector)>,
                            select::Moved<std::int32_t>>
          both{n, selector, select::moved_of(others, others, select::views_of(buffer.vector())),
               count.view().data()};
      plan.enqueue(exec, both);
      select::append_rejected(exec, both);
      EXPECT_EQ(count.value(), static_cast<std::int64_t>(expected.kept.size()));
      EXPECT_TRUE(same_bits(y.values(), expected.partitioned()));
    }
  });
}

/// Rows, in both layouts.
TEST(SlidingPortably, Rows) {
  const std::int64_t rows = 1001, columns = 3;
  std::vector<std::int32_t> in;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    in.push_back(static_cast<std::int32_t>(i % columns == 0 ? i % 7 : i));
  for_each_instance([&](const auto& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    for (const Placement& placement : {row_major(rows, columns), column_major(rows, columns)}) {
      const GuardedArray<std::int32_t, Exec> x(placement, in);
      GuardedArray<std::uint8_t, Exec> flags(line(rows));
      std::vector<std::uint8_t> chosen;
      std::vector<std::int32_t> kept;
      for (std::int64_t i = 0; i < rows; ++i) {
        chosen.push_back(i % 7 != 3);
        if (chosen.back() != 0)
          for (std::int64_t j = 0; j < columns; ++j)
            kept.push_back(in[static_cast<std::size_t>(i * columns + j)]);
      }
      flags.set(chosen);
      const Count<Exec> count;
      const auto views = select::views_of(x.matrix());
      const auto selector = select::selector_of<Exec>(flags.vector(), views, true);
      const select::PortableSelect<Exec> plan(exec, 100, columns * sizeof(std::int32_t));
      plan.enqueue(
          exec,
          select::Problem<select::Shape::Rows, false, std::remove_const_t<decltype(selector)>,
                          select::Moved<std::int32_t>>{
              rows, selector, select::moved_of(views, views, std::tuple<>()), count.view().data()});
      EXPECT_EQ(count.value() * columns, static_cast<std::int64_t>(kept.size()));
      EXPECT_TRUE(starts_with(x.values(), kept, false));
      EXPECT_TRUE(x.guards_intact());
    }
  });
}

}  // namespace
}  // namespace sliding_portable
