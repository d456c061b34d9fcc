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
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <type_traits>

// Selections, partitions and moves of rows, and the same by the standard library on one thread, by
// Kokkos' algorithms, and by memmove.
//
// Benchmarks are named operation<bytes>/share/program/n:N, where the share is that of elements
// kept, in per cent. What they work on is restored before each call, untimed. The floor is a copy
// of the bytes that are read and written.

namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

/// A value of so many bytes, with a key from 0 to 99 in the first.
template <int Bytes>
struct Blob {
  std::uint8_t bytes[Bytes];
  KOKKOS_FUNCTION std::uint8_t key() const { return bytes[0]; }
  KOKKOS_FUNCTION friend bool operator==(const Blob& a, const Blob& b) {
    return a.bytes[0] == b.bytes[0] && a.bytes[Bytes - 1] == b.bytes[Bytes - 1];
  }
};
/// Whether an element's key is below a limit.
struct Keep {
  unsigned limit;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& t) const {
    if constexpr (std::is_arithmetic_v<T>)
      return t < static_cast<T>(limit);
    else
      return t.key() < limit;
  }
};
struct Drop {
  unsigned limit;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& t) const {
    return !Keep{limit}(t);
  }
};

/// Random keys; or runs, so that the share of elements that differ from the one before is `share`.
template <class T>
struct Fill {
  Kokkos::View<T*, Exec> view;
  unsigned share;
  bool runs;
  static KOKKOS_FUNCTION std::uint64_t hash(std::int64_t j) {
    std::uint64_t bits = static_cast<std::uint64_t>(j + 1) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9;
    return bits ^ (bits >> 30);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    std::int64_t from = j;
    if (runs)
      while (from > 0 && hash(from) % 100 >= share) --from;
    const auto key = static_cast<std::uint8_t>(runs ? from % 97 : hash(j) % 100);
    if constexpr (std::is_arithmetic_v<T>)
      view(j) = static_cast<T>(key);
    else
      view(j).bytes[0] = key;
  }
};

template <class T>
struct Arrays {
  Arrays(const Exec& exec, std::int64_t n, unsigned limit, bool runs)
      : source("source", n), x("x", n), y("y", n), share(limit) {
    Kokkos::parallel_for("fill",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         Fill<T>{source, limit, runs});
    exec.fence();
  }
  Kokkos::View<T*, Exec> source, x, y;
  Kokkos::View<std::int64_t, Exec> count{"count"};
  unsigned share;
};

/// What a program does: work(exec, arrays), after preparations that are not timed.
template <class T>
using Program = std::function<std::function<void()>(const Exec&, const Arrays<T>&)>;

/// @param of_input,of_kept how often all elements, or those kept, are read or written
template <class T>
void add(const std::string& operation, const std::string& program, bool runs, double of_input,
         double of_kept, const Program<T>& setup) {
  for (const unsigned share : {1u, 50u, 99u}) {
    const std::string name =
        operation + "<" + std::to_string(sizeof(T)) + ">/" + std::to_string(share) + "/" + program;
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          const Exec exec;
          const std::int64_t n = state.range(0);
          const Arrays<T> arrays(exec, n, share, runs);
          const auto work = setup(exec, arrays);
          const double seconds =
              time(state, exec, work, [&] { Kokkos::deep_copy(exec, arrays.x, arrays.source); });
          const double elements = static_cast<double>(n) * (of_input + of_kept * share / 100);
          report_bandwidth(state, exec, static_cast<std::int64_t>(elements * sizeof(T)), seconds);
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Apply([](benchmark::internal::Benchmark* b) { powers_of_two(b, "n", 16, 26); });
  }
}

template <class T>
void add_all() {
  using wavescan::Partition;
  using wavescan::Selection;
  using A = Arrays<T>;
  namespace KE = Kokkos::Experimental;
  add<T>("remove_if", "wavescan", false, 1, 1, [](const Exec& exec, const A& a) {
    const auto plan = Selection<Exec>::like(exec, a.x);
    return [=] { plan.remove_if(a.x, Drop{a.share}, a.count); };
  });
  add<T>("copy_if", "wavescan", false, 1, 1, [](const Exec& exec, const A& a) {
    const auto plan = Selection<Exec>::like(exec, a.x);
    return [=] { plan.copy_if(a.x, a.y, Keep{a.share}, a.count); };
  });
  add<T>("unique", "wavescan", true, 1, 1, [](const Exec& exec, const A& a) {
    const auto plan = Selection<Exec>::like(exec, a.x);
    return [=] { plan.unique(a.x, std::equal_to<T>(), a.count); };
  });
  add<T>("partition", "wavescan", false, 2, 0, [](const Exec& exec, const A& a) {
    const auto plan = Partition<Exec>::like(exec, a.x);
    return [=] { plan.partition(a.x, a.x, Keep{a.share}, a.count); };
  });
  if constexpr (!on_device) {
    const auto of = [](const A& a) { return std::pair(a.x.data(), a.x.data() + a.x.size()); };
    add<T>("remove_if", "std", false, 1, 1, [=](const Exec&, const A& a) {
      return [=] {
        benchmark::DoNotOptimize(std::remove_if(of(a).first, of(a).second, Drop{a.share}));
      };
    });
    add<T>("copy_if", "std", false, 1, 1, [=](const Exec&, const A& a) {
      return [=] {
        benchmark::DoNotOptimize(
            std::copy_if(of(a).first, of(a).second, a.y.data(), Keep{a.share}));
      };
    });
    add<T>("unique", "std", true, 1, 1, [=](const Exec&, const A& a) {
      return [=] { benchmark::DoNotOptimize(std::unique(of(a).first, of(a).second)); };
    });
    add<T>("partition", "std", false, 2, 0, [=](const Exec&, const A& a) {
      return [=] {
        benchmark::DoNotOptimize(std::stable_partition(of(a).first, of(a).second, Keep{a.share}));
      };
    });
  }
  add<T>("remove_if", "kokkos", false, 1, 1, [](const Exec& exec, const A& a) {
    return [=] { benchmark::DoNotOptimize(KE::remove_if(exec, a.x, Drop{a.share})); };
  });
  add<T>("copy_if", "kokkos", false, 1, 1, [](const Exec& exec, const A& a) {
    return [=] { benchmark::DoNotOptimize(KE::copy_if(exec, a.x, a.y, Keep{a.share})); };
  });
  add<T>("unique", "kokkos", true, 1, 1, [](const Exec& exec, const A& a) {
    return [=] { benchmark::DoNotOptimize(KE::unique(exec, a.x, std::equal_to<T>())); };
  });
}

/// In place, rows of `columns` to rows of one more; n elements in all. Peers move as many bytes.
void add_pads(std::int64_t columns) {
  using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;
  const auto add_pad = [=](const std::string& program, const auto& setup) {
    const std::string name = "pad<4>/" + std::to_string(columns) + "/" + program;
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          const Exec exec;
          const std::int64_t rows = state.range(0) / columns;
          const Kokkos::View<float*, Exec> memory("memory", rows * (columns + 1));
          const Matrix narrow(memory.data(), rows, columns), wide(memory.data(), rows, columns + 1);
          const auto work = setup(exec, narrow, wide);
          const double seconds = time(state, exec, work);
          report_bandwidth(state, exec, 2 * rows * columns * 4, seconds);
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Apply([](benchmark::internal::Benchmark* b) { powers_of_two(b, "n", 16, 26); });
  };
  using wavescan::Padding;
  add_pad("wavescan", [](const Exec& exec, const Matrix& narrow, const Matrix& wide) {
    const auto plan = Padding<Exec>::like(exec, narrow);
    return [=] { plan.pad(narrow, wide); };
  });
  add_pad("wavescan_unpad", [](const Exec& exec, const Matrix& narrow, const Matrix& wide) {
    const auto plan = Padding<Exec>::like(exec, wide);
    return [=] { plan.unpad(wide, narrow); };
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
  add_all<std::int32_t>();
  add_all<double>();
  add_all<Blob<12>>();
  add_all<Blob<20>>();
  add_pads(10);
  add_pads(1000);
  return true;
}();

}  // namespace
