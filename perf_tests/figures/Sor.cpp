// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "Figures.hpp"

namespace sor_benchmarks {
namespace {

using namespace wavescan::Perf;

[[maybe_unused]] const bool registered = [] {
  add_figure9<MeanOfFive>();
  add_figure10<MeanOfFive>();
  return true;
}();

}  // namespace
}  // namespace sor_benchmarks
