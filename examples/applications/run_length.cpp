// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

#include <utility>

namespace applications {

void run_length_encode(const wavescan::Selection<Exec>& plan, const Input<std::uint32_t>& x,
                       const Array<std::uint32_t>& values, const Array<std::uint32_t>& starts,
                       const Kokkos::View<std::int64_t, Exec>& count) {
  const auto positions = wavescan::computed_input(x.extent(0), Position());
  const auto begins = KOKKOS_LAMBDA(std::int64_t i, std::uint32_t value, std::uint32_t) {
    return i == 0 || x(i - 1) != value;
  };
  plan.copy_if(wavescan::zip(x, positions), wavescan::zip(values, starts),
               wavescan::by_index(begins), count);
}

void run_length_decode(const Exec& exec, const Input<std::uint32_t>& values,
                       const Input<std::uint32_t>& lengths, const Array<std::uint32_t>& x) {
  const std::size_t runs = lengths.extent(0);
  const Array<std::uint32_t> starts(Kokkos::view_alloc(exec, "starts", Kokkos::WithoutInitializing),
                                    runs + 1);
  wavescan::exclusive_scan(exec, lengths, Kokkos::subview(starts, std::pair(std::size_t(0), runs)));
  Kokkos::deep_copy(exec, Kokkos::subview(starts, runs), static_cast<std::uint32_t>(x.extent(0)));
  Kokkos::deep_copy(exec, x, 0);
  Kokkos::parallel_for(
      "values", Range(exec, 0, static_cast<std::int64_t>(runs)), KOKKOS_LAMBDA(std::int64_t k) {
        if (lengths(k) > 0) x(starts(k)) = values(k);
      });
  // A run now holds its value and zeros, whose sums are the value.
  wavescan::segmented_inclusive_scan(exec, x, wavescan::segment_offsets(starts), x);
}

}  // namespace applications
