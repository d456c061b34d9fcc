// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_CudaPeers.hpp>

#include "Images.hpp"

// Summed-area tables by two passes: scans of all rows, then of all columns in place. Rows by CUB,
// whose scans are those by key, or by WaveScan; columns by WaveScan, as CUB scans none.

namespace {

namespace ws = wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::Cuda;

struct RowOf {
  std::int64_t columns;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return k / columns; }
};

template <class T>
struct PixelAs {
  template <class Pixel>
  KOKKOS_FUNCTION T operator()(const Pixel& pixel) const {
    return static_cast<T>(pixel);
  }
};

/// @param rows rows(exec, image, table) returns the first pass
template <class Pixel, class T, class Rows>
void add(const std::string& type, const std::string& program, const Rows& rows) {
  add_images(
      "sat<" + type + ">", program, sizeof(Pixel) + sizeof(T), Shapes::Squares,
      [=](const Exec& exec, const Shape& s) -> Work {
        const auto image =
            Kokkos::subview(random_images<Pixel>(exec, s), 0, Kokkos::ALL, Kokkos::ALL);
        const auto table = Kokkos::subview(random_images<T>(exec, s), 0, Kokkos::ALL, Kokkos::ALL);
        const std::function<void()> first = rows(exec, image, table);
        return {[=] {
                  first();
                  ws::inclusive_scan(exec, table, table, ws::Plus<T>{}, ws::ScanOptions().axis(0));
                },
                [=] { return last_entry(table); }};
      });
}

constexpr auto rows_by_cub = [](const Exec& exec, const auto& image,
                                const auto& table) -> std::function<void()> {
  using T = typename std::decay_t<decltype(table)>::value_type;
  const auto pixels = thrust::make_transform_iterator(image.data(), PixelAs<T>{});
  const auto keys = computed(RowOf{static_cast<std::int64_t>(image.extent(1))});
  return with_workspace([=](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys, pixels, table.data(),
                                              static_cast<std::int64_t>(image.size()),
                                              ::cuda::std::equal_to<>(), exec.cuda_stream());
  });
};

constexpr auto rows_by_wavescan = [](const Exec& exec, const auto& image,
                                     const auto& table) -> std::function<void()> {
  return [=] { ws::inclusive_scan(exec, image, table); };
};

[[maybe_unused]] const bool registered = [] {
  add<float, float>("float", "cub_rows_then_columns", rows_by_cub);
  add<float, float>("float", "two_scans", rows_by_wavescan);
  add<std::uint8_t, std::uint32_t>("uint8,uint32", "cub_rows_then_columns", rows_by_cub);
  return true;
}();

}  // namespace

#endif
