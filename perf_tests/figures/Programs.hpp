// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_FIGURES_PROGRAMS_HPP
#define WAVESCAN_PERF_FIGURES_PROGRAMS_HPP

#include <WaveScan_Wavefront.hpp>
#include <algorithm>
#include <baselines/WaveScanPerf_Hypertile.hpp>
#include <baselines/WaveScanPerf_LibThrust.hpp>
#include <baselines/WaveScanPerf_Problems.hpp>
#include <baselines/WaveScanPerf_RowsGlobal.hpp>
#include <baselines/WaveScanPerf_Tile.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <support/WaveScanPerf_Sizes.hpp>
#include <vector>

#include "Work.hpp"

/// @file
/// @brief WaveScan's schedules and the baselines, as programs with one interface.

namespace wavescan::Perf {

/// @brief One of the library's schedules.
template <class L>
Program<L> schedule_program(Schedule schedule) {
  std::string name = to_string(schedule);
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return {name, schedule == Schedule::RowSweep ? Chain::Rows : Chain::LongerAxis,
          [=](const Exec& exec, const Case<Exec, L>& on) -> Work {
            const auto array = on.array();
            const auto plan = std::make_shared<Wavefront<Exec, L>>(
                exec, array.extent(0), array.extent(1),
                WavefrontOptions{.schedule = schedule, .range = on.range()});
            Work work{[plan, loop = on.loop(), array] { (*plan)(loop, array); }};
            work.label = to_string(plan->schedule());
            return work;
          }};
}

/// @brief Tiles as in the paper, of any size: the portable pipeline of TileCompensated, a team of
/// threads for a tile.
template <class L>
Program<L> team_tiles_program(const TileSize& size) {
  return {"team_tiles", Chain::LongerAxis, [=](const Exec& exec, const Case<Exec, L>& on) -> Work {
            const auto problem = on.problem();
            using Problem = typename Case<Exec, L>::problem_type;
            const int threads =
                on_device ? static_cast<int>(std::clamp<Index>(size.columns / 4, 32, 256)) : 1;
            const Impl::TilePipeline<Exec, Problem, Impl::CompensatedTile> pipeline(
                exec, Impl::AlgorithmOptions{problem.range, {size.rows, size.columns, threads}});
            return {[=] { pipeline.run(exec, problem); }};
          }};
}

#if defined(WAVESCAN_HAS_GPU_KERNELS)
/// @brief Other strips than the library's table has, for TileCompensated's kernel for GPUs.
/// @tparam Columns of a lane; a strip is as wide as those of a warp
/// @tparam Rows    for which a strip receives its left neighbours at once
template <class T, int Columns, int Rows>
struct StripSizes {
  static constexpr Impl::CompensatedSizes value{sizeof(T), Columns, 8, Rows, 16};
};

template <class L, int Columns, int Rows>
Program<L> strips_program() {
  return {"strips", Chain::LongerAxis, [](const Exec& exec, const Case<Exec, L>& on) -> Work {
            const auto problem = on.problem();
            using Problem = typename Case<Exec, L>::problem_type;
            using Sizes = StripSizes<Impl::LoopValue<L>, Columns, Rows>;
            using Strips = Impl::GpuWavefront<Problem, Impl::CompensatedKernel<Problem, Sizes>>;
            const Strips strips(exec, Impl::AlgorithmOptions{problem.range});
            return {[=] { strips.run(exec, problem); }};
          }};
}
#endif

template <class L>
Program<L> tile_program(const TileSize& size) {
  return {"tile", Chain::LongerAxis, [=](const Exec& exec, const Case<Exec, L>& on) -> Work {
            const Tile program(exec, on.problem(), size);
            return {[=] { program.run(); }};
          }};
}

template <class L>
Program<L> hypertile_program(const TileSize& size) {
  return {"hypertile", Chain::LongerAxis, [=](const Exec& exec, const Case<Exec, L>& on) -> Work {
            const Hypertile program(exec, on.problem(), size);
            return {[=] { program.run(); }, [=] { program.change_layout(); },
                    [=] { program.change_layout_back(); }};
          }};
}

/// @brief What the scratch memory of a team holds: 48 KiB on CUDA devices, 32 KiB on hosts.
inline std::vector<TileSize> diagonal_sizes() {
  std::vector<TileSize> sizes{{32, 64}, {32, 128}, {64, 64}, {128, 32}};
  if (on_device) sizes.insert(sizes.end(), {{32, 256}, {64, 128}, {128, 64}});
  return sizes;
}

/// @brief The size with which `program(size)` is fastest on a large square.
template <class L, class MakeProgram>
TileSize fastest_size(const Exec& exec, const MakeProgram& program) {
  constexpr std::int64_t side = std::int64_t(1) << (on_device ? 14 : 10);
  const Case<Exec, L> on(exec, side, side);
  TileSize fastest{};
  double least = std::numeric_limits<double>::infinity();
  for (const TileSize& size : diagonal_sizes()) {
    const Work work = program(size).start(exec, on);
    seconds_of(exec, work);  // the first launch takes longer
    const double seconds = seconds_of(exec, work);
    if (seconds < least) {
      least = seconds;
      fastest = size;
    }
  }
  return fastest;
}

/// @brief `program(size)` with the size that is fastest on this machine, found once. The label
/// tells it.
template <class L, class MakeProgram>
Program<L> tuned(const MakeProgram& program) {
  Program<L> result = program(TileSize{});
  result.start = [=](const Exec& exec, const Case<Exec, L>& on) {
    static const TileSize size = fastest_size<L>(exec, program);
    Work work = program(size).start(exec, on);
    work.label = std::to_string(size.rows) + " x " + std::to_string(size.columns);
    return work;
  };
  return result;
}

template <class L>
Program<L> tuned_tile_program() {
  return tuned<L>([](const TileSize& size) { return tile_program<L>(size); });
}
template <class L>
Program<L> tuned_hypertile_program() {
  return tuned<L>([](const TileSize& size) { return hypertile_program<L>(size); });
}

/// @brief What hypertile must do before and after if the array is stored by rows.
template <class L>
Program<L> transformation_program() {
  Program<L> program = tuned_hypertile_program<L>();
  program.name = "hypertile_transformation";
  program.changes_array = false;
  program.start = [hypertile = program.start](const Exec& exec, const Case<Exec, L>& on) -> Work {
    const Work there_and_back = hypertile(exec, on);
    return {[=] {
      there_and_back.before();
      there_and_back.after();
    }};
  };
  return program;
}

template <class L>
Program<L> rows_global_program() {
  return {"rows_global", Chain::Rows, [](const Exec& exec, const Case<Exec, L>& on) -> Work {
            const RowsGlobal program(exec, on.problem());
            return {[=] { program.run(); }};
          }};
}

/// @brief All that are compared in figure 10.
template <class L>
std::vector<Program<L>> all_programs() {
  std::vector<Program<L>> programs;
  for (const Schedule schedule : {Schedule::Auto, Schedule::TileCompensated, Schedule::RowSweep,
                                  Schedule::TileSkewed, Schedule::Serial})
    // One thread of an accelerator would take minutes.
    if (schedule != Schedule::Serial || !on_device)
      programs.push_back(schedule_program<L>(schedule));
  programs.push_back(tuned_tile_program<L>());
  programs.push_back(tuned_hypertile_program<L>());
  programs.push_back(transformation_program<L>());
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
  programs.push_back(
      {"lib_thrust", Chain::Rows, [](const Exec& exec, const Case<Exec, L>& on) -> Work {
         const LibThrust program(exec, on.problem());
         return {[=] { program.run(); }};
       }});
#endif
  programs.push_back(rows_global_program<L>());
  return programs;
}

}  // namespace wavescan::Perf

#endif
