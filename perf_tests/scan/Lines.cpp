// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Scan.hpp>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Monoids.hpp>
#include <utility>

// WaveScan's scans of one long line.

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

template <class Combine, class Call>
void add(const std::string& problem, const Call& call, Offsets offsets = {}) {
  using T = typename Combine::value_type;
  add_line(problem, "wavescan", 2 * sizeof(T), Capture::Yes,
           [=](const Exec& exec, std::int64_t n) -> Work {
             const Arrays<T> a(exec, n, offsets);
             const Scan<Exec, Combine> plan(exec, 1, n);
             return {[=] { call(plan, a); }, [=] { return last_of(a.y); }};
           });
}

constexpr auto inclusive = [](const auto& plan, const auto& a) { plan.inclusive(a.x, a.y); };
constexpr auto exclusive = [](const auto& plan, const auto& a) { plan.exclusive(a.x, a.y); };
constexpr auto decay = [](const auto& plan, const auto& a) { plan.weighted(a.x, 0.5f, a.y); };
constexpr auto gap = [](const auto& plan, const auto& a) { plan.weighted(a.x, -1, a.y); };

template <class T>
void add_weights(const std::string& problem) {
  add_line(problem, "wavescan", 3 * sizeof(T), Capture::Yes,
           [](const Exec& exec, std::int64_t n) -> Work {
             const Arrays<T> a(exec, n);
             const auto w = random_array<T>(exec, n, 7);
             const Scan<Exec, PlusTimes<T>> plan(exec, 1, n);
             return {[=] { plan.weighted(a.x, w, a.y); }, [=] { return last_of(a.y); }};
           });
}

[[maybe_unused]] const bool registered = [] {
  add<Plus<std::int8_t>>("sum<int8>", inclusive);
  add<Plus<std::int16_t>>("sum<int16>", inclusive);
  add<Plus<std::int32_t>>("sum<int32>", inclusive);
  add<Plus<std::int64_t>>("sum<int64>", inclusive);
  add<Plus<float>>("sum<float>", inclusive);
  add<Plus<double>>("sum<double>", inclusive);
  add<Plus<float>>("sum_in_shifted<float>", inclusive, {1, 0});
  add<Plus<float>>("sum_both_shifted<float>", inclusive, {1, 1});
  add<Plus<std::int32_t>>("exclusive_sum<int32>", exclusive);
  add<Plus<float>>("exclusive_sum<float>", exclusive);
  add<PlusTimes<float>>("decay<float>", decay);
  add<PlusTimes<double>>("decay<double>", decay);
  add<PlusTimes<float>>("decay_in_shifted<float>", decay, {1, 0});
  add<MaxPlus<std::int32_t>>("maxplus<int32>", gap);
  add_weights<float>("weights<float>");
  add_weights<double>("weights<double>");
  add<Product<Affine>>("product<affine8>", inclusive);
  add<Product<Unitriangular>>("product<unitriangular12>", inclusive);
  add<Product<Rotation>>("product<rotation16>", inclusive);
  return true;
}();

}  // namespace
