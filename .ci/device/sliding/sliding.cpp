// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

namespace {

struct IsLarge {
  KOKKOS_FUNCTION bool operator()(float x) const { return x > 1; }
};
struct IsInside {
  KOKKOS_FUNCTION bool operator()(const wavescan::ElementRow<double>& position, float velocity,
                                  std::int32_t) const {
    return position[0] > 0 && position[2] < 1 && velocity < 1;
  }
};
struct Number {
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>(i);
  }
};
struct IsEven {
  template <class... X>
  KOKKOS_FUNCTION bool operator()(std::int64_t i, const X&...) const {
    return i % 2 == 0;
  }
};

}  // namespace

void sliding(const Kokkos::View<float*>& in, const Kokkos::View<float*>& out,
             const Kokkos::View<float*>& others, const Kokkos::View<double* [3]>& positions,
             const Kokkos::View<std::int32_t*>& ids, const Kokkos::View<std::uint8_t*>& flags,
             const Kokkos::View<float**>& rows, const Kokkos::View<float**>& padded,
             const Kokkos::View<std::int64_t>& count) {
  wavescan::copy_if(in, out, IsLarge(), count);
  wavescan::remove_if(wavescan::zip(positions, in, ids), IsInside(), count);
  wavescan::remove_copy_if(in, out, flags);
  const auto numbers = wavescan::computed_input(flags.extent_int(0), Number());
  wavescan::copy_if(numbers, ids, flags);
  wavescan::copy_if(wavescan::zip(in, numbers), wavescan::zip(out, ids),
                    wavescan::by_index(IsEven()), count);
  wavescan::copy_if(rows, rows, wavescan::by_index(IsEven()), count);
  wavescan::unique(rows, count);
  const Kokkos::View<float*, Kokkos::LayoutStride> apart = Kokkos::subview(rows, 0, Kokkos::ALL);
  wavescan::remove_if(apart, IsLarge(), count);
  wavescan::unique_copy(ids, ids, count);
  wavescan::unique_by_key(ids, wavescan::zip(in, positions), count);
  wavescan::partition(in, IsLarge(), count);
  wavescan::partition_copy(in, out, others, IsLarge(), count);
  wavescan::pad(rows, padded, wavescan::PadOptions().leading(1).fill(0.f));
  wavescan::unpad(padded, rows);
  wavescan::shift_left(in, 3);
}
