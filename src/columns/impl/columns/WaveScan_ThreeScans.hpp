// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_THREESCANS_HPP
#define WAVESCAN_IMPL_COLUMNS_THREESCANS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/columns/WaveScan_Elimination.hpp>
#include <impl/filter/WaveScan_Varying.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <span>

/// @file
/// @brief Few long systems, not cyclic: Thomas' recurrences as three scans, or as two by the kernel
/// for recurrences of NVIDIA and AMD GPUs.

namespace wavescan::Impl::columns {

/// @brief A 2 x 2 matrix whose scale does not matter.
template <class T>
struct Projective {
  T entry[2][2];
};

/// @brief The product of two matrices, scaled so that no entry leaves the range.
template <class T>
struct ThenProjective {
  using value_type = Projective<T>;
  KOKKOS_FUNCTION value_type operator()(const value_type& first, const value_type& then) const {
    value_type m;
    T largest = T(0);
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) {
        m.entry[r][c] = then.entry[r][0] * first.entry[0][c] + then.entry[r][1] * first.entry[1][c];
        const T size = m.entry[r][c] < T(0) ? -m.entry[r][c] : m.entry[r][c];
        largest = size > largest ? size : largest;
      }
    const T scale = largest > T(0) ? T(1) / largest : T(1);
    for (auto& row : m.entry)
      for (T& entry : row) entry *= scale;
    return m;
  }
  KOKKOS_FUNCTION value_type identity() const { return {{{T(1), T(0)}, {T(0), T(1)}}}; }
};

/// @brief The map from (p_{i-1}, p_{i-2}) to (p_i, p_{i-1}), where p_i = b_i p_{i-1} - a_i c_{i-1}
/// p_{i-2} is the determinant of the first rows. The pivot is p_i / p_{i-1}.
template <class T>
struct NextDeterminant {
  Matrices<T> m;
  KOKKOS_FUNCTION Projective<T> operator()(Index line, Index i) const {
    const T product = i == 0 ? T(0) : m.of(-1)(line, i) * m.of(1)(line, i - 1);
    return {{{m.of(0)(line, i), -product}, {T(1), T(0)}}};
  }
};
template <class T>
struct PivotOf {
  KOKKOS_FUNCTION T operator()(const Projective<T>& m) const {
    return m.entry[0][0] / m.entry[1][0];
  }
};

/// @brief Weights of the scans forwards and backwards, and the latter's elements, for each entry.
template <class T>
struct ForwardWeights {
  Systems<T> s;
  const T* pivots;  ///< (line, i)
  T* weights;
  KOKKOS_FUNCTION void operator()(Index place) const {
    const Index line = place / s.extents.length, i = place % s.extents.length;
    weights[place] = i == 0 ? T(0) : -s.matrices.of(-1)(line, i) / pivots[place - 1];
  }
};
template <class T>
struct BackwardWeights {
  Systems<T> s;
  const T* pivots;
  T* weights;
  T* y;
  KOKKOS_FUNCTION void operator()(Index place) const {
    const Index line = place / s.extents.length, i = place % s.extents.length;
    const T pivot = pivots[place];
    weights[place] = i == s.extents.length - 1 ? T(0) : -s.matrices.of(1)(line, i) / pivot;
    y[place] /= pivot;
  }
};

/// @brief A View of lines.
template <ExecutionSpace Exec, class T>
auto view_of_lines(const Lines<T>& of, const LineExtents& extents) {
  using Strided = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return Strided(of.data, Kokkos::LayoutStride(static_cast<std::size_t>(extents.lines),
                                               static_cast<std::size_t>(of.line_stride),
                                               static_cast<std::size_t>(extents.length),
                                               static_cast<std::size_t>(of.stride)));
}

template <ExecutionSpace Exec, class T>
void solve_by_scans(const Exec& exec, const Systems<T>& s) {
  using Memory = typename Exec::memory_space;
  using Rows =
      Kokkos::View<T**, Kokkos::LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto lines = static_cast<std::size_t>(s.extents.lines),
             length = static_cast<std::size_t>(s.extents.length);
  const Index entries = s.extents.lines * s.extents.length;
  const auto memory = kept_array<T>(exec, "WaveScan::columns::rows", 3 * entries);
  const auto rows = [&](Index k) { return Rows(memory->data() + k * entries, lines, length); };
  const Rows pivots = rows(0), weights = rows(1), y = rows(2);
  const auto along = ScanOptions().axis(1);
  inclusive_scan(exec,
                 computed_input(s.extents.lines, s.extents.length, NextDeterminant<T>{s.matrices}),
                 transform_output(pivots, PivotOf<T>()), ThenProjective<T>(), along);
  enqueue_each(exec, "WaveScan::columns::weights", entries,
               ForwardWeights<T>{s, pivots.data(), weights.data()});
  weighted_scan(exec, view_of_lines<Exec>(s.right, s.extents), weights, y, PlusTimes<T>(), along);
  enqueue_each(exec, "WaveScan::columns::weights", entries,
               BackwardWeights<T>{s, pivots.data(), weights.data(), y.data()});
  weighted_scan(exec, y, weights, view_of_lines<Exec>(s.x, s.extents), PlusTimes<T>(),
                along.reverse());
}

/// @brief Factors of long systems, of which the lower and the upper one are the weights of two
/// scans: their signs are changed.
template <class T>
struct ScanFactors {
  Matrices<T> m;
  Lines<T> lower, inverse, upper;  ///< inverse: of pivots, which lie there before
  Index length;
  KOKKOS_FUNCTION void operator()(Index place) const {
    const Index line = place / length, i = place % length;
    const T factor = T(1) / inverse(line, i);
    inverse(line, i) = factor;
    lower(line, i) = i == 0 ? T(0) : -m.of(-1)(line, i) * factor;
    upper(line, i) = i == length - 1 ? T(0) : -m.of(1)(line, i) * factor;
  }
};
template <class T>
struct DivideByPivots {
  Lines<const T> inverse, right;
  Lines<T> x;
  Index length;
  KOKKOS_FUNCTION void operator()(Index place) const {
    const Index line = place / length, i = place % length;
    x(line, i) = inverse(line, i) * right(line, i);
  }
};

template <ExecutionSpace Exec, class T>
void factorize_by_scan(const Exec& exec, const Matrices<T>& m, const EachOf<T, 3>& factors,
                       const LineExtents& extents) {
  const auto& [lower, inverse, upper] = factors.number;
  inclusive_scan(exec, computed_input(extents.lines, extents.length, NextDeterminant<T>{m}),
                 transform_output(view_of_lines<Exec>(inverse, extents), PivotOf<T>()),
                 ThenProjective<T>(), ScanOptions().axis(1));
  enqueue_each(exec, "WaveScan::columns::factors", extents.lines * extents.length,
               ScanFactors<T>{m, lower, inverse, upper, extents.length});
}

template <ExecutionSpace Exec, class T>
void solve_by_two_scans(const Exec& exec, const FactoredSystems<T>& s) {
  const auto x = view_of_lines<Exec>(s.x, s.extents);
  const auto along = ScanOptions().axis(1);
  enqueue_each(exec, "WaveScan::columns::divide", s.extents.lines * s.extents.length,
               DivideByPivots<T>{s.factors.of(0), s.right, s.x, s.extents.length});
  weighted_scan(exec, x, view_of_lines<Exec>(s.factors.of(-1), s.extents), x, PlusTimes<T>(),
                along);
  weighted_scan(exec, x, view_of_lines<Exec>(s.factors.of(1), s.extents), x, PlusTimes<T>(),
                along.reverse());
}

#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <class T>
void rows_of(const Systems<T>& s, Lines<const T> (&rows)[4]) {
  rows[0] = s.right;
  for (int k = 0; k < 3; ++k) rows[k + 1] = s.matrices.of(k == 0 ? 0 : k == 1 ? -1 : 1);
}

/// @brief Whether the kernel that scans maps can move the lines, for both scans: tiles belong to
/// one line, and short ones would leave most of them empty.
template <class T>
bool can_be_tiled(const Systems<T>& s) {
  using Elimination = EliminationModel<T>;
  constexpr Index shortest = std::max(filter::MapScanSizes<filter::RecurrenceModel<T, 1>>::shortest,
                                      filter::MapScanSizes<Elimination>::shortest);
  // Of a transposed matrix there is nothing before the first row, which tiles would load.
  if (s.x.stride != 1 || s.matrices.transposed ||
      (s.extents.lines > 1 && s.extents.length < shortest))
    return false;
  const Lines<T> eliminated[] = {s.x, s.x};  // ratios lie as x does
  Lines<const T> rows[4];
  rows_of(s, rows);
  return filter::MapScanLines<Elimination>::can_move(s.extents, rows, eliminated);
}

/// @brief Solves by two launches of the kernel that scans maps: elimination and back substitution
/// move nine numbers an unknown.
template <class T>
void solve_by_tiles(const gpu::Device& exec, const Systems<T>& s) {
  using Substitution = filter::RecurrenceModel<T, 1>;
  const Index lines = s.extents.lines, n = s.extents.length;
  // Ratios lie between 16-byte boundaries as x does.
  constexpr Index unit = 16 / sizeof(T);
  const int front = filter::MapScanLines<Substitution>::front_of(s.x);
  const Index pitch = ceil_div(front + n, unit) * unit;
  const auto memory = kept_array<T>(exec, "WaveScan::columns::ratios", lines * pitch);
  const Lines<T> eliminated[] = {s.x, {memory->data() + front, pitch, 1}};
  Lines<const T> rows[4];
  rows_of(s, rows);
  filter::enqueue_map_scan<EliminationModel<T>>(exec, s.extents, rows, eliminated);
  const auto backwards = [&](const Lines<T>& of) {
    return Lines<const T>{of.data + (n - 1), of.line_stride, -1};
  };
  const Lines<T> x[] = {{s.x.data + (n - 1), s.x.line_stride, -1}};
  const Lines<const T> in[] = {backwards(eliminated[0]), backwards(eliminated[1])};
  filter::enqueue_map_scan<Substitution>(exec, s.extents, in, x);
}
#endif

}  // namespace wavescan::Impl::columns

#endif
