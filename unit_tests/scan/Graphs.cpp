// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Graph.hpp>
#include <concepts>
#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// Plans in CUDA graphs: what a plan enqueues can be captured once and replayed on changed input.

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::Cuda;
using Value = std::uint32_t;

void succeed(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

/// An instance with a stream of its own.
class Stream {
 public:
  Stream() { succeed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { succeed(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Exec exec() const { return Exec(stream_); }

 private:
  cudaStream_t stream_ = nullptr;
};

struct Multiply {
  Kokkos::View<const Value*, Exec> x;
  Kokkos::View<Value*, Exec> y;
  Value factor;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const { y(j) = factor * x(j); }
};

/// Calls of plans of all kinds, from one array into a few others.
class Work {
 public:
  /// @param n elements, a multiple of 1000
  Work(const Exec& exec, std::int64_t n)
      : exec_(exec),
        n_(n),
        x_("x", n),
        input_("input", n),
        w_("w", n),
        sums_("sums", n),
        weighted_("weighted", n),
        many_("many", n),
        rows_("rows", n / 1000, 1000),
        columns_("columns", 1000, n / 1000),
        carry_("carry"),
        sum_(exec, 1, n),
        recurrence_(exec, 1, n),
        row_sum_(exec, n / 1000, 1000) {
    Random random;
    values_ = random.values<Value>(n);
    weights_ = random.values<Value>(n);
    Kokkos::deep_copy(x_, host(values_));
    Kokkos::deep_copy(w_, host(weights_));
    Kokkos::fence();
  }

  /// Replaces the input; every result is to be multiplied by the same factor.
  void multiply_input(Value factor) const {
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec_, 0, n_), Multiply{x_, input_, factor});
  }

  void enqueue() const {
    const Kokkos::View<Value**, Kokkos::LayoutRight, Exec> in_rows(input_.data(), n_ / 1000, 1000);
    const Kokkos::View<Value**, Kokkos::LayoutLeft, Exec> in_columns(input_.data(), 1000,
                                                                     n_ / 1000);
    sum_.exclusive(input_, sums_, ScanOptions().carry_out(carry_));
    recurrence_.weighted(input_, Value(5), weighted_);
    recurrence_.weighted(input_, w_, many_);
    row_sum_.inclusive(in_rows, rows_);
    row_sum_.inclusive(in_columns, columns_, ScanOptions().axis(0));
  }

  void check(Value factor) const {
    exec_.fence();
    std::vector<Value> x;
    for (const Value v : values_) x.push_back(factor * v);
    const auto add = [](Value s, Value v, std::size_t) { return s + v; };
    const auto sums = scan_line<Value>(x, std::nullopt, 0u, add);
    ASSERT_TRUE(equal(values(sums_), sums.exclusive));
    ASSERT_TRUE(equal(values(Kokkos::View<Value*, Exec>(carry_.data(), 1)), {sums.last}));
    ASSERT_TRUE(equal(values(weighted_),
                      scan_line<Value>(x, std::nullopt, 0u, [](Value s, Value v, std::size_t) {
                        return 5 * s + v;
                      }).inclusive));
    ASSERT_TRUE(equal(values(many_),
                      scan_line<Value>(x, std::nullopt, 0u, [&](Value s, Value v, std::size_t j) {
                        return weights_[j] * s + v;
                      }).inclusive));
    std::vector<Value> rows;
    for (std::int64_t k = 0; k < n_; ++k)
      rows.push_back((k % 1000 == 0 ? 0 : rows.back()) + x[static_cast<std::size_t>(k)]);
    ASSERT_TRUE(equal(values(Kokkos::View<Value*, Exec>(rows_.data(), n_)), rows));
    ASSERT_TRUE(equal(values(Kokkos::View<Value*, Exec>(columns_.data(), n_)), rows));
  }

 private:
  static Kokkos::View<const Value*, Kokkos::HostSpace> host(const std::vector<Value>& v) {
    return Kokkos::View<const Value*, Kokkos::HostSpace>(v.data(), v.size());
  }
  static std::vector<Value> values(const Kokkos::View<Value*, Exec>& view) {
    std::vector<Value> v(view.size());
    Kokkos::deep_copy(Kokkos::View<Value*, Kokkos::HostSpace>(v.data(), v.size()), view);
    return v;
  }

  Exec exec_;
  std::int64_t n_;
  std::vector<Value> values_, weights_;
  Kokkos::View<Value*, Exec> x_, input_, w_, sums_, weighted_, many_;
  Kokkos::View<Value**, Kokkos::LayoutRight, Exec> rows_;
  Kokkos::View<Value**, Kokkos::LayoutLeft, Exec> columns_;
  Kokkos::View<Value, Exec> carry_;
  Scan<Exec, Plus<Value>> sum_;
  Scan<Exec, PlusTimes<Value>> recurrence_;
  Scan<Exec, Plus<Value>> row_sum_;
};

/// Replays `launch()` on ever other input, with calls outside of the graph between them.
template <class Launch>
void replay(const Work& work, const Launch& launch) {
  for (Value k = 1; k <= cases_wanted(100); ++k) {
    work.multiply_input(2 * k + 1);
    launch();
    if (k % 10 != 0) continue;
    work.check(2 * k + 1);
    if (testing::Test::HasFatalFailure()) return;
    work.multiply_input(3);
    work.enqueue();
  }
}

class ScanGraphs : public testing::TestWithParam<std::int64_t> {};

TEST_P(ScanGraphs, CapturedFromAStream) {
  const Stream stream;
  const Exec exec = stream.exec();
  if (few_cases_wanted() && GetParam() > 100000) GTEST_SKIP() << "few cases are wanted";
  const Work work(exec, GetParam());
  work.enqueue();  // Kokkos itself may prepare something for the first launch of a kernel
  exec.fence();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  succeed(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
  work.enqueue();
  succeed(cudaStreamEndCapture(exec.cuda_stream(), &graph));
  ASSERT_NE(graph, nullptr);
  succeed(cudaGraphInstantiate(&executable, graph, 0));
  replay(work, [&] { succeed(cudaGraphLaunch(executable, exec.cuda_stream())); });
  exec.fence();
  succeed(cudaGraphExecDestroy(executable));
  succeed(cudaGraphDestroy(graph));
}

/// @brief An empty graph; Kokkos after 5.0 takes the device, by default this one, in place of an
/// instance.
template <class Graph>
Graph empty_graph(const Exec& exec) {
  if constexpr (std::constructible_from<Graph, const Exec&>)
    return Graph(exec);
  else
    return Graph();
}

TEST_P(ScanGraphs, CapturedByKokkos) {
  const Stream stream;
  const Exec exec = stream.exec();
  if (few_cases_wanted() && GetParam() > 100000) GTEST_SKIP() << "few cases are wanted";
  const Work work(exec, GetParam());
  work.enqueue();
  exec.fence();
  auto graph = empty_graph<Kokkos::Experimental::Graph<Exec>>(exec);
  graph.root_node().cuda_capture(exec, [&](const Exec&) { work.enqueue(); });
  graph.instantiate();
  replay(work, [&] { graph.submit(exec); });
  exec.fence();
}

INSTANTIATE_TEST_SUITE_P(Sizes, ScanGraphs, testing::Values(1000, 64000, 300000, 5000000));

}  // namespace

#endif
