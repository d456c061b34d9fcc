// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <vector>

#include "Calls.hpp"

namespace images_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;

void add_images() {
  const auto table = [](const Exec& exec, const auto& image, const auto& sums) -> Calls {
    using Pixel = typename std::remove_cvref_t<decltype(image)>::value_type;
    using T = typename std::remove_cvref_t<decltype(sums)>::value_type;
    const auto n = static_cast<Index>(image.extent(0));
    const SummedAreaTable<Exec, Pixel, T> plan(exec, n, n);
    return {[=] { summed_area_table(exec, image, sums); }, [=] { plan(image, sums); },
            [=] {
              for (Index i = 0; i < n; ++i) {
                T row = 0;
                for (Index j = 0; j < n; ++j) {
                  row += static_cast<T>(image(i, j));
                  sums(i, j) = i == 0 ? row : row + sums(i - 1, j);
                }
              }
            }};
  };
  add("summed_area_table<float>", sides, Beside::Both, [=](const Exec& exec, Index n) {
    return table(exec, square<float>(exec, n), square<float>(exec, n));
  });
  add("summed_area_table<uint8,uint32>", sides, Beside::Both, [=](const Exec& exec, Index n) {
    return table(exec, square<std::uint8_t>(exec, n), square<std::uint32_t>(exec, n));
  });
  add("integral_histogram<uint8>/bins:32", {32, 128, 512, 1024, 2048}, Beside::Plan,
      [](const Exec& exec, Index n) -> Calls {
        const auto image = square<std::uint8_t>(exec, n);
        const auto size = static_cast<std::size_t>(n);
        const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec::memory_space> counts(
            "counts", 32, size, size);
        const UniformBins<int> bins{0, 256, 32};
        const IntegralHistogram<Exec, std::uint8_t, UniformBins<int>, std::uint32_t> plan(exec, 32,
                                                                                          n, n);
        return {[=] { integral_histogram(exec, image, bins, counts); },
                [=] { plan(image, bins, counts); },
                {}};
      });
}

[[maybe_unused]] const bool registered = [] {
  add_images();
  return true;
}();

}  // namespace
}  // namespace images_benchmarks
