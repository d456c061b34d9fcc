// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_BLOCKSOR_HPP
#define WAVESCAN_BLOCKSOR_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <WaveScan_StencilMatrix.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/block_sor/WaveScan_BandPipeline.hpp>
#include <impl/block_sor/WaveScan_BlockSweeps.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/block_sor/gpu/WaveScan_GpuBlockSweeps.hpp>
#endif

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

/// @file
/// @brief SOR in natural order for systems with several unknowns a point, whose equations are
/// solved for all of them together.

namespace wavescan {
namespace Impl::block_sor {

/// @brief The class that runs the sweeps on an execution space.
template <ExecutionSpace Exec, class M>
struct SweepsOf {
  using type = BandPipeline<Exec, M>;
};
#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <class M>
  requires(device_path(Operation::BlockSOR, compiled_device) >= DevicePath::Warps)
struct SweepsOf<gpu::Device, M> {
  using type = GpuBlockSweeps<M>;
};
#endif

/// @brief The equations solved for their points, and relaxed; `center` is the right-hand side's.
/// @throws std::invalid_argument as BlockSOR
template <ExecutionSpace Exec, BlockMatrix M>
M coefficients_of(const Exec& exec, const M& matrix, double omega) {
  namespace detail = stencil_matrix;
  using number = typename BlockTraits<typename M::value_type>::number;
  constexpr auto operation = "BlockSOR";
  require(omega > 0 && omega < 2, operation, "omega", "must lie in (0, 2)", omega);
  const auto a = detail::checked_matrix<Exec>(operation, matrix);
  const M coefficients = detail::zero_matrix_like<M>(exec, a.center);
  const auto c = detail::checked_matrix<Exec>(operation, coefficients);
  sor::for_points(exec, "WaveScan::block_sor::coefficients", a.center,
                  SetBlockCoefficients<std::remove_const_t<decltype(a)>, number>{
                      a, c, static_cast<number>(omega)});
  const auto wrong = detail::first_unknown(exec, "WaveScan::block_sor::diagonal", c.center,
                                           NotFinite<decltype(c.center)>{c.center});
  if (wrong)
    reject(operation, "matrix", "must have blocks on the diagonal that can be inverted",
           "none at the point " + wrong->point);
  return coefficients;
}

}  // namespace Impl::block_sor

/// @brief A plan for SOR on A x = b with B unknowns a point, which owns the coefficients: each
/// sweep solves the B equations of a point for its unknowns, point by point in natural order,
///
///     x = (1 - omega) x + omega center^-1 (b - left x_left - up x_up - ...)
///
/// The matrix is a FivePointMatrix or a SevenPointMatrix of blocks, SmallMatrix<T, B>, and x is a
/// View of SmallVector<T, B>; B unknowns side by side in memory are such vectors:
///
///     View<SmallVector<double, 3>**, LayoutRight>(
///         reinterpret_cast<SmallVector<double, 3>*>(u.data()), u.extent(0), u.extent(1))
///
/// Bands of rows are a pipeline, which goes on from plane to plane. Work: O(B^2) a point and sweep,
/// O(B^3) a point once. Memory: a copy of the matrix; on GPUs also an array like x, and while the
/// plan is made two copies of the matrix.
///
/// @tparam Exec execution space
/// @tparam M    FivePointMatrix<SmallMatrix<T, B>> or SevenPointMatrix<SmallMatrix<T, B>>, B from 2
/// to 5
///
/// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2003, section 4.1.1 (block
/// relaxation).
template <ExecutionSpace Exec, Impl::block_sor::BlockMatrix M>
class BlockSOR {
  using traits = Impl::block_sor::BlockTraits<typename M::value_type>;
  static constexpr int B = traits::size;
  static constexpr int rank = static_cast<int>(M::view_type::rank());

 public:
  using number_type = typename traits::number;
  using value_type = typename traits::vector;
  static_assert(std::same_as<number_type, float> || std::same_as<number_type, double>,
                "WaveScan: BlockSOR works on float or double");
  static_assert(B >= 2 && B <= 5, "WaveScan: BlockSOR takes blocks of 2 to 5 unknowns");

  /// @brief Inverts the blocks on the diagonal; waits for the check of them.
  /// @param exec   instance that all calls enqueue on
  /// @param matrix A; not needed afterwards
  /// @param omega  relaxation factor in (0, 2); 1 is Gauss-Seidel
  /// @param order  forward, backward or symmetric
  /// @throws std::invalid_argument if omega lies outside (0, 2), the extents of the matrix' Views
  /// differ, or naming the first point whose block on the diagonal cannot be inverted
  BlockSOR(const Exec& exec, const M& matrix, double omega, SweepOrder order = SweepOrder::Forward)
      : exec_(exec),
        keep_(static_cast<number_type>(1 - omega)),
        order_(order),
        center_(matrix.center),
        sweeps_(exec, Impl::block_sor::coefficients_of(exec, matrix, omega)) {}

  /// @brief Enqueues `count` sweeps of x.
  /// @param x     View of SmallVector<T, B> with the extents of the matrix, any layout; the halo
  /// is given
  /// @param b     View like x, whose halo is not read, or NoInput{}: zero
  /// @param count number of sweeps
  /// @throws std::invalid_argument if count is negative, extents differ or x overlaps b
  /// @throws std::runtime_error if an earlier call got stuck on a GPU
  template <WritableView X, class Rhs>
  void sweeps(const X& x, const Rhs& b, int count) const {
    constexpr auto operation = "block_sor_sweeps";
    static_assert(X::rank() == rank && std::same_as<typename X::value_type, value_type>,
                  "WaveScan: 'x' must be a View of SmallVector<T, B> with the matrix' rank");
    static_assert(AccessibleFrom<X, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'x'");
    Impl::require(count >= 0, operation, "count", "must not be negative", count);
    Impl::require_same_extents(operation, "x", x, "matrix.center", center_);
    Impl::sor::ArrayOf<const value_type, rank> rhs{};
    if constexpr (!std::same_as<Rhs, NoInput>) {
      static_assert(std::same_as<typename Rhs::non_const_value_type, value_type>,
                    "WaveScan: 'b' must be a View of SmallVector<T, B>, as x is");
      static_assert(AccessibleFrom<Rhs, Exec>,
                    "WaveScan: the execution space cannot reach the memory of 'b'");
      Impl::require_same_extents(operation, "b", b, "x", x);
      Impl::require_disjoint(operation, "b", b, "x", x);
      rhs = Impl::sor::array_of(typename Rhs::const_type(b));
    }
    const Kokkos::Profiling::ScopedRegion region("WaveScan::block_sor_sweeps");
    const auto array = Impl::sor::array_of(x);
    for (int s = 0; s < count; ++s) {
      if (order_ != SweepOrder::Backward) sweeps_.template sweep<false>(exec_, array, rhs, keep_);
      if (order_ != SweepOrder::Forward) sweeps_.template sweep<true>(exec_, array, rhs, keep_);
    }
  }

 private:
  Exec exec_;
  number_type keep_;
  SweepOrder order_;
  Impl::Footprint center_;  ///< extents of the matrix
  typename Impl::block_sor::SweepsOf<Exec, M>::type sweeps_;
};

/// @brief Relaxes x by `count` sweeps of SOR on A x = b with several unknowns a point: see
/// BlockSOR, which a program that sweeps again with the same matrix keeps. Enqueues on `exec`, and
/// waits for the check of the diagonal and, as the plan ends here, for the sweeps.
///
/// @param exec   execution space instance
/// @param x      View of SmallVector<T, B>, rank 2 or 3, with its halo
/// @param matrix A
/// @param b      View like x, or NoInput{}
/// @param omega  relaxation factor in (0, 2)
/// @param count  number of sweeps
/// @param order  forward, backward or symmetric
/// @throws std::invalid_argument as BlockSOR
template <ExecutionSpace Exec, WritableView X, Impl::block_sor::BlockMatrix M, class Rhs>
void block_sor_sweeps(const Exec& exec, const X& x, const M& matrix, const Rhs& b, double omega,
                      int count, SweepOrder order = SweepOrder::Forward) {
  BlockSOR<Exec, M>(exec, matrix, omega, order).sweeps(x, b, count);
  exec.fence("WaveScan::block_sor_sweeps");
}

}  // namespace wavescan

#endif
