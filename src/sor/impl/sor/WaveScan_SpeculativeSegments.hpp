// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SPECULATIVESEGMENTS_HPP
#define WAVESCAN_IMPL_SOR_SPECULATIVESEGMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/sor/WaveScan_Loop.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

/// @file
/// @brief Few long rows, or columns, on devices: a thread has a segment of all of them
/// (speculation).
///
/// A segment starts early, in an overlap, from the old values, so that segments need not wait for
/// each other; it goes from one array to another. What it comes to have left of its first column
/// must be what its neighbour has there, bit for bit: then, by induction from the first segment,
/// all values are those of the serial loop. A segment of which that is not true is done again.

/// Unrolls a loop over a thread's values on devices, where these then are registers.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define WAVESCAN_UNROLL _Pragma("unroll")
#else
#define WAVESCAN_UNROLL
#endif

namespace wavescan::Impl::sor {

template <class T>
KOKKOS_FUNCTION bool same_bits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return Kokkos::bit_cast<Bits>(a) == Kokkos::bit_cast<Bits>(b);
}

/// @brief The segments of some rows; as a kernel: the speculation check, whether each of them but
/// the first, which begins with the halo, began with what its neighbour has there.
template <class T>
struct Segments {
  static constexpr int max_rows = 16;

  Grid<T> to;
  Index width;  ///< columns of a segment
  T* starts;    ///< (segment, row): left of the first column
  int* failed;  ///< a segment did not begin as its neighbour ended

  KOKKOS_FUNCTION int rows() const { return static_cast<int>(to.rows - 2); }
  KOKKOS_FUNCTION Index count() const { return (to.columns - 2 + width - 1) / width; }
  KOKKOS_FUNCTION Index begin_of(Index segment) const { return 1 + segment * width; }
  KOKKOS_FUNCTION Index end_of(Index segment) const {
    return Kokkos::min(begin_of(segment) + width, to.columns - 1);
  }
  KOKKOS_FUNCTION T& start(Index segment, int i) const { return starts[segment * rows() + i]; }
  KOKKOS_FUNCTION bool fits(Index segment) const {
    bool fit = true;
    for (int i = 0; i < rows(); ++i)
      fit &= same_bits(start(segment, i), to(i + 1, begin_of(segment) - 1));
    return fit;
  }
  KOKKOS_FUNCTION void operator()(Index segment) const {
    if (segment > 0 && !fits(segment)) Kokkos::atomic_store(failed, 1);
  }
};

/// @brief A pass over few rows in segments. Where the grid was given with rows and columns
/// exchanged, it is `transposed`: operations keep the order of the grid that was given.
/// @tparam Most rows
template <class T, int Most, class Fixed>
struct SegmentPass {
  using problem_type = MaskedProblem<T, Fixed>;

  problem_type problem;  ///< of which x is only read
  Segments<T> segments;
  Index overlap;  ///< columns before those of a segment

  /// @brief Row i of column j, which the halo counts, relaxed.
  KOKKOS_FUNCTION T relaxed_point(Index i, Index j, const FivePointValues<T>& near,
                                  bool transposed) const {
    const T b = problem.rhs.data ? problem.rhs(i, j) : T(0);
    const T own = own_terms(problem.coefficients, near.center, b, problem.rhs.data != nullptr);
    const T now = transposed ? relaxed<true>(problem.coefficients, near, own)
                             : relaxed<false>(problem.coefficients, near, own);
    return problem.fixed(i, j, b) ? near.center : now;
  }

  /// @brief Some neighbouring columns, one after the other.
  class Walk {
   public:
    KOKKOS_FUNCTION Walk(const SegmentPass& pass, Index column)
        : pass_(pass), x_(pass.problem.x), rows_(pass.segments.rows()) {
      WAVESCAN_UNROLL
      for (int i = 0; i < Most; ++i)
        if (i < rows_) {
          left_[i] = x_(i + 1, column - 1);
          center_[i] = x_(i + 1, column);
        }
    }
    /// @brief Relaxes a column; afterwards these are left of the next one.
    KOKKOS_FUNCTION void step(Index j, bool transposed) {
      T up = x_(0, j);
      WAVESCAN_UNROLL
      for (int i = 0; i < Most; ++i) {
        if (i >= rows_) continue;
        const T right = x_(i + 1, j + 1);
        const T down = i + 1 < rows_ ? center_[i + 1 < Most ? i + 1 : i] : x_(i + 2, j);
        up = left_[i] =
            pass_.relaxed_point(i + 1, j, {center_[i], left_[i], up, right, down}, transposed);
        center_[i] = right;
      }
    }
    /// @brief The value in the last column that was relaxed.
    KOKKOS_FUNCTION T operator[](int i) const { return left_[i]; }

   private:
    const SegmentPass& pass_;
    const Grid<T>& x_;
    int rows_;
    T left_[Most];
    T center_[Most];  ///< old values
  };

  template <bool Transposed>
  struct Relax {
    SegmentPass pass;
    KOKKOS_FUNCTION void operator()(Index segment) const {
      const Segments<T>& all = pass.segments;
      const int rows = all.rows();
      const Index begin = all.begin_of(segment), end = all.end_of(segment);
      const Index first = Kokkos::max(begin - pass.overlap, Index(1));
      Walk walk(pass, first);
      for (Index j = first; j < begin; ++j) walk.step(j, Transposed);
      WAVESCAN_UNROLL
      for (int i = 0; i < Most; ++i)
        if (i < rows) all.start(segment, i) = walk[i];
      for (Index j = begin; j < end; ++j) {
        walk.step(j, Transposed);
        WAVESCAN_UNROLL
        for (int i = 0; i < Most; ++i)
          if (i < rows) all.to(i + 1, j) = walk[i];
      }
    }
  };

  /// @brief Does segments again that did not begin with what their neighbour has, up to where they
  /// come to what they had: by one thread, with no more registers than it takes to look, because
  /// segments hardly ever need that.
  struct Repair {
    SegmentPass pass;
    bool transposed;
    KOKKOS_FUNCTION void operator()(Index) const {
      const Segments<T>& all = pass.segments;
      if (*all.failed == 0) return;
      *all.failed = 0;
      for (Index segment = 1; segment < all.count(); ++segment)
        if (!all.fits(segment)) redo(segment);
    }
    KOKKOS_FUNCTION void redo(Index segment) const {
      const Index end = pass.segments.end_of(segment);
      bool different = true;
      for (Index j = pass.segments.begin_of(segment); different && j < end; ++j)
        different = redo_column(j);
    }
    KOKKOS_FUNCTION bool redo_column(Index j) const {
      const Grid<T>& x = pass.problem.x;
      const Grid<T>& to = pass.segments.to;
      bool different = false;
      T up = x(0, j);
      for (Index i = 1; i + 1 < to.rows; ++i) {
        up = pass.relaxed_point(i, j, {x(i, j), to(i, j - 1), up, x(i, j + 1), x(i + 1, j)},
                                transposed);
        different |= !same_bits(up, to(i, j));
        to(i, j) = up;
      }
      return different;
    }
  };
};

/// @brief Sweeps of arrays of few rows, or columns, on a device.
template <ExecutionSpace Exec, class T>
class SegmentSweeps {
 public:
  static constexpr int max_rows = Segments<T>::max_rows;
  Index overlap = 0;  ///< for tests; 0: chosen

  SegmentSweeps() = default;
  SegmentSweeps(const Exec& exec, Index rows, Index columns) {
    const Index m = std::min(rows, columns) - 2, n = std::max(rows, columns) - 2;
    if (m < 1 || m > max_rows || n < min_columns) return;
    width_ = std::clamp<Index>(n / 16384, 16, 64);
    allocate(exec, starts_, "WaveScan::sor::segment_starts", (n / width_ + 1) * max_rows);
    allocate_cleared(exec, failed_, "WaveScan::sor::segment_failed");
  }

  /// @brief Whether such sweeps can be done: rows are few, and forget soon where they came from.
  template <class Fixed>
  bool suits(const MaskedProblem<T, Fixed>& problem) const {
    const auto p = with_few_rows(problem);
    return width_ > 0 && p.interior_rows() > 0 && p.interior_rows() <= max_rows &&
           p.interior_columns() >= min_columns && overlap_of(p) <= max_overlap;
  }
  /// @brief Whether nothing else is as fast for `count` sweeps: where there is little to do, or a
  /// thread's segment lies together in memory and few sweeps could share a pass.
  template <class Fixed>
  bool is_best(const MaskedProblem<T, Fixed>& problem, int count) const {
    constexpr int worth_fusing = 4;
    const auto p = with_few_rows(problem);
    const bool together = std::abs(p.x.row_stride) < std::abs(p.x.column_stride);
    return p.x.columns < (1 << 16) || (together && count < worth_fusing);
  }

  /// @brief Makes what the first call would.
  void reserve(const Exec& exec, const Grid<T>& x) const { second_.like(exec, x); }

  /// @brief Enqueues `count` sweeps from x to `to`, which may be x.
  template <class Fixed>
  void sweep_to(const Exec& exec, const MaskedProblem<T, Fixed>& problem, const Grid<T>& to,
                int count, bool forward, bool backward) const {
    const bool few_columns = has_few_columns(problem);
    const auto p = with_few_rows(problem);
    const Grid<T> result = few_columns ? transposed(to) : to;
    const bool in_place = p.x.data == result.data;
    const int passes = count * ((forward ? 1 : 0) + (backward ? 1 : 0));
    const Grid<T> other = second_.like(exec, p.x);
    DoubleBuffer<T> ends(p.x, result, other, passes);
    if (passes > 1) copy_halo(exec, p.x, other);
    if (!in_place) copy_halo(exec, p.x, result);
    Grid<T> from = p.x;
    for (int k = 0; k < passes; ++k) {
      const Grid<T>& end = ends.next();
      pass(exec, p, from, end, few_columns, !forward || (backward && k % 2 == 1));
      from = end;
    }
    if (ends.ends_in_other())
      copy_entries(exec, "WaveScan::sor::copy", read_only(interior(other)), interior(result));
  }

 private:
  static constexpr Index min_columns = 512;
  static constexpr Index max_overlap = 192;

  template <class Problem>
  static bool has_few_columns(const Problem& p) {
    return p.x.columns < p.x.rows;
  }
  template <class Fixed>
  static MaskedProblem<T, Fixed> with_few_rows(const MaskedProblem<T, Fixed>& p) {
    return has_few_columns(p) ? transposed(p) : p;
  }
  template <class Problem>
  Index overlap_of(const Problem& p) const {
    const SORCoefficients<T>& c = p.coefficients;
    if (overlap > 0) return overlap;
    // Whichever direction the passes have.
    return std::max(speculation_overlap<T>(c.left, c.up, 1),
                    speculation_overlap<T>(c.right, c.down, 1));
  }

  template <class Fixed>
  void pass(const Exec& exec, MaskedProblem<T, Fixed> p, const Grid<T>& from, const Grid<T>& to,
            bool transposed, bool backward) const {
    p.x = from;
    if (backward) p = reversed(p);
    const Segments<T> segments{backward ? reversed(to) : to, width_, starts_.data(),
                               failed_.data()};
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    // Small blocks of threads: few segments are spread over all of the device.
    using Spread = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>, Kokkos::LaunchBounds<64>>;
    const auto relax = [&](auto most, auto is_transposed) {
      using Pass = SegmentPass<T, most(), Fixed>;
      Kokkos::parallel_for(
          "WaveScan::sor::segments", Spread(exec, 0, segments.count()),
          typename Pass::template Relax<is_transposed()>{{p, segments, overlap_of(p)}});
    };
    const auto relax_most = [&](auto most) {
      transposed ? relax(most, std::true_type()) : relax(most, std::false_type());
    };
    constexpr int few = 4;
    if (p.interior_rows() <= few)
      relax_most(std::integral_constant<int, few>());
    else
      relax_most(std::integral_constant<int, max_rows>());
    Kokkos::parallel_for("WaveScan::sor::segments_fit", Policy(exec, 0, segments.count()),
                         segments);
    Kokkos::parallel_for(
        "WaveScan::sor::segments_again", Policy(exec, 0, 1),
        typename SegmentPass<T, max_rows, Fixed>::Repair{{p, segments, 0}, transposed});
  }

  Index width_ = 0;
  SecondArray<Exec, T> second_;
  Kokkos::View<T*, typename Exec::memory_space> starts_;
  Kokkos::View<int, typename Exec::memory_space> failed_;
};

}  // namespace wavescan::Impl::sor

#undef WAVESCAN_UNROLL

#endif
