// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "SecondCalls.hpp"

namespace wavescan::Test {
namespace {

using Count = Kokkos::View<std::int64_t>;

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(double x) const { return x > 0; }
};

TEST(SecondCalls, OfDataSliding) {
  const std::size_t n = 100'000;
  const Array<double> x("x", n), y("y", n), memory("memory", 300 * 301);
  const Count count("count");
  check_second_call("copy_if", [=] { copy_if(x, y, IsPositive(), count); });
  check_second_call("remove_if", [=] { remove_if(x, IsPositive(), count); });
  check_second_call("unique", [=] { unique(x, count); });
  check_second_call("partition", [=] { partition(x, IsPositive(), count); });
  const Matrix<double> in(memory.data(), 300, 300), out(memory.data(), 300, 301);
  check_second_call("pad", [=] { pad(in, out); });
  check_second_call("unpad", [=] { unpad(out, in); });
  check_second_call("shift_left", [=] { shift_left(x, 7); });
}

}  // namespace
}  // namespace wavescan::Test
