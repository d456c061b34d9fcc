// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TRIDIAGONAL_THOMAS_HPP
#define WAVESCAN_IMPL_TRIDIAGONAL_THOMAS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/tridiagonal/WaveScan_Systems.hpp>
#include <impl/tridiagonal/host/WaveScan_LaneElimination.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/filter/WaveScan_Varying.hpp>
#include <impl/tridiagonal/WaveScan_Elimination.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

/// @file
/// @brief Thomas' recurrences for tridiagonal systems: as a loop for each system, or as scans, for
/// which NVIDIA and AMD GPUs have a kernel.

namespace wavescan::Impl::tridiagonal {

/// @brief A system for each thread. Neighbouring threads take neighbouring systems, and on devices
/// keep what they need again side by side.
template <class T>
struct Loop {
  Systems<T> s;
  Lines<T> ratios;  ///< c_i / u_i
  KOKKOS_FUNCTION void operator()(Index line) const {
    const Index n = s.extents.length;
    T ratio = T(0), y = T(0);
    for (Index i = 0; i < n; ++i) {
      const T a = i == 0 ? T(0) : s.lower(line, i);
      const T pivot = s.diagonal(line, i) - a * ratio;
      y = (s.right(line, i) - a * y) / pivot;
      ratio = i == n - 1 ? T(0) : s.upper(line, i) / pivot;
      ratios(line, i) = ratio;
      s.x(line, i) = y;
    }
    for (Index i = n - 2; i >= 0; --i) {
      y = s.x(line, i) - ratios(line, i) * y;
      s.x(line, i) = y;
    }
  }
};

/// @brief A 2 x 2 matrix whose scale does not matter.
template <class T>
struct Projective {
  T entry[2][2];
};

/// @brief What two matrices do one after the other, scaled so that no entry leaves the range.
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

/// @brief From (p_{i-1}, p_{i-2}) to (p_i, p_{i-1}), where p_i = b_i p_{i-1} - a_i c_{i-1} p_{i-2}
/// is the determinant of the first rows. The pivot is p_i / p_{i-1}.
template <class T>
struct NextDeterminant {
  Systems<T> s;
  KOKKOS_FUNCTION Projective<T> operator()(Index line, Index i) const {
    const T product = i == 0 ? T(0) : s.lower(line, i) * s.upper(line, i - 1);
    return {{{s.diagonal(line, i), -product}, {T(1), T(0)}}};
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
    weights[place] = i == 0 ? T(0) : -s.lower(line, i) / pivots[place - 1];
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
    weights[place] = i == s.extents.length - 1 ? T(0) : -s.upper(line, i) / pivot;
    y[place] /= pivot;
  }
};

template <ExecutionSpace Exec, class Kernel>
void enqueue_each(const Exec& exec, const char* name, Index items, const Kernel& kernel) {
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, items),
                       kernel);
}

template <ExecutionSpace Exec, class T>
void solve_by_scans(const Exec& exec, const Systems<T>& s) {
  using Memory = typename Exec::memory_space;
  using Rows =
      Kokkos::View<T**, Kokkos::LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto lines = static_cast<std::size_t>(s.extents.lines),
             length = static_cast<std::size_t>(s.extents.length);
  const Index entries = s.extents.lines * s.extents.length;
  const auto memory = kept_array<T>(exec, "WaveScan::tridiagonal::rows", 3 * entries);
  const auto rows = [&](Index k) { return Rows(memory->data() + k * entries, lines, length); };
  const Rows pivots = rows(0), weights = rows(1), y = rows(2);
  const auto view = [&]<class Entry>(const Lines<Entry>& of) {
    return Kokkos::View<Entry**, Kokkos::LayoutStride, Memory,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        of.data, Kokkos::LayoutStride(lines, static_cast<std::size_t>(of.line_stride), length,
                                      static_cast<std::size_t>(of.stride)));
  };
  const auto along = ScanOptions().axis(1);
  inclusive_scan(exec, computed_input(s.extents.lines, s.extents.length, NextDeterminant<T>{s}),
                 transform_output(pivots, PivotOf<T>()), ThenProjective<T>(), along);
  enqueue_each(exec, "WaveScan::tridiagonal::weights", entries,
               ForwardWeights<T>{s, pivots.data(), weights.data()});
  weighted_scan(exec, view(s.right), weights, y, PlusTimes<T>(), along);
  enqueue_each(exec, "WaveScan::tridiagonal::weights", entries,
               BackwardWeights<T>{s, pivots.data(), weights.data(), y.data()});
  weighted_scan(exec, y, weights, view(s.x), PlusTimes<T>(), along.reverse());
}

#if defined(WAVESCAN_HAS_VECTORS)
/// @brief On a host, several systems in the lanes of vectors.
template <ExecutionSpace Exec, class T>
void solve_in_lanes(const Exec& exec, const Systems<T>& s) {
  const auto elimination = AnyLaneElimination<T>::best();
  const Index lanes = elimination.lanes, lines = s.extents.lines, n = s.extents.length;
  const Index threads = exec.concurrency();
  const Index share = ceil_div(ceil_div(lines, lanes), threads) * lanes;
  const Index together =
      std::min(systems_together<T>(s.diagonal.line_stride == 1, n, elimination.lanes), share);
  const auto workspace =
      kept_array<T>(exec, "WaveScan::tridiagonal::lanes", threads * together * n * 2);
  T* const memory = workspace->data();
  enqueue_each(exec, "WaveScan::tridiagonal::lanes", threads, [=](Index thread) {
    const Index end = std::min(lines, (thread + 1) * share);
    for (Index first = thread * share; first < end; first += together)
      elimination.solve(s, first, std::min(together, end - first),
                        memory + thread * together * n * 2);
  });
}
#endif

#if defined(WAVESCAN_HAS_GPU_KERNELS)
/// @brief By two launches of the kernel that scans maps: elimination and back substitution move
/// nine numbers an unknown. Returns false if it cannot do that.
template <class T>
bool solve_by_tiles(const gpu::Device& exec, const Systems<T>& s) {
  using Substitution = filter::RecurrenceModel<T, 1>;
  const Index lines = s.extents.lines, n = s.extents.length;
  // Both scans or none: lines that are too short for the tiles of one are refused here.
  constexpr Index shortest = std::max(filter::MapScanSizes<Substitution>::tile,
                                      filter::MapScanSizes<EliminationModel<T>>::tile) /
                             2;
  if (s.x.stride != 1 || (lines > 1 && n < shortest)) return false;
  // Ratios lie between 16-byte boundaries as x does.
  constexpr Index unit = 16 / sizeof(T);
  const int front = filter::MapScanLines<Substitution>::front_of(s.x);
  const Index pitch = ceil_div(front + n, unit) * unit;
  const auto memory = kept_array<T>(exec, "WaveScan::tridiagonal::ratios", lines * pitch);
  const Lines<T> eliminated[] = {s.x, {memory->data() + front, pitch, 1}};
  const Lines<const T> rows[] = {s.right, s.diagonal, s.lower, s.upper};
  if (!filter::enqueue_map_scan<EliminationModel<T>>(exec, s.extents, rows, eliminated))
    return false;
  const auto backwards = [&](const Lines<T>& of) {
    return Lines<const T>{of.data + (n - 1), of.line_stride, -1};
  };
  const Lines<T> x[] = {{s.x.data + (n - 1), s.x.line_stride, -1}};
  const Lines<const T> in[] = {backwards(eliminated[0]), backwards(eliminated[1])};
  return filter::enqueue_map_scan<Substitution>(exec, s.extents, in, x);
}
#endif

template <ExecutionSpace Exec, class T>
void solve(const Exec& exec, const Systems<T>& s) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>)
    if (solve_by_tiles(exec, s)) return;
#endif
  // Scans take about eight times the work of a loop.
  constexpr Index short_system = 256;
  if (8 * s.extents.lines < static_cast<Index>(exec.concurrency()) &&
      s.extents.length > short_system)
    return solve_by_scans(exec, s);
#if defined(WAVESCAN_HAS_VECTORS)
  if constexpr (runs_on_host<Exec>) return solve_in_lanes(exec, s);
#endif
  const auto ratios =
      kept_array<T>(exec, "WaveScan::tridiagonal::ratios", s.extents.lines * s.extents.length);
  enqueue_each(exec, "WaveScan::tridiagonal::loop", s.extents.lines,
               Loop<T>{s, {ratios->data(), 1, s.extents.lines}});
}

}  // namespace wavescan::Impl::tridiagonal

#endif
