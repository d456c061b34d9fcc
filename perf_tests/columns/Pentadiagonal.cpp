// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Pentadiagonal.hpp>
#include <WaveScan_PentadiagonalSolve.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#if defined(WAVESCAN_PERF_CUSPARSE)
#include <cusparse.h>

#include <stdexcept>
#elif defined(WAVESCAN_PERF_LAPACK)
#include <algorithm>
#include <vector>
#endif

// Pentadiagonal systems of n unknowns, which lie behind each other (contiguous) or side by side
// (interleaved): WaveScan's solver, cuSPARSE's of interleaved systems (by QR), and on hosts
// LAPACK's of band matrices, which pivots. The floor is a copy of the six inputs and of x.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

/// @brief Diagonally dominant systems, in the order in which a row-major View has them: one a row,
/// or one a column.
template <class T>
struct Systems {
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;
  int axis;
  Rows lower2, lower, diagonal, upper, upper2, right, x;
  Systems(std::int64_t systems, std::int64_t n, int along) : axis(along) {
    const auto make = [&](Rows& rows, T value) {
      rows = Rows("system", static_cast<std::size_t>(along == 1 ? systems : n),
                  static_cast<std::size_t>(along == 1 ? n : systems));
      Kokkos::deep_copy(rows, value);
    };
    make(lower2, T(0.25));
    make(lower, T(-1));
    make(diagonal, T(3));
    make(upper, T(-1));
    make(upper2, T(0.25));
    make(right, T(1));
    make(x, T(0));
  }
  int length() const { return static_cast<int>(x.extent(axis)); }
  int count() const { return static_cast<int>(x.extent(1 - axis)); }
};

template <class T>
Work wavescan_solver(const Exec& exec, const Systems<T>& s, bool cyclic) {
  return {[=] {
            pentadiagonal_solve(exec, s.lower2, s.lower, s.diagonal, s.upper, s.upper2, s.right,
                                s.x, TridiagonalOptions{.axis = s.axis, .cyclic = cyclic});
          },
          [=] { return last_of(s.x); }};
}

template <class T>
Work factored_solver(const Exec& exec, const Systems<T>& s) {
  const Pentadiagonal<Exec, T> plan(exec, s.lower2, s.lower, s.diagonal, s.upper, s.upper2,
                                    TridiagonalOptions{.axis = s.axis});
  return {[=] { plan.solve(s.right, s.x); }, [=] { return last_of(s.x); }};
}

#if defined(WAVESCAN_PERF_CUSPARSE)
template <class T>
struct Gpsv {
  static constexpr auto bytes = cusparseSgpsvInterleavedBatch_bufferSizeExt;
  static constexpr auto solve = cusparseSgpsvInterleavedBatch;
};
template <>
struct Gpsv<double> {
  static constexpr auto bytes = cusparseDgpsvInterleavedBatch_bufferSizeExt;
  static constexpr auto solve = cusparseDgpsvInterleavedBatch;
};

/// @brief In place of the right-hand side and of the matrices, which change from call to call.
template <class T>
Work cusparse_solver(const Exec& exec, const Systems<T>& s) {
  const auto check = [](cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
  };
  cusparseHandle_t handle;
  check(cusparseCreate(&handle));
  check(cusparseSetStream(handle, exec.cuda_stream()));
  constexpr int qr = 0;
  std::size_t bytes = 0;
  Kokkos::deep_copy(s.x, s.right);
  check(Gpsv<T>::bytes(handle, qr, s.length(), s.lower2.data(), s.lower.data(), s.diagonal.data(),
                       s.upper.data(), s.upper2.data(), s.x.data(), s.count(), &bytes));
  const Kokkos::View<char*, Exec::memory_space> workspace("workspace", bytes);
  return {[=] {
            check(Gpsv<T>::solve(handle, qr, s.length(), s.lower2.data(), s.lower.data(),
                                 s.diagonal.data(), s.upper.data(), s.upper2.data(), s.x.data(),
                                 s.count(), workspace.data()));
          },
          [=] { return last_of(s.x); }};
}
#endif

#if defined(WAVESCAN_PERF_LAPACK)
extern "C" {
void sgbsv_(const int*, const int*, const int*, const int*, float*, const int*, int*, float*,
            const int*, int*);
void dgbsv_(const int*, const int*, const int*, const int*, double*, const int*, int*, double*,
            const int*, int*);
}

/// @brief A system after the other by each thread, in a band of its own: gbsv overwrites it.
template <class T>
Work lapack_solver(const Exec& exec, const Systems<T>& s) {
  const auto solve = [=](const std::int64_t system) {
    constexpr int reach = 2, one = 1, pitch = 3 * reach + 1;
    const int n = s.length();
    thread_local std::vector<T> band, x;
    thread_local std::vector<int> pivots;
    band.resize(static_cast<std::size_t>(n * pitch));
    x.resize(static_cast<std::size_t>(n));
    pivots.resize(static_cast<std::size_t>(n));
    const auto place = [&](int i) {
      const auto k = static_cast<std::size_t>(system), row = static_cast<std::size_t>(i);
      return s.axis == 1 ? k * s.x.stride(0) + row : row * s.x.stride(0) + k;
    };
    const typename Systems<T>::Rows* const diagonals[] = {&s.lower2, &s.lower, &s.diagonal,
                                                          &s.upper, &s.upper2};
    for (int i = 0; i < n; ++i) {
      for (int offset = -reach; offset <= reach; ++offset) {
        const int column = i + offset;
        if (column >= 0 && column < n)
          band[static_cast<std::size_t>(column * pitch + 2 * reach - offset)] =
              diagonals[reach + offset]->data()[place(i)];
      }
      x[static_cast<std::size_t>(i)] = s.right.data()[place(i)];
    }
    int info = 0;
    if constexpr (sizeof(T) == 4)
      sgbsv_(&n, &reach, &reach, &one, band.data(), &pitch, pivots.data(), x.data(), &n, &info);
    else
      dgbsv_(&n, &reach, &reach, &one, band.data(), &pitch, pivots.data(), x.data(), &n, &info);
    for (int i = 0; i < n; ++i) s.x.data()[place(i)] = x[static_cast<std::size_t>(i)];
  };
  return {
      [=] { Kokkos::parallel_for("lapack", Kokkos::RangePolicy<Exec>(exec, 0, s.count()), solve); },
      [=] { return last_of(s.x); }};
}
#endif

template <class T>
void add(const std::string& type, std::int64_t all, std::int64_t n, int axis) {
  const auto add_program = [&](const std::string& program, const auto& solver) {
    const std::string name =
        "pentadiagonal<" + type + ">/" + program + (axis == 1 ? "/contiguous" : "/interleaved");
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          const Exec exec;
          measure(state, exec, 7 * static_cast<std::int64_t>(sizeof(T)) * all, {1, false},
                  [&] { return solver(exec, Systems<T>(all / n, n, axis)); });
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->ArgName("n")
        ->Arg(n);
  };
  for (const bool cyclic : {false, true})
    add_program(cyclic ? "cyclic" : "wavescan", [=](const Exec& exec, const Systems<T>& s) {
      return wavescan_solver(exec, s, cyclic);
    });
  add_program("factorized", factored_solver<T>);
#if defined(WAVESCAN_PERF_CUSPARSE)
  if (axis == 0) add_program("cusparse", cusparse_solver<T>);
#endif
#if defined(WAVESCAN_PERF_LAPACK)
  add_program("lapack", lapack_solver<T>);
#endif
}

[[maybe_unused]] const bool registered = [] {
  constexpr std::int64_t all = on_device ? 1 << 24 : 1 << 20;
  for (const int axis : {1, 0})
    for (const std::int64_t n : {32, 64, 100, 128, 256, 512, 1024, 4096}) {
      add<float>("float", all, n, axis);
      add<double>("double", all, n, axis);
    }
  return true;
}();

}  // namespace
