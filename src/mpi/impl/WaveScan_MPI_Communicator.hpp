// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_COMMUNICATOR_HPP
#define WAVESCAN_IMPL_MPI_COMMUNICATOR_HPP

#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_Require.hpp>

#include <memory>
#include <string_view>

namespace wavescan::Impl::mpi {

/// @brief A communicator of the library's own, over the processes of the user's.
///
/// Messages of two communicators never meet, so neither messages of the user nor those of another
/// plan are ever taken for ours. Copies share it; the last one frees it.
class Communicator {
 public:
  Communicator() = default;

  /// @brief A duplicate of `comm`. Collective.
  /// @throws std::invalid_argument where there is no intracommunicator to duplicate, on that
  /// process alone: it is not part of the communicator
  static Communicator duplicate(std::string_view operation, MPI_Comm comm) {
    require(is_running(), operation, "comm", "must be used between MPI_Init and MPI_Finalize",
            "MPI not running");
    require(comm != MPI_COMM_NULL, operation, "comm", "must be a communicator", "MPI_COMM_NULL");
    int inter = 0;
    check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    require(inter == 0, operation, "comm", "must be an intracommunicator", "an intercommunicator");
    MPI_Comm own = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm, &own), "MPI_Comm_dup");
    Communicator duplicate(own);
    duplicate.origin_ = comm;
    return duplicate;
  }

  /// @brief The processes with `takes_part`, in their order; the others get an empty communicator.
  /// Collective.
  Communicator subset(bool takes_part) const {
    int all = takes_part ? 1 : 0;
    check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, get()), "MPI_Allreduce");
    if (all == 1) return *this;
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(get(), takes_part ? 0 : MPI_UNDEFINED, rank_, &part), "MPI_Comm_split");
    return part == MPI_COMM_NULL ? Communicator() : Communicator(part);
  }

  MPI_Comm get() const { return handle_ ? handle_->comm : MPI_COMM_NULL; }
  /// @brief The user's communicator, if this is a duplicate: there while a plan is made, but maybe
  /// not longer.
  MPI_Comm origin() const { return origin_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  struct Handle {
    MPI_Comm comm;
    explicit Handle(MPI_Comm owned) : comm(owned) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
      if (is_running()) MPI_Comm_free(&comm);
    }
  };

  explicit Communicator(MPI_Comm owned) : handle_(std::make_shared<Handle>(owned)) {
    check(MPI_Comm_set_errhandler(owned, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(owned, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(owned, &size_), "MPI_Comm_size");
  }

  std::shared_ptr<Handle> handle_;
  MPI_Comm origin_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace wavescan::Impl::mpi

#endif
