// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Sweeps.hpp"

WAVESCAN_TEST_SOR_SWEEPS(float)
