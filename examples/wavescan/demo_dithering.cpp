// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <floyd_steinberg.hpp>

#include <cstdint>
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

  const auto start = scaled(image, levels);
  const auto given = to_device("image", start, image.rows, image.columns);
  const DeviceMatrix<std::int32_t> values("values", image.rows, image.columns);
  const Exec exec;
  const ErrorDiffusion diffuse(exec, image.rows, image.columns, levels - 1, demo.session.schedule);
  const double wavescan_time = best_time([&] {
    Kokkos::deep_copy(exec, values, given);
    diffuse(values);
  });
  std::vector<std::int32_t> plain;
  const double plain_time = best_time([&] {
    plain = start;
    diffuse_errors(plain, image.rows, image.columns, levels - 1);
  });
  demo.require_agreement(to_host(values) == plain, "error diffusion");
  demo.timings.push_back(
      {"error diffusion, " + std::to_string(image.rows) + " x " + std::to_string(image.columns),
       plain_time, wavescan_time});
}

}  // namespace wavescan_tool
