// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SAT_HOST_HOSTBYTETABLE_HPP
#define WAVESCAN_IMPL_SAT_HOST_HOSTBYTETABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/WaveScan_X86.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

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

  static constexpr Index max_in_words = 257;  ///< rows whose columns' sums 16 bits can hold

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

namespace wavescan::Impl {

/// @brief Lane i of the weights of bytes [4 part, 4 part + 4) has ones for those that are not
/// behind byte i.
template <int Lanes>
struct ByteWeights {
  alignas(64) std::int8_t ones[Lanes / 4][4 * Lanes] = {};
  constexpr ByteWeights() {
    for (int part = 0; part < Lanes / 4; ++part)
      for (int lane = 0; lane < Lanes; ++lane)
        for (int byte = 0; byte < 4; ++byte) ones[part][4 * lane + byte] = 4 * part + byte <= lane;
  }
};
template <int Lanes>
inline constexpr ByteWeights<Lanes> byte_weights;

/// @brief Bytes that are one lane of a dot product.
inline int four_bytes(const std::uint8_t* bytes) {
  int four;
  std::memcpy(&four, bytes, sizeof four);
  return four;
}

/// @brief Intrinsics of tables of bytes beside a target's vectors: `prefix(bytes, weights,
/// entering)` is what enters plus, in each lane, the sum of the bytes up to there; `..._first`
/// takes the first few lanes only; `with_zeros` puts so many bytes, and zeros behind them, into a
/// buffer; `add_words` adds bytes to a vector of words, twice as many.
template <class Target>
struct ByteIntrinsics;

#define WAVESCAN_INLINE WAVESCAN_AVX2_FUNCTION WAVESCAN_INLINED static
template <>
struct ByteIntrinsics<Avx2> {
  using vectors = Avx2;
  using type = Longs32;
  WAVESCAN_INLINE type prefix(const std::uint8_t* bytes, const type (&weights)[2], type entering) {
    // Sums of pairs of bytes, then of pairs of those.
    // (In this order, or g++ makes one load of two, and takes it apart.)
    const auto last = (UnsignedShorts32)sums_of_pairs(four_bytes(bytes + 4), weights[1]);
    const auto first = (UnsignedShorts32)sums_of_pairs(four_bytes(bytes), weights[0]);
    const auto pairs = (Shorts32)(first + last);
    const Shorts32 ones{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const auto sums = (UnsignedInts32)WAVESCAN_X86(
        pmaddwd256(pairs, ones), _mm256_madd_epi16((__m256i)pairs, (__m256i)ones));
    return (type)((UnsignedInts32)entering + sums);
  }
  WAVESCAN_INLINE type add_words(type words, const std::uint8_t* bytes) {
    Chars16 side_by_side;
    std::memcpy(&side_by_side, bytes, sizeof side_by_side);
    const auto wide = (UnsignedShorts32)WAVESCAN_X86(pmovzxbw256(side_by_side),
                                                     _mm256_cvtepu8_epi16((__m128i)side_by_side));
    return (type)((UnsignedShorts32)words + wide);
  }
  WAVESCAN_INLINE type load_first(const std::uint32_t* p, int count) {
    const Ints32 first = first_lanes(count);
    return (type)WAVESCAN_X86(
        maskloadd256((const Ints32*)p, first),
        _mm256_maskload_epi32(reinterpret_cast<const int*>(p), (__m256i)first));
  }
  WAVESCAN_INLINE void store_first(std::uint32_t* p, type v, int count) {
    const Ints32 first = first_lanes(count);
    WAVESCAN_X86(maskstored256((Ints32*)p, first, (Ints32)v),
                 _mm256_maskstore_epi32(reinterpret_cast<int*>(p), (__m256i)first, (__m256i)v));
  }
  WAVESCAN_INLINE void with_zeros(const std::uint8_t* bytes, int count, std::uint8_t (&buffer)[8]) {
    std::uint64_t all = 0;
    std::memcpy(&all, bytes, static_cast<std::size_t>(count));
    std::memcpy(buffer, &all, sizeof all);
  }

 private:
  WAVESCAN_INLINE Ints32 all(int x) { return Ints32{x, x, x, x, x, x, x, x}; }
  WAVESCAN_INLINE Shorts32 sums_of_pairs(int four, type weights) {
    const Ints32 bytes = all(four);
    return (Shorts32)WAVESCAN_X86(pmaddubsw256((Chars32)bytes, (Chars32)weights),
                                  _mm256_maddubs_epi16((__m256i)bytes, (__m256i)weights));
  }
  WAVESCAN_INLINE Ints32 first_lanes(int count) {
    return (Ints32)(all(count) > Ints32{0, 1, 2, 3, 4, 5, 6, 7});
  }
};
#undef WAVESCAN_INLINE

#define WAVESCAN_INLINE WAVESCAN_AVX512VNNI_FUNCTION WAVESCAN_INLINED static
template <>
struct ByteIntrinsics<Avx512Vnni> {
  using vectors = Avx512;
  using type = Longs64;
  WAVESCAN_INLINE type prefix(const std::uint8_t* bytes, const type (&weights)[4], type entering) {
    WAVESCAN_UNROLL_RUNS
    for (int part = 0; part < 4; ++part) {
      const int x = four_bytes(bytes + 4 * part);
      const Ints64 all{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
      entering = (type)WAVESCAN_X86(
          vpdpbusd_v16si((Ints64)entering, all, (Ints64)weights[part]),
          _mm512_dpbusd_epi32((__m512i)entering, (__m512i)all, (__m512i)weights[part]));
    }
    return entering;
  }
  WAVESCAN_INLINE type add_words(type words, const std::uint8_t* bytes) {
    Chars32 side_by_side;
    std::memcpy(&side_by_side, bytes, sizeof side_by_side);
    const auto wide =
        (UnsignedShorts64)WAVESCAN_X86(pmovzxbw512_mask(side_by_side, (Shorts64{}), -1),
                                       _mm512_cvtepu8_epi16((__m256i)side_by_side));
    return (type)((UnsignedShorts64)words + wide);
  }
  WAVESCAN_INLINE type load_first(const std::uint32_t* p, int count) {
    return (type)WAVESCAN_X86(loaddqusi512_mask((const int*)p, (Ints64{}), first_lanes(count)),
                              _mm512_maskz_loadu_epi32(first_lanes(count), p));
  }
  WAVESCAN_INLINE void store_first(std::uint32_t* p, type v, int count) {
    WAVESCAN_X86(storedqusi512_mask((int*)p, (Ints64)v, first_lanes(count)),
                 _mm512_mask_storeu_epi32(p, first_lanes(count), (__m512i)v));
  }
  WAVESCAN_INLINE void with_zeros(const std::uint8_t* bytes, int count,
                                  std::uint8_t (&buffer)[16]) {
    const auto all = (Chars16)WAVESCAN_X86(
        loaddquqi128_mask((const char*)bytes, (Chars16{}), first_lanes(count)),
        _mm_maskz_loadu_epi8(first_lanes(count), bytes));
    std::memcpy(buffer, &all, sizeof all);
  }

 private:
  WAVESCAN_INLINE std::uint16_t first_lanes(int count) {
    return static_cast<std::uint16_t>((1u << count) - 1);
  }
};
#undef WAVESCAN_INLINE

}  // namespace wavescan::Impl

#define WAVESCAN_TARGET Avx2
#define WAVESCAN_TARGET_FUNCTION WAVESCAN_AVX2_FUNCTION
#include <impl/sat/host/WaveScan_HostByteTable.hpp>
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION
#define WAVESCAN_TARGET Avx512Vnni
#define WAVESCAN_TARGET_FUNCTION WAVESCAN_AVX512VNNI_FUNCTION
#include <impl/sat/host/WaveScan_HostByteTable.hpp>
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
  using intrinsics = ByteIntrinsics<WAVESCAN_TARGET>;
  using vector = TargetVector<intrinsics::vectors, std::uint32_t>;
  using words_vector = TargetVector<intrinsics::vectors, std::uint16_t>;
  using bits = intrinsics::type;
  static constexpr Index lanes = vector::lanes;

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
      bits sums = (bits)words_vector::load(words + j).v;
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
        sums = intrinsics::add_words(sums, rows.pixels + r * rows.pixels_a_row + j);
      words_vector{(words_vector::type)sums}.store(words + j);
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
      bits weights[lanes / 4];
      WAVESCAN_UNROLL_RUNS
      for (int part = 0; part < lanes / 4; ++part)
        std::memcpy(&weights[part], byte_weights<lanes>.ones[part], sizeof(bits));
      vector left[Rows];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) left[r] = vector::all(rows_.left[r]);
      Index j = 0;
      for (; j + lanes <= rows_.columns; j += lanes) {
        if (fetches_) fetch_below(j);
        vector entry = vector::load(above_ + j);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
          entry = entry + next(pixels(r, j), weights, left[r]);
          if constexpr (Streaming)
            entry.stream(entries(r, j));
          else
            entry.store(entries(r, j));
        }
        entry.store(below_ + j);
      }
      if (const int rest = static_cast<int>(rows_.columns - j); rest > 0) {
        vector entry{(vector::type)intrinsics::load_first(above_ + j, rest)};
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
          std::uint8_t bytes[lanes];
          intrinsics::with_zeros(pixels(r, j), rest, bytes);
          entry = entry + next(bytes, weights, left[r]);
          intrinsics::store_first(entries(r, j), (bits)entry.v, rest);
        }
        intrinsics::store_first(below_ + j, (bits)entry.v, rest);
      }
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) rows_.left[r] = left[r].first();
    }

   private:
    /// @brief The sums along a row up to each of the next columns; then `left` is the last one's.
    WAVESCAN_TARGET_INLINED static vector next(const std::uint8_t* bytes,
                                               const bits (&weights)[lanes / 4], vector& left) {
      const vector sums{(vector::type)intrinsics::prefix(bytes, weights, (bits)left.v)};
      left = sums.last();
      return sums;
    }
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
