// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "tuning_measure.hpp"

#include <WaveScan_Wavefront.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <impl/tuning/WaveScan_MachineTuning.hpp>
#include <iterator>

#include "tuning_loops.hpp"
#include "views.hpp"

namespace wavescan_tool {
namespace {

using wavescan::LoopShape;
using wavescan::Schedule;
using wavescan::TileExtents;

constexpr bool on_host = wavescan::Impl::runs_on_host<Exec>;

/// A loop, and arrays for its inputs if it has any.
template <class Loop>
struct Prepared {
  using T = typename Loop::algebra_type::value_type;
  Loop loop{};
  std::vector<DeviceMatrix<T>> arrays;

  explicit Prepared(const LoopShape& shape) {
    if constexpr (requires { loop.fed; })
      for (auto& input : loop.fed) {
        arrays.emplace_back("input", static_cast<std::size_t>(shape.rows),
                            static_cast<std::size_t>(shape.columns));
        Kokkos::deep_copy(arrays.back(), T(0.125));
        input.values =
            wavescan::grid_of(Kokkos::View<const T**, Kokkos::LayoutRight, Exec>(arrays.back()));
      }
  }
};

/// The shortest of a few runs; a long one is run once.
template <class Loop>
double seconds_of(const LoopShape& shape, Schedule schedule, TileExtents tile) {
  using T = typename Loop::algebra_type::value_type;
  const Exec exec;
  const DeviceMatrix<T> array("array", static_cast<std::size_t>(shape.rows),
                              static_cast<std::size_t>(shape.columns));
  Kokkos::deep_copy(exec, array, T(1));
  wavescan::WavefrontOptions options;
  options.schedule = schedule;
  options.tile_rows = tile.rows;
  options.tile_columns = tile.columns;
  // Inside a halo, as the loops that look ahead need it.
  options.range = wavescan::IndexRange{1, shape.rows - 1, 1, shape.columns - 1};
  const Prepared<Loop> prepared(shape);
  const wavescan::Wavefront<Exec, Loop> plan(exec, shape.rows, shape.columns, options);
  double shortest = 0, total = 0;
  for (int run = 0; run < 6 && (run < 2 || total < 0.05); ++run) {
    exec.fence();
    Kokkos::Timer timer;
    plan(prepared.loop, array);
    exec.fence();
    const double seconds = timer.seconds();
    total += seconds;
    if (run == 0 && seconds < 0.25) continue;  // the first one warms up
    if (shortest == 0 || seconds < shortest) shortest = seconds;
    if (seconds >= 0.25) break;
  }
  return shortest;
}

template <class Loop>
Experiment experiment(const char* name, std::int64_t rows, std::int64_t columns) {
  const auto shape = wavescan::Impl::loop_shape<Loop>({0, rows, 0, columns});
  return {name, shape, [shape](Schedule schedule, TileExtents tile) {
            return seconds_of<Loop>(shape, schedule, tile);
          }};
}

using Maker = Experiment (*)(std::int64_t rows, std::int64_t columns);

constexpr Maker makers[] = {
    [](std::int64_t m, std::int64_t n) { return experiment<Summed>("summed int32", m, n); },
    [](std::int64_t m, std::int64_t n) { return experiment<Aligned>("aligned int32", m, n); },
    [](std::int64_t m, std::int64_t n) {
      return experiment<Relaxed<float>>("relaxed float", m, n);
    },
    [](std::int64_t m, std::int64_t n) {
      return experiment<Relaxed<double>>("relaxed double", m, n);
    },
    [](std::int64_t m, std::int64_t n) {
      return experiment<Varying<double>>("varying double", m, n);
    },
    [](std::int64_t m, std::int64_t n) { return experiment<Heavy<float>>("heavy float", m, n); },
    [](std::int64_t m, std::int64_t n) { return experiment<Fed<float>>("fed float", m, n); },
    [](std::int64_t m, std::int64_t n) {
      return experiment<Conducting<double>>("conducting double", m, n);
    },
};

/// Rows that are run one after the other, and tiles in the longest chain, cost at least so much.
bool hopeless(const LoopShape& shape, Schedule schedule) {
  const double entries = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  if (schedule == Schedule::Serial) return !on_host;
  if (schedule == Schedule::RowSweep) return shape.rows > (1 << 17);
  const double chain = static_cast<double>(shape.rows);
  return !on_host && entries < chain * 64 && chain > (1 << 20);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
/// As Linux tells it.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "an unknown processor";
}
#endif

}  // namespace

std::vector<Experiment> experiments(int count, std::int64_t most_entries) {
  // Sizes by quarters of powers of two, shapes from one extreme to the other, each with another
  // loop than its neighbours: a grid in which no line has one loop only.
  std::vector<Experiment> all;
  const int most = static_cast<int>(std::log2(static_cast<double>(most_entries)));
  constexpr int least = 12;
  for (int k = 0; k < count; ++k) {
    // Additive recurrences fill the rectangle of sizes and shapes evenly, however many there are.
    const double u = std::fmod(0.5 + k * 0.7548776662466927, 1.0);
    const double v = std::fmod(0.5 + k * 0.5698402909980532, 1.0);
    const double entries = least + u * (most - least);
    const double rows = 4 + v * (entries - 8);
    const auto size = [](double exponent) {
      return std::max<std::int64_t>(3, std::llround(std::exp2(exponent)));
    };
    all.push_back(
        makers[static_cast<std::size_t>(k) % std::size(makers)](size(rows), size(entries - rows)));
  }
  return all;
}

Observation observe(const Experiment& experiment) {
  Observation observation{experiment.shape, {}};
  for (const Schedule schedule : wavescan::schedules) {
    if (schedule == Schedule::Auto || hopeless(experiment.shape, schedule)) continue;
    observation.timings.push_back({schedule, experiment.run(schedule, {})});
  }
  return observation;
}

std::vector<wavescan::Tuning::Tile> fastest_tiles(std::int64_t most_entries) {
  std::vector<wavescan::Tuning::Tile> tiles;
  if (!on_host) return tiles;  // the kernels of GPUs have tiles of their own
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(most_entries)));
  for (const Schedule schedule : {Schedule::TileCompensated, Schedule::TileSkewed})
    for (const Experiment& e : {experiment<Relaxed<float>>("relaxed float", side, side),
                                experiment<Relaxed<double>>("relaxed double", side, side)}) {
      TileExtents best;
      double shortest = 0;
      for (const std::int64_t rows : {8, 16, 32, 64})
        for (const std::int64_t columns : {128, 256, 512, 1024, 2048, 4096}) {
          const double seconds = e.run(schedule, {rows, columns});
          if (shortest > 0 && seconds >= shortest) continue;
          best = {rows, columns};
          shortest = seconds;
        }
      tiles.push_back({schedule, e.shape.value_bytes, best});
    }
  return tiles;
}

std::int64_t tuning_entries() { return std::int64_t(1) << (on_host ? 22 : 26); }

std::string tuning_section() { return std::string(wavescan::Impl::tuning_section<Exec>()); }

std::string machine_name() {
  const Exec exec;
#if defined(KOKKOS_ENABLE_CUDA)
  return exec.cuda_device_prop().name;
#elif defined(KOKKOS_ENABLE_HIP)
  return exec.hip_device_prop().name;
#else
  return processor_name() + ", " + std::to_string(exec.concurrency()) + " threads of " +
         exec.name();
#endif
}

}  // namespace wavescan_tool
