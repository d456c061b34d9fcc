// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Tridiagonal.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lapack.hpp>
#include <support/WaveScanPerf_Lines.hpp>
#if defined(WAVESCAN_PERF_CUSPARSE)
#include <cusparse.h>

#include <stdexcept>
#endif

// Tridiagonal systems of n unknowns, which lie behind each other (contiguous) or side by side
// (interleaved): WaveScan's solver, cuSPARSE's without pivoting, and on hosts LAPACK's, which
// pivots. The floor is a copy of the four inputs and of x.

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
  Rows lower, diagonal, upper, right, x;
  Systems(std::int64_t systems, std::int64_t n, int along) : axis(along) {
    for (Rows* rows : {&lower, &diagonal, &upper, &right, &x})
      *rows = Rows("system", static_cast<std::size_t>(along == 1 ? systems : n),
                   static_cast<std::size_t>(along == 1 ? n : systems));
    Kokkos::deep_copy(lower, T(-1));
    Kokkos::deep_copy(diagonal, T(2.5));
    Kokkos::deep_copy(upper, T(-1));
    Kokkos::deep_copy(right, T(1));
  }
  int length() const { return static_cast<int>(x.extent(axis)); }
  int count() const { return static_cast<int>(x.extent(1 - axis)); }
};

template <class T>
Work wavescan_solver(const Exec& exec, const Systems<T>& s) {
  return {[=] {
            tridiagonal_solve(exec, s.lower, s.diagonal, s.upper, s.right, s.x,
                              TridiagonalOptions{.axis = s.axis});
          },
          [=] { return last_of(s.x); }};
}

/// @brief Systems whose last unknown is beside the first one.
template <class T>
Work cyclic_solver(const Exec& exec, const Systems<T>& s) {
  return {[=] {
            tridiagonal_solve(exec, s.lower, s.diagonal, s.upper, s.right, s.x,
                              TridiagonalOptions{.axis = s.axis, .cyclic = true});
          },
          [=] { return last_of(s.x); }};
}

/// @brief Matrices that have been factorized: three arrays of factors are read.
template <class T>
Work factored_solver(const Exec& exec, const Systems<T>& s) {
  const Tridiagonal<Exec, T> plan(exec, s.lower, s.diagonal, s.upper,
                                  TridiagonalOptions{.axis = s.axis});
  return {[=] { plan.solve(s.right, s.x); }, [=] { return last_of(s.x); }};
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
  static constexpr auto interleaved_bytes = cusparseSgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseSgtsvInterleavedBatch;
};
template <>
struct Gtsv2<double> {
  static constexpr auto one_bytes = cusparseDgtsv2_nopivot_bufferSizeExt;
  static constexpr auto one = cusparseDgtsv2_nopivot;
  static constexpr auto many_bytes = cusparseDgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto many = cusparseDgtsv2StridedBatch;
  static constexpr auto interleaved_bytes = cusparseDgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseDgtsvInterleavedBatch;
};

/// @brief In place of the right-hand side, which changes from call to call. Of interleaved systems
/// (by Thomas' algorithm) the matrices change, too.
template <class T>
Work cusparse_solver(const Exec& exec, const Systems<T>& s) {
  cusparseHandle_t handle;
  check_cusparse(cusparseCreate(&handle));
  check_cusparse(cusparseSetStream(handle, exec.cuda_stream()));
  const int systems = s.count(), n = s.length();
  T *const a = s.lower.data(), *const b = s.diagonal.data(), *const c = s.upper.data(),
           *const x = s.x.data();
  Kokkos::deep_copy(s.x, s.right);
  std::size_t bytes = 0;
  constexpr int thomas = 0;
  const bool interleaved = s.axis == 0 && systems > 1;
  if (systems == 1)
    check_cusparse(Gtsv2<T>::one_bytes(handle, n, 1, a, b, c, x, n, &bytes));
  else if (interleaved)
    check_cusparse(Gtsv2<T>::interleaved_bytes(handle, thomas, n, a, b, c, x, systems, &bytes));
  else
    check_cusparse(Gtsv2<T>::many_bytes(handle, n, a, b, c, x, systems, n, &bytes));
  const Kokkos::View<char*, Exec::memory_space> workspace("workspace", bytes);
  return {[=, keep = s] {
            void* const memory = workspace.data();
            if (systems == 1)
              check_cusparse(Gtsv2<T>::one(handle, n, 1, a, b, c, x, n, memory));
            else if (interleaved)
              check_cusparse(Gtsv2<T>::interleaved(handle, thomas, n, a, b, c, x, systems, memory));
            else
              check_cusparse(Gtsv2<T>::many(handle, n, a, b, c, x, systems, n, memory));
          },
          [=] { return last_of(s.x); }};
}
#endif

#if defined(WAVESCAN_PERF_LAPACK)
template <class T>
Work lapack_solver(const Exec& exec, const Systems<T>& s) {
  return {[=] { lapack_tridiagonal(exec, s.axis, s.lower, s.diagonal, s.upper, s.right, s.x); },
          [=] { return last_of(s.x); }};
}
#endif

template <class T>
void add(const std::string& type, std::int64_t all, std::int64_t n, int axis) {
  const auto add_program = [&](const std::string& program, const auto& solver) {
    const std::string name =
        "tridiagonal<" + type + ">/" + program + (axis == 1 ? "/contiguous" : "/interleaved");
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          const Exec exec;
          measure(state, exec, 5 * static_cast<std::int64_t>(sizeof(T)) * all, {1, false},
                  [&] { return solver(exec, Systems<T>(all / n, n, axis)); });
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->ArgName("n")
        ->Arg(n);
  };
  add_program("wavescan", wavescan_solver<T>);
  add_program("factorized", factored_solver<T>);
  if (all > n) add_program("cyclic", cyclic_solver<T>);
#if defined(WAVESCAN_PERF_CUSPARSE)
  add_program("cusparse", cusparse_solver<T>);
#endif
#if defined(WAVESCAN_PERF_LAPACK)
  add_program("lapack", lapack_solver<T>);
#endif
}

[[maybe_unused]] const bool registered = [] {
  constexpr std::int64_t all = on_device ? 1 << 24 : 1 << 20;
  for (const int axis : {1, 0})
    for (const std::int64_t n : {std::int64_t(32), std::int64_t(64), std::int64_t(100),
                                 std::int64_t(128), std::int64_t(256), std::int64_t(512),
                                 std::int64_t(1024), std::int64_t(2048), std::int64_t(4096), all}) {
      if (n == all && axis == 0) continue;
      add<float>("float", all, n, axis);
      add<double>("double", all, n, axis);
    }
  return true;
}();

}  // namespace
