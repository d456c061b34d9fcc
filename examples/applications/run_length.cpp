// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "applications.hpp"

namespace applications {

std::int64_t run_length_encode(const Exec& exec, const Input<std::uint32_t>& x,
                               const Array<std::uint32_t>& values,
                               const Array<std::uint32_t>& starts) {
  const Array<std::uint32_t> positions = iota(exec, x.extent(0));
  const auto begins = KOKKOS_LAMBDA(std::int64_t i, std::uint32_t value, std::uint32_t) {
    return i == 0 || x(i - 1) != value;
  };
  return wavescan::copy_if(exec, wavescan::zip(x, positions), wavescan::zip(values, starts),
                           wavescan::by_index(begins));
}

void run_length_decode(const Exec& exec, const Input<std::uint32_t>& values,
                       const Input<std::uint32_t>& lengths, const Array<std::uint32_t>& x) {
  const std::size_t runs = lengths.extent(0);
  const Array<std::uint32_t> starts("starts", runs), run("run", x.extent(0));
  wavescan::exclusive_scan(exec, lengths, starts);
  Kokkos::parallel_for(
      "starts", Range(exec, 0, static_cast<std::int64_t>(runs)), KOKKOS_LAMBDA(std::int64_t k) {
        if (lengths(k) > 0) run(starts(k)) = static_cast<std::uint32_t>(k);
      });
  // Of what was written up to here, the largest number is that of the run.
  const auto value = KOKKOS_LAMBDA(std::uint32_t k) { return values(k); };
  wavescan::inclusive_scan(exec, run, wavescan::transform_output(x, value), wavescan::Max{});
}

}  // namespace applications
