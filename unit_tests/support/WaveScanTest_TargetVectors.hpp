// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// The operations of TargetVector, from memory to memory.
#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_TEST_TARGETVECTORS_HPP
#define WAVESCAN_TEST_TARGETVECTORS_HPP

#include <concepts>
#include <impl/WaveScan_TargetVector.hpp>

namespace wavescan::Impl {

/// @brief Each takes pointers to as many numbers as a vector has lanes.
template <class Target, class T>
struct VectorOperations;

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <WaveScanTest_TargetVectors.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class T>
struct VectorOperations<WAVESCAN_TARGET, T> {
  using V = TargetVector<WAVESCAN_TARGET, T>;
  static constexpr int lanes = V::lanes;
  static constexpr bool fuses = V::fuses;

#define WAVESCAN_OPERATION(NAME, RESULT)                                         \
  WAVESCAN_TARGET_FUNCTION static void NAME([[maybe_unused]] const T* p,         \
                                            [[maybe_unused]] const T* q,         \
                                            [[maybe_unused]] const T* r, T* y) { \
    [[maybe_unused]] const V a = V::load(p), b = V::load(q), c = V::load(r);     \
    (RESULT).store(y);                                                           \
  }
  WAVESCAN_OPERATION(add, a + b)
  WAVESCAN_OPERATION(subtract, a - b)
  WAVESCAN_OPERATION(multiply, a* b)
  WAVESCAN_OPERATION(maximum, max(a, b))
  WAVESCAN_OPERATION(minimum, min(a, b))
  WAVESCAN_OPERATION(select_less, V::select(a < b, c, a))
  WAVESCAN_OPERATION(all, V::all(*p))
  WAVESCAN_OPERATION(last, a.last())
  WAVESCAN_OPERATION(following, a.following(b))
  WAVESCAN_OPERATION(preceding, a.preceding(b))
  WAVESCAN_OPERATION(first, V::all(a.first()))
  template <int Distance>
  WAVESCAN_OPERATION(shifted, a.template shifted<Distance>(*q))
  WAVESCAN_OPERATION(zeros, select_zero(a, b, c)) WAVESCAN_OPERATION(marked, select_marked(a, b, c))
      // Of floating-point numbers.
      WAVESCAN_OPERATION(divide, a / b) WAVESCAN_OPERATION(magnitude, a.magnitude())
      // Of vectors that fuse.
      WAVESCAN_OPERATION(multiply_add, V::multiply_add(a, b, c))
          WAVESCAN_OPERATION(largest, larger(a, b)) WAVESCAN_OPERATION(rotated, a.rotated())
              WAVESCAN_OPERATION(with_first, a.with_first(q))
#undef WAVESCAN_OPERATION

                  WAVESCAN_TARGET_FUNCTION static void store_first(const T* p, T* y) {
    V::load(p).store_first(y);
  }
  static constexpr bool looks_up = V::looks_up;
  WAVESCAN_TARGET_FUNCTION static void look_up(const T* table, const T* p, const T* q, T* y) {
    if constexpr (looks_up) V::looked_up(V::load(table), V::load(p), V::load(q)).store(y);
  }
  WAVESCAN_TARGET_FUNCTION static void stream(const T* p, T* y) { V::load(p).stream(y); }
  WAVESCAN_TARGET_FUNCTION static void between(Index first, Index last, const T* p, const T* q,
                                               T* y) {
    V::select(V::between(first, last), V::load(p), V::load(q)).store(y);
  }
  WAVESCAN_TARGET_FUNCTION static void widen(const T* p, double* y) {
    for (int part = 0; part < widened_parts<WAVESCAN_TARGET, T>; ++part)
      widened(V::load(p), part).store(y + part * TargetVector<WAVESCAN_TARGET, double>::lanes);
  }
  WAVESCAN_TARGET_FUNCTION static void transpose(T* square) {
    V rows[lanes];
    for (int i = 0; i < lanes; ++i) rows[i] = V::load(square + i * lanes);
    V::transpose(rows);
    for (int i = 0; i < lanes; ++i) rows[i].store(square + i * lanes);
  }
};

}  // namespace wavescan::Impl

#endif
