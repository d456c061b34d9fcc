// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "Figures.hpp"

namespace algorithm1_benchmarks {
namespace {

using namespace wavescan::Perf;

[[maybe_unused]] const bool registered = [] {
  add_figure6<Algorithm1>();
  add_figure10<Algorithm1>();
  return true;
}();

}  // namespace
}  // namespace algorithm1_benchmarks
