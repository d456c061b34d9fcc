// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SECONDCALLS_HPP
#define WAVESCAN_TEST_SECONDCALLS_HPP

#include <WaveScanTest_Tools.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <string>

/// @file
/// @brief The first call of a free function may allocate; the second one of its kind only enqueues.

namespace wavescan::Test {

template <class T>
using Array = Kokkos::View<T*>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight>;

/// @param waits the call returns something that it waits for
template <class Call>
void check_second_call(const std::string& name, const Call& call, bool waits = false) {
  SCOPED_TRACE(name);
  call();
  Kokkos::fence();
  const Recorder recorder;
  call();
  EXPECT_EQ(join(recorder.allocations()), "");
  EXPECT_EQ(waits ? "" : join(recorder.fences()), "");
}
template <class Call>
void check_second_waiting_call(const std::string& name, const Call& call) {
  check_second_call(name, call, true);
}

}  // namespace wavescan::Test

#endif
