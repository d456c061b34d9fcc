// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Sor.hpp"

namespace sor_of_double_benchmarks {
namespace {

[[maybe_unused]] const bool registered = [] {
  wavescan::Perf::add_sor<double>("double");
  return true;
}();

}  // namespace
}  // namespace sor_of_double_benchmarks
