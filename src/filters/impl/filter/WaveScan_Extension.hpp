// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_EXTENSION_HPP
#define WAVESCAN_IMPL_FILTER_EXTENSION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Require.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// @file
/// @brief Lines that are continued beyond their ends, and states in proportion to first samples.

namespace wavescan {
enum class FilterPadding;
}

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
    if (options.padding() == Kind::None) return;
    continuation = options.padding() == Kind::Odd    ? Continuation{-1, 2, true}
                   : options.padding() == Kind::Even ? Continuation{1, 0, true}
                                                     : Continuation{0, 1, false};
    require(options.length() >= -1, operation, "length", "must not be negative", options.length());
    padding = options.length() >= 0 ? options.length() : fallback;
    require(lines == 0 || padding < length, operation, "x",
            "must have lines of more samples than they are continued by (" +
                std::to_string(padding) + ")",
            length);
  }

  Index extended() const { return length + 2 * padding; }

  /// @brief Memory for the extended lines, whose rows begin at 16-byte boundaries.
  template <class Rows, ExecutionSpace Exec>
  Rows rows(const Exec& exec) const {
    return Rows(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::filtfilt::rows"),
                static_cast<std::size_t>(lines),
                static_cast<std::size_t>(ceil_div(extended(), 4) * 4));
  }
  template <class Rows>
  auto used(const Rows& rows) const {
    return Kokkos::subview(rows, Kokkos::ALL, std::pair<Index, Index>(0, extended()));
  }

  /// @brief Enqueues the copy of lines to rows, with continuations.
  template <ExecutionSpace Exec, class T, class Rows>
  void fill(const Exec& exec, const Lines<const T>& in, const Rows& rows) const {
    const Extension e = *this;
    each(
        exec, "WaveScan::filtfilt::extend", extended(), KOKKOS_LAMBDA(Index line, Index i) {
          const Index j = i - e.padding, last = e.length - 1;
          if (j >= 0 && j <= last) {
            rows(line, i) = in(line, j);
          } else {
            const T end = in(line, j < 0 ? 0 : last);
            const T inside = e.continuation.mirrors ? in(line, j < 0 ? -j : 2 * last - j) : end;
            using Real = decltype(Kokkos::real(T()));
            rows(line, i) = Real(e.continuation.sign) * inside + Real(e.continuation.ends) * end;
          }
        });
  }
  /// @brief Enqueues the copy of what is not continuation.
  template <ExecutionSpace Exec, class T, class Rows>
  void take(const Exec& exec, const Rows& rows, const Lines<T>& out) const {
    const Index first = padding;
    each(
        exec, "WaveScan::filtfilt::take", length,
        KOKKOS_LAMBDA(Index line, Index j) { out(line, j) = rows(line, first + j); });
  }

 private:
  template <ExecutionSpace Exec, class F>
  void each(const Exec& exec, const char* name, Index samples, const F& f) const {
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, lines * samples),
        KOKKOS_LAMBDA(Index i) { f(i / samples, i % samples); });
  }
};

/// @brief Enqueues: states(s, line, i) = first(s * values + i) * the line's first sample, or its
/// last one.
template <ExecutionSpace Exec, class First, class Rows, class States>
void scale_states(const Exec& exec, const First& first, const Rows& rows, Index sample,
                  const States& states) {
  const auto lines = static_cast<Index>(states.extent(1)),
             values = static_cast<Index>(states.extent(2));
  Kokkos::parallel_for(
      "WaveScan::filter::first_states",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0,
                                                          static_cast<Index>(states.size())),
      KOKKOS_LAMBDA(Index i) {
        const Index value = i % values, line = i / values % lines, section = i / values / lines;
        states(section, line, value) = first(section * values + value) * rows(line, sample);
      });
}

}  // namespace wavescan::Impl::filter

#endif
