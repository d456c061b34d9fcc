// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_SummedAreaTable.hpp>

#include "Figures.hpp"

namespace summed_area_benchmarks {
namespace {

using namespace wavescan::Perf;

/// @brief What a user of WaveScan calls: the table, rather than its loop.
Program<SummedArea> operation_program() {
  return {"operation", Chain::LongerAxis,
          [](const Exec& exec, const Case<Exec, SummedArea>& on) -> Work {
            const auto array = on.array();
            return {[=] { wavescan::summed_area_table(exec, array, array); }};
          }};
}

[[maybe_unused]] const bool registered = [] {
  add_figure9<SummedArea>();
  add_figure10<SummedArea>();
  add_shapes("figure10", operation_program(), on_device ? 30 : 22);
  return true;
}();

}  // namespace
}  // namespace summed_area_benchmarks
