// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "dithering.hpp"

#include <cstdint>
#include <floyd_steinberg.hpp>
#include <vector>

#include "views.hpp"

namespace wavescan_tool {
namespace {

wavescan_io::GrayImage from_levels(const wavescan_io::GrayImage& like,
                                   const std::vector<std::int32_t>& values, int levels) {
  wavescan_io::GrayImage result{like.rows, like.columns, 8, {}};
  result.pixels.reserve(values.size());
  for (const std::int32_t level : values)
    result.pixels.push_back(
        static_cast<std::uint16_t>((level * result.white() + (levels - 1) / 2) / (levels - 1)));
  return result;
}

}  // namespace

std::vector<std::int32_t> scaled(const wavescan_io::GrayImage& image, int levels) {
  const std::int64_t brightest = image.white();
  std::vector<std::int32_t> values;
  values.reserve(image.pixels.size());
  for (const std::int64_t pixel : image.pixels)
    values.push_back(static_cast<std::int32_t>(
        (((pixel * (levels - 1)) << FloydSteinberg::bits) + brightest / 2) / brightest));
  return values;
}

Dithered dither(const wavescan_io::GrayImage& image, int levels, wavescan::Schedule schedule) {
  const Exec exec;
  const auto values = to_device("image", scaled(image, levels), image.rows, image.columns);
  const ErrorDiffusion diffuse(exec, image.rows, image.columns, levels - 1, schedule);
  diffuse(values);
  exec.fence();
  return {from_levels(image, to_host(values), levels), diffuse.schedule()};
}

wavescan_io::GrayImage nearest_levels(const wavescan_io::GrayImage& image, int levels) {
  auto values = scaled(image, levels);
  const FloydSteinberg::Diffusion diffusion{levels - 1};
  for (std::int32_t& value : values) value = diffusion.level(value);
  return from_levels(image, values, levels);
}

}  // namespace wavescan_tool
