// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_LETTERCODES_HPP
#define WAVESCAN_IMPL_ALIGN_LETTERCODES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Sequences and substitution as the kernels want them: small codes and a table of scores.
///
/// The substitution is asked once for each pair of letters that occur. So the kernels do not depend
/// on its type, its exact maximum is known, and the limits on scores can be checked.

namespace wavescan::Impl {

/// @brief Letters anywhere in memory, one `stride` apart.
struct LetterSequence {
  const char* data = nullptr;
  Index stride = 1;
  Index length = 0;
  KOKKOS_FORCEINLINE_FUNCTION char operator()(Index k) const { return data[k * stride]; }
};

template <ViewOfRank<1> V>
LetterSequence letter_sequence(const V& view) {
  return {view.data(), static_cast<Index>(view.stride(0)), static_cast<Index>(view.extent(0))};
}

/// @brief A set of the 256 possible letters.
struct LetterSet {
  std::uint64_t words[4] = {0, 0, 0, 0};
  KOKKOS_FUNCTION void insert(char letter) {
    const auto c = static_cast<unsigned char>(letter);
    const std::uint64_t bit = std::uint64_t(1) << (c % 64);
    for (int w = 0; w < 4; ++w) words[w] |= c / 64 == w ? bit : 0;  // they stay in registers
  }
  KOKKOS_FUNCTION void insert(const LetterSet& other) {
    for (int w = 0; w < 4; ++w) words[w] |= other.words[w];
  }
  bool contains(int letter) const { return (words[letter / 64] >> (letter % 64)) & 1; }
};

/// @brief Reduction: the letters that occur in a sequence, 16 at once.
struct OccurringLetters {
  using value_type = LetterSet;
  LetterSequence sequence;
  static constexpr Index at_once = 16;

  KOKKOS_FUNCTION void operator()(const Index k, LetterSet& set) const {
    struct alignas(at_once) Words {
      std::uint64_t word[2];
    };
    const Index begin = k * at_once, left = sequence.length - begin;
    const char* const letters = sequence.data + begin;
    if (left >= at_once && sequence.stride == 1 &&
        reinterpret_cast<std::uintptr_t>(letters) % at_once == 0) {
      const Words words = *reinterpret_cast<const Words*>(letters);
      insert(words.word[0], set);
      insert(words.word[1], set);
    } else {
      for (Index i = 0; i < (left < at_once ? left : at_once); ++i) set.insert(sequence(begin + i));
    }
  }
  /// @brief Eight letters; Latin ones all go to the same word, capitals to its lower half.
  static KOKKOS_FUNCTION void insert(std::uint64_t eight, LetterSet& set) {
    constexpr std::uint64_t each = 0x0101010101010101;
    if ((eight & 0xe0 * each) == 0x40 * each) {
      const auto low = static_cast<std::uint32_t>(eight),
                 high = static_cast<std::uint32_t>(eight >> 32);
      std::uint32_t found = 0;
      for (int i = 0; i < 32; i += 8)
        found |= std::uint32_t(1) << (low >> i & 31) | std::uint32_t(1) << (high >> i & 31);
      set.words[1] |= found;
    } else if ((eight & 0xc0 * each) == 0x40 * each) {
      for (int i = 0; i < 64; i += 8) set.words[1] |= std::uint64_t(1) << (eight >> i & 63);
    } else {
      for (int i = 0; i < 64; i += 8) set.insert(static_cast<char>(eight >> i & 255));
    }
  }
  KOKKOS_FUNCTION void init(LetterSet& set) const { set = LetterSet{}; }
  KOKKOS_FUNCTION void join(LetterSet& into, const LetterSet& from) const { into.insert(from); }
};

/// @brief The letters that occur, in order, and the number of each in that order.
struct Alphabet {
  int size = 0;
  char letters[256] = {};
  std::uint8_t codes[256] = {};
  std::uint8_t first_match[256] = {};  ///< of each number, the first one whose letter matches
};

inline Alphabet alphabet_of(const LetterSet& letters) {
  Alphabet alphabet;
  for (int c = 0; c < 256; ++c) {
    if (!letters.contains(c)) continue;
    alphabet.codes[c] = alphabet.first_match[alphabet.size] =
        static_cast<std::uint8_t>(alphabet.size);
    alphabet.letters[alphabet.size++] = static_cast<char>(c);
  }
  return alphabet;
}

/// @brief The alphabet of both sequences together. Waits for `exec`.
template <ExecutionSpace Exec>
Alphabet common_alphabet(const Exec& exec, const LetterSequence& a, const LetterSequence& b) {
  LetterSet all;
  for (const LetterSequence& sequence : {a, b}) {
    LetterSet found;
    Kokkos::parallel_reduce("WaveScan::align::letters",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(
                                exec, 0, ceil_div(sequence.length, OccurringLetters::at_once)),
                            OccurringLetters{sequence}, found);
    all.insert(found);
  }
  return alphabet_of(all);
}

/// @brief Replaces letters by their codes.
struct EncodeLetters {
  LetterSequence sequence;
  Alphabet alphabet;
  std::uint8_t* out;
  KOKKOS_FUNCTION void operator()(const Index k) const {
    out[k] = alphabet.codes[static_cast<unsigned char>(sequence(k))];
  }
};

/// @brief Asks the substitution for the score of every pair of letters.
template <class Substitution>
struct TabulateScores {
  Substitution substitution;
  Alphabet alphabet;
  Index* out;
  KOKKOS_FUNCTION void operator()(const Index pair) const {
    out[pair] = static_cast<Index>(substitution(alphabet.letters[pair / alphabet.size],
                                                alphabet.letters[pair % alphabet.size]));
  }
};

/// @brief The scores of all pairs of letters, row-major: (letter of a, letter of b). Waits for
/// `exec`.
template <ExecutionSpace Exec, class Substitution>
std::vector<Index> tabulate(const Exec& exec, const Alphabet& alphabet,
                            const Substitution& substitution) {
  const Index pairs = Index(alphabet.size) * alphabet.size;
  CallMemory<Exec> memory(exec);
  const auto scores = memory.template take<Index>(pairs);
  enqueue_items(exec, "WaveScan::align::tabulate", pairs, 4e-9,
                TabulateScores<Substitution>{substitution, alphabet, scores.data()});
  return values_on_host(exec, scores);
}

/// @brief The largest score of a table, but at least 0.
inline Index largest_score(const std::vector<Index>& scores) {
  Index largest = 0;
  for (const Index score : scores) largest = std::max(largest, score);
  return largest;
}

/// @brief The largest score and the largest gap penalty that the kernels can count with.
inline constexpr Index score_limit = Index(1) << 23;

/// @brief A gap penalty that leaves all results as they are, though it may be much smaller: no
/// alignment can afford more than `attainable`, the score of a perfect alignment.
inline Index affordable_gap(Index penalty, Index attainable) {
  return std::min(penalty, attainable + 1);
}

/// @brief Enqueues the letters' codes.
template <ExecutionSpace Exec>
auto encode(CallMemory<Exec>& memory, const LetterSequence& sequence, const Alphabet& alphabet) {
  const auto codes = memory.template take<std::uint8_t>(sequence.length);
  enqueue_items(memory.exec(), "WaveScan::align::encode", sequence.length, 1e-9,
                EncodeLetters{sequence, alphabet, codes.data()});
  return codes;
}

}  // namespace wavescan::Impl

#endif
