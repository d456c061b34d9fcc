// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <Kokkos_Core.hpp>

// Selections around the size up to which each block of a GPU has one small tile.

#if defined(KOKKOS_ENABLE_CUDA)

#include "CheckSliding.hpp"

namespace sliding_small_tiles {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class T>
class SmallTiles : public testing::Test {};
using Types = testing::Types<std::uint8_t, float, double, Blob<12>>;
TYPED_TEST_SUITE(SmallTiles, Types);

TYPED_TEST(SmallTiles, AroundTheLargestSize) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Kokkos::Cuda exec;
  using Tuning = Impl::select::TileTuning<false, 1, sizeof(TypeParam)>;
  static_assert(Tuning::small_tile <= Tuning::tile);
  const std::int64_t tile = Tuning::small_tile,
                     most = tile * exec.cuda_device_prop().multiProcessorCount;
  for (const std::int64_t n : {tile - 1, tile, tile + 1, 7 * tile + 300, most - tile - 1, most - 3,
                               most - 1, most, most + 1, most + 20}) {
    SCOPED_TRACE(std::to_string(n) + " elements");
    for (const unsigned limit : {3u, 60u})
      check_vector(exec, spread_elements<TypeParam>(random, n, Spread::Random), limit);
  }
}

}  // namespace
}  // namespace sliding_small_tiles

#endif
