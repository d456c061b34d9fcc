// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_TeamLevelScan.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_ScanOracle.hpp"

// Scans inside kernels, a row a team.

namespace {
namespace team_level {

using namespace wavescan;
using namespace wavescan::Test;
using Kokkos::DefaultExecutionSpace;

template <class T, class Exec>
using ScratchRow = Kokkos::View<T*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

enum class Kind { Inclusive, Exclusive };
/// Where a row lies: in memory, in memory as its own result, or as that in scratch of a level.
enum class Place { Memory, MemoryInPlace, Scratch0, Scratch1 };

/// An operator as a plain functor: nothing but what combines two values.
template <class Op>
struct Bare {
  using T = typename Op::value_type;
  Op op;
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const { return op(a, b); }
};

template <class Exec, class X, class T, class Op>
struct ScanRows {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  template <class V>
  using Matrix = typename GuardedArray<V, Exec>::template View<V**, Kokkos::LayoutStride>;

  Op op;
  Kind kind;
  Place place;
  bool carried;
  T carry;
  Matrix<X> in;
  Matrix<T> out;
  Matrix<T> totals;  ///< (row, thread)

  template <class In, class Out>
  KOKKOS_FUNCTION T scan(const Team& team, const In& x, const Out& y) const {
    if (kind == Kind::Inclusive)
      return carried ? team_inclusive_scan(team, x, y, op, carry)
                     : team_inclusive_scan(team, x, y, op);
    if constexpr (requires { op.identity(); })
      if (!carried) return team_exclusive_scan(team, x, y, op);
    return team_exclusive_scan(team, x, y, op, carry);
  }

  // Neither before nor behind a scan does anybody wait: it does so itself.
  template <class From, class To>
  KOKKOS_FUNCTION static void copy_backwards(const Team& team, const From& from, const To& to) {
    const int n = static_cast<int>(from.extent(0));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n),
                         [&](int j) { to(n - 1 - j) = static_cast<T>(from(n - 1 - j)); });
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto row = team.league_rank();
    const auto x = Kokkos::subview(in, row, Kokkos::ALL);
    const auto y = Kokkos::subview(out, row, Kokkos::ALL);
    T total;
    if (place == Place::Memory) {
      total = scan(team, x, y);
    } else if (place == Place::MemoryInPlace) {
      copy_backwards(team, x, y);
      total = scan(team, y, y);
    } else {
      const ScratchRow<T, Exec> scratch(team.team_scratch(place == Place::Scratch0 ? 0 : 1),
                                        x.extent(0));
      copy_backwards(team, x, scratch);
      total = scan(team, scratch, scratch);
      copy_backwards(team, scratch, y);
    }
    totals(row, team.team_rank()) = total;
  }
};

/// Teams as users may ask for them: threads, and lanes of each one's vector.
struct Shape {
  int threads, lanes;
};
template <class Exec>
std::vector<Shape> shapes() {
  std::vector<Shape> result{{1, 1}};
  for (const int threads : team_sizes(Exec())) result.push_back({threads, 1});
  if constexpr (!std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>)
    for (const Shape shape : {Shape{1, 32}, {3, 8}, {16, 4}, {33, 2}, {8, 32}, {512, 1}, {1024, 1}})
      result.push_back(shape);
  return result;
}

/// A scan of rows, and how it is done.
template <class T>
struct RowCase {
  std::int64_t length;
  Shape shape;
  Kind kind;
  Place place;
  std::optional<T> carry;
};

/// Three rows: their arrays, and what is expected of them, whatever the operator.
template <class Exec, class X, class T>
class Rows {
 public:
  static constexpr std::int64_t rows = 3;
  using Run =
      std::function<bool(const RowCase<T>&, const GuardedArray<X, Exec>& in,
                         const GuardedArray<T, Exec>& out, const GuardedArray<T, Exec>& totals)>;

  /// @param run    calls the kernel; false where no team has this shape
  /// @param begins_itself whether exclusive scans need no carry
  Rows(const Run& run, const Advance<T>& advance, const T& identity, bool begins_itself)
      : run_(run), advance_(advance), identity_(identity), begins_itself_(begins_itself) {}

  void check(const RowCase<T>& c, const std::vector<X>& x) const {
    SCOPED_TRACE(std::to_string(c.length) + " elements, " + std::to_string(c.shape.threads) +
                 " threads of " + std::to_string(c.shape.lanes) + " lanes, kind " +
                 std::to_string(static_cast<int>(c.kind)) + ", place " +
                 std::to_string(static_cast<int>(c.place)) + (c.carry ? ", carry" : ", no carry"));
    const GuardedArray<X, Exec> in(spread(rows, c.length), x);
    const GuardedArray<T, Exec> out(row_major(rows, c.length)),
        totals(row_major(rows, c.shape.threads));
    if (!run_(c, in, out, totals)) return;

    std::vector<T> scanned, last;
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto expected =
          scan_line<T>(line_of(x, in.placement(), 1, i), c.carry, identity_, advance_);
      const auto& row = c.kind == Kind::Inclusive ? expected.inclusive : expected.exclusive;
      scanned.insert(scanned.end(), row.begin(), row.end());
      last.insert(last.end(), static_cast<std::size_t>(c.shape.threads), expected.last);
    }
    ASSERT_TRUE(equal(out.values(), scanned));
    ASSERT_TRUE(equal(totals.values(), last));
    ASSERT_TRUE(out.guards_intact());
    ASSERT_TRUE(totals.guards_intact());
    ASSERT_TRUE(equal(in.values(), x));
  }

  /// All shapes of teams, and lengths around them; `draw(count)` draws elements.
  void check_all(const std::function<std::vector<X>(std::int64_t)>& draw,
                 const std::vector<Place>& places) const {
    const T some_carry = static_cast<T>(draw(1)[0]);
    for (const Shape shape : shapes<Exec>()) {
      const int t = shape.threads, all = t * shape.lanes;
      for (const std::int64_t length :
           std::set<std::int64_t>{0, 1, 2, 31, t - 1, t, t + 1, all - 1, all, all + 1, 2 * t + 1,
                                  127, 3 * all + 17, 1009})
        for (const Place place : places)
          for (const Kind kind : {Kind::Inclusive, Kind::Exclusive}) {
            const auto x = draw(3 * length);
            check({length, shape, kind, place, some_carry}, x);
            if (begins_itself_ || kind == Kind::Inclusive)
              check({length, shape, kind, place, std::nullopt}, x);
            if (testing::Test::HasFatalFailure()) return;
          }
    }
  }

 private:
  Run run_;
  Advance<T> advance_;
  T identity_;
  bool begins_itself_;
};

template <class Exec, class X, class T, class Op>
bool run_rows(const Op& op, const T& identity, const RowCase<T>& c, const GuardedArray<X, Exec>& in,
              const GuardedArray<T, Exec>& out, const GuardedArray<T, Exec>& totals) {
  const ScanRows<Exec, X, T, Op> kernel{
      op,          c.kind,       c.place,        c.carry.has_value(), c.carry.value_or(identity),
      in.matrix(), out.matrix(), totals.matrix()};
  const auto row_bytes = ScratchRow<T, Exec>::shmem_size(static_cast<std::size_t>(c.length));
  const auto scan_bytes = team_scan_shmem_size<T, Exec>(c.shape.threads);
  Kokkos::TeamPolicy<Exec> policy(Exec(), static_cast<int>(Rows<Exec, X, T>::rows), c.shape.threads,
                                  c.shape.lanes);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(scan_bytes + (c.place == Place::Scratch0 ? row_bytes : 0)));
  if (c.place == Place::Scratch1) policy.set_scratch_size(1, Kokkos::PerTeam(row_bytes));
  if (c.shape.threads > policy.team_size_max(kernel, Kokkos::ParallelForTag())) return false;
  Kokkos::parallel_for("rows", policy, kernel);
  return true;
}

template <class Exec, class X, class T, class Op>
void check_operator(const Op& op, const T& identity,
                    const std::function<std::vector<X>(std::int64_t)>& draw,
                    const std::vector<Place>& places = {Place::Memory, Place::MemoryInPlace}) {
  const Rows<Exec, X, T> rows(
      [&](const RowCase<T>& c, const GuardedArray<X, Exec>& in, const GuardedArray<T, Exec>& out,
          const GuardedArray<T, Exec>& totals) {
        return run_rows<Exec, X, T>(op, identity, c, in, out, totals);
      },
      [&op](const T& a, const T& b, std::size_t) { return op(a, b); }, identity,
      requires { op.identity(); });
  rows.check_all(draw, places);
}

template <class Op>
void check_numbers(const Op& op, std::int64_t low, std::int64_t high) {
  using T = typename Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  check_operator<DefaultExecutionSpace, T, T>(
      op, op.identity(), [&](std::int64_t count) { return random.integers<T>(count, low, high); });
}

// Doubles hold these sums without rounding, in any order.
TEST(TeamLevelScan, Sums) {
  check_numbers(Plus<std::int32_t>{}, INT32_MIN, INT32_MAX);
  check_numbers(Plus<double>{}, -1000000, 1000000);
}

TEST(TeamLevelScan, MaximaAndMinima) {
  check_numbers(Max<std::int32_t>{}, INT32_MIN, INT32_MAX);
  check_numbers(Min<double>{}, -1000000, 1000000);
}

TEST(TeamLevelScan, OperandsKeepTheirOrder) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto check = [&](const auto& op, const std::vector<Place>& places) {
    using T = typename std::remove_cvref_t<decltype(op)>::value_type;
    check_operator<DefaultExecutionSpace, T, T>(
        op, op.identity(), [&](std::int64_t count) { return random_values(op, random, count); },
        places);
  };
  check(Affine<std::uint32_t>{},
        {Place::Memory, Place::MemoryInPlace, Place::Scratch0, Place::Scratch1});
  check(MatrixProduct<std::uint16_t, 2>{}, {Place::MemoryInPlace});
  check(MatrixProduct<std::uint64_t, 2>{}, {Place::Scratch1});
}

TEST(TeamLevelScan, OperatorsNeedNoIdentity) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Op = Affine<std::uint64_t>;
  check_operator<DefaultExecutionSpace, Op::Map, Op::Map>(
      Bare<Op>{}, Op::Map{}, [&](std::int64_t count) { return random_values(Op{}, random, count); },
      {Place::Memory});
}

TEST(TeamLevelScan, ElementsAreConverted) {
  Random random;
  SCOPED_TRACE(random.trace());
  check_operator<DefaultExecutionSpace, std::uint8_t, std::int64_t>(
      Plus<std::int64_t>{}, std::int64_t(0),
      [&](std::int64_t count) { return random.values<std::uint8_t>(count); },
      {Place::Memory, Place::Scratch0});
}

TEST(TeamLevelScan, OfTheHost) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Op = Affine<std::uint32_t>;
  check_operator<Kokkos::DefaultHostExecutionSpace, Op::Map, Op::Map>(
      Op{}, Op{}.identity(), [&](std::int64_t count) { return random_values(Op{}, random, count); },
      {Place::Memory, Place::MemoryInPlace, Place::Scratch0, Place::Scratch1});
}

/// Scans a row again and again and notes how far scratch was used afterwards.
void scan_often(const Kokkos::View<int*>& row, const Kokkos::View<std::int64_t>& moved, int threads,
                int times) {
  Kokkos::parallel_for(
      "often",
      Kokkos::TeamPolicy<>(1, threads)
          .set_scratch_size(0, Kokkos::PerTeam(team_scan_shmem_size<int>(threads))),
      KOKKOS_LAMBDA(const Kokkos::TeamPolicy<>::member_type& team) {
        const char* const before = static_cast<const char*>(team.team_scratch(0).get_shmem(0));
        for (int k = 0; k < times; ++k) team_inclusive_scan(team, row, row);
        const char* const after = static_cast<const char*>(team.team_scratch(0).get_shmem(0));
        if (team.team_rank() == 0) moved() = after - before;
      });
}

TEST(TeamLevelScan, ScratchIsFreeAgain) {
  for (const Shape shape : shapes<DefaultExecutionSpace>()) {
    if (shape.lanes > 1) continue;
    const Kokkos::View<int*> row("row", 5);
    const Kokkos::View<std::int64_t> moved("moved");
    Kokkos::deep_copy(row, 1);
    Kokkos::deep_copy(moved, -1);
    scan_often(row, moved, shape.threads, 40);
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), row);
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), moved)(), 0);
    EXPECT_EQ(result(0), 1);
    EXPECT_EQ(result(1), 41);  // sums of sums: binomial coefficients (40 + j over j)
    EXPECT_EQ(result(4), 135751);
  }
}

TEST(TeamLevelScan, ScratchGrowsWithTeamAndType) {
  EXPECT_GE(team_scan_shmem_size<double>(8), 8 * sizeof(double));
  EXPECT_LE(team_scan_shmem_size<char>(8), team_scan_shmem_size<double>(8));
  EXPECT_LE(team_scan_shmem_size<double>(8), team_scan_shmem_size<double>());
}

/// For teams of any size, if the user leaves it out.
TEST(TeamLevelScan, ScratchOfWideValuesFits) {
  const auto room = static_cast<std::size_t>(Kokkos::TeamPolicy<>::scratch_size_max(0));
  EXPECT_LE(team_scan_shmem_size<Kokkos::complex<double>>(), room);
  EXPECT_LE((team_scan_shmem_size<MatrixProduct<std::uint64_t, 4>::value_type>()), room);
}

}  // namespace team_level
}  // namespace
