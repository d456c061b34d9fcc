// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORVARIABLECOEFFICIENTS_HPP
#define WAVESCAN_SORVARIABLECOEFFICIENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_NinePointCoefficients.hpp>
#include <WaveScan_SORCoefficients.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// @brief Coefficients of SOR that differ from point to point.

namespace wavescan {

/// @brief One coefficient of VariableCoefficients: a constant, or a View with a value for each
/// point. Made from either without further ado; zero by default.
///
/// It shares the View, of which it only reads.
/// @tparam Rank of the View: 2, or 3 for VariableCoefficients3D
template <class T, class MemorySpace, int Rank = 2>
class SORCoefficient {
  static_assert(Rank == 2 || Rank == 3);

 public:
  /// Views of any layout become this type.
  using view_type = Kokkos::View<std::conditional_t<Rank == 2, const T**, const T***>,
                                 Kokkos::LayoutStride, MemorySpace>;

  SORCoefficient() = default;
  // NOLINTBEGIN(google-explicit-constructor): stands for either wherever one is expected
  SORCoefficient(T constant) : constant_(constant) {}

  template <ViewOfRank<Rank> V>
  SORCoefficient(const V& values) : values_(values), varies_(true) {
    static_assert(std::same_as<typename V::non_const_value_type, T>,
                  "WaveScan: Views of coefficients must have the value type of 'x'");
  }
  // NOLINTEND(google-explicit-constructor)

  bool varies() const { return varies_; }
  T constant() const { return constant_; }             ///< where it does not vary
  const view_type& values() const { return values_; }  ///< where it varies

 private:
  view_type values_{};
  T constant_{};
  bool varies_ = false;
};

/// @brief The coefficients of a relaxation step that differ from point to point,
///
///     x = center*x + left*x_left + up*x_up + right*x_right + down*x_down + rhs*b
///
/// with the values of all six at the point (i, j) of x. Each is a View with the extents of x, of
/// any layout, or a constant:
///
///     VariableCoefficients<double>{.center = 1 - omega, .left = left, .up = up, ...}
///
/// A View's halo is not read, and nor are fixed points. See SORCoefficients for the linear system
/// that the step relaxes, and sor_coefficients for the step that belongs to a linear system.
///
/// @tparam T           float or double
/// @tparam MemorySpace that of the Views
template <class T, class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
struct VariableCoefficients {
  using coefficient_type = SORCoefficient<T, MemorySpace>;

  coefficient_type center{};
  coefficient_type left{};
  coefficient_type up{};
  coefficient_type right{};
  coefficient_type down{};
  coefficient_type rhs{};
};

/// @brief Coefficients as in NinePointCoefficients, each a View or a constant in the same way.
template <class T, class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
struct VariableNinePointCoefficients {
  using coefficient_type = SORCoefficient<T, MemorySpace>;

  coefficient_type center{};
  coefficient_type left{};
  coefficient_type up_right{};
  coefficient_type up{};
  coefficient_type up_left{};
  coefficient_type right{};
  coefficient_type down_left{};
  coefficient_type down{};
  coefficient_type down_right{};
  coefficient_type rhs{};
};

namespace Impl::sor {

template <class T, class MemorySpace>
struct StencilOf<VariableCoefficients<T, MemorySpace>> : StencilOf<SORCoefficients<T>> {};
template <class T, class MemorySpace>
struct StencilOf<VariableNinePointCoefficients<T, MemorySpace>>
    : StencilOf<NinePointCoefficients<T>> {};

/// @brief Coefficients of a stencil in `Rank` dimensions whose entries vary, in some memory.
template <class C, class T, int Rank>
concept VariableStencilCoefficients = StencilCoefficients<C> && requires {
  typename C::coefficient_type::view_type;
  requires std::same_as<
      typename C::coefficient_type,
      SORCoefficient<T, typename C::coefficient_type::view_type::memory_space, Rank>>;
};

}  // namespace Impl::sor

/// @brief The type of the numbers in a View.
template <AnyView X>
using SORValue = typename X::non_const_value_type;

/// @brief SORCoefficients<T>, NinePointCoefficients<T>, or the variable ones of either, for an
/// array with elements T.
template <class C, class T>
concept CoefficientsOfSOR = std::same_as<C, SORCoefficients<T>> ||
    std::same_as<C, NinePointCoefficients<T>> || Impl::sor::VariableStencilCoefficients<C, T, 2>;

}  // namespace wavescan

#endif
