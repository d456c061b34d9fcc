// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_DATASLIDING_HPP
#define WAVESCAN_MPI_DATASLIDING_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <WaveScan_Unique.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_LastBefore.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// @file
/// @brief A plan for selections, partitions and other blocks of distributed sequences.
///
/// Source: Gomez-Luna et al., "In-Place Data Sliding Algorithms for Many-Core Architectures", ICPP
/// 2015, algorithm 2 (on each process).

namespace wavescan::mpi {

/// @brief The numbers of elements that a selection has kept, or of segments whose results a
/// segmented reduction has kept.
struct Kept {
  std::int64_t count = 0;   ///< on this process
  std::int64_t offset = 0;  ///< on the processes before: where those of this one begin
  std::int64_t total = 0;   ///< on all processes
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
wavescan::mpi::Kept select_together(const Communicator& comm, std::string_view operation,
                                    const Select& select) {
  const Calling calling(operation);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::" + std::string(operation));
  std::int64_t count = 0;
  together(comm, operation, {{"operation", number_of_call<Types...>(operation)}},
           [&] { count = select(); });
  return kept_of(comm, count);
}

struct IsFirst {
  template <class T>
  KOKKOS_FUNCTION bool operator()(std::int64_t index, const T&) const {
    return index == 0;
  }
};

/// @brief The first elements of runs, of a sequence of elements of type T. Collective.
template <class T, ExecutionSpace Exec, class In, class Out, class Equal>
wavescan::mpi::Kept unique_together(const Communicator& comm, const Exec& exec, const In& in,
                                    const Out& out, const Equal& equal) {
  constexpr const char* operation = "mpi::unique_copy";
  const Calling calling(operation);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::unique_copy");
  together(comm, operation, {{"operation", number_of_call<T>(operation)}}, [&] {
    require(out.extent(0) >= in.extent(0), operation, "out",
            "must have at least the extent of 'in', " + std::to_string(in.extent(0)),
            out.extent(0));
  });
  const LastBefore<T> last(exec, comm, in);
  std::int64_t count = 0;
  together(comm, operation, {}, [&] {
    const bool continues = continues_run(exec, in, equal, last);
    count = wavescan::unique_copy(exec, in, out, equal);
    if (continues)
      count =
          wavescan::remove_if(exec, Kokkos::subview(out, Kokkos::make_pair(std::int64_t(0), count)),
                              by_index(IsFirst()));
  });
  return kept_of(comm, count);
}

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief A plan that selects and moves elements of distributed sequences, and owns a communicator
/// and buffers, which grow to what calls need.
///
/// The functions are those of the same names in WaveScan_MPI_Select.hpp and
/// WaveScan_MPI_Rebalance.hpp, which make such a plan for one call; arguments, costs and errors are
/// there. All are collective over the plan's communicator, and wait.
/// @tparam Exec execution space
/// @tparam T    element type, trivially copyable
template <ExecutionSpace Exec, class T>
class DataSliding {
  static_assert(std::is_trivially_copyable_v<T>,
                "WaveScan: mpi::DataSliding needs elements that are trivially copyable");

 public:
  /// @param comm communicator, which the plan duplicates
  /// @param exec instance that all calls use
  explicit DataSliding(MPI_Comm comm, const Exec& exec = {})
      : transport_(exec, Impl::mpi::Communicator::duplicate("mpi::DataSliding", comm)) {}

  /// @brief See mpi::copy_if.
  template <class In, class Out, class Predicate>
  Kept copy_if(const In& in, const Out& out, const Predicate& predicate) const {
    return Impl::mpi::select_together(transport_.comm(), "mpi::copy_if", [&]() -> std::int64_t {
      return wavescan::copy_if(transport_.exec(), in, out, predicate);
    });
  }
  /// @brief See mpi::remove_if.
  template <class View, class Predicate>
  Kept remove_if(const View& view, const Predicate& predicate) const {
    return Impl::mpi::select_together(transport_.comm(), "mpi::remove_if", [&]() -> std::int64_t {
      return wavescan::remove_if(transport_.exec(), view, predicate);
    });
  }
  /// @brief See mpi::unique_copy.
  template <ViewOfRank<1> In, ViewOfRank<1> Out, class Equal = Impl::select::IsEqual>
  Kept unique_copy(const In& in, const Out& out, const Equal& equal = {}) const {
    static_assert(holds_elements<In> && holds_elements<Out>,
                  "WaveScan: mpi::unique_copy needs Views of elements of the plan's type");
    return Impl::mpi::unique_together<T>(comm(), transport_.exec(), in, out, equal);
  }
  /// @brief See mpi::partition.
  template <AnyView In, AnyView Out, class Predicate>
  Kept partition(const In& in, const Out& out, const Predicate& predicate);
  /// @brief See mpi::rebalance.
  template <AnyView In, AnyView Out>
  void rebalance(const In& in, std::int64_t count, const Out& out);

 private:
  using buffer_type = typename Impl::mpi::Transport<Exec>::template buffer_type<T>;
  template <class V>
  static constexpr bool holds_elements = std::same_as<typename V::non_const_value_type, T> &&
                                         (V::rank() == 1 || V::rank() == 2);

  const Impl::mpi::Communicator& comm() const { return transport_.comm(); }

  /// @brief Begins a call that moves elements: checks, and does what is to be done before any
  /// message.
  template <class In, class Out, class Work>
  void begin(const char* operation, const In& in, const Out& out, const Work& work) const {
    static_assert(holds_elements<In> && holds_elements<Out> && In::rank() == Out::rank(),
                  "WaveScan: mpi::partition and mpi::rebalance need Views of elements of the "
                  "plan's type, both of rank 1 or both of rank 2");
    const auto columns = Impl::mpi::Elements<const T>::of(in).columns;
    Impl::mpi::together(
        comm(), operation,
        {{"operation", Impl::mpi::number_of_call<T>(operation)}, {"columns", columns}}, [&] {
          Impl::require(columns == Impl::mpi::Elements<T>::of(out).columns, operation, "out",
                        "must have the columns of 'in', " + std::to_string(columns),
                        Impl::mpi::Elements<T>::of(out).columns);
          Impl::require_distinct_elements(operation, "out", out);
          work();
        });
  }
  /// @brief The memory of elements of a View if messages can begin or end there.
  template <class V>
  buffer_type in_place(const V& view) const {
    const auto elements = Impl::mpi::Elements<typename V::value_type>::of(view);
    if constexpr (std::same_as<typename V::memory_space, typename Exec::memory_space>)
      if (elements.are_packed() && !transport_.staged())  // what is sent is not written
        return {const_cast<T*>(elements.data), elements.count * elements.columns};
    return {};
  }
  /// @brief Returns the memory in which messages for `out` arrive: that of `out`, or a buffer.
  template <class Out>
  buffer_type arrivals(const Out& out) {
    const buffer_type there = in_place(out);
    if (there.size() > 0) return there;
    transport_.enlarge(received_, static_cast<Impl::Index>(out.size()));
    return received_;
  }
  static bool overlap(const buffer_type& a, const buffer_type& b) {
    const std::less<const char*> before;
    return before(a.data(), b.data() + b.bytes()) && before(b.data(), a.data() + a.bytes());
  }
  /// @brief The blocks that `out` of all processes are to have.
  /// @param counts of which the one at `which` is the extent of a process' `out`
  template <std::size_t N>
  std::vector<Impl::mpi::Block> targets(const char* operation,
                                        const std::vector<std::array<std::int64_t, N>>& counts,
                                        std::size_t which, Impl::Index total) const {
    auto blocks = Impl::mpi::consecutive_blocks(
        comm().size(), 0, [&](std::size_t rank) { return counts[rank][which]; });
    const Impl::Index room = blocks.back().end();
    Impl::require(room >= total, operation, "out",
                  "must have room, on all processes together, for " + std::to_string(total), room);
    for (auto& block : blocks) block = Impl::mpi::intersection(block, {0, total});
    return blocks;
  }

  Impl::mpi::Transport<Exec> transport_;
  buffer_type packed_, others_, received_;
};

template <ExecutionSpace Exec, class T>
template <AnyView In, AnyView Out, class Predicate>
Kept DataSliding<Exec, T>::partition(const In& in, const Out& out, const Predicate& predicate) {
  constexpr const char* operation = "mpi::partition";
  using namespace Impl::mpi;
  const Impl::Calling calling(operation);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::partition");
  const auto from = Elements<const T>::of(in);
  const auto to = Elements<T>::of(out);
  std::int64_t count = 0;
  buffer_type received;
  begin(operation, in, out, [&] {
    const auto rows = [&](buffer_type& buffer) {
      transport_.enlarge(buffer, from.count * from.columns);
      if constexpr (Out::rank() == 1)
        return buffer.part(0, from.count).view();
      else
        return Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>(
            buffer.view().data(), in.extent(0), in.extent(1));
    };
    count =
        wavescan::partition_copy(transport_.exec(), in, rows(packed_), rows(others_), predicate);
    received = arrivals(out);
  });
  const auto counts = all_numbers<3>(comm(), {count, from.count - count, to.count});
  const auto blocks_of = [&](Impl::Index first, std::size_t which) {
    return consecutive_blocks(comm().size(), first,
                              [&](std::size_t rank) { return counts[rank][which]; });
  };
  const auto blocks = blocks_of(0, 0);
  const Impl::Index kept = blocks.back().end();
  const auto other_blocks = blocks_of(kept, 1);
  move_blocks<Exec, T>(transport_, {{blocks, packed_}, {other_blocks, others_}},
                       targets(operation, counts, 2, other_blocks.back().end()), received, to);
  return {count, blocks[static_cast<std::size_t>(comm().rank())].first, kept};
}

template <ExecutionSpace Exec, class T>
template <AnyView In, AnyView Out>
void DataSliding<Exec, T>::rebalance(const In& in, std::int64_t count, const Out& out) {
  constexpr const char* operation = "mpi::rebalance";
  using namespace Impl::mpi;
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::rebalance");
  const auto from = Elements<const T>::of(in);
  const auto to = Elements<T>::of(out);
  buffer_type sent, received;
  bool goes_as_it_lies = false;
  begin(operation, in, out, [&] {
    Impl::require(count >= 0 && count <= from.count, operation, "count",
                  "must be between 0 and the extent of 'in', " + std::to_string(from.count), count);
    sent = in_place(in);
    received = arrivals(out);
    goes_as_it_lies = sent.size() > 0 && !overlap(sent, received);
    if (goes_as_it_lies) return;
    transport_.enlarge(packed_, count * from.columns);
    sent = packed_;
  });
  const auto counts = all_numbers<2>(comm(), {count, to.count});
  const auto sources =
      consecutive_blocks(comm().size(), 0, [&](std::size_t rank) { return counts[rank][0]; });
  const auto blocks = targets(operation, counts, 1, sources.back().end());
  if (!goes_as_it_lies)
    copy_elements<Exec, T>(transport_.exec(), from,
                           Elements<T>::packed(sent.view().data(), count, from.columns), count);
  move_blocks<Exec, T>(transport_, {{sources, sent}}, blocks, received, to);
}

}  // namespace wavescan::mpi

#endif
