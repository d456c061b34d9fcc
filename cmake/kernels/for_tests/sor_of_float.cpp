// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "../WaveScan_Kernels.hpp"

namespace wavescan {

WAVESCAN_SOR_KERNELS(template, float)

}  // namespace wavescan
