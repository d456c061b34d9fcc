// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_HOST_TWOPASSES_HPP
#define WAVESCAN_IMPL_SAT_HOST_TWOPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sat/host/WaveScan_Decomposition.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief Two passes: each worker owns bands that lie below each other.
///
/// The sums that bands hand on are anybody's work, so that workers only wait for some that run, and
/// owners for all readers before they overwrite an image.
/// @tparam Work as HostTableKernel's; its Worker also has `sum_ahead(image, band)`, the first pass,
///              and `enter(image, band)`, which begins the second
template <class Work>
class HostTwoPasses {
 public:
  HostTwoPasses(const Work& work, const HostTableCut& cut, int* states)
      : work_(work), cut_(cut), states_(states) {}

  void operator()(const Index index) const {
    typename Work::Worker worker(work_, cut_, index);
    const Index handed_on = cut_.first_task(cut_.workers - 1);
    const Index share = handed_on * index / cut_.workers;
    for (Index task = share; task < handed_on; ++task) sum_ahead(worker, task);
    for (Index task = 0; task < share; ++task) sum_ahead(worker, task);

    const Index first = cut_.first_task(index), end = cut_.first_task(index + 1);
    for (Index task = first / cut_.bands * cut_.bands; task < std::min(end, handed_on); ++task)
      wait_until_at_least(states_ + task, summed);
    for (Index task = first; task < end; ++task) {
      const Index image = task / cut_.bands, band = task % cut_.bands;
      worker.begin(image, band, index);
      if (task == first) worker.enter(image, band);
      for (Index tile = 0; tile < cut_.tiles; ++tile)
        worker.tile(
            tile, [] {}, [] {});
    }
    worker.finish();
  }

 private:
  static constexpr int untouched = 0, taken = 1, summed = 2;

  void sum_ahead(typename Work::Worker& worker, Index task) const {
    if (Kokkos::atomic_compare_exchange(states_ + task, untouched, taken) != untouched) return;
    worker.sum_ahead(task / cut_.bands, task % cut_.bands);
    store_release(states_ + task, summed);
  }

  Work work_;
  HostTableCut cut_;
  int* states_;  ///< of each band of each image
};

}  // namespace wavescan::Impl

#endif
