// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_CALLS_SOR_HPP
#define WAVESCAN_PERF_CALLS_SOR_HPP

#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>

#include <string>

#include "Calls.hpp"

namespace wavescan::Perf {

template <class T>
using Box = Kokkos::View<T***, Kokkos::LayoutRight, Exec::memory_space>;

template <class T>
void add_sor(const std::string& type) {
  for (const int sweeps : {1, 16})
    add("sor_sweeps<" + type + ">/sweeps:" + std::to_string(sweeps), sides, Beside::Both,
        [sweeps](const Exec& exec, Index n) -> Calls {
          const auto x = square<T>(exec, n);
          const auto c = mean_of_five<T>();
          const SOR<Exec, T> plan(exec, n, n);
          const auto loop = [=] {
            for (int sweep = 0; sweep < sweeps; ++sweep)
              for (Index i = 1; i < n - 1; ++i)
                for (Index j = 1; j < n - 1; ++j)
                  x(i, j) =
                      T(0.2) * (x(i, j) + x(i, j - 1) + x(i - 1, j) + x(i, j + 1) + x(i + 1, j));
          };
          return {[=] { sor_sweeps(exec, x, c, sweeps); }, [=] { plan.sweeps(x, c, sweeps); },
                  loop};
        });
  add("sor_sweeps_3d<" + type + ">/sweeps:8", {18, 66, 130, 258, 386}, Beside::Plan,
      [](const Exec& exec, Index n) -> Calls {
        const auto size = static_cast<std::size_t>(n);
        const Box<T> x("x", size, size, size);
        Kokkos::deep_copy(exec, x, T(1));
        const auto c = poisson_3d<T>(T(1.5), T(1) / static_cast<T>(n));
        const SOR3D<Exec, T> plan(exec, n, n, n);
        return {[=] { sor_sweeps(exec, x, c, 8); }, [=] { plan.sweeps(x, c, 8); }, {}};
      });
}

}  // namespace wavescan::Perf

#endif
