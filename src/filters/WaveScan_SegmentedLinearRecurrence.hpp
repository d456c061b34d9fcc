// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SEGMENTEDLINEARRECURRENCE_HPP
#define WAVESCAN_SEGMENTEDLINEARRECURRENCE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/filter/WaveScan_Companion.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/segmented/WaveScan_ScanSegments.hpp>
#include <impl/segmented/WaveScan_SegmentChecks.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Linear recurrences whose outputs begin anew at every segment of an array.

namespace wavescan {

/// @brief Linear recurrence: y_j = x_j + c_1 y_{j-1} + ... + c_K y_{j-K} in every segment: what is
/// before its first element is zero, or `init`.
///
///     segmented_linear_recurrence([exec,] std::array{c_1, ..., c_K}, x, segments, y
///                                 [, init [, options]])
///
/// A segmented weighted scan of the last K outputs by companion matrices: infinities and NaN stay
/// in their segment. Of order 1 it is segmented_weighted_scan. The order is known at compile time;
/// operations for an element: 2 K^2, and with Views of coefficients up to K^3 where threads join
/// their parts. Orders above 4 had better be products of lower ones, for rounding errors, too. GPUs
/// have kernels of their own for order 1, and for constant coefficients of orders up to 16 (float)
/// or 8 (double).
///
/// @param exec         execution space instance; without it the default one of y's space
/// @param coefficients std::array of 1 to 16 numbers, or of so many Views of the type and length of
///                     x
/// @param x            View of rank 1 of float or double
/// @param segments     of segment_offsets, segment_heads or segment_keys
/// @param y            View of the type and length of x; may be x itself
/// @param init         outputs before each segment, y_{b-1}, ..., y_{b-K}: a SmallVector<T, K> for
///                     all of them, or a View of one for each, of segments that are told by offsets
///                     (of order 1 numbers); none by default. Backwards, those behind each segment
/// @param options      direction, label
/// @throws std::invalid_argument if coefficients are infinite or not numbers, lengths differ, `y`
///         shares memory with coefficients or with what describes the segments, or partly with `x`
template <ExecutionSpace Exec, class C, std::size_t K, ViewOfRank<1> X, Segments S, ViewOfRank<1> Y,
          class Init = NoCarry>
void segmented_linear_recurrence(const Exec& exec, const std::array<C, K>& coefficients, const X& x,
                                 const S& segments, const Y& y, const Init& init = {},
                                 const SegmentedScanOptions& options = {}) {
  using T = typename Y::value_type;
  static_assert(std::floating_point<T> && std::same_as<typename X::non_const_value_type, T>,
                "WaveScan: 'x' and 'y' must be Views of float or of double, and 'y' not const");
  static_assert(K >= 1 && K <= 16, "WaveScan: 'coefficients' must be 1 to 16");
  constexpr const char* operation = "segmented_linear_recurrence";
  constexpr bool varying = AnyView<C>;
  const Impl::Calling calling(operation);
  Impl::require_extents_of(operation, "y", y, "x", x);
  Impl::require_same_or_disjoint(operation, "x", x, "y", y);
  Impl::require_disjoint_from_segments(operation, segments, "y", y);
  for (const C& c : coefficients) {
    if constexpr (varying) {
      static_assert(ViewOfRank<C, 1> && std::same_as<typename C::non_const_value_type, T> &&
                        AccessibleFrom<C, Exec>,
                    "WaveScan: 'coefficients' must have the rank and type of 'x', in memory that "
                    "the execution space can reach");
      Impl::require_same_extents(operation, "coefficients", c, "x", x);
      Impl::require_disjoint(operation, "coefficients", c, "y", y);
    } else {
      static_assert(std::convertible_to<C, T>, "WaveScan: 'coefficients' must be numbers or Views");
      Impl::require(std::isfinite(static_cast<T>(c)), operation, "coefficients", "must be finite",
                    static_cast<double>(c));
    }
  }
  if constexpr (K == 1) {
    segmented_weighted_scan(exec, x, coefficients[0], segments, y, PlusTimes<T>(), init, options);
  } else {
    constexpr int order = static_cast<int>(K);
    using Maps = AffineMaps<T, order>;
    const auto in = transform_input(x, Impl::filter::PushOutput<T, order>());
    const auto out = transform_output(y, Impl::filter::NewestOutput<T, order>());
    if constexpr (!varying) {
      std::array<T, K> c;
      for (std::size_t k = 0; k < K; ++k) c[k] = static_cast<T>(coefficients[k]);
      segmented_weighted_scan(exec, in, Impl::filter::companion<T, order>(c.data()), segments, out,
                              Maps(), init, options);
    } else {
      const auto n = static_cast<std::int64_t>(x.extent(0));
      Impl::filter::CompanionWeights<T, order> weights;
      for (std::size_t k = 0; k < K; ++k)
        weights.coefficients[k] = Impl::source_of(coefficients[k], 0, n, options.reverse);
      using Plan = Impl::SegmentedScanPlan<Exec, Maps>;
      const auto plan = Impl::kept_plan_of<Plan>(exec, std::tuple<std::int64_t>(n),
                                                 [&] { return Plan(operation, exec, n); });
      plan->run(operation, Impl::ScanKind::Inclusive,
                Impl::WeightedRecurrence<Maps, decltype(weights)>{Maps(), weights}, {}, in,
                segments, out, init, options);
    }
  }
}
/// @brief Runs the recurrence on the default instance of y's execution space.
template <class C, std::size_t K, ViewOfRank<1> X, Segments S, ViewOfRank<1> Y,
          class Init = NoCarry>
void segmented_linear_recurrence(const std::array<C, K>& coefficients, const X& x,
                                 const S& segments, const Y& y, const Init& init = {},
                                 const SegmentedScanOptions& options = {}) {
  segmented_linear_recurrence(typename Y::execution_space(), coefficients, x, segments, y, init,
                              options);
}

}  // namespace wavescan

#endif
