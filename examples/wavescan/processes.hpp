// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_PROCESSES_HPP
#define WAVESCAN_TOOL_PROCESSES_HPP

#if defined(WAVESCAN_TOOL_MPI)
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_SOR.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>
#endif

namespace wavescan_tool {

/// @brief The processes that mpirun, or the like, has started together; without it, this one alone,
/// which then has nothing to do with MPI.
class Processes {
 public:
  int rank = 0;
  int size = 1;

#if defined(WAVESCAN_TOOL_MPI)
  Processes(int& argc, char**& argv) {
    // What launchers of Open MPI, MPICH and others, and Slurm's, tell the processes they start.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"})
      started_ = started_ || std::getenv(name) != nullptr;
    if (!started_) return;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  ~Processes() {
    if (started_) MPI_Finalize();
  }
  /// @brief Lets the first process be the one that tells an error which all of them have.
  void let_first_speak() const {
    if (rank > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  /// @brief Ends all processes: others may wait for this one.
  void end_all(int code) const {
    if (size > 1) MPI_Abort(MPI_COMM_WORLD, code);
  }

 private:
  bool started_ = false;

 public:
#else
  Processes(int&, char**&) {}
  void let_first_speak() const {}
  void end_all(int) const {}
#endif
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
};

}  // namespace wavescan_tool

#endif
