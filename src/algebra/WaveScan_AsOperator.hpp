// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ASOPERATOR_HPP
#define WAVESCAN_ASOPERATOR_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

/// @file
/// @brief Operators as they come: functions, lambdas, `std::plus<>`, reducers of Kokkos.

namespace wavescan {
namespace Impl {

/// @brief Whether an operator's identity() may be asked for.
template <class Op>
inline constexpr bool has_identity = true;
template <class Op>
  requires requires { requires !Op::has_identity; }
inline constexpr bool has_identity<Op> = false;

/// @brief A function of two values as an operator on T.
template <class T, class F>
struct FunctionOperator {
  using value_type = T;
  static constexpr bool commutative = commutes<F>;
  static constexpr bool has_identity = requires(const F f) {
    { f.identity() } -> std::convertible_to<T>;
  };
  F function;
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const { return function(a, b); }
  /// @brief The function's identity, or T{} where it has none, which nothing reads then.
  KOKKOS_FUNCTION T identity() const {
    if constexpr (has_identity)
      return function.identity();
    else
      return T{};
  }
};

/// @brief A reducer of Kokkos as an operator. Its identity is Kokkos::reduction_identity's, or what
/// its own `init` sets.
template <class Reducer>
struct ReducerOperator {
  using value_type = typename Reducer::value_type;
  static constexpr bool commutative = true;  // Kokkos asks for it
  static constexpr bool has_identity = requires(const Reducer r, value_type v) { r.init(v); };
  Reducer reducer;
  KOKKOS_FUNCTION value_type operator()(value_type a, const value_type& b) const {
    reducer.join(a, b);
    return a;
  }
  KOKKOS_FUNCTION value_type identity() const {
    value_type v{};
    if constexpr (has_identity) reducer.init(v);
    return v;
  }
};

/// @brief The operator or algebra on T that F stands for; without members if it is none.
template <class T, class F>
struct OperatorOf {};

template <class T, class F>
  requires(Operator<F> || Algebra<F>)
struct OperatorOf<T, F> {
  using type = F;
  static const type& of(const F& f) { return f; }
};

template <class F, class T>
concept FunctionOfTwo =
    !Operator<F> && !Algebra<F> && std::copy_constructible<F> && requires(const F f, const T a) {
  { f(a, a) } -> std::convertible_to<T>;
};
template <class T, FunctionOfTwo<T> F>
struct OperatorOf<T, F> {
  using type = FunctionOperator<T, F>;
  static type of(const F& f) { return {f}; }
};

template <class T, class Reducer>
requires Kokkos::is_reducer<Reducer>::value struct OperatorOf<T, Reducer> {
  using type = ReducerOperator<Reducer>;
  static type of(const Reducer& reducer) { return {reducer}; }
};

/// @brief A library operator that is default constructed from its type.
template <class Op>
struct KnownOperator {
  using type = Op;
  static type of(const auto&) { return {}; }
};

/// The library's own without a type, as Plus{}.
template <class T, template <class> class Op>
  requires(Operator<Op<T>> || Algebra<Op<T>>)
struct OperatorOf<T, Op<void>> : KnownOperator<Op<T>> {};

/// @brief An operator whose identity is none for all values.
template <class Op>
struct WithoutIdentity {
  using T = typename Op::value_type;
  static constexpr bool commutative = true;
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const { return Op{}(a, b); }
};
/// @brief `and`, `or`. Of numbers other than bool they have no identity: 1 && 2 is not 2.
template <class Op, class T = typename Op::value_type>
using LogicalOperator = KnownOperator<
    std::conditional_t<std::same_as<T, bool>, Op, FunctionOperator<T, WithoutIdentity<Op>>>>;

template <class U, class T>
concept ArithmeticAs = std::is_arithmetic_v<T> &&(std::same_as<U, T> || std::is_void_v<U>);

// Those of std and Kokkos that have an equal here become it: kernels know it, and functions of std
// cannot be called in device code.

template <class T, ArithmeticAs<T> U>
struct OperatorOf<T, std::plus<U>> : KnownOperator<Plus<T>> {};
template <class T, ArithmeticAs<T> U>
struct OperatorOf<T, std::multiplies<U>> : KnownOperator<Times<T>> {};
template <class T, ArithmeticAs<T> U>
struct OperatorOf<T, std::logical_and<U>> : LogicalOperator<LogicalAnd<T>> {};
template <class T, ArithmeticAs<T> U>
struct OperatorOf<T, std::logical_or<U>> : LogicalOperator<LogicalOr<T>> {};
template <std::integral T, ArithmeticAs<T> U>
struct OperatorOf<T, std::bit_and<U>> : KnownOperator<BitAnd<T>> {};
template <std::integral T, ArithmeticAs<T> U>
struct OperatorOf<T, std::bit_or<U>> : KnownOperator<BitOr<T>> {};
template <std::integral T, ArithmeticAs<T> U>
struct OperatorOf<T, std::bit_xor<U>> : KnownOperator<BitXor<T>> {};

template <class T, class Space>
  requires std::is_arithmetic_v<T>
struct OperatorOf<T, Kokkos::Sum<T, Space>> : KnownOperator<Plus<T>> {
};
template <class T, class Space>
  requires std::is_arithmetic_v<T>
struct OperatorOf<T, Kokkos::Prod<T, Space>> : KnownOperator<Times<T>> {
};
template <class T, class Space>
  requires std::is_arithmetic_v<T>
struct OperatorOf<T, Kokkos::LAnd<T, Space>> : LogicalOperator<LogicalAnd<T>> {
};
template <class T, class Space>
  requires std::is_arithmetic_v<T>
struct OperatorOf<T, Kokkos::LOr<T, Space>> : LogicalOperator<LogicalOr<T>> {
};
template <std::integral T, class Space>
struct OperatorOf<T, Kokkos::Max<T, Space>> : KnownOperator<Max<T>> {};
template <std::integral T, class Space>
struct OperatorOf<T, Kokkos::Min<T, Space>> : KnownOperator<Min<T>> {};

}  // namespace Impl

/// @brief Operators, and what can be made one on T: functions and lambdas of two values, operators
/// without a type (`Plus{}`), `std::plus<>` and the like, reducers of Kokkos.
template <class F, class T>
concept OperatorOn = requires {
  typename Impl::OperatorOf<T, F>::type;
};

/// @brief `f` as an operator (or algebra) on T, for a plan: `Scan(exec, 1, n,
/// as_operator<float>(f))`.
///
/// A function `T f(T, T)` must be associative; it may have `commutative` and `identity()` as
/// operators have. Where it has no identity, only such scans compile as need none.
template <class T, OperatorOn<T> F>
typename Impl::OperatorOf<T, F>::type as_operator(const F& f) {
  return Impl::OperatorOf<T, F>::of(f);
}

}  // namespace wavescan

#endif
