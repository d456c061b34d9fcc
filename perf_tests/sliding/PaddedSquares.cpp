// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>
#include <WaveScan_Pad.hpp>
#include <baselines/WaveScanPerf_RowMoves.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <support/WaveScanPerf_Sizes.hpp>
#include <support/WaveScanPerf_Timing.hpp>
#include <utility>

// Gomez-Luna et al., figures 8 and 9: a matrix gets columns until it is square, in place, or loses
// them again. Benchmarks are named operation<bytes>/program/rows:M/added:N. The floor is a copy of
// the entries, each read and written once.

namespace padded_squares_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;

/// The value of an entry, by its place before the move.
KOKKOS_FUNCTION float value_at(std::int64_t place) { return static_cast<float>(place % 16777213); }

struct Fill {
  Matrix matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    matrix.data()[place] = value_at(place);
  }
};

struct CountWrong {
  Matrix from, to;
  std::int64_t columns;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& wrong) const {
    const std::int64_t i = k / columns, j = k % columns;
    if (to(i, j) != value_at(i * static_cast<std::int64_t>(from.extent(1)) + j)) ++wrong;
  }
};

std::int64_t columns_moved(const Matrix& from, const Matrix& to) {
  return static_cast<std::int64_t>(from.extent(1) < to.extent(1) ? from.extent(1) : to.extent(1));
}

/// Whether the work moves each entry to its place.
bool is_right(const Exec& exec, const std::function<void()>& work, const Matrix& from,
              const Matrix& to) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t columns = columns_moved(from, to);
  const auto rows = static_cast<std::int64_t>(from.extent(0));
  Kokkos::parallel_for("fill", Range(exec, 0, static_cast<std::int64_t>(from.size())), Fill{from});
  work();
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("check", Range(exec, 0, rows * columns), CountWrong{from, to, columns},
                          wrong);
  return wrong == 0;
}

/// What a program does: setup(exec, from, to) returns the work.
using Setup = std::function<std::function<void()>(const Exec&, const Matrix&, const Matrix&)>;

void measure(benchmark::State& state, const Setup& setup, bool pad) {
  const Exec exec;
  const std::int64_t rows = state.range(0), columns = rows - state.range(1);
  const Kokkos::View<float*, Exec> memory("memory", rows * rows);
  const Matrix narrow(memory.data(), rows, columns), wide(memory.data(), rows, rows);
  const Matrix &from = pad ? narrow : wide, &to = pad ? wide : narrow;
  const auto work = setup(exec, from, to);
  if (!is_right(exec, work, from, to))
    return state.SkipWithError("entries are not where they should be");
  report_bandwidth(state, exec, 2 * rows * columns * 4, time(state, exec, work));
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"rows", "added"});
  for (const std::int64_t rows : {1000, 2000, 4000, 8000, 12000})
    if (on_device || rows <= 8000) benchmark->Args({rows, 1});
  for (const std::int64_t rows : {5000, 16384})
    for (const std::int64_t added : {1, 10, 50, 100, 200, 300, 400, 500, 1000, 2000})
      if (on_device || rows == 5000) benchmark->Args({rows, added});
}

void add(const std::string& program, const Setup& setup) {
  for (const bool pad : {true, false}) {
    const std::string name = (pad ? "pad<4>/" : "unpad<4>/") + program;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { measure(state, setup, pad); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Apply(shapes);
  }
}

[[maybe_unused]] const bool registered = [] {
  add("wavescan", [](const Exec& exec, const Matrix& from, const Matrix& to) {
    const bool pad = from.extent(1) < to.extent(1);
    return [=] { pad ? wavescan::pad(exec, from, to) : wavescan::unpad(exec, from, to); };
  });
  add("rows", [](const Exec& exec, const Matrix& from, const Matrix& to) {
    return [=] {
      move_rows(exec, from.data(), static_cast<std::int64_t>(from.extent(0)),
                columns_moved(from, to), static_cast<std::int64_t>(from.extent(1)),
                static_cast<std::int64_t>(to.extent(1)));
    };
  });
  // To a matrix of its own, and back from there.
  add("temporary", [](const Exec& exec, const Matrix& from, const Matrix& to) {
    const std::pair<std::int64_t, std::int64_t> columns(0, columns_moved(from, to));
    const Matrix kept("temporary", from.extent(0), columns.second);
    return [=] {
      Kokkos::deep_copy(exec, kept, Kokkos::subview(from, Kokkos::ALL, columns));
      Kokkos::deep_copy(exec, Kokkos::subview(to, Kokkos::ALL, columns), kept);
    };
  });
  return true;
}();

}  // namespace
}  // namespace padded_squares_benchmarks
