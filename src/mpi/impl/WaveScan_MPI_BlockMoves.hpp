// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_BLOCKMOVES_HPP
#define WAVESCAN_IMPL_MPI_BLOCKMOVES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Moves from one distribution of a sequence to another one. Every process knows all blocks
/// of both, so it knows with whom it exchanges what, and each pair of processes exchanges at most
/// one message for each list.

namespace wavescan::Impl::mpi {

/// @brief Consecutive elements of a sequence that a process has, or is to have.
struct Block {
  Index first = 0;
  Index count = 0;
  Index end() const { return first + count; }
};

/// @brief Returns the elements that two blocks share.
inline Block intersection(const Block& a, const Block& b) {
  const Index first = std::max(a.first, b.first);
  return {first, std::max<Index>(std::min(a.end(), b.end()) - first, 0)};
}

/// @brief Every process' numbers. Collective.
template <std::size_t N>
std::vector<std::array<std::int64_t, N>> all_numbers(const Communicator& comm,
                                                     const std::array<std::int64_t, N>& own) {
  std::vector<std::array<std::int64_t, N>> all(static_cast<std::size_t>(comm.size()));
  check(MPI_Allgather(own.data(), static_cast<int>(N), MPI_INT64_T, all.data(), static_cast<int>(N),
                      MPI_INT64_T, comm.get()),
        "MPI_Allgather");
  return all;
}

/// @brief Blocks of so many elements one after the other, the first one at `first`.
template <class CountOf>
std::vector<Block> consecutive_blocks(int processes, Index first, const CountOf& count_of) {
  std::vector<Block> blocks;
  Index next = first;
  for (int rank = 0; rank < processes; ++rank) {
    blocks.push_back({next, count_of(static_cast<std::size_t>(rank))});
    next = blocks.back().end();
  }
  return blocks;
}

/// @brief The elements of a View of rank 1, or rows of one of rank 2, as memory.
template <class T>
struct Elements {
  T* data = nullptr;
  Index count = 0, columns = 1, stride = 1, column_stride = 1;

  template <class V>
  static Elements of(const V& v) {
    Elements e{v.data(), static_cast<Index>(v.extent(0)), 1, static_cast<Index>(v.stride(0)), 1};
    if constexpr (V::rank() == 2) {
      e.columns = static_cast<Index>(v.extent(1));
      e.column_stride = static_cast<Index>(v.stride(1));
    }
    return e;
  }
  /// @brief Elements side by side.
  static Elements packed(T* data, Index count, Index columns) {
    return {data, count, columns, columns, 1};
  }
  bool are_packed() const { return stride == columns && column_stride == 1; }
  KOKKOS_FUNCTION T& operator()(Index k) const {
    if (columns == 1) return data[k * stride];
    return data[k / columns * stride + k % columns * column_stride];
  }
};

template <class T>
struct CopyElements {
  Elements<const T> from;
  Elements<T> to;
  KOKKOS_FUNCTION void operator()(const Index k) const { to(k) = from(k); }
};

/// @brief Enqueues a copy of the first `count` elements.
template <ExecutionSpace Exec, class T>
void copy_elements(const Exec& exec, const Elements<const T>& from, const Elements<T>& to,
                   Index count) {
  enqueue_items(exec, "WaveScan::mpi::copy_elements", count * from.columns, 1e-9,
                CopyElements<T>{from, to});
}

/// @brief A list of elements that is distributed: how, and this process' part, packed.
template <class Buffer>
struct DistributedList {
  std::vector<Block> blocks;
  Buffer buffer;
};

/// @brief Gives every process a whole sequence, of which it has its own block. Collective.
template <ExecutionSpace Exec, class T>
void broadcast_blocks(const Transport<Exec>& transport,
                      const typename Transport<Exec>::template buffer_type<T>& sequence,
                      const std::vector<Block>& blocks) {
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    if (blocks[rank].count > 0)
      transport.broadcast(sequence.part(blocks[rank].first, blocks[rank].count),
                          static_cast<int>(rank));
}

/// @brief Brings lists, which together are a sequence, to blocks of that sequence. Collective.
/// @param lists  of which this process has `blocks[rank]` each
/// @param target blocks that processes are to have
/// @param received at least as large as `target[rank]`; the memory of `out`, if messages may go
///               there
/// @param out    receives the elements of `target[rank]`
template <ExecutionSpace Exec, class T>
void move_blocks(
    const Transport<Exec>& transport,
    const std::vector<DistributedList<typename Transport<Exec>::template buffer_type<T>>>& lists,
    const std::vector<Block>& target,
    const typename Transport<Exec>::template buffer_type<T>& received, const Elements<T>& out) {
  const Exec& exec = transport.exec();
  const Index columns = out.columns;
  const auto own = static_cast<std::size_t>(transport.comm().rank());
  const Block here = target[own];
  const auto part = [&](const auto& buffer, const Block& block, const Block& whole) {
    return buffer.part((block.first - whole.first) * columns, block.count * columns);
  };
  Exchange exchange(transport);
  for (std::size_t l = 0; l < lists.size(); ++l)
    for (std::size_t rank = 0; rank < target.size(); ++rank) {
      const Block coming = intersection(lists[l].blocks[rank], here);
      if (coming.count > 0 && rank != own)
        exchange.receive(part(received, coming, here), static_cast<int>(rank), static_cast<int>(l));
    }
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const Block& source = lists[l].blocks[own];
    for (std::size_t rank = 0; rank < target.size(); ++rank) {
      const Block going = intersection(source, target[rank]);
      if (going.count > 0 && rank != own)
        exchange.send(part(lists[l].buffer, going, source), static_cast<int>(rank),
                      static_cast<int>(l));
    }
  }
  exchange.start();  // others wait for these messages, not for what stays here
  for (const auto& list : lists) {
    const Block staying = intersection(list.blocks[own], here);
    if (staying.count > 0)
      Kokkos::deep_copy(exec, part(received, staying, here).view(),
                        part(list.buffer, staying, list.blocks[own]).view());
  }
  exchange.wait();
  if (received.view().data() != out.data)
    copy_elements<Exec, T>(exec,
                           Elements<const T>::packed(received.view().data(), here.count, columns),
                           out, here.count);
  exec.fence("WaveScan::mpi::move_blocks");
}

}  // namespace wavescan::Impl::mpi

#endif
