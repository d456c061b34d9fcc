// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SELECT_HPP
#define WAVESCAN_MPI_SELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_MPI_DataSliding.hpp>
#include <WaveScan_Select.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Selections and partitions of sequences that are distributed over processes. A plan for
/// repeated calls is mpi::DataSliding.

namespace wavescan::Impl::mpi {

/// @brief A selection by the processes of the user's communicator, each of which calls Function.
template <class Function>
struct SelectCall {
  static constexpr std::size_t space_argument = Function::space_argument;
  std::string_view operation;
  MPI_Comm comm;

  template <ExecutionSpace Exec, class... Args>
  wavescan::mpi::Kept run(const std::string& label, const Exec& exec, const Args&... args) const {
    const auto select = [&]() -> std::int64_t {
      static_assert(
          !std::is_void_v<decltype(Function::run(label, exec, args...))>,
          "WaveScan: distributed selections return their counts, and take no View for one");
      return Function::run(label, exec, args...);
    };
    return select_together(Communicator::duplicate(operation, comm), operation, select);
  }
};
template <class Function, class... Args>
wavescan::mpi::Kept call_select(std::string_view operation, MPI_Comm comm, const Args&... args) {
  return call_as(operation, SelectCall<Function>{operation, comm}, args...);
}

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief Copies the elements of which a predicate holds, of a distributed sequence.
///
///     mpi::copy_if(comm, [label,] [exec,] in, out, predicate)
///
/// Each process keeps its own: one after the other, in the order of ranks, they are what
/// wavescan::copy_if keeps of the whole sequence, to which wavescan::copy_if's arguments apply.
/// Indices (by_index) are those of the block. See rebalance for blocks of even lengths.
///
/// Collective over `comm`; waits. Cost: wavescan::copy_if, one reduction of 208 bytes and one
/// MPI_Allgather of a number.
/// @return the numbers of elements kept here, before, and on all processes
/// @throws std::invalid_argument on all processes, if one of them would in wavescan::copy_if, or if
/// processes call different functions; `out` of the others then holds nothing of use
template <ExecutionSpace Exec, class In, class Out, class Predicate>
Kept copy_if(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
             const Predicate& predicate) {
  return Impl::mpi::call_select<Impl::select::CopyIf>("mpi::copy_if", comm, exec, in, out,
                                                      predicate);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
Kept copy_if(MPI_Comm comm, const First& label_or_in, const Rest&... in_out_predicate) {
  return Impl::mpi::call_select<Impl::select::CopyIf>("mpi::copy_if", comm, label_or_in,
                                                      in_out_predicate...);
}

/// @brief Copies the elements of which a predicate does not hold: see mpi::copy_if.
///
///     mpi::remove_copy_if(comm, [label,] [exec,] in, out, predicate)
template <ExecutionSpace Exec, class In, class Out, class Predicate>
Kept remove_copy_if(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
                    const Predicate& predicate) {
  return Impl::mpi::call_select<Impl::select::RemoveCopyIf>("mpi::remove_copy_if", comm, exec, in,
                                                            out, predicate);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
Kept remove_copy_if(MPI_Comm comm, const First& label_or_in, const Rest&... in_out_predicate) {
  return Impl::mpi::call_select<Impl::select::RemoveCopyIf>("mpi::remove_copy_if", comm,
                                                            label_or_in, in_out_predicate...);
}

/// @brief Removes the elements of which a predicate holds, in place: see mpi::copy_if.
///
///     mpi::remove_if(comm, [label,] [exec,] view, predicate)
template <ExecutionSpace Exec, class View, class Predicate>
Kept remove_if(MPI_Comm comm, const Exec& exec, const View& view, const Predicate& predicate) {
  return Impl::mpi::call_select<Impl::select::RemoveIf>("mpi::remove_if", comm, exec, view,
                                                        predicate);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
Kept remove_if(MPI_Comm comm, const First& label_or_view, const Rest&... view_predicate) {
  return Impl::mpi::call_select<Impl::select::RemoveIf>("mpi::remove_if", comm, label_or_view,
                                                        view_predicate...);
}

/// @brief Copies the first element of each run of equal ones, of a distributed sequence. Runs may
/// go through any number of processes. See wavescan::unique_copy and mpi::copy_if.
///
/// Cost beside wavescan::unique_copy: one element of each process to all others, and one more pass
/// where a run goes on that has begun on a process before. `equal` is an equivalence.
/// @param comm  communicator
/// @param exec  execution space instance
/// @param in    View of rank 1
/// @param out   View of at least the extent of `in`; may be `in`
/// @param equal tells whether two elements are equal; by default by ==
template <ExecutionSpace Exec, ViewOfRank<1> In, ViewOfRank<1> Out,
          class Equal = Impl::select::IsEqual>
Kept unique_copy(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
                 const Equal& equal = {}) {
  using T = typename In::non_const_value_type;
  static_assert(std::is_trivially_copyable_v<T> && std::same_as<T, typename Out::value_type>,
                "WaveScan: mpi::unique_copy needs Views of one type, trivially copyable");
  return Impl::mpi::unique_together<T>(Impl::mpi::Communicator::duplicate("mpi::unique_copy", comm),
                                       exec, in, out, equal);
}
/// @brief mpi::unique_copy on the default instance of the execution space of `out`.
template <ViewOfRank<1> In, ViewOfRank<1> Out, class Equal = Impl::select::IsEqual>
Kept unique_copy(MPI_Comm comm, const In& in, const Out& out, const Equal& equal = {}) {
  return unique_copy(comm, typename Out::execution_space(), in, out, equal);
}
/// @brief mpi::unique_copy in place.
template <ExecutionSpace Exec, ViewOfRank<1> View, class Equal = Impl::select::IsEqual>
Kept unique(MPI_Comm comm, const Exec& exec, const View& view, const Equal& equal = {}) {
  const Impl::Calling calling("mpi::unique");
  return unique_copy(comm, exec, view, view, equal);
}

/// @brief Moves the elements of which a predicate holds before all others, of a distributed
/// sequence; both keep their order. See wavescan::partition.
///
/// The result is distributed as the extents of `out` say, which need not be those of `in`.
/// Collective over `comm`; waits. Cost: wavescan::partition_copy, then as rebalance.
/// @param comm      communicator
/// @param exec      execution space instance
/// @param in        View of rank 1, or of rank 2, whose rows are the elements
/// @param out       View of the same rank and type; may be `in`
/// @param predicate as for wavescan::copy_if
/// @return the elements of which the predicate holds: the first `total` of the result
/// @throws std::invalid_argument on all processes, if on one of them columns differ, if processes
/// differ in types or columns, or if all of `out` together are too short
template <ExecutionSpace Exec, AnyView In, AnyView Out, class Predicate>
Kept partition(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
               const Predicate& predicate) {
  const Impl::Calling calling("mpi::partition");
  return DataSliding<Exec, typename Out::value_type>(comm, exec).partition(in, out, predicate);
}
/// @brief mpi::partition on the default instance of the execution space of `out`.
template <AnyView In, AnyView Out, class Predicate>
Kept partition(MPI_Comm comm, const In& in, const Out& out, const Predicate& predicate) {
  return partition(comm, typename Out::execution_space(), in, out, predicate);
}

}  // namespace wavescan::mpi

#endif
