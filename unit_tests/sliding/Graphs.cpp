// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

// Plans in CUDA graphs: calls are captured once and replayed on changed input.

#if defined(KOKKOS_ENABLE_CUDA)

#include <WaveScan_Pad.hpp>

#include "CheckSliding.hpp"

namespace sliding_graphs {
namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::Cuda;

void succeed(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

/// Sets all arrays anew, from a salt that the device knows.
struct Restore {
  Kokkos::View<std::int32_t, Exec> salt;
  Kokkos::View<std::int32_t*, Exec> x, runs, memory;
  Kokkos::View<std::int32_t* [3], Exec> rows;
  static KOKKOS_FUNCTION std::int32_t value(std::int64_t i, std::int32_t salt) {
    return static_cast<std::int32_t>((i * 37 + i / 7 * salt) % 100);
  }
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    x(i) = value(i, salt());
    runs(i) = static_cast<std::int32_t>(i / (salt() + 1));
    memory(i) = static_cast<std::int32_t>(i) + salt();
    for (int j = 0; j < 3; ++j) rows(i, j) = value(i + j, salt());
  }
};
struct FirstBelow {
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row) const {
    return row[0] < 50;
  }
};

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

TEST(SlidingGraphs, ReplayCalls) {
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1, 1)[0];
  const std::int64_t n = 300'000, columns = 100, padded = 101;
  const Kokkos::View<std::int32_t, Exec> salt("salt");
  const Kokkos::View<std::int32_t*, Exec> x("x", n), y("y", n), runs("runs", n),
      memory("memory", n / columns * padded);
  const Kokkos::View<std::int32_t* [3], Exec> rows("rows", n);
  const Kokkos::View<std::int64_t, Exec> kept("kept"), parted("parted"), once("once"),
      rows_kept("rows kept");
  using Matrix = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec>;
  const Matrix narrow(memory.data(), n / columns, columns),
      wide(memory.data(), n / columns, padded);
  const auto select = Selection<Exec>::like(exec, x);
  const auto select_rows = Selection<Exec>::like(exec, rows);
  const auto part = Partition<Exec>::like(exec, x);
  const auto padding = Padding<Exec>::like(exec, narrow);
  Kokkos::fence();
  const auto enqueue = [&] {
    Kokkos::parallel_for("restore",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         Restore{salt, x, runs, memory, rows});
    select.copy_if(x, y, Below{50}, kept);
    part.partition(x, x, Below{50}, parted);
    select.unique(runs, SameKey(), once);
    select_rows.remove_if(rows, FirstBelow(), rows_kept);
    padding.pad(narrow, wide, PadOptions().fill(-1));
  };
  enqueue();  // whatever is loaded or set at the first call
  exec.fence();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  succeed(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeRelaxed));
  enqueue();
  succeed(cudaStreamEndCapture(exec.cuda_stream(), &graph));
  succeed(cudaGraphInstantiate(&replay, graph, 0));

  for (const std::int32_t s : {3, 1, 8}) {
    SCOPED_TRACE("salt " + std::to_string(s));
    Kokkos::deep_copy(exec, salt, s);
    succeed(cudaGraphLaunch(replay, exec.cuda_stream()));
    exec.fence();
    std::vector<std::int32_t> below, others, rows_left;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t value = Restore::value(i, s);
      (value < 50 ? below : others).push_back(value);
      if (value >= 50)
        for (int j = 0; j < 3; ++j) rows_left.push_back(Restore::value(i + j, s));
    }
    const auto below_count = static_cast<std::int64_t>(below.size());
    EXPECT_EQ(on_host(kept)(), below_count);
    EXPECT_EQ(on_host(parted)(), below_count);
    EXPECT_EQ(on_host(once)(), (n + s) / (s + 1));
    EXPECT_EQ(on_host(rows_kept)(), n - below_count);
    const auto hx = on_host(x), hy = on_host(y), hr = on_host(runs), hm = on_host(memory);
    const auto hrows = on_host(rows);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (i < below_count) wrong += hy(i) != below[k];
      wrong += hx(i) != (i < below_count ? below[k] : others[k - below.size()]);
      if (i < (n + s) / (s + 1)) wrong += hr(i) != i;
      if (i < n - below_count)
        for (int j = 0; j < 3; ++j)
          wrong += hrows(i, j) != rows_left[3 * k + static_cast<std::size_t>(j)];
      wrong += hm(i / columns * padded + i % columns) != i + s;
    }
    for (std::int64_t i = 0; i < n / columns; ++i) wrong += hm(i * padded + columns) != -1;
    EXPECT_EQ(wrong, 0);
  }
  succeed(cudaGraphExecDestroy(replay));
  succeed(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace sliding_graphs

#endif
