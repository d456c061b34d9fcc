// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WINDOW_FILTER_WINDOWFILTER_HPP
#define WAVESCAN_IMPL_WINDOW_FILTER_WINDOWFILTER_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Rectangle.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SaturatingConversion.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

/// @file
/// @brief Formulas of filters, of a pixel and of the sums over the window around it, and the loop
/// of a thread over some pixels of a column.

namespace wavescan::Impl::window_filter {

/// @brief A pixel, and the sums of the pixels and of their squares in its window.
struct WindowValues {
  double pixel = 0;
  double sum = 0;
  double squares = 0;
};

/// @brief The number of pixels in a window.
struct PixelCount {
  double value;
  KOKKOS_FORCEINLINE_FUNCTION double divide(double x) const { return x / value; }
};

/// @brief The number of pixels in many windows, to divide sums of integers by; where fused
/// multiply-adds are slow, it takes long.
///
/// The same quotients as those of a division, at a fraction of its time: a product with the
/// reciprocal is off by less than two units in the last place, and so is exact the remainder that
/// corrects it. What is left is an error of 2^-50 units, and no quotient by an integer below 2^50
/// is as close as that to where rounding changes its mind.
struct PixelCountOfMany {
  double value;
  double reciprocal = 1 / value;
  KOKKOS_FORCEINLINE_FUNCTION double divide(double x) const {
    const double quotient = x * reciprocal;
    return Kokkos::fma(Kokkos::fma(-quotient, value, x), reciprocal, quotient);
  }
};

struct MeanOfWindow {
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    return count.divide(w.sum);
  }
};

struct VarianceOfWindow {
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    const double mean = count.divide(w.sum);
    const double variance = count.divide(w.squares) - mean * mean;
    return variance > 0 ? variance : 0;
  }
};

/// @brief 255, or the largest number of the type.
template <class Out>
inline constexpr Out white = 255;
template <class Out>
  requires(std::integral<Out>&& std::numeric_limits<Out>::digits < 8)
inline constexpr Out white<Out> = std::numeric_limits<Out>::max();

struct BradleyThreshold {
  double share;  ///< of the mean
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION bool is_white(const WindowValues& w, const Count& count) const {
    return !(w.pixel * count.value < share * w.sum);
  }
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    return is_white(w, count) ? 255 : 0;
  }
};

struct SauvolaThreshold {
  double k;
  double range;
  /// pixel > mean * (1 + k * (deviation / range - 1)), with the deviation alone on one side and
  /// both sides squared under their signs, which spares the square root.
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION bool is_white(const WindowValues& w, const Count& count) const {
    const double mean = count.divide(w.sum);
    const double excess = w.pixel - mean * (1 - k);
    const double slope = mean * (k / range);
    const double variance = VarianceOfWindow{}(w, count);
    return excess * Kokkos::abs(excess) > slope * Kokkos::abs(slope) * variance;
  }
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    return is_white(w, count) ? 255 : 0;
  }
};

/// @brief Formulas that decide by is_white whether a pixel becomes white or black.
template <class Formula>
inline constexpr bool is_threshold = false;
template <>
inline constexpr bool is_threshold<BradleyThreshold> = true;
template <>
inline constexpr bool is_threshold<SauvolaThreshold> = true;

/// @brief Stands for what a filter does not look at.
struct Unused {};

/// @brief The rows, or the columns, of the window around a pixel: those after `before` up to
/// `last`.
/// @tparam I type of indices
template <class I = Index>
struct WindowSpan {
  I before;  ///< -1: all from the first on
  I last;

  KOKKOS_FORCEINLINE_FUNCTION WindowSpan(I center, I radius, I length)
      : before(center > radius ? center - radius - 1 : -1),
        last(center < length - radius ? center + radius : length - 1) {}
  KOKKOS_FORCEINLINE_FUNCTION I length() const { return last - before; }
};

/// @brief A filter: out = formula(pixel, sums over the window around it).
///
/// All of its arrays have the same extents; their rows and columns may be exchanged (`transposed`),
/// since windows are squares.
template <class Formula, class Pixel, class T, class S, class Out>
struct WindowFilter {
  static constexpr bool has_image = !std::same_as<Pixel, Unused>;
  static constexpr bool has_squares = !std::same_as<S, Unused>;
  using pixel_type = Pixel;
  using sum_type = T;
  using square_type = S;
  using out_type = Out;

  Formula formula;
  Index radius;
  Grid<const Pixel> image;
  Grid<const T> table;
  Grid<const S> squares;
  Grid<Out> out;
};

template <class Formula, class Pixel, class T, class S, class Out>
WindowFilter(const Formula&, Index, const Grid<const Pixel>&, const Grid<const T>&,
             const Grid<const S>&, const Grid<Out>&) -> WindowFilter<Formula, Pixel, T, S, Out>;

template <class... Types>
WindowFilter<Types...> transposed(const WindowFilter<Types...>& f) {
  return {
      f.formula,        f.radius, transposed(f.image), transposed(f.table), transposed(f.squares),
      transposed(f.out)};
}

/// @brief The entries of a table at the corners of windows in one column.
template <class T, class I>
class WindowColumn {
 public:
  KOKKOS_FORCEINLINE_FUNCTION WindowColumn(const Grid<const T>& table, const WindowSpan<I>& columns)
      : right_(&table(0, columns.last)),
        left_(columns.before >= 0 ? &table(0, columns.before) : nullptr),
        stride_(static_cast<I>(table.row_stride)) {}

  KOKKOS_FORCEINLINE_FUNCTION T sum(const WindowSpan<I>& rows) const {
    const I below = rows.last * stride_, above = rows.before * stride_;
    const bool has_above = rows.before >= 0, has_left = left_ != nullptr;
    return sum_from_corners(right_[below], has_above ? right_[above] : T(0),
                            has_left ? left_[below] : T(0),
                            has_above && has_left ? left_[above] : T(0));
  }
  /// @brief The sum between two rows of a window that is not clipped above or at the left.
  KOKKOS_FORCEINLINE_FUNCTION T sum_between(I before, I last) const {
    const I below = last * stride_, above = before * stride_;
    return sum_from_corners(right_[below], right_[above], left_[below], left_[above]);
  }

 private:
  const T* right_;
  const T* left_;  ///< none: the windows begin with the first column
  I stride_;
};
/// @brief Stands for arrays that are not used: their sums are zero.
template <class I>
struct WindowColumn<Unused, I> {
  KOKKOS_FORCEINLINE_FUNCTION WindowColumn(const Grid<const Unused>&, const WindowSpan<I>&) {}
  KOKKOS_FORCEINLINE_FUNCTION double sum(const WindowSpan<I>&) const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION double sum_between(I, I) const { return 0; }
};

/// @brief Some rows of a column of a filter, for each thread: neighbours work on neighbouring
/// columns.
/// @tparam Filter a WindowFilter
/// @tparam Count  PixelCount, or PixelCountOfMany where that is faster
/// @tparam I      type of indices; on devices, 32 bits take half the time of 64
template <class Filter, class Count, class I>
struct ColumnsOfFilter {
  static constexpr int some = 8;
  Filter f;

  KOKKOS_FUNCTION void operator()(const I k) const {
    const auto radius = static_cast<I>(f.radius), rows = static_cast<I>(f.out.rows);
    const auto columns = static_cast<I>(f.out.columns);
    const I j = k % columns, first = k / columns * I(some);
    const WindowSpan<I> span(j, radius, columns);
    const Sums sums(f.table, span);
    const Squares squares(f.squares, span);
    if (span.before >= 0 && first > radius && first + I(some) <= rows - radius) {
      const Count count{static_cast<double>((2 * radius + 1) * span.length())};
      for (int n = 0; n < some; n += at_once)
        run_inside(first + I(n), j, radius, count, sums, squares);
      return;
    }
    const I end = rows - first < I(some) ? rows : first + I(some);
    Count count{0};
    for (I i = first; i < end; ++i) {
      const WindowSpan<I> window_rows(i, radius, rows);
      const auto pixels = static_cast<double>(window_rows.length() * span.length());
      if (pixels != count.value) count = Count{pixels};
      f.out(i, j) = output(sums.sum(window_rows), squares.sum(window_rows), pixel_at(i, j), count);
    }
  }
  Index count() const { return ceil_div(f.out.rows, Index(some)) * f.out.columns; }

 private:
  static constexpr int at_once = 4;  ///< rows whose loads are under way together
  using Sums = WindowColumn<typename Filter::sum_type, I>;
  using Squares = WindowColumn<typename Filter::square_type, I>;
  using Out = typename Filter::out_type;

  /// @brief Rows whose windows are clipped at most at the right.
  KOKKOS_FORCEINLINE_FUNCTION void run_inside(I i, I j, I radius, const Count& count,
                                              const Sums& sums, const Squares& squares) const {
    decltype(sums.sum_between(i, i)) of_pixels[at_once];
    decltype(squares.sum_between(i, i)) of_squares[at_once];
    decltype(pixel_at(i, j)) pixels[at_once];
    for (int n = 0; n < at_once; ++n) {
      const I before = i + I(n) - radius - 1, last = i + I(n) + radius;
      of_pixels[n] = sums.sum_between(before, last);
      of_squares[n] = squares.sum_between(before, last);
      pixels[n] = pixel_at(i + I(n), j);
    }
    for (int n = 0; n < at_once; ++n)
      f.out(i + I(n), j) = output(of_pixels[n], of_squares[n], pixels[n], count);
  }

  KOKKOS_FORCEINLINE_FUNCTION auto pixel_at(I i, I j) const {
    if constexpr (Filter::has_image)
      return f.image(i, j);
    else
      return 0;
  }
  template <class Sum, class Square, class Pixel>
  KOKKOS_FORCEINLINE_FUNCTION Out output(const Sum& sum, const Square& square, const Pixel& pixel,
                                         const Count& count) const {
    const WindowValues w{static_cast<double>(pixel), static_cast<double>(sum),
                         static_cast<double>(square)};
    if constexpr (is_threshold<decltype(f.formula)>)
      return f.formula.is_white(w, count) ? white<Out> : Out(0);
    else
      return rounded_to<Out>(f.formula(w, count));
  }
};

/// @brief Whether 32 bits suffice for the indices of all that a filter reads and writes.
template <class Filter>
bool indices_fit_32_bits(const Filter& f) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  const auto fits = [](const auto& grid) { return grid.rows * grid.row_stride <= most; };
  return f.out.rows <= most && f.out.columns <= most && f.out.rows * f.out.columns <= most &&
         fits(f.table) && fits(f.squares);
}

}  // namespace wavescan::Impl::window_filter

#endif
