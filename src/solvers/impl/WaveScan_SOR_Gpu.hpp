// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_HPP
#define WAVESCAN_IMPL_SOR_GPU_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SOR_Copy.hpp>
#include <impl/WaveScan_SOR_Gpu_Choice.hpp>
#include <impl/WaveScan_SOR_Gpu_Kernel.hpp>
#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// @brief SOR on CUDA devices of compute capability 9.0 and newer, with fused sweeps.

namespace wavescan::Impl {

/// @brief The workspace and the launches for arrays of one size.
///
/// A pass of fused sweeps goes from one array to another, and is cut into blocks that start early;
/// a second kernel compares the values at the seams; a third does the pass again, without blocks,
/// if they do not fit. Where blocks do not pay a pass goes without them, in place.
template <class V>
class SORGpu {
 public:
  SORGpuTuning tuning;

  SORGpu() = default;
  SORGpu(const Kokkos::Cuda& exec, Index rows, Index columns) : rows_(rows), columns_(columns) {
    constexpr Index limit = Index(1) << 30;
    if (!gpu::has_bulk_copies(exec) || rows * columns < least_entries || rows > limit ||
        columns > limit)
      return;
    const auto& device = gpu::device_properties(exec);
    choice_ = SORGpuChoice<V>(device.multiProcessorCount,
                              static_cast<int>(device.sharedMemPerBlockOptin));
    allocate(exec);
  }

  /// @brief Enqueues `count` sweeps, each of them a forward pass, a backward one or both, or
  /// returns false if other kernels must do them.
  ///
  /// A pass with blocks cannot be in place: in its overlap a block reads old values that a
  /// neighbour overwrites. So passes go there and back again, and after an odd number of them the
  /// result is copied, which takes about as long as two thirds of a single sweep: sweep_to does
  /// without.
  bool sweep(const Kokkos::Cuda& exec, const SORProblem<V>& problem, int count, bool forward = true,
             bool backward = false) const {
    return sweep_to(exec, problem, problem.x, count, forward, backward);
  }

  /// @brief The same, with the result in `to` instead of x, which keeps its values; the halo and
  /// its corners are copied as well.
  bool sweep_to(const Kokkos::Cuda& exec, const SORProblem<V>& problem, const Grid<V>& to,
                int count, bool forward = true, bool backward = false) const {
    const bool transposed = problem.x.column_stride != 1 && problem.x.column_stride != -1;
    const SORProblem<V> p = transposed ? Impl::transposed(problem) : problem;
    const Grid<V> result = transposed ? wavescan::transposed(to) : to;
    if (!suits(p) || !alike(p.x, result)) return false;
    const std::vector<Group> groups =
        forward && backward ? symmetric_groups(count) : fused_groups(count, backward);
    if (groups.empty() && p.x.data != result.data) return false;
    transposed ? run<true>(exec, p, result, groups) : run<false>(exec, p, result, groups);
    return true;
  }

  /// @brief How many passes were done again because blocks did not fit. Waits.
  unsigned redone(const Kokkos::Cuda& exec) const {
    SORGpuState state{};
    Kokkos::View<SORGpuState, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&state);
    Kokkos::deep_copy(exec, host, state_);
    exec.fence("WaveScan::sor: passes done again");
    return state.redone;
  }

  /// @brief What a pass of so many fused sweeps is cut for.
  SORGpuTask task(const SORProblem<V>& p, int fused) const {
    const SORCoefficients<V>& c = p.coefficients;
    return {
        static_cast<int>(p.interior_rows()),
        static_cast<int>(p.interior_columns()),
        fused,
        rhs_is_aligned(p),
        tuning.overlap_rows > 0 ? tuning.overlap_rows : sor_overlap<V>(c.up, c.left, fused),
        tuning.overlap_columns > 0 ? tuning.overlap_columns : sor_overlap<V>(c.left, c.up, fused),
        tuning};
  }
  const SORGpuChoice<V>& choice() const { return choice_; }

 private:
  /// Below, other kernels are as good.
  static constexpr Index least_entries = 1 << 14;

  bool suits(const SORProblem<V>& p) const {
    return choice_.multiprocessors() > 0 && p.fixed.word == FixedPoints::Word::None &&
           ((p.x.rows == rows_ && p.x.columns == columns_) ||
            (p.x.rows == columns_ && p.x.columns == rows_)) &&
           p.x.rows >= gpu::most_tile_classes &&
           p.x.columns >= 256 / static_cast<Index>(sizeof(V)) && gpu::has_tiles(p.x) &&
           (!p.rhs.data ||
            (gpu::has_tiles(p.rhs) && (p.rhs.column_stride > 0) == (p.x.column_stride > 0)));
  }
  /// @brief True if tiles of one are tiles of the other.
  static bool alike(const Grid<V>& a, const Grid<V>& b) {
    constexpr Index alignment = 16 / static_cast<Index>(sizeof(V));
    const auto address = [](const Grid<V>& g) { return reinterpret_cast<std::uintptr_t>(g.data); };
    return a.column_stride == b.column_stride && gpu::has_tiles(b) &&
           (a.row_stride - b.row_stride) % alignment == 0 && (address(a) - address(b)) % 16 == 0;
  }

  void allocate(const Kokkos::Cuda& exec) {
    state_ = Kokkos::View<SORGpuState, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::sor::state"));
    Kokkos::deep_copy(exec, state_, SORGpuState{1, 0, 0, 0});
    // Blocks must do with what is enough for passes without blocks, and a part of x.
    const std::size_t bytes = static_cast<std::size_t>(rows_ * columns_) * sizeof(V);
    std::size_t packets = bytes / 8 / 6 + (1u << 20);
    const std::size_t seams = bytes / 8 / 12 + (1u << 20);
    for (const int fused : {1, 2, 4, 8})
      for (const auto& [m, n] : {std::pair(rows_ - 2, columns_ - 2), {columns_ - 2, rows_ - 2}})
        packets = std::max(
            packets,
            choice_.packet_words(choice_.whole({static_cast<int>(m), static_cast<int>(n), fused})));
    choice_.set_room(packets, seams);
    packets_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::sor::packets"), packets);
    seams_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::seams"), seams);
    const Index pitch =
        std::max(most_pitch(columns_) * rows_, most_pitch(rows_) * columns_) + spread;
    second_ = Kokkos::View<V*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::second"),
        static_cast<std::size_t>(pitch));
  }

  /// Arrays with the same residues by this have rows at the same places between alignments.
  static constexpr Index spread = 32;
  static Index most_pitch(Index columns) { return columns + 2 * spread; }

  /// @brief The second array, with rows as far off alignment as x's are.
  Grid<V> second(const Grid<V>& x) const {
    const Grid<V> memory = x.column_stride < 0 ? reversed(x) : x;
    const Index pitch =
        (memory.columns + spread - 1) / spread * spread + memory.row_stride % spread;
    const auto shift = reinterpret_cast<std::uintptr_t>(memory.data) / sizeof(V) % 4;
    const Grid<V> grid{second_.data() + shift, x.rows, x.columns, pitch, 1};
    return x.column_stride < 0 ? reversed(grid) : grid;
  }

  /// @brief Sweeps that are fused into a pass.
  struct Group {
    int fused;
    bool backward;
  };

  std::vector<Group> fused_groups(int count, bool backward) const {
    std::vector<Group> groups;
    for (int fused = 8; fused >= 1; fused /= 2)
      for (; fused <= tuning.most_fused && count >= fused; count -= fused)
        groups.push_back({fused, backward});
    return groups;
  }
  static std::vector<Group> symmetric_groups(int count) {
    std::vector<Group> groups;
    for (int sweep = 0; sweep < count; ++sweep) {
      groups.push_back({1, false});
      groups.push_back({1, true});
    }
    return groups;
  }

  template <bool Transposed>
  void run(const Kokkos::Cuda& exec, const SORProblem<V>& p, const Grid<V>& to,
           std::vector<Group> groups) const {
    if (groups.empty()) return;
    const bool in_place = p.x.data == to.data;
    if (choice_.best(task(p, groups.front().fused)).blocks() == 1) {
      if (!in_place) copy_halo(exec, p.x, to);
      Grid<V> from = p.x;
      for (const Group& group : groups) {
        pass<Transposed>(exec, p, group, from, to);
        from = to;
      }
      return;
    }
    const auto odd = [&] { return groups.size() % 2 == 1; };
    if (in_place && odd() && groups.front().fused > 1) {
      groups.front().fused /= 2;
      groups.insert(groups.begin(), groups.front());
    }
    // Passes end in `last` and in the other array in turn, so that none ends where it begins.
    const Grid<V> other = second(p.x);
    const Grid<V>& last = in_place && odd() ? other : to;
    const Grid<V>& last_but_one = in_place && odd() ? to : other;
    copy_halo(exec, p.x, other);
    if (!in_place) copy_halo(exec, p.x, to);
    Grid<V> from = p.x;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const Grid<V>& result = (groups.size() - k) % 2 == 1 ? last : last_but_one;
      pass<Transposed>(exec, p, groups[k], from, result);
      from = result;
    }
    if (last.data != to.data) copy_interior(exec, last, to);
  }

  static void copy_interior(const Kokkos::Cuda& exec, Grid<V> from, Grid<V> to) {
    if (to.column_stride < 0) {
      from = reversed(from);
      to = reversed(to);
    }
    gpu::check(cudaMemcpy2DAsync(&to(1, 1), static_cast<std::size_t>(to.row_stride) * sizeof(V),
                                 &from(1, 1), static_cast<std::size_t>(from.row_stride) * sizeof(V),
                                 static_cast<std::size_t>(to.columns - 2) * sizeof(V),
                                 static_cast<std::size_t>(to.rows - 2), cudaMemcpyDeviceToDevice,
                                 exec.cuda_stream()),
               "cudaMemcpy2DAsync");
  }

  template <bool Transposed>
  void pass(const Kokkos::Cuda& exec, SORProblem<V> p, const Group& group, const Grid<V>& from,
            const Grid<V>& to) const {
    p.x = from;
    if (group.backward) p = reversed(p);
    const Grid<V> result = group.backward ? reversed(to) : to;
    switch (group.fused) {
      case 8:
        return pass<SORShape<V, 8, Transposed>>(exec, p, result);
      case 4:
        return pass<SORShape<V, 4, Transposed>>(exec, p, result);
      case 2:
        return pass<SORShape<V, 2, Transposed>>(exec, p, result);
      default:
        return pass<SORShape<V, 1, Transposed>>(exec, p, result);
    }
  }

  template <class Shape>
  void pass(const Kokkos::Cuda& exec, const SORProblem<V>& p, const Grid<V>& to) const {
    const SORGpuTask what = task(p, Shape::sweeps);
    SORPass<V> pass{};
    pass.rhs_pitch = Shape::rhs_pitch(what.aligned);
    pass.slot_bytes = Shape::slot_bytes(what.aligned);
    pass.old_values = gpu::tiles_of(p.x, SORCut::band_rows, Shape::chunk);
    if (p.rhs.data)
      pass.rhs = gpu::tiles_of(p.rhs, Shape::rhs_rows, Shape::chunk,
                               pass.rhs_pitch / static_cast<int>(sizeof(V)) - Shape::chunk);
    pass.results = gpu::tiles_of(to, SORCut::band_rows, Shape::chunk);
    pass.out = to;
    pass.coefficients = p.coefficients;
    pass.has_rhs = p.rhs.data != nullptr;
    pass.state = state_.data();
    pass.packets = packets_.data();
    pass.cut = p.x.data == to.data ? choice_.whole(what) : choice_.best(what);
    if (pass.cut.blocks() > 1) {
      const std::size_t side = choice_.side_seam(pass.cut);
      auto* const start = reinterpret_cast<V*>(seams_.data());
      pass.left_seams = start;
      pass.right_seams = start + side;
      pass.top_seams = reinterpret_cast<std::uint32_t*>(start + 2 * side);
      pass.bottom_seams = pass.top_seams + choice_.end_seam(pass.cut);
      launch<Shape>(exec, pass);
      gpu::launch({exec, "WaveScan::sor::seams", false}, sor_seams_kernel<Shape>,
                  pass.cut.blocks() * seam_parts, 256, 0, pass);
      pass.only_if_failed = true;
      pass.cut = choice_.whole(what);
    }
    launch<Shape>(exec, pass);
  }

  static bool rhs_is_aligned(const SORProblem<V>& p) {
    constexpr int columns = 32;
    return !p.rhs.data || gpu::tiles_of(p.rhs, gpu::most_tile_classes, columns).aligned();
  }

  template <class Shape>
  void launch(const Kokkos::Cuda& exec, const SORPass<V>& pass) const {
    const int blocks = std::min(choice_.multiprocessors(), pass.cut.tickets());
    const char* const name = pass.only_if_failed ? "WaveScan::sor::again" : "WaveScan::sor::pass";
    gpu::launch(
        {exec, name, true}, sor_pass_kernel<Shape>, blocks, Shape::threads(pass.cut.warps),
        Shape::shared_bytes(pass.cut.warps, pass.cut.slots, pass.rhs_pitch == Shape::row_bytes),
        pass);
  }

  Index rows_ = 0;
  Index columns_ = 0;
  SORGpuChoice<V> choice_;
  Kokkos::View<SORGpuState, Kokkos::CudaSpace> state_;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> packets_;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> seams_;
  Kokkos::View<V*, Kokkos::CudaSpace> second_;
};

}  // namespace wavescan::Impl

#endif
