// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_PROBLEMS_HPP
#define WAVESCAN_PERF_PROBLEMS_HPP

#include <WaveScan_Wavefront.hpp>
#include <cstddef>
#include <cstdint>
#include <support/WaveScanPerf_Arrays.hpp>

/// @file
/// @brief The wavefront loops of Hou et al. that all programs are compared on.
///
/// Beside what WavefrontLoop asks for, a loop here says what it is called, which entries of an
/// array it computes, and whether it reads old values at all. It may have a type `Data` for what it
/// points to.

namespace wavescan::Perf {

/// @brief Algorithm 1: the mean of the left and the upper neighbour.
struct Algorithm1 {
  using algebra_type = PlusTimes<float>;
  static constexpr const char* name = "algorithm1";
  static constexpr bool reads_old = false;
  static IndexRange range(std::int64_t m, std::int64_t n) { return {0, m, 0, n}; }

  KOKKOS_FUNCTION float weight() const { return 0.5f; }
  KOKKOS_FUNCTION float partial(std::int64_t, std::int64_t, float up, float, const auto&) const {
    return 0.5f * up;
  }
  KOKKOS_FUNCTION float boundary(std::int64_t i, std::int64_t j) const {
    return static_cast<float>((i + j) & 7);
  }
};

/// @brief SOR: the mean of an entry and its four neighbours. The array's edge keeps its values.
struct MeanOfFive {
  using algebra_type = PlusTimes<float>;
  static constexpr const char* name = "sor";
  static constexpr bool reads_old = true;
  static IndexRange range(std::int64_t m, std::int64_t n) { return {1, m - 1, 1, n - 1}; }

  KOKKOS_FUNCTION float weight() const { return 0.2f; }
  KOKKOS_FUNCTION float partial(std::int64_t i, std::int64_t j, float up, float,
                                const auto& old) const {
    return 0.2f * (((up + old(i, j)) + old(i, j + 1)) + old(i + 1, j));
  }
};

/// @brief Takes the letters of a string from an alphabet of four.
template <class String>
struct FourLetters {
  String string;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    string(k) = static_cast<std::int8_t>(string(k) & 3);
  }
};

/// @brief Smith-Waterman with a linear gap, of two random strings.
struct LocalAlignment {
  using algebra_type = MaxPlus<std::int32_t>;
  static constexpr const char* name = "smith_waterman";
  static constexpr bool reads_old = false;
  static constexpr std::int32_t gap = 2, match = 2, mismatch = -1;
  static IndexRange range(std::int64_t m, std::int64_t n) { return {0, m, 0, n}; }

  const std::int8_t* a;
  const std::int8_t* b;

  KOKKOS_FUNCTION std::int32_t weight() const { return -gap; }
  KOKKOS_FUNCTION std::int32_t partial(std::int64_t i, std::int64_t j, std::int32_t up,
                                       std::int32_t up_left, const auto&) const {
    const std::int32_t aligned = up_left + (a[i] == b[j] ? match : mismatch);
    const std::int32_t skipped = up - gap;
    const std::int32_t best = aligned < skipped ? skipped : aligned;
    return best < 0 ? 0 : best;
  }
  KOKKOS_FUNCTION std::int32_t boundary(std::int64_t, std::int64_t) const { return 0; }

  template <class Exec>
  struct Data {
    using String = Kokkos::View<std::int8_t*, typename Exec::memory_space>;
    String a, b;

    Data(const Exec& exec, std::int64_t m, std::int64_t n)
        : a(random_array<std::int8_t>(exec, m, 5)), b(random_array<std::int8_t>(exec, n, 6)) {
      for (const String& string : {a, b})
        Kokkos::parallel_for("four_letters", Kokkos::RangePolicy<Exec>(exec, 0, string.size()),
                             FourLetters<String>{string});
    }
    LocalAlignment loop() const { return {a.data(), b.data()}; }
  };
};

/// @brief The summed-area table, in place.
struct SummedArea {
  using algebra_type = Plus<std::uint32_t>;
  static constexpr const char* name = "summed_area";
  static constexpr bool reads_old = true;
  static IndexRange range(std::int64_t m, std::int64_t n) { return {0, m, 0, n}; }

  KOKKOS_FUNCTION std::uint32_t partial(std::int64_t i, std::int64_t j, std::uint32_t up,
                                        std::uint32_t up_left, const auto& old) const {
    return old(i, j) + up - up_left;
  }
};

/// @brief The data of loops that point to none.
template <class L>
struct NoData {
  template <class Exec>
  NoData(const Exec&, std::int64_t, std::int64_t) {}
  L loop() const { return {}; }
};

template <class L, class Exec>
struct DataOf {
  using type = NoData<L>;
};
template <class L, class Exec>
  requires requires { typename L::template Data<Exec>; }
struct DataOf<L, Exec> {
  using type = typename L::template Data<Exec>;
};

/// @brief A loop on an array of random values.
template <class Exec, class L>
class Case {
 public:
  using value_type = Impl::LoopValue<L>;
  using problem_type = Impl::WavefrontProblem<L>;
  using Matrix = Kokkos::View<value_type**, Kokkos::LayoutRight, typename Exec::memory_space>;

  Case(const Exec& exec, std::int64_t m, std::int64_t n)
      : data_(exec, m, n),
        array_(Kokkos::view_alloc(exec, "array", Kokkos::WithoutInitializing),
               static_cast<std::size_t>(m), static_cast<std::size_t>(n)),
        range_(L::range(m, n)) {
    restart(exec);
  }

  /// @brief Gives the array the values that it begins with.
  void restart(const Exec& exec) const {
    using Space = typename Exec::memory_space;
    const Kokkos::View<value_type*, Space> all(array_.data(), array_.size());
    Kokkos::parallel_for("random",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(all.size())),
                         FillRandom<value_type, Space>{all, 1});
  }

  L loop() const { return data_.loop(); }
  const Matrix& array() const { return array_; }
  const IndexRange& range() const { return range_; }

  /// @brief What the baselines are given, and what the library's schedules work on.
  problem_type problem() const {
    return {loop(),
            Impl::row_recurrence(loop()),
            grid_of(array_),
            {range_.row_begin, range_.row_end, range_.column_begin, range_.column_end}};
  }

 private:
  typename DataOf<L, Exec>::type data_;
  Matrix array_;
  IndexRange range_;
};

}  // namespace wavescan::Perf

#endif
