// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_TEAMBLOCKSOLVE_HPP
#define WAVESCAN_IMPL_COLUMNS_TEAMBLOCKSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_BlockSystems.hpp>
#include <impl/columns/WaveScan_TeamSolve.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief One block tridiagonal system by a thread, or by a team, in Views that are overwritten.

namespace wavescan::Impl::columns {

/// @brief Views of a system with blocks of M; what elimination leaves of rows takes the place of
/// their numbers.
template <int Size, class Lower, class Diagonal, class Upper, class X>
struct TeamBlocks {
  using T = typename X::non_const_value_type;
  static constexpr int M = Size;
  static constexpr Index fewest_rows = 1;
  using C = Coefficients<T, M, 1>;
  using E = Equation<T, M>;
  const Lower& lower;
  const Diagonal& diagonal;
  const Upper& upper;
  const X& x;
  Index n;

  KOKKOS_FUNCTION Ends<T, M> eliminate(Index begin, Index end) const {
    const E last = eliminate_rows(begin, end, true);
    E first = E::is_right();
    for (Index i = end - 2; i >= begin; --i)
      first = eliminate_after(E{load(lower, i), load(upper, i), known(i)}, first);
    return {last, first};
  }
  KOKKOS_FUNCTION void substitute(Index begin, Index end, const C& before, const C& own) const {
    C after = own;
    store(end - 1, after);
    for (Index i = end - 2; i >= begin; --i) {
      after = E{load(lower, i), load(upper, i), known(i)}.value(before, after);
      store(i, after);
    }
  }
  KOKKOS_FUNCTION void solve_alone() const {
    C after = eliminate_rows(0, n, false).known;
    for (Index i = n - 2; i >= 0; --i) {
      after = known(i) - load(upper, i) * after;
      store(i, after);
    }
  }

 private:
  /// @param with_left whether rows keep coefficients of what is before the first one
  KOKKOS_FUNCTION E eliminate_rows(Index begin, Index end, bool with_left) const {
    const Coefficients<T, M> zero(T(0));
    E e = with_left ? E::is_left() : E::is_zero();
    for (Index i = begin; i < end; ++i) {
      e = eliminate_block(e, i > 0 ? load(lower, i) : zero, load(diagonal, i),
                          i < n - 1 ? load(upper, i) : zero, known(i), with_left);
      store(i, e.known);
      for (int r = 0; r < M; ++r)
        for (int c = 0; c < M; ++c) {
          upper(i, r, c) = e.right.entry[r][c];
          if constexpr (requires { lower(i, r, c) = T(0); })
            if (with_left) lower(i, r, c) = e.left.entry[r][c];
        }
    }
    return e;
  }
  template <class Blocks>
  KOKKOS_FUNCTION static Coefficients<T, M> load(const Blocks& of, Index i) {
    Coefficients<T, M> m;
    for (int r = 0; r < M; ++r)
      for (int c = 0; c < M; ++c) m.entry[r][c] = of(i, r, c);
    return m;
  }
  KOKKOS_FUNCTION C known(Index i) const {
    C m;
    for (int r = 0; r < M; ++r) m.entry[r][0] = x(i, r);
    return m;
  }
  KOKKOS_FUNCTION void store(Index i, const C& m) const {
    for (int r = 0; r < M; ++r) x(i, r) = m.entry[r][0];
  }
};

}  // namespace wavescan::Impl::columns

#endif
