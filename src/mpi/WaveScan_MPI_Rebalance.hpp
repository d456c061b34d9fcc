// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_REBALANCE_HPP
#define WAVESCAN_MPI_REBALANCE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_MPI_DataSliding.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <algorithm>
#include <cstdint>

/// @file
/// @brief Moves of elements from blocks of some lengths to blocks of others. A plan for repeated
/// calls is mpi::DataSliding.

namespace wavescan::mpi {

/// @brief The elements [first, first + count) of a distributed sequence.
struct BlockOfSequence {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// @brief The block of a process if `total` elements are distributed evenly: lengths differ by one
/// at most, and longer blocks come first. Not collective.
inline BlockOfSequence even_block(std::int64_t total, MPI_Comm comm) {
  int rank = 0, size = 1;
  Impl::mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  Impl::mpi::check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const std::int64_t each = total / size, longer = total % size;
  return {rank * each + std::min<std::int64_t>(rank, longer), each + (rank < longer ? 1 : 0)};
}

/// @brief Brings a distributed sequence to other blocks, keeping its order.
///
/// The sequence consists of the first `count` elements of `in` of each process, in the order of
/// ranks, and fills `out` of each process, in the same order. What of `out` lies behind the end of
/// the sequence is left alone. Collective over `comm`; waits.
///
/// Cost: at most one message between two processes, of what goes from one to the other; one
/// MPI_Allgather of two numbers a process. Memory: none where elements lie side by side, in memory
/// of `exec` that messages can begin and end in, and `out` is not `in`; else what a process had,
/// and what it gets, once more.
/// @param comm  communicator
/// @param exec  execution space instance
/// @param in    View of rank 1, or of rank 2 whose rows are the elements; trivially copyable
/// @param count elements of `in` that are part of the sequence
/// @param out   View of the same rank and type; may be `in`. Its extent is the length of this
///              process' block: see even_block
/// @throws std::invalid_argument on all processes, if on one of them `count` is not between zero
/// and the extent of `in`, or `out` has other columns, if processes differ in types or columns, or
/// if all of `out` together are too short; nothing has been written then
template <ExecutionSpace Exec, AnyView In, AnyView Out>
void rebalance(MPI_Comm comm, const Exec& exec, const In& in, std::int64_t count, const Out& out) {
  const Impl::Calling calling("mpi::rebalance");
  DataSliding<Exec, typename Out::value_type>(comm, exec).rebalance(in, count, out);
}

/// @brief mpi::rebalance on the default instance of the execution space of `out`.
template <AnyView In, AnyView Out>
void rebalance(MPI_Comm comm, const In& in, std::int64_t count, const Out& out) {
  rebalance(comm, typename Out::execution_space(), in, count, out);
}

}  // namespace wavescan::mpi

#endif
