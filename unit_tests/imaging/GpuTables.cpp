// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdint>
#include <vector>

#include "gpu_tables.hpp"

/// @file
/// @brief All the ways in which the one-kernel tables of GPUs may be called.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test::GpuTables {
namespace {

TEST(GpuTables, Float) { expect_batches<float, float>(); }

TEST(GpuTables, ColumnMajor) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  for (const Batch& b : {Batch{40, 700, 1}, Batch{700, 40, 1}, Batch{300, 301, 4}})
    for (const std::int64_t gap : {0, 1, 7})
      expect_batch<float, float>(b, {gap, gap, true}, {gap, 1, true}, 0);
}

TEST(GpuTables, StridesThatNoKernelHereTakes) {
  const Exec exec;
  const GuardedArray<float, Exec> in(spread(40, 50)), out(row_major(40, 50));
  GpuTable<float, float> tables(exec, 40, 50, 1);
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
        tables_(exec, b.rows, b.columns, b.images) {}
  void enqueue() const {
    ASSERT_TRUE(tables_.enqueue(exec_, problem_of<float, float, NoSquares>(batch_, in_, out_)));
  }
  std::vector<float> values() const { return out_.values(); }

 private:
  Exec exec_;
  Batch batch_;
  Random random_;
  GuardedArray<float, Exec> in_, out_;
  GpuTable<float, float> tables_;
};

std::vector<Batch> different() {
  return {{1500, 2000, 1}, {3000, 200, 1}, {20000, 64, 1}, {60, 50000, 1}, {100, 100, 200}};
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

template <class Pixel, class T>
Impl::TableKernel kernel_for(const Batch& b, std::int64_t first = 0, std::int64_t gap = 0) {
  const Exec exec;
  // Only asked, never run: the memory need not be there.
  const auto at = [&]<class E>(E*) {
    return Grid<E>{reinterpret_cast<E*>(std::uintptr_t(1) << 40) + first, b.rows, b.columns,
                   b.columns + gap, 1};
  };
  TableProblem<Pixel, T, NoSquares> p;
  p.image = at(static_cast<const Pixel*>(nullptr));
  p.table = at(static_cast<T*>(nullptr));
  p.images = b.images;
  p.image_stride = p.table_stride = b.rows * (b.columns + gap);
  return GpuTable<Pixel, T>(exec, b.rows, b.columns, b.images).kernel(exec, p);
}

TEST(GpuTables, KernelOfEachSize) {
  if (!has_gpu_tables()) GTEST_SKIP() << "needs compute capability 9.0";
  using enum Impl::TableKernel;
  if (Exec().cuda_device_prop().multiProcessorCount != 132)
    GTEST_SKIP() << "written for 132 multiprocessors";
  const auto of_float = [](auto... how) { return kernel_for<float, float>(how...); };
  EXPECT_EQ(of_float(Batch{1024, 1024, 1}), Resident);
  EXPECT_EQ(of_float(Batch{256, 256, 100}), Walk);
  EXPECT_EQ(of_float(Batch{4096, 4096, 1}), Strips);
  EXPECT_EQ(of_float(Batch{4096, 4096, 1}, 1), Tiles) << "rows that are not aligned";
  EXPECT_EQ(of_float(Batch{16384, 16384, 1}), Strips);
  EXPECT_EQ(of_float(Batch{1000000, 64, 1}), Tall);
  EXPECT_EQ(of_float(Batch{1000000, 64, 1}, 0, 4), Tiles) << "rows with gaps";
  EXPECT_EQ(of_float(Batch{2048, 2048, 16}), Tiles);
  EXPECT_EQ(of_float(Batch{1, 1000000, 1}), None) << "a scan";
  EXPECT_EQ((kernel_for<std::uint8_t, std::uint32_t>(Batch{4096, 4096, 1})), Tiles);
  EXPECT_EQ((kernel_for<std::uint8_t, std::uint32_t>(Batch{8192, 8192, 1})), Strips);
}

}  // namespace
}  // namespace wavescan::Test::GpuTables

#endif
