// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR3D_HOST_PANELROWS_HPP
#define WAVESCAN_IMPL_SOR3D_HOST_PANELROWS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_VectorStencil.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>

#include <type_traits>

/// @file
/// @brief Rows that do not depend on each other, relaxed together.

namespace wavescan::Impl::sor3d {

/// @brief The inputs of a row's points that vary, from column 0 on.
template <class T>
struct HostRowInputs {
  SORCoefficients3D<const T*> c;
  const unsigned char* fixed;
};
struct NoRowInputs {};

/// @brief A row to relax, from column 0 on.
template <class P>
struct HostRow {
  using T = typename P::value_type;
  const T* old;  ///< in the array of the values before
  const T* x;    ///< in that of the values after; their neighbours are as far from each other
  T* to;         ///< where results go: x, or where nobody reads them
  Index step;    ///< from one result to the next
  const T* b;
  [[no_unique_address]] std::conditional_t<P::varies, HostRowInputs<T>, NoRowInputs> inputs;
};

/// @brief The data that rows of a problem share. All fields have values, if need be those of a row
/// that is filled with a constant, and masks have bytes.
template <class P>
struct HostRowKind {
  using T = typename P::value_type;
  P problem;

  HostRow<P> row(const Box<T>& old, Index k, Index i) const {
    HostRow<P> row{start(old, k, i),        start(problem.x, k, i),   start(problem.x, k, i),
                   problem.x.column_stride, start(problem.rhs, k, i), {}};
    if constexpr (P::varies)
      row.inputs = {
          sor::map_coefficients(problem.coefficients,
                                [&](const Field<T>& field) { return start(field.values, k, i); }),
          start(problem.fixed.first_bytes, k, i)};
    return row;
  }

  /// @brief The update of points from column `first` to `last` of some rows.
  template <bool Transposed>
  void relax_columns(const HostRow<P>* rows, int count, Index first, Index last) const {
    const Box<T>& box = problem.x;
    for (Index j = first; j <= last; ++j)
      for (int l = 0; l < count; ++l) {
        const HostRow<P>& row = rows[l];
        const T* const old = row.old + j * box.column_stride;
        const T* const x = row.x + j * box.column_stride;
        T* const to = row.to + j * row.step;
        // Where results go elsewhere, the left neighbour has gone there as well.
        const SevenPointValues<T> near{*old,
                                       j == first ? x[-box.column_stride] : to[-row.step],
                                       x[-box.row_stride],
                                       x[-box.plane_stride],
                                       old[box.column_stride],
                                       old[box.row_stride],
                                       old[box.plane_stride]};
        const T b = row.b[j * problem.rhs.column_stride];
        if constexpr (P::varies) {
          const bool fixed = row.inputs.fixed[j * problem.fixed.first_bytes.column_stride] != 0;
          const T result = relaxed<Transposed, true>(coefficients(row, j), near, b);
          *to = fixed ? near.center : result;
        } else {
          *to = relaxed<Transposed, false>(problem.coefficients, near, b);
        }
      }
  }

 private:
  template <class E>
  static E* start(const Box<E>& box, Index k, Index i) {
    return box.data + (k * box.plane_stride + i * box.row_stride);
  }
  SORCoefficients3D<T> coefficients(const HostRow<P>& row, Index j) const {
    const auto& c = problem.coefficients;
    const auto& from = row.inputs.c;
    const auto at = [j](const T* start, const Field<T>& field) {
      return start[j * field.values.column_stride];
    };
    return {at(from.center, c.center), at(from.left, c.left),   at(from.up, c.up),
            at(from.front, c.front),   at(from.right, c.right), at(from.down, c.down),
            at(from.back, c.back),     at(from.rhs, c.rhs)};
  }
};

/// @brief Relaxes as many rows as a kernel takes, from column 1 to the last one of unknowns.
template <class P>
using HostRowKernel = void (*)(const HostRowKind<P>&, const HostRow<P>*, Index columns);

/// @brief Rows of any strides, on any processor.
template <class P, bool Transposed>
struct PlainRows {
  static constexpr int lanes = 4;  ///< chains of which the processor computes some at once
  static void run(const HostRowKind<P>& kind, const HostRow<P>* rows, Index columns) {
    kind.template relax_columns<Transposed>(rows, lanes, 1, columns);
  }
};

template <class Target, class P, int Step>
struct VectorRows;

}  // namespace wavescan::Impl::sor3d

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor3d/host/WaveScan_PanelRows.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor3d {

/// @brief Rows whose elements lie next to each other, as many as a register has lanes.
///
/// All but the left neighbours' shares are added up along the rows, a register of points at a time.
/// Transposed, a register holds a point of each row, and goes from column to column: a multiply-add
/// for as many points as there are rows. Transposed again, the results are stored.
/// @tparam Step from a column to the next in memory: 1 or -1
template <class P, int Step>
struct VectorRows<WAVESCAN_TARGET, P, Step> {
  using T = typename P::value_type;
  using Vector = TargetVector<WAVESCAN_TARGET, T>;
  using Stencil = sor::VectorStencil<WAVESCAN_TARGET, SORCoefficients3D<T>>;
  using Coefficients = typename Stencil::Coefficients;
  static constexpr int lanes = Vector::lanes;

  WAVESCAN_TARGET_FUNCTION static void run(const HostRowKind<P>& kind, const HostRow<P>* rows,
                                           Index columns) {
    alignas(64) T entering[lanes];
    for (int l = 0; l < lanes; ++l) entering[l] = *rows[l].x;
    Vector x = Vector::load(entering);
    Coefficients c;
    if constexpr (!P::varies) c = Stencil::in_all_lanes(kind.problem.coefficients);
    const Index to_row = kind.problem.x.row_stride, to_plane = kind.problem.x.plane_stride;
    Index j = 1;
    for (; j + lanes - 1 <= columns; j += lanes) {
      const Index a = Step > 0 ? j : -(j + lanes - 1);
      Vector partial[lanes];
      Vector weight[P::varies ? lanes : 1];
#pragma GCC unroll 16
      for (int l = 0; l < lanes; ++l) {
        const HostRow<P>& row = rows[l];
        const T* const old = row.old + a;
        const T* const now = row.x + a;
        const Vector center = Vector::load(old);
        if constexpr (P::varies) c = load(row.inputs.c, a);
        const SevenPointValues<Vector> near{center,
                                            center,
                                            Vector::load(now - to_row),
                                            Vector::load(now - to_plane),
                                            Vector::load(old + Step),
                                            Vector::load(old + to_row),
                                            Vector::load(old + to_plane)};
        partial[l] =
            Stencil::template partial_value<false>(c, c.rhs * Vector::load(row.b + a), near);
        if constexpr (P::varies) {
          const Vector fixed = marks(row.inputs.fixed + a);
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
      for (int l = 0; l < lanes; ++l) partial[l].store(rows[l].to + a);
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
