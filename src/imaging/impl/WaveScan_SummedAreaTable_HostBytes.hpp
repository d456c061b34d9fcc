// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTBYTES_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTBYTES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_SummedAreaTable_HostByteVector.hpp>

#include <cstdint>

/// @file
/// @brief Tables of bytes in integers of 32 bits, the usual ones of images.
///
/// A register holds the entries of a few columns. Each entry is the sum of up to as many bytes, and
/// of what is left of them: dot products of the bytes with ones and zeros, which processors have
/// for neural networks. Integers are exact in any order of additions, so rows add themselves to the
/// row above them in registers, without the sums of columns that other tables keep.

namespace wavescan::Impl {

/// @brief Rows of a tile of such a table.
struct HostByteRows {
  const std::uint8_t* pixels;
  Index pixels_a_row;  ///< distance of rows
  std::uint32_t* entries;
  Index entries_a_row;
  std::uint32_t* left;  ///< what each row has summed up left of the tile, then right of it
  Index columns;

  static constexpr Index most_in_words = 257;  ///< rows whose columns' sums 16 bits can hold

  HostByteRows below(Index rows) const {
    return {pixels + rows * pixels_a_row,
            pixels_a_row,
            entries + rows * entries_a_row,
            entries_a_row,
            left + rows,
            columns};
  }
};

/// @brief Rows of a table in a target's registers, where it has what they need.
template <class Target>
struct HostByteTable {
  static constexpr bool available = false;
};

}  // namespace wavescan::Impl

#if defined(WAVESCAN_HAS_TARGETS)
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // it does not know "GCC unroll", and hands it on
#endif

#define WAVESCAN_TARGET Avx2
#define WAVESCAN_TARGET_FUNCTION WAVESCAN_AVX2_FUNCTION
#include <impl/WaveScan_SummedAreaTable_HostBytes.hpp>
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION
#define WAVESCAN_TARGET Avx512Vnni
#define WAVESCAN_TARGET_FUNCTION WAVESCAN_AVX512VNNI_FUNCTION
#include <impl/WaveScan_SummedAreaTable_HostBytes.hpp>
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

namespace wavescan::Impl {
template <>
struct HostByteTable<Avx512> : HostByteTable<Avx2> {};
}  // namespace wavescan::Impl
#endif

#endif
#else

namespace wavescan::Impl {

template <>
struct HostByteTable<WAVESCAN_TARGET> {
  static constexpr bool available = true;
  using V = ByteVector<WAVESCAN_TARGET>;
  static constexpr Index lanes = V::lanes;

  /// @brief Computes `count` rows, eight at a time: each waits for itself, from one register to the
  /// next, but not for the others.
  /// @param above the entries above the first row
  /// @param below becomes the entries of the last row
  template <bool Streaming>
  WAVESCAN_TARGET_FUNCTION static void sum(HostByteRows rows, Index count,
                                           const std::uint32_t* above, std::uint32_t* below) {
    for (; count >= 8; count -= 8, rows = rows.below(8), above = below)
      Block<Streaming, 8>(rows, above, below, count > 8).sum();
    for (; count >= 2; count -= 2, rows = rows.below(2), above = below)
      Block<Streaming, 2>(rows, above, below, false).sum();
    if (count > 0) Block<Streaming, 1>(rows, above, below, false).sum();
  }

  /// @brief The sums of the columns of `count` rows, which words can hold.
  /// @param words a buffer for `rows.columns`
  WAVESCAN_TARGET_FUNCTION static void sum_columns(HostByteRows rows, Index count,
                                                   std::uint16_t* words, std::uint32_t* sums) {
    for (Index j = 0; j < rows.columns; ++j) words[j] = 0;
    for (; count >= 8; count -= 8, rows.pixels += 8 * rows.pixels_a_row) add_rows<8>(rows, words);
    for (; count > 0; --count, rows.pixels += rows.pixels_a_row) add_rows<1>(rows, words);
    for (Index j = 0; j < rows.columns; ++j) sums[j] = words[j];
  }

 private:
  template <int Rows>
  WAVESCAN_TARGET_FUNCTION static void add_rows(const HostByteRows& rows, std::uint16_t* words) {
    Index j = 0;
    for (; j + 2 * lanes <= rows.columns; j += 2 * lanes) {
      auto sums = V::load(words + j);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
        sums = V::add_words(sums, rows.pixels + r * rows.pixels_a_row + j);
      V::store(words + j, sums);
    }
    for (; j < rows.columns; ++j)
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
        words[j] = static_cast<std::uint16_t>(words[j] + rows.pixels[r * rows.pixels_a_row + j]);
  }

  /// @brief A few rows.
  template <bool Streaming, int Rows>
  class Block {
   public:
    WAVESCAN_TARGET_FUNCTION Block(const HostByteRows& rows, const std::uint32_t* above,
                                   std::uint32_t* below, bool fetches)
        : rows_(rows), above_(above), below_(below), fetches_(fetches) {}

    WAVESCAN_TARGET_FUNCTION void sum() const {
      const typename V::Weights weights = V::weights();
      typename V::type left[Rows];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) left[r] = V::all(rows_.left[r]);
      Index j = 0;
      for (; j + lanes <= rows_.columns; j += lanes) {
        if (fetches_) fetch_below(j);
        auto entry = V::load(above_ + j);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
          const auto sums = V::prefix(pixels(r, j), weights, left[r]);
          left[r] = V::last(sums);
          entry = V::add(entry, sums);
          if constexpr (Streaming)
            V::stream(entries(r, j), entry);
          else
            V::store(entries(r, j), entry);
        }
        V::store(below_ + j, entry);
      }
      if (const int rest = static_cast<int>(rows_.columns - j); rest > 0) {
        auto entry = V::load_first(above_ + j, rest);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
          std::uint8_t bytes[lanes];
          V::with_zeros(pixels(r, j), rest, bytes);
          const auto sums = V::prefix(bytes, weights, left[r]);
          left[r] = V::last(sums);
          entry = V::add(entry, sums);
          V::store_first(entries(r, j), entry, rest);
        }
        V::store_first(below_ + j, entry, rest);
      }
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) rows_.left[r] = V::first(left[r]);
    }

   private:
    WAVESCAN_TARGET_FUNCTION const std::uint8_t* pixels(Index row, Index column) const {
      return rows_.pixels + row * rows_.pixels_a_row + column;
    }
    WAVESCAN_TARGET_FUNCTION std::uint32_t* entries(Index row, Index column) const {
      return rows_.entries + row * rows_.entries_a_row + column;
    }
    /// @brief The pixels of the next rows: the processor's own prefetching loses its way where rows
    /// of a tile end. A cache line is fetched once, while its columns are gone through.
    WAVESCAN_TARGET_FUNCTION void fetch_below(Index column) const {
      constexpr Index steps = 64 / lanes;  // of a line
      for (Index r = column / lanes % steps; r < Rows; r += steps)
        __builtin_prefetch(pixels(Rows + r, column));
    }

    HostByteRows rows_;
    const std::uint32_t* above_;
    std::uint32_t* below_;
    bool fetches_;
  };
};

}  // namespace wavescan::Impl

#endif
