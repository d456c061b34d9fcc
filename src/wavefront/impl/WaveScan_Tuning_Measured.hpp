// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TUNING_MEASURED_HPP
#define WAVESCAN_IMPL_TUNING_MEASURED_HPP

#include <string_view>

namespace wavescan::Impl {

/// @brief What `wavescan tune` wrote on the machines that it names.
inline constexpr std::string_view measured_tuning = R"(wavescan-tuning 1
[cuda] to be measured
schedule tile-compensated 0 0 0 0 0 0 0 0 0
[host] to be measured
schedule tile-compensated 0 0 0 0 0 0 0 0 0
)";

}  // namespace wavescan::Impl

#endif
