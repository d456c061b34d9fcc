// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_TridiagonalSolve.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#if defined(WAVESCAN_PERF_CUSPARSE)
#include <cusparse.h>

#include <stdexcept>
#endif

// Tridiagonal systems, one of n unknowns or many: WaveScan's solver, and cuSPARSE's without
// pivoting. The floor is a copy of the four inputs and of x.

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;

/// @brief Diagonally dominant systems, one a row.
template <class T>
struct Systems {
  Rows<T> lower, diagonal, upper, right, x;
  Systems(std::int64_t systems, std::int64_t n) {
    for (Rows<T>* rows : {&lower, &diagonal, &upper, &right, &x})
      *rows = Rows<T>("system", static_cast<std::size_t>(systems), static_cast<std::size_t>(n));
    Kokkos::deep_copy(lower, T(-1));
    Kokkos::deep_copy(diagonal, T(2.5));
    Kokkos::deep_copy(upper, T(-1));
    Kokkos::deep_copy(right, T(1));
  }
};

template <class T>
Work wavescan_solver(const Exec& exec, const Systems<T>& s) {
  return {[=] { tridiagonal_solve(exec, s.lower, s.diagonal, s.upper, s.right, s.x); },
          [=] { return last_of(s.x); }};
}

#if defined(WAVESCAN_PERF_CUSPARSE)
void check_cusparse(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

/// @brief cuSPARSE's functions for a type.
template <class T>
struct Gtsv2 {
  static constexpr auto one_bytes = cusparseSgtsv2_nopivot_bufferSizeExt;
  static constexpr auto one = cusparseSgtsv2_nopivot;
  static constexpr auto many_bytes = cusparseSgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto many = cusparseSgtsv2StridedBatch;
};
template <>
struct Gtsv2<double> {
  static constexpr auto one_bytes = cusparseDgtsv2_nopivot_bufferSizeExt;
  static constexpr auto one = cusparseDgtsv2_nopivot;
  static constexpr auto many_bytes = cusparseDgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto many = cusparseDgtsv2StridedBatch;
};

/// @brief In place of the right-hand side, which changes from call to call.
template <class T>
Work cusparse_solver(const Exec& exec, const Systems<T>& s) {
  cusparseHandle_t handle;
  check_cusparse(cusparseCreate(&handle));
  check_cusparse(cusparseSetStream(handle, exec.cuda_stream()));
  const auto systems = static_cast<int>(s.x.extent(0)), n = static_cast<int>(s.x.extent(1));
  T *const a = s.lower.data(), *const b = s.diagonal.data(), *const c = s.upper.data(),
           *const x = s.x.data();
  Kokkos::deep_copy(s.x, s.right);
  std::size_t bytes = 0;
  check_cusparse(systems == 1 ? Gtsv2<T>::one_bytes(handle, n, 1, a, b, c, x, n, &bytes)
                              : Gtsv2<T>::many_bytes(handle, n, a, b, c, x, systems, n, &bytes));
  const Kokkos::View<char*, Exec::memory_space> workspace("workspace", bytes);
  return {[=, keep = s] {
            check_cusparse(
                systems == 1 ? Gtsv2<T>::one(handle, n, 1, a, b, c, x, n, workspace.data())
                             : Gtsv2<T>::many(handle, n, a, b, c, x, systems, n, workspace.data()));
          },
          [=] { return last_of(s.x); }};
}
#endif

template <class T>
void add(const std::string& type, std::int64_t systems, std::int64_t n) {
  const auto add_program = [&](const std::string& program, const auto& solver) {
    const std::string name =
        "tridiagonal<" + type + ">/" + program + "/systems:" + std::to_string(systems);
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          const Exec exec;
          measure(state, exec, 5 * static_cast<std::int64_t>(sizeof(T)) * systems * n, {1, false},
                  [&] { return solver(exec, Systems<T>(systems, n)); });
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->ArgName("n")
        ->Arg(n);
  };
  add_program("wavescan", wavescan_solver<T>);
#if defined(WAVESCAN_PERF_CUSPARSE)
  add_program("cusparse", cusparse_solver<T>);
#endif
}

[[maybe_unused]] const bool registered = [] {
  constexpr std::int64_t all = on_device ? 1 << 24 : 1 << 20;
  for (const std::int64_t n : {std::int64_t(64), std::int64_t(1) << 12, all}) {
    add<float>("float", all / n, n);
    add<double>("double", all / n, n);
  }
  return true;
}();

}  // namespace
