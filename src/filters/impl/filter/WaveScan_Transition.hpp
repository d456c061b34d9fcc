// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_TRANSITION_HPP
#define WAVESCAN_IMPL_FILTER_TRANSITION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <cmath>
#include <limits>

/// @file
/// @brief What runs of samples do to a filter's state, computed on the host in extended precision:
/// the state after n samples is M^n z plus the sum of x_i M^(n-1-i) B, where B is what a sample of
/// one leaves behind.

namespace wavescan::Impl::filter {

template <class Form>
class Transition {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Vector = StateVector<long double, K>;
  using Matrix = StateMatrix<long double, K>;

 public:
  explicit Transition(const Form& form) {
    const auto wide = form.template as<long double>();
    for (int c = 0; c < K; ++c) {
      Vector unit{};
      unit.value[c] = 1;
      static_cast<void>(wide.step(0, unit));
      for (int r = 0; r < K; ++r) one_.entry[r][c] = unit.value[r];
    }
    static_cast<void>(wide.step(1, response_));
  }

  /// @brief M^n, capped at the largest finite numbers, so that zero stays zero.
  StateMatrix<T, K> power(Index n) const { return narrowed(wide_power(n)); }

  /// @brief Calls take(i, M^(i n)) for i from 0 to count - 1.
  template <class Take>
  void for_multiples(Index n, int count, const Take& take) const {
    const Matrix step = wide_power(n);
    Matrix power = identity();
    for (int i = 0; i < count; ++i) {
      take(i, narrowed(power));
      power = product(step, power);
    }
  }

  /// @brief Calls take(i, M^i B) for i from 0 to count - 1.
  template <class Take>
  void for_responses(int count, const Take& take) const {
    Vector response = response_;
    for (int i = 0; i < count; ++i) {
      StateVector<T, K> narrow;
      for (int r = 0; r < K; ++r) narrow.value[r] = finite(response.value[r]);
      take(i, narrow);
      response = one_.advance(response, {});
    }
  }

 private:
  static Matrix identity() {
    Matrix m{};
    for (int r = 0; r < K; ++r) m.entry[r][r] = 1;
    return m;
  }
  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix m{};
    for (int r = 0; r < K; ++r)
      for (int i = 0; i < K; ++i)
        for (int c = 0; c < K; ++c) m.entry[r][c] += a.entry[r][i] * b.entry[i][c];
    return m;
  }
  Matrix wide_power(Index n) const {
    Matrix power = identity();
    Matrix square = one_;
    for (; n > 0; n >>= 1) {
      if (n & 1) power = product(power, square);
      if (n > 1) square = product(square, square);
    }
    return power;
  }
  static T finite(long double v) {
    constexpr auto most = static_cast<long double>(std::numeric_limits<T>::max());
    return static_cast<T>(std::isnan(v) ? 0 : v > most ? most : v < -most ? -most : v);
  }
  static StateMatrix<T, K> narrowed(const Matrix& m) {
    StateMatrix<T, K> narrow;
    for (int r = 0; r < K; ++r)
      for (int c = 0; c < K; ++c) narrow.entry[r][c] = finite(m.entry[r][c]);
    return narrow;
  }

  Matrix one_{};
  Vector response_{};
};

}  // namespace wavescan::Impl::filter

#endif
