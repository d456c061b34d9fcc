// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_DEVICEMESSAGES_HPP
#define WAVESCAN_IMPL_MPI_DEVICEMESSAGES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

#if defined(WAVESCAN_HAS_NCCL) && defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_MPI_Library.hpp>

#include <nccl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#endif

/// @file
/// @brief Messages from device to device that do not pass through MPI: NCCL's send and receive,
/// which are enqueued on an instance, so that nobody waits for kernels on the host.

namespace wavescan::Impl::mpi {

/// @brief A message that one process enqueues as `sends` and the other one as not.
struct DeviceMessage {
  void* data;
  std::size_t bytes;
  int peer;
  bool sends;
};

/// @brief A stand-in where there is no such library.
template <ExecutionSpace Exec>
class DeviceMessages {
 public:
  static DeviceMessages over(const Communicator&, const Exec&) { return {}; }
  bool there() const { return false; }
  void enqueue(const Exec&, const std::vector<DeviceMessage>&) const {}
  void broadcast(const Exec&, void*, std::size_t, int) const {}
};

#if defined(WAVESCAN_HAS_NCCL) && defined(WAVESCAN_HAS_CUDA_KERNELS)

inline void check_nccl(ncclResult_t code, const char* function) {
  if (code != ncclSuccess)
    throw std::runtime_error("WaveScan: " + std::string(function) +
                             " failed: " + ncclGetErrorString(code));
}

/// @brief NCCL's communicators. It takes a second to make one, so they are kept with the user's
/// communicator, of whose duplicates all make use.
template <>
class DeviceMessages<Kokkos::Cuda> {
 public:
  /// @brief Collective: all processes get one, or none do, as where two of them have the same
  /// device.
  static DeviceMessages over(const Communicator& comm, const Kokkos::Cuda& exec) {
    DeviceMessages messages;
    const int device = exec.cuda_device();
    std::shared_ptr<Group> known = kept_with(comm.get());
    if (!all(comm, known && known->device == device)) {
      known = std::make_shared<Group>(device);
      known->connect(comm, exec);
      keep_with(comm.get(), known);
      if (comm.origin() != MPI_COMM_NULL) keep_with(comm.origin(), known);
    }
    if (known->comm) messages.group_ = known;
    return messages;
  }

  bool there() const { return group_ != nullptr; }

  /// @brief Enqueues messages that wait for each other; between two processes they keep their
  /// order.
  void enqueue(const Kokkos::Cuda& exec, const std::vector<DeviceMessage>& messages) const {
    if (messages.empty()) return;
    group_->require_well();
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t code = ncclSuccess;
    for (const DeviceMessage& m : messages) {
      const ncclResult_t one =
          m.sends ? ncclSend(m.data, m.bytes, ncclUint8, m.peer, group_->comm, exec.cuda_stream())
                  : ncclRecv(m.data, m.bytes, ncclUint8, m.peer, group_->comm, exec.cuda_stream());
      if (one != ncclSuccess) code = one;
    }
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    check_nccl(code, "ncclSend or ncclRecv");
  }
  void broadcast(const Kokkos::Cuda& exec, void* data, std::size_t bytes, int root) const {
    if (bytes == 0) return;
    group_->require_well();
    check_nccl(ncclBroadcast(data, data, bytes, ncclUint8, root, group_->comm, exec.cuda_stream()),
               "ncclBroadcast");
  }

 private:
  /// @brief The processes of a communicator, each with a device.
  struct Group {
    int device;
    ncclComm_t comm = nullptr;  ///< null where NCCL does not take these devices

    explicit Group(int of) : device(of) {}
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() {
      if (comm) ncclCommDestroy(comm);
    }

    void connect(const Communicator& over, const Kokkos::Cuda& exec) {
      if (!have_devices_of_their_own(over, exec)) return;
      ncclUniqueId id{};
      bool good = over.rank() != 0 || ncclGetUniqueId(&id) == ncclSuccess;
      if (!all(over, good)) return;
      check(MPI_Bcast(&id, static_cast<int>(sizeof(id)), MPI_BYTE, 0, over.get()), "MPI_Bcast");
      good = cudaSetDevice(device) == cudaSuccess &&
             ncclCommInitRank(&comm, over.size(), id, over.rank()) == ncclSuccess;
      if (!all(over, good) && comm) {
        ncclCommAbort(comm);
        comm = nullptr;
      }
    }

    /// @throws std::runtime_error if messages have failed since they were enqueued
    void require_well() const {
      ncclResult_t state = ncclSuccess;
      check_nccl(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError");
      if (state != ncclInProgress) check_nccl(state, "a message between devices");
    }

   private:
    static bool have_devices_of_their_own(const Communicator& over, const Kokkos::Cuda& exec) {
      using Name = std::array<char, sizeof(cudaUUID_t)>;
      Name own;
      std::memcpy(own.data(), &gpu::device_properties(exec).uuid, own.size());
      std::vector<Name> names(static_cast<std::size_t>(over.size()));
      check(MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_BYTE, names.data(),
                          static_cast<int>(own.size()), MPI_BYTE, over.get()),
            "MPI_Allgather");
      std::sort(names.begin(), names.end());
      return std::adjacent_find(names.begin(), names.end()) == names.end();
    }
  };

  static bool all(const Communicator& comm, bool mine) {
    int least = mine ? 1 : 0;
    check(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
    return least == 1;
  }

  // Duplicates of a communicator share what is kept with it.
  using Kept = std::shared_ptr<Group>;
  static int key() {
    static const int made = [] {
      int value = MPI_KEYVAL_INVALID;
      check(MPI_Comm_create_keyval(copy_kept, free_kept, &value, nullptr),
            "MPI_Comm_create_keyval");
      return value;
    }();
    return made;
  }
  static int copy_kept(MPI_Comm, int, void*, void* kept, void* copy, int* flag) {
    *static_cast<void**>(copy) = new Kept(*static_cast<Kept*>(kept));
    *flag = 1;
    return MPI_SUCCESS;
  }
  static int free_kept(MPI_Comm, int, void* kept, void*) {
    delete static_cast<Kept*>(kept);
    return MPI_SUCCESS;
  }
  static Kept kept_with(MPI_Comm comm) {
    void* kept = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(comm, key(), &kept, &found), "MPI_Comm_get_attr");
    return found ? *static_cast<Kept*>(kept) : nullptr;
  }
  static void keep_with(MPI_Comm comm, const Kept& group) {
    check(MPI_Comm_set_attr(comm, key(), new Kept(group)), "MPI_Comm_set_attr");
  }

  std::shared_ptr<Group> group_;
};
#endif

}  // namespace wavescan::Impl::mpi

#endif
