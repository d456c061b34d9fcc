// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "VariableSweeps.hpp"

WAVESCAN_TEST_SOR_VARIABLE_SWEEPS(float)
