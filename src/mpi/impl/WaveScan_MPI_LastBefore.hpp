// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_LASTBEFORE_HPP
#define WAVESCAN_IMPL_MPI_LASTBEFORE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

/// @file
/// @brief Whether a run of equal elements goes on from one process to the next.

namespace wavescan::Impl::mpi {

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
      exec.fence("WaveScan::mpi::last");
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

/// @brief Whether a block's first element equals the last one before the block.
///
/// It must have no `value_type`: Kokkos takes that for the type of what is reduced, and on GPUs
/// would give the kernel shared memory for so many elements of the View instead.
template <class V, class Equal>
struct ContinuesRun {
  V view;
  Equal equal;
  typename V::non_const_value_type before;
  KOKKOS_FUNCTION void operator()(Index, int& continues) const {
    if (equal(before, view(0))) continues = 1;
  }
};

/// @brief Whether a block's first element equals the last one before the block. Waits.
template <ExecutionSpace Exec, class V, class Equal>
bool continues_run(const Exec& exec, const V& view, const Equal& equal,
                   const LastBefore<typename V::non_const_value_type>& last) {
  int continues = 0;
  if (last.there() && view.extent(0) > 0)
    Kokkos::parallel_reduce("WaveScan::mpi::continues_run",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, 1),
                            ContinuesRun<V, Equal>{view, equal, last.value()},
                            Kokkos::Max<int>(continues));
  return continues > 0;
}

}  // namespace wavescan::Impl::mpi

#endif
