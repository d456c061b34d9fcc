// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_FIGURES_HPP
#define WAVESCAN_PERF_FIGURES_HPP

#include <cstdint>
#include <string>

#include "Measure.hpp"

/// @file
/// @brief Registration of the figures of Hou et al. Benchmarks are named
/// figureN/problem/program/rows:M/columns:N, in figure 9 .../tile_rows:H/tile_columns:W.

namespace wavescan::Perf {

/// @brief Registers a program on arrays of 2^exponent entries, from few rows to few columns.
template <class L>
void add_shapes(const std::string& figure, const Program<L>& program, int exponent) {
  auto* const benchmark = benchmark::RegisterBenchmark(
      (figure + "/" + L::name + "/" + program.name).c_str(),
      [=](benchmark::State& state) { measure(state, program, state.range(0), state.range(1)); });
  benchmark->ArgNames({"rows", "columns"})->Iterations(1)->UseManualTime();
  for (int rows = 4; rows <= exponent - 4; rows += 2)
    benchmark->Args({std::int64_t(1) << rows, std::int64_t(1) << (exponent - rows)});
}

/// @brief Figure 6: rows with global synchronisation against tiles with flags between them.
template <class L>
void add_figure6() {
  constexpr int exponent = on_device ? 26 : 20;
  add_shapes("figure6", rows_global_program<L>(), exponent);
  add_shapes("figure6", tuned_tile_program<L>(), exponent);
}

/// @brief Figure 9: a program with tiles of some size on a large square.
template <class L>
void add_tile_size(const Program<L>& program, const TileSize& size) {
  const std::string name = std::string("figure9/") + L::name + "/" + program.name +
                           "/tile_rows:" + std::to_string(size.rows) +
                           "/tile_columns:" + std::to_string(size.columns);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 constexpr std::int64_t side = std::int64_t(1)
                                                               << (on_device ? 15 : 11);
                                 measure(state, program, side, side);
                               })
      ->Iterations(1)
      ->UseManualTime();
}

template <class L>
void add_figure9() {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  add_tile_size<L>(strips_program<L, 1, 8>(), {8, 32});
  add_tile_size<L>(strips_program<L, 2, 8>(), {8, 64});
  add_tile_size<L>(strips_program<L, 4, 8>(), {8, 128});
  add_tile_size<L>(strips_program<L, 8, 8>(), {8, 256});
  add_tile_size<L>(strips_program<L, 4, 1>(), {1, 128});
  add_tile_size<L>(strips_program<L, 4, 32>(), {32, 128});
#endif
  for (const Index rows : {8, 16, 32, 64})
    for (const Index columns : {128, 256, 512, 1024, 2048})
      add_tile_size<L>(team_tiles_program<L>({rows, columns}), {rows, columns});
  for (const TileSize& size : diagonal_sizes()) {
    add_tile_size<L>(tile_program<L>(size), size);
    add_tile_size<L>(hypertile_program<L>(size), size);
  }
}

/// @brief Figure 10: all programs over the aspect ratio.
template <class L>
void add_figure10() {
  constexpr int exponent = on_device ? 30 : 22;
  for (const Program<L>& program : all_programs<L>()) add_shapes("figure10", program, exponent);
}

}  // namespace wavescan::Perf

#endif
