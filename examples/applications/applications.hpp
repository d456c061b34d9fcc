// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef APPLICATIONS_HPP
#define APPLICATIONS_HPP

#include <Kokkos_Core.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_Select.hpp>
#include <cstdint>

#include "operators.hpp"

/// @file
/// @brief What scans are good for: one function, and one short source file, for each application.
///
/// Functions enqueue their work on the instance of their plan, or on `exec`; those that return a
/// number wait for it. Arrays have one extent unless something else is said.

namespace applications {

using Exec = Kokkos::DefaultExecutionSpace;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
template <class T>
using Array = Kokkos::View<T*, Exec>;
template <class T>
using Input = Kokkos::View<const T*, Exec>;
template <class Combine>
using Scan = wavescan::Scan<Exec, Combine>;

/// @brief The position of an element: computed_input(n, Position()) is 0, 1, ..., n - 1.
struct Position {
  KOKKOS_FUNCTION std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};

// ---- compaction.cpp

/// @brief Stream compaction: the samples of at least this magnitude, side by side.
/// @param count receives how many they are
void compact(const wavescan::Selection<Exec>& plan, const Input<float>& samples, float threshold,
             const Array<float>& kept, const Kokkos::View<std::int64_t, Exec>& count);

// ---- radix_sort.cpp

/// @brief Sorts keys, and the values that belong to them, in place; equal keys keep their order.
///
/// One partition for each bit in which keys differ. Needs memory for as many keys and values again.
template <class Key>
void radix_sort(const Exec& exec, const Array<Key>& keys, const Array<std::uint32_t>& values);
extern template void radix_sort(const Exec&, const Array<std::uint32_t>&,
                                const Array<std::uint32_t>&);
extern template void radix_sort(const Exec&, const Array<std::uint64_t>&,
                                const Array<std::uint32_t>&);

// ---- sequence_alignment.cpp

/// @brief Scores of pairs of letters, and what a gap costs for each letter.
struct AlignmentScores {
  int match = 2, mismatch = -1, gap = 1;
};

/// @brief Score of the best global alignment of two sequences (Needleman and Wunsch), by one scan
/// for each letter of `a`. Needs memory for two rows.
int alignment_score(const Exec& exec, const Input<char>& a, const Input<char>& b,
                    const AlignmentScores& scores);

// ---- recurrences.cpp

/// @brief A polynomial by Horner's rule: value_j = c_0 x^j + c_1 x^(j-1) + ... + c_j.
///
/// The last one is the polynomial's value at x; those before are the coefficients of its quotient
/// by (X - x).
/// @param coefficients that of the highest power first
void polynomial(const Scan<wavescan::PlusTimes<double>>& scan, const Input<double>& coefficients,
                double x, const Array<double>& values);

/// @brief y_j = x_j + a_j y_{j-1}, with y_{-1} = 0.
void first_order(const Scan<wavescan::PlusTimes<double>>& scan, const Input<double>& x,
                 const Input<double>& a, const Array<double>& y);

/// @brief y_j = x_j + a_j y_{j-1} + b_j y_{j-2}, with y_{-1} = y_{-2} = 0.
void second_order(const Scan<MapComposition>& scan, const Input<double>& x, const Input<double>& a,
                  const Input<double>& b, const Array<double>& y);

// ---- fibonacci.cpp

/// @brief The Fibonacci numbers f_j = F_{j+1} modulo a prime, by powers of a matrix.
void fibonacci(const Scan<MatrixProduct<fibonacci_modulus>>& scan,
               const Array<std::uint32_t>& numbers);

// ---- big_integers.cpp

/// @brief The sum of two integers of n limbs each, the least significant limb first.
/// @param scan plan for one line of n + 1 elements
/// @param sum  n + 1 limbs, the last of which is the carry; must not be a or b
void add(const Scan<Carries>& scan, const Input<std::uint64_t>& a, const Input<std::uint64_t>& b,
         const Array<std::uint64_t>& sum);

// ---- csv.cpp

/// @brief Where one is in a table of fields separated by commas (RFC 4180).
enum CsvState : std::uint8_t {
  field_start,  ///< before the first character of a field: behind a comma, or the end of a line
  plain,        ///< in a field without quotes
  quoted,       ///< in quotes, where commas and ends of lines are text
  quote         ///< behind a quote in quotes, which ends them, or is text if another one follows
};

/// @brief The state behind each character. All states are known at once, although each depends on
/// all characters before it: what is scanned are maps of states.
void csv_states(const Scan<Composition<std::uint8_t, 2>>& scan, const Input<char>& text,
                const Array<std::uint8_t>& states);

/// @brief Positions of the commas and ends of lines that end a field, in their order.
/// @param ends may be shorter than there are fields, or empty, to count them
/// @return the number of fields
std::int64_t csv_field_ends(const Exec& exec, const Input<std::uint8_t>& states,
                            const Array<std::uint32_t>& ends);

// ---- parentheses.cpp

/// @brief How many parentheses are open behind each character; negative where too many were closed.
void nesting_depth(const Scan<wavescan::Plus<int>>& scan, const Input<char>& text,
                   const Array<int>& depth);

/// @brief For each parenthesis the position of its partner, -1 for those without one and for other
/// characters. Sorts positions by depth, where partners become neighbours.
/// @param depth of nesting_depth
void match_parentheses(const Exec& exec, const Input<char>& text, const Input<int>& depth,
                       const Array<std::int32_t>& partner);

// ---- run_length.cpp

/// @brief Run-length encoding: the value of each run of equal elements, and where it starts.
/// @param plan for pairs of elements
/// @param values,starts as many as there may be runs
/// @param count receives the number of runs
void run_length_encode(const wavescan::Selection<Exec>& plan, const Input<std::uint32_t>& x,
                       const Array<std::uint32_t>& values, const Array<std::uint32_t>& starts,
                       const Kokkos::View<std::int64_t, Exec>& count);

/// @brief The elements of which these are the runs. Runs may be empty.
/// @param x as many elements as all runs have together
void run_length_decode(const Exec& exec, const Input<std::uint32_t>& values,
                       const Input<std::uint32_t>& lengths, const Array<std::uint32_t>& x);

}  // namespace applications

#endif
