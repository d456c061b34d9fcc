// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_PROCESSES_HPP
#define WAVESCAN_TOOL_PROCESSES_HPP

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "numbers.hpp"

#if defined(WAVESCAN_TOOL_MPI)
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_SOR.hpp>
#include <chrono>
#include <thread>
#endif

namespace wavescan_tool {

/// @brief The library for several processes, as it names itself; "none" without.
inline std::string mpi_version() {
#if defined(WAVESCAN_TOOL_MPI)
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);  // may be called at any time
  const std::string version(text);
  return version.substr(0, version.find_first_of(",\n"));
#else
  return "none";
#endif
}

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

  /// @brief Throws if others were started together with this process and it does not know of them:
  /// all would do the same, and write the same files.
  void require_to_know_all() const {
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
      const char* const text = std::getenv(name);
      const int started = text == nullptr ? 1 : number_of<int>(text).value_or(1);
      if (started > 1 && size == 1)
        throw std::invalid_argument(
            std::to_string(started) +
            " processes were started, which do not know of each other: the tool was built " +
            (mpi_version() == "none" ? "without MPI" : "for another MPI, " + mpi_version()) +
            "; unset " + name + " if each is to work by itself");
    }
  }

  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
};

}  // namespace wavescan_tool

#endif
