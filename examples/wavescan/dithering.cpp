// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dithering.hpp"

#include <WaveScan_Wavefront.hpp>
#include <floyd_steinberg.hpp>
#include <vector>

#include "views.hpp"

namespace wavescan_tool {
namespace {

// The gray levels of an image, in which the levels it is to get are 1 apart.
std::vector<float> scaled(const wavescan_io::GrayImage& image, int levels) {
  const float scale = static_cast<float>(levels - 1) / static_cast<float>(image.white());
  std::vector<float> values;
  values.reserve(image.pixels.size());
  for (const auto pixel : image.pixels) values.push_back(static_cast<float>(pixel) * scale);
  return values;
}

wavescan_io::GrayImage from_levels(const wavescan_io::GrayImage& like,
                                   const std::vector<float>& values, int levels) {
  wavescan_io::GrayImage result{like.rows, like.columns, 8, {}};
  result.pixels.reserve(values.size());
  for (const float level : values)
    result.pixels.push_back(static_cast<std::uint16_t>(
        (static_cast<int>(level) * result.white() + (levels - 1) / 2) / (levels - 1)));
  return result;
}

}  // namespace

Dithered dither(const wavescan_io::GrayImage& image, int levels, wavescan::Schedule schedule) {
  const Exec exec;
  const FloydSteinberg loop{static_cast<float>(levels - 1)};
  const auto values = to_device("image", scaled(image, levels), image.rows, image.columns);
  const DeviceMatrix<float> errors("errors", image.rows, image.columns);
  Kokkos::deep_copy(exec, errors, values);
  const wavescan::Wavefront<Exec, FloydSteinberg> plan(exec, static_cast<std::int64_t>(image.rows),
                                                       static_cast<std::int64_t>(image.columns),
                                                       {.schedule = schedule});
  plan(loop, errors);
  plan.wait();
  set_levels(exec, loop, errors, values);
  exec.fence();
  return {from_levels(image, to_host(values), levels), plan.schedule()};
}

wavescan_io::GrayImage nearest_levels(const wavescan_io::GrayImage& image, int levels) {
  auto values = scaled(image, levels);
  const FloydSteinberg::Diffusion diffusion{static_cast<float>(levels - 1)};
  for (float& value : values) value = diffusion.level(value);
  return from_levels(image, values, levels);
}

}  // namespace wavescan_tool
