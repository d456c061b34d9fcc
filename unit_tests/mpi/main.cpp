// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_OversubscriptionMonitor.hpp>
#include <string>

namespace {

/// @brief Shows what fails on all processes, and what passes on the first one only.
class Printer : public testing::EmptyTestEventListener {
 public:
  Printer(int rank, testing::TestEventListener* full) : rank_(rank), full_(full) {}
  ~Printer() override { delete full_; }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  void OnTestStart(const testing::TestInfo& info) override {
    if (rank_ == 0) full_->OnTestStart(info);
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::printf("on rank %d:\n", rank_);
    full_->OnTestPartResult(result);
    std::fflush(stdout);
  }
  void OnTestEnd(const testing::TestInfo& info) override {
    if (rank_ == 0) full_->OnTestEnd(info);
  }

 private:
  int rank_;
  testing::TestEventListener* full_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new Printer(rank, listeners.Release(listeners.default_result_printer())));
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
  int failed = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    wavescan::Impl::oversubscription_monitor.set(
        wavescan::Impl::OversubscriptionMonitor::Forking::Always);
    failed = RUN_ALL_TESTS();
  }
  int failed_anywhere = 0;
  MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed_anywhere != 0 ? 1 : 0;
}
