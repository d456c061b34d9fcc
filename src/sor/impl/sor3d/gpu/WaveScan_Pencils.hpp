// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_PENCILS_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_PENCILS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_ChunkStream.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>
#include <impl/sor3d/gpu/WaveScan_BoxPass.hpp>

#include <cstddef>

/// @file
/// @brief Several sweeps on the way along pencils of rows, a block for each pencil.

namespace wavescan::Impl::sor3d {

/// @brief The points of a pencil side by side, by the shared memory that a block may have.
template <class T>
struct PencilSection {
  static constexpr int bytes = sizeof(T);
  static constexpr int memory = gpu::block_memory / 1024;
  static constexpr int width = memory >= 200 ? 128 / bytes : bytes > 4 && memory < 99 ? 8 : 16;
  static constexpr int height = (memory >= 200   ? 256
                                 : memory >= 160 ? 1024 / bytes
                                 : memory >= 99  ? 128
                                                 : 512 / bytes) /
                                width;
};

/// @brief The sizes of a pencil: some columns side by side, and some planes of that.
template <class T, int Sweeps>
struct PencilShape {
  using value_type = T;
  static constexpr int sweeps = Sweeps;
  static constexpr int width = PencilSection<T>::width;
  static constexpr int height = PencilSection<T>::height;
  static constexpr int relaxing = width * height;  ///< threads, one for each line along the rows
  static constexpr int threads = relaxing + 2 * gpu::warp_size;  ///< and those that send, receive
  static constexpr int values = Sweeps + 1;  ///< of a thread: the old one and each sweep's
  static constexpr int chunk = 8;            ///< steps between two hand-overs
  static constexpr int stages = 2;           ///< for chunks on their way
  static constexpr int lead = chunk;         ///< steps before step 0: two would do
  /// Rows of a plane that are kept: those where its threads are, and what is on its way.
  static constexpr int ring = width > 16 ? 2 * width : 32;
  static constexpr int ahead = Sweeps == 1 ? 15 : 8;  ///< steps from a load to its first use
  static constexpr int rhs_height = height + Sweeps - 1;
  static constexpr int rhs_width = width + Sweeps - 1;
  static constexpr int rhs_pitch = (rhs_width + 1) / 2 * 2;  ///< a row less a point: odd
  static_assert(ring >= ahead + width + 1 && ring >= ahead + width + 2 * Sweeps - 2);
  static_assert(width % chunk == 0 && height % chunk == 0);
};

/// @brief The values that a pencil has in a chunk of steps at its ends, and hands on.
template <class T, class Shape>
struct alignas(16) PencilFaces {
  T below[Shape::chunk][Shape::values][Shape::width];    ///< of the last plane
  T behind[Shape::chunk][Shape::values][Shape::height];  ///< of the last column
  T corner[Shape::chunk][Shape::values];                 ///< of both
};

/// @brief The shared memory of a block.
template <class T, class Shape>
struct PencilMemory {
  using Faces = PencilFaces<T, Shape>;
  Faces borders[Shape::stages];  ///< of the neighbours before
  Faces faces[Shape::stages];
  T lines[Shape::height][Shape::ring][Shape::width];  ///< old values, then results
  T rhs[Shape::rhs_height][Shape::ring][Shape::rhs_pitch];
  T now[2][Shape::values][Shape::height + 1][Shape::width + 1];  ///< of this step and the last one
  gpu::Barrier arrived[Shape::stages];                           ///< chunks of borders
  gpu::Barrier relaxed[Shape::stages];  ///< chunks, whose borders are not needed any more
  gpu::Barrier sent[Shape::stages];     ///< chunks of faces
  gpu::BlockTasks tasks;
};

/// @brief A block's way along a pencil.
///
/// Thread (u, v) has sweep s, in step t, at the plane p - s + u, the column q - s + v and the row
/// t - u - v, where (p, q) is the pencil's first line; sweep 0 are the old values. With X[s][u][v]
/// the values of a step, all neighbours of a point are in the step before,
///
///     front = X[s][u-1][v], left = X[s][u][v-1], up = X[s][u][v],
///     back = X[s-1][u][v-1], right = X[s-1][u-1][v], down = X[s-1][u-1][v-1],
///
/// and the center is what `down` was a step ago: no sweep waits for another one within a step.
/// Points outside the unknowns keep their values, and so halos come along.
///
/// Values of all sweeps at the last plane and the last column of a pencil are what its neighbours
/// need besides; they are sent by chunks of steps. x itself is read by one pencil only, before that
/// or another one overwrites it: what it writes depends on what was read. So x may be swept in
/// place.
///
/// Where there are no asynchronous copies, what is copied spends some steps in registers instead.
///
/// Why waits end: a pencil waits for pencils with earlier tickets only.
template <class T, int Sweeps, bool Masked>
class Pencil {
 public:
  using Shape = PencilShape<T, Sweeps>;
  using Memory = PencilMemory<T, Shape>;
  static constexpr int drawing = 0;
  static constexpr bool hands_on_faces = true;
  static constexpr auto name = "WaveScan::sor3d::pencils";

 private:
  using Faces = typename Memory::Faces;
  static constexpr int chunk = Shape::chunk;
  static constexpr int sweeps = Shape::sweeps;
  static constexpr int ahead = Shape::ahead;
  static constexpr int in_ring = Shape::ring - 1;
  static constexpr int senders = 3;  ///< pencils that it receives from
  static constexpr int rhs_lines = Shape::rhs_height * Shape::rhs_width;
  static constexpr int rhs_shares = (rhs_lines + Shape::relaxing - 1) / Shape::relaxing;
  static_assert(Shape::values * (Shape::width + Shape::height + 1) <= Shape::relaxing);
  static constexpr int row_of_cells = Shape::width + 1;
  static constexpr int level_of_cells = (Shape::height + 1) * row_of_cells;

 public:
  /// @param first the number of its first chunk among all that the block has had
  __device__ Pencil(const BoxPass<T>& pass, Memory& memory, Index task, int first)
      : pass_(pass), memory_(memory), first_(first) {
    pass.find(static_cast<int>(task), down_, across_);
    plane_ = down_ * Shape::height;
    column_ = across_ * Shape::width;
  }

  /// @brief Tasks and steps of a pass.
  static void plan(BoxPass<T>& pass) {
    const Box<T>& x = pass.x;
    pass.down = static_cast<int>(ceil_div(x.planes - 1 + sweeps, Index(Shape::height)));
    pass.across = static_cast<int>(ceil_div(x.columns - 1 + sweeps, Index(Shape::width)));
    const Index steps = Shape::lead + x.rows + Shape::height + Shape::width - 2;
    pass.chunks = static_cast<int>(ceil_div(steps, Index(chunk)));
  }
  static __device__ void init(Memory& memory) {
    for (int k = 0; k < Shape::stages; ++k) {
      memory.arrived[k].init(gpu::receiver_arrivals<senders>);
      memory.relaxed[k].init(Shape::relaxing / gpu::warp_size * gpu::arrivals_of_warp);
      memory.sent[k].init(gpu::storing_arrivals);
    }
  }

  /// @brief The work of a block's threads.
  __device__ void run() {
    const int carrier = static_cast<int>(threadIdx.x) - Shape::relaxing;
    if (carrier < 0)
      relax();
    else if (carrier < gpu::warp_size)
      send();
    else
      receive();
    gpu::sync_warp();  // some lanes carry nothing, and have been ahead
    __syncthreads();
  }

 private:
  /// @brief The work of the threads that relax.
  __device__ void relax() {
    start();
    T own[Shape::values] = {};
    T down[sweeps] = {};  ///< of the step before
    constexpr int unrolled = waits_in_registers > 0 ? ahead : 1;
#pragma unroll unrolled
    for (int e = -ahead; e < 0; ++e) copy_in(e - Shape::lead, e);
    finish_step();
    for (int c = 0; c < pass_.chunks; ++c) {
      const int k = first_ + c;
      gpu::wait_in_turn(memory_.arrived, k);
      if (k >= Shape::stages) gpu::wait_in_turn(memory_.sent, k - Shape::stages);
      const Faces& borders = memory_.borders[k % Shape::stages];
      Faces& faces = memory_.faces[k % Shape::stages];
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
        const int t = c * chunk - Shape::lead + e;
        copy_in(t, e);
        store_row(t);
        step(t, own, down);
        take_border(t, borders, e);
        hand_on(faces, e, own);
        finish_step();
      }
      gpu::arrive_as_warp(gpu::barrier_of(memory_.relaxed, k));
    }
    gpu::wait_for_async_copies<0>();
  }

  /// @brief The work of the warp that hands on what neighbours need.
  __device__ void send() const {
    gpu::send_chunks(stream(down_, across_), memory_.relaxed, memory_.sent, first_, pass_.chunks,
                     sizeof(Faces), [&](int k) { return memory_.faces + k % Shape::stages; });
  }

  /// @brief The work of the warp that receives what it needs.
  __device__ void receive() const {
    const auto part_of = [&](int rank) {
      const bool above = rank != 1, before = rank != 0;
      const int down = down_ - (above ? 1 : 0), across = across_ - (before ? 1 : 0);
      gpu::ChunkPart part{};
      if (down >= 0 && across >= 0) part.from = stream(down, across);
      part.ahead = ((above ? Shape::height : 0) + (before ? Shape::width : 0)) / chunk;
      part.chunk_bytes = sizeof(Faces);
      part.offset = rank == 0   ? offsetof(Faces, below)
                    : rank == 1 ? offsetof(Faces, behind)
                                : offsetof(Faces, corner);
      part.bytes = rank == 0   ? sizeof(Faces::below)
                   : rank == 1 ? sizeof(Faces::behind)
                               : sizeof(Faces::corner);
      return part;
    };
    gpu::receive_chunks<senders>(
        part_of, memory_.arrived, memory_.relaxed, first_, pass_.chunks,
        [&](int k) { return reinterpret_cast<char*>(memory_.borders + k % Shape::stages); });
  }

  __device__ gpu::ChunkStream stream(int down, int across) const {
    const Index number = Index(down) * pass_.across + across;
    return {pass_.faces + number * pass_.chunks * Index(sizeof(Faces)), pass_.done + number};
  }

  /// @brief The state of a thread that relaxes.
  __device__ void start() {
    u_ = static_cast<int>(threadIdx.x) / Shape::width;
    v_ = static_cast<int>(threadIdx.x) % Shape::width;
    unknown_ = 0;
#pragma unroll
    for (int s = 1; s <= sweeps; ++s)
      if (is_unknown_line(plane_ - s + u_, column_ - s + v_)) unknown_ |= 1u << s;
    has_line_ = plane_ + u_ < pass_.from.planes && column_ + v_ < pass_.from.columns;
    const int first = -Shape::lead - u_;  // the row that copy_in is called for first
    line_ = at(pass_.from, plane_ + u_, first, column_ + v_);
    result_ = at(pass_.x, plane_ - sweeps + u_, first - Shape::width, column_ - sweeps + v_);
#pragma unroll
    for (int r = 0; r < rhs_shares; ++r) {
      const int e = static_cast<int>(threadIdx.x) + r * Shape::relaxing;
      const int h = e / Shape::rhs_width, w = e % Shape::rhs_width;
      const int k = plane_ - sweeps + h, j = column_ - sweeps + w;
      rhs_row_[r] = sweeps - 1 - h;
      has_rhs_[r] = pass_.rhs.data != nullptr && e < rhs_lines && is_unknown_line(k, j);
      rhs_[r] = at(pass_.rhs, k, -Shape::lead + rhs_row_[r], j);
      rhs_to_[r] = &memory_.rhs[e < rhs_lines ? h : 0][0][w];
    }
    cell_ = (u_ + 1) * row_of_cells + v_ + 1;
    plane_cell_ = cell_ - (pass_.transposed ? 1 : row_of_cells);
    column_cell_ = cell_ - (pass_.transposed ? row_of_cells : 1);
    const int e = static_cast<int>(threadIdx.x);
    const int s = e / (Shape::width + Shape::height + 1),
              f = e % (Shape::width + Shape::height + 1);
    takes_border_ = s < Shape::values;
    const bool above = f < Shape::width, corner = f == Shape::width + Shape::height;
    const int u = above || corner ? 0 : f - Shape::width + 1, v = above ? f + 1 : 0;
    border_cell_ = s * level_of_cells + u * row_of_cells + v;
    border_step_ = Shape::values * (above ? Shape::width : corner ? 1 : Shape::height);
    border_ = above    ? offsetof(Faces, below) / sizeof(T) + s * Shape::width + f
              : corner ? offsetof(Faces, corner) / sizeof(T) + s
                       : offsetof(Faces, behind) / sizeof(T) + s * Shape::height + u - 1;
  }
  template <class E>
  static __device__ E* at(const Box<E>& box, int k, int i, int j) {
    return box.data + (k * box.plane_stride + i * box.row_stride + j * box.column_stride);
  }
  __device__ bool is_unknown_line(int k, int j) const {
    return k >= 1 && k <= pass_.x.planes - 2 && j >= 1 && j <= pass_.x.columns - 2;
  }
  __device__ bool is_unknown_row(int i) const {
    return i >= 1 && i <= static_cast<int>(pass_.x.rows) - 2;
  }

  /// @brief Starts to copy what is first needed in step t + ahead. Called for all steps in turn.
  /// @param e the step, modulo the steps of a chunk
  __device__ void copy_in(int t, [[maybe_unused]] int e) {
    if constexpr (waits_in_registers > 0) {
      const int late = t - waits_in_registers;  // has come meanwhile
      const int place = e & (waits_in_registers - 1);
      if (has_line(late)) line_place(late) = waiting_[place].line;
#pragma unroll
      for (int r = 0; r < rhs_shares; ++r)
        if (has_rhs(late, r)) *rhs_place(late, r) = waiting_[place].rhs[r];
      if (has_line(t)) waiting_[place].line = *line_;
#pragma unroll
      for (int r = 0; r < rhs_shares; ++r)
        if (has_rhs(t, r)) waiting_[place].rhs[r] = *rhs_[r];
    } else {
      gpu::copy_async_if<sizeof(T), true>(has_line(t), &line_place(t), line_);
#pragma unroll
      for (int r = 0; r < rhs_shares; ++r)
        gpu::copy_async_if<sizeof(T), true>(has_rhs(t, r), rhs_place(t, r), rhs_[r]);
      gpu::commit_async_copies();
    }
    line_ += pass_.from.row_stride;
#pragma unroll
    for (int r = 0; r < rhs_shares; ++r) rhs_[r] += pass_.rhs.row_stride;
  }
  /// @brief Whether there is something to copy in step t, and where to.
  __device__ bool has_line(int t) const {
    const int i = t + ahead - u_;
    return has_line_ && i >= 0 && i < static_cast<int>(pass_.from.rows);
  }
  __device__ T& line_place(int t) const {
    return memory_.lines[u_][(t + ahead - u_) & in_ring][v_];
  }
  __device__ bool has_rhs(int t, int r) const {
    return has_rhs_[r] && is_unknown_row(t + ahead + rhs_row_[r]);
  }
  __device__ T* rhs_place(int t, int r) const {
    return rhs_to_[r] + ((t + ahead + rhs_row_[r]) & in_ring) * Shape::rhs_pitch;
  }
  /// @brief Ends a step: all threads have done it, and what the next one needs is there.
  static __device__ void finish_step() {
    gpu::wait_for_async_copies<ahead - 1>();
    gpu::sync_threads<Shape::relaxing>(1);
  }

  /// @brief Stores the row of results that became complete in the step before.
  __device__ void store_row(int t) {
    const int i = t - u_ - Shape::width;
    if ((unknown_ >> sweeps & 1) && is_unknown_row(i))
      *result_ = memory_.lines[u_][i & in_ring][v_];
    result_ += pass_.x.row_stride;
  }

  __device__ void step(int t, T (&own)[Shape::values], T (&down)[sweeps]) {
    const int i = t - u_ - v_;
    const T* const before = &memory_.now[(t - 1) & 1][0][0][0];
    T* const now = &memory_.now[t & 1][0][0][0];
    const T* const rhs = &memory_.rhs[u_][i & in_ring][v_];
    T& line = memory_.lines[u_][i & in_ring][v_];
    const unsigned unknown = is_unknown_row(i) ? unknown_ : 0;
    own[0] = line;
#pragma unroll
    for (int s = 1; s <= sweeps; ++s) {
      const T* const old = before + (s - 1) * level_of_cells;
      const T* const next = old + level_of_cells;
      const T center = down[s - 1];
      down[s - 1] = old[cell_ - row_of_cells - 1];
      const SevenPointValues<T> near{
          center,           next[column_cell_], own[s],           next[plane_cell_],
          old[plane_cell_], down[s - 1],        old[column_cell_]};
      const T b = rhs[(sweeps - s) * (Shape::ring * Shape::rhs_pitch + 1)];
      const T result = relaxed<false, Masked>(pass_.c, near, b);
      bool changes = unknown >> s & 1;
      if constexpr (Masked) changes = changes && !sor::FixedPointCode<T>::is(b);
      own[s] = changes ? result : center;
    }
    line = own[sweeps];
#pragma unroll
    for (int s = 0; s <= sweeps; ++s) now[s * level_of_cells + cell_] = own[s];
  }

  /// @brief Takes what the neighbours had in this step.
  __device__ void take_border(int t, const Faces& borders, int e) const {
    if (takes_border_)
      (&memory_.now[t & 1][0][0][0])[border_cell_] =
          reinterpret_cast<const T*>(&borders)[border_ + e * border_step_];
  }
  __device__ void hand_on(Faces& faces, int e, const T (&own)[Shape::values]) const {
    const bool below = u_ == Shape::height - 1, behind = v_ == Shape::width - 1;
#pragma unroll
    for (int s = 0; s <= sweeps; ++s) {
      if (below) faces.below[e][s][v_] = own[s];
      if (behind) faces.behind[e][s][u_] = own[s];
      if (below && behind) faces.corner[e][s] = own[s];
    }
  }

  /// @brief The values that a step copies, on their way.
  struct Copied {
    T line;
    T rhs[rhs_shares];
  };
  static constexpr int waits_in_registers = gpu::mover == gpu::Mover::Plain ? 4 : 0;  ///< steps
  static_assert(waits_in_registers < ahead && waits_in_registers <= chunk);

  const BoxPass<T>& pass_;
  Memory& memory_;
  const int first_;
  Copied waiting_[waits_in_registers > 0 ? waits_in_registers : 1];
  int down_, across_;   ///< which pencil
  int plane_, column_;  ///< its first line
  int u_, v_;
  unsigned unknown_;  ///< bit s: the thread's line in sweep s is one of unknowns
  bool has_line_;     ///< in sweep 0
  const T* line_;     ///< what to copy next
  T* result_;         ///< where the next result goes
  const T* rhs_[rhs_shares];
  T* rhs_to_[rhs_shares];
  int rhs_row_[rhs_shares];  ///< the row that the share is at, less t + ahead
  bool has_rhs_[rhs_shares];
  int cell_, plane_cell_, column_cell_;  ///< in `now`: of the thread, of its neighbours before it
  int border_cell_, border_, border_step_;
  bool takes_border_;
};

}  // namespace wavescan::Impl::sor3d

#endif
