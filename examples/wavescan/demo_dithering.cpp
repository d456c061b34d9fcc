// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Wavefront.hpp>
#include <floyd_steinberg.hpp>

#include <vector>

#include "demo.hpp"
#include "dithering.hpp"
#include "panels.hpp"
#include "views.hpp"

namespace wavescan_tool {

void demo_dithering(Demo& demo) {
  demo.heading("A photograph in black and white: error diffusion");
  const auto image = wavescan_io::read_png(demo.data / "camera.png");
  constexpr int levels = 2;
  const auto dithered = dither(image, levels, demo.session.schedule);
  write_png(demo.file("dithering.png"),
            side_by_side({{"photograph", image},
                          {"each pixel's nearest level", nearest_levels(image, levels)},
                          {"error diffusion", dithered.image}})
                .picture());
  demo.session.result["dithering"] = {{"levels", levels},
                                      {"schedule", to_string(dithered.schedule)}};

  const FloydSteinberg loop{levels - 1};
  std::vector<float> start;
  for (const auto pixel : image.pixels)
    start.push_back(static_cast<float>(pixel) / static_cast<float>(image.white()));
  const auto given = to_device("image", start, image.rows, image.columns);
  const DeviceMatrix<float> values("values", image.rows, image.columns);
  const DeviceMatrix<float> errors("errors", image.rows, image.columns);
  const Exec exec;
  const wavescan::Wavefront<Exec, FloydSteinberg> plan(exec, static_cast<std::int64_t>(image.rows),
                                                       static_cast<std::int64_t>(image.columns),
                                                       {.schedule = demo.session.schedule});
  const double wavescan_time = best_time([&] {
    Kokkos::deep_copy(exec, values, given);
    Kokkos::deep_copy(exec, errors, given);
    plan(loop, errors);
    set_levels(exec, loop, errors, values);
  });
  std::vector<float> plain;
  const double plain_time = best_time([&] {
    plain = start;
    diffuse_errors(plain, image.rows, image.columns, loop.highest);
  });
  demo.require_agreement(to_host(values) == plain, "error diffusion");
  demo.timings.push_back(
      {"error diffusion, " + std::to_string(image.rows) + " x " + std::to_string(image.columns),
       plain_time, wavescan_time});
}

}  // namespace wavescan_tool
