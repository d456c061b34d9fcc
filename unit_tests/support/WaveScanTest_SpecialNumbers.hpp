// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANTEST_SPECIALNUMBERS_HPP
#define WAVESCANTEST_SPECIALNUMBERS_HPP

#include <limits>

namespace wavescan::Test {

template <class T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

}  // namespace wavescan::Test

#endif
