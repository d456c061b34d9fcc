// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_StdAlgorithms.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <support/WaveScanPerf_Lines.hpp>
#include <support/WaveScanPerf_Segment.hpp>
#include <type_traits>

// The same scans by Kokkos and by the standard library, and the copy that all are measured against.

namespace peers_benchmarks {
namespace {

using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

template <class T>
struct SumFunctor {
  Kokkos::View<const T*> x;
  Kokkos::View<T*> y;
  KOKKOS_FUNCTION void operator()(std::int64_t j, T& sum, bool final) const {
    sum += x(j);
    if (final) y(j) = sum;
  }
};

/// `Join` is a recurrence on Segments.
template <class Join>
struct WeightedFunctor {
  using T = typename Join::value_type;
  using value_type = Segment<T>;
  Kokkos::View<const T*> x;
  Kokkos::View<T*> y;
  T weight;

  KOKKOS_FUNCTION void operator()(std::int64_t j, value_type& sum, bool final) const {
    sum = Join()(sum, {weight, x(j)});
    if (final) y(j) = sum.value;
  }
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = Join().identity(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& next) const {
    sum = Join()(sum, next);
  }
};

template <class T, class Space, class Call>
void add(const std::string& problem, const std::string& program, const Call& call) {
  add_line<Space>(problem, program, 2 * sizeof(T), Capture::No,
                  [=](const Space& exec, std::int64_t n) -> Work {
                    const auto x = random_array<T>(exec, n), y = random_array<T>(exec, n);
                    return {[=] { call(exec, x, y); }, [=] { return last_of(y); }};
                  });
}

constexpr auto copy = [](const auto& exec, const auto& x, const auto& y) {
  Kokkos::deep_copy(exec, y, x);
};
constexpr auto parallel_scan = [](const auto& exec, const auto& x, const auto& y) {
  using T = typename std::remove_cvref_t<decltype(y)>::value_type;
  Kokkos::parallel_scan("sum", Policy(exec, 0, y.size()), SumFunctor<T>{x, y});
};
constexpr auto std_algorithm = [](const auto& exec, const auto& x, const auto& y) {
  Kokkos::Experimental::inclusive_scan(exec, x, y);
};
/// One thread of the host, also where the others use an accelerator.
constexpr auto one_thread = [](const auto&, const auto& x, const auto& y) {
  std::inclusive_scan(x.data(), x.data() + x.size(), y.data());
  benchmark::ClobberMemory();
};

template <class T>
void add_sums(const std::string& problem) {
  add<T, Exec>(problem, "kokkos", parallel_scan);
  add<T, Exec>(problem, "kokkos_std", std_algorithm);
  add<T, Host>(problem, "std", one_thread);
}

/// Not on devices: there Kokkos joins later values with earlier ones, in this order, which needs an
/// operation that commutes.
template <class Join>
void add_weighted(const std::string& problem, typename Join::value_type weight) {
  add<typename Join::value_type, Exec>(
      problem, "kokkos", [weight](const auto& exec, const auto& x, const auto& y) {
        Kokkos::parallel_scan("weighted", Policy(exec, 0, y.size()),
                              WeightedFunctor<Join>{x, y, weight});
      });
}

[[maybe_unused]] const bool registered = [] {
  add<float, Exec>("copy<float>", "kokkos", copy);
  add_sums<std::int32_t>("sum<int32>");
  add_sums<std::int64_t>("sum<int64>");
  add_sums<float>("sum<float>");
  add_sums<double>("sum<double>");
  if constexpr (!on_device) {
    add_weighted<LinearRecurrence<float>>("decay<float>", 0.5f);
    add_weighted<LinearRecurrence<double>>("decay<double>", 0.5);
    add_weighted<MaximumWithGaps<std::int32_t>>("maxplus<int32>", -1);
  }
  return true;
}();

}  // namespace
}  // namespace peers_benchmarks
