// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR3D_HOST_ROWS_HPP
#define WAVESCAN_IMPL_SOR3D_HOST_ROWS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>
#include <impl/sor3d/WaveScan_SevenPoint.hpp>

#include <type_traits>

/// @file
/// @brief Rows that do not depend on each other, relaxed together.

namespace wavescan::Impl::sor3d {

/// @brief A row to relax: where its points, their neighbours and what belongs to them begin, at
/// column 0. A neighbour's pointer differs from that of its own row by where the neighbour is.
template <class T>
struct HostRow {
  SevenPointValues<const T*> near;
  T* x;
  const T* b;
  SORCoefficients3D<const T*> c;  ///< where they vary
  const unsigned char* fixed;     ///< where they vary
};

/// @brief What rows of a problem share. All fields have values, if need be those of a row that is
/// filled with a constant, and masks have bytes.
template <class P>
struct HostRowKind {
  using T = typename P::value_type;
  P problem;

  HostRow<T> row(const Box<T>& old, Index k, Index i) const {
    const Box<T>& x = problem.x;
    const T* const center = start(old, k, i);
    T* const own = start(x, k, i);
    HostRow<T> row{{center, own - x.column_stride, start(x, k, i - 1), start(x, k - 1, i),
                    center + old.column_stride, start(old, k, i + 1), start(old, k + 1, i)},
                   own,
                   start(problem.rhs, k, i),
                   {},
                   nullptr};
    if constexpr (P::varies) {
      row.c = map_coefficients(problem.coefficients,
                               [&](const Field<T>& field) { return start(field.values, k, i); });
      row.fixed = start(problem.fixed.first_bytes, k, i);
    }
    return row;
  }

  /// @brief The update of points from column `first` to `last` of some rows.
  template <bool Exchanged>
  void relax_columns(const HostRow<T>* rows, int count, Index first, Index last) const {
    for (Index j = first; j <= last; ++j)
      for (int l = 0; l < count; ++l) {
        const HostRow<T>& row = rows[l];
        const Index a = j * problem.x.column_stride;
        const SevenPointValues<T> x{row.near.center[a], row.near.left[a],  row.near.up[a],
                                    row.near.front[a],  row.near.right[a], row.near.down[a],
                                    row.near.back[a]};
        const T b = row.b[j * problem.rhs.column_stride];
        if constexpr (P::varies) {
          const bool fixed = row.fixed[j * problem.fixed.first_bytes.column_stride] != 0;
          const T result = relaxed<Exchanged, true>(coefficients(row, j), x, b);
          row.x[a] = fixed ? x.center : result;
        } else {
          row.x[a] = relaxed<Exchanged, false>(problem.coefficients, x, b);
        }
      }
  }

 private:
  template <class E>
  static E* start(const Box<E>& box, Index k, Index i) {
    return box.data + (k * box.plane_stride + i * box.row_stride);
  }
  SORCoefficients3D<T> coefficients(const HostRow<T>& row, Index j) const {
    const auto& c = problem.coefficients;
    const auto at = [j](const T* start, const Field<T>& field) {
      return start[j * field.values.column_stride];
    };
    return {at(row.c.center, c.center), at(row.c.left, c.left),   at(row.c.up, c.up),
            at(row.c.front, c.front),   at(row.c.right, c.right), at(row.c.down, c.down),
            at(row.c.back, c.back),     at(row.c.rhs, c.rhs)};
  }
};

/// @brief Relaxes as many rows as a kernel takes, from column 1 to the last one of unknowns.
template <class P>
using HostRowKernel = void (*)(const HostRowKind<P>&, const HostRow<typename P::value_type>*,
                               Index columns);

/// @brief Any strides, any processor.
template <class P, bool Exchanged>
struct PlainRows {
  static constexpr int lanes = 4;  ///< chains of which the processor computes some at once
  static void run(const HostRowKind<P>& kind, const HostRow<typename P::value_type>* rows,
                  Index columns) {
    kind.template relax_columns<Exchanged>(rows, lanes, 1, columns);
  }
};

template <class Target, class P, int Step>
struct VectorRows;

}  // namespace wavescan::Impl::sor3d

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor3d/host/WaveScan_Rows.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor3d {

/// @brief As many rows as a register has lanes, whose elements lie next to each other.
///
/// All but the left neighbours' shares are added up along the rows, a register of points at a time.
/// Transposed, a register holds a point of each row, and goes from column to column: a multiply-add
/// for as many points as there are rows. Transposed again, the results are stored.
/// @tparam Step from a column to the next in memory: 1 or -1
template <class P, int Step>
struct VectorRows<WAVESCAN_TARGET, P, Step> {
  using T = typename P::value_type;
  using Vector = TargetVector<WAVESCAN_TARGET, T>;
  using Stencil = VectorSevenPoint<WAVESCAN_TARGET, T>;
  using Coefficients = typename Stencil::Coefficients;
  static constexpr int lanes = Vector::lanes;

  WAVESCAN_TARGET_FUNCTION static void run(const HostRowKind<P>& kind, const HostRow<T>* rows,
                                           Index columns) {
    alignas(64) T entering[lanes];
    for (int l = 0; l < lanes; ++l) entering[l] = rows[l].near.left[Step];
    Vector x = Vector::load(entering);
    Coefficients c;
    if constexpr (!P::varies) c = Stencil::in_all_lanes(kind.problem.coefficients);
    Index j = 1;
    for (; j + lanes - 1 <= columns; j += lanes) {
      const Index a = Step > 0 ? j : -(j + lanes - 1);
      Vector partial[lanes];
      Vector weight[P::varies ? lanes : 1];
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) {
        const HostRow<T>& row = rows[l];
        const Vector center = Vector::load(row.near.center + a);
        if constexpr (P::varies) c = load(row.c, a);
        partial[l] = Stencil::partial_value(c,
                                            {center, center, Vector::load(row.near.up + a),
                                             Vector::load(row.near.front + a),
                                             Vector::load(row.near.right + a),
                                             Vector::load(row.near.down + a),
                                             Vector::load(row.near.back + a)},
                                            Vector::load(row.b + a));
        if constexpr (P::varies) {
          const Vector fixed = marks(row.fixed + a);
          partial[l] = select_marked(fixed, center, partial[l]);
          weight[l] = select_marked(fixed, Vector::all(T(0)), c.left);
        }
      }
      Vector::transpose(partial);
      if constexpr (P::varies) Vector::transpose(weight);
#pragma GCC unroll 16
      for (int k = 0; k < lanes; ++k) {
        const int e = Step > 0 ? k : lanes - 1 - k;
        if constexpr (P::varies)
          x = select_zero(weight[e], partial[e], Vector::multiply_add(x, weight[e], partial[e]));
        else
          x = Vector::multiply_add(x, c.left, partial[e]);
        partial[e] = x;
      }
      Vector::transpose(partial);
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) partial[l].store(rows[l].x + a);
    }
    if (j <= columns) kind.template relax_columns<false>(rows, lanes, j, columns);
  }

 private:
  WAVESCAN_TARGET_INLINED static Coefficients load(const SORCoefficients3D<const T*>& c, Index a) {
    return {Vector::load(c.center + a), Vector::load(c.left + a),  Vector::load(c.up + a),
            Vector::load(c.front + a),  Vector::load(c.right + a), Vector::load(c.down + a),
            Vector::load(c.back + a),   Vector::load(c.rhs + a)};
  }
  /// @brief Signs where bytes are not zero.
  WAVESCAN_TARGET_INLINED static Vector marks(const unsigned char* p) {
    alignas(64) T marked[lanes];
    for (int k = 0; k < lanes; ++k) marked[k] = p[k] != 0 ? T(-1) : T(0);
    return Vector::load(marked);
  }
};

}  // namespace wavescan::Impl::sor3d

#endif
