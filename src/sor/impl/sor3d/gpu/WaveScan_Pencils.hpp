// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_PENCILS_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_PENCILS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>
#include <impl/sor3d/WaveScan_SevenPoint.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// @file
/// @brief Several sweeps on the way along pencils of columns, a block for each pencil.

namespace wavescan::Impl::sor3d {

/// @brief The sizes of a pencil: a warp has a row of points, which are lines along the columns of
/// the box.
template <int Sweeps>
struct PencilShape {
  static constexpr int sweeps = Sweeps;
  static constexpr int height = 16;             ///< planes of a pencil: its warps
  static constexpr int width = gpu::warp_size;  ///< rows of a pencil: lanes
  static constexpr int threads = height * width;
  static constexpr int chunk = Sweeps > 2 ? 4 : 8;  ///< steps between two hand-overs
  static constexpr int values = Sweeps + 1;         ///< of a thread: the old one and each sweep's
  static constexpr int face = height + width;       ///< what a pencil hands on, of each of them
  static constexpr int border = face + 1;           ///< what it takes
  static constexpr int rhs_height = height + Sweeps - 1;
  static constexpr int rhs_width = width + Sweeps - 1;
  /// Steps of which the right-hand side is kept: two chunks, and what later sweeps look back at.
  static constexpr int rhs_slots = (2 + (2 * (Sweeps - 1) + chunk - 1) / chunk) * chunk;
  /// Steps before step 0: the first line's halo is looked at two steps back, and its first point's
  /// right-hand side, by the last sweep, 2 Sweeps - 3.
  static constexpr int lead = rhs_slots - chunk;
};

/// @brief What a block has in shared memory.
template <class T, class Shape>
struct PencilMemory {
  /// Odd, so that steps of one line lie in different banks.
  static constexpr int line_pitch = Shape::threads | 1;
  static constexpr int rhs_pitch = Shape::rhs_height * Shape::rhs_width | 1;

  T lines[2 * Shape::chunk][line_pitch];  ///< old values of steps, then results
  T rhs[Shape::rhs_slots][rhs_pitch];
  T borders[2 * Shape::chunk][Shape::values][Shape::border];
  T now[2][Shape::values][Shape::height + 1][Shape::width + 1];  ///< of this step and the last one
  Index task;
};

/// @brief A pass of some sweeps over a box.
template <class T>
struct PencilPass {
  SORCoefficients3D<T> c;
  Box<const T> from;  ///< x, or another array
  Box<T> x;
  Box<const T> rhs;  ///< without data: none
  int pencils_down;  ///< along the planes
  int pencils_across;
  int steps;    ///< of a pencil, from 0 on
  T* faces;     ///< what pencils hand on
  Index* done;  ///< steps that pencils have handed on
  Index* ticket;
};

/// @brief A block's way along a pencil.
///
/// Thread (u, v) has sweep s, in step t, at the plane p - s + u, the row q - s + v and the column
/// t - u - v, where (p, q) is the pencil's first line; sweep 0 are the old values. With X[s][u][v]
/// the values of a step, all neighbours of a point are in the step before,
///
///     front = X[s][u-1][v], up = X[s][u][v-1], left = X[s][u][v],
///     back = X[s-1][u][v-1], down = X[s-1][u-1][v], right = X[s-1][u-1][v-1],
///
/// and the center is what `right` was a step ago: no sweep waits for another one within a step.
/// Points outside the unknowns keep their values, and so halos come along.
///
/// Values of all sweeps at the last plane and the last row of a pencil are what its neighbours
/// need besides. They travel through global memory, step by step, and a number tells how many of
/// them are there. x itself is read by one pencil only, before that or another one overwrites it:
/// what it writes depends on what was read. So x may be swept in place.
///
/// Why waits end: a pencil waits for pencils with earlier tickets only.
template <class T, class Shape, bool Exchanged>
class Pencil {
  using Memory = PencilMemory<T, Shape>;
  static constexpr int chunk = Shape::chunk;
  static constexpr int sweeps = Shape::sweeps;
  /// Lines whose chunks a warp copies at once, side by side.
  static constexpr int lines_at_once = gpu::warp_size / chunk;

 public:
  __device__ Pencil(const PencilPass<T>& pass, Memory& memory, Index task)
      : pass_(pass), memory_(memory), u_(gpu::warp()), v_(gpu::lane()) {
    find(static_cast<int>(task));
    plane_ = down_ * Shape::height;
    row_ = across_ * Shape::width;
    unknown_ = 0;
#pragma unroll
    for (int s = 1; s <= sweeps; ++s)
      if (is_unknown_line(plane_ - s + u_, row_ - s + v_)) unknown_ |= 1u << s;
    T* const faces = face(down_, across_, 0, 0);
    down_face_ = u_ == Shape::height - 1 ? faces + v_ : nullptr;
    across_face_ = v_ == Shape::width - 1 ? faces + Shape::width + u_ : nullptr;
    const int e = static_cast<int>(threadIdx.x);
    const int s = e / Shape::border, f = e % Shape::border;
    const int u = f < Shape::width || f == Shape::face ? 0 : f - Shape::width + 1;
    const int v = f < Shape::width ? f + 1 : 0;
    border_ = s < Shape::values ? (s * (Shape::height + 1) + u) * (Shape::width + 1) + v : -1;
  }

  __device__ void run() {
    T own[Shape::values] = {};
    T right[sweeps] = {};  ///< of the step before
    prefetch(-Shape::lead, 0, 0);
    int half = 0;
    int rhs_slot = 0;  ///< of the chunk's first step
    for (int first = -Shape::lead; first < pass_.steps; first += chunk, half ^= 1) {
      const int next_slot = rhs_slot + chunk == Shape::rhs_slots ? 0 : rhs_slot + chunk;
      gpu::wait_for_async_copies<0>();
      if (first + chunk < pass_.steps)
        prefetch(first + chunk, half ^ 1, next_slot);
      else
        __syncthreads();
#pragma unroll
      for (int k = 0; k < chunk; ++k) {
        step(first + k, half * chunk + k, rhs_slot + k, own, right);
        __syncthreads();
      }
      store_results(first, half);
      if (threadIdx.x == 0)
        store_release(pass_.done + number(down_, across_), Index(first + chunk));
      rhs_slot = next_slot;
    }
    __syncthreads();
  }

 private:
  /// @brief Pencils are numbered diagonal by diagonal, in which none needs another one.
  __device__ void find(int task) {
    int diagonal = 0;
    while (true) {
      const int first = diagonal < pass_.pencils_across ? 0 : diagonal - pass_.pencils_across + 1;
      const int last = diagonal < pass_.pencils_down ? diagonal : pass_.pencils_down - 1;
      const int count = last - first + 1;
      if (task < count) {
        down_ = first + task;
        across_ = diagonal - down_;
        return;
      }
      task -= count;
      ++diagonal;
    }
  }
  __device__ Index number(int down, int across) const {
    return Index(down) * pass_.pencils_across + across;
  }
  __device__ T* face(int down, int across, int step, int s) const {
    return pass_.faces +
           ((number(down, across) * pass_.steps + step) * Shape::values + s) * Shape::face;
  }
  __device__ bool is_unknown_line(int k, int i) const {
    return k >= 1 && k <= pass_.x.planes - 2 && i >= 1 && i <= pass_.x.rows - 2;
  }
  __device__ bool is_unknown_column(int j) const {
    return j >= 1 && j <= static_cast<int>(pass_.x.columns) - 2;
  }

  /// @brief Waits for what the chunk from `first` on needs of other pencils, with all threads, and
  /// starts to copy all that it needs.
  __device__ void prefetch(int first, int half, int rhs_slot) {
    if (threadIdx.x < 3) {
      const bool above = threadIdx.x != 1, before = threadIdx.x != 0;
      const int ahead = (above ? Shape::height : 0) + (before ? Shape::width : 0);
      const int down = down_ - (above ? 1 : 0), across = across_ - (before ? 1 : 0);
      const int needed = first + chunk + ahead;
      if (down >= 0 && across >= 0)
        wait_until_at_least(pass_.done + number(down, across),
                            Index(needed < pass_.steps ? needed : pass_.steps));
    }
    __syncthreads();
    copy_lines(first, half);
    if (pass_.rhs.data != nullptr) copy_rhs(first, rhs_slot);
    copy_borders(first, half);
    gpu::commit_async_copies();
  }

  /// @brief Calls use(inside, line, p) for the lanes' shares in a chunk of some lines side by side:
  /// a line's number, where an element of it is, and whether that exists.
  /// @param plane,row where line 0 is; it is at `column` in the chunk's first step
  /// @param halo      elements at both ends of planes, rows and columns that do not count
  template <int Lines, class E, class Use>
  __device__ void for_chunk(const Box<E>& box, int halo, int plane, int row, int column,
                            const Use& use) const {
    const int first = v_ / chunk;
    int i = row + first, j = column + v_ % chunk - first;
    E* p = box.data + (plane * box.plane_stride + i * box.row_stride + j * box.column_stride);
    const Index stride = lines_at_once * (box.row_stride - box.column_stride);
    const bool has_plane = plane >= halo && plane < static_cast<int>(box.planes) - halo;
    const int rows = static_cast<int>(box.rows) - halo;
    const int columns = static_cast<int>(box.columns) - halo;
#pragma unroll
    for (int l = first; l < Lines; l += lines_at_once) {
      const bool inside = has_plane && i >= halo && i < rows && j >= halo && j < columns;
      use(inside, l, p);
      i += lines_at_once;
      j -= lines_at_once;
      p += stride;
    }
  }

  __device__ void copy_lines(int first, int half) const {
    T* const to = &memory_.lines[half * chunk + v_ % chunk][u_ * Shape::width];
    for_chunk<Shape::width>(
        pass_.from, 0, plane_ + u_, row_, first - u_,
        [&](bool inside, int l, const T* p) { gpu::copy_async_if<sizeof(T)>(inside, to + l, p); });
  }
  __device__ void copy_rhs(int first, int slot) const {
#pragma unroll 1
    for (int h = u_; h < Shape::rhs_height; h += Shape::height) {
      const int u = h - (sweeps - 1);
      T* const to = &memory_.rhs[slot + v_ % chunk][h * Shape::rhs_width];
      for_chunk<Shape::rhs_width>(pass_.rhs, 1, plane_ - 1 + u, row_ - sweeps,
                                  first - u + sweeps - 1, [&](bool inside, int w, const T* p) {
                                    gpu::copy_async_if<sizeof(T)>(inside, to + w, p);
                                  });
    }
  }
  __device__ void copy_borders(int first, int half) const {
    for (int e = static_cast<int>(threadIdx.x); e < chunk * Shape::values * Shape::border;
         e += Shape::threads) {
      const int f = e % Shape::border;
      const int s = e / Shape::border % Shape::values;
      const int k = e / Shape::border / Shape::values;
      const bool above = f < Shape::width || f == Shape::face, before = f >= Shape::width;
      const int step = first + k + (above ? Shape::height : 0) + (before ? Shape::width : 0);
      const int down = down_ - (above ? 1 : 0), across = across_ - (before ? 1 : 0);
      const bool sent = down >= 0 && across >= 0 && step >= 0 && step < pass_.steps;
      const T* const from = sent ? face(down, across, step, s) : pass_.faces;
      gpu::copy_async_if<sizeof(T)>(sent, &memory_.borders[half * chunk + k][s][f],
                                    from + (f == Shape::face ? Shape::width - 1 : f));
    }
  }

  __device__ void step(int t, int slot, int rhs_slot, T (&own)[Shape::values], T (&right)[sweeps]) {
    const int column = t - u_ - v_;
    const auto& before = memory_.now[(t - 1) & 1];
    auto& now = memory_.now[t & 1];
    const unsigned unknown = is_unknown_column(column) ? unknown_ : 0;
    T& line = memory_.lines[slot][threadIdx.x];
    own[0] = line;
#pragma unroll
    for (int s = 1; s <= sweeps; ++s) {
      const T center = right[s - 1];
      right[s - 1] = before[s - 1][u_][v_];
      const SevenPointValues<T> near{center,
                                     own[s],
                                     before[s][u_ + 1][v_],
                                     before[s][u_][v_ + 1],
                                     right[s - 1],
                                     before[s - 1][u_][v_ + 1],
                                     before[s - 1][u_ + 1][v_]};
      T b = T(-0.0);
      if (pass_.rhs.data != nullptr) {
        const int back = rhs_slot - 2 * (s - 1);
        b = memory_.rhs[back < 0 ? back + Shape::rhs_slots : back]
                       [(u_ + sweeps - s) * Shape::rhs_width + v_ + sweeps - s];
      }
      const T result = relaxed<Exchanged, false>(pass_.c, near, b);
      own[s] = unknown >> s & 1 ? result : center;
    }
    line = own[sweeps];
#pragma unroll
    for (int s = 0; s <= sweeps; ++s) now[s][u_ + 1][v_ + 1] = own[s];
    take_border(t, slot);
    hand_on(t, own);
  }

  /// @brief What neighbours had in this step.
  __device__ void take_border(int t, int slot) const {
    if (border_ < 0) return;
    (&memory_.now[t & 1][0][0][0])[border_] = (&memory_.borders[slot][0][0])[threadIdx.x];
  }
  __device__ void hand_on(int t, const T (&own)[Shape::values]) const {
    if (t < 0) return;
    const Index start = Index(t) * (Shape::values * Shape::face);
#pragma unroll
    for (int s = 0; s <= sweeps; ++s) {
      if (down_face_ != nullptr) down_face_[start + s * Shape::face] = own[s];
      if (across_face_ != nullptr) across_face_[start + s * Shape::face] = own[s];
    }
  }

  /// @brief Stores the results of the warp's lines.
  __device__ void store_results(int first, int half) const {
    const T* const from = &memory_.lines[half * chunk + v_ % chunk][u_ * Shape::width];
    for_chunk<Shape::width>(pass_.x, 1, plane_ - sweeps + u_, row_ - sweeps, first - u_,
                            [&](bool inside, int l, T* p) {
                              if (inside) *p = from[l];
                            });
    gpu::sync_warp();
  }

  const PencilPass<T>& pass_;
  Memory& memory_;
  const int u_, v_;
  int down_, across_;  ///< which pencil
  int plane_, row_;    ///< its first line
  unsigned unknown_;   ///< bit s: the thread's line in sweep s is one of unknowns
  T* down_face_;       ///< where the thread's values go in step 0, if it is at the pencil's end
  T* across_face_;
  int border_;  ///< which of the neighbours' values the thread takes, or -1
};

extern __shared__ double pencil_memory[];

template <class T, class Shape, bool Exchanged>
__global__ void __launch_bounds__(Shape::threads, 1)
    relax_pencils(const WAVESCAN_GRID_CONSTANT PencilPass<T> pass) {
  auto& memory = *reinterpret_cast<PencilMemory<T, Shape>*>(pencil_memory);
  const Index pencils = Index(pass.pencils_down) * pass.pencils_across;
  while (true) {
    if (threadIdx.x == 0) memory.task = next_number(pass.ticket);
    __syncthreads();
    const Index task = memory.task;
    if (task >= pencils) return;
    __syncthreads();
    Pencil<T, Shape, Exchanged>(pass, memory, task).run();
  }
}

}  // namespace wavescan::Impl::sor3d

#endif
