// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "WaveScan_Kernels.hpp"

namespace wavescan {

WAVESCAN_SCAN_KERNELS(template, int)
WAVESCAN_SCAN_KERNELS(template, unsigned)
WAVESCAN_SCAN_KERNELS(template, std::int64_t)
WAVESCAN_SCAN_KERNELS(template, std::uint64_t)
WAVESCAN_SCAN_KERNELS(template, float)
WAVESCAN_SCAN_KERNELS(template, double)

}  // namespace wavescan
