// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_BUNDLES_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_BUNDLES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>
#include <impl/sor3d/gpu/WaveScan_BoxPass.hpp>

/// @file
/// @brief A single sweep along bundles of rows, a block for each bundle.

namespace wavescan::Impl::sor3d {

/// @brief The sizes of a bundle: a warp for each plane, a lane for each row.
template <class T>
struct BundleShape {
  static constexpr int planes = 8;
  static constexpr int rows = gpu::warp_size;
  static constexpr int lag = 2;     ///< steps from plane to plane
  static constexpr int chunk = 16;  ///< columns that are copied at a time
  static constexpr int part = 8;    ///< and those that are handed on
  /// Lines of a bundle, with their neighbours.
  static constexpr int all_planes = planes + 2;
  static constexpr int all_rows = rows + 2;
  /// Elements from slot to slot, such that lanes that copy some lines meet no bank twice.
  static constexpr int pitch_of(int lines) {
    constexpr int unit = 128 / static_cast<int>(sizeof(T)) / chunk;
    return unit * ((lines + unit - 1) / (2 * unit) * 2 + 1);
  }
  static constexpr int pitch = pitch_of(all_planes * all_rows);
  static constexpr int rhs_pitch = pitch_of(planes * rows);
  static constexpr int stages_that_fit =
      (gpu::block_memory - 1024) / (static_cast<int>(sizeof(T)) * (pitch + rhs_pitch) * chunk);
  static constexpr int stages = stages_that_fit < 2 ? 2 : stages_that_fit < 6 ? stages_that_fit : 6;
  static constexpr int loaders = 4;  ///< warps
  static constexpr int storers = 2;
  static constexpr int threads = (planes + loaders + 2 + storers) * gpu::warp_size;
  static_assert(rows % part == 0 && chunk % part == 0 && part % lag == 0);
  static_assert((stages - 1) * chunk >= 5 * lag);
};

/// @brief The shared memory of a block.
template <class T>
struct BundleMemory {
  using Shape = BundleShape<T>;
  static constexpr int parts = Shape::stages * Shape::chunk / Shape::part;
  T x[Shape::stages * Shape::chunk][Shape::pitch];
  T rhs[Shape::stages * Shape::chunk][Shape::rhs_pitch];
  gpu::Barrier arrived[Shape::stages];  ///< old values and the right-hand side
  gpu::Barrier freed[Shape::stages];
  gpu::Barrier received[parts];  ///< what other bundles have changed
  gpu::Barrier relaxed[parts];
  gpu::BlockTasks tasks;
};

/// @brief A block's way along a bundle.
///
/// A line is a row of a plane; the bundle's are numbered (p, r) from 0, and warp p - 1 and lane
/// r - 1 relax (p, r). The column j of a line is in slot j + r + p lag of shared memory, and is
/// relaxed in the step of that number. So up is a slot earlier, left and right are a slot off,
/// down is one later, front is `lag` slots earlier and back as many later, in the lines beside.
/// `lag` steps make a block of steps, after which warps meet: in it a warp needs what it has
/// computed itself, and what others have in blocks before.
///
/// Bundles meet in x: a bundle loads the plane before its first one and the row above when the
/// bundles that have them have stored them, and reads old values of the plane and the row behind,
/// which are changed later, since that depends on what is computed from them. So x may be swept in
/// place.
///
/// Why waits end: a bundle waits for bundles with earlier tickets only.
template <class T, bool Masked>
class Bundle {
 public:
  using Memory = BundleMemory<T>;
  using Shape = BundleShape<T>;
  static constexpr int drawing = Shape::planes;
  static constexpr bool hands_on_faces = false;  ///< bundles meet in x
  static constexpr auto name = "WaveScan::sor3d::bundles";

 private:
  static constexpr int planes = Shape::planes;
  static constexpr int rows = Shape::rows;
  static constexpr int lag = Shape::lag;
  static constexpr int chunk = Shape::chunk;
  static constexpr int part = Shape::part;
  static constexpr int stages = Shape::stages;
  static constexpr int pitch = Shape::pitch;
  static constexpr int all_rows = Shape::all_rows;
  static constexpr int ring = stages * chunk;

 public:
  /// @param first the number of its first chunk among all that the block has had
  __device__ Bundle(const BoxPass<T>& pass, Memory& memory, Index task, int first)
      : pass_(pass), memory_(memory), first_(first), first_part_(first * (chunk / part)) {
    pass.find(static_cast<int>(task), down_, across_);
    plane_ = down_ * planes;
    row_ = across_ * rows;
  }

  /// @brief Tasks and steps of a pass.
  static void plan(BoxPass<T>& pass) {
    const Box<T>& x = pass.x;
    pass.down = static_cast<int>(ceil_div(x.planes - 2, Index(planes)));
    pass.across = static_cast<int>(ceil_div(x.rows - 2, Index(rows)));
    const Index steps = x.columns + all_rows + (Shape::all_planes + 1) * lag;
    pass.chunks = static_cast<int>(ceil_div(steps, Index(chunk)));
  }
  static __device__ void init(Memory& memory) {
    for (int k = 0; k < stages; ++k) {
      memory.arrived[k].init(Shape::loaders * gpu::warp_size);
      memory.freed[k].init((planes + 1 + Shape::storers) * gpu::arrivals_of_warp);
    }
    for (int k = 0; k < Memory::parts; ++k) {
      memory.received[k].init(gpu::warp_size);
      memory.relaxed[k].init(planes * gpu::arrivals_of_warp);
    }
  }

  /// @brief The work of a block's warps.
  __device__ void run() {
    const int rank = gpu::warp() - planes;
    if (rank < 0)
      relax();
    else if (rank == 0)
      receive();
    else if (rank == 1)
      hand_on();
    else if (rank < 2 + Shape::loaders)
      load(rank - 2);
    else
      store(rank - 2 - Shape::loaders);
  }

 private:
  __device__ Index* done(int down, int across) const {
    return pass_.done + (Index(down) * pass_.across + across);
  }
  __device__ int parts() const { return pass_.chunks * (chunk / part); }

  /// @brief Loads old values and the right-hand side.
  __device__ void load(int rank) const {
    for (int c = 0; c < pass_.chunks; ++c) {
      wait_for_stage(c);
      for (int p = 1 + rank; p < Shape::all_planes; p += Shape::loaders)
        for_rows<chunk, 0, pitch>(pass_.from, c, p, 1, all_rows, &memory_.x[0][p * all_rows],
                                  CopyIn());
      if (pass_.rhs.data != nullptr)
        for (int p = 1 + rank; p <= planes; p += Shape::loaders)
          for_rows<chunk, 1, Shape::rhs_pitch>(pass_.rhs, c, p, 1, rows + 1,
                                               &memory_.rhs[0][0] + ((p - 1) * rows - 1), CopyIn());
      gpu::barrier_of(memory_.arrived, first_ + c).arrive_after_copies();
    }
  }
  __device__ void wait_for_stage(int c) const {
    if (const int n = first_ + c - stages; n >= 0) gpu::wait_in_turn(memory_.freed, n);
  }
  /// @brief Loads what other bundles have changed, when they have.
  __device__ void receive() const {
    Index known_above = 0, known_before = 0;
    for (int q = 0; q < parts(); ++q) {
      if (q % (chunk / part) == 0) wait_for_stage(q / (chunk / part));
      if (down_ > 0)
        wait_for(done(down_ - 1, across_), q + 1 + (planes * lag + part - 1) / part, known_above);
      if (across_ > 0) wait_for(done(down_, across_ - 1), q + 1 + rows / part, known_before);
      for_rows<part, 0, pitch>(pass_.x, q, 0, 1, rows + 1, &memory_.x[0][0], CopyIn());
      for_planes<0>(pass_.x, q, 0, planes + 1, CopyIn());
      gpu::barrier_of(memory_.received, first_part_ + q).arrive_after_copies();
    }
  }
  __device__ void wait_for(const Index* done, int count, Index& known) const {
    const Index wanted = Kokkos::min(count, parts());
    if (known < wanted) known = wait_until_at_least(done, wanted);
  }

  /// @brief Stores what other bundles need, the last plane and the last row, and tells them.
  __device__ void hand_on() const {
    for (int q = 0; q < parts(); ++q) {
      gpu::wait_in_turn(memory_.relaxed, first_part_ + q);
      for_rows<part, 1, pitch>(pass_.x, q, planes, 1, rows + 1, &memory_.x[0][planes * all_rows],
                               CopyOut());
      for_planes<1>(pass_.x, q, rows, planes, CopyOut());
      gpu::sync_warp();
      if (gpu::lane() == 0) store_release(done(down_, across_), Index(q + 1));
      if ((q + 1) % (chunk / part) == 0)
        gpu::arrive_as_warp(gpu::barrier_of(memory_.freed, first_ + q / (chunk / part)));
    }
  }
  /// @brief Stores all else.
  __device__ void store(int rank) const {
    for (int c = 0; c < pass_.chunks; ++c) {
      gpu::wait_in_turn(memory_.relaxed, first_part_ + (c + 1) * (chunk / part) - 1);
      for (int p = 1 + rank; p < planes; p += Shape::storers)
        for_rows<chunk, 1, pitch>(pass_.x, c, p, 1, rows, &memory_.x[0][p * all_rows], CopyOut());
      gpu::arrive_as_warp(gpu::barrier_of(memory_.freed, first_ + c));
    }
  }

  struct CopyIn {
    __device__ void operator()(bool wanted, const T* from, T* to) const {
      gpu::copy_async_if<sizeof(T)>(wanted, to, from);
    }
  };
  struct CopyOut {
    __device__ void operator()(bool wanted, T* to, const T* from) const {
      const T v = *from;
      if (wanted) *to = v;
    }
  };

  /// @brief Calls copy(wanted, in the box, in shared memory) for `Width` columns, the n-th so many,
  /// of rows [first, end) of plane p, of which each lane has one of some rows. What is within
  /// `Margin` of the box's ends is not wanted.
  /// @param place in shared memory, of row 0 of the plane in slot 0
  template <int Width, int Margin, int Pitch, class E, class Copy>
  __device__ void for_rows(const Box<E>& box, int n, int p, int first, int end, T* place,
                           const Copy& copy) const {
    constexpr int at_once = gpu::warp_size / Width;
    const int k = plane_ + p;
    if (k < Margin || k >= static_cast<int>(box.planes) - Margin) return;
    const int e = n * Width + gpu::lane() % Width;
    int i = row_ + first + gpu::lane() / Width;
    const int sum = row_ + e - p * lag;  // of row and column
    // Rows are the box's here: nvcc 13.0 loses the sign in max(max(a, -b), c).
    const int low = Kokkos::max(Kokkos::max(row_ + first, Margin),
                                sum + Margin + 1 - static_cast<int>(box.columns));
    const int high =
        Kokkos::min(Kokkos::min(row_ + end, static_cast<int>(box.rows) - Margin), sum + 1 - Margin);
    const auto wanted = static_cast<unsigned>(Kokkos::max(high - low, 0));
    E* at = box.data + (k * box.plane_stride + i * box.row_stride + (sum - i) * box.column_stride);
    const Index step = at_once * (box.row_stride - box.column_stride);
    place += slot(e) * Pitch + i - row_;
#pragma unroll 4
    for (int r = first; r < end; r += at_once) {
      copy(static_cast<unsigned>(i - low) < wanted, at, place);
      i += at_once;
      at += step;
      place += at_once;
    }
  }
  /// @brief Calls `copy` likewise for a part of row r of planes [1, end).
  template <int Margin, class E, class Copy>
  __device__ void for_planes(const Box<E>& box, int q, int r, int end, const Copy& copy) const {
    constexpr int at_once = gpu::warp_size / part;
    const int i = row_ + r;
    if (i < Margin || i >= static_cast<int>(box.rows) - Margin) return;
    const int e = q * part + gpu::lane() % part;
    int p = 1 + gpu::lane() / part;
    int j = e - r - p * lag;
    const auto columns = static_cast<unsigned>(static_cast<int>(box.columns) - 2 * Margin);
    const int last = Kokkos::min(end, static_cast<int>(box.planes) - Margin - plane_);
    E* at =
        box.data + ((plane_ + p) * box.plane_stride + i * box.row_stride + j * box.column_stride);
    const Index step = at_once * (box.plane_stride - lag * box.column_stride);
    T* place = &memory_.x[slot(e)][p * all_rows + r];
#pragma unroll
    for (int n = 1; n < end; n += at_once) {
      copy(p < last && static_cast<unsigned>(j - Margin) < columns, at, place);
      p += at_once;
      j -= at_once * lag;
      at += step;
      place += at_once * all_rows;
    }
  }
  /// @brief The place of the bundle's slot in the ring.
  __device__ int slot(int e) const { return (first_ % stages * chunk + e) % ring; }

  /// @brief The values that a lane has ready for a block of steps, all of it old values.
  struct Prepared {
    T sum[lag];  ///< of their terms
    T old[lag];
    bool changes[lag];
  };

  __device__ void relax() {
    const int p = 1 + gpu::warp(), r = 1 + gpu::lane();
    const int k = plane_ + p, i = row_ + r;
    const bool unknown =
        k < static_cast<int>(pass_.x.planes) - 1 && i < static_cast<int>(pass_.x.rows) - 1;
    T left = 0, center = 0;
    int arrived = 0, received = 0, relaxed = 0, freed = 0;
    int place = slot(0);
    Prepared ready{};
    for (int t = 0; t < pass_.chunks * chunk - 2 * lag; t += lag) {
      if ((relaxed + 1) * part <= t)
        gpu::arrive_as_warp(gpu::barrier_of(memory_.relaxed, first_part_ + relaxed++));
      if ((freed + 1) * chunk <= t - lag)
        gpu::arrive_as_warp(gpu::barrier_of(memory_.freed, first_ + freed++));
      for (; arrived * chunk < t + 3 * lag; ++arrived)
        gpu::wait_in_turn(memory_.arrived, first_ + arrived);
      for (; received * part < t + lag - 1; ++received)
        gpu::wait_in_turn(memory_.received, first_part_ + received);
      const int next = wrapped(place + lag);
      Prepared coming;
      prepare(coming, next, p, r, t + lag, unknown, center);
      if (t > 0) steps(ready, place, p, r, left);
      ready = coming;
      place = next;
      gpu::sync_threads<planes * gpu::warp_size>(1);
    }
    for (; arrived < pass_.chunks; ++arrived) gpu::wait_in_turn(memory_.arrived, first_ + arrived);
    for (; received < parts(); ++received)
      gpu::wait_in_turn(memory_.received, first_part_ + received);
    for (; relaxed < parts(); ++relaxed)
      gpu::arrive_as_warp(gpu::barrier_of(memory_.relaxed, first_part_ + relaxed));
    for (; freed < pass_.chunks; ++freed)
      gpu::arrive_as_warp(gpu::barrier_of(memory_.freed, first_ + freed));
  }

  __device__ void prepare(Prepared& ready, int place, int p, int r, int t, bool unknown,
                          T& center) const {
    const T* const now = &memory_.x[place][p * all_rows + r];
    const T* const after = &memory_.x[wrapped(place + lag)][p * all_rows + r];
    const T* const rhs = &memory_.rhs[place][(p - 1) * rows + r - 1];
    const auto columns = static_cast<unsigned>(static_cast<int>(pass_.x.columns) - 2);
#pragma unroll
    for (int e = 0; e < lag; ++e) {
      const T* const beside = e + 1 < lag ? now + (e + 1) * pitch : after;
      const T right = beside[0], down = beside[1];
      const T back = after[e * pitch + all_rows];
      const T b = rhs[e * Shape::rhs_pitch];
      ready.old[e] = center;
      ready.changes[e] = unknown && static_cast<unsigned>(t + e - r - p * lag - 1) < columns;
      if constexpr (Masked) ready.changes[e] = ready.changes[e] && !sor::FixedPointCode<T>::is(b);
      const SevenPointValues<T> near{center,
                                     T(0),
                                     T(0),
                                     T(0),
                                     pass_.transposed ? back : right,
                                     down,
                                     pass_.transposed ? right : back};
      ready.sum[e] = sor::old_terms<false>(pass_.c, near, sor::own_terms(pass_.c, center, b, true));
      center = right;
    }
  }
  __device__ void steps(const Prepared& ready, int place, int p, int r, T& left) {
    T* const now = &memory_.x[place][p * all_rows + r];
    const T* const before = &memory_.x[wrapped(place - lag)][p * all_rows + r];
    T front[lag];
#pragma unroll
    for (int e = 0; e < lag; ++e) front[e] = before[e * pitch - all_rows];
    const T* up = before + (lag - 1) * pitch - 1;
#pragma unroll
    for (int e = 0; e < lag; ++e) {
      const SevenPointValues<T> near{T(0), pass_.transposed ? front[e] : left,
                                     *up,  pass_.transposed ? left : front[e],
                                     T(0), T(0),
                                     T(0)};
      const T result = sor::new_terms<false, Masked>(pass_.c, near, ready.sum[e]);
      left = ready.changes[e] ? result : ready.old[e];
      if (ready.changes[e]) now[e * pitch] = result;
      up = now + e * pitch - 1;
      gpu::sync_warp();
    }
  }
  static __device__ int wrapped(int place) {
    return place < 0 ? place + ring : place >= ring ? place - ring : place;
  }

  const BoxPass<T>& pass_;
  Memory& memory_;
  const int first_;
  const int first_part_;
  int down_, across_;  ///< which bundle
  int plane_, row_;    ///< of line (0, 0)
};

}  // namespace wavescan::Impl::sor3d

#endif
