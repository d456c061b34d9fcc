// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Monoids.hpp>
#include <utility>

// WaveScan's scans of one long line.

namespace lines_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;

/// Where input and output begin in their allocations.
struct Offsets {
  std::int64_t in = 0, out = 0;
};

template <class T>
struct Arrays {
  Arrays(const Exec& exec, std::int64_t n, Offsets offsets = {})
      : x(from(random_array<T>(exec, n + offsets.in), offsets.in)),
        y(from(random_array<T>(exec, n + offsets.out), offsets.out)) {}
  static auto from(const Kokkos::View<T*>& view, std::int64_t begin) {
    return Kokkos::subview(
        view, std::pair<std::int64_t, std::int64_t>(begin, static_cast<std::int64_t>(view.size())));
  }
  Kokkos::View<T*> x, y;
};

template <class T, class Call>
void add(const std::string& problem, const Call& call, Offsets offsets = {}) {
  add_line(problem, "wavescan", 2 * sizeof(T), Capture::Yes,
           [=](const Exec& exec, std::int64_t n) -> Work {
             const Arrays<T> a(exec, n, offsets);
             return {[=] { call(exec, a.x, a.y); }, [=] { return last_of(a.y); }};
           });
}

constexpr auto sum = [](const Exec& exec, const auto& x, const auto& y) {
  inclusive_scan(exec, x, y);
};
constexpr auto exclusive_sum = [](const Exec& exec, const auto& x, const auto& y) {
  exclusive_scan(exec, x, y);
};
constexpr auto decay = [](const Exec& exec, const auto& x, const auto& y) {
  weighted_scan(exec, x, 0.5f, y);
};
constexpr auto gap = [](const Exec& exec, const auto& x, const auto& y) {
  weighted_scan(exec, x, -1, y, MaxPlus<std::int32_t>());
};

template <class T>
void add_product(const std::string& problem) {
  add<T>(problem, [](const Exec& exec, const auto& x, const auto& y) {
    inclusive_scan(exec, x, y, Product<T>());
  });
}

template <class T>
void add_weights(const std::string& problem) {
  add_line(problem, "wavescan", 3 * sizeof(T), Capture::Yes,
           [](const Exec& exec, std::int64_t n) -> Work {
             const Arrays<T> a(exec, n);
             const auto w = random_array<T>(exec, n, 7);
             return {[=] { weighted_scan(exec, a.x, w, a.y); }, [=] { return last_of(a.y); }};
           });
}

[[maybe_unused]] const bool registered = [] {
  add<std::int8_t>("sum<int8>", sum);
  add<std::int16_t>("sum<int16>", sum);
  add<std::int32_t>("sum<int32>", sum);
  add<std::int64_t>("sum<int64>", sum);
  add<float>("sum<float>", sum);
  add<double>("sum<double>", sum);
  add<float>("sum_in_shifted<float>", sum, {1, 0});
  add<float>("sum_both_shifted<float>", sum, {1, 1});
  add<std::int32_t>("exclusive_sum<int32>", exclusive_sum);
  add<float>("exclusive_sum<float>", exclusive_sum);
  add<float>("decay<float>", decay);
  add<double>("decay<double>", decay);
  add<float>("decay_in_shifted<float>", decay, {1, 0});
  add<std::int32_t>("maxplus<int32>", gap);
  add_weights<float>("weights<float>");
  add_weights<double>("weights<double>");
  add_product<Affine>("product<affine8>");
  add_product<Unitriangular>("product<unitriangular12>");
  add_product<Rotation>("product<rotation16>");
  return true;
}();

}  // namespace
}  // namespace lines_benchmarks
