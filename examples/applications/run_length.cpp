// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

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
                                    runs);
  wavescan::exclusive_scan(exec, lengths, starts);
  Kokkos::deep_copy(exec, x, 0);
  Kokkos::parallel_for(
      "starts", Range(exec, 0, static_cast<std::int64_t>(runs)), KOKKOS_LAMBDA(std::int64_t k) {
        if (lengths(k) > 0) x(starts(k)) = static_cast<std::uint32_t>(k);
      });
  // Of what was written up to here, the largest number is that of the run.
  const auto value = KOKKOS_LAMBDA(std::uint32_t k) { return values(k); };
  wavescan::inclusive_scan(exec, x, wavescan::transform_output(x, value), wavescan::Max{});
}

}  // namespace applications
