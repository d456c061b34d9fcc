// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_TRANSPORT_HPP
#define WAVESCAN_IMPL_MPI_TRANSPORT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_GpuAwareness.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

/// @file
/// @brief Messages between processes: contiguous arrays of an execution space's memory.
///
/// This is the one place that knows how an array gets to another process. What host code can read
/// goes to MPI as it is, and so does memory of a device where MPI says that it takes it; else it
/// goes through memory of the host, pinned if there is such. Another library of messages (NCCL,
/// whose send and receive are enqueued on an instance) would be another Transport: it needs no more
/// than `Exchange` and `broadcast`.

namespace wavescan::Impl::mpi {

#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using StagingSpace = Kokkos::SharedHostPinnedSpace;
#else
using StagingSpace = Kokkos::HostSpace;
#endif

/// @brief Whether arrays pass through memory of the host on their way.
enum class Staging {
  WhereNeeded,
  Always  ///< for tests
};

/// @brief An array on its way: a contiguous View, and, where it is staged, its image on the host.
template <class T, class MemorySpace>
class MessageBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using view_type = Kokkos::View<T*, MemorySpace>;

  MessageBuffer() = default;
  template <ExecutionSpace Exec>
  MessageBuffer(const Exec& exec, Index count, bool staged) {
    using Kokkos::view_alloc, Kokkos::WithoutInitializing;
    const auto n = static_cast<std::size_t>(count);
    view_ = view_type(view_alloc(exec, WithoutInitializing, "WaveScan::mpi::message"), n);
    if (staged) image_ = image_type(view_alloc(WithoutInitializing, "WaveScan::mpi::staged"), n);
  }

  /// @brief Some of its elements as a buffer, which shares their memory.
  MessageBuffer part(Index first, Index count) const {
    const auto range = Kokkos::make_pair(first, first + count);
    MessageBuffer some;
    some.view_ = Kokkos::subview(view_, range);
    if (staged()) some.image_ = Kokkos::subview(image_, range);
    return some;
  }

  const view_type& view() const { return view_; }
  Index size() const { return static_cast<Index>(view_.extent(0)); }
  std::size_t bytes() const { return view_.size() * sizeof(T); }

  /// @brief The first `count` elements where MPI may read them; waits for `exec`.
  template <ExecutionSpace Exec>
  const void* outgoing(const Exec& exec, Index count) const {
    if (staged()) copy(exec, image_, view_, count);
    exec.fence("WaveScan::mpi::send");
    return place();
  }
  /// @brief Where MPI may write elements.
  void* place() const { return staged() ? static_cast<void*>(image_.data()) : view_.data(); }
  /// @brief Makes elements that MPI has written visible to kernels of `exec`.
  template <ExecutionSpace Exec>
  void received(const Exec& exec, Index count) const {
    if (!staged()) return;
    copy(exec, view_, image_, count);
    exec.fence("WaveScan::mpi::receive");  // the image may be written again
  }

 private:
  using image_type = Kokkos::View<T*, StagingSpace>;

  bool staged() const { return image_.data() != nullptr; }
  template <class Exec, class To, class From>
  static void copy(const Exec& exec, const To& to, const From& from, Index count) {
    const auto part = Kokkos::make_pair(Index(0), count);
    Kokkos::deep_copy(exec, Kokkos::subview(to, part), Kokkos::subview(from, part));
  }

  view_type view_;
  image_type image_;  ///< without memory if not staged
};

/// @brief Nobody is there to send to or to receive from.
inline constexpr int no_rank = -1;

/// @brief Messages to and from some processes that are under way together.
///
/// Processes name the same kind of message by the same tag. A message longer than MPI's counts goes
/// in pieces, which arrive in their order.
class Exchange {
 public:
  explicit Exchange(const Communicator& comm, std::size_t piece = std::size_t(1) << 30)
      : comm_(comm), piece_(piece) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (!requests_.empty())
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  /// @param count elements, 0 to all of the buffer's
  template <ExecutionSpace Exec, class T, class Space>
  void send(const Exec& exec, const MessageBuffer<T, Space>& buffer, Index count, int to, int tag) {
    if (to == no_rank) return;
    const auto* bytes = static_cast<const char*>(buffer.outgoing(exec, count));
    const std::size_t all = static_cast<std::size_t>(count) * sizeof(T);
    // As many pieces as the receiver waits for, of which the last ones may be empty.
    for_pieces(buffer.bytes(), [&](std::size_t begin, std::size_t end) {
      begin = std::min(begin, all);
      end = std::min(end, all);
      check(MPI_Isend(bytes + begin, static_cast<int>(end - begin), MPI_BYTE, to, tag, comm_.get(),
                      &add_request()),
            "MPI_Isend");
    });
  }

  /// @brief Receives a message of at most the buffer's size, which has to be that of the sender's.
  template <class T, class Space>
  void receive(const MessageBuffer<T, Space>& buffer, int from, int tag) {
    if (from == no_rank) return;
    auto* bytes = static_cast<char*>(buffer.place());
    for_pieces(buffer.bytes(), [&](std::size_t begin, std::size_t end) {
      receives_.push_back(requests_.size());
      check(MPI_Irecv(bytes + begin, static_cast<int>(end - begin), MPI_BYTE, from, tag,
                      comm_.get(), &add_request()),
            "MPI_Irecv");
    });
  }

  /// @brief Waits for all messages.
  /// @return bytes received, of all messages together
  std::size_t wait() {
    std::vector<MPI_Status> statuses(requests_.size());
    const int code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(),
                                 statuses.empty() ? MPI_STATUSES_IGNORE : statuses.data());
    requests_.clear();
    check(code, "MPI_Waitall");
    std::size_t received = 0;
    for (const std::size_t k : receives_) {
      int count = 0;
      check(MPI_Get_count(&statuses[k], MPI_BYTE, &count), "MPI_Get_count");
      received += static_cast<std::size_t>(count);
    }
    receives_.clear();
    return received;
  }

 private:
  /// Another piece even for nothing: whoever waits for a message gets one.
  template <class Use>
  void for_pieces(std::size_t bytes, const Use& use) const {
    std::size_t begin = 0;
    do {
      const std::size_t end = std::min(begin + piece_, bytes);
      use(begin, end);
      begin = end;
    } while (begin < bytes);
  }
  MPI_Request& add_request() { return requests_.emplace_back(MPI_REQUEST_NULL); }

  const Communicator& comm_;
  std::size_t piece_;  ///< bytes
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> receives_;  ///< which of them
};

/// @brief How arrays of an execution space get from one process to others.
template <ExecutionSpace Exec>
class Transport {
 public:
  template <class T>
  using buffer_type = MessageBuffer<T, typename Exec::memory_space>;

  Transport() = default;
  Transport(const Exec& exec, const Communicator& comm, Staging staging = Staging::WhereNeeded)
      : exec_(exec),
        comm_(comm),
        staged_(staging == Staging::Always ||
                !(is_host_memory<typename Exec::memory_space> || takes_device_memory())) {}

  const Communicator& comm() const { return comm_; }
  const Exec& exec() const { return exec_; }

  /// @brief A buffer of so many elements for messages.
  template <class T>
  buffer_type<T> buffer(Index count) const {
    return buffer_type<T>(exec_, count, staged_);
  }

  /// @brief Every process gets the buffer's elements of `root`.
  template <class T>
  void broadcast(const buffer_type<T>& buffer, int root) const {
    if (comm_.rank() == root)
      buffer.outgoing(exec_, buffer.size());
    else
      exec_.fence("WaveScan::mpi::broadcast");
    auto* bytes = static_cast<char*>(buffer.place());
    constexpr std::size_t piece = std::size_t(1) << 30;
    for (std::size_t begin = 0; begin < buffer.bytes(); begin += piece)
      check(MPI_Bcast(bytes + begin, static_cast<int>(std::min(piece, buffer.bytes() - begin)),
                      MPI_BYTE, root, comm_.get()),
            "MPI_Bcast");
    if (comm_.rank() != root) buffer.received(exec_, buffer.size());
  }

 private:
  Exec exec_;
  Communicator comm_;
  bool staged_ = false;
};

}  // namespace wavescan::Impl::mpi

#endif
