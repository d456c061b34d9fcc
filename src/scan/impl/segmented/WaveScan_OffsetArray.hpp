// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_OFFSETARRAY_HPP
#define WAVESCAN_IMPL_SEGMENTED_OFFSETARRAY_HPP

#include <WaveScan_Concepts.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace wavescan::Impl {

/// @brief Offsets of any integral type with 32 or 64 bits, in one type: kernels are compiled once.
struct OffsetArray {
  const void* data = nullptr;
  Index stride = 0;
  Index size = 0;
  enum class Width { Int32, UInt32, Int64 } width = Width::Int64;

  OffsetArray() = default;
  template <AnyView V>
  explicit OffsetArray(const V& view)
      : data(view.data()),
        stride(static_cast<Index>(view.stride(0))),
        size(static_cast<Index>(view.extent(0))),
        width(sizeof(typename V::value_type) == 8        ? Width::Int64
              : std::is_signed_v<typename V::value_type> ? Width::Int32
                                                         : Width::UInt32) {}

  /// @brief A part of the offsets.
  OffsetArray part(Index first, Index count) const {
    OffsetArray some = *this;
    some.data = static_cast<const char*>(data) + first * stride * (width == Width::Int64 ? 8 : 4);
    some.size = count;
    return some;
  }

  /// @brief Whether every eighth offset from the first one on begins a word of 16 bytes.
  KOKKOS_FUNCTION bool has_words() const {
    return stride == 1 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION Index operator()(Index s) const {
    const Index place = s * stride;
    switch (width) {
      case Width::Int32:
        return static_cast<const std::int32_t*>(data)[place];
      case Width::UInt32:
        return static_cast<const std::uint32_t*>(data)[place];
      default:
        return static_cast<const std::int64_t*>(data)[place];
    }
  }

  /// @brief The number of offsets, which do not fall, that are below `value`.
  KOKKOS_FUNCTION Index count_below(Index value) const {
    Index low = 0, high = size;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if ((*this)(middle) < value)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  /// @brief The last offset that is not above `value`: of a segment that is not empty, if `value`
  /// is in one.
  KOKKOS_FUNCTION Index last_up_to(Index value) const { return count_below(value + 1) - 1; }
};

/// @brief Segments by where they begin and end.
struct SegmentRanges {
  OffsetArray begins, ends;
  /// Whether elements may be in no segment: a run then begins at ends, too.
  bool apart = false;
};

}  // namespace wavescan::Impl

#endif
