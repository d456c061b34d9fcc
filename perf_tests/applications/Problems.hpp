// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_APPLICATIONS_PROBLEMS_HPP
#define WAVESCAN_PERF_APPLICATIONS_PROBLEMS_HPP

#include <applications.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>

/// @file
/// @brief What the applications of scans, and those they are compared with, work on. Benchmarks are
/// named application/program/elements:N; 2^20 elements is what the thesis on the scan clause has
/// measured (Gomez Zegarra, chapter 6).

namespace wavescan::Perf::Applications {

using namespace applications;
using applications::Scan;  // not the one of wavescan
using std::int64_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

/// @brief One program's work on arrays that its functions hold.
struct Work {
  std::function<void()> run;
  std::function<double()> result;  ///< by which programs can be compared
  std::function<void()> prepare = [] {};
};
using Setup = std::function<Work(const Exec&, int64_t)>;

/// @param bytes of input and output for each element, each counted once
inline void add(const std::string& application, const std::string& program, double bytes,
                const Setup& setup) {
  auto* const added = benchmark::RegisterBenchmark(
      (application + "/" + program).c_str(), [=](benchmark::State& state) {
        const Exec exec;
        const int64_t n = state.range(0);
        const Work work = setup(exec, n);
        const double seconds = time(state, exec, work.run, work.prepare);
        report_bandwidth(state, exec, static_cast<int64_t>(bytes * static_cast<double>(n)),
                         seconds);
        report_rate(state, n, seconds, "elements/s");
        state.counters["result"] = work.result();
      });
  added->UseManualTime()->Unit(benchmark::kMicrosecond)->ArgName("elements");
  for (const int exponent : {20, 24, 27})
    if (on_device || exponent <= 24) added->Arg(int64_t(1) << exponent);
}

template <class T>
Array<T> array(const Exec& exec, int64_t n) {
  return Array<T>(Kokkos::view_alloc(exec, "array", Kokkos::WithoutInitializing), n);
}

/// @brief Random elements become element i of an array by `make(bits, i)`.
template <class T, class Make>
Array<T> made(const Exec& exec, int64_t n, const Make& make) {
  const auto bits = random_array<uint64_t>(exec, n);
  const Array<T> x = array<T>(exec, n);
  Kokkos::parallel_for(
      "make", Range(exec, 0, n),
      KOKKOS_LAMBDA(int64_t i) { x(i) = static_cast<T>(make(bits(i) * 0x9E3779B97F4A7C15, i)); });
  return x;
}

struct Bits {
  KOKKOS_FUNCTION uint64_t operator()(uint64_t bits, int64_t) const { return bits; }
};
/// @brief From -1/2 to 1/2.
struct Fraction {
  KOKKOS_FUNCTION double operator()(uint64_t bits, int64_t) const {
    return static_cast<double>(bits >> 11) * 0x1p-53 - 0.5;
  }
};
/// @brief Such that carries pass in three limbs of four.
struct Addend {
  Input<uint64_t> other;
  KOKKOS_FUNCTION uint64_t operator()(uint64_t bits, int64_t i) const {
    return i % 4 == 3 ? bits : ~other(i);
  }
};
/// @brief Fields of five characters, some of them in quotes.
struct Csv {
  KOKKOS_FUNCTION char operator()(uint64_t, int64_t i) const {
    return "1234,\"a,b\",1.25,wxyz\n"[i % 21];
  }
};
struct Bracket {
  KOKKOS_FUNCTION char operator()(uint64_t bits, int64_t) const { return "()x "[bits >> 62]; }
};
struct Runs {
  KOKKOS_FUNCTION uint32_t operator()(uint64_t, int64_t i) const {
    return static_cast<uint32_t>(i / 10);
  }
};

template <class T>
std::function<double()> last(const Array<T>& x, int64_t n) {
  return [=] {
    Kokkos::fence();
    T value;
    Kokkos::deep_copy(value, Kokkos::subview(x, n - 1));
    return static_cast<double>(value);
  };
}
inline std::function<double()> number(const Kokkos::View<int64_t, Exec>& count) {
  return [=] {
    Kokkos::fence();
    int64_t value = 0;
    Kokkos::deep_copy(value, count);
    return static_cast<double>(value);
  };
}

/// @brief Keys to be sorted again and again.
template <class Key>
struct Keys {
  Keys(const Exec& exec, int64_t n)
      : unsorted(made<Key>(exec, n, Bits())),
        keys(array<Key>(exec, n)),
        values(made<uint32_t>(exec, n, Bits())) {}
  Array<Key> unsorted, keys;
  Array<uint32_t> values;
  std::function<void()> prepare(const Exec& exec) const {
    return [*this, exec] { Kokkos::deep_copy(exec, keys, unsorted); };
  }
};

}  // namespace wavescan::Perf::Applications

#endif
