// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "runtime.hpp"

#include "dispatch.hpp"

#include <WaveScan_KernelPaths.hpp>
#include <WaveScan_Version.hpp>
#include <WaveScan_Workspaces.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace wavescan::python {
namespace {

std::atomic<bool> ready = false, closed = false, forked = false;
std::atomic<int> calls = 0;
bool is_ours = false;  ///< whether Kokkos was initialized by this module
std::mutex setup;

void after_fork_in_child() {
  calls = 0;  // of threads that this process has not
  if (ready) forked = true;
}

#if defined(KOKKOS_ENABLE_CUDA)
std::map<std::uintptr_t, Device>& instances() {
  static auto& all = *new std::map<std::uintptr_t, Device>;
  return all;
}
std::mutex instances_turn;

void require_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
    throw std::runtime_error(
        "wavescan: this build is for NVIDIA GPUs, and no driver or no GPU was found");
}
#else
void require_gpu() {}
#endif

void initialize(const Place& place) {
  const std::lock_guard lock(setup);
  if (ready) return;
  if (Kokkos::is_finalized())
    throw std::runtime_error("wavescan: Kokkos was finalized by another library in this process");
  if (!Kokkos::is_initialized()) {
    require_gpu();
    Kokkos::InitializationSettings settings;
    settings.set_disable_warnings(true);  // of OMP_PROC_BIND, which is the user's affair
    if (place.on_device && place.device != Place::any_device) settings.set_device_id(place.device);
    Kokkos::initialize(settings);
    is_ours = true;
  }
#if defined(__unix__) || defined(__APPLE__)
  pthread_atfork(nullptr, nullptr, &after_fork_in_child);
#endif
  ready = true;
}

}  // namespace

InCall::InCall() {
  if (closed) throw std::runtime_error("wavescan: the interpreter is shutting down");
  ++calls;
}
InCall::~InCall() { --calls; }

void require_ready(const Place& place) {
  if (ready && !closed && !forked) {
    if (Kokkos::is_finalized())
      throw std::runtime_error("wavescan: Kokkos was finalized by another library in this process");
  } else {
    if (closed) throw std::runtime_error("wavescan: the interpreter is shutting down");
    if (forked)
      throw std::runtime_error(
          "wavescan: this process was forked after wavescan had been used, and has none of its "
          "threads; use the start method 'spawn' or 'forkserver' of multiprocessing, or call "
          "wavescan after the fork only");
    initialize(place);
  }
  if (place.on_device && !has_device)
    throw std::invalid_argument(
        "wavescan: arrays must lie on the host, since this build is without GPUs; a GPU was asked "
        "for");
}

bool refuse_calls() {
  closed = true;
  return calls > 0;
}

void shut_down() {
  static bool is_over = false;
  closed = true;
  if (std::exchange(is_over, true) || !ready || forked || Kokkos::is_finalized()) return;
  wavescan::release_workspaces();
#if defined(KOKKOS_ENABLE_CUDA)
  instances().clear();
#endif
  if (is_ours) Kokkos::finalize();
}

void wait(const Place& place) {
  with_space(place, [](const auto& exec) { wavescan::fence(exec); });
}

void release_workspaces() {
  if (ready && !closed && !forked) wavescan::release_workspaces();
}

std::mutex& host_turn() {
  static std::mutex turn;
  return turn;
}

Device device_instance([[maybe_unused]] const Place& place) {
#if defined(KOKKOS_ENABLE_CUDA)
  const Device usual;
  if (place.device != Place::any_device && place.device != usual.cuda_device())
    throw std::invalid_argument(
        "wavescan: arrays must lie on device " + std::to_string(usual.cuda_device()) +
        ", which Kokkos was initialized for; got one on device " + std::to_string(place.device));
  // Kokkos' own stream waits for the legacy default stream, and that for it.
  if (place.stream <= 1) return usual;
  const std::lock_guard lock(instances_turn);
  auto& all = instances();
  const auto found = all.find(place.stream);
  if (found != all.end()) return found->second;
  if (all.size() >= 64) {
    wavescan::release_workspaces();
    all.clear();
  }
  return all.emplace(place.stream, Device(reinterpret_cast<cudaStream_t>(place.stream)))
      .first->second;
#else
  return Device();
#endif
}

std::vector<std::pair<std::string, std::string>> configuration() {
  require_ready({});
  std::vector<std::pair<std::string, std::string>> all;
  all.emplace_back("version", std::to_string(WAVESCAN_VERSION_MAJOR) + "." +
                                  std::to_string(WAVESCAN_VERSION_MINOR) + "." +
                                  std::to_string(WAVESCAN_VERSION_PATCH));
  all.emplace_back("kokkos", std::to_string(KOKKOS_VERSION / 10000) + "." +
                                 std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                                 std::to_string(KOKKOS_VERSION % 100));
  all.emplace_back("host", Host::name());
  all.emplace_back("threads", std::to_string(Host().concurrency()));
  all.emplace_back("device", has_device ? Device::name() : "none");
  all.emplace_back("initialized_by", is_ours ? "wavescan" : "another library");
#if defined(__AVX512F__)
  all.emplace_back("baseline", "AVX-512");
#elif defined(__AVX2__)
  all.emplace_back("baseline", "AVX2");
#elif defined(__SSE2__)
  all.emplace_back("baseline", "SSE2");
#else
  all.emplace_back("baseline", "generic");
#endif
  all.emplace_back("instructions", host_instructions());
  std::ostringstream text;
  Kokkos::print_configuration(text);
  all.emplace_back("kokkos_configuration", text.str());
  return all;
}

}  // namespace wavescan::python
