// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// @brief Arrays as Python hands them over: what a DLPack capsule tells, without Python and without
/// Kokkos. Files that know Python and files that know Kokkos meet here, so that neither pays for
/// the other's headers.

namespace wavescan::python {

/// @brief An error that Python shall see as TypeError; std::invalid_argument becomes ValueError.
struct TypeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// @brief Types of elements that some function takes.
enum class Type {
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Other
};

/// @brief "float32", and so on.
std::string_view name_of(Type type);
std::size_t size_of(Type type);

/// @brief An array of any type, rank, strides and place.
struct Array {
  static constexpr int most_dimensions = 16;

  const char* name = "";  ///< of the argument, for errors
  char* data = nullptr;
  Type type = Type::Other;
  int rank = 0;
  bool writable = true;
  bool on_device = false;
  int device = 0;
  std::array<std::int64_t, most_dimensions> extent{};
  std::array<std::int64_t, most_dimensions> stride{};  ///< in elements, may be negative

  std::int64_t elements() const;
  /// @brief The same array without its first dimension, which is 0 there.
  Array without_first() const;
};

/// @brief "(3, 4)"
std::string shape_of(const Array& array);

/// @brief Where a function runs: on the host, or on a stream of a device.
struct Place {
  static constexpr int any_device = -1;  ///< that which Kokkos has

  bool on_device = false;
  int device = 0;
  std::uintptr_t stream = 0;
};

/// @brief A number of any type.
struct Number {
  double real = 0;
  double imaginary = 0;
  std::int64_t integer = 0;
  bool is_integer = false;
  bool is_complex = false;
};

// Checks that all functions share. They throw TypeError or std::invalid_argument, which name the
// function, the argument, what was wanted and what came.

[[noreturn]] void reject(const char* function, const char* argument, const std::string& wanted,
                         const std::string& came);
/// @brief The axis from 0 on, where negative ones count from the end.
int checked_axis(const char* function, const Array& x, std::int64_t axis);
void require_rank(const char* function, const Array& x, int least, int most);
void require_type(const char* function, const Array& x, const Array& like);
/// @brief Requires an array of bool, or bytes.
void require_flags(const char* function, const Array& x);
void require_shape(const char* function, const Array& x, const Array& like);
/// @brief Requires the shape of an array with another extent along an axis.
void require_shape_along(const char* function, const Array& x, const Array& like, int axis,
                         std::int64_t extent);
/// @brief Requires a number that an array's type has, where one is given.
void require_fits(const char* function, const char* argument, const std::optional<Number>& number,
                  const Array& like);
/// @brief Requires an array that can be written, whose elements lie apart, and that shares no
/// memory with the inputs unless it is one of them, element for element.
void require_output(const char* function, const Array& out, std::initializer_list<const Array*> in,
                    bool in_place = true);
/// @brief Requires all arrays to lie where the function runs.
Place common_place(const char* function, std::uintptr_t stream,
                   std::initializer_list<const Array*> arrays);

}  // namespace wavescan::python
