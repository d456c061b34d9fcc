// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_ALGEBRA_ANYALGEBRA_HPP
#define WAVESCAN_TEST_ALGEBRA_ANYALGEBRA_HPP

#include <gtest/gtest.h>

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

/// @file
/// @brief Operators and algebras whose type is forgotten. check_laws does the same with each of
/// them, so it is compiled once for all of those on one type of values.

namespace wavescan::Test {

template <class T>
struct AnyOperator {
  using value_type = T;
  std::function<T(const T&, const T&)> combine;
  T neutral;
  T operator()(const T& a, const T& b) const { return combine(a, b); }
  T identity() const { return neutral; }
};

/// @tparam Same     whether it declares itself the second case of theorem 1, as SameOperator does
/// @tparam Absorbs  whether its zero absorbs every weight
template <class T, bool Same, bool Absorbs>
struct AnyAlgebra {
  static constexpr bool zero_absorbs = Absorbs;
  using value_type = T;
  using weight_type = T;
  std::function<T(const T&, const T&)> accumulates, distributes, composes;
  std::function<T(const T&, std::int64_t)> raises;
  T nothing, neutral;
  T accumulate(const T& a, const T& b) const { return accumulates(a, b); }
  T distribute(const T& a, const T& w) const { return distributes(a, w); }
  T compose(const T& w, const T& v) const { return composes(w, v); }
  T power(const T& w, std::int64_t k) const { return raises(w, k); }
  T zero() const { return nothing; }
  T one() const { return neutral; }
};

template <Operator Op>
AnyOperator<typename Op::value_type> any(const Op& op) {
  using T = typename Op::value_type;
  return {[op](const T& a, const T& b) { return op(a, b); }, op.identity()};
}

template <Algebra A>
auto any(const A& a) {
  using T = typename A::value_type;
  static_assert(std::is_same_v<T, typename A::weight_type>);
  return AnyAlgebra<T, Impl::is_same_operator<A>, Impl::zero_absorbs<A>>{
      [a](const T& s, const T& x) { return a.accumulate(s, x); },
      [a](const T& s, const T& w) { return a.distribute(s, w); },
      [a](const T& w, const T& v) { return a.compose(w, v); },
      [a](const T& w, std::int64_t k) { return a.power(w, k); },
      a.zero(),
      a.one()};
}

/// @brief Calls check(t) with a number of each type.
template <class... Types, class Check>
void for_each_type(const Check& check) {
  const auto check_type = [&](auto number) {
    using T = decltype(number);
    SCOPED_TRACE(std::string(std::is_floating_point_v<T> ? "floating point"
                             : std::is_signed_v<T>       ? "signed integers"
                                                         : "unsigned integers") +
                 " of " + std::to_string(sizeof(T)) + " bytes");
    check(number);
  };
  (check_type(Types()), ...);
}

}  // namespace wavescan::Test

template <class T>
inline constexpr bool wavescan::Impl::is_same_operator<wavescan::Test::AnyAlgebra<T, true, false>> =
    true;

#endif
