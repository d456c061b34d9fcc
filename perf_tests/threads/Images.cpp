// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_ImageFilters.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <cstdint>
#include <threads/Threads.hpp>
#if defined(WAVESCAN_PERF_OPENCV)
#include <opencv2/imgproc.hpp>
#endif

// Summed-area tables, histograms and filters of square images.

namespace images_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using namespace wavescan::Perf::Threads;

/// @brief What one would write down: the rows, then the columns.
void two_passes(const Exec& exec, const Matrix<float>& image, const Matrix<float>& table) {
  const auto rows = static_cast<std::int64_t>(image.extent(0)),
             columns = static_cast<std::int64_t>(image.extent(1));
  Kokkos::parallel_for("rows", Range(exec, 0, rows), [=](std::int64_t i) {
    float sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) table(i, j) = sum += image(i, j);
  });
  const std::int64_t threads = exec.concurrency();
  Kokkos::parallel_for("columns", Range(exec, 0, threads), [=](std::int64_t t) {
    const std::int64_t begin = columns * t / threads, end = columns * (t + 1) / threads;
    for (std::int64_t i = 1; i < rows; ++i)
      for (std::int64_t j = begin; j < end; ++j) table(i, j) += table(i - 1, j);
  });
}

/// @param call call(exec, image, table)
template <class Call>
void add_table(const char* program, const Call& call) {
  add("table<float>", program, 8, [=](const Exec& exec, std::int64_t n) -> Work {
    const auto image = random_matrix<float>(exec, side_of(n), side_of(n)),
               table = random_matrix<float>(exec, side_of(n), side_of(n));
    return {[=] { call(exec, image, table); }, [=] { return last_of(table); }};
  });
}

[[maybe_unused]] const bool registered = [] {
  add_table("wavescan", [](const Exec& exec, const auto& image, const auto& table) {
    summed_area_table(exec, image, table);
  });
  add_table("two_passes", two_passes);
#if defined(WAVESCAN_PERF_OPENCV)
  add("table<float>", "opencv", 8, [](const Exec& exec, std::int64_t n) -> Work {
    const auto image = random_matrix<float>(exec, side_of(n), side_of(n)),
               table = random_matrix<float>(exec, side_of(n) + 1, side_of(n) + 1);
    const auto of = [](const Matrix<float>& m) {
      return cv::Mat(static_cast<int>(m.extent(0)), static_cast<int>(m.extent(1)), CV_32F,
                     m.data());
    };
    cv::setNumThreads(exec.concurrency());
    return {[=] { cv::integral(of(image), of(table), CV_32F); }, [=] { return last_of(table); }};
  });
#endif
  // n counts in 32 bins.
  add("histogram<uint8>", "wavescan", 4, [](const Exec& exec, std::int64_t n) -> Work {
    const std::int64_t side = side_of(n / 32);
    const auto image = random_matrix<std::uint8_t>(exec, side, side);
    const auto memory = random_array<std::uint32_t>(exec, 32 * side * side);
    const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec::memory_space> histogram(
        memory.data(), 32, image.extent(0), image.extent(1));
    return {[=] {
              integral_histogram(exec, image, UniformBins<int>{0, 256, 32}, histogram);
            },
            [=] { return last_of(memory); }};
  });
  add("box_filter<float>", "wavescan", 8, [](const Exec& exec, std::int64_t n) -> Work {
    const auto image = random_matrix<std::uint8_t>(exec, side_of(n), side_of(n));
    const auto table = random_matrix<std::uint32_t>(exec, side_of(n), side_of(n));
    const auto out = random_matrix<float>(exec, side_of(n), side_of(n));
    summed_area_table(exec, image, table);
    return {[=] { box_filter(exec, table, 15, out); }, [=] { return last_of(out); }};
  });
  return true;
}();

}  // namespace
}  // namespace images_benchmarks
