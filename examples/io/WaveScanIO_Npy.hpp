// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_NPY_HPP
#define WAVESCANIO_NPY_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "WaveScanIO_File.hpp"

namespace wavescan_io {

/// @brief An array as numpy stores it in a .npy file: its shape and its entries in row-major order.
struct NpyArray {
  using Entries =
      std::variant<std::vector<float>, std::vector<double>, std::vector<std::int8_t>,
                   std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                   std::vector<std::uint8_t>, std::vector<std::uint16_t>,
                   std::vector<std::uint32_t>, std::vector<std::uint64_t>>;
  std::vector<std::size_t> shape;
  Entries entries;
  bool is_bool = false;  ///< entries, of type uint8, are 0 or 1, and bool in the file

  /// @brief The type's name as numpy gives it, "float64".
  std::string type_name() const;

  /// @brief The entries, converted to another type.
  template <class T>
  std::vector<T> as() const {
    return std::visit(
        [](const auto& from) {
          std::vector<T> to;
          to.reserve(from.size());
          for (const auto value : from) to.push_back(static_cast<T>(value));
          return to;
        },
        entries);
  }
};

/// @brief Reads a .npy file of format 1 or 2: rank 1 or 2, integers of 8 to 64 bits, bool
/// (bytes other than 0 are true), float32 or float64, little-endian; in row-major ("C") or
/// column-major ("Fortran") order.
/// @throws FileError for anything else, a damaged header, missing or surplus data
NpyArray read_npy(const std::filesystem::path& file);

/// @brief Writes a .npy file of format 1 in row-major order; any rank.
void write_npy(const OutputFile& file, const NpyArray& array);

}  // namespace wavescan_io

#endif
