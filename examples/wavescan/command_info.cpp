// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>
#include <WaveScan_KernelPaths.hpp>
#include <WaveScan_Version.hpp>
#include <cstddef>
#include <cstdint>
#include <impl/tuning/WaveScan_MachineTuning.hpp>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "numbers.hpp"
#include "processes.hpp"
#include "text.hpp"

namespace wavescan_tool {
namespace {

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::vector<std::string> execution_spaces() {
  std::vector<std::string> names;
#ifdef KOKKOS_ENABLE_SERIAL
  names.emplace_back(Kokkos::Serial::name());
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  names.emplace_back(Kokkos::OpenMP::name());
#endif
#ifdef KOKKOS_ENABLE_THREADS
  names.emplace_back(Kokkos::Threads::name());
#endif
#ifdef KOKKOS_ENABLE_CUDA
  names.emplace_back(Kokkos::Cuda::name());
#endif
#ifdef KOKKOS_ENABLE_HIP
  names.emplace_back(Kokkos::HIP::name());
#endif
#ifdef KOKKOS_ENABLE_SYCL
  names.emplace_back(Kokkos::SYCL::name());
#endif
  return names;
}

/// What Auto would choose for a loop on an array of this size, and why.
void tell_choice(const std::string& size, Session& session) {
  const auto [rows, columns] = parse_size("--size", size, std::size_t(1) << 32);
  const auto& tuning = wavescan::Impl::machine_tuning<Kokkos::DefaultExecutionSpace>();
  const wavescan::LoopShape shape{static_cast<std::int64_t>(rows),
                                  static_cast<std::int64_t>(columns)};
  session.result["tuning"] = tuning.machine();
  session.say(left_aligned("Tuning", 26) + tuning.machine());
  session.say("Auto on " + std::to_string(rows) + " x " + std::to_string(columns) +
              " entries of 4 bytes, by how likely it is the fastest");
  for (const auto& [schedule, probability] : tuning.likelihoods(shape)) {
    session.result["likelihoods"][to_string(schedule)] = probability;
    session.say(left_aligned(std::string("  ") + to_string(schedule), 26) +
                fixed(100 * probability, 1) + " %");
  }
}

void run(const std::string& size, Session& session) {
  auto& result = session.result;
  result["version"] = WAVESCAN_VERSION_STRING;
  result["kokkos_version"] = kokkos_version();
  result["execution_spaces"] = execution_spaces();
  result["default_execution_space"] = Kokkos::DefaultExecutionSpace::name();
  result["concurrency"] = Kokkos::DefaultExecutionSpace().concurrency();
  result["default_host_execution_space"] = Kokkos::DefaultHostExecutionSpace::name();
  result["host_concurrency"] = Kokkos::DefaultHostExecutionSpace().concurrency();
  result["host_instructions"] = wavescan::host_instructions();
  result["mpi"] = mpi_version();
  result["schedule"] = to_string(session.schedule);
  result["number_types"] = {{"sor, inpaint", "float64"},
                            {"sat, histogram", "int64, int32"},
                            {"threshold", "int64 sums"},
                            {"align", "int64 scores"},
                            {"scan", "that of the file; int64 for integers of up to 32 bits"}};
  std::string spaces;
  for (const auto& name : execution_spaces()) spaces += (spaces.empty() ? "" : ", ") + name;
  const auto line = [&](const char* title, const nlohmann::ordered_json& value) {
    session.say(left_aligned(title, 26) +
                (value.is_string() ? value.get<std::string>() : value.dump()));
  };
  line("WaveScan", result["version"]);
  line("Kokkos", result["kokkos_version"]);
  line("Execution spaces", spaces);
  line("Default execution space", result["default_execution_space"]);
  line("  concurrency", result["concurrency"]);
  line("Host execution space", result["default_host_execution_space"]);
  line("  concurrency", result["host_concurrency"]);
  line("  instructions", result["host_instructions"]);
  line("MPI", result["mpi"]);
  line("Schedule", result["schedule"]);
  session.say("Number types");
  for (const auto& [commands, type] : result["number_types"].items())
    line(("  " + commands).c_str(), type);
  session.say("Kernels");
  for (const auto& [operation, kernels, reason] : wavescan::kernel_paths()) {
    result["kernels"][operation] = {{"kernels", kernels}, {"reason", reason}};
    session.say(left_aligned("  " + operation, 66) + kernels +
                (reason.empty() ? "" : " (" + reason + ")"));
  }
  if (!size.empty()) tell_choice(size, session);
}

}  // namespace

void add_info(CLI::App& app, Session& session) {
  const auto size = std::make_shared<std::string>();
  CLI::App* command =
      add_command(app, session, "info", "Versions, execution spaces, number types and kernels",
                  [size, &session] { run(*size, session); });
  command
      ->add_option("--size", *size,
                   "Tell which schedule auto takes for N x N or M x N entries, and why")
      ->type_name("N|MxN");
  add_schedule_option(command, session);
}

}  // namespace wavescan_tool
