// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Scan.hpp>
#include <cstdint>
#include <cstdlib>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <vector>

#include "Distributed.hpp"

namespace wavescan::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Numbers = Kokkos::View<std::int64_t*, Host>;

/// @brief Sends a list to the next process in pieces of some bytes, or nothing.
template <class Space>
void check_ring(Impl::mpi::Staging staging, std::int64_t count, bool something, std::size_t piece) {
  const auto comm = Impl::mpi::Communicator::duplicate("test", world);
  const Impl::mpi::Transport<Space> transport(Space(), comm, staging);
  const auto to_send = transport.template buffer<int>(count);
  const auto to_receive = transport.template buffer<int>(count);
  const auto host = Kokkos::create_mirror(to_send.view());
  const auto expect = [&](const auto& buffer, const auto& expected) {
    Kokkos::deep_copy(host, buffer.view());
    for (std::int64_t k = 0; k < count; ++k) EXPECT_EQ(host(k), expected(k)) << k;
  };
  const auto of = [](int rank) {
    return [rank](std::int64_t k) { return static_cast<int>(1000 * rank + k); };
  };
  for (std::int64_t k = 0; k < count; ++k) host(k) = of(comm.rank())(k);
  Kokkos::deep_copy(to_send.view(), host);
  const int next = (comm.rank() + 1) % comm.size();
  const int before = (comm.rank() + comm.size() - 1) % comm.size();
  for (const bool optional : {false, true}) {
    if (!optional && !something) continue;
    Kokkos::deep_copy(to_receive.view(), -1);
    Impl::mpi::Exchange exchange(transport, optional, piece);
    exchange.receive(to_receive, before, 7);
    exchange.send(to_send, next, 7, something);
    const bool came = exchange.wait();
    EXPECT_TRUE(came == (count > 0 && something) || !optional);
    Kokkos::fence();
    if (something) expect(to_receive, of(before));
  }
  transport.broadcast(to_send, comm.size() - 1);
  Kokkos::fence();
  expect(to_send, of(comm.size() - 1));
}

TEST(MpiTransport, MessagesInPieces) {
  for (const auto staging : {Impl::mpi::Staging::WhereNeeded, Impl::mpi::Staging::Always})
    for (const std::int64_t count : {0, 1, 5, 1000})
      for (const std::size_t piece : {std::size_t(4), std::size_t(24), std::size_t(0)})
        for (const bool something : {true, false}) {
          check_ring<Host>(staging, count, something, piece);
          check_ring<Exec>(staging, count, something, piece);
        }
}

/// @brief What one process asks for goes for all of them.
TEST(MpiTransport, OneProcessAsksForPinnedMemory) {
  constexpr const char* name = "WAVESCAN_MPI_PINNED";
  const bool asks = rank_of(world) == 0 && std::getenv(name) == nullptr;
  if (asks) setenv(name, "1", 1);
  check_ring<Exec>(Impl::mpi::Staging::WhereNeeded, 1000, true, 0);
  if (asks) unsetenv(name);
}

Numbers counting(std::int64_t n, std::int64_t first) {
  const Numbers v("v", static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) v(k) = first + k;
  return v;
}
std::int64_t sum_below(std::int64_t n) { return n * (n - 1) / 2; }

TEST(MpiTransport, MessagesOfTheUserAreLeftAlone) {
  const int rank = rank_of(world), size = size_of(world);
  int got = -1;
  const int mine = 100 + rank;
  MPI_Request requests[2];
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
  const Numbers in = counting(10, 10 * rank), out("out", 10);
  mpi::inclusive_scan(world, in, out);
  MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 1, world, &requests[1]);
  mpi::inclusive_scan(world, in, out);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(got, 100 + (rank + size - 1) % size);
  for (std::int64_t k = 0; k < 10; ++k) EXPECT_EQ(out(k), sum_below(10 * rank + k + 1));
}

TEST(MpiTransport, PartsOfACommunicatorScanAtTheSameTime) {
  const int rank = rank_of(world);
  MPI_Comm half = MPI_COMM_NULL, reversed = MPI_COMM_NULL;
  MPI_Comm_split(world, rank % 2, rank, &half);
  MPI_Comm_split(world, 0, -rank, &reversed);
  {
    const Numbers in = counting(6, 6 * rank_of(half)), out("out", 6), all("all", 6);
    const mpi::Scan<Host, Plus<std::int64_t>> plan(half, Host(), 1, 6);
    const mpi::Scan<Host, Plus<std::int64_t>> other(reversed, Host(), 1, 6);
    for (int turn = 0; turn < 20; ++turn) {
      // One half does many scans while the other one does few.
      for (int more = 0; more < (rank % 2 == 0 ? 5 : 1); ++more) plan.inclusive(in, out);
      other.exclusive(counting(6, 6 * rank_of(reversed)), all);
    }
    for (std::int64_t k = 0; k < 6; ++k) {
      EXPECT_EQ(out(k), sum_below(6 * rank_of(half) + k + 1));
      EXPECT_EQ(all(k), sum_below(6 * rank_of(reversed) + k));
    }
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

/// @brief Sums of floating-point numbers have the same bits in every run.
TEST(MpiTransport, SumsAreReproducible) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto blocks = Distribution::random(random, size_of(world), 5000);
  const auto values = random.values<double>(blocks.all());
  const auto count = static_cast<std::size_t>(blocks.count(rank_of(world)));
  const Kokkos::View<double*, Host> in("in", count), first("first", count), again("again", count);
  for (std::size_t k = 0; k < count; ++k)
    in(k) = values[static_cast<std::size_t>(blocks.first(rank_of(world))) + k];
  mpi::inclusive_scan(world, in, first);
  for (int turn = 0; turn < 5; ++turn) {
    mpi::inclusive_scan(world, in, again);
    for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(first(k), again(k));
  }
}

/// @brief What the free functions take besides: operators without identity, functions, weights.
TEST(MpiTransport, FreeFunctions) {
  const int rank = rank_of(world), size = size_of(world);
  const Numbers in = counting(5, 5 * rank), out("out", 5);
  const Kokkos::View<std::int64_t, Host> total("total");
  mpi::inclusive_scan(
      world, in, out, [](std::int64_t a, std::int64_t b) { return a > b ? a : b; },
      ScanOptions<>().carry_out(total));
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(out(k), in(k));
  EXPECT_EQ(total(), 5 * size - 1);
  mpi::exclusive_scan(world, "a label", Host(), in, out, std::int64_t(1000));
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(out(k), 1000 + sum_below(5 * rank + k));
  mpi::transform_inclusive_scan(world, in, out, Plus{}, [](std::int64_t x) { return 2 * x; });
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(out(k), 2 * sum_below(5 * rank + k + 1));
  mpi::transform_exclusive_scan(world, in, out, std::int64_t(1), Plus{},
                                [](std::int64_t x) { return 2 * x; });
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(out(k), 1 + 2 * sum_below(5 * rank + k));
  mpi::weighted_scan(world, in, std::int64_t(1), out);
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(out(k), sum_below(5 * rank + k + 1));
  mpi::weighted_exclusive_scan(world, in, std::int64_t(1), out);
  for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(out(k), sum_below(5 * rank + k));
}

}  // namespace
}  // namespace wavescan::Test
