// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_FORMS_HPP
#define WAVESCAN_IMPL_FILTER_FORMS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

/// @file
/// @brief The forms of filters: how a sample goes through, and what it leaves behind. All else, the
/// matrices of whole runs of samples, follows from `step`.

namespace wavescan::Impl::filter {

/// @brief Direct form II transposed: y = b_0 x + z_0 and z_i = b_{i+1} x - a_{i+1} y + z_{i+1}.
/// @tparam T of samples
/// @tparam K order, the larger one of those of numerator and denominator
/// @tparam C of coefficients; T or the type of its real and imaginary parts
template <class T, int K, class C = T>
struct DirectForm {
  using value_type = T;
  using coefficient_type = C;
  static constexpr int states = K;
  C b[K + 1];
  C a[K];  ///< a_1 to a_K; a_0 is 1

  /// @brief Whether state c has a share in what becomes of state r, over any number of samples.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool couples(int, int) { return true; }

  /// @brief The output for a sample, which changes the state.
  KOKKOS_FORCEINLINE_FUNCTION T step(T x, StateVector<T, K>& z) const {
    const T y = accumulated(b[0], x, z.value[0]);
#if defined(WAVESCAN_DEVICE_PASS)
#pragma unroll
#endif
    for (int i = 0; i < K; ++i) {
      // The term of y comes last: the next output waits for nothing else.
      const T rest =
          i + 1 < K ? accumulated(b[i + 1], x, z.value[i + 1 < K ? i + 1 : 0]) : b[i + 1] * x;
      z.value[i] = accumulated(-a[i], y, rest);
    }
    return y;
  }

  template <class U>
  DirectForm<U, K> as() const {
    DirectForm<U, K> other;
    for (int i = 0; i <= K; ++i) other.b[i] = U(b[i]);
    for (int i = 0; i < K; ++i) other.a[i] = U(a[i]);
    return other;
  }
};

/// @brief A cascade of second-order sections, each in direct form II transposed.
template <class T, int S, class C = T>
struct Sections {
  using value_type = T;
  using coefficient_type = C;
  static constexpr int states = 2 * S;
  DirectForm<T, 2, C> section[S];

  /// @brief Whether state c has a share in what becomes of state r: a section hears nothing of
  /// those after it.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool couples(int r, int c) { return c / 2 <= r / 2; }

  KOKKOS_FORCEINLINE_FUNCTION T step(T x, StateVector<T, 2 * S>& z) const {
#if defined(WAVESCAN_DEVICE_PASS)
#pragma unroll
#endif
    for (int s = 0; s < S; ++s) {
      StateVector<T, 2> own{z.value[2 * s], z.value[2 * s + 1]};
      x = section[s].step(x, own);
      z.value[2 * s] = own.value[0];
      z.value[2 * s + 1] = own.value[1];
    }
    return x;
  }

  template <class U>
  Sections<U, S> as() const {
    Sections<U, S> other;
    for (int s = 0; s < S; ++s) other.section[s] = section[s].template as<U>();
    return other;
  }
};

inline constexpr int max_order = 16;

/// @brief A filter without feedback, of any order: y = b_0 x + z_0 and z_i = b_{i+1} x + z_{i+1}.
///
/// It forgets: what lies further back than it has states has no share in an output, not even if it
/// is infinite or not a number. Products with powers of a matrix, or with coefficients that are
/// zero, would never forget such samples.
/// @tparam C of coefficients
template <class T, class C>
struct FiniteForm {
  using value_type = T;
  using coefficient_type = C;
  static constexpr int states = max_order + 1;  ///< the last one stays zero
  C b[max_order + 1];
  int taps;    ///< b_1 to b_taps, the last one that is not zero
  int memory;  ///< states in use, at least `taps`

  KOKKOS_FORCEINLINE_FUNCTION T step(T x, StateVector<T, states>& z) const {
    const T y = accumulated(b[0], x, z.value[0]);
    for (int i = 0; i < taps; ++i) z.value[i] = accumulated(b[i + 1], x, z.value[i + 1]);
    for (int i = taps; i < memory; ++i) z.value[i] = z.value[i + 1];
    return y;
  }
};

template <class Form>
inline constexpr bool has_feedback = true;
template <class T, class C>
inline constexpr bool has_feedback<FiniteForm<T, C>> = false;

/// @brief The number of its states that a form makes use of.
template <class Form>
constexpr int used_states(const Form&) {
  return Form::states;
}
template <class T, class C>
constexpr int used_states(const FiniteForm<T, C>& form) {
  return form.memory + 1;
}

/// @brief The first one of some samples that has a share in the state after them.
template <class Form>
KOKKOS_FORCEINLINE_FUNCTION Index first_remembered(Index samples) {
  return has_feedback<Form> || samples < max_order ? 0 : samples - max_order;
}

template <class Form>
inline constexpr bool is_cascade = false;
template <class T, int S, class C>
inline constexpr bool is_cascade<Sections<T, S, C>> = true;

/// @brief Throws unless all coefficients are finite.
inline void require_finite(std::string_view operation, std::string_view argument,
                           const std::vector<double>& coefficients) {
  for (const double c : coefficients)
    require(std::isfinite(c), operation, argument, "must be finite", c);
}

/// @brief Throws unless b and a describe a filter of an order that there is.
inline void require_transfer_function(std::string_view operation, const std::vector<double>& b,
                                      const std::vector<double>& a) {
  require(!b.empty(), operation, "b", "must have a coefficient", b.size());
  require(!a.empty(), operation, "a", "must have a coefficient", a.size());
  require(b.size() <= max_order + 1, operation, "b",
          "must have at most 17 coefficients; sections (sosfilt) take more, and are more accurate",
          b.size());
  require(a.size() <= max_order + 1, operation, "a",
          "must have at most 17 coefficients; sections (sosfilt) take more, and are more accurate",
          a.size());
  require_finite(operation, "b", b);
  require_finite(operation, "a", a);
  require(a[0] != 0, operation, "a", "must begin with a coefficient that is not zero", a[0]);
}

/// @brief A filter of samples of type T with real coefficients.
template <class T, int K>
using RealForm = DirectForm<T, K, typename RealOf<T>::type>;
template <class T, int S>
using RealSections = Sections<T, S, typename RealOf<T>::type>;
template <class T>
using RealFiniteForm = FiniteForm<T, typename RealOf<T>::type>;

/// @brief The form of a transfer function, normalised by a_0; coefficients beyond its own are zero.
template <class T, int K>
RealForm<T, K> direct_form(const std::vector<double>& b, const std::vector<double>& a) {
  using C = typename RealOf<T>::type;
  RealForm<T, K> form{};
  for (std::size_t i = 0; i < b.size(); ++i) form.b[i] = static_cast<C>(b[i] / a[0]);
  for (std::size_t i = 1; i < a.size(); ++i) form.a[i - 1] = static_cast<C>(a[i] / a[0]);
  return form;
}

/// @brief Whether a filter of samples of type T with that denominator has no feedback.
template <class T>
bool lacks_feedback(const std::vector<double>& a) {
  using C = typename RealOf<T>::type;
  return std::all_of(a.begin() + 1, a.end(),
                     [&](double c) { return static_cast<C>(c / a[0]) == 0; });
}

/// @brief The form of a transfer function without feedback, which has a state for each of a's
/// coefficients, too.
template <class T>
RealFiniteForm<T> finite_form(const std::vector<double>& b, const std::vector<double>& a) {
  using C = typename RealOf<T>::type;
  RealFiniteForm<T> form{};
  for (std::size_t i = 0; i < b.size(); ++i) {
    form.b[i] = static_cast<C>(b[i] / a[0]);
    if (form.b[i] != 0) form.taps = static_cast<int>(i);
  }
  form.memory = static_cast<int>(std::max(b.size(), a.size())) - 1;
  return form;
}

/// @brief Calls work(form) with the smallest form for the order of b and a.
template <class T, class Work>
auto with_direct_form(const std::vector<double>& b, const std::vector<double>& a,
                      const Work& work) {
  if (lacks_feedback<T>(a)) return work(finite_form<T>(b, a));
  const std::size_t order = std::max(a.size(), b.size()) - 1;
  if (order <= 1) return work(direct_form<T, 1>(b, a));
  if (order <= 2) return work(direct_form<T, 2>(b, a));
  if (order <= 4) return work(direct_form<T, 4>(b, a));
  if (order <= 8) return work(direct_form<T, 8>(b, a));
  return work(direct_form<T, 16>(b, a));
}

using SectionCoefficients = std::array<double, 6>;

/// @brief Throws unless these are sections: b_0, b_1, b_2, a_0, a_1, a_2 each.
inline void require_sections(std::string_view operation,
                             const std::vector<SectionCoefficients>& sos) {
  require(!sos.empty(), operation, "sos", "must have a section", sos.size());
  for (const SectionCoefficients& s : sos) {
    require_finite(operation, "sos", {s.begin(), s.end()});
    require(s[3] != 0, operation, "sos", "must have sections whose a_0 is not zero", s[3]);
  }
}

/// @brief A cascade; sections beyond the last one let everything through.
template <class T, int S>
RealSections<T, S> sections(std::span<const SectionCoefficients> sos) {
  RealSections<T, S> form;
  for (std::size_t s = 0; s < S; ++s) {
    const SectionCoefficients c = s < sos.size() ? sos[s] : SectionCoefficients{1, 0, 0, 1, 0, 0};
    form.section[s] = direct_form<T, 2>({c[0], c[1], c[2]}, {c[3], c[4], c[5]});
  }
  return form;
}

/// @brief Sections that take one pass over memory anyway: their states have 64 bytes on hosts, 32
/// or less on devices, where two passes of half as many sections are faster.
template <class Exec, class T>
inline constexpr std::size_t max_sections_anyway = (runs_on_host<Exec> ? 32 : 16) / sizeof(T);
/// @brief Sections that may take one pass, if there is a kernel for that.
template <class Exec, class T>
inline constexpr std::size_t max_sections = (vendor_of<Exec> == Vendor::Nvidia &&
                                             std::same_as<T, double>)
                                                ? 8
                                                : max_sections_anyway<Exec, T>;

/// @brief Calls work(form) for the first Most sections at most, with the smallest form.
template <class T, std::size_t Most, class Work>
auto with_sections(std::span<const SectionCoefficients> sos, const Work& work) {
  if constexpr (Most == 1) {
    return work(sections<T, 1>(sos).section[0]);
  } else {
    if (sos.size() <= Most / 2) return with_sections<T, Most / 2>(sos, work);
    return work(sections<T, Most>(sos));
  }
}

/// @brief The number of sections before the first one without feedback.
template <class T>
std::size_t sections_with_feedback(std::span<const SectionCoefficients> sos) {
  const auto end = std::find_if(sos.begin(), sos.end(), [](const SectionCoefficients& s) {
    return lacks_feedback<T>({s[3], s[4], s[5]});
  });
  return static_cast<std::size_t>(end - sos.begin());
}

}  // namespace wavescan::Impl::filter

#endif
