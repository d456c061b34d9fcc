// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SELECT_HPP
#define WAVESCAN_MPI_SELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <WaveScan_Unique.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_SlidingCall.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// @file
/// @brief Selections and partitions of sequences that are distributed over processes.
///
/// Source: Gomez-Luna et al., "In-Place Data Sliding Algorithms for Many-Core Architectures", ICPP
/// 2015, algorithm 2 (on each process).

namespace wavescan::mpi {

/// @brief What a selection has kept.
struct Kept {
  std::int64_t count = 0;   ///< elements on this process
  std::int64_t offset = 0;  ///< elements on the processes before: where those of this one begin
  std::int64_t total = 0;   ///< elements on all processes
};

}  // namespace wavescan::mpi

namespace wavescan::Impl::mpi {

/// @brief The numbers of all processes from those of each.
inline wavescan::mpi::Kept kept_of(const Communicator& comm, std::int64_t count) {
  wavescan::mpi::Kept kept{count, 0, 0};
  const auto all = all_numbers<1>(comm, {count});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank == static_cast<std::size_t>(comm.rank())) kept.offset = kept.total;
    kept.total += all[rank][0];
  }
  return kept;
}

/// @brief A selection that each process makes for itself. Collective.
/// @param select gives the number of elements kept here
template <class... Types, class Select>
wavescan::mpi::Kept select_together(MPI_Comm given, std::string_view operation,
                                    const Select& select) {
  const Kokkos::Profiling::ScopedRegion region("WaveScan::" + std::string(operation));
  const Communicator comm = Communicator::duplicate(operation, given);
  std::int64_t count = 0;
  together(comm, operation, {{"operation", number_of_call<Types...>(operation)}},
           [&] { count = select(); });
  return kept_of(comm, count);
}

/// @brief Whether a block's first element equals the last one before the block.
template <class V, class Equal>
struct ContinuesRun {
  using value_type = typename V::non_const_value_type;
  V view;
  Equal equal;
  value_type before;
  KOKKOS_FUNCTION void operator()(Index, int& continues) const {
    if (equal(before, view(0))) continues = 1;
  }
};

struct IsFirst {
  template <class T>
  KOKKOS_FUNCTION bool operator()(std::int64_t index, const T&) const {
    return index == 0;
  }
};

/// @brief The last element of the processes before that have any. Collective.
template <class T>
class LastBefore {
 public:
  template <ExecutionSpace Exec, class V>
  LastBefore(const Exec& exec, const Communicator& comm, const V& view) {
    struct Last {
      bool there;
      alignas(T) unsigned char bytes[sizeof(T)];
    };
    Last own{};
    if (const std::size_t n = view.extent(0); n > 0) {
      own.there = true;
      const Kokkos::View<T, Kokkos::HostSpace> last("WaveScan::mpi::last");
      Kokkos::deep_copy(exec, last, Kokkos::subview(view, n - 1));
      exec.fence("WaveScan::mpi::unique");
      std::memcpy(own.bytes, last.data(), sizeof(T));
    }
    std::vector<Last> all(static_cast<std::size_t>(comm.size()));
    check(MPI_Allgather(&own, static_cast<int>(sizeof(Last)), MPI_BYTE, all.data(),
                        static_cast<int>(sizeof(Last)), MPI_BYTE, comm.get()),
          "MPI_Allgather");
    for (auto rank = static_cast<std::size_t>(comm.rank()); rank-- > 0 && !there_;) {
      there_ = all[rank].there;
      std::memcpy(bytes_, all[rank].bytes, sizeof(T));
    }
  }
  bool there() const { return there_; }
  const T& value() const { return *reinterpret_cast<const T*>(bytes_); }

 private:
  bool there_ = false;
  alignas(T) unsigned char bytes_[sizeof(T)] = {};
};

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
template <class... Args>
  requires Impl::SlidingArguments<Args...> Kept copy_if(MPI_Comm comm, const Args&... args) {
    return Impl::mpi::select_together(comm, "mpi::copy_if", [&]() -> std::int64_t {
      static_assert(
          !std::is_void_v<decltype(wavescan::copy_if(args...))>,
          "WaveScan: distributed selections return their counts, and take no View for one");
      return wavescan::copy_if(args...);
    });
  }

/// @brief Copies the elements of which a predicate does not hold: see mpi::copy_if.
///
///     mpi::remove_copy_if(comm, [label,] [exec,] in, out, predicate)
template <class... Args>
  requires Impl::SlidingArguments<Args...> Kept remove_copy_if(MPI_Comm comm, const Args&... args) {
    return Impl::mpi::select_together(comm, "mpi::remove_copy_if", [&]() -> std::int64_t {
      return wavescan::remove_copy_if(args...);
    });
  }

/// @brief Removes the elements of which a predicate holds, in place: see mpi::copy_if.
///
///     mpi::remove_if(comm, [label,] [exec,] view, predicate)
template <class... Args>
  requires Impl::SlidingArguments<Args...> Kept remove_if(MPI_Comm comm, const Args&... args) {
    return Impl::mpi::select_together(
        comm, "mpi::remove_if", [&]() -> std::int64_t { return wavescan::remove_if(args...); });
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
  constexpr const char* operation = "mpi::unique_copy";
  using namespace Impl::mpi;
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::unique_copy");
  const Communicator own = Communicator::duplicate(operation, comm);
  together(own, operation, {{"operation", number_of_call<T>(operation)}}, [&] {
    Impl::require(out.extent(0) >= in.extent(0), operation, "out",
                  "must have at least the extent of 'in', " + std::to_string(in.extent(0)),
                  out.extent(0));
  });
  const LastBefore<T> last(exec, own, in);
  std::int64_t count = 0;
  together(own, operation, {}, [&] {
    int continues = 0;
    if (last.there() && in.extent(0) > 0)
      Kokkos::parallel_reduce("WaveScan::mpi::continues_run",
                              Kokkos::RangePolicy<Exec, Kokkos::IndexType<Impl::Index>>(exec, 0, 1),
                              ContinuesRun<In, Equal>{in, equal, last.value()},
                              Kokkos::Max<int>(continues));
    count = wavescan::unique_copy(exec, in, out, equal);
    if (continues > 0)
      count =
          wavescan::remove_if(exec, Kokkos::subview(out, Kokkos::make_pair(std::int64_t(0), count)),
                              by_index(IsFirst()));
  });
  return kept_of(own, count);
}
/// @brief mpi::unique_copy on the default instance of the execution space of `out`.
template <ViewOfRank<1> In, ViewOfRank<1> Out, class Equal = Impl::select::IsEqual>
Kept unique_copy(MPI_Comm comm, const In& in, const Out& out, const Equal& equal = {}) {
  return unique_copy(comm, typename Out::execution_space(), in, out, equal);
}
/// @brief mpi::unique_copy in place.
template <ExecutionSpace Exec, ViewOfRank<1> View, class Equal = Impl::select::IsEqual>
Kept unique(MPI_Comm comm, const Exec& exec, const View& view, const Equal& equal = {}) {
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
  using T = typename Out::value_type;
  static_assert(std::same_as<typename In::non_const_value_type, T> && In::rank() == Out::rank(),
                "WaveScan: partition needs Views of the same type and rank");
  constexpr const char* operation = "mpi::partition";
  using namespace Impl::mpi;
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::partition");
  const Transport<Exec> transport(exec, Communicator::duplicate(operation, comm));
  const auto from = Elements<const T>::of(in);
  const auto to = Elements<T>::of(out);
  typename Transport<Exec>::template buffer_type<T> true_ones, others;
  std::int64_t count = 0;
  together(transport.comm(), operation,
           {{"operation", number_of_call<T>(operation)}, {"columns", from.columns}}, [&] {
             Impl::require(from.columns == to.columns, operation, "out",
                           "must have the columns of 'in', " + std::to_string(from.columns),
                           to.columns);
             true_ones = transport.template buffer<T>(from.count * from.columns);
             others = transport.template buffer<T>(from.count * from.columns);
             const auto rows = [&](const auto& buffer) {
               if constexpr (Out::rank() == 1)
                 return buffer.view();
               else
                 return Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>(
                     buffer.view().data(), in.extent(0), in.extent(1));
             };
             count = wavescan::partition_copy(exec, in, rows(true_ones), rows(others), predicate);
           });
  const auto all = all_numbers<3>(transport.comm(), {count, from.count - count, to.count});
  const int processes = transport.comm().size();
  const auto number = [&](std::size_t which) {
    return [&all, which](std::size_t rank) { return all[rank][which]; };
  };
  const auto blocks = consecutive_blocks(processes, 0, number(0));
  const Impl::Index kept = blocks.back().end();
  const auto other_blocks = consecutive_blocks(processes, kept, number(1));
  const Impl::Index total = other_blocks.back().end();
  auto targets = consecutive_blocks(processes, 0, number(2));
  const Impl::Index room = targets.back().end();
  Impl::require(room >= total, operation, "out",
                "must have room, on all processes together, for " + std::to_string(total), room);
  for (Block& target : targets) target = intersection(target, {0, total});
  move_blocks<Exec, T>(transport, {{blocks, true_ones}, {other_blocks, others}}, targets, to);
  return {count, blocks[static_cast<std::size_t>(transport.comm().rank())].first, kept};
}
/// @brief mpi::partition on the default instance of the execution space of `out`.
template <AnyView In, AnyView Out, class Predicate>
Kept partition(MPI_Comm comm, const In& in, const Out& out, const Predicate& predicate) {
  return partition(comm, typename Out::execution_space(), in, out, predicate);
}

}  // namespace wavescan::mpi

#endif
