// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCKCHAIN_HPP
#define WAVESCAN_IMPL_BLOCKCHAIN_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <algorithm>
#include <cstddef>

namespace wavescan::Impl {

inline constexpr Index host_cache_line = 64;  ///< bytes

/// @brief States that blocks of lines send to the next ones, where a host's threads work on them.
///
/// Each line has as many mailboxes as threads may work on it, which its blocks use in turn; a
/// mailbox has cache lines of its own. A thread that waits looks at one that nobody else looks at:
/// of one flag for all, each store would take the cache line from all threads that wait, and they
/// would fetch it again one after the other.
///
/// A mailbox may be used again at once: a block posts when it has what the block before has posted,
/// which by then had taken what the one before it had.
/// @tparam State trivially copyable
template <class State>
class BlockChain {
 public:
  /// @param memory bytes() of zeros
  /// @param states that a block posts
  BlockChain(std::byte* memory, Index lines, Index threads, Index states)
      : memory_(memory), mailboxes_(mailboxes(lines, threads)), stride_(stride(states)) {}

  static Index bytes(Index lines, Index threads, Index states) {
    return host_cache_line + lines * mailboxes(lines, threads) * stride(states);
  }

  /// @brief Numbers for those who ask: 0, 1, ...
  Index draw() const { return next_number(reinterpret_cast<Index*>(memory_)); }

  /// @brief The place for a block's states, which are put there before it posts them.
  State* states(Index line, Index block) const {
    return reinterpret_cast<State*>(mailbox(line, block) + state_offset);
  }
  void post(Index line, Index block) const { store_release(count(line, block), block + 1); }
  /// @brief Waits until a block has posted its states, and returns them.
  const State* wait_for(Index line, Index block) const {
    wait_until_at_least(count(line, block), block + 1);
    return states(line, block);
  }

 private:
  static constexpr Index state_offset = std::max<Index>(sizeof(Index), alignof(State));

  static Index mailboxes(Index lines, Index threads) {
    return (threads + lines - 1) / std::max<Index>(lines, 1);
  }
  static Index stride(Index states) {
    const Index bytes = state_offset + states * static_cast<Index>(sizeof(State));
    return (bytes + host_cache_line - 1) / host_cache_line * host_cache_line;
  }
  std::byte* mailbox(Index line, Index block) const {
    return memory_ + host_cache_line + (line * mailboxes_ + block % mailboxes_) * stride_;
  }
  /// @brief The number of blocks that have posted, when the last user of a mailbox did.
  Index* count(Index line, Index block) const {
    return reinterpret_cast<Index*>(mailbox(line, block));
  }

  std::byte* memory_;
  Index mailboxes_;  ///< of a line
  Index stride_;
};

}  // namespace wavescan::Impl

#endif
