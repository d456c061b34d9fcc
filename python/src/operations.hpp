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

}  // namespace wavescan::python
