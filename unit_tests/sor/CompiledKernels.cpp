// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "CompiledKernels.hpp"

#if defined(WAVESCAN_TEST_SHARES_KERNELS)

namespace wavescan::Impl::sor {

// WAVESCAN_COMPILED_FLOATS names the types, and would only declare what is to be compiled.
#define WAVESCAN_TEST_COMPILED(TEMPLATE, Exec, T) WAVESCAN_TEST_CHOICES(template, Exec, T)
WAVESCAN_COMPILED_FLOATS(WAVESCAN_TEST_COMPILED)

}  // namespace wavescan::Impl::sor

#endif
