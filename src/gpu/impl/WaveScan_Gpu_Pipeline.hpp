// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_PIPELINE_HPP
#define WAVESCAN_IMPL_GPU_PIPELINE_HPP

#include <impl/WaveScan_Gpu_Barrier.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstdint>

/// @file
/// @brief Pipelines through shared memory: stages that numbered tiles take in turn, and the
/// barriers at which those who fill, use and empty a stage wait for each other.
///
/// A stage's barriers complete one phase for each of its tiles, so tile t waits for the parity of
/// its round. Parities tell a phase from the next one only: nobody may ask for a tile's phase any
/// more when the stage's next tile has completed its own.
///
/// Waits end because the order is the same for all: a tile is loaded when the tile that had the
/// stage before has been stored, and is used when it has been loaded, by warps that run.

namespace wavescan::Impl::gpu {

/// @brief The number of places of a ring, by which tiles' numbers are divided quickly.
class RingSize {
 public:
  RingSize() = default;
  /// @param places 2 to 32; the numbers to divide are less than 2^27 then
  explicit RingSize(int places)
      : places_(places),
        inverse_(static_cast<std::uint32_t>(((std::uint64_t(1) << 32) + std::uint64_t(places) - 1) /
                                            std::uint64_t(places))) {}
  KOKKOS_FUNCTION int places() const { return places_; }
  KOKKOS_FUNCTION int rounds(int t) const {
    return static_cast<int>(std::uint64_t(static_cast<std::uint32_t>(t)) * inverse_ >> 32);
  }
  KOKKOS_FUNCTION int place(int t) const { return t - rounds(t) * places_; }

 private:
  int places_ = 0;
  std::uint32_t inverse_ = 0;
};

/// @brief The barrier of tile `t` in a ring whose size the compiler knows.
template <int Places>
__device__ Barrier& barrier_of(Barrier (&barriers)[Places], int t) {
  return barriers[t % Places];
}
/// @brief Waits there for the tile.
template <int Places>
__device__ void wait_in_turn(Barrier (&barriers)[Places], int t) {
  barriers[t % Places].wait((t / Places) & 1);
}

/// @brief Waits for tile `t` at the barrier of its place.
__device__ inline void wait_in_turn(Barrier* barriers, int t, const RingSize& ring) {
  barriers[ring.place(t)].wait(ring.rounds(t) & 1);
}

/// @brief The place of a tile, and then of those after it: for who goes through the tiles in order.
class RingTurn {
 public:
  __device__ RingTurn(const RingSize& ring, int tile)
      : places_(ring.places()), place_(ring.place(tile)), parity_(ring.rounds(tile) & 1) {}

  __device__ int place() const { return place_; }
  /// @brief Goes on to a later tile, by no more than the ring has places.
  __device__ void advance(int tiles = 1) {
    place_ += tiles;
    if (place_ < places_) return;
    place_ -= places_;
    parity_ ^= 1;
  }
  /// @brief Waits at the place's barrier for the tile.
  __device__ void wait(Barrier* barriers) const { barriers[place_].wait(parity_); }
  /// @brief Waits there for the tile that had the place before, if there was one.
  __device__ void wait_for_last(Barrier* barriers) const { barriers[place_].wait(parity_ ^ 1); }

 private:
  int places_;
  int place_;
  unsigned parity_;
};

/// @brief A place and the parity of its round, for who goes through the tiles in order and knows
/// the number of places by itself.
struct RingCursor {
  int place = 0;
  unsigned parity = 0;
  __device__ void advance(int places) {
    if (++place == places) {
      place = 0;
      parity ^= 1;
    }
  }
};

/// @brief True if a phase has ended, and always if the caller has nothing else to do but wait for
/// it: asleep, because a wait in hardware keeps asking, at the cost of the warps that compute.
/// @param agreed turns what a lane has found into what all lanes that call it agree on
template <class Agreed>
__device__ bool has_passed(const Barrier& barrier, unsigned parity, bool waits,
                           const Agreed& agreed) {
  while (!agreed(barrier.passed(parity))) {
    if (!waits) return false;
    back_off_for(128);
  }
  return true;
}

/// @brief The work of the threads that load a block's tiles, which others take out of their stages.
/// @tparam Started loads at first; from then on there is one more for each arrival (slow start)
/// @param  load called as load(tile, place, ready)
///
/// It is here that what others did in a stage comes before the next load to it: were they to order
/// their own accesses, they would wait for all that they have stored in global memory.
template <int Stages, int Started, class Load>
__device__ void load_through(const MovingThread& moving, Barrier (&filled)[Stages],
                             Barrier (&emptied)[Stages], int tiles, const Load& load) {
  for (int k = moving.first_tile(); k < tiles; k += moving.tile_step) {
    const auto await_place = [&] {
      if (k >= Stages) {
        wait_in_turn(emptied, k - Stages);
        order_before_bulk_copies();
      } else if (k >= Started) {
        filled[k - Started].wait(0);
      }
      MovingThread::meet();
    };
    BeforeWriting ready(await_place);
    load(k, k % Stages, ready);
  }
}

/// @brief The first loads of copy_through, which nothing has to be waited for.
/// @param load called as load(tile, ready)
template <int Started, class Load>
__device__ void start_loads(const MovingThread& moving, int tiles, const Load& load) {
  const auto nothing = [] {};
  for (int k = moving.first_tile(); k < Started && k < tiles; k += moving.tile_step) {
    BeforeWriting ready(nothing);
    load(k, ready);
  }
}

/// @brief The work of the threads that move a block's tiles through a ring of stages. Some loads
/// have been started already; from then on there is one more for each arrival (slow start), which
/// keeps the first results from queueing behind loads.
/// @tparam Started how many
template <int Stages, int Started, class Load, class Store>
__device__ void copy_through(const MovingThread& moving, Barrier (&filled)[Stages],
                             Barrier (&used)[Stages], int tiles, const Load& load,
                             const Store& store) {
  static_assert(Stages == whole_rounds(Stages));
  const auto load_after = [&](int k, const auto& act) {
    BeforeWriting ready(act);
    load(k, ready);
  };
  for (int k = moving.first_tile(); k < Stages && k < tiles; k += moving.tile_step)
    if (k >= Started)
      load_after(k, [&] {
        filled[k - Started].wait(0);
        MovingThread::meet();
      });
  for (int k = moving.first_tile(); k < tiles; k += moving.tile_step) {
    const auto empty = [&] {
      wait_in_turn(used, k);
      MovingThread::meet();
      store(k);
    };
    if constexpr (mover == Mover::Bulk) {
      empty();
      const int next = k - 1 + Stages;  // into the stage of the store before
      if (k >= 1 && next < tiles) load_after(next, [] { wait_for_stores<1>(); });
    } else if (k + Stages < tiles) {
      load_after(k + Stages, empty);
    } else {
      empty();
    }
  }
  wait_for_stores<0>();
}

}  // namespace wavescan::Impl::gpu

#endif
