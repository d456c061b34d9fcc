// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTINPUTS_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTINPUTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_VectorStencil.hpp>
#include <impl/sor/host/WaveScan_HostPass.hpp>
#include <impl/sor/host/WaveScan_HostWindow.hpp>

#include <array>

namespace wavescan::Impl::sor {

/// @brief The inputs of a band's stages besides x. Each specialisation has
/// - `prepare`, before the first step, and `fetch` and `advance`, a block of steps later each;
/// - `front()`, the first step of the present block, `pitch` before the next; a stage sees what is
///   `behind` it;
/// - `all()`, the coefficients that are the same everywhere, and whether a stage `multiplies()`
///   right-hand sides with theirs;
/// - `Seen`, what a stage sees in a step: its `coefficients(all, step)`, the right-hand side
///   `b(step)` or, if it does not multiply, the product, and `fixed(step)`, signs where points are
///   fixed, if there `may_be_fixed` ones;
/// - the point's `equations(step)` in double (see equation_of), part by part.
template <class Target, class Problem, int Lanes>
class HostInputs;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_HostInputs.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief Inputs with the same coefficients everywhere, and no fixed points.
template <class V, class C, int Lanes>
class HostInputs<WAVESCAN_TARGET, Problem<V, C, NoFixedPoints>, Lanes>
    : public HostWindow<WAVESCAN_TARGET, V, Lanes, 1, lag_of<C>> {
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Stencil = VectorStencil<WAVESCAN_TARGET, C>;
  using Window = HostWindow<WAVESCAN_TARGET, V, Lanes, 1, lag_of<C>>;
  using Given = Problem<V, C, NoFixedPoints>;
  using EquationOfPoint = typename StencilOf<C>::template with<double>;

 public:
  static constexpr bool may_be_fixed = false;
  using coefficients_type = typename Stencil::Coefficients;
  using all_type = coefficients_type;

  /// @param raw whether the right-hand side itself is wanted, not its product with `rhs`
  HostInputs(const Given& problem, const HostPlace& place, int stages, bool raw)
      : Window(stages),
        problem_(problem),
        equation_(equation_of(problem.coefficients)),
        factor_(raw ? V(1) : problem.coefficients.rhs),
        raw_(raw),
        place_(place),
        rhs_(Window::rows_of(problem.rhs, place)) {}

  WAVESCAN_TARGET_FUNCTION void prepare() { Window::fill(0, -V(0)); }  // changes no sum

  WAVESCAN_TARGET_FUNCTION void fetch(Index t, int ahead) {
    if (!problem_.rhs.data) return;
    if (Window::is_inside(place_, t))
      Window::template fetch<true>(0, rhs_, t, ahead, factor_);
    else
      Window::fetch_each(0, place_, t, ahead, V(0),
                         [&](Index i, Index j) { return factor_ * problem_.rhs(i, j); });
  }
  void advance() {
    if (problem_.rhs.data) Window::advance();
  }

  WAVESCAN_TARGET_FUNCTION coefficients_type all() const {
    return Stencil::in_all_lanes(problem_.coefficients);
  }
  bool multiplies() const { return raw_ && problem_.rhs.data != nullptr; }

  struct Seen {
    static const coefficients_type& coefficients(const all_type& all, const V*) { return all; }
    WAVESCAN_TARGET_FUNCTION static Vector b(const V* step) { return Vector::load(step); }
  };

  struct Equations {
    EquationOfPoint equation;
    WAVESCAN_TARGET_FUNCTION typename Stencil::Equation part(int) const {
      return Stencil::in_all_lanes(equation);
    }
  };
  Equations equations(const V*) const { return {equation_}; }

 private:
  const Given& problem_;
  const EquationOfPoint equation_;
  const V factor_;  ///< of the right-hand side
  const bool raw_;
  const HostPlace place_;
  const typename Window::template rows_type<const V> rhs_;
};

/// @brief Coefficients that may vary, and a mask of fixed points.
template <class V, FieldsOfStencil Fields, int Lanes>
class HostInputs<WAVESCAN_TARGET, Problem<V, Fields, FixedPoints>, Lanes>
    : public HostWindow<WAVESCAN_TARGET, V, Lanes, entries_of<Fields> + 2, lag_of<Fields>> {
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Stencil = VectorStencil<WAVESCAN_TARGET, typename StencilOf<Fields>::template with<V>>;
  static constexpr int last = entries_of<Fields>;  ///< coefficients; b and the mask come after them
  static constexpr int numbers = last + 1;
  using Window = HostWindow<WAVESCAN_TARGET, V, Lanes, numbers + 1, lag_of<Fields>>;

 public:
  static constexpr bool may_be_fixed = true;
  using coefficients_type = typename Stencil::Coefficients;
  struct Nothing {};
  using all_type = Nothing;

  HostInputs(const Problem<V, Fields, FixedPoints>& problem, const HostPlace& place, int stages,
             bool)
      : Window(stages), fixed_(problem.fixed), place_(place) {
    std::size_t f = 0;
    for_each_coefficient(problem.coefficients, [&](const auto&, const CoefficientField<V>& field) {
      grids_[f] = field.values;
      constants_[f++] = field.constant;
    });
    grids_[last] = problem.rhs;
    constants_[last] = -V(0);  // changes no sum
    for (f = 0; f < numbers; ++f)
      if (grids_[f].data) rows_[f] = Window::rows_of(grids_[f], place);
    if (const auto bytes = mask_of<unsigned char>(fixed_); has_dense_rows(bytes))
      bytes_ = Window::rows_of(bytes, place);
    if (const auto words = mask_of<unsigned>(fixed_); has_dense_rows(words))
      words_ = Window::rows_of(words, place);
  }

  WAVESCAN_TARGET_FUNCTION void prepare() {
    for (int f = 0; f < numbers; ++f) Window::fill(f, constants_[f]);
    Window::fill(numbers, V(0));
  }

  WAVESCAN_TARGET_FUNCTION void fetch(Index t, int ahead) {
    const bool inside = Window::is_inside(place_, t);
    for (int f = 0; f < numbers; ++f) {
      if (!grids_[f].data) continue;
      if (inside)
        Window::fetch(f, rows_[f], t, ahead);
      else
        Window::fetch_each(f, place_, t, ahead, V(0), grids_[f]);
    }
    if (fixed_.word == FixedPoints::Word::None) return;
    if (inside && bytes_.exists())
      Window::fetch(numbers, bytes_, t, ahead);
    else if (inside && words_.exists())
      Window::fetch(numbers, words_, t, ahead);
    else
      Window::fetch_each(numbers, place_, t, ahead, V(0),
                         [&](Index i, Index j) { return fixed_(i, j) ? V(-1) : V(0); });
  }

  static all_type all() { return {}; }
  bool multiplies() const { return grids_[last].data != nullptr; }

  struct Seen {
    WAVESCAN_TARGET_FUNCTION static coefficients_type coefficients(const all_type&, const V* step) {
      return Stencil::template load<Window::field(1)>(step);
    }
    WAVESCAN_TARGET_FUNCTION static Vector b(const V* step) { return field(step, last); }
    WAVESCAN_TARGET_FUNCTION static Vector fixed(const V* step) { return field(step, numbers); }
  };

  struct Equations {
    coefficients_type c;
    WAVESCAN_TARGET_FUNCTION typename Stencil::Equation part(int p) const {
      return Stencil::equation_of(c, p);
    }
  };
  WAVESCAN_TARGET_FUNCTION static Equations equations(const V* step) {
    return {Seen::coefficients({}, step)};
  }

 private:
  WAVESCAN_TARGET_FUNCTION static Vector field(const V* step, int f) {
    return Vector::load(step + Window::field(f));
  }

  const FixedPoints fixed_;
  const HostPlace place_;
  std::array<Grid<const V>, numbers> grids_;
  std::array<V, numbers> constants_;
  std::array<typename Window::template rows_type<const V>, numbers> rows_;
  typename Window::template rows_type<const unsigned char> bytes_;
  typename Window::template rows_type<const unsigned> words_;
};

}  // namespace wavescan::Impl::sor

#endif
