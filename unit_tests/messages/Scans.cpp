// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#include <Kokkos_OffsetView.hpp>
#include <WaveScan_Scan.hpp>
#include <string>

// Mistakes, each below the beginning of what the compiler must say to it.

using Ints = Kokkos::View<int*>;

void rank_3(const Kokkos::View<int***>& cube) {
  // error: WaveScan: 'in' and 'out' must both have rank 1 or both rank 2
  wavescan::inclusive_scan(cube, cube);
}

void dynamic_rank(const Kokkos::DynRankView<int>& view, const Ints& out) {
  // error: WaveScan: 'in' and 'out' must be of type Kokkos::View. Of a DynRankView or an OffsetView
  wavescan::inclusive_scan(view, out);
}

void offset(const Kokkos::Experimental::OffsetView<int*>& view) {
  wavescan::transform_inclusive_scan(
      view, view, wavescan::Plus{}, KOKKOS_LAMBDA(int x) { return x; });
}

void not_trivially_copyable(const Kokkos::View<std::string*, Kokkos::HostSpace>& words) {
  // error: WaveScan: elements must be trivially copyable
  wavescan::inclusive_scan(words, words);
}

void constant_output(const Ints::const_type& view) {
  // error: WaveScan: 'out' must not be const
  wavescan::inclusive_scan(view, view);
}

void nothing_to_begin_with(const Ints& view) {
  // error: WaveScan: an exclusive scan starts with a value of yours, the operator having no
  // identity
  wavescan::exclusive_scan(
      view, view, KOKKOS_LAMBDA(int a, int b) { return a * b; });
}

void neither_operator_nor_value(const Ints& view) {
  // error: WaveScan: an argument behind 'out' is neither an operator on the scan's type
  wavescan::inclusive_scan(view, view, "sum");
}

void two_beginnings(const Ints& view) {
  // error: WaveScan: an initial value and a carry in are the same thing
  wavescan::exclusive_scan(view, view, 1, wavescan::ScanOptions().carry_in(2));
}

void no_function_to_transform_with(const Ints& view) {
  // error: WaveScan: a transform scan takes one function of one element
  wavescan::transform_inclusive_scan(view, view, wavescan::Plus{});
}
