// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_TOOLS_HPP
#define WAVESCAN_TEST_TOOLS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace wavescan::Test {

/// @brief True where an execution space's threads are the host's.
template <class Exec>
inline constexpr bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// @brief How many of its usual cases a test runs, in per cent: 100, or what the environment
/// variable WAVESCAN_TEST_CASES says (few under a slow tool, many in the long run).
inline std::int64_t percent_of_cases() {
  const char* const text = std::getenv("WAVESCAN_TEST_CASES");
  return text ? std::strtoll(text, nullptr, 10) : 100;
}
/// @brief How many random cases, or repetitions, a test runs that usually has so many.
inline std::int64_t cases_wanted(std::int64_t usual) {
  return std::max<std::int64_t>(1, usual * percent_of_cases() / 100);
}
/// @brief True if large sizes are to be left out as well.
inline bool few_cases_wanted() { return percent_of_cases() < 100; }

/// @brief Which cases of a list are run: all, or evenly spread ones of them.
class WantedCases {
 public:
  bool next() {
    due_ += percent_of_cases();
    if (due_ < 100) return false;
    due_ = std::min<std::int64_t>(due_ - 100, 99);
    return true;
  }

 private:
  std::int64_t due_ = 99;  ///< the first one is run
};

/// @brief Records allocations, fences and kernels of Kokkos while it lives, through the interface
/// that profilers use. One at a time.
class Recorder {
 public:
  Recorder() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace Tools = Kokkos::Tools::Experimental;
    events() = {};
    Tools::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          // Kokkos reports nothing at all as an allocation where a team needs no global scratch.
          if (bytes > 0) events().allocations.emplace_back(label);
          events().allocated_bytes += bytes;
        });
    Tools::set_begin_fence_callback([](const char* name, std::uint32_t, std::uint64_t*) {
      // Kokkos fences before it calls a profiler; that is no fence of what is recorded.
      if (std::string(name).find("Tool Fence") == std::string::npos)
        events().fences.emplace_back(name);
    });
    const auto kernel = [](const char* name, std::uint32_t, std::uint64_t*) {
      events().kernels.emplace_back(name);
    };
    Tools::set_begin_parallel_for_callback(kernel);
    Tools::set_push_region_callback([](const char* name) { events().regions.emplace_back(name); });
  }
  ~Recorder() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const std::vector<std::string>& allocations() const { return events().allocations; }
  /// @brief What all allocations take together.
  std::uint64_t allocated_bytes() const { return events().allocated_bytes; }
  const std::vector<std::string>& fences() const { return events().fences; }
  const std::vector<std::string>& kernels() const { return events().kernels; }
  const std::vector<std::string>& regions() const { return events().regions; }

 private:
  struct Events {
    std::vector<std::string> allocations, fences, kernels, regions;
    std::uint64_t allocated_bytes = 0;
  };
  /// The interface takes plain functions, so what they record cannot be a member.
  static Events& events() {
    static Events all;
    return all;
  }
  Kokkos::Tools::Experimental::EventSet before_;
};

/// @brief Names in one line, for messages.
inline std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace wavescan::Test

#endif
