// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_BLOCKHEADS_HPP
#define WAVESCAN_IMPL_MPI_BLOCKHEADS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_LastBefore.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_SegmentChecks.hpp>

#include <cstddef>
#include <string>
#include <string_view>

/// @file
/// @brief Heads of segments in a block of a distributed array.
///
/// To one process, the first element of its block always is a head. Whether a segment begins there
/// or one from an earlier process goes on is found out here.

namespace wavescan::Impl::mpi {

struct BlockHeads {
  bool any_inside = false;    ///< a segment begins behind the first element
  bool first_begins = false;  ///< one begins with the first element, or the block is that of none
  bool last_begins_behind = false;  ///< the last segment of the block has no elements in it
  Index segments = 0;               ///< that begin here, where they are told by offsets
  Index elements = 0;

  /// @brief Whether the block has anything to say about segments that are open before or behind it.
  bool present() const { return elements > 0 || segments > 0; }
};

/// @brief Finds a head behind the first element, a word of them at a time.
struct FindHeadInside {
  const BitWord* words;
  Index length;
  KOKKOS_FUNCTION void operator()(const Index w, int& found) const {
    const Index first = w * word_bits;
    const int begin = w == 0 ? 1 : 0;
    const int end = length - first < word_bits ? static_cast<int>(length - first) : word_bits;
    if (begin < end && (words[w] & bits_between(begin, end)) != 0) found = 1;
  }
};

/// @brief One element of a View. Waits.
template <ExecutionSpace Exec, class V>
auto element_of(const Exec& exec, const V& view, Index k) {
  const Kokkos::View<typename V::non_const_value_type, Kokkos::HostSpace> element(
      "WaveScan::mpi::element");
  Kokkos::deep_copy(exec, element, Kokkos::subview(view, static_cast<std::size_t>(k)));
  exec.fence("WaveScan::mpi::element");
  return element();
}

/// @brief Returns what a process knows by itself of its block's heads. Waits.
/// @param words the heads' bits
/// @throws std::invalid_argument if offsets do not fit the block
template <ExecutionSpace Exec, class S>
BlockHeads heads_of_block(std::string_view operation, const Exec& exec, const S& segments,
                          Index length, const BitWord* words) {
  static_assert(!is_range_segments<S>,
                "WaveScan: segments that are distributed over processes are told by offsets, flags "
                "or keys, not by begins and ends");
  BlockHeads heads;
  heads.elements = length;
  if constexpr (is_offset_segments<S>) {
    heads.segments = count_of(segments);
    const auto offset = [&](Index s) {
      return static_cast<Index>(element_of(exec, segments.offsets, s));
    };
    const Index first = offset(0), last = offset(heads.segments);
    require(
        last == length, operation, "offsets",
        [&] { return "must end with the number of elements, " + std::to_string(length); }, last);
    require(
        first >= 0 && first <= length, operation, "offsets",
        [&] {
          return "must begin between 0 and the number of elements, " + std::to_string(length);
        },
        first);
    heads.first_begins = heads.segments > 0 && first == 0;
    heads.last_begins_behind = heads.segments > 0 && offset(heads.segments - 1) == length;
  } else if constexpr (is_flag_segments<S>) {
    heads.first_begins = length > 0 && element_of(exec, segments.flags, 0) != 0;
  }
  if (length > 1) {
    int found = 0;
    Kokkos::parallel_reduce(
        "WaveScan::mpi::find_head",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, words_for(length)),
        FindHeadInside{words, length}, Kokkos::Max<int>(found));
    heads.any_inside = found > 0;
  }
  return heads;
}

/// @brief Completes heads by what only all processes know: whether a segment begins with each
/// block's first element. Collective, waits.
template <ExecutionSpace Exec, class S>
void complete_heads(const Communicator& comm, const Exec& exec, const S& segments,
                    BlockHeads& heads) {
  if constexpr (is_key_segments<S>) {
    using Key = typename std::remove_cvref_t<decltype(segments.keys)>::non_const_value_type;
    const LastBefore<Key> last(exec, comm, segments.keys);
    heads.first_begins =
        heads.elements > 0 && !continues_run(exec, segments.keys, segments.equal, last);
  } else if constexpr (is_flag_segments<S>) {
    const auto all = all_numbers<1>(comm, {heads.elements});
    bool is_first = true;
    for (int rank = 0; rank < comm.rank(); ++rank)
      is_first = is_first && all[static_cast<std::size_t>(rank)][0] == 0;
    heads.first_begins = heads.first_begins || (is_first && heads.elements > 0);
  }
}

}  // namespace wavescan::Impl::mpi

#endif
