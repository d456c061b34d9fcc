// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_PIECES_HPP
#define WAVESCAN_IMPL_SOR_PIECES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_SOR_Alternation.hpp>
#include <impl/WaveScan_SOR_Copy.hpp>
#include <impl/WaveScan_SOR_Loop.hpp>
#include <impl/WaveScan_SOR_Marks.hpp>
#include <impl/WaveScan_SOR_Overlap.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_SecondArray.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

/// @file
/// @brief Few long rows, or columns, on devices: a thread has a piece of all of them.
///
/// A piece starts early, in an overlap, from the old values, so that pieces need not wait for each
/// other; it goes from one array to another. What it comes to have left of its first column must be
/// what its neighbour has there, bit for bit: then, by induction from the first piece, all values
/// are those of the serial loop. A piece of which that is not true is done again.

/// Unrolls a loop over a thread's values on devices, where these then are registers.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define WAVESCAN_UNROLL _Pragma("unroll")
#else
#define WAVESCAN_UNROLL
#endif

namespace wavescan::Impl {

/// @brief A pass over few rows in pieces.
/// @tparam Most       rows
/// @tparam Transposed whether the operations keep the order of a grid that was given with rows and
///                    columns exchanged
template <class T, int Most, bool Transposed>
struct SORPiecesPass {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  SORProblem<T> problem;  ///< of which x is only read
  Grid<T> to;
  Index width;    ///< columns of a piece
  Index overlap;  ///< columns before those
  T* seams;       ///< (piece, row): left of the first column
  int* failed;    ///< a seam did not fit

  KOKKOS_FUNCTION Index rows() const { return problem.x.rows - 2; }
  KOKKOS_FUNCTION Index pieces() const { return (problem.x.columns - 2 + width - 1) / width; }
  KOKKOS_FUNCTION Index begin_of(Index piece) const { return 1 + piece * width; }
  KOKKOS_FUNCTION Index end_of(Index piece) const {
    return Kokkos::min(begin_of(piece) + width, problem.x.columns - 1);
  }

  /// @brief Some neighbouring columns, one after the other.
  class Walk {
   public:
    KOKKOS_FUNCTION Walk(const SORPiecesPass& pass, const Grid<T>& left_of, Index column)
        : p_(pass.problem), rows_(static_cast<int>(pass.rows())) {
      WAVESCAN_UNROLL
      for (int i = 0; i < Most; ++i)
        if (i < rows_) {
          left_[i] = left_of(i + 1, column - 1);
          center_[i] = p_.x(i + 1, column);
        }
    }
    /// @brief Relaxes a column; afterwards these are left of the next one.
    KOKKOS_FUNCTION void step(Index j) {
      T up = p_.x(0, j);
      WAVESCAN_UNROLL
      for (int i = 0; i < Most; ++i) {
        if (i >= rows_) continue;
        const T right = p_.x(i + 1, j + 1);
        const T down = i + 1 < rows_ ? center_[i + 1 < Most ? i + 1 : i] : p_.x(i + 2, j);
        const T b = p_.rhs.data ? p_.rhs(i + 1, j) : T(0);
        const T relaxed = relax(center_[i], left_[i], up, right, down, b);
        left_[i] = p_.marked && SORMark<T>::is(b) ? center_[i] : relaxed;
        up = left_[i];
        center_[i] = right;
      }
    }
    /// @brief The value in the last column that was relaxed.
    KOKKOS_FUNCTION T operator[](int i) const { return left_[i]; }

   private:
    /// @brief The old values that a point needs, seen from there.
    struct Old {
      T center, right, down;
      KOKKOS_FORCEINLINE_FUNCTION T operator()(Index i, Index j) const {
        return i > 0 ? down : j > 0 ? right : center;
      }
    };
    KOKKOS_FUNCTION T relax(T center, T left, T up, T right, T down, T b) const {
      if constexpr (Transposed)
        return relax(transposed(p_.coefficients), left, up, Old{center, down, right}, b);
      else
        return relax(p_.coefficients, up, left, Old{center, right, down}, b);
    }
    KOKKOS_FUNCTION T relax(const SORCoefficients<T>& c, T up, T left, const Old& old, T b) const {
      const SORLoop<T> loop{c, p_.rhs};
      return FusedPlusTimes<T>().advance(left, c.left, loop.partial(0, 0, up, T(0), old, {b}));
    }

    const SORProblem<T>& p_;
    int rows_;
    T left_[Most];
    T center_[Most];  ///< old values
  };

  struct Relax {
    SORPiecesPass pass;
    KOKKOS_FUNCTION void operator()(Index piece) const {
      const int rows = static_cast<int>(pass.rows());
      const Index begin = pass.begin_of(piece), end = pass.end_of(piece);
      const Index first = Kokkos::max(begin - pass.overlap, Index(1));
      Walk walk(pass, pass.problem.x, first);
      for (Index j = first; j < begin; ++j) walk.step(j);
      WAVESCAN_UNROLL
      for (int i = 0; i < Most; ++i)
        if (i < rows) pass.seams[piece * Most + i] = walk[i];
      for (Index j = begin; j < end; ++j) {
        walk.step(j);
        WAVESCAN_UNROLL
        for (int i = 0; i < Most; ++i)
          if (i < rows) pass.to(i + 1, j) = walk[i];
      }
    }
  };

  KOKKOS_FUNCTION static bool same(T a, T b) {
    return Kokkos::bit_cast<Bits>(a) == Kokkos::bit_cast<Bits>(b);
  }
  KOKKOS_FUNCTION bool fits(Index piece) const {
    bool fit = true;
    for (int i = 0; i < static_cast<int>(rows()); ++i)
      fit &= same(seams[piece * Most + i], to(i + 1, begin_of(piece) - 1));
    return fit;
  }

  /// @brief Looks at the seams of the pieces but the first, which begins with the halo.
  struct Check {
    SORPiecesPass pass;
    KOKKOS_FUNCTION void operator()(Index piece) const {
      if (piece > 0 && !pass.fits(piece)) Kokkos::atomic_store(pass.failed, 1);
    }
  };

  /// @brief Does pieces again that did not begin with what their neighbour has, up to where they
  /// come to what they had: by one thread, because pieces hardly ever need that.
  struct Repair {
    SORPiecesPass pass;
    KOKKOS_FUNCTION void operator()(Index) const {
      if (*pass.failed == 0) return;
      *pass.failed = 0;
      for (Index piece = 1; piece < pass.pieces(); ++piece)
        if (!pass.fits(piece)) redo(piece);
    }
    KOKKOS_FUNCTION void redo(Index piece) const {
      const int rows = static_cast<int>(pass.rows());
      const Index begin = pass.begin_of(piece), end = pass.end_of(piece);
      Walk walk(pass, pass.to, begin);
      bool different = true;
      for (Index j = begin; different && j < end; ++j) {
        walk.step(j);
        different = false;
        WAVESCAN_UNROLL
        for (int i = 0; i < Most; ++i)
          if (i < rows) {
            different |= !same(walk[i], pass.to(i + 1, j));
            pass.to(i + 1, j) = walk[i];
          }
      }
    }
  };
};

/// @brief Sweeps of arrays of few rows, or columns, on a device.
template <ExecutionSpace Exec, class T>
class SORPieces {
 public:
  static constexpr Index most_rows = 16;
  Index overlap = 0;  ///< for tests; 0: chosen

  SORPieces() = default;
  SORPieces(const Exec& exec, Index rows, Index columns) {
    const Index m = std::min(rows, columns) - 2, n = std::max(rows, columns) - 2;
    if (m < 1 || m > most_rows || n < fewest_columns) return;
    width_ = std::clamp<Index>(n / 16384, 16, 64);
    seams_ = Kokkos::View<T*, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::piece_seams"),
        static_cast<std::size_t>((n / width_ + 1) * most_rows));
    failed_ = Kokkos::View<int, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, "WaveScan::sor::piece_failed"));
  }

  /// @brief Whether such sweeps can be done: rows are few, and forget soon where they came from.
  bool suits(const SORProblem<T>& problem) const {
    const SORProblem<T> p = with_few_rows(problem);
    return width_ > 0 && p.fixed.word == FixedPoints::Word::None && p.interior_rows() > 0 &&
           p.interior_rows() <= most_rows && p.interior_columns() >= fewest_columns &&
           overlap_of(p) <= most_overlap;
  }
  /// @brief Whether nothing else is as fast for `count` sweeps: where there is little to do, or a
  /// thread's piece lies together in memory and few sweeps could be fused.
  bool is_best(const SORProblem<T>& problem, int count) const {
    constexpr int worth_fusing = 4;
    const SORProblem<T> p = with_few_rows(problem);
    const bool together = std::abs(p.x.row_stride) < std::abs(p.x.column_stride);
    return p.x.columns < (1 << 16) || (together && count < worth_fusing);
  }

  /// @brief Makes what the first call would.
  void reserve(const Exec& exec, const SORProblem<T>& problem) const {
    second_.like(exec, problem.x);
  }

  /// @brief Enqueues `count` sweeps from x to `to`, which may be x.
  void sweep_to(const Exec& exec, const SORProblem<T>& problem, const Grid<T>& to, int count,
                bool forward, bool backward) const {
    const bool few_columns = has_few_columns(problem);
    const SORProblem<T> p = with_few_rows(problem);
    const Grid<T> result = few_columns ? transposed(to) : to;
    const auto sweep = [&](auto most, auto is_transposed) {
      run<most(), is_transposed()>(exec, p, result, count, forward, backward);
    };
    const auto with_most = [&](auto most) {
      few_columns ? sweep(most, std::true_type()) : sweep(most, std::false_type());
    };
    if (p.interior_rows() <= 4)
      with_most(std::integral_constant<int, 4>());
    else
      with_most(std::integral_constant<int, most_rows>());
  }

 private:
  static constexpr Index fewest_columns = 512;
  static constexpr Index most_overlap = 192;

  static bool has_few_columns(const SORProblem<T>& p) { return p.x.columns < p.x.rows; }
  static SORProblem<T> with_few_rows(const SORProblem<T>& p) {
    return has_few_columns(p) ? transposed(p) : p;
  }
  Index overlap_of(const SORProblem<T>& p) const {
    const SORCoefficients<T>& c = p.coefficients;
    if (overlap > 0) return overlap;
    // Whichever direction the passes have.
    return std::max(sor_overlap<T>(c.left, c.up, 1), sor_overlap<T>(c.right, c.down, 1));
  }

  template <int Most, bool Transposed>
  void run(const Exec& exec, const SORProblem<T>& p, const Grid<T>& to, int count, bool forward,
           bool backward) const {
    const bool in_place = p.x.data == to.data;
    const int passes = count * ((forward ? 1 : 0) + (backward ? 1 : 0));
    const Grid<T> other = second_.like(exec, p.x);
    SORAlternation<T> ends(p.x, to, other, passes);
    if (passes > 1) copy_halo(exec, p.x, other);
    if (!in_place) copy_halo(exec, p.x, to);
    Grid<T> from = p.x;
    for (int k = 0; k < passes; ++k) {
      const Grid<T>& result = ends.next();
      pass<Most, Transposed>(exec, p, from, result, !forward || (backward && k % 2 == 1));
      from = result;
    }
    if (ends.ends_in_other())
      copy_entries(exec, "WaveScan::sor::copy", read_only(interior(other)), interior(to));
  }

  template <int Most, bool Transposed>
  void pass(const Exec& exec, SORProblem<T> p, const Grid<T>& from, const Grid<T>& to,
            bool backward) const {
    using Pass = SORPiecesPass<T, Most, Transposed>;
    p.x = from;
    const Pass pass{backward ? reversed(p) : p,
                    backward ? reversed(to) : to,
                    width_,
                    overlap_of(p),
                    seams_.data(),
                    failed_.data()};
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    // Small blocks of threads: few pieces are spread over all of the device.
    using Spread = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>, Kokkos::LaunchBounds<64>>;
    Kokkos::parallel_for("WaveScan::sor::pieces", Spread(exec, 0, pass.pieces()),
                         typename Pass::Relax{pass});
    Kokkos::parallel_for("WaveScan::sor::pieces_fit", Policy(exec, 0, pass.pieces()),
                         typename Pass::Check{pass});
    Kokkos::parallel_for("WaveScan::sor::pieces_again", Policy(exec, 0, 1),
                         typename Pass::Repair{pass});
  }

  Index width_ = 0;
  SORSecondArray<Exec, T> second_;
  Kokkos::View<T*, typename Exec::memory_space> seams_;
  Kokkos::View<int, typename Exec::memory_space> failed_;
};

}  // namespace wavescan::Impl

#undef WAVESCAN_UNROLL

#endif
