// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include "array.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// @brief The operations that Python's functions call: arrays of any type in, checked here, and
/// written by the library. Everything throws TypeError or std::invalid_argument before anything is
/// written.

namespace wavescan::python {

using OptionalArray = std::optional<Array>;
inline const Array* pointer(const OptionalArray& array) { return array ? &*array : nullptr; }

/// @brief How lines are scanned.
struct LineOptions {
  std::int64_t axis = -1;
  bool exclusive = false;
  bool reverse = false;
};

void scan(const char* function, std::string_view op, const Array& x, const Array& out,
          const LineOptions& options, const std::optional<Number>& initial, std::uintptr_t stream);

/// @brief out_j = (out_{j-1} ∘ w_j) ⋄ x_j. The weight is a number or an array of x's shape, the
/// state that enters a number or an array of x's shape but 1 along the axis.
void weighted_scan(const char* function, std::string_view algebra, const Array& x,
                   const std::optional<Number>& weight, const OptionalArray& weights,
                   const Array& out, const LineOptions& options,
                   const std::optional<Number>& initial, const OptionalArray& initials,
                   std::uintptr_t stream);

using Coefficients = std::vector<double>;
using Sections = std::vector<std::array<double, 6>>;

void lfilter(const Coefficients& b, const Coefficients& a, const Array& x, const Array& out,
             const OptionalArray& zi, const OptionalArray& zf, std::int64_t axis, bool reverse,
             std::uintptr_t stream);
void sosfilt(const Sections& sos, const Array& x, const Array& out, const OptionalArray& zi,
             const OptionalArray& zf, std::int64_t axis, std::uintptr_t stream);
void filtfilt(const Coefficients& b, const Coefficients& a, const Array& x, const Array& out,
              std::int64_t axis, const std::string& padding, std::int64_t length,
              std::uintptr_t stream);
void sosfiltfilt(const Sections& sos, const Array& x, const Array& out, std::int64_t axis,
                 const std::string& padding, std::int64_t length, std::uintptr_t stream);
Coefficients lfilter_zi(const Coefficients& b, const Coefficients& a);
std::vector<std::array<double, 2>> sosfilt_zi(const Sections& sos);
Coefficients lfiltic(const Coefficients& b, const Coefficients& a, const Coefficients& y,
                     const Coefficients& x);

/// @brief y_j = x_j + sum a(j, k) y_{j-1-k}: coefficients have x's shape and the order.
void varying_recurrence(const Array& a, const Array& x, const Array& out, std::int64_t axis,
                        bool reverse, std::uintptr_t stream);

void solve_tridiagonal(const Array& dl, const Array& d, const Array& du, const Array& b,
                       const Array& out, std::int64_t axis, bool cyclic, bool transposed,
                       std::uintptr_t stream);

// These return how many elements, or rows, were kept.
std::int64_t compress(const Array& condition, const Array& x, const Array& out,
                      std::uintptr_t stream);
std::int64_t partition(const Array& condition, const Array& x, const Array& out,
                       std::uintptr_t stream);
/// @brief The first of each run of equal elements; if asked, the run of each element, and with it
/// the length of each run. All arrays are as long as x.
std::int64_t unique_consecutive(const Array& x, const Array& out, const OptionalArray& inverse,
                                const OptionalArray& counts, std::uintptr_t stream);

// Segments are told by offsets or by heads.
void segmented_scan(std::string_view op, const Array& x, const Array& out,
                    const OptionalArray& offsets, const OptionalArray& heads, bool exclusive,
                    bool reverse, const std::optional<Number>& initial, std::uintptr_t stream);
void segmented_recurrence(const Array& a, const Array& x, const Array& out,
                          const OptionalArray& offsets, const OptionalArray& heads, bool reverse,
                          std::uintptr_t stream);
void segmented_reduce(std::string_view op, const Array& x, const Array& out, const Array& offsets,
                      const std::optional<Number>& initial, std::uintptr_t stream);

void integral_image(const char* function, const Array& image, const Array& table, bool zero_border,
                    std::uintptr_t stream);
/// @brief Means and variances over windows that are clipped at the image's border.
void window_moments(const char* function, const Array& image, std::int64_t radius,
                    const Array& mean, const OptionalArray& variance, std::uintptr_t stream);
/// @brief The histogram has the shape (bins, rows, columns).
void integral_histogram(const Array& image, double lower, double upper, const Array& histogram,
                        std::uintptr_t stream);

/// @brief How Poisson's equation is relaxed.
struct Relaxation {
  double omega = 0;  ///< 0: the best one for the array's size
  double h = 1;
  std::string order = "forward";
};
struct Stop {
  double tolerance;
  double relative_tolerance;
  int max_sweeps;
  int check_every;
};
struct SolveResult {
  bool converged = false;
  std::string reason;
  int sweeps = 0;
  std::vector<std::pair<int, double>> history;
};
/// @brief Relaxes x, of rank 2 or 3, whose outermost points are boundary values, in place.
void sor(const Array& x, const OptionalArray& rhs, const OptionalArray& fixed,
         const Relaxation& how, int sweeps, std::uintptr_t stream);
SolveResult sor_solve(const char* function, const Array& x, const OptionalArray& rhs,
                      const OptionalArray& fixed, const Relaxation& how, const Stop& stop,
                      std::uintptr_t stream);
/// @brief The best factor for so many unknowns in each of two or three dimensions.
double best_omega(const std::vector<std::int64_t>& unknowns);

/// @brief What alignments are worth. A gap of k letters costs open + (k - 1) extend.
struct AlignmentRules {
  int match;
  int mismatch;
  std::int64_t gap_open;
  std::int64_t gap_extend;
  std::string matrix;  ///< empty: match and mismatch
  std::string mode;
  std::array<bool, 4> free_ends;  ///< begin_a, end_a, begin_b, end_b
  bool on_device;
};
struct AlignmentResult {
  std::int64_t score = 0, begin_a = 0, end_a = 0, begin_b = 0, end_b = 0, matches = 0,
               mismatches = 0, gaps = 0, gap_openings = 0;
  std::string cigar;
};
AlignmentResult align(const std::string& a, const std::string& b, const AlignmentRules& rules);
std::array<std::int64_t, 3> align_score(const std::string& a, const std::string& b,
                                        const AlignmentRules& rules);
std::vector<AlignmentResult> align_many(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b,
                                        const AlignmentRules& rules);
std::vector<std::int64_t> align_scores(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b,
                                       const AlignmentRules& rules);
std::string format_alignment(const AlignmentResult& result, const std::string& a,
                             const std::string& b, int width);

}  // namespace wavescan::python
