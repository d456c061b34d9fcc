// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_TRANSITION_HPP
#define WAVESCAN_IMPL_FILTER_TRANSITION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/filter/WaveScan_DoubleDouble.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// @brief Effects of runs of samples on a filter's state, computed on the host in twice double
/// precision: the state after n samples is M^n z plus the sum of x_i M^(n-1-i) B, where B is what a
/// sample of one leaves behind.

namespace wavescan::Impl::filter {

/// @brief Powers of a matrix M, compiled once for all forms.
class TransitionPowers {
 public:
  using Matrix = std::vector<DoubleDouble>;  ///< row by row

  /// @param cascade whether states have a share in those of their own and later sections only
  WAVESCAN_SELDOM TransitionPowers(Matrix one, int order, bool cascade)
      : order_(order), cascade_(cascade), square_(48) {
    square_[0] = std::move(one);
    for (std::size_t i = 1; i < square_.size(); ++i)
      square_[i] = product(square_[i - 1], square_[i - 1]);
  }

  int order() const { return order_; }
  /// @brief Whether state c has a share in what becomes of state r.
  bool couples(int r, int c) const { return !cascade_ || c / 2 <= r / 2; }
  const Matrix& one() const { return square_[0]; }

  /// @brief The factor by which a state may grow before it decays: the largest entry of powers up
  /// to the length of a wave of tiles. That of unstable filters has no bound.
  WAVESCAN_SELDOM double growth() const {
    constexpr std::size_t longest = 20;  // log2 of samples
    double largest = 0;
    for (std::size_t i = 0; i <= longest; ++i)
      for (const DoubleDouble& wide : square_[i]) {
        const double entry = std::abs(static_cast<double>(wide));
        if (!(entry <= largest)) largest = entry;
      }
    return largest;
  }

  /// @brief The number of samples after which a state's share in any other has fallen to `share` of
  /// the largest one that it ever had, divided by growth(), since what is left may grow again;
  /// `most` if they are more.
  WAVESCAN_SELDOM Index memory(Index most, double share) const {
    std::vector<double> bound(square_[0].size(), 0.0);
    for (std::size_t i = 0; most >> i > 0; ++i)
      for (std::size_t e = 0; e < bound.size(); ++e)
        bound[e] = std::max(bound[e], std::abs(static_cast<double>(square_[i][e])));
    const double scale = share / std::max(growth(), 1.0);
    const auto is_left = [&](const Matrix& m) {
      for (std::size_t e = 0; e < m.size(); ++e)
        if (!(std::abs(static_cast<double>(m[e])) <= scale * bound[e])) return true;
      return false;
    };
    Matrix power = identity();
    Index n = 0;  // the most samples after which more is left
    for (int i = 46; i >= 0; --i) {
      const Index next = n + (Index(1) << i);
      if (next >= most) continue;
      Matrix longer = product(power, square_[static_cast<std::size_t>(i)]);
      if (!is_left(longer)) continue;
      power = std::move(longer);
      n = next;
    }
    return n + 1;
  }

  /// @brief M^n in twice double precision.
  WAVESCAN_SELDOM Matrix exact_power(Index n) const {
    Matrix power = identity();
    for (std::size_t i = 0; n >> i > 0; ++i)
      if (n >> i & 1) power = product(power, square_[i]);
    return power;
  }

  WAVESCAN_SELDOM Matrix identity() const {
    Matrix m(square_[0].size());
    for (int r = 0; r < order_; ++r) m[place(r, r)] = 1;
    return m;
  }
  WAVESCAN_SELDOM Matrix product(const Matrix& a, const Matrix& b) const {
    Matrix m(a.size());
    for (int r = 0; r < order_; ++r)
      for (int i = 0; i < order_; ++i)
        if (couples(r, i))
          for (int c = 0; c < order_; ++c)
            if (couples(i, c)) m[place(r, c)] = m[place(r, c)] + a[place(r, i)] * b[place(i, c)];
    return m;
  }
  /// @brief The place of a matrix entry in row r and column c.
  std::size_t place(int r, int c) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(order_) +
           static_cast<std::size_t>(c);
  }

 private:
  int order_;
  bool cascade_;
  std::vector<Matrix> square_;  ///< M^(2^i)
};

template <class Form>
class Transition : public TransitionPowers {
  using C = typename Form::coefficient_type;
  static constexpr int K = Form::states;
  using Wide = DoubleDouble;
  using Vector = StateVector<Wide, K>;

 public:
  WAVESCAN_SELDOM explicit Transition(const Form& form)
      : TransitionPowers(matrix_of(form.template as<Wide>()), K, is_cascade<Form>) {
    static_cast<void>(form.template as<Wide>().step(Wide(1), response_));
  }

  /// @brief M^n, capped at the largest finite numbers, so that zero stays zero.
  StateMatrix<C, K> power(Index n) const { return narrowed(exact_power(n)); }

  /// @brief Whether nothing is left of a state after n samples: M^n is zero in the samples' type.
  bool vanishes(Index n) const {
    const Matrix m = exact_power(n);
    return std::all_of(m.begin(), m.end(), [](const Wide& entry) { return finite(entry) == 0; });
  }

  /// @brief Calls take(i, M^(i n)) for i from 0 to count - 1.
  template <class Take>
  void for_multiples(Index n, int count, const Take& take) const {
    const Matrix step = exact_power(n);
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
    StateMatrix<Wide, K> matrix;
    std::copy_n(one().begin(), K * K, &matrix.entry[0][0]);
    for (int i = 0; i < count; ++i) {
      StateVector<C, K> narrow;
      for (int r = 0; r < K; ++r) narrow.value[r] = finite(response.value[r]);
      take(i, narrow);
      response = matrix.template advance<Form>(response, {});
    }
  }

 private:
  template <class WideForm>
  WAVESCAN_SELDOM static Matrix matrix_of(const WideForm& wide) {
    constexpr std::size_t order = K;
    Matrix one(order * order);
    for (std::size_t c = 0; c < order; ++c) {
      Vector unit{};
      unit.value[c] = 1;
      static_cast<void>(wide.step(Wide(0), unit));
      for (std::size_t r = 0; r < order; ++r) one[r * order + c] = unit.value[r];
    }
    return one;
  }
  static C finite(const Wide& w) {
    constexpr auto most = static_cast<double>(std::numeric_limits<C>::max());
    const auto v = static_cast<double>(w);
    return static_cast<C>(std::isnan(v) ? 0 : v > most ? most : v < -most ? -most : v);
  }
  static StateMatrix<C, K> narrowed(const Matrix& m) {
    StateMatrix<C, K> narrow;
    std::transform(m.begin(), m.end(), &narrow.entry[0][0], finite);
    return narrow;
  }

  Vector response_{};
};

/// @brief The transition of filters without feedback: states do not grow, and longer runs leave
/// nothing of those before them.
template <class Form>
  requires(!has_feedback<Form>)
class Transition<Form> {
 public:
  explicit Transition(const Form&) {}
  static double growth() { return 1; }
};

/// @brief The effect of some samples on states, in twice the precision of the samples.
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
      for (int c = 0; c < K; ++c)
        matrix_.entry[r][c] = static_cast<Wide>(power[transition.place(r, c)]);
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

/// @brief The effect of some samples on states of filters without feedback: over as many samples as
/// these remember, nothing is left of a state.
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
