// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#pragma once

#include <WaveScan_MPI_SOR.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "Distributed.hpp"

namespace distributed {

/// @brief The fraction of a pass in which a process relaxes points of its own for the first time:
/// those that are relaxed twice for speculation, or a pipeline of so many processes that fills,
/// pass by pass, or in grids of processes sweep by sweep.
template <class T>
double model_of_sor(double omega, std::int64_t rows, std::int64_t columns, int sweeps,
                    const wavescan::mpi::SOROptions& options) {
  const int depth = 8;
  const int down = processes / options.process_columns, across = options.process_columns;
  if (options.scheme == wavescan::mpi::SORScheme::Pipeline) {
    const int others = down + across - 2;
    const int waits = across == 1 ? depth * others : others + 2 * (sweeps / depth - 1);
    return static_cast<double>(sweeps) / (sweeps + waits);
  }
  const int overlap = wavescan::Impl::sor::speculation_overlap<T>(-omega / 4, -omega / 4, depth);
  const auto own = [&](int blocks, std::int64_t length) {
    return blocks == 1
               ? 1.0
               : static_cast<double>(length) / static_cast<double>(length + overlap + depth);
  };
  return own(down, rows) * own(across, columns);
}

/// @brief Numbers between 0 and 1, without a pattern.
template <class T>
struct Noise {
  Matrix<T> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    const std::int64_t k = i * static_cast<std::int64_t>(x.extent(1)) + j;
    const auto u = static_cast<std::uint64_t>(k);
    const std::uint64_t bits = (u * u + 0x9e3779b9) * 0xbf58476d1ce4e5b9;
    x(i, j) = static_cast<T>(bits >> 40) / (1 << 24);
  }
};
template <class T>
void fill_with_noise(const Matrix<T>& x) {
  Kokkos::parallel_for(
      "noise",
      Kokkos::MDRangePolicy<Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>(
          {0, 0}, {static_cast<std::int64_t>(x.extent(0)), static_cast<std::int64_t>(x.extent(1))}),
      Noise<T>{x});
}

/// @param rows   of this process
/// @param copies whether an array is measured, too, that is not the plan's
template <class T, class Inputs = wavescan::SORInputs<>>
void sor(const std::string& name, double omega, std::int64_t rows, std::int64_t columns,
         const wavescan::mpi::SOROptions& options, bool copies = false, const Inputs& inputs = {}) {
  constexpr int sweeps = 16;
  const bool pipeline = options.scheme == wavescan::mpi::SORScheme::Pipeline;
  const double model = model_of_sor<T>(omega, rows, columns, sweeps, options);
  if (!pipeline && model < 0.5) return;
  const Matrix<T> x("x", extent(rows + 2), extent(columns + 2));
  fill_with_noise(x);
  wavescan::SOR<Exec, T> plain(Exec(), rows + 2, columns + 2);
  wavescan::mpi::SOROptions alone = options;
  alone.process_columns = 1;
  wavescan::mpi::SOR<Exec, T> on_world(world, Exec(), rows + 2, columns + 2, options),
      on_self(self, Exec(), rows + 2, columns + 2, alone);
  fill_with_noise<T>(on_world.array());
  const auto c = wavescan::poisson<T>(omega, 1);
  report(
      name,
      [&](MPI_Comm comm) {
        if (comm == world)
          on_world.sweeps(on_world.array(), c, sweeps, inputs);
        else
          on_self.sweeps(x, c, sweeps, inputs);
      },
      [&] { plain.sweeps(x, c, sweeps, inputs); }, model);
  if (processes > 1 && copies)
    report(
        name + ", copied",
        [&](MPI_Comm comm) { (comm == world ? on_world : on_self).sweeps(x, c, sweeps, inputs); },
        [&] { plain.sweeps(x, c, sweeps, inputs); }, model);
  if (own_rank == 0 && on_world.repeated_passes() > 0)
    std::printf("%46s %ld passes repeated\n", "", static_cast<long>(on_world.repeated_passes()));
}

template <class T>
void relaxations(const std::string& type, std::int64_t n) {
  using wavescan::mpi::SORScheme;
  for (const double omega : {1.0, 1.5, 1.9, 1.99})
    for (const auto scheme : {SORScheme::Speculation, SORScheme::Pipeline}) {
      if (scheme == SORScheme::Pipeline && omega != 1.5 && omega != 1.99) continue;
      char name[80];
      std::snprintf(name, sizeof name, "SOR, %s, omega %.2f, %s", type.c_str(), omega,
                    scheme == SORScheme::Pipeline ? "pipeline" : "speculation");
      sor<T>(name, omega, n, n, {.scheme = scheme},
             omega == 1.0 && scheme == SORScheme::Speculation);
    }
  const Matrix<unsigned char> mask("mask", extent(n + 2), extent(n + 2));
  Kokkos::deep_copy(Kokkos::subview(mask, Kokkos::make_pair(n / 4, n / 2), Kokkos::ALL), 1);
  const auto inputs = wavescan::SORInputs<>().mask(mask);
  sor<T>("SOR, " + type + ", omega 1.00, a quarter is fixed", 1, n, n, {}, false, inputs);
  for (int across = 2; across <= processes; ++across) {
    if (processes % across != 0) continue;
    const std::string grid =
        ", " + std::to_string(processes / across) + " x " + std::to_string(across) + " processes";
    const wavescan::mpi::SOROptions options{.process_columns = across};
    sor<T>("SOR, " + type + ", omega 1.00" + grid, 1, n, n, options, true);
    sor<T>("SOR, " + type + ", omega 1.50" + grid, 1.5, n, n, options);
    sor<T>("SOR, " + type + ", a quarter is fixed" + grid, 1, n, n, options, false, inputs);
    sor<T>("SOR, " + type + ", omega 1.99, pipeline" + grid, 1.99, n, n,
           {.scheme = SORScheme::Pipeline, .process_columns = across});
  }
}

}  // namespace distributed
