// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_SummedAreaTable.hpp>
#include <cstdint>
#include <memory>

#include "Figures.hpp"

namespace {

using namespace wavescan::Perf;

/// @brief What a user of WaveScan calls: the table, rather than its loop.
Program<SummedArea> operation_program() {
  using Table = wavescan::SummedAreaTable<Exec, std::uint32_t, std::uint32_t>;
  return {"operation", Chain::LongerAxis,
          [](const Exec& exec, const Case<Exec, SummedArea>& on) -> Work {
            const auto array = on.array();
            const auto table =
                std::make_shared<Table>(exec, static_cast<std::int64_t>(array.extent(0)),
                                        static_cast<std::int64_t>(array.extent(1)));
            return {[=] { (*table)(array, array); }};
          }};
}

[[maybe_unused]] const bool registered = [] {
  add_figure9<SummedArea>();
  add_figure10<SummedArea>();
  add_shapes("figure10", operation_program(), on_device ? 30 : 22);
  return true;
}();

}  // namespace
