// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_HOST_HOSTSELECT_HPP
#define WAVESCAN_IMPL_SELECT_HOST_HOSTSELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_BlockChain.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/host/WaveScan_Compaction.hpp>
#include <impl/select/host/WaveScan_Flags.hpp>
#include <impl/select/host/WaveScan_SelectedColumns.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Selections on the host: memory is read once, and what is kept is written once.
///
/// Algorithm 2 of Gomez-Luna et al. Threads draw blocks of elements by ticket. A thread determines
/// which elements of its block are kept and puts them side by side in a *stage*, memory of its own
/// that stays in a core's cache. It waits for the block before, takes the number of elements kept
/// so far from it, hands on its own, and then stores the stage at its place.
///
/// Why input and output may be the same memory. Element i moves to a place p <= i.
/// - Block b hands its number on after it has read its elements, and after block b - 1 has handed
/// on
///   its own. So when block b has received a number, all blocks before have been read; its own
///   elements are in the stage. It then stores at places before its end, and thereby overwrites
///   nothing that is still to be read, except:
/// - The predicate of `unique` reads the element before a block, which belongs to block b - 1.
///   Whatever is stored there comes from that very place, if it was read and no element before it
///   was dropped, or from block b or later ones, which store after b has read. The first case does
///   not occur: where nothing has been dropped, nothing is stored.
/// The numbers are handed on by stores that release and loads that acquire, so that reading comes
/// before storing in the sense of the language.
///
/// Progress: a thread that waits for a block has drawn its ticket later, so the block is being
/// worked on by a thread that waits for earlier ones only, however few threads run.
///
/// Where all fits in the caches of all cores, a thread does not draw blocks: there is one for each,
/// the same in each call, so that no core's cache takes from another's.
///
/// One thread alone needs neither stage nor numbers where it selects in place: what it moves goes
/// directly from its old place to the new one, some elements at a time.

namespace wavescan::Impl::select {

/// @brief Elements of a block, whose units have so many bytes: they fit in a stage.
inline Index block_of(std::size_t unit_bytes) {
  constexpr std::size_t stage = std::size_t(64) << 10;
  constexpr Index most = Index(32) << 10;
  const auto fit = static_cast<Index>(stage / std::max<std::size_t>(unit_bytes, 1));
  return fit < mask_bits ? std::max<Index>(fit, 1) : std::min(most, fit / mask_bits * mask_bits);
}

/// @brief Elements of a thread's own block, where each has one that its core's cache holds, or else
/// of a block that is drawn.
inline Index block_of(std::size_t unit_bytes, Index elements, Index threads) {
  constexpr Index most = 8, least = 4096;
  const Index drawn = block_of(unit_bytes);
  if (threads == 1 || drawn < mask_bits || elements > most * drawn * threads) return drawn;
  return std::max(std::min(least, drawn), ceil_div(elements, threads * mask_bits) * mask_bits);
}

/// @brief Bytes of a stage for kept and rejected elements, and for what is stored behind those of
/// each column, of which there are no more than bytes.
inline std::size_t stage_bytes_of(Index elements, std::size_t unit_bytes, Index threads) {
  const Index longest = std::min(elements, 8 * block_of(unit_bytes) * threads);
  const auto block = static_cast<std::size_t>(
      std::min(std::max(block_of(unit_bytes), block_of(unit_bytes, longest, threads)), elements));
  return 2 * (block + static_cast<std::size_t>(compaction_slack)) * unit_bytes;
}

/// @brief One selection, as a kernel of all blocks that a thread draws.
/// @tparam Makers one for each View
template <class SelectorType, class... Makers>
class HostSelectKernel {
  static constexpr std::size_t views = sizeof...(Makers);

 public:
  static constexpr bool runs_alone = true;

  HostSelectKernel(Index elements, const SelectorType& selector,
                   const std::tuple<Makers...>& makers, const ColumnsOfViews<views>& columns,
                   bool keeps_rejected, Index* count, Index block, bool owned,
                   const BlockChain<Index>& chain, std::byte* stages, std::size_t stage_bytes)
      : elements_(elements),
        selector_(selector),
        makers_(makers),
        columns_(columns),
        keeps_rejected_(keeps_rejected),
        count_(count),
        block_(block),
        owned_(owned),
        chain_(chain),
        stages_(stages),
        stage_bytes_(stage_bytes) {}

  /// @brief Selects in the blocks that this worker draws.
  void operator()(const Index worker) const {
    const Index blocks = ceil_div(elements_, block_);
    const auto next = [&] { return owned_ ? blocks : chain_.draw(); };
    for (Index b = owned_ ? worker : next(); b < blocks; b = next()) {
      const Index begin = b * block_, size = std::min(block_, elements_ - begin);
      Stage stage(*this, worker);
      const Index kept = stage.take(begin, size);
      const Index before = b > 0 ? *chain_.wait_for(0, b - 1) : 0;
      *chain_.states(0, b) = before + kept;
      chain_.post(0, b);
      stage.put(begin, size, before, kept);
      if (b == blocks - 1) *count_ = before + kept;
    }
    if (blocks == 0 && worker == 0) *count_ = 0;
    end_streaming();
  }

  /// @brief Selects in all of them, on the only thread.
  void alone() const {
    Index kept = 0;
    if (moves_directly()) {
      for (Index begin = 0; begin < elements_; begin += flags_at_once)
        kept += move(begin, std::min(flags_at_once, elements_ - begin), kept);
    } else {
      const Index block = std::min(block_, most_alone);
      for (Index begin = 0; begin < elements_; begin += block) {
        const Index size = std::min(block, elements_ - begin);
        Stage stage(*this, 0);
        const Index added = stage.take(begin, size);
        stage.put(begin, size, kept, added);
        kept += added;
      }
    }
    end_streaming();
    *count_ = kept;
  }

 private:
  /// Elements that one thread puts into its stage: few, so that they stay in the first caches.
  static constexpr Index most_alone = Index(16) << 10;

  /// @brief Puts the chosen ones of some elements side by side.
  void gather(std::byte* to, const Columns& c, Index column, Index begin,
              const std::uint64_t* chosen, Index count) const {
    if (c.make == nullptr) {
      compact(to, c.in.at(column, begin), c.in.stride, c.bytes, chosen, count);
      return;
    }
    const auto makers = std::apply(
        [](const auto&... maker) { return std::array{static_cast<const void*>(&maker)...}; },
        makers_);
    c.make(makers[static_cast<std::size_t>(&c - columns_.data())], begin, count, chosen, to);
  }

  bool streams(const Columns& c, Index begin, Index before) const {
    if (c.in_place()) return static_cast<std::size_t>(begin - before) * c.bytes >= cached_bytes();
    return is_far(c);
  }
  bool is_far(const Columns& c) const {
    return !owned_ && static_cast<std::size_t>(elements_) * c.bytes >= far_bytes;
  }

  /// @brief A block's elements, column by column, on their way.
  class Stage {
   public:
    Stage(const HostSelectKernel& kernel, Index worker)
        : kernel_(kernel),
          data_(kernel.stages_ + static_cast<std::size_t>(worker) * kernel.stage_bytes_) {}

    /// @brief Puts the kept elements of [begin, begin + size) side by side, and the rejected ones
    /// behind them. Returns the number of those kept.
    Index take(Index begin, Index size) const {
      Index kept = 0;
      for (Index done = 0; done < size; done += flags_at_once) {
        const Index some = std::min(flags_at_once, size - done);
        std::uint64_t masks[flags_at_once / mask_bits];
        const Index added = find_kept(kernel_.selector_, begin + done, some, masks);
        for_each_column(size, [&](const Columns& c, Index column, std::byte* data) {
          kernel_.gather(data + static_cast<std::size_t>(kept) * c.bytes, c, column, begin + done,
                         masks, some);
        });
        if (kernel_.keeps_rejected_) {
          for (std::uint64_t& word : masks) word = ~word;
          if (some % mask_bits != 0)
            masks[some / mask_bits] &= (std::uint64_t(1) << some % mask_bits) - 1;
          for_each_column(size, [&](const Columns& c, Index column, std::byte* data) {
            kernel_.gather(
                rejected_of(c, data, size) + static_cast<std::size_t>(done - kept) * c.bytes, c,
                column, begin + done, masks, some);
          });
        }
        kept += added;
      }
      return kept;
    }

    /// @brief Stores them, `before` elements having been kept before.
    void put(Index begin, Index size, Index before, Index kept) const {
      for_each_column(size, [&](const Columns& c, Index column, const std::byte* data) {
        if (!(c.in_place() && before == begin && kept == size))
          store_units(c.out, column, before, data, c.bytes, kept,
                      kernel_.streams(c, begin, before));
        if (kernel_.keeps_rejected_)
          store_units(c.rejected, column, begin - before, rejected_of(c, data, size), c.bytes,
                      size - kept, kernel_.is_far(c));
      });
    }

   private:
    template <class Use>
    void for_each_column(Index size, const Use& use) const {
      std::byte* data = data_;
      for (const Columns& c : kernel_.columns_)
        for (Index column = 0; column < c.columns; ++column) {
          use(c, column, data);
          data += column_bytes(c, size) * (kernel_.keeps_rejected_ ? 2 : 1);
        }
    }
    static std::size_t column_bytes(const Columns& c, Index size) {
      return static_cast<std::size_t>(size) * c.bytes + compaction_slack;
    }
    template <class Byte>
    static Byte* rejected_of(const Columns& c, Byte* data, Index size) {
      return data + column_bytes(c, size);
    }

    const HostSelectKernel& kernel_;
    std::byte* data_;
  };

  bool moves_directly() const {
    for (const Columns& c : columns_)
      if (!c.in_place() || c.in.stride != c.out.stride || c.out.capacity < elements_ ||
          c.in.stride != static_cast<Index>(c.bytes) || (keeps_rejected_ && !c.rejected_has_slack))
        return false;
    return true;
  }

  /// @brief Moves the kept ones of some elements in place, the first to place `before`; returns
  /// their number.
  Index move(Index begin, Index size, Index before) const {
    std::uint64_t masks[flags_at_once / mask_bits];
    const Index kept = find_kept(selector_, begin, size, masks);
    // Up to the first element that is dropped all stay where they are. Its word is moved one by
    // one: no element is overwritten before it is read.
    Index in_word = 0;
    while (before == begin && in_word < size && masks[in_word / mask_bits] == ~std::uint64_t(0))
      in_word += mask_bits;
    for (const Columns& c : columns_)
      for (Index column = 0; column < c.columns; ++column) {
        if (keeps_rejected_) reject(c, column, begin, size, begin - before, masks);
        const Index first = std::min(in_word, size);
        std::byte* to = c.out.at(column, before + first);
        Index done = first;
        if (before == begin && first < size) {
          to = move_one_by_one<0>(to, c.in.at(column, begin + first), c.in.stride, c.bytes,
                                  masks[first / mask_bits]);
          done = std::min(first + mask_bits, size);
        }
        compact(to, c.in.at(column, begin + done), c.in.stride, c.bytes, masks + done / mask_bits,
                size - done);
      }
    return kept;
  }

  /// @brief Moves the elements of which no bit is set, the first to place `before`.
  void reject(const Columns& c, Index column, Index begin, Index size, Index before,
              const std::uint64_t* masks) const {
    std::uint64_t others[flags_at_once / mask_bits];
    for (Index w = 0; w < ceil_div(size, mask_bits); ++w) others[w] = ~masks[w];
    if (size % mask_bits != 0)
      others[size / mask_bits] &= (std::uint64_t(1) << size % mask_bits) - 1;
    compact(c.rejected.at(column, before), c.in.at(column, begin), c.in.stride, c.bytes, others,
            size);
  }

  Index elements_;
  SelectorType selector_;
  std::tuple<Makers...> makers_;
  ColumnsOfViews<views> columns_;
  bool keeps_rejected_;
  Index* count_;
  Index block_;
  bool owned_;               ///< whether block and worker have the same number
  BlockChain<Index> chain_;  ///< of how many are kept, and from which blocks are drawn
  std::byte* stages_;
  std::size_t stage_bytes_;
};

/// @brief Copies rejected elements, of which *count tells the number, behind the kept ones.
template <std::size_t Views>
class HostAppendKernel {
 public:
  static constexpr bool runs_alone = true;

  HostAppendKernel(Index elements, const ColumnsOfViews<Views>& columns, const Index* count,
                   Index workers)
      : elements_(elements), columns_(columns), count_(count), workers_(workers) {}

  void operator()(const Index worker) const { append(worker, workers_); }
  void alone() const { append(0, 1); }

 private:
  void append(Index part, Index parts) const {
    const Index kept = *count_, rejected = elements_ - kept;
    const Index begin = rejected * part / parts, end = rejected * (part + 1) / parts;
    for (const Columns& c : columns_)
      for (Index column = 0; column < c.columns; ++column)
        store_units(c.out, column, kept + begin, c.rejected.at(column, begin), c.bytes, end - begin,
                    static_cast<std::size_t>(rejected) * c.bytes >= far_bytes);
    end_streaming();
  }

  Index elements_;
  ColumnsOfViews<Views> columns_;
  const Index* count_;
  Index workers_;
};

}  // namespace wavescan::Impl::select

#endif
