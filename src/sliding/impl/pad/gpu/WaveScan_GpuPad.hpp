// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_GPU_GPUPAD_HPP
#define WAVESCAN_IMPL_PAD_GPU_GPUPAD_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>
#include <impl/pad/WaveScan_PadSelection.hpp>
#include <impl/pad/gpu/WaveScan_PadRowTiles.hpp>
#include <impl/pad/gpu/WaveScan_TiledPad.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

/// @file
/// @brief Moves of rows on a GPU: which of them its kernel does, and its launch.

namespace wavescan::Impl::pad {

/// @brief The workspace and the launch of the kernel.
class GpuPad {
 public:
  GpuPad() = default;
  GpuPad(const gpu::Device& exec, Index elements) {
    if (elements == 0) return;
    multiprocessors_ = gpu::device_properties(exec).multiProcessorCount;
    // Zero is no tag of a launch; after this nothing is ever cleared.
    allocate_cleared(exec, loaded_, "WaveScan::pad::loaded",
                     gpu::TotalsMailbox::size<int>(multiprocessors_));
  }

  /// @brief Enqueues the move, or returns false if the kernel is not selected.
  template <class T>
  bool enqueue(const gpu::Device& exec, const Problem<T>& problem) const {
    Box box = problem.box;
    if (multiprocessors_ == 0 || box.elements() == 0) return false;
    box.join();
    constexpr Index size = sizeof(T), unit = std::min<Index>(size & -size, 16);
    PadRequest request{.rows_alone = box.extent[0] == 1 && box.in[2] == 1 && box.out[2] == 1,
                       .unit = unit};
    RowTiles words, units;
    if (request.rows_alone) {
      request.alignment = std::gcd(std::gcd(address(problem.in), address(problem.out)),
                                   size * std::gcd(box.extent[2], std::gcd(box.in[1], box.out[1])));
      if (request.alignment % 16 == 0) words = row_tiles<16>(box, size);
      if (request.alignment % unit == 0) units = row_tiles<unit>(box, size);
      request.word_tile = words.tile;
      request.unit_tile = units.tile;
    }
    switch (select_algorithm(request)) {
      case PadAlgorithm::Loops:
        return false;
      case PadAlgorithm::WordTiles:
        if constexpr (unit < 16) launch<16>(exec, problem, words);
        return true;
      case PadAlgorithm::UnitTiles:
        launch<unit>(exec, problem, units);
        return true;
    }
    return false;
  }

  std::size_t bytes() const { return loaded_.size() * sizeof(gpu::TaggedWord); }

 private:
  static Index address(const void* p) {
    return static_cast<Index>(reinterpret_cast<std::uintptr_t>(p) % 256);
  }

  /// @param size bytes of an element
  template <int UnitBytes>
  static RowTiles row_tiles(const Box& box, Index size) {
    const auto units = [&](Index elements) { return elements * size / UnitBytes; };
    return {box.extent[1], units(box.extent[2]),   units(box.in[1]), units(box.out[1]),
            UnitBytes,     MoveTuning::stage_bytes};
  }

  template <int UnitBytes, class T>
  void launch(const gpu::Device& exec, const Problem<T>& problem, const RowTiles& rows) const {
    using Kernel = TiledPad<UnitBytes>;
    const Index bytes = ((rows.rows - 1) * rows.in_pitch + rows.columns) * UnitBytes;
    const TiledMove<UnitBytes> move{
        rows,
        problem.direction,
        {Lines<const char>{reinterpret_cast<const char*>(problem.in), 0, 1}, {1, bytes}, 0},
        reinterpret_cast<gpu::Unit<UnitBytes>*>(problem.out),
        {loaded_.data()}};
    const Index blocks = std::min({rows.tiles(), Index(multiprocessors_), Kernel::max_blocks});
    gpu::launch({exec, "WaveScan::pad::tiles", problem.direction != Direction::Apart},
                tiled_pad<UnitBytes>, blocks, MoveTuning::threads, Kernel::shared_bytes, move);
  }

  int multiprocessors_ = 0;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> loaded_;
};

}  // namespace wavescan::Impl::pad

#endif
