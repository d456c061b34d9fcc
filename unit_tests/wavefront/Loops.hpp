// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_LOOPS_HPP
#define WAVESCAN_TEST_LOOPS_HPP

#include <WaveScan_Wavefront.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// @file
/// @brief Wavefront loops, each described for the library and beside it as `original`: the body of
/// the plain loop over i and j, where `a(i, j)` reads the array or what lies outside of it.

namespace wavescan::Test {

using I = std::int64_t;

/// @brief Algorithm 1 of Hou et al. with the value 2 outside the array.
template <class T>
struct Algorithm1 {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(0.5); }
  KOKKOS_FUNCTION T partial(I, I, T up, T, const auto&) const { return T(0.5) * up; }
  KOKKOS_FUNCTION T boundary(I, I) const { return T(2); }

  template <class A>
  auto original(const A& a, I i, I j) const {
    using S = typename A::value_type;
    return a(i, j - 1) * S(T(0.5)) + a(i - 1, j) * S(T(0.5));
  }
};

/// @brief SOR as in Hou et al., section VI: the mean of an entry and its four neighbours.
template <class T>
struct MeanOfFive {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(0.2); }
  KOKKOS_FUNCTION T partial(I i, I j, T up, T, const auto& old) const {
    return T(0.2) * (((up + old(i, j)) + old(i, j + 1)) + old(i + 1, j));
  }

  template <class A>
  auto original(const A& a, I i, I j) const {
    using S = typename A::value_type;
    return (a(i, j - 1) + a(i - 1, j) + a(i, j) + a(i, j + 1) + a(i + 1, j)) * S(T(0.2));
  }
};

/// @brief Reads all neighbours there are with different factors, modulo 2^32: an old value that is
/// taken for a new one, or a new one for an old one, is found out.
struct EveryNeighbour {
  using algebra_type = PlusTimes<std::uint32_t>;
  KOKKOS_FUNCTION std::uint32_t weight() const { return 3; }
  KOKKOS_FUNCTION std::uint32_t partial(I i, I j, std::uint32_t up, std::uint32_t up_left,
                                        const auto& old) const {
    return 5 * up + 7 * up_left + 11 * old(i, j) + 13 * old(i, j + 1) + 17 * old(i + 1, j) +
           19 * old(i + 1, j + 1) + static_cast<std::uint32_t>(23 * i + 29 * j);
  }

  template <class A>
  std::uint32_t original(const A& a, I i, I j) const {
    return 3 * a(i, j - 1) + 5 * a(i - 1, j) + 7 * a(i - 1, j - 1) + 11 * a(i, j) +
           13 * a(i, j + 1) + 17 * a(i + 1, j) + 19 * a(i + 1, j + 1) +
           static_cast<std::uint32_t>(23 * i + 29 * j);
  }
};

/// @brief The same with the upper right neighbour and the lower left one.
template <class T>
struct AllAround {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return 3; }
  KOKKOS_FUNCTION T partial(I i, I j, T up, T up_left, T up_right, const auto& old) const {
    return static_cast<T>(5 * up + 7 * up_left + 31 * up_right + 11 * old(i, j) +
                          13 * old(i, j + 1) + 17 * old(i + 1, j) + 19 * old(i + 1, j + 1) +
                          37 * old(i + 1, j - 1) + static_cast<T>(23 * i + 29 * j));
  }

  template <class A>
  T original(const A& a, I i, I j) const {
    return static_cast<T>(3 * a(i, j - 1) + 5 * a(i - 1, j) + 7 * a(i - 1, j - 1) +
                          31 * a(i - 1, j + 1) + 11 * a(i, j) + 13 * a(i, j + 1) +
                          17 * a(i + 1, j) + 19 * a(i + 1, j + 1) + 37 * a(i + 1, j - 1) +
                          static_cast<T>(23 * i + 29 * j));
  }
};

/// @brief All neighbours above, and a boundary and a weight for each entry.
struct AllAroundWithBoundary {
  using algebra_type = PlusTimes<std::uint32_t>;
  KOKKOS_FUNCTION std::uint32_t weight(I i, I j) const {
    return static_cast<std::uint32_t>(2654435761 * i + 40503 * j + 1);
  }
  KOKKOS_FUNCTION std::uint32_t partial(I i, I j, std::uint32_t up, std::uint32_t up_left,
                                        std::uint32_t up_right, const auto& old) const {
    return 5 * up + 7 * up_left + 11 * up_right + old(i, j);
  }
  KOKKOS_FUNCTION std::uint32_t boundary(I i, I j) const {
    return static_cast<std::uint32_t>(31 * i + 37 * j + 41);
  }

  template <class A>
  std::uint32_t original(const A& a, I i, I j) const {
    return a(i, j - 1) * weight(i, j) + 5 * a(i - 1, j) + 7 * a(i - 1, j - 1) +
           11 * a(i - 1, j + 1) + a(i, j);
  }
};

/// @brief The same kind of loop with an operator, no weight, and the array of another one as an
/// input.
struct AllAroundFromInput {
  using algebra_type = Plus<std::uint64_t>;
  using Values = Kokkos::Array<std::uint64_t, 2>;
  Grid<const std::uint64_t> terms;
  KOKKOS_FUNCTION Kokkos::Array<LoopInput<std::uint64_t>, 2> inputs() const {
    return {LoopInput<std::uint64_t>{terms, 0}, LoopInput<std::uint64_t>{{}, 5}};
  }
  KOKKOS_FUNCTION std::uint64_t partial(I, I, std::uint64_t up, std::uint64_t up_left,
                                        std::uint64_t up_right, const auto&,
                                        const Values& here) const {
    return here[1] * up + 7 * up_left + 11 * up_right + here[0];
  }
};

/// @brief Reads old values far ahead, at distances that only the device's memory knows, and through
/// the type Grid.
struct FarAhead {
  using algebra_type = PlusTimes<std::uint32_t>;
  I rows, columns;
  KOKKOS_FUNCTION std::uint32_t weight() const { return 3; }
  template <class Old>
  KOKKOS_FUNCTION std::uint32_t ahead(const Old& old, I i, I j) const {
    const I below = i + 1 < rows ? i + 1 : i;
    const auto column = [&](I distance) {
      return j + distance < columns ? j + distance : columns - 1;
    };
    return 11 * old(i, j) + 13 * old(i, column(1)) + 17 * old(i, column(5)) +
           19 * old(i, column(130)) + 23 * old(below, column(0)) + 29 * old(below, column(4)) +
           31 * old(below, column(1500));
  }
  KOKKOS_FUNCTION std::uint32_t partial(I i, I j, std::uint32_t up, std::uint32_t up_left,
                                        const Grid<std::uint32_t>& old) const {
    return 5 * up + 7 * up_left + ahead(old, i, j);
  }

  template <class A>
  std::uint32_t original(const A& a, I i, I j) const {
    return 3 * a(i, j - 1) + 5 * a(i - 1, j) + 7 * a(i - 1, j - 1) + ahead(a, i, j);
  }
};
/// @brief The same, whatever `old` is.
struct FarAheadInAnything : FarAhead {
  KOKKOS_FUNCTION std::uint32_t partial(I i, I j, std::uint32_t up, std::uint32_t up_left,
                                        const auto& old) const {
    return 5 * up + 7 * up_left + ahead(old, i, j);
  }
};

/// @brief The summed-area table of the array itself: an operator without weights.
template <class T>
struct SummedArea {
  using algebra_type = Plus<T>;
  KOKKOS_FUNCTION T partial(I i, I j, T up, T up_left, const auto& old) const {
    return wrapping_add(wrapping_add(old(i, j), up), wrapping_multiply(T(-1), up_left));
  }

  template <class A>
  T original(const A& a, I i, I j) const {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(U(a(i, j)) + U(a(i, j - 1)) + U(a(i - 1, j)) - U(a(i - 1, j - 1)));
  }
};

/// @brief Running maxima from the top left: an operator that is idempotent, without weights.
struct RunningMaximum {
  using algebra_type = Max<int>;
  KOKKOS_FUNCTION int partial(I i, I j, int up, int, const auto& old) const {
    const int x = old(i, j);
    return x < up ? up : x;
  }

  template <class A>
  int original(const A& a, I i, I j) const {
    return std::max({a(i, j), a(i, j - 1), a(i - 1, j)});
  }
};

/// @brief Smith-Waterman with a linear gap of 2, of two sequences that are computed on the fly.
struct LocalAlignment {
  using algebra_type = MaxPlus<int>;
  KOKKOS_FUNCTION static int score(I i, I j) {
    const I a = (i * i + 3 * i) % 7 % 4, b = (j * j + j) % 11 % 4;
    return a == b ? 3 : -2;
  }
  KOKKOS_FUNCTION int weight() const { return -2; }
  KOKKOS_FUNCTION int partial(I i, I j, int up, int up_left, const auto&) const {
    int best = up_left + score(i, j);
    if (best < up - 2) best = up - 2;
    return best < 0 ? 0 : best;
  }
  KOKKOS_FUNCTION int boundary(I, I) const { return 0; }

  template <class A>
  int original(const A& a, I i, I j) const {
    return std::max({0, a(i - 1, j - 1) + score(i, j), a(i - 1, j) - 2, a(i, j - 1) - 2});
  }
};

/// @brief A weight and a boundary for each entry.
struct EntryWeights {
  using algebra_type = PlusTimes<std::uint32_t>;
  KOKKOS_FUNCTION std::uint32_t weight(I i, I j) const {
    return static_cast<std::uint32_t>(2654435761 * i + 40503 * j + 1);
  }
  KOKKOS_FUNCTION std::uint32_t partial(I i, I j, std::uint32_t up, std::uint32_t up_left,
                                        const auto& old) const {
    return 5 * up + 7 * up_left + old(i, j);
  }
  KOKKOS_FUNCTION std::uint32_t boundary(I i, I j) const {
    return static_cast<std::uint32_t>(31 * i + 37 * j + 41);
  }

  template <class A>
  std::uint32_t original(const A& a, I i, I j) const {
    return a(i, j - 1) * weight(i, j) + 5 * a(i - 1, j) + 7 * a(i - 1, j - 1) + a(i, j);
  }
};

/// @brief An operator with a weight: the second case of theorem 1, where ∘ is ⋄.
struct AddedWeight {
  using algebra_type = Plus<std::uint32_t>;
  KOKKOS_FUNCTION std::uint32_t weight() const { return 1000; }
  KOKKOS_FUNCTION std::uint32_t partial(I i, I j, std::uint32_t up, std::uint32_t,
                                        const auto& old) const {
    return 3 * up + old(i, j);
  }
  KOKKOS_FUNCTION std::uint32_t boundary(I, I) const { return 5; }

  template <class A>
  std::uint32_t original(const A& a, I i, I j) const {
    return a(i, j - 1) + 1000 + 3 * a(i - 1, j) + a(i, j);
  }
};

/// @brief The value of the plain loop outside the array: the loop's boundary, or zero.
template <class S, class L>
S outside(const L& loop, I i, I j) {
  if constexpr (requires { loop.boundary(i, j); })
    return S(loop.boundary(i, j));
  else
    return S(0);
}
/// Zero is not the identity of a maximum.
template <>
inline int outside<int>(const RunningMaximum&, I, I) {
  return std::numeric_limits<int>::lowest();
}

}  // namespace wavescan::Test

#endif
