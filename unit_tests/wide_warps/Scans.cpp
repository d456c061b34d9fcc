// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include <gtest/gtest.h>

#include <WaveScan_Operators.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/gpu/WaveScan_RegisterScan.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

// Scans of a line by the kernel that holds tiles in registers, in rows of lanes of one and of two
// words, against the loop over elements.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;

template <class T, int Words>
void expect_sums(int blocks) {
  using R = PlainRecurrence<Plus<T>>;
  using P = ScanTraits<R>;
  using Tuning = RegisterTuning<P, 128, 2, true, EqualLines, Words>;
  using Kernel = RegisterScan<P, T, Tuning>;
  using Shared = typename Kernel::Shared;
  for (const Index n : {1, 63, 511, 512, 1024, 5001})
    for (const Index stride : {-1, 1, 2})
      for (const ScanKind kind : {ScanKind::Inclusive, ScanKind::Exclusive}) {
        const auto size = static_cast<std::size_t>(2 * n);
        std::vector<T> x(size), y(size, T(77)), expected(size, T(77));
        std::iota(x.begin(), x.end(), T(3));
        const Index begin = stride < 0 ? n - 1 : 0;
        T sum = 0;
        for (Index j = 0; j < n; ++j) {
          const auto place = static_cast<std::size_t>(begin + j * stride);
          const T before = sum;
          sum += x[place];
          expected[place] = kind == ScanKind::Inclusive ? sum : before;
        }
        std::vector<gpu::TaggedWord> totals(gpu::TotalsMailbox::size<T>(blocks), 0);
        const RowsScan<P> scan{{},
                               {x.data() + begin, 0, stride},
                               {},
                               {y.data() + begin, 0, stride},
                               {1, n},
                               kind,
                               {},
                               {},
                               {totals.data()},
                               P(R{})};
        const RegisterWeights<P, Tuning> lengths(scan.traits, blocks);
        Test::Emulator::run(blocks, Tuning::threads, sizeof(Shared) + 16, [&](char* memory) {
          const auto address = reinterpret_cast<std::uintptr_t>(memory);
          Kernel(scan, lengths, *reinterpret_cast<Shared*>(memory + (16 - address % 16) % 16))
              .run();
        });
        ASSERT_EQ(y, expected) << n << " elements, stride " << stride
                               << (kind == ScanKind::Inclusive ? ", inclusive" : ", exclusive")
                               << ", blocks " << blocks;
      }
}

TEST(WideWarps, ScansOfOneLine) {
  for (const int blocks : {1, 3}) {
    expect_sums<std::uint32_t, 1>(blocks);
    expect_sums<std::uint32_t, 2>(blocks);
    expect_sums<std::uint64_t, 1>(blocks);
    expect_sums<std::uint64_t, 2>(blocks);
  }
}

}  // namespace
