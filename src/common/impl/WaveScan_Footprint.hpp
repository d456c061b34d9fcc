// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FOOTPRINT_HPP
#define WAVESCAN_IMPL_FOOTPRINT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Require.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief The memory of a View's elements, in bytes. Strides may be negative, as those of arrays of
/// other languages are (a View keeps them modulo 2^64).
///
/// Arguments are checked as footprints, whatever their types are: a check is compiled once, and not
/// for each kind of View.
struct Footprint {
  static constexpr std::size_t max_rank = 8;
  std::uintptr_t first = 0;  ///< address of the element whose indices are all 0
  std::uintptr_t begin = 0;  ///< the lowest address: another one, where a stride is negative
  std::uintptr_t end = 0;    ///< one past the last byte of the last element
  std::size_t element = 0;   ///< bytes of one element
  std::size_t rank = 0;
  std::array<std::int64_t, max_rank> extent{};
  std::array<std::int64_t, max_rank> stride{};  ///< bytes

  Footprint() = default;
  template <AnyView V>
  Footprint(const V& view)  // NOLINT(google-explicit-constructor): checks take Views as they are
      : first(reinterpret_cast<std::uintptr_t>(view.data())),
        element(sizeof(typename V::value_type)),
        rank(V::rank()) {
    for (std::size_t r = 0; r < rank; ++r) {  // V::rank() may be 0
      extent[r] = static_cast<std::int64_t>(view.extent(r));
      stride[r] = static_cast<std::int64_t>(view.stride(r) * element);
    }
    find_end();
  }

  /// @brief The distance of neighbours along a dimension in bytes, whichever of them comes first.
  std::int64_t step(std::size_t r) const { return stride[r] < 0 ? -stride[r] : stride[r]; }

  /// @brief The part of this footprint that the extents of another one cover.
  Footprint within(const Footprint& other) const {
    Footprint part = *this;
    part.extent = other.extent;
    part.find_end();
    return part;
  }

 private:
  void find_end() {
    begin = end = first;
    std::uintptr_t last = first;
    for (std::size_t r = 0; r < rank; ++r) {
      if (extent[r] == 0) {
        begin = first;
        return;
      }
      (stride[r] < 0 ? begin : last) += static_cast<std::uintptr_t>((extent[r] - 1) * stride[r]);
    }
    end = last + element;
  }
};

/// @brief The extents of a View as text, "3 x 4", for error messages.
inline std::string extents_of(const Footprint& view) {
  if (view.rank == 0) return "a single element";
  std::string text = std::to_string(view.extent[0]);
  for (std::size_t r = 1; r < view.rank; ++r) text += " x " + std::to_string(view.extent[r]);
  return text;
}

/// @brief Requires two Views of one rank to have the same extents.
inline void require_same_extents(std::string_view operation, std::string_view argument,
                                 const Footprint& view, std::string_view reference_name,
                                 const Footprint& reference) {
  if (view.extent == reference.extent) return;
  reject(operation, argument,
         "must have the extents of '" + std::string(reference_name) + "' (" +
             extents_of(reference) + ")",
         extents_of(view));
}

/// @brief Requires a View to have at least the extents of another one of its rank.
inline void require_extents_of(std::string_view operation, std::string_view argument,
                               const Footprint& view, std::string_view reference_name,
                               const Footprint& reference) {
  bool covered = true;
  for (std::size_t r = 0; r < view.rank; ++r) covered &= view.extent[r] >= reference.extent[r];
  if (covered) return;
  reject(operation, argument,
         "must have at least the extents of '" + std::string(reference_name) + "' (" +
             extents_of(reference) + ")",
         extents_of(view));
}

}  // namespace wavescan::Impl

#endif
