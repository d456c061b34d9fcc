// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_HPP
#define WAVESCAN_IMPL_SOR_GPU_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_SOR_Alternation.hpp>
#include <impl/WaveScan_SOR_Copy.hpp>
#include <impl/WaveScan_SOR_Gpu_Choice.hpp>
#include <impl/WaveScan_SOR_Gpu_Kernel.hpp>
#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Gpu_Plan.hpp>
#include <impl/WaveScan_SOR_Gpu_Workspace.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Residual.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

/// @file
/// @brief SOR on CUDA devices of compute capability 9.0 and newer, with fused sweeps.

namespace wavescan::Impl {

/// @brief The launches for arrays of one size, and what they need.
///
/// A pass of fused sweeps goes from one array to another, and is cut into blocks that start early;
/// a second kernel compares the values at the seams; a third does the pass again, without blocks,
/// if they do not fit. Where blocks do not pay passes go without them, in place and closely after
/// each other.
template <class V>
class SORGpu {
 public:
  SORGpuTuning tuning;

  SORGpu() = default;
  /// @param stall_seconds see SOROptions
  SORGpu(const Kokkos::Cuda& exec, Index rows, Index columns, double stall_seconds = 10)
      : rows_(rows), columns_(columns) {
    constexpr Index limit = Index(1) << 30;
    if (gpu::device_path(Operation::ConstantSOR, exec) != DevicePath::BulkCopies || rows > limit ||
        columns > limit || is_small(rows, columns))
      return;
    const auto& device = gpu::device_properties(exec);
    choice_ = SORGpuChoice<V>(device.multiProcessorCount,
                              static_cast<int>(device.sharedMemPerBlockOptin));
    const std::size_t seams = seam_words();
    const std::size_t packets = packet_words();
    choice_.set_room(packets, seams);
    memory_ = SORGpuWorkspace<V>(exec, rows, columns, packets, seams, choice_.multiprocessors());
    report_ = gpu::StallReport(stall_seconds);
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
    return run<SORMeasured::Nothing>(exec, problem, to, count, forward, backward);
  }

  /// @brief The same, and the updates that the last pass made, or the residuals that it left. Waits
  /// for them. Nothing is done if other kernels must do it, or if a pass for residuals of its own
  /// is faster or has to leave out the right-hand side.
  std::optional<ResidualSum> measured_sweep_to(const Kokkos::Cuda& exec,
                                               const SORProblem<V>& problem, const Grid<V>& to,
                                               int count, bool forward, bool backward,
                                               Criterion criterion) const {
    const auto measures = [&](auto what) {
      return run<what()>(exec, problem, to, count, forward, backward);
    };
    using Updates = std::integral_constant<SORMeasured, SORMeasured::Updates>;
    using Residuals = std::integral_constant<SORMeasured, SORMeasured::Residuals>;
    const bool leaves_out = problem.rhs.data && problem.coefficients.rhs == V(0);
    if (count == 0 || (criterion == Criterion::Residual && leaves_out) ||
        !(criterion == Criterion::Update ? measures(Updates()) : measures(Residuals())))
      return std::nullopt;
    return copied_to_host(exec, memory_.measured.data());
  }

  /// @brief Reports sweeps that have got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("sor"); }

  /// @brief False if other kernels must do such sweeps; nothing has to be made for them.
  bool reserve(const Kokkos::Cuda&, const SORProblem<V>& problem, int, bool, bool, bool) const {
    return suits(in_order(problem));
  }

  /// @brief How many passes were done again because blocks did not fit. Waits.
  unsigned redone(const Kokkos::Cuda& exec) const {
    return copied_to_host(exec, memory_.state.data()).redone;
  }

  /// @brief What passes of so many fused sweeps are cut for.
  SORGpuTask task(const SORProblem<V>& p, int fused, int passes = 1) const {
    const SORCoefficients<V>& c = p.coefficients;
    return {
        static_cast<int>(p.interior_rows()),
        static_cast<int>(p.interior_columns()),
        fused,
        rhs_rows(p),
        tuning.overlap_rows > 0 ? tuning.overlap_rows : sor_overlap<V>(c.up, c.left, fused),
        tuning.overlap_columns > 0 ? tuning.overlap_columns : sor_overlap<V>(c.left, c.up, fused),
        tuning,
        passes,
        lags(p, fused, passes)};
  }
  /// @brief The launches for so many sweeps.
  /// @param measured by the last one; residuals only where that pays
  SORGpuStages plan(const SORProblem<V>& p, int count, bool backward,
                    SORMeasured measured = SORMeasured::Nothing) const {
    const auto task_of = [&](int fused, int passes) { return task(p, fused, passes); };
    SORGpuTuning planned = tuning;
    if (p.marked) planned.most_fused = std::min(planned.most_fused, most_fused_marked);
    const SORGpuPlanner<V, decltype(task_of)> planner(choice_, planned, task_of);
    switch (measured) {
      case SORMeasured::Updates:
        return planner.best_with_updates(count, backward).stages;
      case SORMeasured::Residuals:
        return planner.best_with_residuals(count, backward).stages;
      default:
        return planner.best(count, backward).stages;
    }
  }
  const SORGpuChoice<V>& choice() const { return choice_; }

 private:
  /// @brief Whether other kernels are as good.
  static bool is_small(Index rows, Index columns) {
    return rows * columns < (1 << 14) && std::max(rows, columns) < 1024;
  }
  /// Spares the compiler the largest kernels, which gain little.
  static constexpr int most_fused_marked = 4;

  /// Blocks must do with what is enough for passes without blocks, and a part of x.
  std::size_t part_of_x(std::size_t part) const {
    return static_cast<std::size_t>(rows_ * columns_) * sizeof(V) / 8 / part + (1u << 20);
  }
  std::size_t seam_words() const { return part_of_x(12); }
  std::size_t packet_words() const {
    std::size_t words = part_of_x(6);
    for (const int fused : {1, 2, 4, 5, 8, 9})  // more measures residuals
      for (const auto& [m, n] : {std::pair(rows_ - 2, columns_ - 2), {columns_ - 2, rows_ - 2}})
        words = std::max(
            words,
            choice_.packet_words(choice_.whole({static_cast<int>(m), static_cast<int>(n), fused})));
    return words;
  }

  template <class T>
  static T copied_to_host(const Kokkos::Cuda& exec, const T* from) {
    T value;
    Kokkos::deep_copy(exec, Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&value),
                      Kokkos::View<const T, Kokkos::CudaSpace, Kokkos::MemoryUnmanaged>(from));
    exec.fence("WaveScan::sor: what passes tell");
    return value;
  }

  template <class Use>
  static void with_flags(bool transposed, bool marked, const Use& use) {
    if (marked)
      transposed ? use(std::true_type(), std::true_type())
                 : use(std::false_type(), std::true_type());
    else
      transposed ? use(std::true_type(), std::false_type())
                 : use(std::false_type(), std::false_type());
  }

  static bool has_dense_rows(const SORProblem<V>& p) {
    return p.x.column_stride == 1 || p.x.column_stride == -1;
  }
  /// @brief The problem with rows that lie next to each other, if one of its dimensions does.
  static SORProblem<V> in_order(const SORProblem<V>& p) {
    return has_dense_rows(p) ? p : transposed(p);
  }

  bool suits(const SORProblem<V>& p) const {
    return choice_.multiprocessors() > 0 && p.fixed.word == FixedPoints::Word::None &&
           ((p.x.rows == rows_ && p.x.columns == columns_) ||
            (p.x.rows == columns_ && p.x.columns == rows_)) &&
           p.x.rows > 2 && p.x.columns > 2 && gpu::has_tiles(p.x) &&
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

  static SORGpuStages symmetric_stages(int count, SORMeasured measured) {
    SORGpuStages stages;
    stages.add({{1, 1, false}, 2 * count, true});
    if (count > 0) stages.measure(measured);
    return stages;
  }

  /// @tparam Measured what the last pass measures
  template <SORMeasured Measured>
  bool run(const Kokkos::Cuda& exec, const SORProblem<V>& problem, const Grid<V>& to, int count,
           bool forward, bool backward) const {
    throw_if_stuck();
    const bool transposed = !has_dense_rows(problem);
    const SORProblem<V> p = in_order(problem);
    const Grid<V> result = transposed ? wavescan::transposed(to) : to;
    if (!suits(p) || !alike(p.x, result)) return false;
    const SORGpuStages stages = forward && backward ? symmetric_stages(count, Measured)
                                                    : plan(p, count, backward, Measured);
    if (stages.empty() && p.x.data != result.data) return false;
    if (Measured != SORMeasured::Nothing && stages.back().measured != Measured) return false;
    with_flags(transposed, p.marked, [&](auto is_transposed, auto is_marked) {
      run_stages<is_transposed(), is_marked(), Measured>(exec, p, result, stages);
    });
    return true;
  }

  template <bool Transposed, bool Marked, SORMeasured Measured>
  void run_stages(const Kokkos::Cuda& exec, const SORProblem<V>& p, const Grid<V>& to,
                  SORGpuStages stages) const {
    if (stages.empty()) return;
    const bool in_place = p.x.data == to.data;
    Grid<V> from = p.x;
    const auto run = [&](const SORGpuStage& stage, const Grid<V>& result) {
      run_stage<Transposed, Marked, Measured>(exec, p, stage, from, result);
      from = result;
    };
    if (choice_.best(task(p, stages.front().fused, stages.front().passes())).blocks() == 1) {
      if (!in_place) copy_halo(exec, p.x, to);
      stages.for_each([&](const SORGpuStage& stage) { run(stage, to); });
      return;
    }
    if (in_place && stages.count() % 2 == 1) stages.split_one();
    const Grid<V> other = memory_.second_array(p.x);
    SORAlternation<V> ends(p.x, to, other, stages.count());
    copy_halo(exec, p.x, other);
    if (!in_place) copy_halo(exec, p.x, to);
    stages.for_each([&](const SORGpuStage& stage) { run(stage, ends.next()); });
    if (ends.ends_in_other()) copy_interior(exec, other, to);
  }

  /// Arrays may also lie in the host's pinned memory, and one of them alone.
  static void copy_interior(const Kokkos::Cuda& exec, Grid<V> from, Grid<V> to) {
    constexpr Index fewest_columns = 256 / static_cast<Index>(sizeof(V));
    if (to.columns < fewest_columns)  // the driver's copies are slow for short rows
      return copy_entries(exec, "WaveScan::sor::copy", read_only(interior(from)), interior(to));
    if (to.column_stride < 0) {
      from = reversed(from);
      to = reversed(to);
    }
    gpu::check(cudaMemcpy2DAsync(&to(1, 1), static_cast<std::size_t>(to.row_stride) * sizeof(V),
                                 &from(1, 1), static_cast<std::size_t>(from.row_stride) * sizeof(V),
                                 static_cast<std::size_t>(to.columns - 2) * sizeof(V),
                                 static_cast<std::size_t>(to.rows - 2), cudaMemcpyDefault,
                                 exec.cuda_stream()),
               "cudaMemcpy2DAsync");
  }

  template <bool Transposed, bool Marked, SORMeasured Measured>
  void run_stage(const Kokkos::Cuda& exec, SORProblem<V> p, const SORGpuStage& stage,
                 const Grid<V>& from, const Grid<V>& to) const {
    p.x = from;
    if (stage.backward) p = reversed(p);
    const Grid<V> result = stage.backward ? reversed(to) : to;
    if constexpr (Measured != SORMeasured::Nothing)
      if (stage.measured == Measured)
        return run_measured<Transposed, Marked, Measured>(exec, p, result, stage);
    switch (stage.fused) {
      case 8:
        if constexpr (!Marked)
          return run_passes<SORShape<V, 8, Transposed>>(exec, p, result, stage);
        [[fallthrough]];
      case 4:
        return run_passes<SORShape<V, 4, Transposed, Marked>>(exec, p, result, stage);
      case 2:
        return run_passes<SORShape<V, 2, Transposed, Marked>>(exec, p, result, stage);
      default:
        return run_passes<SORShape<V, 1, Transposed, Marked>>(exec, p, result, stage);
    }
  }

  /// @brief A single sweep measures with marks and without in the same kernel.
  template <bool Transposed, bool Marked, SORMeasured Measured>
  void run_measured(const Kokkos::Cuda& exec, const SORProblem<V>& p, const Grid<V>& to,
                    const SORGpuStage& stage) const {
    switch (stage.fused) {
      case 8:
        if constexpr (!Marked && sor_can_measure<V>(8, 1, Measured))
          return run_passes<SORMeasuringShape<V, 8, Transposed, false, Measured>>(exec, p, to,
                                                                                  stage);
        [[fallthrough]];
      case 4:
        return run_passes<SORMeasuringShape<V, 4, Transposed, Marked, Measured>>(exec, p, to,
                                                                                 stage);
      default:
        return run_passes<SORMeasuringShape<V, 1, Transposed, true, Measured>>(exec, p, to, stage);
    }
  }

  template <class Shape>
  void run_passes(const Kokkos::Cuda& exec, const SORProblem<V>& p, const Grid<V>& to,
                  const SORGpuStage& stage) const {
    SORGpuTask what = task(p, Shape::sweeps, stage.passes());
    if (lined_lags(to) != what.lags) what.lags = {};
    SORPass<V> pass{};
    pass.rhs_pitch = Shape::rhs_pitch(what.rhs);
    pass.slot_bytes = Shape::slot_bytes(what.rhs);
    pass.old_values = band_tiles_of(p.x, Shape::chunk, what.lags);
    if (p.rhs.data) {
      if constexpr (Shape::rhs_like_results)
        pass.rhs = band_tiles_of(p.rhs, Shape::chunk, what.lags, Shape::sweeps);
      else
        pass.rhs.tiles = gpu::tiles_of(p.rhs, Shape::rhs_rows(what.rhs.class_bits), Shape::chunk,
                                       pass.rhs_pitch / static_cast<int>(sizeof(V)) - Shape::chunk);
    }
    const SORBandTiles<V> between = band_tiles_of(to, Shape::chunk, what.lags);
    std::copy_n(between.tiles.of_class, gpu::most_tile_classes, pass.values_between);
    pass.results = band_tiles_of(to, Shape::chunk, what.lags, Shape::sweeps, true);
    pass.out = to;
    pass.coefficients = p.coefficients;
    pass.equation = equation_of(p.coefficients);
    pass.has_rhs = p.rhs.data != nullptr;
    pass.has_marks = p.marked;
    pass.watchdog = report_.watchdog();
    pass.state = memory_.state.data();
    pass.measured = memory_.measured.data();
    pass.packets = memory_.packets.data();
    pass.cut = p.x.data == to.data ? choice_.whole(what) : choice_.best(what);
    pass.last_sweeps = stage.sweeps - (stage.passes() - 1) * Shape::relaxing;
    pass.stored_tiles = memory_.packets.data() + choice_.row_words(pass.cut);
    if (pass.cut.blocks() > 1) {
      const std::size_t side = choice_.side_seam(pass.cut);
      auto* const start = reinterpret_cast<V*>(memory_.seams.data());
      pass.left_seams = start;
      pass.right_seams = start + side;
      pass.top_seams = reinterpret_cast<std::uint32_t*>(start + 2 * side);
      pass.bottom_seams = pass.top_seams + choice_.end_seam(pass.cut);
      launch<Shape>(exec, pass);
      gpu::launch({exec, "WaveScan::sor::seams", false}, sor_seams_kernel<typename Shape::plain>,
                  pass.cut.blocks() * seam_parts, 256, 0, pass);
      pass.only_if_failed = true;
      pass.cut = choice_.whole(what);
    }
    launch<Shape>(exec, pass);
  }

  /// @brief Where tiles begin: at cache lines if all arrays have them at the same places, and
  /// passes do not follow each other, which would mix their places up.
  static SORLags lags(const SORProblem<V>& p, int fused, int passes) {
    const SORLags lags = lined_lags(p.x);
    const bool lined = fused == 1 && passes == 1 && (!p.rhs.data || lined_lags(p.rhs) == lags);
    return lined ? lags : SORLags{};
  }
  static SORRhsRows rhs_rows(const SORProblem<V>& p) {
    if (!p.rhs.data) return {0, true};
    constexpr int columns = 32;
    const auto tiles = gpu::tiles_of(p.rhs, gpu::most_tile_classes, columns);
    return {tiles.class_bits, tiles.aligned()};
  }

  template <class Shape>
  void launch(const Kokkos::Cuda& exec, const SORPass<V>& pass) const {
    const int blocks = std::min(choice_.multiprocessors(), pass.cut.tickets());
    const char* const name = pass.only_if_failed ? "WaveScan::sor::again" : "WaveScan::sor::pass";
    gpu::launch({exec, name, true}, sor_pass_kernel<Shape>, blocks, Shape::threads(pass.cut.warps),
                Shape::shared_bytes(pass.cut.warps, pass.cut.slots, pass.slot_bytes), pass);
  }

  Index rows_ = 0;
  Index columns_ = 0;
  SORGpuChoice<V> choice_;
  SORGpuWorkspace<V> memory_;
  gpu::StallReport report_;
};

}  // namespace wavescan::Impl

#endif
