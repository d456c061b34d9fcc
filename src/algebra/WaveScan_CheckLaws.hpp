// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_CHECKLAWS_HPP
#define WAVESCAN_CHECKLAWS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// @brief Tells on samples whether operators obey the laws that scans and wavefront loops rely on.

namespace wavescan {

/// @brief One law, whether it held on all samples, and if not the first counterexample.
struct Law {
  std::string name;            ///< such as "associative"
  bool holds = true;           ///< on all samples
  std::string counterexample;  ///< empty if the law holds
};

/// @brief The outcome of check_laws.
struct LawReport {
  std::vector<Law> laws;  ///< those that were checked, in the order of checking

  /// @brief True if the law `name` was checked and held.
  bool holds(std::string_view name) const {
    const auto law = std::find_if(laws.begin(), laws.end(),
                                  [&](const Law& checked) { return checked.name == name; });
    return law != laws.end() && law->holds;
  }

  /// @brief True if a scan may use the operator: it is associative and has its identity.
  bool scannable() const { return holds("associative") && holds("identity"); }

  /// @brief True if the conditions of theorem 1 of Hou et al. hold on the samples: the accumulation
  /// operator is associative and commutative, and the distribution operator distributes over it or
  /// is the same operator.
  bool theorem_holds() const {
    return scannable() && holds("commutative") &&
           std::all_of(laws.begin(), laws.end(),
                       [](const Law& law) {
                         return law.holds || law.name == "distributive" ||
                                law.name == "same operator";
                       }) &&
           (holds("distributive") || holds("same operator"));
  }

  /// @brief One line a law, with its counterexample where it fails. Of "distributive" and "same
  /// operator" one is enough.
  std::string to_string() const {
    std::ostringstream text;
    const bool either = holds("distributive") || holds("same operator");
    for (const Law& law : laws) {
      if (!law.holds && either && (law.name == "distributive" || law.name == "same operator"))
        continue;
      text << (law.holds ? "holds  " : "FAILS  ") << law.name;
      if (!law.holds) text << ": " << law.counterexample;
      text << '\n';
    }
    return text.str();
  }
};

/// @brief Equality as check_laws sees it: exact, or within a relative tolerance for floating point.
///
/// Values are equal if |a - b| <= tolerance * max(|a|, |b|, 1), or both are NaN or one infinity.
/// Types other than floating point are compared by ==, whatever the tolerance; pass a functor of
/// your own for types built from floating-point numbers.
struct NearlyEqual {
  double tolerance = 0;  ///< relative; 0 asks for equality
  template <std::equality_comparable T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>) {
      if (a == b || (std::isnan(a) && std::isnan(b))) return true;
      if (std::isinf(a) || std::isinf(b)) return false;
      const auto scale = std::max({std::abs(a), std::abs(b), T(1)});
      return std::abs(a - b) <= static_cast<T>(tolerance) * scale;
    } else {
      return a == b;
    }
  }
};

namespace Impl {

template <class T>
std::string describe(const T& value, [[maybe_unused]] std::size_t sample) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (std::integral<T> && sizeof(T) == 1)
    text << static_cast<int>(value);
  else if constexpr (requires { text << value; })
    text << value;
  else
    text << "sample " << sample;
  return text.str();
}

/// @brief A law that fails, with descriptions of a triple of samples and of the two results.
inline Law broken_law(std::string_view name, const std::array<std::string, 5>& values) {
  return {std::string(name), false,
          "a = " + values[0] + ", b = " + values[1] + ", c = " + values[2] + " give " + values[3] +
              " and " + values[4]};
}

/// @brief Checks `left(a, b, c) == right(a, b, c)` for all triples of samples of three lists.
template <class A, class B, class C, class Left, class Right, class Equal>
Law check_triples(std::string_view name, const std::vector<A>& as, const std::vector<B>& bs,
                  const std::vector<C>& cs, const Left& left, const Right& right,
                  const Equal& equal) {
  for (std::size_t i = 0; i < as.size(); ++i)
    for (std::size_t j = 0; j < bs.size(); ++j)
      for (std::size_t k = 0; k < cs.size(); ++k) {
        const auto l = left(as[i], bs[j], cs[k]);
        const auto r = right(as[i], bs[j], cs[k]);
        if (!equal(l, r))
          return broken_law(name, {describe(as[i], i), describe(bs[j], j), describe(cs[k], k),
                                   describe(l, 0), describe(r, 0)});
      }
  return {std::string(name), true, {}};
}

/// @brief The laws of a monoid, and whether it commutes.
template <class T, class Combine, class Equal>
void check_monoid(std::vector<Law>& laws, const std::vector<T>& samples, const Combine& combine,
                  const T& identity, const Equal& equal) {
  const std::vector<T> none{identity};
  laws.push_back(check_triples(
      "associative", samples, samples, samples,
      [&](const T& a, const T& b, const T& c) { return combine(combine(a, b), c); },
      [&](const T& a, const T& b, const T& c) { return combine(a, combine(b, c)); }, equal));
  laws.push_back(check_triples(
      "commutative", samples, samples, none,
      [&](const T& a, const T& b, const T&) { return combine(a, b); },
      [&](const T& a, const T& b, const T&) { return combine(b, a); }, equal));
  Law left = check_triples(
      "identity", samples, none, none,
      [&](const T& a, const T& e, const T&) { return combine(e, a); },
      [&](const T& a, const T&, const T&) { return a; }, equal);
  if (left.holds)
    left = check_triples(
        "identity", samples, none, none,
        [&](const T& a, const T& e, const T&) { return combine(a, e); },
        [&](const T& a, const T&, const T&) { return a; }, equal);
  laws.push_back(left);
}

}  // namespace Impl

/// @brief Checks on samples that an operator is associative, commutes and has its identity.
///
/// A scan needs the first and the last (`scannable()`); it keeps operands in order. The cost is
/// n^3 applications for n samples, on the host. Rounding makes floating-point addition fail exact
/// associativity: give a tolerance.
///
/// @param op      the operator
/// @param samples values to try; choose them across the range that your data uses
/// @param equal   equality: `NearlyEqual{1e-12}` allows for rounding
template <Operator Op, class Equal = NearlyEqual>
LawReport check_laws(const Op& op, const std::vector<typename Op::value_type>& samples,
                     const Equal& equal = {}) {
  using T = typename Op::value_type;
  LawReport report;
  Impl::check_monoid<T>(
      report.laws, samples, [&](const T& a, const T& b) -> T { return op(a, b); }, op.identity(),
      equal);
  return report;
}

/// @brief Checks on samples the conditions of theorem 1 of Hou et al. for a pair of operators.
///
/// Beside the laws of the accumulation operator these are: `distribute` distributes over
/// `accumulate` or is the same operator (and then declared by `SameOperator`), `compose` is what
/// two distributions in a row do, `one` changes nothing, `power` repeats `compose`, and `zero`
/// absorbs every weight (unless the algebra says by `zero_absorbs` that it does not). For n samples
/// and m weights these are n^3 + n^2 m + n m^2 applications, on the host.
///
/// @param algebra the pair of operators
/// @param samples values to try
/// @param weights weights to try
/// @param equal   equality: `NearlyEqual{1e-12}` allows for rounding
template <Algebra A, class Equal = NearlyEqual>
LawReport check_laws(const A& algebra, const std::vector<typename A::value_type>& samples,
                     const std::vector<typename A::weight_type>& weights, const Equal& equal = {}) {
  using T = typename A::value_type;
  using W = typename A::weight_type;
  const std::vector<W> one{algebra.one()};
  LawReport report;
  Impl::check_monoid<T>(
      report.laws, samples, [&](const T& a, const T& b) -> T { return algebra.accumulate(a, b); },
      algebra.zero(), equal);
  report.laws.push_back(Impl::check_triples(
      "distributive", samples, samples, weights,
      [&](const T& a, const T& b, const W& w) {
        return algebra.distribute(algebra.accumulate(a, b), w);
      },
      [&](const T& a, const T& b, const W& w) {
        return algebra.accumulate(algebra.distribute(a, w), algebra.distribute(b, w));
      },
      equal));
  if constexpr (std::same_as<T, W>)
    report.laws.push_back(Impl::check_triples(
        "same operator", samples, weights, one,
        [&](const T& a, const W& w, const W&) { return algebra.distribute(a, w); },
        [&](const T& a, const W& w, const W&) { return algebra.accumulate(a, w); }, equal));
  report.laws.push_back(Impl::check_triples(
      "composition", samples, weights, weights,
      [&](const T& a, const W& w, const W& v) {
        return algebra.distribute(algebra.distribute(a, w), v);
      },
      [&](const T& a, const W& w, const W& v) {
        return algebra.distribute(a, algebra.compose(w, v));
      },
      equal));
  report.laws.push_back(Impl::check_triples(
      "neutral weight", samples, one, one,
      [&](const T& a, const W& w, const W&) { return algebra.distribute(a, w); },
      [&](const T& a, const W&, const W&) { return a; }, equal));
  if constexpr (Impl::zero_absorbs<A>)
    report.laws.push_back(Impl::check_triples(
        "absorbing zero", std::vector<T>{algebra.zero()}, weights, one,
        [&](const T& zero, const W& w, const W&) { return algebra.distribute(zero, w); },
        [&](const T& zero, const W&, const W&) { return zero; }, equal));
  const std::vector<std::int64_t> exponents{0, 1, 2, 3, 5, 8};
  report.laws.push_back(Impl::check_triples(
      "power", samples, weights, exponents,
      [&](const T& a, const W& w, std::int64_t k) {
        return algebra.distribute(a, algebra.power(w, k));
      },
      [&](T a, const W& w, std::int64_t k) {
        for (; k > 0; --k) a = algebra.distribute(a, w);
        return a;
      },
      equal));
  if (!Impl::is_same_operator<A> && !report.holds("distributive") && report.holds("same operator"))
    report.laws.push_back(
        {"declared by SameOperator", false,
         "the distribution operator is the accumulation operator but does not "
         "distribute over itself; use SameOperator<your operator> as the algebra, "
         "which scans and loops treat as the second case of theorem 1"});
  return report;
}

}  // namespace wavescan

#endif
