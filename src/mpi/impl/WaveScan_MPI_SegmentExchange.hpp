// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_SEGMENTEXCHANGE_HPP
#define WAVESCAN_IMPL_MPI_SEGMENTEXCHANGE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>

#include <cstddef>
#include <utility>

/// @file
/// @brief Exclusive scans over processes, of one segment for each line.
///
/// In step k every process sends the segment of itself and the 2^k - 1 processes before it to the
/// process 2^k places further on: after ceil(log2(P)) steps each has all those before it (Hillis
/// and Steele, "Data parallel algorithms", 1986). Joins are done in an order that depends on
/// nothing but P, which MPI_Exscan does not promise, and operators need not commute. A process may
/// have no segment, and operators no identity: then an empty message says so.

namespace wavescan::Impl::mpi {

/// @brief Joins neighbouring segments: of each line `b` becomes join(a, b), or a.
template <class Recurrence>
struct JoinSegments {
  using segment_type = typename Recurrence::segment_type;
  Recurrence recurrence;
  const segment_type* a;
  segment_type* b;
  bool both;
  KOKKOS_FUNCTION void operator()(const Index line) const {
    b[line] = both ? recurrence.join(a[line], b[line]) : a[line];
  }
};

/// @brief An estimate of the time that a host's thread takes for one of the lines' segments.
inline constexpr double seconds_of_line = 4e-9;

/// @brief The buffers of an exclusive scan over processes.
/// @tparam Recurrence whose segments are joined
template <ExecutionSpace Exec, class Recurrence>
class SegmentExchange {
 public:
  using segment_type = typename Recurrence::segment_type;

  SegmentExchange() = default;
  SegmentExchange(const Transport<Exec>& transport, Index lines)
      : own_(transport.template buffer<segment_type>(lines)),
        incoming_(transport.template buffer<segment_type>(lines)),
        before_(transport.template buffer<segment_type>(lines)) {}

  /// @brief This process' segments: to be written before, lost afterwards.
  segment_type* own() const { return own_.view().data(); }
  /// @brief The segments of all processes before this one.
  const segment_type* before() const { return before_.view().data(); }

  /// @brief Scans. Collective.
  /// @param place      of this process in the order of the scan
  /// @param rank_at    the rank of the process at a place
  /// @param present    whether this process has segments
  /// @return whether there is anything before
  template <class RankAt>
  bool scan(const Transport<Exec>& transport, const Recurrence& recurrence, int place,
            const RankAt& rank_at, bool present) const {
    const Index lines = own_.size();
    if (lines == 0) return false;
    const Exec& exec = transport.exec();
    const int places = transport.comm().size();
    bool preceded = false;
    for (int step = 1; step < places; step *= 2) {
      const int to = place + step < places ? rank_at(place + step) : no_rank;
      const int from = place >= step ? rank_at(place - step) : no_rank;
      Exchange exchange(transport, true);
      exchange.receive(incoming_, from, tag);
      exchange.send(own_, to, tag, present);
      if (!exchange.wait()) continue;
      const auto join = [&](const auto& later, bool& there) {
        enqueue_items(exec, "WaveScan::mpi::join", lines, seconds_of_line,
                      JoinSegments<Recurrence>{recurrence, incoming_.view().data(),
                                               later.view().data(), std::exchange(there, true)});
      };
      join(before_, preceded);
      join(own_, present);
    }
    return preceded;
  }

  Index lines() const { return own_.size(); }
  std::size_t bytes() const { return 3 * own_.bytes(); }

 private:
  static constexpr int tag = 1;
  using buffer_type = typename Transport<Exec>::template buffer_type<segment_type>;
  buffer_type own_, incoming_, before_;
};

}  // namespace wavescan::Impl::mpi

#endif
