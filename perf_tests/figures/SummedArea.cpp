// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "Figures.hpp"

namespace {

using namespace wavescan::Perf;

[[maybe_unused]] const bool registered = [] {
  add_figure9<SummedArea>();
  add_figure10<SummedArea>();
  return true;
}();

}  // namespace
