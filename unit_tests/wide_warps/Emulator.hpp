// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_UNITTEST_EMULATOR_HPP
#define WAVESCAN_UNITTEST_EMULATOR_HPP

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <ucontext.h>

/// @file
/// @brief Runs the threads of a kernel as coroutines of one thread of the host. They go on where a
/// warp's lanes exchange values, at barriers, and where they would wait for others; warps get their
/// turns in a random order. Nothing is learnt of the memory order, or of lanes that cannot go
/// apart.

namespace wavescan::Test::Emulator {

inline constexpr int lanes = 64;

/// @brief Threads that go on when all of them have come.
struct Meeting {
  int threads = 0, arrived = 0;
  unsigned rounds = 0;
};
struct Warp {
  Meeting meeting{lanes};
  std::uint32_t word[lanes];  ///< that its lanes exchange
};
struct Block {
  Meeting meeting;
  std::vector<Warp> warps;
  std::unique_ptr<char[]> memory;
};
struct Thread {
  int number;
  int block_number;
  Block* block;
  std::unique_ptr<char[]> stack;
  bool started = false, done = false;
  const Meeting* waits_at = nullptr;
  unsigned round;  ///< of that meeting
  std::jmp_buf state;

  /// @brief Whether it has something to do but wait for threads at a meeting.
  bool can_go_on() const { return !done && (waits_at == nullptr || waits_at->rounds != round); }
  int lane() const { return number % lanes; }
  Warp& warp() const { return block->warps[static_cast<std::size_t>(number / lanes)]; }
};

inline Thread* current;
inline std::jmp_buf scheduler;
inline int blocks_launched, threads_launched;
inline std::function<void(char*)> work;

inline void yield() {
  if (_setjmp(current->state) == 0) _longjmp(scheduler, 1);
}
inline void meet(Meeting& m) {
  const unsigned round = m.rounds;
  if (++m.arrived == m.threads) {
    m.arrived = 0;
    ++m.rounds;
  } else {
    current->waits_at = &m;
    current->round = round;
    yield();
    current->waits_at = nullptr;
  }
}
/// @brief Shows a word to all lanes of the warp, and returns what `take` makes of all words.
template <class Take>
auto exchange(std::uint32_t word, const Take& take) {
  Warp& warp = current->warp();
  warp.word[current->lane()] = word;
  meet(warp.meeting);
  const auto taken = take(warp.word);
  meet(warp.meeting);
  return taken;
}
/// @brief The word of a lane; the own one if there is no such lane.
inline std::uint32_t shuffle(std::uint32_t word, int from) {
  return exchange(
      word, [=](const auto& words) { return from < 0 || from >= lanes ? word : words[from]; });
}

inline void begin_thread() {
  work(current->block->memory.get());
  current->done = true;
  yield();
}
inline void resume(Thread& thread) {
  current = &thread;
  if (_setjmp(scheduler) != 0) return;
  if (thread.started) _longjmp(thread.state, 1);
  thread.started = true;
  constexpr std::size_t stack_bytes = 128 * 1024;
  thread.stack.reset(new char[stack_bytes]);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = thread.stack.get();
  context.uc_stack.ss_size = stack_bytes;
  makecontext(&context, begin_thread, 0);
  setcontext(&context);
}

/// @brief Calls kernel(shared memory) as the threads of all blocks, which are resident.
/// @throws std::runtime_error if they do not come to an end
inline void run(int blocks, int threads, std::size_t shared_bytes,
                const std::function<void(char*)>& kernel) {
  if (shared_bytes > 64 * 1024 || threads > 1024 || threads % lanes != 0)
    throw std::runtime_error("no AMD GPU has such blocks");
  std::vector<Block> all_blocks(static_cast<std::size_t>(blocks));
  std::vector<Thread> all_threads(static_cast<std::size_t>(blocks * threads));
  for (int b = 0; b < blocks; ++b) {
    Block& block = all_blocks[static_cast<std::size_t>(b)];
    block.meeting.threads = threads;
    block.warps.resize(static_cast<std::size_t>(threads / lanes));
    block.memory.reset(new char[shared_bytes + 1]);
    std::fill_n(block.memory.get(), shared_bytes, '\x5a');
    for (int t = 0; t < threads; ++t) {
      Thread& thread = all_threads[static_cast<std::size_t>(b * threads + t)];
      thread.number = t;
      thread.block_number = b;
      thread.block = &block;
    }
  }
  work = kernel;
  blocks_launched = blocks;
  threads_launched = threads;
  std::mt19937 random(17);
  std::vector<Thread*> warps;  // that have not come to their end
  for (std::size_t t = 0; t < all_threads.size(); t += lanes) warps.push_back(&all_threads[t]);
  for (std::int64_t turns = 0; !warps.empty(); ++turns) {
    if (turns == 20'000'000) throw std::runtime_error("threads wait in vain");
    Thread*& warp = warps[random() % warps.size()];
    int done = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      if (warp[lane].can_go_on()) resume(warp[lane]);
      done += warp[lane].done;
    }
    if (done < lanes) continue;
    warp = warps.back();
    warps.pop_back();
  }
}

}  // namespace wavescan::Test::Emulator

#endif
