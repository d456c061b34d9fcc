// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_EXTENSION_HPP
#define WAVESCAN_IMPL_FILTER_EXTENSION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// @file
/// @brief Lines that are continued beyond their ends, and states in proportion to first samples.

namespace wavescan::Impl::filter {

/// @brief How a line is continued: the sample at `sign` * x[j] + `ends` * x[the end].
struct Continuation {
  int sign, ends;
  bool mirrors;  ///< j is as far from the end as the new sample is; else it is the end
};

/// @brief Lines of `length` samples with `padding` more at both ends.
struct Extension {
  Index lines, length, padding = 0;
  Continuation continuation{};

  /// @param fallback padding where the options name none
  template <class Options>
  Extension(std::string_view operation, Index all_lines, Index samples, const Options& options,
            Index fallback)
      : lines(all_lines), length(samples) {
    using Kind = decltype(options.padding());
    require(options.length() >= -1, operation, "length", "must not be negative", options.length());
    if (options.padding() == Kind::None) return;
    continuation = options.padding() == Kind::Odd    ? Continuation{-1, 2, true}
                   : options.padding() == Kind::Even ? Continuation{1, 0, true}
                                                     : Continuation{0, 1, false};
    padding = options.length() >= 0 ? options.length() : fallback;
    require(lines == 0 || padding < length, operation, "x",
            "must have lines of more samples than they are continued by (" +
                std::to_string(padding) + ")",
            length);
  }

  KOKKOS_FUNCTION Index extended() const { return length + 2 * padding; }

  /// @brief Samples from one extended line to the next, which begin at 16-byte boundaries.
  Index padded() const { return ceil_div(extended(), 4) * 4; }
  template <class Rows>
  auto used(const Rows& rows) const {
    return Kokkos::subview(rows, Kokkos::ALL, std::pair<Index, Index>(0, extended()));
  }
};

/// @brief The copy of lines to rows with continuations, as a kernel.
template <class T>
struct Extend {
  Extension extension;
  Lines<const T> in;
  Lines<T> rows;
  KOKKOS_FUNCTION void operator()(Index line, Index i) const {
    const Index j = i - extension.padding, last = extension.length - 1;
    if (j >= 0 && j <= last) {
      rows(line, i) = in(line, j);
    } else {
      using Real = typename RealOf<T>::type;
      const Continuation& c = extension.continuation;
      const T end = in(line, j < 0 ? 0 : last);
      const T inside = c.mirrors ? in(line, j < 0 ? -j : 2 * last - j) : end;
      rows(line, i) = Real(c.sign) * inside + Real(c.ends) * end;
    }
  }
};

/// @brief Turns rows round in place, as a kernel for half of each row's samples.
template <class T>
struct Turn {
  Extension extension;
  Lines<T> rows;
  KOKKOS_FUNCTION void operator()(Index line, Index i) const {
    Kokkos::kokkos_swap(rows(line, i), rows(line, extension.extended() - 1 - i));
  }
};

/// @brief The copy of what is not continuation, as a kernel.
template <class T>
struct Take {
  Extension extension;
  Lines<const T> rows;
  Lines<T> out;
  bool turned;  ///< whether the rows are
  KOKKOS_FUNCTION void operator()(Index line, Index j) const {
    out(line, j) = rows(line, extension.padding + (turned ? extension.length - 1 - j : j));
  }
};

template <ExecutionSpace Exec, class Kernel>
void enqueue_each(const Exec& exec, const char* name, Index items, const Kernel& kernel) {
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, items),
                       kernel);
}

/// @brief Calls kernel(line, sample) for chunks of lines: on devices for a few samples of a chunk,
/// which threads side by side have side by side, so that several loads are under way at once and
/// divisions are few.
template <class Kernel, bool OnHost>
struct InChunks {
  static constexpr Index chunk = 1024, side_by_side = OnHost ? 1 : 256;
  Kernel kernel;
  Index lines, length;

  Index items() const { return lines * ceil_div(length, chunk) * side_by_side; }
  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index all = item / side_by_side, of_line = ceil_div(length, chunk);
    const Index line = lines == 1 ? 0 : all / of_line;
    const Index begin = (all - line * of_line) * chunk + item % side_by_side;
    for (Index k = 0; k < chunk; k += side_by_side)
      if (begin + k < length) kernel(line, begin + k);
  }
};
template <ExecutionSpace Exec, class Kernel>
void enqueue_samples(const Exec& exec, const char* name, Index lines, Index length,
                     const Kernel& kernel) {
  const InChunks<Kernel, runs_on_host<Exec>> chunks{kernel, lines, length};
  enqueue_each(exec, name, chunks.items(), chunks);
}

/// @brief States in proportion to a sample of each line, as a kernel: state i of section s becomes
/// factor * of_one[s * values + i] * x, where of_one may be null for ones. Zero times any x is
/// zero.
template <class T>
struct ScaleStates {
  const T* of_one;
  typename RealOf<T>::type factor;
  Lines<const T> samples;  ///< element 0 of each line
  Index lines, values;
  T* states;  ///< (section, line, value)
  KOKKOS_FUNCTION void operator()(Index place) const {
    const Index value = place % values, line = place / values % lines;
    const Index section = place / values / lines;
    const T one = of_one == nullptr ? T(1) : of_one[section * values + value];
    states[place] = one == T(0) ? one : factor * one * samples(line, 0);
  }
};

}  // namespace wavescan::Impl::filter

#endif
