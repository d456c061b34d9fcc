// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <impl/WaveScan_BlockChain.hpp>

#include <string>
#include <thread>
#include <vector>

// Threads that hand states on: more of them than processors, by a chain that the thread sanitizer
// sees, too.

namespace {

using namespace wavescan;
using Impl::Index;

struct SumAndCount {
  double sum;
  int blocks;
};

/// @brief Block b of each line adds b + 1 to the first state, and to the others what lies before.
void pass_on(const Impl::BlockChain<SumAndCount>& chain, Index states, Index line, Index block) {
  const SumAndCount* const before = block > 0 ? chain.wait_for(line, block - 1) : nullptr;
  SumAndCount* const after = chain.states(line, block);
  SumAndCount last{static_cast<double>(block + 1), 1};
  for (Index s = 0; s < states; ++s) {
    const SumAndCount old = before ? before[s] : SumAndCount{0, 0};
    after[s] = {old.sum + last.sum, old.blocks + 1};
    last = old;
  }
  chain.post(line, block);
}

void check(Index threads, Index lines, Index states, bool drawn) {
  SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(lines) + " lines, " +
               std::to_string(states) + " states");
  constexpr Index blocks = 60;
  std::vector<std::byte> memory(
      static_cast<std::size_t>(Impl::BlockChain<SumAndCount>::bytes(lines, threads, states)));
  const Impl::BlockChain<SumAndCount> chain(memory.data(), lines, threads, states);
  std::vector<std::thread> all;
  for (Index t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      if (drawn)
        for (Index n = chain.draw(); n < lines * blocks; n = chain.draw())
          pass_on(chain, states, n / blocks, n % blocks);
      else
        for (Index n = t; n < lines * blocks; n += threads)
          pass_on(chain, states, n / blocks, n % blocks);
    });
  for (std::thread& thread : all) thread.join();

  for (Index line = 0; line < lines; ++line) {
    std::vector<double> expected(static_cast<std::size_t>(states), 0.);
    for (Index b = 0; b < blocks; ++b) {
      double last = static_cast<double>(b + 1);
      for (double& sum : expected) {
        const double old = sum;
        sum += last;
        last = old;
      }
    }
    const SumAndCount* const found = chain.wait_for(line, blocks - 1);
    for (Index s = 0; s < states; ++s) {
      EXPECT_EQ(found[s].sum, expected[static_cast<std::size_t>(s)]) << "line " << line;
      EXPECT_EQ(found[s].blocks, blocks);
    }
  }
}

TEST(BlockChain, HandsStatesOn) {
  for (const Index threads : {1, 2, 5, 16})
    for (const Index lines : {1, 3, 40})
      for (const Index states : {1, 7})
        for (const bool drawn : {true, false}) check(threads, lines, states, drawn);
}

}  // namespace
