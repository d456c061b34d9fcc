// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <utility>

#include "applications.hpp"

namespace applications {

template <class Key>
void radix_sort(const Exec& exec, const Array<Key>& keys, const Array<std::uint32_t>& values) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  const auto like = [&](const auto& view) {
    return Kokkos::view_alloc(exec, view.label(), Kokkos::WithoutInitializing);
  };
  Array<Key> from(keys), to(like(keys), n);
  Array<std::uint32_t> from_values(values), to_values(like(values), n);
  const Kokkos::View<std::int64_t, Exec> count("count");
  const auto plan = wavescan::Partition<Exec>::like(exec, wavescan::zip(keys, values), false);

  for (int bit = 0; bit < int(8 * sizeof(Key)); ++bit) {
    const auto is_zero = KOKKOS_LAMBDA(Key key, std::uint32_t) { return (key >> bit & 1) == 0; };
    std::int64_t zeros = 0;
    Kokkos::parallel_reduce(
        "zeros", Range(exec, 0, n),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum) { sum += is_zero(from(i), 0); }, zeros);
    if (zeros == 0 || zeros == n) continue;  // all keys are alike
    const std::pair<std::int64_t, std::int64_t> front(0, zeros), back(zeros, n);
    plan.partition_copy(
        wavescan::zip(from, from_values),
        wavescan::zip(Array<Key>(to, front), Array<std::uint32_t>(to_values, front)),
        wavescan::zip(Array<Key>(to, back), Array<std::uint32_t>(to_values, back)), is_zero, count);
    std::swap(from, to);
    std::swap(from_values, to_values);
  }
  if (from.data() != keys.data()) {
    Kokkos::deep_copy(exec, keys, from);
    Kokkos::deep_copy(exec, values, from_values);
  }
}

template void radix_sort(const Exec&, const Array<std::uint32_t>&, const Array<std::uint32_t>&);
template void radix_sort(const Exec&, const Array<std::uint64_t>&, const Array<std::uint32_t>&);

}  // namespace applications
