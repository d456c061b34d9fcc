// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_TRANSITION_HPP
#define WAVESCAN_IMPL_FILTER_TRANSITION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/filter/WaveScan_DoubleDouble.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

/// @file
/// @brief What runs of samples do to a filter's state, computed on the host in twice double
/// precision: the state after n samples is M^n z plus the sum of x_i M^(n-1-i) B, where B is what a
/// sample of one leaves behind.

namespace wavescan::Impl::filter {

template <class Form>
class Transition {
  using C = typename Form::coefficient_type;
  static constexpr int K = Form::states;
  using Wide = DoubleDouble;
  using Vector = StateVector<Wide, K>;
  using Matrix = StateMatrix<Wide, K>;

 public:
  explicit Transition(const Form& form) {
    const auto wide = form.template as<Wide>();
    for (int c = 0; c < K; ++c) {
      Vector unit{};
      unit.value[c] = 1;
      static_cast<void>(wide.step(Wide(0), unit));
      for (int r = 0; r < K; ++r) one_.entry[r][c] = unit.value[r];
    }
    static_cast<void>(wide.step(Wide(1), response_));
    square_[0] = one_;
    for (std::size_t i = 1; i < square_.size(); ++i)
      square_[i] = product(square_[i - 1], square_[i - 1]);
  }

  /// @brief How much a state may grow before it decays: the largest entry of powers up to the
  /// length of a wave of tiles. That of unstable filters has no bound.
  double growth() const {
    constexpr std::size_t longest = 20;  // log2 of samples
    double largest = 0;
    for (std::size_t i = 0; i <= longest; ++i)
      for (int r = 0; r < K; ++r)
        for (int c = 0; c < K; ++c) {
          const double entry = std::abs(static_cast<double>(square_[i].entry[r][c]));
          if (!(entry <= largest)) largest = entry;
        }
    return largest;
  }

  /// @brief M^n in twice double precision.
  StateMatrix<DoubleDouble, K> exact_power(Index n) const { return wide_power(n); }

  /// @brief M^n, capped at the largest finite numbers, so that zero stays zero.
  StateMatrix<C, K> power(Index n) const { return narrowed(wide_power(n)); }

  /// @brief Whether nothing is left of a state after n samples: M^n is zero in the samples' type.
  bool vanishes(Index n) const {
    const StateMatrix<C, K> m = power(n);
    for (int r = 0; r < K; ++r)
      for (int c = 0; c < K; ++c)
        if (m.entry[r][c] != 0) return false;
    return true;
  }

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
      StateVector<C, K> narrow;
      for (int r = 0; r < K; ++r) narrow.value[r] = finite(response.value[r]);
      take(i, narrow);
      response = one_.template advance<Form>(response, {});
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
        if (Form::couples(r, i))
          for (int c = 0; c < K; ++c)
            if (Form::couples(i, c)) m.entry[r][c] = m.entry[r][c] + a.entry[r][i] * b.entry[i][c];
    return m;
  }
  Matrix wide_power(Index n) const {
    Matrix power = identity();
    for (std::size_t i = 0; n >> i > 0; ++i)
      if (n >> i & 1) power = product(power, square_[i]);
    return power;
  }
  static C finite(const Wide& w) {
    constexpr auto most = static_cast<double>(std::numeric_limits<C>::max());
    const auto v = static_cast<double>(w);
    return static_cast<C>(std::isnan(v) ? 0 : v > most ? most : v < -most ? -most : v);
  }
  static StateMatrix<C, K> narrowed(const Matrix& m) {
    StateMatrix<C, K> narrow;
    for (int r = 0; r < K; ++r)
      for (int c = 0; c < K; ++c) narrow.entry[r][c] = finite(m.entry[r][c]);
    return narrow;
  }

  Matrix one_{};
  std::vector<Matrix> square_ = std::vector<Matrix>(48);  ///< one_^(2^i)
  Vector response_{};
};

/// @brief Without feedback states do not grow, and longer runs leave nothing of those before them.
template <class Form>
  requires(!has_feedback<Form>)
class Transition<Form> {
 public:
  explicit Transition(const Form&) {}
  static double growth() { return 1; }
};

/// @brief What becomes of states over some samples, in twice the precision of the samples.
template <class Form>
class ExactMatrix {
  using T = typename Form::value_type;
  using C = typename Form::coefficient_type;
  static constexpr int K = Form::states;
  using Wide = std::conditional_t<std::same_as<C, float>, double, DoubleDouble>;

 public:
  ExactMatrix() = default;
  ExactMatrix(const Transition<Form>& transition, Index samples) {
    const auto power = transition.exact_power(samples);
    for (int r = 0; r < K; ++r)
      for (int c = 0; c < K; ++c) matrix_.entry[r][c] = static_cast<Wide>(power.entry[r][c]);
  }
  /// @brief matrix * state + added.
  KOKKOS_FUNCTION StateVector<T, K> advance(const StateVector<T, K>& state,
                                            const StateVector<T, K>& added) const {
    StateVector<T, K> next;
    for (int r = 0; r < K; ++r)
      if constexpr (is_complex<T>)
        next.value[r] =
            T(row(r, added.value[r].real(), [&](int c) { return state.value[c].real(); }),
              row(r, added.value[r].imag(), [&](int c) { return state.value[c].imag(); }));
      else
        next.value[r] = row(r, added.value[r], [&](int c) { return state.value[c]; });
    return next;
  }

 private:
  template <class Of>
  KOKKOS_FUNCTION C row(int r, C added, const Of& state) const {
    Wide sum = added;
    for (int c = 0; c < K; ++c)
      if (Form::couples(r, c)) sum = sum + matrix_.entry[r][c] * Wide(state(c));
    return static_cast<C>(static_cast<double>(sum));
  }

  StateMatrix<Wide, K> matrix_{};
};

/// @brief Nothing is left of a state over so many samples as are remembered.
template <class Form>
  requires(!has_feedback<Form>)
class ExactMatrix<Form> {
  using State = StateVector<typename Form::value_type, Form::states>;

 public:
  ExactMatrix() = default;
  ExactMatrix(const Transition<Form>&, Index) {}
  KOKKOS_FUNCTION State advance(const State&, const State& added) const { return added; }
};

}  // namespace wavescan::Impl::filter

#endif
