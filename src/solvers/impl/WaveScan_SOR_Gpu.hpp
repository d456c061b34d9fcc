// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_HPP
#define WAVESCAN_IMPL_SOR_GPU_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_SOR_Gpu_Choice.hpp>
#include <impl/WaveScan_SOR_Gpu_Kernel.hpp>
#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief SOR on CUDA devices of compute capability 9.0 and newer, with fused sweeps.

namespace wavescan::Impl {

/// @brief Copies the halo of x, of which nothing else is copied.
template <class V>
struct CopyHalo {
  Grid<V> from;
  Grid<V> to;
  KOKKOS_FUNCTION void operator()(Index i) const {
    if (i < from.columns) {
      to(0, i) = from(0, i);
      to(from.rows - 1, i) = from(from.rows - 1, i);
    }
    if (i < from.rows) {
      to(i, 0) = from(i, 0);
      to(i, from.columns - 1) = from(i, from.columns - 1);
    }
  }
};

/// @brief The workspace and the launches for arrays of one size.
///
/// A pass of fused sweeps goes from x to a second array or back, and is cut into blocks that start
/// early; a second kernel compares the values at the seams; a third does the pass again, without
/// blocks, if they do not fit. Where blocks do not pay a pass goes without them, in place.
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
    multiprocessors_ = device.multiProcessorCount;
    shared_bytes_ = static_cast<int>(device.sharedMemPerBlockOptin);
    allocate(exec);
  }

  /// @brief Enqueues `count` sweeps, each of them a forward pass, a backward one or both, or
  /// returns false if other kernels must do them.
  bool sweep(const Kokkos::Cuda& exec, const SORProblem<V>& problem, int count, bool forward = true,
             bool backward = false) const {
    const bool transposed = problem.x.column_stride != 1 && problem.x.column_stride != -1;
    const SORProblem<V> p = transposed ? Impl::transposed(problem) : problem;
    if (!suits(p)) return false;
    const std::vector<Group> groups =
        forward && backward ? symmetric_groups(count) : fused_groups(count, backward);
    if (groups.empty()) return true;
    transposed ? run<true>(exec, p, groups) : run<false>(exec, p, groups);
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

 private:
  enum class Route { InPlace, There, Back };

  /// Below, other kernels are as good.
  static constexpr Index least_entries = 1 << 14;

  bool suits(const SORProblem<V>& p) const {
    return multiprocessors_ > 0 && p.fixed.word == FixedPoints::Word::None &&
           ((p.x.rows == rows_ && p.x.columns == columns_) ||
            (p.x.rows == columns_ && p.x.columns == rows_)) &&
           p.x.rows >= gpu::tile_classes && p.x.columns >= 2 * gpu::Tiles<V>::columns &&
           gpu::has_tiles(p.x) &&
           (!p.rhs.data ||
            (gpu::has_tiles(p.rhs) && (p.rhs.column_stride > 0) == (p.x.column_stride > 0)));
  }

  void allocate(const Kokkos::Cuda& exec) {
    state_ = Kokkos::View<SORGpuState, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::sor::state"));
    Kokkos::deep_copy(exec, state_, SORGpuState{1, 0, 0, 0});
    // Blocks must do with what is enough for passes without blocks, and a sixteenth of x.
    std::size_t words =
        static_cast<std::size_t>(rows_ * columns_) * sizeof(V) / 8 / 12 + (1u << 20);
    for (const int fused : {1, 2, 4, 8}) {
      words = std::max(words, packet_words(whole(rows_ - 2, columns_ - 2, fused, false)));
      words = std::max(words, packet_words(whole(columns_ - 2, rows_ - 2, fused, false)));
    }
    packets_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, "WaveScan::sor::packets"), words);
    seams_ = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::seams"), words);
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
  void run(const Kokkos::Cuda& exec, const SORProblem<V>& p, std::vector<Group> groups) const {
    const SORProblem<V> problems[2] = {p, reversed(p)};
    if (tuning.blocks == 0 || cut(p, groups.front().fused).blocks() == 1) {
      for (const Group& group : groups)
        pass<Transposed>(exec, problems[group.backward], group.fused, Route::InPlace);
      return;
    }
    // There and back again.
    if (groups.size() % 2 == 1 && groups.front().fused > 1) {
      groups.front().fused /= 2;
      groups.insert(groups.begin(), groups.front());
    }
    const Grid<V> other = second(p.x);
    Kokkos::parallel_for("WaveScan::sor::copy_halo",
                         Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<Index>>(
                             exec, 0, std::max(p.x.rows, p.x.columns)),
                         CopyHalo<V>{p.x, other});
    Route route = Route::There;
    for (const Group& group : groups) {
      pass<Transposed>(exec, problems[group.backward], group.fused, route);
      route = route == Route::There ? Route::Back : Route::There;
    }
    if (route == Route::Back) copy_interior(exec, other, p.x);
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
  void pass(const Kokkos::Cuda& exec, const SORProblem<V>& p, int fused, Route route) const {
    switch (fused) {
      case 8:
        return pass<SORShape<V, 8, Transposed>>(exec, p, route);
      case 4:
        return pass<SORShape<V, 4, Transposed>>(exec, p, route);
      case 2:
        return pass<SORShape<V, 2, Transposed>>(exec, p, route);
      default:
        return pass<SORShape<V, 1, Transposed>>(exec, p, route);
    }
  }

  template <class Shape>
  void pass(const Kokkos::Cuda& exec, const SORProblem<V>& p, Route route) const {
    const Grid<V> other = second(p.x);
    const Grid<V>& from = route == Route::Back ? other : p.x;
    const Grid<V>& to = route == Route::There ? other : p.x;
    SORPass<V> pass{};
    constexpr int columns = gpu::Tiles<V>::columns;
    const bool aligned = rhs_is_aligned(p);
    pass.rhs_pitch = Shape::rhs_pitch(aligned);
    pass.slot_bytes = Shape::slot_bytes(aligned);
    pass.old_values = gpu::tiles_of(from, Shape::x_height, columns);
    if (p.rhs.data)
      pass.rhs =
          gpu::tiles_of(p.rhs, Shape::rhs_height, pass.rhs_pitch / static_cast<int>(sizeof(V)));
    pass.results = gpu::tiles_of(to, Shape::x_height, columns);
    pass.result_rows = gpu::tiles_of(to, 1, columns);
    pass.out = to;
    pass.coefficients = p.coefficients;
    pass.has_rhs = p.rhs.data != nullptr;
    pass.state = state_.data();
    pass.packets = packets_.data();
    if (route != Route::InPlace) {
      pass.cut = cut(p, Shape::sweeps);
      const std::size_t side = side_seam(pass.cut);
      const std::size_t end = end_seam(pass.cut);
      auto* const start = reinterpret_cast<V*>(seams_.data());
      pass.left_seams = start;
      pass.right_seams = start + side;
      pass.top_seams = reinterpret_cast<std::uint32_t*>(start + 2 * side);
      pass.bottom_seams = pass.top_seams + end;
      launch<Shape>(exec, pass);
      if (pass.cut.blocks() == 1) return;
      gpu::launch({exec, "WaveScan::sor::seams", false}, sor_seams_kernel<Shape>,
                  pass.cut.blocks() * seam_parts, 256, 0, pass);
      pass.only_if_failed = true;
    }
    pass.cut = whole(p.interior_rows(), p.interior_columns(), Shape::sweeps, aligned);
    launch<Shape>(exec, pass);
  }

  static bool rhs_is_aligned(const SORProblem<V>& p) {
    return !p.rhs.data || gpu::tiles_of(p.rhs, 1, gpu::Tiles<V>::columns).aligned();
  }

  template <class Shape>
  void launch(const Kokkos::Cuda& exec, const SORPass<V>& pass) const {
    const int blocks = std::min(multiprocessors_, pass.cut.tickets());
    const char* const name = pass.only_if_failed ? "WaveScan::sor::again" : "WaveScan::sor::pass";
    gpu::launch(
        {exec, name, true}, sor_pass_kernel<Shape>, blocks, Shape::threads(pass.cut.warps),
        Shape::shared_bytes(pass.cut.warps, pass.cut.slots, pass.rhs_pitch == gpu::tile_row_bytes),
        pass);
  }

  static std::size_t side_seam(const SORCut& c) {
    return static_cast<std::size_t>(c.blocks()) * c.sweeps * c.most_groups * c.warps * 32;
  }
  static std::size_t end_seam(const SORCut& c) {
    return static_cast<std::size_t>(c.blocks()) * c.steps() * (c.sweeps + 1) * sizeof(V) / 4;
  }
  static std::size_t packet_words(const SORCut& c) {
    return c.most_groups > 1 ? c.row_places() * end_seam(c) : 0;
  }
  bool has_room(const SORCut& c) const {
    return packet_words(c) <= packets_.size() &&
           2 * side_seam(c) * sizeof(V) + (c.row_blocks > 1 ? 2 * end_seam(c) * 4 : 0) <=
               seams_.size() * 8;
  }

  template <class Use>
  static auto with_shape(int fused, const Use& use) {
    switch (fused) {
      case 8:
        return use(SORShape<V, 8, false>{});
      case 4:
        return use(SORShape<V, 4, false>{});
      case 2:
        return use(SORShape<V, 2, false>{});
      default:
        return use(SORShape<V, 1, false>{});
    }
  }

 public:
  static SORGpuMachine machine(int fused) {
    constexpr bool single = sizeof(V) == 4;
    const double memory = 3.0 * sizeof(V);
    const double arithmetic = single ? 3 + 1.5 * fused : 4 + 3.2 * fused;
    return {single ? 25 + 6.5 * fused : 40.0 + 14 * fused, std::max(memory, arithmetic), 2000};
  }

 private:
  /// @brief The warps and slots that fit; false if none do.
  static bool fits(int fused, int warps, int slots, bool aligned, int shared_bytes) {
    return with_shape(fused, [=](auto shape) {
      using Shape = decltype(shape);
      return warps <= Shape::most_warps && slots >= Shape::fewest_slots &&
             Shape::shared_bytes(warps, slots, aligned) <= static_cast<std::size_t>(shared_bytes);
    });
  }
  static int slots_for(int fused, int warps, bool aligned, int shared_bytes) {
    for (int slots = 8; slots > 0; --slots)
      if (fits(fused, warps, slots, aligned, shared_bytes)) return slots;
    return 0;
  }

  /// @brief One block: no group starts before the one above it.
  SORCut whole(Index rows, Index columns, int fused, bool aligned) const {
    const int m = static_cast<int>(rows);
    const int n = static_cast<int>(columns);
    SORCut best{};
    double lowest = 0;
    for (int warps = 1; warps <= 8; ++warps) {
      if (tuning.blocks == 0 && tuning.warps > 0 && warps != tuning.warps) continue;
      const int slots =
          tuning.slots > 0 ? tuning.slots : slots_for(fused, warps, aligned, shared_bytes_);
      if (!fits(fused, warps, slots, aligned, shared_bytes_)) continue;
      const SORCut c = SORCut::make(fused, m, n, gpu::Tiles<V>::columns, warps, slots, 1, 1, 0, 0);
      if (packets_.size() > 0 && packet_words(c) > packets_.size()) continue;
      const double cost = sor_cost(c, machine(fused), multiprocessors_);
      if (best.warps == 0 || cost < lowest) {
        best = c;
        lowest = cost;
      }
    }
    return best;
  }

 public:
  /// @brief The cut of a pass of so many fused sweeps.
  SORCut cut(const SORProblem<V>& p, int fused) const {
    SORCut best = whole(p.interior_rows(), p.interior_columns(), fused, rhs_is_aligned(p));
    if (tuning.blocks == 0) return best;
    const SORGpuMachine on = machine(fused);
    double lowest = sor_cost(best, on, multiprocessors_);
    if (tuning.blocks == 1) lowest = 1e300;
    for (const SORCut& c : candidates(p, fused)) {
      const double cost = sor_cost(c, on, multiprocessors_);
      if (cost < lowest) {
        best = c;
        lowest = cost;
      }
    }
    return best;
  }

  std::vector<SORCut> candidates(const SORProblem<V>& p, int fused) const {
    const int m = static_cast<int>(p.interior_rows());
    const int n = static_cast<int>(p.interior_columns());
    const SORCoefficients<V>& c = p.coefficients;
    const int columns =
        tuning.overlap_columns > 0 ? tuning.overlap_columns : sor_overlap<V>(c.left, c.up, fused);
    const int rows =
        tuning.overlap_rows > 0 ? tuning.overlap_rows : sor_overlap<V>(c.up, c.left, fused);
    const bool aligned = rhs_is_aligned(p);
    std::vector<SORCut> found;
    for (int warps = 1; warps <= 8; ++warps) {
      if (tuning.warps > 0 && warps != tuning.warps) continue;
      const int slots =
          tuning.slots > 0 ? tuning.slots : slots_for(fused, warps, aligned, shared_bytes_);
      if (!fits(fused, warps, slots, aligned, shared_bytes_)) continue;
      int last_width = 0;
      for (int across = 1; across <= 2048 && across * 64 <= n; ++across) {
        if (tuning.column_blocks > 0 && across != tuning.column_blocks) continue;
        if (across > 1 && columns > n / across) break;
        int last_groups = 0;
        for (int down = 1; down <= 2048 && down * 32 * warps <= m + 32 * warps; ++down) {
          if (tuning.row_blocks > 0 && down != tuning.row_blocks) continue;
          if (down > 1 && rows > m / down) break;
          const SORCut cut = SORCut::make(fused, m, n, gpu::Tiles<V>::columns, warps, slots, down,
                                          across, down > 1 ? rows : 0, across > 1 ? columns : 0);
          if (cut.width == last_width && cut.groups == last_groups) continue;
          last_groups = cut.groups;
          if (cut.blocks() > 1 && has_room(cut)) found.push_back(cut);
          if (across > 1 && cut.width != last_width) last_width = 0;
        }
        last_width = SORCut::make(fused, m, n, gpu::Tiles<V>::columns, warps, slots, 1, across, 0,
                                  across > 1 ? columns : 0)
                         .width;
      }
    }
    return found;
  }

 private:
  int multiprocessors_ = 0;
  int shared_bytes_ = 0;
  Index rows_ = 0;
  Index columns_ = 0;
  Kokkos::View<SORGpuState, Kokkos::CudaSpace> state_;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> packets_;
  Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace> seams_;
  Kokkos::View<V*, Kokkos::CudaSpace> second_;
};

}  // namespace wavescan::Impl

#endif
