// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SMITHWATERMANMATRIX_HPP
#define WAVESCAN_SMITHWATERMANMATRIX_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

/// @file
/// @brief The whole matrix of scores of Smith-Waterman, with a linear gap penalty, as a wavefront.
///
/// Source of the loop and its algebra (max, +): Hou et al., "Highly Efficient Compensation-based
/// Parallelism for Wavefront Loops on GPUs", IPDPS 2018, section IV.

namespace wavescan {

/// @brief The loop of Smith-Waterman as a wavefront: row i is letter a(i), column j letter b(j).
///
///     A(i,j) = max(A(i,j-1) - gap, A(i-1,j) - gap, A(i-1,j-1) + s(a(i), b(j)), 0)
///
/// @tparam T signed integer of the matrix
template <class T, Substitution S>
struct SmithWatermanLoop {
  using algebra_type = MaxPlus<T>;
  Impl::LetterSequence a;
  Impl::LetterSequence b;
  S substitution;
  T gap;

  KOKKOS_FUNCTION T weight() const { return -gap; }
  KOKKOS_FUNCTION T boundary(std::int64_t, std::int64_t) const { return 0; }
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T up_left,
                            const auto& /*old*/) const {
    const T gapped = up - gap;
    const std::int64_t matched = up_left + static_cast<std::int64_t>(substitution(a(i), b(j)));
    const T best = gapped < matched ? static_cast<T>(matched) : gapped;
    return best < 0 ? T(0) : best;
  }
};

/// @brief Fills the whole matrix of scores, in any schedule of a wavefront.
///
///     A(i,j) = max(A(i,j-1) - gap, A(i-1,j) - gap, A(i-1,j-1) + s(a(i), b(j)), 0)
///
/// Entries outside the matrix count as 0. For sequences of a few thousand letters, to look at or to
/// trace back by yourself; smith_waterman needs no matrix. All schedules give the same integers.
///
/// Work: O(m n). Memory: the matrix. The call waits for a look at the letters that occur, which
/// decides about overflow; the matrix itself is enqueued.
///
/// @param exec         execution space instance; left out: the default one of the matrix's space
/// @param a, b         Views of char, of m and n letters
/// @param substitution score of a letter of `a` with one of `b`, see Substitution
/// @param gap          what a letter without a partner costs, greater than 0
/// @param matrix       View of rank 2, m x n, of a signed integer of 32 or 64 bits
/// @param options      schedule and tiles, as for wavefront
/// @throws std::invalid_argument if the gap penalty is not positive, if the matrix is not m x n or
///         its elements overlap, or if min(m, n) times the largest score of a pair of letters that
///         occur, plus n gaps, does not fit the matrix's integers
template <ExecutionSpace Exec, class A, class B, Substitution S, ViewOfRank<2> Matrix>
void smith_waterman_matrix(const Exec& exec, const A& a, const B& b, const S& substitution,
                           const LinearGap& gap, const Matrix& matrix,
                           const WavefrontOptions& options = {}) {
  using T = typename Matrix::value_type;
  static_assert(Impl::LetterView<A, Exec> && Impl::LetterView<B, Exec>,
                "WaveScan: 'a' and 'b' must be Views of char of rank 1 that the execution space "
                "can reach");
  static_assert(std::signed_integral<T> && sizeof(T) >= 4,
                "WaveScan: 'matrix' must hold signed integers of 32 or 64 bits");
  constexpr const char* operation = "smith_waterman_matrix";
  const Impl::Calling calling(operation);
  Impl::require_usable(operation, gap);
  const Impl::LetterSequence letters_a = Impl::letter_sequence(a);
  const Impl::LetterSequence letters_b = Impl::letter_sequence(b);
  Impl::require(static_cast<std::int64_t>(matrix.extent(0)) == letters_a.length &&
                    static_cast<std::int64_t>(matrix.extent(1)) == letters_b.length,
                operation, "matrix",
                "must have a row for each letter of 'a' and a column for each letter of 'b' (" +
                    std::to_string(letters_a.length) + " x " + std::to_string(letters_b.length) +
                    ")",
                Impl::extents_of(matrix));
  Impl::require_distinct_elements(operation, "matrix", matrix);
  const std::int64_t shorter = std::min(letters_a.length, letters_b.length);
  if (shorter == 0) return;

  const Impl::Alphabet alphabet = Impl::common_alphabet(exec, letters_a, letters_b);
  const std::int64_t largest = Impl::largest_score(Impl::tabulate(exec, alphabet, substitution));
  constexpr std::int64_t limit = std::numeric_limits<T>::max();
  Impl::require(largest <= (limit - 1) / shorter, operation, "substitution",
                "must have scores of which " + std::to_string(shorter) +
                    " add up within the matrix's integers",
                largest);
  const std::int64_t affordable = Impl::affordable_gap(gap.penalty, largest * shorter);
  Impl::require(affordable <= (limit - largest * shorter) / letters_b.length, operation, "gap",
                "must be so small that a gap of " + std::to_string(letters_b.length) +
                    " letters fits the matrix's integers",
                gap.penalty);
  wavefront(exec,
            SmithWatermanLoop<T, S>{letters_a, letters_b, substitution, static_cast<T>(affordable)},
            matrix, options);
}

/// @brief smith_waterman_matrix on the default instance of the matrix's execution space.
template <class A, class B, Substitution S, ViewOfRank<2> Matrix>
void smith_waterman_matrix(const A& a, const B& b, const S& substitution, const LinearGap& gap,
                           const Matrix& matrix, const WavefrontOptions& options = {}) {
  smith_waterman_matrix(typename Matrix::execution_space(), a, b, substitution, gap, matrix,
                        options);
}

}  // namespace wavescan

#endif
