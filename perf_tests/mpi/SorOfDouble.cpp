// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Sor.hpp"

namespace distributed {

void sor_of_double(std::int64_t n) { relaxations<double>("double", n); }

}  // namespace distributed
