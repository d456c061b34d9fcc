// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONAL_HPP
#define WAVESCAN_TRIDIAGONAL_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/columns/WaveScan_CheckSystems.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace wavescan {

/// @brief Tridiagonal matrices that are factorized once and solved with many right-hand sides.
///
///     const Tridiagonal plan(exec, lower, diagonal, upper, TridiagonalOptions().axis(0));
///     plan.solve(right, x);
///
/// A solve reads three numbers of each row besides the right-hand side, divides by nothing in rows,
/// and allocates nothing. Without pivoting, as tridiagonal_solve, whose sources and limits are the
/// same.
///
/// Memory: three numbers for each row of each matrix; four of cyclic ones on hosts, and where
/// systems are too long for GPUs to solve in one pass.
///
/// @tparam Exec execution space, on an instance of which all calls are enqueued
/// @tparam T    float or double
template <ExecutionSpace Exec, std::floating_point T>
class Tridiagonal {
 public:
  /// @brief Factorizes matrices.
  /// @param diagonal      View of rank 2, a matrix for each system, or of rank 1, one for all
  /// @param lower, upper  Views that cover it: of its rank or a lower one
  /// @param options       the axis of systems, whether they are cyclic, whether matrices are
  ///                      transposed, a label for solves
  /// @throws std::invalid_argument if extents differ or the axis is wrong
  template <AnyView A, AnyView B, AnyView C>
  Tridiagonal(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
              const TridiagonalOptions& options = {})
      : exec_(exec), options_(options), one_for_all_(B::rank() == 1) {
    const int rank = static_cast<int>(B::rank());
    // The axis is that of right-hand sides, which one matrix does not have.
    along_ = Impl::checked_axis(operation, 2, options.axis());
    extents_ = Impl::line_extents(Impl::Footprint(diagonal), rank == 1 ? 0 : along_);
    // Factors lie as the diagonal does.
    const auto lines = Impl::columns::diagonal_lines(diagonal, along_);
    side_by_side_ = lines.stride != 1 && lines.line_stride == 1;
    const Impl::Index entries = extents_.lines * extents_.length;
    const bool has_fill =
        options.is_cyclic() && Impl::columns::factored_way<Exec, T>(extents_.length, true) ==
                                   Impl::columns::FactoredWay::Thomas;
    fill_ = has_fill ? 3 : -1;
    Impl::allocate(exec, factors_, "WaveScan::columns::factors", (has_fill ? 4 : 3) * entries);
    factorize(lower, diagonal, upper);
  }

  /// @brief Factorizes other matrices of the same extents.
  template <AnyView A, AnyView B, AnyView C>
  void factorize(const A& lower, const B& diagonal, const C& upper) const {
    constexpr int rank = static_cast<int>(B::rank());
    static_assert((rank == 1 || rank == 2) && Impl::columns::is_diagonal<A, T, rank> &&
                      Impl::columns::is_diagonal<B, T, rank> &&
                      Impl::columns::is_diagonal<C, T, rank>,
                  "WaveScan: 'diagonal' must be of the plan's type and of rank 1 or 2, 'lower' and "
                  "'upper' of the same type and of no larger rank");
    const Impl::Footprint reference = diagonal;
    const Impl::LineExtents extents = Impl::line_extents(reference, rank == 1 ? 0 : along_);
    Impl::require((rank == 1) == one_for_all_ && extents.lines == extents_.lines &&
                      extents.length == extents_.length,
                  operation, "diagonal", "must have the extents that the plan was made for",
                  Impl::extents_of(reference));
    Impl::columns::require_covers(operation, "lower", lower, reference, extents, "diagonal");
    Impl::columns::require_covers(operation, "upper", upper, reference, extents, "diagonal");
    if (extents.lines == 0 || extents.length == 0) return;
    Impl::columns::factorize(exec_,
                             Impl::columns::make_matrices<T>(
                                 Impl::columns::diagonal_lines(lower, along_),
                                 Impl::columns::diagonal_lines(diagonal, along_),
                                 Impl::columns::diagonal_lines(upper, along_), extents.length,
                                 options_.is_cyclic(), options_.is_transposed()),
                             part<T>(0), part<T>(1), part<T>(2), part<T>(fill_), extents);
  }

  /// @brief Solves for right-hand sides.
  /// @param right of rank 2, one for each system, or of rank 1 with a matrix of rank 1; of one rank
  ///              more, several for each system: the first dimension counts them
  /// @param x     of at least these extents, may be `right` itself
  /// @throws std::invalid_argument if extents do not fit or Views partly overlap
  template <AnyView D, AnyView X>
  void solve(const D& right, const X& x) const {
    constexpr int rank = static_cast<int>(X::rank());
    static_assert(std::same_as<typename X::value_type, T> &&
                      std::same_as<typename D::non_const_value_type, T> && D::rank() == X::rank() &&
                      rank >= 1 && rank <= 3,
                  "WaveScan: 'right' and 'x' must be of the plan's type, 'x' writable, both of the "
                  "same rank, 1 to 3");
    const Impl::Footprint rights = right, results = x;
    const Impl::LineExtents extents =
        rank == 1
            ? Impl::LineExtents{1, rights.extent[0]}
            : Impl::LineExtents{rights.extent[rank - 1 - along_], rights.extent[rank - 2 + along_]};
    Impl::require(extents.length == extents_.length &&
                      (one_for_all_ || (rank > 1 && extents.lines == extents_.lines)),
                  operation, "right",
                  "must have as many unknowns and systems as the matrices (" +
                      std::to_string(extents_.lines) + " of " + std::to_string(extents_.length) +
                      ")",
                  Impl::extents_of(rights));
    Impl::require_extents_of(operation, "x", results, "right", rights);
    Impl::require_same_or_disjoint(operation, "right", rights, "x", results.within(rights));
    if (rights.extent[0] == 0 || extents.lines == 0 || extents.length == 0) return;
    const Kokkos::Profiling::ScopedRegion region(
        options_.label().empty() ? "WaveScan::Tridiagonal::solve" : options_.label());
    const auto lines = [&]<class E>(E* data, const auto& view) {
      if constexpr (rank == 1)
        return Impl::Lines<E>{data, 0, static_cast<Impl::Index>(view.stride(0))};
      else
        return Impl::Lines<E>{data, static_cast<Impl::Index>(view.stride(rank - 1 - along_)),
                              static_cast<Impl::Index>(view.stride(rank - 2 + along_))};
    };
    const Impl::Index sets = rank == 3 ? rights.extent[0] : 1;
    for (Impl::Index set = 0; set < sets; ++set) {
      const T* const from = right.data() + set * static_cast<Impl::Index>(right.stride(0));
      T* const to = x.data() + set * static_cast<Impl::Index>(x.stride(0));
      Impl::columns::solve_factored(
          exec_,
          Impl::columns::FactoredSystems<T>{{part<const T>(0), part<const T>(1), part<const T>(2),
                                             options_.is_cyclic(), part<const T>(fill_)},
                                            lines(from, right),
                                            lines(to, x),
                                            extents});
    }
  }

  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return factors_.size() * sizeof(T); }

 private:
  static constexpr std::string_view operation = "Tridiagonal";

  /// @brief One of the arrays of factors; nothing if there is none of this number.
  template <class E>
  Impl::Lines<E> part(int number) const {
    if (number < 0) return {};
    E* const data = factors_.data() + number * extents_.lines * extents_.length;
    if (one_for_all_) return {data, 0, 1};
    return side_by_side_ ? Impl::Lines<E>{data, 1, extents_.lines}
                         : Impl::Lines<E>{data, extents_.length, 1};
  }

  Exec exec_;
  TridiagonalOptions options_;
  bool one_for_all_, side_by_side_ = false;
  int along_ = 1;
  int fill_ = -1;  ///< the number of that array, if there is one
  Impl::LineExtents extents_;
  Kokkos::View<T*, typename Exec::memory_space> factors_;
};

template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C>
Tridiagonal(const Exec&, const A&, const B&, const C&, const TridiagonalOptions&)
    -> Tridiagonal<Exec, typename B::non_const_value_type>;
template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C>
Tridiagonal(const Exec&, const A&, const B&, const C&)
    -> Tridiagonal<Exec, typename B::non_const_value_type>;

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
