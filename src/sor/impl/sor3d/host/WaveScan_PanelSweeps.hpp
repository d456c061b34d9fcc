// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_HOST_PANELSWEEPS_HPP
#define WAVESCAN_IMPL_SOR3D_HOST_PANELSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>
#include <impl/sor/host/WaveScan_TaskOrder.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>
#include <impl/sor3d/host/WaveScan_PanelPass.hpp>
#include <impl/sor3d/host/WaveScan_PanelRows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

/// @file
/// @brief SOR in three dimensions on the host: several sweeps on the way through the planes, in
/// vector registers, by panels that follow each other.

namespace wavescan::Impl::sor3d {

/// @brief Runs sweeps over arrays of one size, and owns their workspace.
/// @tparam Most the best target to use
template <ExecutionSpace Exec, class T, class Most = Avx512>
class PanelSweeps {
 public:
  using Selected = sor::SelectedAlgorithm;
  template <class P>
  Selected select(const Exec&, const P&, const Box<T>&, const sor::SweepRequest&) const {
    return {SORAlgorithm::Panels};
  }
  /// @brief Enqueues sweeps, at least one, of unknowns, at least one.
  template <class P>
  void run(const Exec& exec, const Selected&, const P& given, const Box<T>& to,
           const sor::SweepRequest& r) const {
    Box<T> from = given.x;
    const bool elsewhere = from.data != to.data, equal = have_equal_strides(from, to);
    if (elsewhere && equal) copy_halo(exec, from, to);
    if (elsewhere && !equal) copy_entries(exec, "WaveScan::sor::copy", read_only(from), to);
    if (!equal) from = to;
    P p = for_kernels(exec, given);
    p.x = to;
    const auto enqueue = [&](Index sweeps, Index passes, bool backwards) {
      if (passes == 0) return;
      launch(exec, p, from, sweeps, passes, backwards);
      from = to;
    };
    if (r.forward && r.backward) {
      for (int k = 0; k < r.count; ++k) {
        enqueue(1, 1, false);
        enqueue(1, 1, true);
      }
    } else {
      int count = r.count;
      for (int sweeps = most_sweeps; sweeps >= 1; count %= sweeps, sweeps /= 2)
        enqueue(sweeps, count / sweeps, r.backward);
    }
  }

  /// @brief Makes the workspace of such sweeps beforehand. False if they are to measure.
  template <class P>
  bool reserve(const Exec& exec, const P& p, const sor::SweepRequest&, bool measured) const {
    make_room(exec, p);
    if constexpr (P::varies) for_kernels(exec, p);
    return !measured;
  }
  void throw_if_stuck() const {}

 private:
  static constexpr int most_sweeps = 8;
  static constexpr Index least_height = 8;
  static constexpr Index most_height = 32;
  /// Constants of coefficients, of the right-hand side and of the mask.
  static constexpr Index constant_rows = 10;

  /// @brief The problem with a right-hand side whose coefficient is right, and a mask of bytes.
  template <class P>
  P for_kernels(const Exec& exec, P p) const {
    if (!p.rhs.data) sor::neutralise_missing_rhs(p.coefficients);
    if constexpr (P::varies) p.fixed = bytes_of(exec, p.fixed, p.x);
    return p;
  }

  struct CopyMask {
    FixedPoints fixed;
    Box<unsigned char> bytes;
    KOKKOS_FUNCTION void operator()(Index k, Index i, Index j) const {
      bytes(k, i, j) = fixed(k, i, j) ? 1 : 0;
    }
  };
  /// @brief The mask as bytes that lie as x does; bytes of the user's if they do so already.
  FixedPoints bytes_of(const Exec& exec, const FixedPoints& fixed, const Box<T>& x) const {
    if (fixed.word == sor::MaskWord::None) return fixed;
    if (fixed.word == sor::MaskWord::Char &&
        (fixed.first_bytes.column_stride == 1 || x.column_stride != 1))
      return fixed;
    auto* const first = mask_.template room<unsigned char>(exec, "WaveScan::sor3d::mask",
                                                           x.planes * x.rows * x.columns);
    const Box<unsigned char> bytes{first,     x.planes, x.rows, x.columns, x.rows * x.columns,
                                   x.columns, 1};
    for_interior(exec, "WaveScan::sor3d::copy_mask", x, CopyMask{fixed, bytes});
    return FixedPoints::of(read_only(bytes));
  }

  template <class P>
  struct Worker {
    PanelPasses<P> passes;
    void operator()(Index worker) const {
      passes.work([&](Index pass, Index panel) { passes.run(pass, panel, worker); });
    }
  };

  /// @brief Enqueues passes of which the first one goes from `from` to x.
  template <class P>
  void launch(const Exec& exec, P p, Box<T> from, Index sweeps, Index passes,
              bool backwards) const {
    const bool transposes = is_transposed_in_memory(p.x);
    if (transposes) {
      p = transposed(p);
      from = transposed(from);
    }
    if (backwards) {
      p = reversed(p);
      from = reversed(from);
    }
    Index a_row = 0;
    make_room(exec, p);
    p = with_rows_of_constants(exec, p, a_row);
    const auto [kernel, lanes] = kernel_for(p, transposes);
    const PanelDecomposition decomp = decomposition(exec, p, sweeps, lanes);
    const Index workers = std::min(passes * decomp.panels(), resident_teams(exec, 1));
    progress_.clear(exec);
    auto* const first = progress_.template data<sor::HostProgress>();
    const PanelPasses<P> all{
        {passes, decomp.panels(), decomp.steps(), 1, first + 1, &first->blocks},
        {p},
        kernel,
        lanes,
        from,
        decomp,
        rows_.template data<T>() + constant_rows * a_row,
        a_row};
    constexpr double seconds_per_update = .08e-9 * sizeof(T);
    const double updates = static_cast<double>(passes * sweeps) *
                           static_cast<double>(decomp.planes * decomp.rows * decomp.columns);
    enqueue_workers(exec, "WaveScan::sor3d::host", workers, seconds_per_update * updates,
                    Worker<P>{all});
  }

  /// @brief Panels as high as the caches allow, and as threads need them to have work.
  template <class P>
  static PanelDecomposition decomposition(const Exec& exec, const P& p, Index sweeps, Index lanes) {
    const Index times = p.interior_planes() + p.interior_rows();
    const Index height =
        std::clamp<Index>(times / (4 * resident_teams(exec, 1)), least_height, most_height);
    return {p.interior_planes(),
            p.interior_rows(),
            p.interior_columns(),
            sweeps,
            std::max<Index>(1, lanes / sweeps),
            height};
  }

  /// @brief The kernel for a problem, and how many rows it takes.
  template <class P>
  static std::pair<HostRowKernel<P>, Index> kernel_for(const P& p, bool transposes) {
    if (transposes) return {&PlainRows<P, true>::run, PlainRows<P, true>::lanes};
    const Index step = p.x.column_stride;
    bool dense = (step == 1 || step == -1) && p.rhs.column_stride == step;
    if constexpr (P::varies) {
      dense = dense && p.fixed.first_bytes.column_stride == step;
      sor::for_each_coefficient(p.coefficients, [&](auto, const Field<T>& field) {
        dense = dense && field.values.column_stride == step;
      });
    }
    const std::pair<HostRowKernel<P>, Index> plain{&PlainRows<P, false>::run,
                                                   PlainRows<P, false>::lanes};
    if (!dense) return plain;
    return dispatch(
        [&](auto target) -> std::pair<HostRowKernel<P>, Index> {
          using Target = decltype(target);
          if constexpr (has_fused_vectors<Target, T>)
            return {step > 0 ? &VectorRows<Target, P, 1>::run : &VectorRows<Target, P, -1>::run,
                    VectorRows<Target, P, 1>::lanes};
          else
            return plain;
        },
        Most{});
  }

  /// @brief The problem with rows in the place of constants, whose coefficients then all have
  /// values.
  /// @param a_row becomes the length of these rows
  template <class P>
  P with_rows_of_constants(const Exec& exec, P p, Index& a_row) const {
    a_row = row_length(p);
    const Index step = p.x.column_stride < 0 ? -1 : 1;
    T* const rows = rows_.template data<T>();
    const auto box = [&](auto* row) {
      using E = std::remove_pointer_t<decltype(row)>;
      return Box<const E>{
          step < 0 ? row + a_row - 1 : row, p.x.planes, p.x.rows, p.x.columns, 0, 0, step};
    };
    const auto field_of_row = [&](Index row, T constant) {
      fill_row(exec, rows + row * a_row, a_row, constant);
      return box(rows + row * a_row);
    };
    if (!p.rhs.data) p.rhs = field_of_row(8, T(-0.0));
    if constexpr (P::varies) {
      Index row = 0;
      sor::for_each_coefficient(p.coefficients, [&](auto, Field<T>& field) {
        if (!field.values.data) field.values = field_of_row(row, field.constant);
        ++row;
      });
      fill_row(exec, rows + 9 * a_row, a_row, T(0));
      if (p.fixed.word == sor::MaskWord::None)
        p.fixed = {box(reinterpret_cast<unsigned char*>(rows + 9 * a_row)), sor::MaskWord::Char};
    }
    return p;
  }
  struct FillRow {
    T* row;
    T value;
    KOKKOS_FUNCTION void operator()(Index j) const { row[j] = value; }
  };
  static void fill_row(const Exec& exec, T* row, Index length, T value) {
    if constexpr (runs_at_once<Exec>)
      std::fill_n(row, length, value);
    else
      Kokkos::parallel_for("WaveScan::sor3d::fill_row",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, length),
                           FillRow{row, value});
  }

  /// @brief Entries of a row that stands for another one, with columns or, transposed, planes.
  template <class P>
  static Index row_length(const P& p) {
    return ceil_div(std::max(p.x.columns, p.x.planes) + 16, 16) * 16;
  }
  template <class P>
  void make_room(const Exec& exec, const P& p) const {
    rows_.template room<T>(exec, "WaveScan::sor3d::rows",
                           (constant_rows + resident_teams(exec, 1)) * row_length(p));
    // Whatever the axis of planes and the sweeps of a pass.
    const Index times = p.x.planes + p.x.rows + p.x.columns + 2 * most_sweeps;
    progress_.template room<sor::HostProgress>(exec, "WaveScan::sor3d::progress",
                                               2 * (times / least_height + 1) + 1);
  }

  sor::WorkMemory<Exec> rows_;      ///< of constants, and for workers: T
  sor::WorkMemory<Exec> mask_;      ///< unsigned char
  sor::WorkMemory<Exec> progress_;  ///< sor::HostProgress
};

}  // namespace wavescan::Impl::sor3d

namespace wavescan::Impl::sor {

template <class Exec, class T, class Most>
struct BackendTraits<sor3d::PanelSweeps<Exec, T, Most>> : SweepsOnly {};

}  // namespace wavescan::Impl::sor

#endif
