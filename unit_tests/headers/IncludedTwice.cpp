// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// The second translation unit of this program that includes everything: what is defined in a header
// and not inline fails to link.
#include <WaveScan.hpp>
