// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

// Bytes and 16-bit sums have packed arithmetic; the sizes of types decide about tiles.
template <class In, class Out, class Op>
void scan(const Kokkos::View<In**>& in, const Kokkos::View<Out**>& out, const Op& op) {
  wavescan::inclusive_scan(in, out, op);
}

void scans_of_integers(const Kokkos::View<std::uint8_t**>& bytes,
                       const Kokkos::View<std::uint16_t**>& shorts, const Kokkos::View<int**>& ints,
                       const Kokkos::View<std::int64_t**>& longs) {
  scan(bytes, bytes, wavescan::Plus<std::uint8_t>{});
  scan(shorts, shorts, wavescan::Plus<std::uint16_t>{});
  scan(ints, ints, wavescan::Plus<int>{});
  scan(longs, longs, wavescan::Max<std::int64_t>{});
  scan(bytes, ints, wavescan::Plus<int>{});
}
