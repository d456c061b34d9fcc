// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_REFINEMENT_HPP
#define WAVESCAN_IMPL_COLUMNS_REFINEMENT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>
#include <impl/columns/WaveScan_Systems.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief Iterative refinement: what remains of the right-hand side is solved for, too.
///
/// Residuals are computed with twice the precision (Ogita, Rump, Oishi, Accurate sum and dot
/// product, SIAM Journal on Scientific Computing 26, 2005), for they are differences of numbers
/// that are nearly equal.

namespace wavescan::Impl::columns {

/// @brief A sum of products with twice the precision of T.
template <class T>
class AccurateSum {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit AccurateSum(T first) : sum_(first) {}
  KOKKOS_FORCEINLINE_FUNCTION void subtract(T a, T b) {
    const T product = Kokkos::fma(-a, b, T(0));  // rounded, whatever compilers fuse
    const T sum = sum_ + product, of_product = sum - sum_;
    rest_ += Kokkos::fma(-a, b, -product) + ((sum_ - (sum - of_product)) + (product - of_product));
    sum_ = sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION T value() const { return sum_ + rest_; }

 private:
  T sum_, rest_ = 0;
};

/// @brief Copies an entry of the right-hand side, computes its residual, or corrects the solution.
template <class T, int M>
struct RefineEntry {
  enum class Step { Copy, Residual, Correct };
  Systems<T, M> s;
  Lines<T> known, rest;
  bool side_by_side;
  Step step;

  KOKKOS_FUNCTION void operator()(Index place) const {
    const LineExtents& extents = s.extents;
    const Index n = extents.length;
    const Index line = side_by_side ? place % extents.lines : place / n;
    const Index i = side_by_side ? place / extents.lines : place % n;
    if (step == Step::Copy) {
      known(line, i) = s.right(line, i);
    } else if (step == Step::Correct) {
      s.x(line, i) += rest(line, i);
    } else {
      AccurateSum<T> sum(s.right(line, i));
      for (int offset = -M; offset <= M; ++offset) {
        Index column = i + offset;
        if (column < 0 || column >= n) {
          if (!s.matrices.cyclic) continue;
          while (column < 0) column += n;
          while (column >= n) column -= n;
        }
        sum.subtract(s.matrices.entry(offset, line, i, n), s.x(line, column));
      }
      rest(line, i) = sum.value();
    }
  }
};

/// @brief Solves systems, and so many times for what remains.
template <ExecutionSpace Exec, class T, int M>
void solve_refined(const Exec& exec, const Systems<T, M>& systems, int refinements) {
  if (refinements <= 0) return solve(exec, systems);
  using Kernel = RefineEntry<T, M>;
  const LineExtents& extents = systems.extents;
  const Index entries = extents.lines * extents.length;
  const bool in_place = systems.right.data == systems.x.data;
  const auto memory =
      kept_array<T>(exec, "WaveScan::columns::refinement", (in_place ? 2 : 1) * entries);
  Kernel each{systems, {}, {}, systems.x.stride != 1 && systems.x.line_stride == 1, {}};
  const auto lines = [&](T* data) {
    return each.side_by_side ? Lines<T>{data, 1, extents.lines} : Lines<T>{data, extents.length, 1};
  };
  const auto enqueue = [&](typename Kernel::Step step) {
    each.step = step;
    enqueue_each(exec, "WaveScan::columns::refine", entries, each);
  };
  each.rest = lines(memory->data());
  if (in_place) {
    each.known = lines(memory->data() + entries);
    enqueue(Kernel::Step::Copy);
    each.s.right = {each.known.data, each.known.line_stride, each.known.stride};
  }
  solve(exec, systems);
  for (int k = 0; k < refinements; ++k) {
    enqueue(Kernel::Step::Residual);
    solve(exec, Systems<T, M>{systems.matrices,
                              {each.rest.data, each.rest.line_stride, each.rest.stride},
                              each.rest,
                              extents});
    enqueue(Kernel::Step::Correct);
  }
}

}  // namespace wavescan::Impl::columns

#endif
