// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_StdAlgorithms.hpp>
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <algorithm>
#include <threads/Threads.hpp>
#if defined(WAVESCAN_PERF_TBB)
#include <tbb/global_control.h>

#include <execution>
#endif

// Selections of every second element, on average, to another array; and moves of rows in place.

namespace selections_benchmarks {
namespace {

using namespace wavescan::Perf;
using namespace wavescan::Perf::Threads;

struct Positive {
  KOKKOS_FUNCTION bool operator()(float x) const { return x > 0; }
};

struct Arrays {
  Arrays(const Exec& exec, std::int64_t n)
      : x(random_array<float>(exec, n)), y(random_array<float>(exec, n, 5)) {}
  Kokkos::View<float*, Exec::memory_space> x, y;
  Kokkos::View<std::int64_t, Exec::memory_space> count{"count"};
};

/// @param call call(exec, arrays)
template <class Call>
void add_selection(const char* problem, const char* program, std::int64_t bytes, const Call& call) {
  const bool is_slow = std::string(program) != "wavescan";
  add(
      problem, program, bytes,
      [=](const Exec& exec, std::int64_t n) -> Work {
        const Arrays a(exec, n);
        return {[=] {
                  call(exec, a);
                  benchmark::ClobberMemory();
                },
                [=] { return static_cast<double>(a.count()); }};
      },
      is_slow ? 22 : 25);
}

/// @brief Rows of 1000 floats get a column.
template <class Call>
void add_pad(const char* program, const Call& call) {
  add("pad<float>", program, 8, [=](const Exec& exec, std::int64_t n) -> Work {
    constexpr std::int64_t columns = 1000;
    const std::int64_t rows = n / columns;
    const auto memory = random_array<float>(exec, rows * (columns + 1));
    const Matrix<float> narrow(memory.data(), static_cast<std::size_t>(rows), columns);
    const Matrix<float> wide(memory.data(), static_cast<std::size_t>(rows), columns + 1);
    return {[=] {
              call(exec, narrow, wide);
              benchmark::ClobberMemory();
            },
            [=] { return last_of(memory); }};
  });
}

[[maybe_unused]] const bool registered = [] {
  namespace KE = Kokkos::Experimental;
  add_selection("copy_if<float>", "wavescan", 6, [](const Exec& exec, const Arrays& a) {
    wavescan::copy_if(exec, a.x, a.y, Positive(), a.count);
  });
  add_selection("copy_if<float>", "kokkos", 6, [](const Exec& exec, const Arrays& a) {
    benchmark::DoNotOptimize(KE::copy_if(exec, a.x, a.y, Positive()));
  });
  add_selection("copy_if<float>", "std_one_thread", 6, [](const Exec&, const Arrays& a) {
    benchmark::DoNotOptimize(
        std::copy_if(a.x.data(), a.x.data() + a.x.size(), a.y.data(), Positive()));
  });
#if defined(WAVESCAN_PERF_TBB)
  add_selection("copy_if<float>", "std_par", 6, [](const Exec& exec, const Arrays& a) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(exec.concurrency()));
    benchmark::DoNotOptimize(std::copy_if(std::execution::par_unseq, a.x.data(),
                                          a.x.data() + a.x.size(), a.y.data(), Positive()));
  });
#endif
  add_selection("unique<float>", "wavescan", 8, [](const Exec& exec, const Arrays& a) {
    wavescan::unique_copy(exec, a.x, a.y, a.count);
  });
  add_selection("partition<float>", "wavescan", 8, [](const Exec& exec, const Arrays& a) {
    wavescan::partition(exec, a.x, a.y, Positive(), a.count);
  });
  add_pad("wavescan", [](const Exec& exec, const auto& narrow, const auto& wide) {
    wavescan::pad(exec, narrow, wide);
  });
  return true;
}();

}  // namespace
}  // namespace selections_benchmarks
