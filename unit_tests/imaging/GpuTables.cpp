// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <vector>

#include "GpuTables.hpp"

/// @file
/// @brief All the ways in which plans of tables on GPUs may be called.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

TEST(GpuTables, ColumnMajor) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  using Types = TableTypes<float, float>;
  for (const Batch& b : {Batch{40, 700, 1}, Batch{700, 40, 1}, Batch{300, 301, 4}})
    for (const std::int64_t gap : {0, 1, 7})
      expect_tables_by<Types>(b, {gap, gap, true}, {gap, 1, true}, [](Decompositions& d) {
        d = Impl::sat::decompositions<Types>(d.shape, d.blocks);
      });
}

TEST(GpuTables, StridesThatNoKernelHereTakes) {
  const Exec exec;
  const GuardedArray<float, Exec> in(spread(40, 50)), out(row_major(40, 50));
  const GpuTable<TableTypes<float, float>> tables(exec, {1, 40, 50});
  EXPECT_FALSE(tables.enqueue(exec, problem_of<float, float, NoSquares>({40, 50, 1}, in, out)));
}

/// @brief A plan, an image, and tables that must come out alike every time.
class Repeated {
 public:
  Repeated(const Exec& exec, const Batch& b, std::uint64_t seed)
      : exec_(exec),
        batch_(b),
        random_(seed),
        in_(Pitch{3, 1}.place(b), random_.values<float>(b.all_rows() * b.columns)),
        out_(Pitch{1, 2}.place(b)),
        tables_(exec, {b.images, b.rows, b.columns}) {}
  void enqueue() const {
    ASSERT_TRUE(tables_.enqueue(exec_, problem_of<float, float, NoSquares>(batch_, in_, out_)));
  }
  std::vector<float> values() const { return out_.values(); }

 private:
  Exec exec_;
  Batch batch_;
  Random random_;
  GuardedArray<float, Exec> in_, out_;
  GpuTable<TableTypes<float, float>> tables_;
};

std::vector<Batch> different() {
  return {{1500, 2000, 1}, {3000, 200, 1}, {20000, 64, 1}, {60, 15000, 1}, {100, 100, 200}};
}

TEST(GpuTables, SameBitsEveryTime) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const Batch& b : different()) {
    const Repeated work(Exec(), b, 7);
    work.enqueue();
    const auto expected = work.values();
    for (std::int64_t k = 0; k < cases_wanted(100); ++k) {
      work.enqueue();
      if (k % 10 == 0) ASSERT_TRUE(same_bits(work.values(), expected));
    }
    ASSERT_TRUE(same_bits(work.values(), expected));
  }
}

TEST(GpuTables, InstancesSideBySide) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  std::vector<Repeated> works;
  std::vector<std::vector<float>> expected;
  for (const auto& exec : Kokkos::Experimental::partition_space(Exec(), 1, 1, 1)) {
    works.emplace_back(exec, different()[works.size()], works.size());
    works.back().enqueue();
    expected.push_back(works.back().values());
  }
  for (std::int64_t k = 0; k < cases_wanted(100); ++k)
    for (const Repeated& work : works) work.enqueue();
  for (std::size_t i = 0; i < works.size(); ++i)
    EXPECT_TRUE(same_bits(works[i].values(), expected[i]));
}

TEST(GpuTables, CapturedGraph) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  const auto succeed = [](cudaError_t error) {
    ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error);
  };
  for (const Batch& b : different()) {
    const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
    const Repeated work(exec, b, 11);
    work.enqueue();
    const auto expected = work.values();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    succeed(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal));
    work.enqueue();
    work.enqueue();
    succeed(cudaStreamEndCapture(exec.cuda_stream(), &graph));
    succeed(cudaGraphInstantiate(&executable, graph, 0));
    for (std::int64_t k = 0; k < cases_wanted(50); ++k) {
      succeed(cudaGraphLaunch(executable, exec.cuda_stream()));
      if (k % 7 == 0) work.enqueue();
    }
    EXPECT_TRUE(same_bits(work.values(), expected));
    succeed(cudaGraphExecDestroy(executable));
    succeed(cudaGraphDestroy(graph));
  }
}

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
