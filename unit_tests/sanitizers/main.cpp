// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <cstdio>
#include <cstring>

#include "Mixture.hpp"

// usage: WaveScan_mixture [PART...]     (default: all but planted-race)

int main(int argc, char** argv) {
  using namespace wavescan::Test;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  struct Part {
    const char* name;
    void (*run)();
    bool by_default = true;
  };
  for (const Part& part :
       {Part{"scans", run_scans}, Part{"segments", run_segments}, Part{"columns", run_columns},
        Part{"wavefronts", run_wavefronts}, Part{"sor", run_sor}, Part{"sor3d", run_sor3d},
        Part{"tables", run_tables}, Part{"histograms", run_histograms},
        Part{"sliding", run_sliding}, Part{"filters", run_filters},
        Part{"alignment", run_alignment}, Part{"flags", run_flags},
        Part{"planted-race", run_planted_race, false}}) {
    bool wanted = argc == 1 && part.by_default;
    for (int i = 1; i < argc; ++i) wanted |= std::strcmp(argv[i], part.name) == 0;
    if (!wanted) continue;
    part.run();
    Kokkos::fence();
    std::printf("%s: done\n", part.name);
  }
}
