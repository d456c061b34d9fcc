// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOR3D_HPP
#define WAVESCAN_SOR3D_HPP

#include <WaveScan_SOR.hpp>

/// @file
/// @brief The name of SOR's header in programs that were written for three dimensions.

#endif
