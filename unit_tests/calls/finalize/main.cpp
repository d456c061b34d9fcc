// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// A program whose last free calls keep workspaces: Kokkos' finalization must release all of them.
#include <WaveScan_SOR.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_Workspaces.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

std::int64_t alive = 0;

bool is_ours(const char* label) { return std::string(label).starts_with("WaveScan::"); }

void call_all() {
  const Kokkos::View<double*> x("x", 100'000);
  const Kokkos::View<double**, Kokkos::LayoutRight> image("image", 100, 100), table("t", 100, 100);
  wavescan::inclusive_scan(x, x);
  wavescan::summed_area_table(image, table);
  wavescan::sor_sweeps(image, wavescan::mean_of_five<double>(), 4);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  namespace Tools = Kokkos::Tools::Experimental;
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                                       std::uint64_t) { alive += is_ours(label); });
  Tools::set_deallocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char* label,
                                         const void*, std::uint64_t) { alive -= is_ours(label); });
  call_all();
  const bool kept = wavescan::kept_workspace_bytes() > 0 && alive > 0;
  Kokkos::finalize();
  std::printf("%d workspaces are alive\n", static_cast<int>(alive));
  return kept && alive == 0 ? 0 : 1;
}
