// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Operators.hpp>
#include <WaveScan_MPI_Scan.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "distributed.hpp"

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutStride, Exec>;

/// @brief A block of a distributed matrix of lines; which of its two axes the lines run along, and
/// which of them is the closer one in memory, varies.
template <class T>
struct Block {
  int axis;  ///< that lines run along
  bool right;
  std::int64_t lines, length;
  Matrix<T> view;

  Block(int along, bool layout_right, std::int64_t count, std::int64_t elements)
      : axis(along), right(layout_right), lines(count), length(elements) {
    const auto rows = static_cast<std::size_t>(axis == 0 ? length : lines);
    const auto columns = static_cast<std::size_t>(axis == 0 ? lines : length);
    const Kokkos::View<T*, Exec> memory("block", rows * columns);
    keep_ = memory;
    view = right ? Matrix<T>(memory.data(), Kokkos::LayoutStride(rows, columns, columns, 1))
                 : Matrix<T>(memory.data(), Kokkos::LayoutStride(rows, 1, columns, rows));
  }
  /// @brief Elements `first` and on of lines that lie one after the other, `all` elements each.
  void set(const std::vector<T>& whole, std::int64_t all, std::int64_t first) const {
    const auto host = Kokkos::create_mirror_view(keep_);
    for_all([&](std::int64_t line, std::int64_t j, std::size_t place) {
      host(place) = whole[static_cast<std::size_t>(line * all + first + j)];
    });
    Kokkos::deep_copy(keep_, host);
  }
  void fill(int byte) const {
    const auto host = Kokkos::create_mirror_view(keep_);
    std::memset(static_cast<void*>(host.data()), byte, host.size() * sizeof(T));
    Kokkos::deep_copy(keep_, host);
  }
  std::vector<T> values() const {
    Kokkos::fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keep_);
    std::vector<T> result;
    for_all([&](std::int64_t, std::int64_t, std::size_t place) { result.push_back(host(place)); });
    return result;
  }

 private:
  template <class Use>
  void for_all(const Use& use) const {
    for (std::int64_t line = 0; line < lines; ++line)
      for (std::int64_t j = 0; j < length; ++j) {
        const bool along = (axis == 1) == right;
        use(line, j, static_cast<std::size_t>(along ? line * length + j : j * lines + line));
      }
  }
  Kokkos::View<T*, Exec> keep_;
};

/// @brief What a scan of whole lines gives, element by element, and the states after them.
template <class T>
struct Expected {
  std::vector<T> lines, after;
};

/// @param step state after an element: step(state, line, j)
template <class T, class First, class Step>
Expected<T> serial(std::int64_t lines, std::int64_t length, bool inclusive, bool reverse,
                   const T* carry, const T& identity, const First& first, const Step& step) {
  Expected<T> result;
  result.lines.resize(static_cast<std::size_t>(lines * length));
  for (std::int64_t line = 0; line < lines; ++line) {
    bool present = carry != nullptr;
    T state = present ? carry[line] : identity;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t j = reverse ? length - 1 - k : k;
      const T next = present ? step(state, line, j) : first(line, j);
      result.lines[static_cast<std::size_t>(line * length + j)] = inclusive ? next : state;
      state = next;
      present = true;
    }
    result.after.push_back(state);
  }
  return result;
}

template <class T>
std::vector<T> part_of(const std::vector<T>& whole, std::int64_t lines, std::int64_t length,
                       std::int64_t first, std::int64_t count) {
  std::vector<T> part;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t j = first; j < first + count; ++j)
      part.push_back(whole[static_cast<std::size_t>(line * length + j)]);
  return part;
}

template <class T>
Kokkos::View<T*, Exec> view_of(const std::vector<T>& values) {
  const Kokkos::View<T*, Exec> view("values", values.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t k = 0; k < values.size(); ++k) host(k) = values[k];
  Kokkos::deep_copy(view, host);
  return view;
}
template <class T>
std::vector<T> values_of(const Kokkos::View<T*, Exec>& view) {
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.size()};
}

struct Case {
  std::int64_t lines;
  Distribution blocks;
  int axis;
  bool right, reverse, inclusive, in_place, carry;

  static Case random(Random& random, int processes, int number) {
    Case c;
    c.lines = number % 5 == 0 ? 0 : number % 2 == 0 ? 1 : random.integer(1, 40);
    c.blocks = Distribution::random(random, processes, number % 3 == 0 ? 3000 : 70);
    c.axis = static_cast<int>(random.integer(0, 1));
    c.right = random.integer(0, 1) != 0;
    c.reverse = random.integer(0, 1) != 0;
    c.inclusive = random.integer(0, 1) != 0;
    c.in_place = random.integer(0, 1) != 0;
    c.carry = random.integer(0, 1) != 0;
    return c;
  }
};

/// @brief Scans with carries in and out, compares, and lets all processes know.
template <class Op>
void check_plain(MPI_Comm comm, const Op& op, Random& random, int number) {
  using T = typename Op::value_type;
  const Case c = Case::random(random, size_of(comm), number);
  const std::int64_t length = c.blocks.all(), count = c.blocks.count(rank_of(comm)),
                     first = c.blocks.first(rank_of(comm));
  const auto whole = random_values(op, random, c.lines * length);
  const auto carries = random_values(op, random, c.lines);
  const auto expected = serial<T>(
      c.lines, length, c.inclusive, c.reverse, c.carry ? carries.data() : nullptr, op.identity(),
      [&](auto line, auto j) { return whole[static_cast<std::size_t>(line * length + j)]; },
      [&](const T& s, auto line, auto j) {
        return op(s, whole[static_cast<std::size_t>(line * length + j)]);
      });
  const Block<T> in(c.axis, c.right, c.lines, count), other(c.axis, c.right, c.lines, count);
  const Block<T>& out = c.in_place ? in : other;
  other.fill(0xaa);
  in.set(whole, length, first);
  // Only the first process' carry counts.
  const bool is_first = rank_of(comm) == (c.reverse ? size_of(comm) - 1 : 0);
  const auto others = random_values(op, random, c.lines);
  const auto carry_in = view_of(is_first ? carries : others);
  const Kokkos::View<T*, Exec> carry_out("carry_out", static_cast<std::size_t>(c.lines));

  const mpi::Scan<Exec, Op> plan(comm, Exec(), c.lines, count, op);
  const auto options = ScanOptions<>().axis(c.axis).reverse(c.reverse).carry_out(carry_out);
  const auto scan = [&](const auto& with_carry) {
    if (c.inclusive)
      plan.inclusive(in.view, out.view, with_carry);
    else
      plan.exclusive(in.view, out.view, with_carry);
  };
  if (c.carry)
    scan(options.carry_in(carry_in));
  else
    scan(options);
  EXPECT_TRUE(equal(out.values(), part_of(expected.lines, c.lines, length, first, count)));
  EXPECT_TRUE(equal(values_of(carry_out), expected.after));
}

template <class T>
struct Sum : Plus<T> {
  static T random(Random& r) { return r.value<T>(); }
};
template <class T>
struct Largest : Max<T> {
  static T random(Random& r) { return r.value<T>(); }
};

int cases() {
  const char* const per_cent = std::getenv("WAVESCAN_TEST_CASES");
  return per_cent ? std::max(1, 40 * std::atoi(per_cent) / 100) : 40;
}

template <class Op>
void check_plain_cases(const Op& op) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int number = 0; number < cases(); ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    check_plain(MPI_COMM_WORLD, op, random, number);
    if (!everywhere(MPI_COMM_WORLD, !testing::Test::HasFailure())) return;
  }
}

TEST(MpiScans, SumsOf64Bits) { check_plain_cases(Sum<std::int64_t>()); }
TEST(MpiScans, SumsOf8Bits) { check_plain_cases(Sum<std::int8_t>()); }
TEST(MpiScans, Maxima) { check_plain_cases(Largest<double>()); }
TEST(MpiScans, OperatorsThatDoNotCommute) {
  check_plain_cases(Affine<std::uint64_t>());
  check_plain_cases(MatrixProduct<std::uint16_t, 3>());
}
TEST(MpiScans, OperatorsWithData) { check_plain_cases(ModularTimes{1000003}); }

template <class A>
void check_weighted(const A& algebra, Random& random, int number, const auto& draw) {
  using T = typename A::value_type;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const Case c = Case::random(random, size_of(comm), number);
  const std::int64_t length = c.blocks.all(), count = c.blocks.count(rank_of(comm)),
                     first = c.blocks.first(rank_of(comm));
  const bool constant = random.integer(0, 1) != 0;
  const auto list = [&](std::int64_t n) {
    std::vector<T> values;
    for (std::int64_t k = 0; k < n; ++k) values.push_back(draw(random));
    return values;
  };
  const auto whole = list(c.lines * length), weights = list(c.lines * length),
             carries = list(c.lines);
  const T weight = draw(random);
  const auto at = [&](const auto& values, auto line, auto j) {
    return values[static_cast<std::size_t>(line * length + j)];
  };
  const auto expected = serial<T>(
      c.lines, length, c.inclusive, c.reverse, c.carry ? carries.data() : nullptr, algebra.zero(),
      [&](auto line, auto j) { return at(whole, line, j); },
      [&](const T& s, auto line, auto j) {
        return algebra.accumulate(algebra.distribute(s, constant ? weight : at(weights, line, j)),
                                  at(whole, line, j));
      });
  const Block<T> in(c.axis, c.right, c.lines, count), other(c.axis, c.right, c.lines, count),
      w(c.axis, c.right, c.lines, count);
  const Block<T>& out = c.in_place ? in : other;
  other.fill(0xaa);
  in.set(whole, length, first);
  w.set(weights, length, first);
  const auto carry = view_of(carries);  // in and out
  const mpi::Scan<Exec, A> plan(comm, Exec(), c.lines, count, algebra);
  const auto options = ScanOptions<>().axis(c.axis).reverse(c.reverse).carry_out(carry);
  const auto scan = [&](const auto& by, const auto& with_carry) {
    if (c.inclusive)
      plan.weighted(in.view, by, out.view, with_carry);
    else
      plan.weighted_exclusive(in.view, by, out.view, with_carry);
  };
  const auto scan_by = [&](const auto& by) {
    if (c.carry)
      scan(by, options.carry_in(carry));
    else
      scan(by, options);
  };
  if (constant)
    scan_by(weight);
  else
    scan_by(w.view);
  EXPECT_TRUE(equal(out.values(), part_of(expected.lines, c.lines, length, first, count)));
  EXPECT_TRUE(equal(values_of(carry), expected.after));
}

template <class A>
void check_weighted_cases(const A& algebra, const auto& draw) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int number = 0; number < cases(); ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    check_weighted(algebra, random, number, draw);
    if (!everywhere(MPI_COMM_WORLD, !testing::Test::HasFailure())) return;
  }
}

TEST(MpiScans, WeightedSums) {
  check_weighted_cases(PlusTimes<std::uint32_t>(),
                       [](Random& r) { return r.value<std::uint32_t>(); });
}
TEST(MpiScans, WeightedMaxima) {
  check_weighted_cases(MaxPlus<std::int64_t>(), [](Random& r) { return r.integer(-50, 50); });
}
TEST(MpiScans, WeightedByTheSameOperator) {
  check_weighted_cases(SameOperator<Plus<std::int64_t>>(),
                       [](Random& r) { return r.integer(-50, 50); });
}
TEST(MpiScans, WeightedModulo) {
  check_weighted_cases(ModularAlgebra{1009},
                       [](Random& r) { return static_cast<std::uint32_t>(r.integer(0, 1008)); });
}

}  // namespace
}  // namespace wavescan::Test
