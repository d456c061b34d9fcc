// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCAN_SCANCASES_HPP
#define WAVESCAN_TEST_SCAN_SCANCASES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

/// @file
/// @brief Scans as data: shapes, places in memory, carries. A few templates run any case, so that
/// thousands of them cost no compile time.

namespace wavescan::Test {

enum class Carries { None, Value, Views, OneView, Out };
enum class Target { Apart, Input, Weights };  ///< where the result goes

/// @brief One scan: whatever may let the library choose another way of doing it.
struct ScanCase {
  int rank = 1;
  int axis = 0;
  Placement in, out, weights;  ///< of equal extents; rank 1 has one row
  Kind kind = Kind::Inclusive;
  Carries carries = Carries::None;
  std::int64_t carry_stride = 1;
  Target target = Target::Apart;
  bool many_weights = false;  ///< a weight for each element

  int line_axis() const { return rank == 1 ? 1 : axis; }
  std::int64_t lines() const { return line_axis() == 0 ? in.columns : in.rows; }
  std::int64_t length() const { return line_axis() == 0 ? in.rows : in.columns; }
  std::int64_t elements() const { return in.rows * in.columns; }

  std::string to_string() const {
    static constexpr std::array kinds{"inclusive", "exclusive"};
    static constexpr std::array carry_names{"no carry", "a carry in", "carries in and out",
                                            "one View of carries in and out", "carries out"};
    static constexpr std::array targets{"apart", "in place", "over the weights"};
    const auto place = [](const Placement& p) {
      return std::to_string(p.first) + "+" + std::to_string(p.row_stride) + "i+" +
             std::to_string(p.column_stride) + "j";
    };
    std::ostringstream text;
    text << kinds[static_cast<std::size_t>(kind)] << " scan of rank " << rank << ", " << in.rows
         << " x " << in.columns << " along axis " << axis << ", in at " << place(in) << ", out at "
         << place(out) << " (" << targets[static_cast<std::size_t>(target)] << "), "
         << carry_names[static_cast<std::size_t>(carries)];
    if (many_weights) text << ", weights at " << place(weights);
    return text.str();
  }
};

// ---- what is scanned: a combination of the library, its meaning, and random data

/// @brief An Operator; `meaning(s, x)` is the next state and `draw(random)` an element.
template <class X, class Op, class Meaning, class Draw>
struct PlainSubject {
  using combine_type = Op;
  using input_type = X;
  using value_type = typename Op::value_type;
  using weight_type = value_type;
  static constexpr bool weighted = false;
  Op combine;
  Meaning meaning;
  Draw draw;

  value_type identity() const { return combine.identity(); }
  value_type advance(const value_type& s, const weight_type&, const value_type& x) const {
    return meaning(s, x);
  }
  weight_type draw_weight(Random&) const { return identity(); }
};

template <class X, class Op, class Meaning, class Draw>
auto plain_subject(const Op& op, const Meaning& meaning, const Draw& draw) {
  return PlainSubject<X, Op, Meaning, Draw>{op, meaning, draw};
}

/// @brief An Algebra; `meaning(s, w, x)` is the next state.
template <class X, class A, class Meaning, class Draw, class DrawWeight>
struct WeightedSubject {
  using combine_type = A;
  using input_type = X;
  using value_type = typename A::value_type;
  using weight_type = typename A::weight_type;
  static constexpr bool weighted = true;
  A combine;
  Meaning meaning;
  Draw draw;
  DrawWeight draw_weight;

  value_type identity() const { return combine.zero(); }
  value_type advance(const value_type& s, const weight_type& w, const value_type& x) const {
    return meaning(s, w, x);
  }
};

template <class X, class A, class Meaning, class Draw, class DrawWeight>
auto weighted_subject(const A& algebra, const Meaning& meaning, const Draw& draw,
                      const DrawWeight& draw_weight) {
  return WeightedSubject<X, A, Meaning, Draw, DrawWeight>{algebra, meaning, draw, draw_weight};
}

// ---- running a case

/// @brief A case's data on the device, and the calls of the library.
template <class Subject, class Exec = Kokkos::DefaultExecutionSpace>
class CaseRun {
  using T = typename Subject::value_type;
  using X = typename Subject::input_type;
  using W = typename Subject::weight_type;

 public:
  CaseRun(const Subject& subject, const ScanCase& c, Random& random)
      : subject_(subject),
        case_(c),
        x_(draw<X>(c.elements(), [&] { return subject.draw(random); })),
        w_(draw<W>(Subject::weighted ? (c.many_weights ? c.elements() : 1) : 0,
                   [&] { return subject.draw_weight(random); })),
        carries_(draw<T>(std::max<std::int64_t>(c.lines(), 1),
                         [&] { return static_cast<T>(subject.draw(random)); })),
        plan_(Exec(), c.lines(), c.length(), subject.combine),
        in_(c.in, x_),
        weights_(c.many_weights ? c.weights : line(0), c.many_weights ? w_ : std::vector<W>()),
        carry_(line(c.lines(), c.carry_stride),
               {carries_.begin(), carries_.begin() + static_cast<std::ptrdiff_t>(c.lines())}) {
    if (c.carries == Carries::Value) std::fill(carries_.begin(), carries_.end(), carries_.front());
  }

  void check() {
    const bool enters = case_.carries != Carries::None && case_.carries != Carries::Out;
    const ExpectedScans<T> expected(Oracle{*this}, x_, case_.in, case_.line_axis(),
                                    enters ? carries_ : std::vector<T>());
    const auto check_target = [&](const GuardedArray<T, Exec>& out, bool input_kept) {
      const GuardedArray<T, Exec> last(line(case_.lines(), case_.carry_stride));
      case_.rank == 1 ? run<1>(out, last) : run<2>(out, last);
      if (!holds(out, expected.of(case_.kind), "result")) return;
      if (case_.carries == Carries::Out || case_.carries == Carries::Views) {
        if (!holds(last, expected.last, "carries out")) return;
      } else if (case_.carries == Carries::OneView) {
        if (!holds(carry_, expected.last, "carries in and out")) return;
      }
      ASSERT_TRUE(last.guards_intact() && carry_.guards_intact()) << "around carries";
      ASSERT_TRUE(!input_kept || same_bits(in_.values(), x_)) << "the input was changed";
    };
    if constexpr (std::is_same_v<T, X>)
      if (case_.target == Target::Input) return check_target(in_, false);
    if constexpr (std::is_same_v<T, W>)
      if (case_.target == Target::Weights) return check_target(weights_, true);
    check_target(GuardedArray<T, Exec>(case_.out), true);
  }

 private:
  template <class V, class Draw>
  static std::vector<V> draw(std::int64_t count, const Draw& one) {
    std::vector<V> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) values.push_back(one());
    return values;
  }

  struct Oracle {
    const CaseRun& run;
    T identity() const { return run.subject_.identity(); }
    T advance(const T& s, const T& x, std::int64_t l, std::int64_t j) const {
      if constexpr (Subject::weighted) {
        const std::int64_t columns = run.case_.in.columns;
        const std::int64_t k = run.case_.line_axis() == 0 ? j * columns + l : l * columns + j;
        return run.subject_.advance(
            s, run.w_[static_cast<std::size_t>(run.case_.many_weights ? k : 0)], x);
      } else {
        return run.subject_.advance(s, {}, x);
      }
    }
  };

  template <int Rank>
  void run(const GuardedArray<T, Exec>& out, const GuardedArray<T, Exec>& last) const {
    const auto options = ScanOptions().axis(case_.axis);
    const auto ins = carries_of<Rank>(carry_), outs = carries_of<Rank>(last);
    switch (case_.carries) {
      case Carries::None:
        return run_weights<Rank>(out, options);
      case Carries::Value:
        return run_weights<Rank>(out, options.carry_in(carries_.front()));
      case Carries::Views:
      case Carries::OneView:
        return run_weights<Rank>(
            out, options.carry_in(ins).carry_out(case_.carries == Carries::OneView ? ins : outs));
      case Carries::Out:
        return run_weights<Rank>(out, options.carry_out(outs));
    }
  }

  template <int Rank, class Options>
  void run_weights(const GuardedArray<T, Exec>& out, const Options& options) const {
    const auto from = view_of<Rank>(in_);
    const auto to = view_of<Rank>(out);
    if constexpr (!Subject::weighted) {
      case_.kind == Kind::Inclusive ? plan_.inclusive(from, to, options)
                                    : plan_.exclusive(from, to, options);
    } else {
      const auto call = [&](const auto& by) {
        case_.kind == Kind::Inclusive ? plan_.weighted(from, by, to, options)
                                      : plan_.weighted_exclusive(from, by, to, options);
      };
      case_.many_weights ? call(view_of<Rank>(weights_)) : call(w_.front());
    }
  }

  const Subject& subject_;
  const ScanCase& case_;
  std::vector<X> x_;
  std::vector<W> w_;
  std::vector<T> carries_;
  Scan<Exec, typename Subject::combine_type> plan_;
  GuardedArray<X, Exec> in_;
  GuardedArray<W, Exec> weights_;
  GuardedArray<T, Exec> carry_;
};

// ---- where arrays lie

/// @brief How the entries of an array follow each other.
enum class Order { Rows, PitchedRows, Columns, PitchedColumns, Spread };
inline constexpr std::array orders{Order::Rows, Order::PitchedRows, Order::Columns,
                                   Order::PitchedColumns, Order::Spread};

/// @param gap   elements between rows or columns that are pitched
/// @param first elements before the first one, past an alignment of 64 elements
inline Placement placed(Order order, std::int64_t rows, std::int64_t columns, std::int64_t gap,
                        std::int64_t first) {
  switch (order) {
    case Order::Rows:
      return {rows, columns, columns, 1, first};
    case Order::PitchedRows:
      return {rows, columns, columns + gap, 1, first};
    case Order::Columns:
      return {rows, columns, 1, rows, first};
    case Order::PitchedColumns:
      return {rows, columns, 1, rows + gap, first};
    default:
      return {rows, columns, 3 * columns + gap, 3, first};
  }
}

/// @brief A number in [1, most] whose logarithm is evenly distributed.
inline std::int64_t draw_size(Random& random, std::int64_t most) {
  const double exponent = (random.value<double>() + 1) / 2;
  return static_cast<std::int64_t>(std::pow(static_cast<double>(most), exponent));
}

/// @brief A case of at most `most` elements.
inline ScanCase draw_case(Random& random, std::int64_t most, bool weighted) {
  const auto one_in = [&](int n) { return random.integer(1, n) == 1; };
  ScanCase c;
  c.rank = one_in(3) ? 1 : 2;
  std::int64_t lines = 1, length = 0;
  if (c.rank == 1) {
    length = one_in(50) ? 0 : draw_size(random, most);
  } else if (one_in(3)) {  // many short lines
    length = random.integer(1, 70);
    lines = draw_size(random, most / length);
  } else if (one_in(2)) {  // few long lines
    lines = random.integer(1, 9);
    length = draw_size(random, most / lines);
  } else {  // lines about as long as what kernels take at a time
    length =
        (std::int64_t(256) << random.integer(0, 7)) * (one_in(2) ? 3 : 1) + random.integer(-2, 2);
    length = std::min(length, most);
    lines = draw_size(random, most / length);
  }
  c.axis = c.rank == 1 ? (one_in(2) ? 0 : -1) : static_cast<int>(random.integer(0, 1));
  const std::int64_t rows = c.line_axis() == 0 ? length : lines;
  const std::int64_t columns = c.line_axis() == 0 ? lines : length;
  const auto draw_place = [&](std::int64_t first) {
    if (c.rank == 1) {
      Placement p = line(columns, one_in(4) ? random.integer(2, 5) : 1);
      p.first = first;
      return p;
    }
    return placed(orders[static_cast<std::size_t>(random.integer(0, 4))], rows, columns,
                  random.integer(1, 40), first);
  };
  const std::int64_t first = random.integer(0, 17);
  c.in = draw_place(first);
  c.out = one_in(2) ? c.in : draw_place(first);
  c.weights = one_in(2) ? c.in : draw_place(first);
  if (one_in(2)) c.out.first = random.integer(0, 17);
  if (one_in(2)) c.weights.first = random.integer(0, 17);
  c.kind = one_in(2) ? Kind::Inclusive : Kind::Exclusive;
  c.carries = static_cast<Carries>(random.integer(0, 4));
  c.carry_stride = one_in(3) ? 3 : 1;
  c.many_weights = weighted && one_in(2);
  c.target =
      one_in(3) ? (c.many_weights && one_in(2) ? Target::Weights : Target::Input) : Target::Apart;
  return c;
}

/// @brief Any subject, to what draws cases: it is compiled once for all of them.
struct CheckCase {
  bool weighted;
  std::function<void(const ScanCase&, Random&)> check;
};

/// @brief Runs `count` random cases of up to `most` elements; now and then one ten times as large.
inline void check_random_cases(const CheckCase& subject, std::int64_t count, std::int64_t most) {
  Random seeds;
  for (std::int64_t k = 0; k < count; ++k) {
    Random random(static_cast<std::uint64_t>(seeds.integer(0, 1 << 30)));
    const ScanCase c = draw_case(random, k % 50 == 49 ? 10 * most : most, subject.weighted);
    SCOPED_TRACE(seeds.trace() + ", case " + std::to_string(k) + ": " + c.to_string());
    subject.check(c, random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// @brief Rows and columns of matrices of every width, packed, pitched and spread.
inline void check_matrix(const CheckCase& subject, Random& random, std::int64_t lines,
                         std::int64_t length) {
  for (const int axis : {0, 1})
    for (const Order order : orders) {
      ScanCase c;
      c.rank = 2;
      c.axis = axis;
      const std::int64_t gap = random.integer(1, 40);
      c.in = placed(order, axis == 0 ? length : lines, axis == 0 ? lines : length, gap,
                    random.integer(0, 17));
      c.out = c.weights = c.in;
      if (random.integer(0, 1) == 1) c.out.first = random.integer(0, 17);
      if (random.integer(0, 1) == 1) c.weights.first = random.integer(0, 17);
      c.kind = static_cast<Kind>(random.integer(0, 1));
      c.carries = static_cast<Carries>(random.integer(0, 4));
      c.many_weights = subject.weighted && random.integer(0, 1) == 1;
      c.target = static_cast<Target>(random.integer(0, 1));
      SCOPED_TRACE(c.to_string());
      subject.check(c, random);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// @brief Many short lines of every width up to 70 and of prime widths beyond.
inline void check_short_lines(const CheckCase& subject, std::int64_t elements) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto check_width = [&](std::int64_t width) {
    if (testing::Test::HasFatalFailure()) return;
    check_matrix(subject, random, random.integer(1, std::max<std::int64_t>(elements / width, 1)),
                 width);
  };
  for (std::int64_t width = 1; width <= 70; ++width) check_width(width);
  for (const std::int64_t prime : {97, 127, 131, 251, 257, 509, 521, 1021, 1031})
    check_width(prime);
}

/// @brief Few lines around the lengths that kernels take at a time.
inline void check_long_lines(const CheckCase& subject) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t tile : {2048, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152})
    for (const std::int64_t off : {-1, 0, 1}) {
      if (testing::Test::HasFatalFailure()) return;
      check_matrix(subject, random, random.integer(2, 5), tile + off);
    }
}

/// @brief Lines so long that every block of a GPU gets several tiles, and moves them in bulk.
inline void check_lines_of_millions(const CheckCase& subject) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Carries carries : {Carries::None, Carries::Views, Carries::OneView}) {
    if (testing::Test::HasFatalFailure()) return;
    ScanCase c;
    c.in = c.out = c.weights = line(random.integer(1200000, 6000000));
    c.in.first = random.integer(0, 17);
    c.out.first = carries == Carries::Views ? random.integer(0, 17) : c.in.first;
    c.weights.first = carries == Carries::Views ? random.integer(0, 17) : c.in.first;
    c.kind = static_cast<Kind>(random.integer(0, 1));
    c.carries = carries;
    c.many_weights = subject.weighted && carries != Carries::OneView;
    SCOPED_TRACE(c.to_string());
    subject.check(c, random);
  }
}

/// @brief All of the above. WAVESCAN_TEST_CASES sets the number of random cases; with few of them
/// the others are left out or kept small too.
template <class Subject>
void check_cases(const Subject& any) {
  const CheckCase subject{Subject::weighted, [&any](const ScanCase& c, Random& random) {
                            CaseRun(any, c, random).check();
                          }};
  const bool few = few_cases_wanted();
  check_random_cases(subject, cases_wanted(500), few ? 3000 : 30000);
  if (testing::Test::HasFatalFailure()) return;
  check_short_lines(subject, few ? 300 : 3000);
  if (testing::Test::HasFatalFailure() || few) return;
  check_long_lines(subject);
  if (testing::Test::HasFatalFailure() || on_host<Kokkos::DefaultExecutionSpace>) return;
  check_lines_of_millions(subject);
}

}  // namespace wavescan::Test

#endif
