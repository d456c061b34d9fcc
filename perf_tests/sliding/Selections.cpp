// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_StdAlgorithms.hpp>
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <sliding/Selections.hpp>
#include <string>
#include <utility>

// Selections, partitions and moves of rows, and the same by the standard library on one thread, by
// Kokkos' algorithms, and by memmove.

namespace selections_benchmarks {
namespace {

using namespace wavescan::Perf;
using namespace wavescan::Perf::Sliding;

template <class T>
void add_all() {
  using A = Arrays<T>;
  namespace KE = Kokkos::Experimental;
  add<T>("remove_if", "wavescan", false, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return [=] { wavescan::remove_if(exec, a.x, Drop{a.share}, a.count); };
  });
  add<T>("copy_if", "wavescan", false, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return [=] { wavescan::copy_if(exec, a.x, a.y, Keep{a.share}, a.count); };
  });
  add<T>("unique", "wavescan", true, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return [=] { wavescan::unique(exec, a.x, a.count); };
  });
  add<T>("unique", "wavescan_copy", true, 1, 1, Capture::Yes, [](const Exec& exec, const A& a) {
    return [=] { wavescan::unique_copy(exec, a.x, a.y, a.count); };
  });
  add<T>("partition", "wavescan", false, 2, 0, Capture::Yes, [](const Exec& exec, const A& a) {
    return [=] { wavescan::partition(exec, a.x, Keep{a.share}, a.count); };
  });
  add<T>("partition", "wavescan_copy", false, 2, 0, Capture::Yes, [](const Exec& exec, const A& a) {
    return [=] { wavescan::partition(exec, a.x, a.y, Keep{a.share}, a.count); };
  });
  if constexpr (!on_device) {
    const auto of = [](const A& a) { return std::pair(a.x.data(), a.x.data() + a.x.size()); };
    add<T>("remove_if", "std", false, 1, 1, Capture::No, [=](const Exec&, const A& a) {
      return [=] {
        benchmark::DoNotOptimize(std::remove_if(of(a).first, of(a).second, Drop{a.share}));
      };
    });
    add<T>("copy_if", "std", false, 1, 1, Capture::No, [=](const Exec&, const A& a) {
      return [=] {
        benchmark::DoNotOptimize(
            std::copy_if(of(a).first, of(a).second, a.y.data(), Keep{a.share}));
      };
    });
    add<T>("unique", "std", true, 1, 1, Capture::No, [=](const Exec&, const A& a) {
      return [=] { benchmark::DoNotOptimize(std::unique(of(a).first, of(a).second)); };
    });
    add<T>("partition", "std", false, 2, 0, Capture::No, [=](const Exec&, const A& a) {
      return [=] {
        benchmark::DoNotOptimize(std::stable_partition(of(a).first, of(a).second, Keep{a.share}));
      };
    });
  }
  add<T>("remove_if", "kokkos", false, 1, 1, Capture::No, [](const Exec& exec, const A& a) {
    return [=] { benchmark::DoNotOptimize(KE::remove_if(exec, a.x, Drop{a.share})); };
  });
  add<T>("copy_if", "kokkos", false, 1, 1, Capture::No, [](const Exec& exec, const A& a) {
    return [=] { benchmark::DoNotOptimize(KE::copy_if(exec, a.x, a.y, Keep{a.share})); };
  });
  add<T>("unique", "kokkos", true, 1, 1, Capture::No, [](const Exec& exec, const A& a) {
    return [=] { benchmark::DoNotOptimize(KE::unique(exec, a.x)); };
  });
}

struct DropRow {
  unsigned limit;
  template <class Row>
  KOKKOS_FUNCTION bool operator()(const Row& row) const {
    return row[0] >= limit;
  }
};
template <class Matrix>
struct FillRows {
  Matrix matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    matrix(i, 0) = static_cast<double>(Fill<double>::hash(i) % 100);
  }
};

/// In place, rows of doubles, of whose first column the predicate is; n doubles in all.
template <class Layout>
void add_rows(const std::string& layout) {
  using Matrix = Kokkos::View<double**, Layout, Exec>;
  for (const std::int64_t columns : {3, 16, 100})
    for (const unsigned share : {1u, 50u, 99u}) {
      const std::string name = "remove_if_rows<8>/" + std::to_string(share) + "/wavescan/" +
                               layout + "/columns:" + std::to_string(columns);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [=](benchmark::State& state) {
            const Exec exec;
            const std::int64_t rows = state.range(0) / columns;
            const Matrix source("source", rows, columns), x("x", rows, columns);
            const Kokkos::View<std::int64_t, Exec> count("count");
            Kokkos::parallel_for(
                "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows),
                FillRows<Matrix>{source});
            const double seconds = time(
                state, exec, [&] { wavescan::remove_if(exec, x, DropRow{share}, count); },
                [&] { Kokkos::deep_copy(exec, x, source); });
            report_bandwidth(state, exec,
                             static_cast<std::int64_t>(static_cast<double>(rows * columns * 8) *
                                                       (1 + share / 100.0)),
                             seconds);
          })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond)
          ->Apply([](benchmark::internal::Benchmark* b) {
            on_device ? powers_of_two(b, "n", 20, 28) : powers_of_two(b, "n", 20, 24);
          });
    }
}

/// In place, rows of `columns` to rows of some more; n elements in all. Peers move as many bytes.
void add_pads(std::int64_t columns, std::int64_t more) {
  using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
  const auto add_pad = [=](const std::string& program, const auto& setup) {
    const std::string name =
        "pad<4>/" + std::to_string(columns) + "+" + std::to_string(more) + "/" + program;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) {
                                   const Exec exec;
                                   const std::int64_t rows = state.range(0) / columns;
                                   const Kokkos::View<float*, Exec> memory("memory",
                                                                           rows * (columns + more));
                                   const Matrix narrow(memory.data(), rows, columns),
                                       wide(memory.data(), rows, columns + more);
                                   const auto work = setup(exec, narrow, wide);
                                   const double seconds = time(state, exec, work);
                                   report_bandwidth(state, exec, 2 * rows * columns * 4, seconds);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Apply([](benchmark::internal::Benchmark* b) {
          on_device ? powers_of_two(b, "n", 12, 28) : powers_of_two(b, "n", 16, 26);
        });
  };
  add_pad("wavescan", [](const Exec& exec, const Matrix& narrow, const Matrix& wide) {
    return [=] { wavescan::pad(exec, narrow, wide); };
  });
  add_pad("wavescan_unpad", [](const Exec& exec, const Matrix& narrow, const Matrix& wide) {
    return [=] { wavescan::unpad(exec, wide, narrow); };
  });
  if constexpr (!on_device) {
    add_pad("memmove_of_rows", [](const Exec&, const Matrix& narrow, const Matrix& wide) {
      return [=] {
        for (auto i = static_cast<std::int64_t>(narrow.extent(0)) - 1; i >= 0; --i)
          std::memmove(&wide(i, 0), &narrow(i, 0), narrow.extent(1) * sizeof(float));
        benchmark::ClobberMemory();
      };
    });
    add_pad("memmove", [](const Exec&, const Matrix& narrow, const Matrix& wide) {
      return [=] {
        std::memmove(wide.data() + wide.extent(0), narrow.data(), narrow.size() * sizeof(float));
        benchmark::ClobberMemory();
      };
    });
  }
}

[[maybe_unused]] const bool registered = [] {
  add_all<std::uint8_t>();
  add_all<std::uint16_t>();
  add_all<float>();
  add_all<double>();
  add_all<Blob<12>>();
  add_all<Blob<20>>();
  add_rows<Kokkos::LayoutRight>("right");
  add_rows<Kokkos::LayoutLeft>("left");
  add_pads(10, 1);
  add_pads(1000, 1);
  add_pads(4096, 1);
  add_pads(4096, 64);
  add_pads(4096, 4096);
  return true;
}();

}  // namespace
}  // namespace selections_benchmarks
