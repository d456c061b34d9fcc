// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_EXTENSION_HPP
#define WAVESCAN_IMPL_FILTER_EXTENSION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <string>
#include <string_view>

/// @file
/// @brief Lines that are continued beyond their ends, and states in proportion to first samples.

namespace wavescan::Impl::filter {

/// @brief A continuation of a line: the sample at `sign` * x[j] + `ends` * x[the end].
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
    using Kind = decltype(options.padding);
    require(options.length >= -1, operation, "length", "must not be negative", options.length);
    if (options.padding == Kind::None) return;
    continuation = options.padding == Kind::Odd    ? Continuation{-1, 2, true}
                   : options.padding == Kind::Even ? Continuation{1, 0, true}
                                                   : Continuation{0, 1, false};
    padding = options.length >= 0 ? options.length : fallback;
    require(lines == 0 || padding < length, operation, "x",
            "must have lines of more samples than they are continued by (" +
                std::to_string(padding) + ")",
            length);
  }

  /// @brief Samples from one of a plan's own lines to the next, which begin at 16-byte boundaries.
  static Index pitch(Index samples) { return ceil_div(samples, 4) * 4; }
};

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
    set(place / values / lines, line, value, samples(line, 0));
  }
  KOKKOS_FUNCTION void set(Index section, Index line, Index value, const T& sample) const {
    const T one = of_one == nullptr ? T(1) : of_one[section * values + value];
    states[(section * lines + line) * values + value] = one == T(0) ? one : factor * one * sample;
  }
};

/// @brief Finds what lines are continued by, before and after them, as a kernel for each of these
/// samples, and the states in which lines begin.
template <class T>
struct Continue {
  Extension extension;
  Lines<const T> in;
  Lines<T> before, after;
  ScaleStates<T> states;
  Index sections;

  Index items() const { return 2 * extension.lines * extension.padding; }
  KOKKOS_FUNCTION void operator()(Index item) const {
    using Real = typename RealOf<T>::type;
    const Index p = extension.padding, line = item / (2 * p), k = item - line * 2 * p;
    const bool at_end = k >= p;
    const Index end = at_end ? extension.length - 1 : 0;
    const Index apart = at_end ? k - p + 1 : p - k;
    const Continuation& c = extension.continuation;
    const Index inside = c.mirrors ? (at_end ? end - apart : apart) : end;
    const T sample = Real(c.sign) * in(line, inside) + Real(c.ends) * in(line, end);
    (at_end ? after(line, k - p) : before(line, k)) = sample;
    if (k > 0) return;
    for (Index section = 0; section < sections; ++section)
      for (Index value = 0; value < states.values; ++value)
        states.set(section, line, value, sample);
  }
};

/// @brief The copy of lines, as a kernel for chunks of them.
template <class T>
struct CopyLines {
  Lines<const T> from;
  Lines<T> to;
  KOKKOS_FUNCTION T load(Index line, Index j) const { return from(line, j); }
  KOKKOS_FUNCTION void store(Index line, Index j, T value) const { to(line, j) = value; }
};

template <ExecutionSpace Exec, class Kernel>
void enqueue_each(const Exec& exec, const char* name, Index items, const Kernel& kernel) {
  constexpr double seconds_of_item = 2e-9;
  enqueue_items(exec, name, items, seconds_of_item, kernel);
}

/// @brief Moves samples of chunks of lines: on devices some at a time, which threads side by side
/// have side by side, so that their loads are under way at once and divisions are few.
template <class Kernel, bool OnHost>
struct InChunks {
  static constexpr Index side_by_side = OnHost ? 1 : 256, at_once = 4;
  static constexpr Index chunk = OnHost ? 1024 : side_by_side * at_once;
  Kernel kernel;
  Index lines, length;

  Index items() const { return lines * ceil_div(length, chunk) * side_by_side; }
  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index all = item / side_by_side, of_line = ceil_div(length, chunk);
    const Index line = lines == 1 ? 0 : all / of_line;
    Index j = (all - line * of_line) * chunk + item % side_by_side;
    const Index end = j + chunk < length ? j + chunk : length;
    using Sample = decltype(kernel.load(line, j));
    for (; j + (at_once - 1) * side_by_side < end; j += at_once * side_by_side) {
      Sample sample[at_once];
      for (int k = 0; k < at_once; ++k) sample[k] = kernel.load(line, j + k * side_by_side);
      for (int k = 0; k < at_once; ++k) kernel.store(line, j + k * side_by_side, sample[k]);
    }
    for (; j < end; j += side_by_side) kernel.store(line, j, kernel.load(line, j));
  }
};
template <ExecutionSpace Exec, class Kernel>
void enqueue_samples(const Exec& exec, const char* name, Index lines, Index length,
                     const Kernel& kernel) {
  const InChunks<Kernel, runs_on_host<Exec>> chunks{kernel, lines, length};
  enqueue_items(exec, name, chunks.items(), .5e-9 * chunks.chunk, chunks);
}

}  // namespace wavescan::Impl::filter

#endif
