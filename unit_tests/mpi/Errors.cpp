// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Scan.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "Distributed.hpp"

namespace wavescan::Test {
namespace {

using Vector = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

/// @brief What a call that fails somewhere throws here.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
int last_rank() { return size_of(world) - 1; }

Vector marked(std::size_t n) {
  const Vector v("v", n);
  Kokkos::deep_copy(v, -77);
  return v;
}
bool is_marked(const Vector& v) {
  for (std::size_t k = 0; k < v.size(); ++k)
    if (v(k) != -77) return false;
  return true;
}

TEST(MpiErrors, OfOneProcessAreSeenByAll) {
  const bool wrong = rank_of(world) == last_rank();
  const Vector in("in", 8), out = marked(wrong ? 7 : 8);
  const std::string text = message_of([&] { mpi::inclusive_scan(world, in, out); });
  EXPECT_TRUE(contains(text,
                       "WaveScan::mpi::inclusive_scan: argument 'out' must have at least the "
                       "extents of 'in'"))
      << text;
  EXPECT_EQ(contains(text, "(on rank " + std::to_string(last_rank()) + ")"), !wrong) << text;
  EXPECT_TRUE(is_marked(out));
}

TEST(MpiErrors, AxesAreCheckedTogether) {
  const Vector in("in", 8), out = marked(8);
  const int axis = rank_of(world) == last_rank() ? 3 : 0;
  const std::string text =
      message_of([&] { mpi::exclusive_scan(world, in, out, ScanOptions<>().axis(axis)); });
  EXPECT_TRUE(contains(text, "WaveScan::mpi::exclusive_scan: argument 'axis'")) << text;
  EXPECT_TRUE(is_marked(out));
}

TEST(MpiErrors, NumbersOfLinesThatDiffer) {
  if (size_of(world) == 1) return;
  const auto columns = static_cast<std::size_t>(rank_of(world) == 0 ? 3 : 4);
  const Kokkos::View<int**, Kokkos::HostSpace> in("in", 5, columns), out("out", 5, columns);
  const std::string text =
      message_of([&] { mpi::inclusive_scan(world, in, out, ScanOptions<>().axis(0)); });
  EXPECT_TRUE(contains(text, "argument 'lines' must be the same on all ranks")) << text;
}

TEST(MpiErrors, OperatorsThatDiffer) {
  if (size_of(world) == 1) return;
  const Vector in("in", 8), out = marked(8);
  const std::string text = message_of([&] {
    if (rank_of(world) == 0)
      mpi::inclusive_scan(world, in, out, Max{});
    else
      mpi::inclusive_scan(world, in, out, Min{});
  });
  EXPECT_TRUE(contains(text, "argument 'operation' must be the same on all ranks")) << text;
  EXPECT_TRUE(is_marked(out));
}

TEST(MpiErrors, CallsThatDiffer) {
  if (size_of(world) == 1) return;
  const Vector in("in", 8), out = marked(8);
  const mpi::Scan<Kokkos::DefaultHostExecutionSpace, Plus<std::int64_t>> plan(
      world, Kokkos::DefaultHostExecutionSpace(), 1, 8);
  const bool other = rank_of(world) == 0;
  const std::string text = message_of([&] {
    if (other)
      plan.inclusive(in, out);
    else
      plan.exclusive(in, out);
  });
  EXPECT_TRUE(contains(text, "argument 'operation'")) << text;
  const std::string direction =
      message_of([&] { plan.inclusive(in, out, ScanOptions<>().reverse(other)); });
  EXPECT_TRUE(contains(direction, "argument 'reverse'")) << direction;
  EXPECT_TRUE(is_marked(out));
  plan.inclusive(in, out);  // the plan works on
  EXPECT_FALSE(is_marked(out));
}

#if defined(KOKKOS_ENABLE_SERIAL)
TEST(MpiErrors, ExceptionsOfFunctionsReachAll) {
  const bool throws = rank_of(world) == 0;
  const Vector out = marked(8);
  const auto in = computed_input(8, [throws](std::int64_t i) -> std::int64_t {
    if (throws && i == 3) throw std::runtime_error("no such element");
    return i;
  });
  const std::string text =
      message_of([&] { mpi::inclusive_scan(world, Kokkos::Serial(), in, out); });
  EXPECT_TRUE(contains(text, "no such element")) << text;
  // The last process' elements are asked for when it scans them.
  EXPECT_TRUE(size_of(world) == 1 || is_marked(out));
}
/// @brief A function that throws only when it is asked for the second time, while others scan.
TEST(MpiErrors, LateExceptionsReachAll) {
  const bool throws = rank_of(world) == 0;
  int calls = 0;
  const Vector out = marked(8);
  const auto in = computed_input(8, [throws, &calls](std::int64_t i) -> std::int64_t {
    if (throws && ++calls > (size_of(world) == 1 ? 3 : 11)) throw std::runtime_error("no more");
    return i;
  });
  const std::string text =
      message_of([&] { mpi::inclusive_scan(world, Kokkos::Serial(), in, out); });
  EXPECT_TRUE(contains(text, "no more")) << text;
}
#endif

TEST(MpiErrors, NullCommunicators) {
  const Vector in("in", 8), out = marked(8);
  const std::string text = message_of([&] { mpi::inclusive_scan(MPI_COMM_NULL, in, out); });
  EXPECT_TRUE(contains(text,
                       "WaveScan::mpi::inclusive_scan: argument 'comm' must be a communicator, got "
                       "MPI_COMM_NULL"))
      << text;
}

}  // namespace
}  // namespace wavescan::Test
