// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan.hpp>
#include <string>

namespace {

TEST(Version, NumberAndTextAgree) {
  EXPECT_EQ(WAVESCAN_VERSION,
            10000 * WAVESCAN_VERSION_MAJOR + 100 * WAVESCAN_VERSION_MINOR + WAVESCAN_VERSION_PATCH);
  EXPECT_EQ(WAVESCAN_VERSION_STRING, std::to_string(WAVESCAN_VERSION_MAJOR) + "." +
                                         std::to_string(WAVESCAN_VERSION_MINOR) + "." +
                                         std::to_string(WAVESCAN_VERSION_PATCH));
}

}  // namespace
