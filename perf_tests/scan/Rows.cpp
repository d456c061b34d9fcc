// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Rows.hpp>

// WaveScan's scans of all rows or all columns of a matrix.

namespace rows_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T, class Call>
void add(const std::string& problem, int axis, const Call& call) {
  add_matrix(problem, "wavescan", 2 * sizeof(T), [=](const Exec& exec, std::int64_t width) -> Work {
    const auto a = random_array<T>(exec, matrix_size), b = random_array<T>(exec, matrix_size);
    using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
    const auto columns = static_cast<std::size_t>(width);
    const auto rows = static_cast<std::size_t>(matrix_size / width);
    const Matrix x(a.data(), rows, columns), y(b.data(), rows, columns);
    return {[=] { call(exec, x, y, ScanOptions().axis(axis)); }, [a, b] { return last_of(b); }};
  });
}

constexpr auto sum = [](const Exec& exec, const auto& x, const auto& y, const auto& options) {
  inclusive_scan(exec, x, y, options);
};
constexpr auto decay = [](const Exec& exec, const auto& x, const auto& y, const auto& options) {
  weighted_scan(exec, x, 0.5f, y, options);
};

[[maybe_unused]] const bool registered = [] {
  add<float>("row_sums<float>", 1, sum);
  add<double>("row_sums<double>", 1, sum);
  add<float>("row_decay<float>", 1, decay);
  add<float>("column_sums<float>", 0, sum);
  add<float>("column_decay<float>", 0, decay);
  return true;
}();

}  // namespace
}  // namespace rows_benchmarks
