// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_TRANSPORT_HPP
#define WAVESCAN_IMPL_MPI_TRANSPORT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_DeviceMessages.hpp>
#include <impl/WaveScan_MPI_GpuAwareness.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <type_traits>
#include <vector>

/// @file
/// @brief Messages between processes: contiguous arrays of an execution space's memory.
///
/// This is the one place that knows how an array gets to another process. What host code can read
/// goes to MPI as it is, and so does memory of a device where MPI says that it takes it; else it
/// goes from device to device by another library (DeviceMessages), or, where there is none, through
/// memory of the host, pinned if there is such, in pieces that are on their way at the same time.

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

  /// @brief Memory of others, which is not staged.
  MessageBuffer(T* data, Index count) : view_(data, static_cast<std::size_t>(count)) {}

  /// @brief Returns some of its elements as a buffer, which shares their memory.
  MessageBuffer part(Index first, Index count) const {
    const auto range = Kokkos::make_pair(first, first + count);
    MessageBuffer some;
    some.view_ = Kokkos::subview(view_, range);
    if (image_.data() != nullptr) some.image_ = Kokkos::subview(image_, range);
    return some;
  }

  const view_type& view() const { return view_; }
  Index size() const { return static_cast<Index>(view_.extent(0)); }
  std::size_t bytes() const { return view_.size() * sizeof(T); }

  char* data() const { return reinterpret_cast<char*>(view_.data()); }
  /// @brief The memory that MPI reads and writes, if not `data()`.
  char* image() const { return reinterpret_cast<char*>(image_.data()); }

 private:
  using image_type = Kokkos::View<T*, StagingSpace>;

  view_type view_;
  image_type image_;  ///< without memory if not staged
};

/// @brief The rank of a neighbour that does not exist: nothing is sent to it, or received from it.
inline constexpr int no_rank = -1;

/// @brief Transport of arrays of an execution space from one process to others.
template <ExecutionSpace Exec>
class Transport {
 public:
  template <class T>
  using buffer_type = MessageBuffer<T, typename Exec::memory_space>;

  Transport() = default;
  /// @brief Collective, as it finds out what all processes can do.
  Transport(const Exec& exec, const Communicator& comm, Staging staging = Staging::WhereNeeded)
      : exec_(exec), comm_(comm) {
    if (comm.size() == 0) return;
    const Way way = agreed_way(staging);
    if (way == Way::ByDevice) device_ = DeviceMessages<Exec>::over(comm, exec);
    staged_ = way != Way::Direct && !device_.there();
  }

  const Communicator& comm() const { return comm_; }
  const Exec& exec() const { return exec_; }
  const DeviceMessages<Exec>& device() const { return device_; }
  /// @brief Whether messages need images on the host.
  bool staged() const { return staged_; }

  /// @brief A buffer of so many elements for messages.
  template <class T>
  buffer_type<T> buffer(Index count) const {
    return buffer_type<T>(exec_, count, staged_);
  }
  /// @brief Gives a buffer room for at least so many elements; those in it are lost if it grows.
  template <class T>
  void enlarge(buffer_type<T>& some, Index count) const {
    if (some.size() < count) some = buffer<T>(count);
  }

  /// @brief Gives every process the elements that the buffer has on `root`.
  template <class T>
  void broadcast(const buffer_type<T>& buffer, int root) const {
    if (device_.there()) return device_.broadcast(exec_, buffer.data(), buffer.bytes(), root);
    const bool mine = comm_.rank() == root;
    if (mine && staged_) copy(buffer.image(), buffer.data(), buffer.bytes());
    exec_.fence("WaveScan::mpi::broadcast");
    char* const bytes = staged_ ? buffer.image() : buffer.data();
    constexpr std::size_t piece = std::size_t(1) << 30;
    for (std::size_t begin = 0; begin < buffer.bytes(); begin += piece)
      check(MPI_Bcast(bytes + begin, static_cast<int>(std::min(piece, buffer.bytes() - begin)),
                      MPI_BYTE, root, comm_.get()),
            "MPI_Bcast");
    if (mine || !staged_) return;
    copy_back(buffer.data(), buffer.image(), buffer.bytes());
    exec_.fence("WaveScan::mpi::broadcast");  // the image may be written again
  }

  /// @brief Enqueues a copy to an image of device memory.
  void copy(char* image, const char* data, std::size_t bytes) const {
    copy_bytes<StagingSpace, typename Exec::memory_space>(image, data, bytes);
  }
  /// @brief Enqueues a copy of an image back.
  void copy_back(char* data, const char* image, std::size_t bytes) const {
    copy_bytes<typename Exec::memory_space, StagingSpace>(data, image, bytes);
  }

 private:
  enum class Way { Direct, ByDevice, Staged };  ///< each is possible where the one before is

  /// @brief The last of the ways that any process wants to take.
  Way agreed_way(Staging staging) const {
    if (staging == Staging::Always) return Way::Staged;
    if (is_host_memory<typename Exec::memory_space>) return Way::Direct;
    int way = static_cast<int>(std::getenv("WAVESCAN_MPI_PINNED") ? Way::Staged
                               : takes_device_memory()            ? Way::Direct
                                                                  : Way::ByDevice);
    check(MPI_Allreduce(MPI_IN_PLACE, &way, 1, MPI_INT, MPI_MAX, comm_.get()), "MPI_Allreduce");
    return static_cast<Way>(way);
  }
  template <class To, class From>
  void copy_bytes(char* to, const char* from, std::size_t bytes) const {
    Kokkos::deep_copy(exec_, Kokkos::View<char*, To, Kokkos::MemoryUnmanaged>(to, bytes),
                      Kokkos::View<const char*, From, Kokkos::MemoryUnmanaged>(from, bytes));
  }

  Exec exec_;
  Communicator comm_;
  DeviceMessages<Exec> device_;
  bool staged_ = false;
};

/// @brief Messages to and from some processes that are under way together.
///
/// Processes name the same kind of message by the same tag, and two that exchange several messages
/// do so in the same order. A message longer than MPI's counts goes in pieces.
template <ExecutionSpace Exec>
class Exchange {
 public:
  /// @param optional messages may be left empty, which costs something where MPI does not take them
  /// @param piece    bytes of a message that go together through MPI, the same everywhere;
  ///                 0: chosen
  explicit Exchange(const Transport<Exec>& transport, bool optional = false, std::size_t piece = 0)
      : transport_(transport), optional_(optional), piece_(piece) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (!requests_.empty())
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  /// @brief Sends what kernels enqueued before have written.
  /// @param something false: an empty message instead
  template <class T, class Space>
  void send(const MessageBuffer<T, Space>& buffer, int to, int tag, bool something = true) {
    if (to == no_rank) return;
    if (transport_.device().there()) {
      if (optional_) send_bytes(&(something && buffer.size() > 0 ? yes : no), 1, to, tag);
      if (buffer.size() > 0) on_device_.push_back({buffer.data(), buffer.bytes(), to, true});
      return;
    }
    char* const image = buffer.image();
    if (!image) transport_.exec().fence("WaveScan::mpi::send");
    for_pieces(buffer, [&](std::size_t begin, std::size_t count) {
      if (image && something) {  // the next piece is copied while this one is sent
        transport_.copy(image + begin, buffer.data() + begin, count);
        transport_.exec().fence("WaveScan::mpi::send");
      }
      send_bytes((image ? image : buffer.data()) + begin, something ? count : 0, to, tag);
    });
  }

  /// @brief Receives a message of the buffer's size, which is that of the sender's.
  template <class T, class Space>
  void receive(const MessageBuffer<T, Space>& buffer, int from, int tag) {
    if (from == no_rank) return;
    if (transport_.device().there()) {
      if (optional_) receive_bytes(&told_.emplace_back(no), 1, nullptr, from, tag);
      if (buffer.size() > 0) on_device_.push_back({buffer.data(), buffer.bytes(), from, false});
      return;
    }
    for_pieces(buffer, [&](std::size_t begin, std::size_t count) {
      if (buffer.image())
        receive_bytes(buffer.image() + begin, count, buffer.data() + begin, from, tag);
      else
        receive_bytes(buffer.data() + begin, count, nullptr, from, tag);
    });
  }

  /// @brief Starts the messages between devices, which else begin with `wait`, for processes that
  /// need them sooner. Called after sends that no receive of this exchange follows.
  void start() {
    transport_.device().enqueue(transport_.exec(), on_device_);
    on_device_.clear();
  }

  /// @brief Waits for all messages; kernels that are enqueued afterwards see what has come.
  /// @return if messages may be left empty: whether any that was received was not
  bool wait() {
    start();
    bool received = false, copied = false;
    std::vector<MPI_Status> statuses(requests_.size());
    std::vector<int> indices(requests_.size());
    for (std::size_t left = requests_.size(); left > 0;) {
      int done = 0;
      check(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &done,
                         indices.data(), statuses.data()),
            "MPI_Waitsome");
      for (std::size_t k = 0; k < static_cast<std::size_t>(done); ++k) {
        const Arrival& arrival = arrivals_[static_cast<std::size_t>(indices[k])];
        if (!arrival.bytes) continue;
        int count = 0;
        check(MPI_Get_count(&statuses[k], MPI_BYTE, &count), "MPI_Get_count");
        received = received || (count > 0 && !transport_.device().there());
        if (!arrival.data || count == 0) continue;
        transport_.copy_back(arrival.data, arrival.bytes, static_cast<std::size_t>(count));
        copied = true;
      }
      left -= static_cast<std::size_t>(done);
    }
    requests_.clear();
    arrivals_.clear();
    if (copied) transport_.exec().fence("WaveScan::mpi::receive");  // images may be written again
    for (const char told : told_) received = received || told == yes;
    return received;
  }

 private:
  static constexpr char no = 0, yes = 1;
  /// @brief The place for what a request receives.
  struct Arrival {
    const char* bytes = nullptr;  ///< null: it sends
    char* data = nullptr;         ///< where they go on to
  };

  /// Another piece even for nothing: a process that waits for a message gets one.
  template <class Buffer, class Use>
  void for_pieces(const Buffer& buffer, const Use& use) const {
    const std::size_t piece = piece_ > 0       ? piece_
                              : buffer.image() ? std::size_t(1) << 22
                                               : std::size_t(1) << 30;
    std::size_t begin = 0;
    do {
      const std::size_t count = std::min(piece, buffer.bytes() - begin);
      use(begin, count);
      begin += count;
    } while (begin < buffer.bytes());
  }
  MPI_Request& add_request(const Arrival& arrival) {
    arrivals_.push_back(arrival);
    return requests_.emplace_back(MPI_REQUEST_NULL);
  }
  void send_bytes(const char* bytes, std::size_t count, int to, int tag) {
    check(MPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, tag, transport_.comm().get(),
                    &add_request({})),
          "MPI_Isend");
  }
  void receive_bytes(char* bytes, std::size_t count, char* data, int from, int tag) {
    check(MPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, tag, transport_.comm().get(),
                    &add_request({bytes, data})),
          "MPI_Irecv");
  }

  const Transport<Exec>& transport_;
  bool optional_;
  std::size_t piece_;
  std::vector<MPI_Request> requests_;
  std::vector<Arrival> arrivals_;  ///< one for each request
  std::vector<DeviceMessage> on_device_;
  std::deque<char> told_;  ///< whether optional messages that pass MPI by have come
};

}  // namespace wavescan::Impl::mpi

#endif
