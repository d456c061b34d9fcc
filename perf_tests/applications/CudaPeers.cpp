// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)

#include <support/WaveScanPerf_CudaPeers.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "Problems.hpp"

// The same by CUB, which is given the same operators.

namespace wavescan::Perf::Applications {
namespace {

struct IsLoud {
  KOKKOS_FUNCTION bool operator()(float x) const { return x >= 0.25f || -x >= 0.25f; }
};
struct Step {
  Input<double> x, a, b;
  KOKKOS_FUNCTION AffineMap operator()(int64_t j) const { return {a(j), b(j), 1, 0, x(j), 0}; }
};
struct ValueOfMap {
  KOKKOS_FUNCTION double operator()(const AffineMap& map) const { return map.v0; }
};
struct OneMatrix {
  KOKKOS_FUNCTION Matrix operator()(int64_t) const { return {1, 1, 1, 0}; }
};
struct FibonacciNumber {
  KOKKOS_FUNCTION uint32_t operator()(const Matrix& m) const { return m.m01; }
};
struct Limb {
  Input<uint64_t> a, b;
  KOKKOS_FUNCTION CarryRun operator()(int64_t j) const {
    const uint64_t both = a(j) + b(j);
    return {both, CarryRun::same_as_enters,
            both < a(j)     ? CarryRun::one
            : both + 1 == 0 ? CarryRun::same_as_enters
                            : CarryRun::none};
  }
};
struct WithCarry {
  KOKKOS_FUNCTION uint64_t operator()(const CarryRun& run) const {
    return run.sum + (run.into_last == CarryRun::one ? 1 : 0);
  }
};
struct CsvMap {
  Input<char> text;
  KOKKOS_FUNCTION uint8_t operator()(int64_t j) const {
    const char c = text(j);
    return c == '"' ? 0xb6 : c == ',' || c == '\n' ? 0x20 : 0x65;
  }
};
struct FromStart {
  KOKKOS_FUNCTION uint8_t operator()(uint8_t map) const { return map & 3; }
};
struct Nesting {
  Input<char> text;
  KOKKOS_FUNCTION int operator()(int64_t j) const {
    return text(j) == '(' ? 1 : text(j) == ')' ? -1 : 0;
  }
};

struct Itself {
  KOKKOS_FUNCTION int operator()(int depth) const { return depth; }
};

/// @brief A scan of f(0), f(1), ... of which g(result) is stored.
template <class F, class G, class T, class Op>
std::function<void()> scan(const Exec& exec, int64_t n, const F& f, const G& g, const Array<T>& out,
                           const Op& op) {
  return with_workspace([=](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, computed(f),
                                          thrust::make_transform_output_iterator(out.data(), g), op,
                                          n, exec.cuda_stream());
  });
}

template <class Key>
void add_cub_sort(const std::string& name) {
  add(name, "cub", 2 * (sizeof(Key) + 4), [](const Exec& exec, int64_t n) -> Work {
    const Keys<Key> data(exec, n);
    const auto sorted = array<Key>(exec, n);
    const auto moved = array<uint32_t>(exec, n);
    return {with_workspace([=](void* memory, std::size_t& bytes) {
              return cub::DeviceRadixSort::SortPairs(
                  memory, bytes, data.unsorted.data(), sorted.data(), data.values.data(),
                  moved.data(), n, 0, int(sizeof(Key) * 8), exec.cuda_stream());
            }),
            last(sorted, n)};
  });
}

[[maybe_unused]] const bool peers_registered = [] {
  add_cub_sort<uint32_t>("sort<32>");
  add_cub_sort<uint64_t>("sort<64>");
  add("compaction", "cub", 6, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<float>(exec, n, Fraction());
    const auto kept = array<float>(exec, n);
    const Kokkos::View<int64_t, Exec> count("count");
    return {with_workspace([=](void* memory, std::size_t& bytes) {
              return cub::DeviceSelect::If(memory, bytes, x.data(), kept.data(), count.data(), n,
                                           IsLoud(), exec.cuda_stream());
            }),
            number(count)};
  });
  add("run_length_encode", "cub", 4.8, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<uint32_t>(exec, n, Runs());
    const auto values = array<uint32_t>(exec, n), lengths = array<uint32_t>(exec, n);
    const Kokkos::View<int64_t, Exec> count("count");
    return {with_workspace([=](void* memory, std::size_t& bytes) {
              return cub::DeviceRunLengthEncode::Encode(memory, bytes, x.data(), values.data(),
                                                        lengths.data(), count.data(), n,
                                                        exec.cuda_stream());
            }),
            last(values, n / 10)};
  });
  add("recurrence<2>", "cub", 32, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<double>(exec, n, Fraction()), y = array<double>(exec, n);
    const auto a = made<double>(exec, n, Fraction()), b = made<double>(exec, n, Fraction());
    return {scan(exec, n, Step{x, a, b}, ValueOfMap(), y, MapComposition()), last(y, n)};
  });
  add("fibonacci", "cub", 4, [](const Exec& exec, int64_t n) -> Work {
    const auto f = array<uint32_t>(exec, n);
    return {scan(exec, n, OneMatrix(), FibonacciNumber(), f, MatrixProduct<fibonacci_modulus>()),
            last(f, n)};
  });
  add("add", "cub", 24, [](const Exec& exec, int64_t n) -> Work {
    const auto a = made<uint64_t>(exec, n, Bits()), b = made<uint64_t>(exec, n, Addend{a});
    const auto sum = array<uint64_t>(exec, n);
    return {scan(exec, n, Limb{a, b}, WithCarry(), sum, Carries()), last(sum, n)};
  });
  add("csv_states", "cub", 2, [](const Exec& exec, int64_t n) -> Work {
    const auto text = made<char>(exec, n, Csv());
    const auto states = array<uint8_t>(exec, n);
    return {scan(exec, n, CsvMap{text}, FromStart(), states, Composition<uint8_t, 2>()),
            last(states, n)};
  });
  add("nesting_depth", "cub", 5, [](const Exec& exec, int64_t n) -> Work {
    const auto text = made<char>(exec, n, Bracket());
    const auto depth = array<int>(exec, n);
    return {scan(exec, n, Nesting{text}, Itself(), depth, wavescan::Plus<int>()), last(depth, n)};
  });
  return true;
}();

}  // namespace
}  // namespace wavescan::Perf::Applications

#endif
