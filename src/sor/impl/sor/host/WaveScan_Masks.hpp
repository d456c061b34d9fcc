// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_MASKS_HPP
#define WAVESCAN_IMPL_SOR_HOST_MASKS_HPP

#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <cstddef>
#include <cstring>

/// @file
/// @brief Masks of fixed points with the type of their entries, for the host.

namespace wavescan::Impl::sor {

/// @brief The mask, if its entries are of this type.
template <class Word>
Grid<const Word> mask_of(const FixedPoints& fixed) {
  constexpr auto bytes = static_cast<Index>(sizeof(Word));
  const Grid<const unsigned char>& m = fixed.first_bytes;
  if (fixed.word != FixedPoints::word_of<Word>()) return {};
  return {reinterpret_cast<const Word*>(m.data), m.rows, m.columns, m.row_stride / bytes,
          m.column_stride / bytes};
}

/// @brief Calls use(mask); there is one.
template <class Use>
auto with_mask(const FixedPoints& fixed, const Use& use) {
  switch (fixed.word) {
    case FixedPoints::Word::Short:
      return use(mask_of<unsigned short>(fixed));
    case FixedPoints::Word::Int:
      return use(mask_of<unsigned int>(fixed));
    case FixedPoints::Word::Long:
      return use(mask_of<unsigned long>(fixed));
    case FixedPoints::Word::LongLong:
      return use(mask_of<unsigned long long>(fixed));
    default:
      return use(mask_of<unsigned char>(fixed));
  }
}

/// @brief The first column of [j, end) whose point is unknown, or `end`.
template <class Word>
Index next_unknown(const Grid<const Word>& mask, Index i, Index j, Index end) {
  if constexpr (sizeof(Word) == 1)
    if (mask.column_stride == 1 && j < end) {
      const Word* const row = &mask(i, 0);
      const void* const found = std::memchr(row + j, 0, static_cast<std::size_t>(end - j));
      return found ? static_cast<const Word*>(found) - row : end;
    }
  while (j < end && mask(i, j) != 0) ++j;
  return j;
}

/// @brief The first column of [j, end) whose point is fixed, or `end`.
template <class Word>
Index next_fixed(const Grid<const Word>& mask, Index i, Index j, Index end) {
  while (j < end && mask(i, j) == 0) ++j;
  return j;
}

}  // namespace wavescan::Impl::sor

#endif
