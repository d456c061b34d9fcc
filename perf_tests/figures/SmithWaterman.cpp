// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "Figures.hpp"

namespace smith_waterman_benchmarks {
namespace {

using namespace wavescan::Perf;

[[maybe_unused]] const bool registered = [] {
  add_figure9<LocalAlignment>();
  add_figure10<LocalAlignment>();
  return true;
}();

}  // namespace
}  // namespace smith_waterman_benchmarks
