// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTVECTORLINE_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTVECTORLINE_HPP

#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_HostFoldedLine.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>
#include <impl/scan/host/WaveScan_Vectors.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace wavescan::Impl {

/// @brief A piece of one line, scanned in vectors. Elements of another type, strided and computed
/// ones pass through a tile, as do outputs that are strided or no memory.
template <class Recurrence, class In>
class HostVectorLine {
  using value_type = typename Recurrence::value_type;
  using tile_type = HostTile<value_type>;
  static constexpr bool input_is_lines =
      std::same_as<typename ScanAccessors<value_type, In>::source, Lines<const value_type>>;

 public:
  using vectors_type = HostVectorScan<Recurrence>;
  static constexpr bool always_reduced = false;

  HostVectorLine(const ScanProblem<Recurrence, In>& problem, const vectors_type& vectors,
                 Index line, Index begin, Index end, bool streaming)
      : problem_(problem),
        vectors_(vectors),
        line_(line),
        begin_(begin),
        end_(end),
        streaming_(streaming) {}

  void reduce() {
    tile_type tile;
    const Index piece = input_is_direct() ? end_ - begin_ : tile_type::elements;
    for (Index j = begin_; j < end_; j += piece) {
      const Index n = std::min(piece, end_ - j);
      const value_type own = vectors_.reduce(input(tile, j, n), n);
      total_ = j == begin_ ? own : after(total_, own, n);
    }
  }

  /// @brief The state after the piece, which `*state` enters; after reduce().
  void leave(const value_type* state, value_type* leaving) const {
    *leaving = after(*state, total_, end_ - begin_);
  }

  /// @brief Scans the piece and turns the state before it into the one after it.
  /// @param next  elements that are brought into the cache meanwhile, as many as the piece has at
  /// most, or null: while a piece is stored past the caches, memory can be read, too
  void scan(value_type* state, const value_type* next = nullptr, Index next_elements = 0) const {
    const bool exclusive = problem_.kind == ScanKind::Exclusive;
    // Exclusive results go one place later, over an input that is still to be read if in place.
    const bool direct = output_is_direct() && !(exclusive && problem_.in_place());
    const bool whole = direct && input_is_direct();
    // In pieces of whole groups whose results begin where vectors may be streamed to, elements are
    // added in the order of the whole.
    constexpr Index some = 1024;
    const bool fetches = next != nullptr && whole && !exclusive &&
                         reinterpret_cast<std::uintptr_t>(output(begin_)) % host_cache_line == 0;
    const Index piece = fetches ? some : whole ? end_ - begin_ : tile_type::elements;
    tile_type tile;
    for (Index j = begin_; j < end_; j += piece) {
      const Index n = std::min(piece, end_ - j);
      if (fetches) fetch(next + (j - begin_), std::min(n, next_elements - (j - begin_)));
      const value_type* const from = input(tile, j, n);
      value_type* const to = direct ? output(j) : tile.data();
      if (exclusive) {
        value_type* const first = direct ? to : to - 1;
        const value_type last = from[n - 1];
        *first = *state;
        *state = scan(from, first + 1, n - 1, *state);
        *state = problem_.recurrence.advance(*state, last, line_, j + n - 1);
        if (!direct) tile_type::store(first, problem_.out, line_, j, n, false);
      } else {
        *state = scan(from, to, n, *state);
        if (!direct) tile_type::store(to, problem_.out, line_, j, n, false);
      }
    }
  }

 private:
  static void fetch([[maybe_unused]] const value_type* from, [[maybe_unused]] Index elements) {
#if defined(__GNUC__)
    constexpr auto step = host_cache_line / static_cast<Index>(sizeof(value_type));
    for (Index k = 0; k < elements; k += step) __builtin_prefetch(from + k, 0, 2);
#endif
  }
  value_type scan(const value_type* from, value_type* to, Index count, value_type state) const {
    return streaming_ ? vectors_.template scan<true>(from, to, count, state)
                      : vectors_.template scan<false>(from, to, count, state);
  }

  bool input_is_direct() const {
    if constexpr (input_is_lines)
      return problem_.in.stride == 1;
    else
      return false;
  }
  bool output_is_direct() const {
    if constexpr (target_is_lines<value_type, In>)
      return problem_.out.stride == 1;
    else
      return false;
  }
  value_type* output(Index j) const {
    if constexpr (target_is_lines<value_type, In>)
      return &problem_.out(line_, j);
    else
      return nullptr;
  }
  const value_type* input(tile_type& tile, Index first, Index count) const {
    if constexpr (input_is_lines)
      if (problem_.in.stride == 1) return &problem_.in(line_, first);
    return tile.load(problem_.in, line_, first, count);
  }

  value_type after(const value_type& s, const value_type& total, Index length) const {
    if constexpr (has_weight_powers<Recurrence>)
      return problem_.recurrence.leave(
          s, {problem_.recurrence.algebra.power(problem_.recurrence.weight.value, length), total});
    else
      return problem_.recurrence.leave(s, total);
  }

  const ScanProblem<Recurrence, In>& problem_;
  const vectors_type& vectors_;
  Index line_, begin_, end_;
  bool streaming_;
  value_type total_{};
};

}  // namespace wavescan::Impl

#endif
