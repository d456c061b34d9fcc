// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_UNITTEST_GPU_VALUES_HPP
#define WAVESCAN_UNITTEST_GPU_VALUES_HPP

#include <Kokkos_Core.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

/// @file
/// @brief Values, an operator and arrays for tests of the GPU layer.

namespace wavescan::Test {

/// @brief The map x -> scale * x + offset of unsigned numbers of half the size. Composition is
/// associative and does not commute; wrap-around makes it exact.
template <class Half>
struct Map {
  Half scale, offset;
  bool operator==(const Map&) const = default;
};
/// @brief One of numbers with four bits, in a byte.
struct SmallMap {
  std::uint8_t both;
  bool operator==(const SmallMap&) const = default;
};

/// @brief First the left map, then the right one.
struct Compose {
  template <class Half>
  KOKKOS_FUNCTION Map<Half> operator()(const Map<Half>& left, const Map<Half>& right) const {
    return {static_cast<Half>(right.scale * left.scale),
            static_cast<Half>(right.scale * left.offset + right.offset)};
  }
  KOKKOS_FUNCTION SmallMap operator()(SmallMap left, SmallMap right) const {
    const int scale = (right.both >> 4) * (left.both >> 4) & 15;
    const int offset = ((right.both >> 4) * (left.both & 15) + (right.both & 15)) & 15;
    return {static_cast<std::uint8_t>(scale << 4 | offset)};
  }
  /// @brief With the number of a step, as some functions call operators.
  template <class V>
  KOKKOS_FUNCTION V operator()(const V& left, const V& right, int) const {
    return (*this)(left, right);
  }
};

/// @brief Values of any bits; odd scales, which no composition turns to zero.
template <class V>
struct Random {
  static V value(std::mt19937_64& random) {
    std::uint64_t bits[2] = {random() | 1, random()};
    V v;
    static_assert(sizeof(V) <= sizeof(bits));
    std::memcpy(&v, bits, sizeof(V));
    return v;
  }
};
template <>
struct Random<SmallMap> {
  static SmallMap value(std::mt19937_64& random) {
    return {static_cast<std::uint8_t>(random() | 16)};
  }
};
template <>
struct Random<float> {
  static float value(std::mt19937_64& random) {
    return static_cast<float>(random() % 1000003) * 0.37f;
  }
};

template <class V>
std::vector<V> random_values(int count) {
  std::mt19937_64 random(17);
  std::vector<V> values(static_cast<std::size_t>(count));
  for (V& v : values) v = Random<V>::value(random);
  return values;
}

/// @brief An array on the device, of any type.
template <class V>
class DeviceArray {
  using HostBytes = Kokkos::View<unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

 public:
  explicit DeviceArray(std::vector<V> values) : bytes_("values", values.size() * sizeof(V)) {
    Kokkos::deep_copy(bytes_, HostBytes(reinterpret_cast<unsigned char*>(values.data()),
                                        values.size() * sizeof(V)));
  }
  V* data() const { return reinterpret_cast<V*>(bytes_.data()); }
  /// @brief What it holds when all kernels have ended.
  std::vector<V> values() const {
    std::vector<V> values(bytes_.size() / sizeof(V));
    Kokkos::fence();
    Kokkos::deep_copy(HostBytes(reinterpret_cast<unsigned char*>(values.data()), bytes_.size()),
                      bytes_);
    return values;
  }

 private:
  Kokkos::View<unsigned char*, Impl::gpu::Device::memory_space> bytes_;
};

}  // namespace wavescan::Test

#endif
