// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_MAILBOX_HPP
#define WAVESCAN_IMPL_GPU_MAILBOX_HPP

#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Messages between the blocks of a kernel: tagged values in device memory, in places that
/// are used again and never cleared.
///
/// Why the memory order suffices: a value and its tag are in the same words, each of which is
/// stored and loaded as a whole. A lane that finds the tag in all words of a value has that value;
/// nothing else is concluded from it, so relaxed accesses do.
///
/// Why tags tell values apart: no two launches have the same (WaveScan_Gpu_LaunchTags.hpp). A place
/// is written again before the tags come round to the old one unless 2^32 tags are used up without
/// it.
///
/// Why waits end: the block that is waited for must be running, so that either all blocks are
/// resident (a cooperative launch), or blocks draw tasks that need earlier ones only (TaskQueue).
/// No message is waited for by its sender.

namespace wavescan::Impl::gpu {

/// @brief Places for messages: in each turn each of some senders has one, for some values.
/// @tparam Turns  after so many, a place is used again: nobody may wait for a message that is so
/// old
/// @tparam Header words before the places: the epoch, alone in its sectors if there are 4 or more
template <int Turns, int Header>
struct Mailbox {
  TaggedWord* words;

  template <class V>
  KOKKOS_FUNCTION static constexpr std::size_t size(int senders, int values = 1) {
    return Header + static_cast<std::size_t>(Turns) * static_cast<std::size_t>(senders) *
                        static_cast<std::size_t>(values * Tagged<V>::words);
  }
  /// @brief The place of a sender's value `i` of `values`.
  template <class V>
  __device__ TaggedWord* place(std::uint32_t turn, int sender, int senders, int values = 1,
                               int i = 0) const {
    return words + Header +
           static_cast<std::size_t>(((turn % Turns) * senders + sender) * values + i) *
               Tagged<V>::words;
  }
  __device__ Epoch epoch() const { return {words}; }
};

/// @brief Waits until all `wanted` of N tagged values have come, with all loads of a round on their
/// way at once. All lanes of a warp call it at the same time, each for values of its own.
/// @param wanted   bit m: value m is waited for
/// @param place_of the place of value m; also asked for those that are not wanted
/// @param tag_of   its tag
/// @param take     called as take(m, value) when the value has come
template <class V, int N, class PlaceOf, class TagOf, class Take, class Access = PlainAccess>
__device__ void await(unsigned wanted, const PlaceOf& place_of, const TagOf& tag_of,
                      const Take& take, const Access& access = {}) {
  for (LookLimit looks; any(wanted != 0); looks.count()) {
    typename Tagged<V>::Found found[N];
#pragma unroll
    for (int m = 0; m < N; ++m) found[m].load_if(wanted >> m & 1, place_of(m), access);
#pragma unroll
    for (int m = 0; m < N; ++m)
      if ((wanted >> m & 1) && found[m].has_tag(tag_of(m))) {
        take(m, found[m].value());
        wanted &= ~(1u << m);
      }
  }
}

/// @brief Waits likewise, but leaves the values where they are found, for those who take them in
/// order.
template <class V, int N, class PlaceOf, class TagOf, class Access = PlainAccess>
__device__ void await(typename Tagged<V>::Found (&found)[N], unsigned wanted,
                      const PlaceOf& place_of, const TagOf& tag_of, const Access& access = {}) {
  for (LookLimit looks; any(wanted != 0); looks.count()) {
#pragma unroll
    for (int m = 0; m < N; ++m) found[m].load_if(wanted >> m & 1, place_of(m), access);
#pragma unroll
    for (int m = 0; m < N; ++m)
      if ((wanted >> m & 1) && found[m].has_tag(tag_of(m))) wanted &= ~(1u << m);
  }
}

/// @brief Waits until the first `count` of N tagged values have come, and finds them all; for
/// kernels with few registers to spare, since nothing is kept from round to round.
template <class V, int N, class PlaceOf, class TagOf, class Access = PlainAccess>
__device__ void await_all(typename Tagged<V>::Found (&found)[N], int count, const PlaceOf& place_of,
                          const TagOf& tag_of, const Access& access = {}) {
  bool missing = true;
  for (LookLimit looks; any(missing); looks.count()) {
    missing = false;
#pragma unroll
    for (int m = 0; m < N; ++m)
      if (m < count) found[m].load_if(true, place_of(m), access);
#pragma unroll
    for (int m = 0; m < N; ++m)
      if (m < count) missing |= !found[m].has_tag(tag_of(m));
  }
}

/// @brief Waits for values of one tag and calls take(i, i % AtOnce, value) for those wanted among
/// [0, count), in order. All lanes of a warp call it with the same count.
template <class V, int AtOnce, class Wanted, class PlaceOf, class Take, class Access = PlainAccess>
__device__ void await_each(int count, std::uint32_t tag, const Wanted& wanted,
                           const PlaceOf& place_of, const Take& take, const Access& access = {}) {
  for (int first = 0; first < count; first += AtOnce) {
    typename Tagged<V>::Found found[AtOnce];
    unsigned all = 0;
#pragma unroll
    for (int m = 0; m < AtOnce; ++m)
      if (first + m < count && wanted(first + m)) all |= 1u << m;
    await<V>(
        found, all, [&](int m) { return place_of(first + m); }, [=](int) { return tag; }, access);
#pragma unroll
    for (int m = 0; m < AtOnce; ++m)
      if (all >> m & 1) take(first + m, m, found[m].value());
  }
}

/// @brief Values, up to `Max`, that a lane waits for together. All lanes of a warp wait at the same
/// time.
template <class V, int Max>
class Awaited {
 public:
  /// @brief Adds value `m` to those waited for; the others stay zero.
  __device__ void want(int m, const TaggedWord* place, std::uint32_t tag) {
    place_[m] = place;
    tag_[m] = tag;
    wanted_ |= 1u << m;
  }
  template <class Access>
  __device__ void wait(const Access& access) {
    await<V, Max>(
        wanted_, [&](int m) { return place_[m]; }, [&](int m) { return tag_[m]; },
        [&](int m, const V& value) { value_[m] = value; }, access);
  }
  __device__ const V& operator[](int m) const { return value_[m]; }

 private:
  V value_[Max] = {};
  const TaggedWord* place_[Max] = {};
  std::uint32_t tag_[Max] = {};
  unsigned wanted_ = 0;
};

}  // namespace wavescan::Impl::gpu

#endif
