// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_HOST_HOSTTABLEBANDS_HPP
#define WAVESCAN_IMPL_SAT_HOST_HOSTTABLEBANDS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sat/host/WaveScan_HostTablePartition.hpp>

#include <algorithm>

/// @file
/// @brief The distribution of tables over the threads of a host.
///
/// Tables are divided into bands of rows, and bands into tiles. A tile needs the entries above it,
/// from the same tile of the band before. Threads draw bands by ticket and follow each other at a
/// distance of a tile, so that everything is read once and written once. Where a band has too few
/// tiles for that, it is summed up first, which brings it into the cache, and hands on the entries
/// below it before its own are computed. Of many images, each is one thread's. And what the caches
/// hold is gone through twice, each thread staying with its own rows, so that nothing moves from
/// one core's cache to another's: all bands are summed up, and then each thread knows what lies
/// above its own. All of these ways, with any number of threads, add the same numbers in the same
/// order.

namespace wavescan::Impl {

/// @brief Flags of bands have cache lines of their own: threads wait for different ones.
inline constexpr Index flag_pitch = 16;

/// @brief Computes a band of a table whose worker waits for nobody, nor anybody for it.
template <class Worker>
void sum_band(Worker& worker, const HostTablePartition& partition) {
  for (Index tile = 0; tile < partition.tiles; ++tile)
    worker.tile(
        tile, [] {}, [] {});
}

/// @brief All workers' walk through all tables.
/// @tparam Work its `Worker(work, partition, index)` has `begin(image, band, slot)` and
///              `tile(number, await_above, hand_on)`: it calls the two before it uses what the band
///              above has left in the slot, and when it has put there what the band below needs
template <class Work>
class HostTableKernel {
 public:
  HostTableKernel(const Work& work, const HostTablePartition& partition, int* ticket,
                  int* tiles_done)
      : work_(work), partition_(partition), ticket_(ticket), tiles_done_(tiles_done) {}

  void operator()(const Index index) const {
    typename Work::Worker worker(work_, partition_, index);
    for (Index task = draw(); task < partition_.tasks(); task = draw())
      if (partition_.whole_images) {
        for (Index band = 0; band < partition_.bands; ++band) {
          worker.begin(task, band, index);
          sum_band(worker, partition_);
        }
      } else {
        const Index image = task / partition_.bands;
        const Index band = task % partition_.bands;
        int* const done = tiles_done_ + task * flag_pitch;
        worker.begin(image, band, image);
        for (int tile = 0; tile < partition_.tiles; ++tile)
          worker.tile(
              tile,
              [&] {
                if (band > 0) wait_until_at_least(done - flag_pitch, tile + 1);
              },
              [&] { store_release(done, tile + 1); });
      }
    worker.finish();
  }

 private:
  Index draw() const { return Kokkos::atomic_fetch_add(ticket_, 1); }

  Work work_;
  HostTablePartition partition_;
  int* ticket_;
  int* tiles_done_;  ///< of each band of each image
};

/// @brief Two passes: each worker owns bands that lie below each other.
///
/// The sums that bands hand on are anybody's work, so that workers only wait for some that run, and
/// owners for all readers before they overwrite an image.
/// @tparam Work as HostTableKernel's, with `has_two_passes`; its Worker also has `sum_ahead(image,
/// band)`, the first pass,
///              and `enter(image, band)`, which begins the second
template <class Work>
class HostTwoPasses {
 public:
  HostTwoPasses(const Work& work, const HostTablePartition& partition, int* states)
      : work_(work), partition_(partition), states_(states) {}

  void operator()(const Index index) const {
    typename Work::Worker worker(work_, partition_, index);
    const Index handed_on = partition_.first_task(partition_.workers - 1);
    const Index share = handed_on * index / partition_.workers;
    for (Index task = share; task < handed_on; ++task) sum_ahead(worker, task);
    for (Index task = 0; task < share; ++task) sum_ahead(worker, task);

    const Index first = partition_.first_task(index), end = partition_.first_task(index + 1);
    for (Index task = first / partition_.bands * partition_.bands; task < std::min(end, handed_on);
         ++task)
      wait_until_at_least(states_ + task * flag_pitch, summed);
    for (Index task = first; task < end; ++task) {
      const Index image = task / partition_.bands, band = task % partition_.bands;
      worker.begin(image, band, index);
      if (task == first) worker.enter(image, band);
      sum_band(worker, partition_);
    }
    worker.finish();
  }

 private:
  static constexpr int untouched = 0, taken = 1, summed = 2;

  void sum_ahead(typename Work::Worker& worker, Index task) const {
    if (Kokkos::atomic_compare_exchange(states_ + task * flag_pitch, untouched, taken) != untouched)
      return;
    worker.sum_ahead(task / partition_.bands, task % partition_.bands);
    store_release(states_ + task * flag_pitch, summed);
  }

  Work work_;
  HostTablePartition partition_;
  int* states_;  ///< of each band of each image
};

/// @brief The flags of kernels on tables of one size.
template <ExecutionSpace Exec>
class HostTableRunner {
 public:
  HostTableRunner(const Exec& exec, const HostTablePartition& partition)
      : exec_(exec),
        partition_(partition),
        flags_(workspace_array<int>(
            exec, "WaveScan::tables::flags",
            flag_pitch * (1 + (partition.whole_images ? 0 : partition.tasks())))) {}

  const HostTablePartition& partition() const { return partition_; }

  /// @param sums that one image's pixels are added to, in all
  template <class Work>
  void enqueue(const char* name, Index sums, const Work& work) const {
    constexpr double seconds_per_sum = .5e-9;
    const double alone = seconds_per_sum * static_cast<double>(partition_.images * sums);
    set_all(exec_, flags_, 0);
    if constexpr (Work::has_two_passes)
      if (partition_.two_passes)
        return enqueue_workers(exec_, name, partition_.workers, alone,
                               HostTwoPasses<Work>(work, partition_, flags_.data() + flag_pitch));
    enqueue_workers(
        exec_, name, partition_.workers, alone,
        HostTableKernel<Work>(work, partition_, flags_.data(), flags_.data() + flag_pitch));
  }

 private:
  Exec exec_;
  HostTablePartition partition_;
  Kokkos::View<int*, typename Exec::memory_space> flags_;  ///< the ticket, then each task
};

}  // namespace wavescan::Impl

#endif
