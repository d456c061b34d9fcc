// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// What a single call costs whoever waits for its result: the host's time of a call and a fence, by
// the free function, by a plan, and by the plain loop that a host would run instead.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_FiltFilt.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_Unique.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Sizes.hpp>
#include <vector>

namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;

template <class T>
using Array = Kokkos::View<T*, Exec::memory_space>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec::memory_space>;
template <class T>
using Box = Kokkos::View<T***, Kokkos::LayoutRight, Exec::memory_space>;

/// @brief Ways to do the same; without a function where there is no such way.
struct Calls {
  std::function<void()> free, plan, loop;
};

/// @brief Whether there is a plain loop to compare with.
enum class Loop { No, Yes };

/// @param make  make(exec, n) gives the calls for lines of n elements, squares of n rows, ...
template <class Make>
void add(const std::string& operation, const std::vector<Index>& sizes, Loop loop,
         const Make& make) {
  const auto way = [&](const char* name, std::function<void()> Calls::*call) {
    auto* const benchmark = benchmark::RegisterBenchmark(
        ("calls/" + operation + "/" + name).c_str(), [make, call](benchmark::State& state) {
          const Exec exec;
          const std::function<void()> run = make(exec, state.range(0)).*call;
          run();
          exec.fence();
          for (auto _ : state) {
            run();
            exec.fence();
          }
        });
    benchmark->UseRealTime()->Unit(benchmark::kMicrosecond)->ArgName("n");
    for (const Index n : sizes) benchmark->Arg(n);
  };
  way("free", &Calls::free);
  way("plan", &Calls::plan);
  if (!on_device && loop == Loop::Yes) way("loop", &Calls::loop);
}

const std::vector<Index> lengths{
    1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26, on_device ? 1 << 28 : 1 << 24};
const std::vector<Index> sides =
    on_device ? std::vector<Index>{32, 128, 512, 1024, 2048, 4096, 8192, 16384}
              : std::vector<Index>{16, 32, 128, 512, 1024, 2048, 4096};

template <class T>
Matrix<T> square(const Exec& exec, Index n) {
  const auto size = static_cast<std::size_t>(n);
  const Matrix<T> matrix("matrix", size, size);
  Kokkos::deep_copy(exec, Array<T>(matrix.data(), size * size), random_array<T>(exec, n * n));
  return matrix;
}

template <class T>
struct IsAboveHalf {
  KOKKOS_FUNCTION bool operator()(const T& x) const { return x > T(0.5); }
};

void add_scans() {
  add("inclusive_scan<float>", lengths, Loop::Yes, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const Scan<Exec, Plus<float>> plan(exec, 1, n);
    return {[=] { inclusive_scan(exec, x, y); }, [=] { plan.inclusive(x, y); },
            [=] {
              float sum = 0;
              for (Index j = 0; j < n; ++j) y(j) = sum += x(j);
            }};
  });
  add("weighted_scan<float>", lengths, Loop::Yes, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const Scan<Exec, PlusTimes<float>> plan(exec, 1, n);
    return {[=] { weighted_scan(exec, x, 0.5f, y); }, [=] { plan.weighted(x, 0.5f, y); },
            [=] {
              float sum = 0;
              for (Index j = 0; j < n; ++j) y(j) = sum = 0.5f * sum + x(j);
            }};
  });
}

void add_filters() {
  const std::vector<double> b{0.2, 0.3, 0.1}, a{1, -0.9, 0.4};
  add("lfilter_order2<float>", lengths, Loop::Yes, [=](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = Filter<Exec, float>::direct_form(exec, b, a, 1, n);
    return {[=] { lfilter(exec, b, a, x, y); }, [=] { plan.apply(x, y); },
            [=] {
              float first = 0, second = 0;
              for (Index j = 0; j < n; ++j) {
                const float in = x(j), out = 0.2f * in + first;
                first = 0.3f * in + 0.9f * out + second;
                second = 0.1f * in - 0.4f * out;
                y(j) = out;
              }
            }};
  });
  add("filtfilt_order2<float>", lengths, Loop::No, [=](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = ForwardBackwardFilter<Exec, float>::direct_form(exec, b, a, 1, n);
    return {[=] { filtfilt(exec, b, a, x, y); }, [=] { plan.apply(x, y); }, {}};
  });
}

void add_sliding() {
  add("copy_if<float>", lengths, Loop::Yes, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n), y = random_array<float>(exec, n);
    const auto plan = Selection<Exec>::like(exec, x);
    const Kokkos::View<Index, Exec::memory_space> count("count");
    return {[=] { copy_if(exec, x, y, IsAboveHalf<float>(), count); },
            [=] { plan.copy_if(x, y, IsAboveHalf<float>(), count); },
            [=] {
              Index kept = 0;
              for (Index j = 0; j < n; ++j)
                if (x(j) > 0.5f) y(kept++) = x(j);
              benchmark::DoNotOptimize(kept);
            }};
  });
  add("unique<int>", lengths, Loop::No, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<int>(exec, n), y = random_array<int>(exec, n);
    const auto plan = Selection<Exec>::like(exec, x);
    const Kokkos::View<Index, Exec::memory_space> count("count");
    return {[=] { unique_copy(exec, x, y, count); },
            [=] { plan.unique_copy(x, y, Impl::select::IsEqual(), count); },
            {}};
  });
  add("partition<float>", lengths, Loop::No, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n);
    const auto plan = Partition<Exec>::like(exec, x);
    const Kokkos::View<Index, Exec::memory_space> count("count");
    return {[=] { partition(exec, x, IsAboveHalf<float>(), count); },
            [=] { plan.partition(x, x, IsAboveHalf<float>(), count); },
            {}};
  });
  add("pad<float>", sides, Loop::No, [](const Exec& exec, Index n) -> Calls {
    const auto x = random_array<float>(exec, n * (n + 1));
    const auto size = static_cast<std::size_t>(n);
    const Matrix<float> narrow(x.data(), size, size), wide(x.data(), size, size + 1);
    const auto plan = Padding<Exec>::like(exec, narrow);
    return {[=] { pad(exec, narrow, wide); }, [=] { plan.pad(narrow, wide); }, {}};
  });
}

void add_images() {
  const auto table = [](const Exec& exec, const auto& image, const auto& sums) -> Calls {
    using Pixel = typename std::remove_cvref_t<decltype(image)>::value_type;
    using T = typename std::remove_cvref_t<decltype(sums)>::value_type;
    const auto n = static_cast<Index>(image.extent(0));
    const SummedAreaTable<Exec, Pixel, T> plan(exec, n, n);
    return {[=] { summed_area_table(exec, image, sums); }, [=] { plan(image, sums); },
            [=] {
              for (Index i = 0; i < n; ++i) {
                T row = 0;
                for (Index j = 0; j < n; ++j) {
                  row += static_cast<T>(image(i, j));
                  sums(i, j) = i == 0 ? row : row + sums(i - 1, j);
                }
              }
            }};
  };
  add("summed_area_table<float>", sides, Loop::Yes, [=](const Exec& exec, Index n) {
    return table(exec, square<float>(exec, n), square<float>(exec, n));
  });
  add("summed_area_table<uint8,uint32>", sides, Loop::Yes, [=](const Exec& exec, Index n) {
    return table(exec, square<std::uint8_t>(exec, n), square<std::uint32_t>(exec, n));
  });
  add("integral_histogram<uint8>/bins:32", {32, 128, 512, 1024, 2048}, Loop::No,
      [](const Exec& exec, Index n) -> Calls {
        const auto image = square<std::uint8_t>(exec, n);
        const auto size = static_cast<std::size_t>(n);
        const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec::memory_space> counts(
            "counts", 32, size, size);
        const UniformBins<int> bins{0, 256, 32};
        const IntegralHistogram<Exec, std::uint8_t, UniformBins<int>, std::uint32_t> plan(exec, 32,
                                                                                          n, n);
        return {[=] { integral_histogram(exec, image, bins, counts); },
                [=] { plan(image, bins, counts); },
                {}};
      });
}

template <class T>
void add_sor(const std::string& type) {
  for (const int sweeps : {1, 16})
    add("sor_sweeps<" + type + ">/sweeps:" + std::to_string(sweeps), sides, Loop::Yes,
        [sweeps](const Exec& exec, Index n) -> Calls {
          const auto x = square<T>(exec, n);
          const auto c = mean_of_five<T>();
          const SOR<Exec, T> plan(exec, n, n);
          const auto loop = [=] {
            for (int sweep = 0; sweep < sweeps; ++sweep)
              for (Index i = 1; i < n - 1; ++i)
                for (Index j = 1; j < n - 1; ++j)
                  x(i, j) =
                      T(0.2) * (x(i, j) + x(i, j - 1) + x(i - 1, j) + x(i, j + 1) + x(i + 1, j));
          };
          return {[=] { sor_sweeps(exec, x, c, sweeps); }, [=] { plan.sweeps(x, c, sweeps); },
                  loop};
        });
  add("sor_sweeps_3d<" + type + ">/sweeps:8", {18, 66, 130, 258}, Loop::No,
      [](const Exec& exec, Index n) -> Calls {
        const auto size = static_cast<std::size_t>(n);
        const Box<T> x("x", size, size, size);
        Kokkos::deep_copy(exec, x, T(1));
        const auto c = poisson_3d<T>(T(1.5), T(1) / static_cast<T>(n));
        const SOR3D<Exec, T> plan(exec, n, n, n);
        return {[=] { sor_sweeps(exec, x, c, 8); }, [=] { plan.sweeps(x, c, 8); }, {}};
      });
}

[[maybe_unused]] const bool registered = [] {
  add_scans();
  add_filters();
  add_sliding();
  add_images();
  add_sor<float>("float");
  add_sor<double>("double");
  return true;
}();

}  // namespace
