// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_BOXPASS_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_BOXPASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_BlockTasks.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Team.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief A pass of some sweeps over a box, and its kernel, whose blocks draw pencils or bundles.

namespace wavescan::Impl::sor3d {

/// @brief A pass, whose tasks lie below and beside each other.
template <class T>
struct BoxPass {
  SORCoefficients3D<T> c;  ///< of the box that was given
  bool transposed;         ///< whether planes and columns of the boxes are, for tasks
  Box<const T> from;       ///< x, or another array
  Box<T> x;
  Box<const T> rhs;  ///< without data: none; with a mask it tells which points are fixed
  int down;          ///< tasks along the planes
  int across;        ///< and along the rows or columns
  int chunks;        ///< of a task
  char* faces;       ///< what pencils hand on: a PencilFaces for each chunk
  Index* done;       ///< what tasks have handed on
  Index* ticket;

  KOKKOS_FUNCTION Index tasks() const { return Index(down) * across; }
  /// @brief The place of a task. They are numbered diagonal by diagonal, in which none needs
  /// another one.
  __device__ void find(int task, int& task_down, int& task_across) const {
    for (int diagonal = 0;; ++diagonal) {
      const int first = diagonal < across ? 0 : diagonal - across + 1;
      const int last = diagonal < down ? diagonal : down - 1;
      const int count = last - first + 1;
      if (task < count) {
        task_down = first + task;
        task_across = diagonal - task_down;
        return;
      }
      task -= count;
    }
  }
};

/// @brief The kernel.
/// @tparam Task with `init(memory)`, called by one thread, and `run()` by a block; the warp
///              `drawing` draws the next one; `hands_on_faces` tells whether it uses `faces`
template <class T, class Task>
__global__ void __launch_bounds__(Task::Shape::threads, 1)
    relax_box(const WAVESCAN_GRID_CONSTANT BoxPass<T> pass) {
  extern __shared__ uint4 wavescan_box_memory[];
  auto& memory = *reinterpret_cast<typename Task::Memory*>(wavescan_box_memory);
  if (threadIdx.x == 0) {
    Task::init(memory);
    memory.tasks.init(Task::Shape::threads / gpu::warp_size);
    gpu::publish_barriers();
  }
  if (pass.rhs.data == nullptr)
    gpu::for_each_of_block(static_cast<int>(sizeof(memory.rhs) / sizeof(T)),
                           [&](int e) { reinterpret_cast<T*>(memory.rhs)[e] = T(-0.0); });
  __syncthreads();
  for (int round = 0;; ++round) {
    const Index task = memory.tasks.of_round(round, pass.ticket, Task::drawing);
    if (task >= pass.tasks()) return;
    Task(pass, memory, task, round * pass.chunks).run();
  }
}

}  // namespace wavescan::Impl::sor3d

#endif
