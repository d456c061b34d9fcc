// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_GPUSWEEPS_HPP
#define WAVESCAN_IMPL_SOR_GPU_GPUSWEEPS_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_SecondArray.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>
#include <impl/sor/gpu/WaveScan_DecompositionSearch.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>
#include <impl/sor/gpu/WaveScan_LaunchPlan.hpp>
#include <impl/sor/gpu/WaveScan_PassKernel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// @file
/// @brief SOR on CUDA devices, by temporal blocking.

namespace wavescan::Impl::sor {

/// @brief Sets unknowns to zero for passes that read only those in tiles with entries of the halo,
/// and copies the halo if passes begin in another array than x.
template <class V>
struct StartFromZero {
  static constexpr Index high = Decomposition::band_rows;
  /// A tile, and by how much it may begin earlier (TileSkew).
  static constexpr Index wide = PassSizes(sizeof(V), 1).chunk + 2 * line_columns<V>;
  CopyHalo<V> halo;
  Grid<V> unknowns;
  bool in_x;

  Index work_items() const { return unknowns.columns + wide * unknowns.rows; }
  KOKKOS_FUNCTION void operator()(Index k) const {
    if (!in_x) halo(k);
    const Grid<V>& x = unknowns;
    if (k < x.columns) {
      for (Index i = 0; i < high && i < x.rows; ++i) x(i, k) = x(x.rows - 1 - i, k) = V(0);
    } else {
      const Index i = (k - x.columns) / wide, j = (k - x.columns) % wide;
      if (i < x.rows && j < x.columns) x(i, j) = x(i, x.columns - 1 - j) = V(0);
    }
  }
};

/// @brief Brings a kept line to an order that does not depend on how a pass was decomposed.
template <class V>
struct ValuesOfLine {
  Decomposition decomp;
  const V* words;  ///< (column block, step, sweep from 0 on)
  V* values;       ///< (sweep from 1 on, unknown column)
  KOKKOS_FUNCTION void operator()(const Index k) const {
    const int sweep = static_cast<int>(k / decomp.n) + 1,
              column = static_cast<int>(k % decomp.n) + 1;
    int block = (column + decomp.skew.max_written(decomp.sweeps)) / decomp.width;
    if (block >= decomp.column_blocks) block = decomp.column_blocks - 1;
    const int step = column - decomp.first_column(block) + Decomposition::band_rows - 1 + sweep;
    values[k] =
        words[(static_cast<Index>(block) * decomp.steps() + step) * (decomp.sweeps + 1) + sweep];
  }
};

/// @brief A line between bands and what crosses it: in sweep s the s-th row above it.
template <class V>
struct LineOfSweeps {
  Index row = 0;        ///< the line is above that one; 0: there is none
  V* values = nullptr;  ///< (sweep from 1 on, unknown column)
};

/// @brief Brings what is kept of a check column to an order that does not depend on how a pass was
/// decomposed.
template <class V>
struct ValuesOfPartition {
  Decomposition decomp;
  int column_block;  ///< that the column lies in
  const V* checks;   ///< (block, sweep from 1 on, band, lane)
  V* values;         ///< (sweep from 1 on, unknown row)
  KOKKOS_FUNCTION void operator()(const Index k) const {
    const int sweep = static_cast<int>(k / decomp.m) + 1;
    const int row_of_band = static_cast<int>(k % decomp.m) + 1 + sweep;
    const int band = row_of_band / Decomposition::band_rows;
    int row_block = band / (decomp.groups * decomp.stack);
    if (row_block >= decomp.row_blocks) row_block = decomp.row_blocks - 1;
    const Index block = row_block * decomp.column_blocks + column_block;
    const Index rows = decomp.bands_of_block() * Decomposition::band_rows;
    values[k] = checks[(block * decomp.sweeps + sweep - 1) * rows + row_of_band -
                       decomp.first_band(row_block) * Decomposition::band_rows];
  }
};

/// @brief A column at which all rows are divided, and what crosses it: values of the column that is
/// `way_to_check` before it.
template <class V>
struct PartitionOfSweeps {
  Index column = 0;     ///< a multiple of `step`; 0: there is none
  V* values = nullptr;  ///< (sweep from 1 on, unknown row)

  static constexpr int step = 32;         ///< tiles of passes are that wide, or half
  static constexpr int way_to_check = 4;  ///< tiles begin up to three columns early
};

/// @brief The launches for arrays of one size, and what they need.
///
/// A pass of several sweeps goes from one array to another, and is divided into blocks that start
/// early; a second kernel checks that neighbours agree where they meet; a third does the pass
/// again, without blocks, if they do not fit. Where blocks would be slower, passes go without them,
/// in place and closely after each other.
template <class V>
class GpuSweeps {
 public:
  /// Spares the compiler the largest kernels, which gain little.
  static constexpr int max_masked_depth = 4;
  GpuTuning tuning;

  GpuSweeps() = default;
  /// @param stall_seconds see SOROptions
  GpuSweeps(const Kokkos::Cuda& exec, Index rows, Index columns, double stall_seconds = 10)
      : rows_(rows), columns_(columns) {
    if (!supports(rows, columns)) return;
    selection_ = selection_on(exec);
    message_words_ = message_words();
    const std::size_t check_words = part_of_x(12);
    selection_.set_room(message_words_, check_words);
    memory_.template room<gpu::TaggedWord>(exec, "WaveScan::sor::messages",
                                           static_cast<Index>(check_place() + check_words));
    exec.fence("WaveScan::sor: the state is cleared");
    report_ = gpu::StallReport(stall_seconds);
  }

  struct Selected : SelectedAlgorithm {
    LaunchSequence launches{};
  };

  /// @brief The launches for such sweeps, from x to `to`, which may be x; none if other kernels
  /// must do them, or measure: if a pass for residuals of its own is faster or has to leave out the
  /// right-hand side.
  ///
  /// A pass with blocks cannot be in place: in its overlap a block reads old values that a
  /// neighbour overwrites, and a check that fails needs them all. So passes go there and back
  /// again, and after an odd number of them a result in x is copied, which takes about as long as a
  /// third of a single sweep.
  template <class P>
  Selected select(const Kokkos::Cuda&, const P& problem, const Grid<V>& to,
                  const SweepRequest& r) const {
    throw_if_stuck();
    const Problem<V> p = without_mask(with_dense_rows(problem));
    const Grid<V> result = has_dense_rows(problem.x) ? to : transposed(to);
    if (r.count == 0 || !supports(p) || !same_alignment(p.x, result)) return {};
    Measurement measured = Measurement::Nothing;
    if (r.measured) {
      measured = *r.measured == Criterion::Residual ? Measurement::Residuals : Measurement::Updates;
      const bool leaves_out = p.rhs.data && p.coefficients.rhs == V(0);
      if (measured == Measurement::Residuals && leaves_out) return {};
    }
    const LaunchSequence launches = launches_for(p, masked<P>, r, measured);
    const bool measures = measured == Measurement::Nothing || launches.back().measured == measured;
    if (!measures || !have_room(p, launches)) return {};
    return {{SORAlgorithm::TemporalBlocking}, launches};
  }
  /// @brief Enqueues launches for x and `to`. If they differ, x keeps its values, and the halo and
  /// its corners are copied as well. From zero only the halo of x is read, so that the first pass
  /// moves one array less.
  /// @tparam Measured what the last launch measures
  template <Measurement Measured = Measurement::Nothing, class P>
  void run(const Kokkos::Cuda& exec, const Selected& selected, const P& problem, const Grid<V>& to,
           const SweepRequest& r) const {
    const bool transposes = !has_dense_rows(problem.x);
    with_constant_order<P::dense>(transposes, [&](auto order) {
      run_launches(exec, selected.launches, without_mask(with_dense_rows(problem)),
                   transposes ? transposed(to) : to, r,
                   {kernels_of<Measured, order(), masked<P>>, has_fixed_points(problem.fixed)});
    });
  }
  /// @brief Enqueues launches of which the last one measures, and waits for what it adds up.
  template <class P>
  ResidualSum run_measured(const Kokkos::Cuda& exec, const Selected& selected, const P& problem,
                           const Grid<V>& to, const SweepRequest& r) const {
    if (*r.measured == Criterion::Update)
      run<Measurement::Updates>(exec, selected, problem, to, r);
    else
      run<Measurement::Residuals>(exec, selected, problem, to, r);
    return copied_to_host(exec, sums());
  }

  /// @brief Bands of a group that suit passes of any depth, with any right-hand side: as many as a
  /// multiprocessor has schedulers, if there is room; 0 if other kernels must sweep such arrays.
  static int usual_warps(const Kokkos::Cuda& exec, Index rows, Index columns) {
    if (!supports(rows, columns)) return 0;
    constexpr int schedulers = 4;
    constexpr int class_bits = sizeof(V) == 4 ? 2 : 1;
    const GpuSelection selection = selection_on(exec);
    int warps = schedulers;
    for (const int depth : {1, 2, 4, 8})
      for (const RhsRows& rhs : {RhsRows{0, true}, RhsRows{class_bits, false}})
        warps = std::min(warps, selection.most_warps({1, 1, depth, rhs}));
    return warps;
  }

  /// @brief Enqueues one pass of 1, 2, 4 or 8 sweeps, with a mask of up to max_masked_depth, from x
  /// to `to` that keeps what crosses two lines, in rows that are multiples of `tuning.warps` bands,
  /// and two partitions of the columns, behind and ahead. `speculation_valid` tells what came of
  /// it.
  /// @return false if there is no such pass
  template <class P>
  bool sweep_and_export_edges(const Kokkos::Cuda& exec, const P& problem, const Grid<V>& to,
                              int depth, const std::array<LineOfSweeps<V>, 2>& lines,
                              const std::array<PartitionOfSweeps<V>, 2>& partitions) const {
    throw_if_stuck();
    const Problem<V> p = without_mask(problem);
    const PassLaunch launch{depth, depth};
    const Launcher launcher{kernels_of<Measurement::Nothing, false, masked<P>>,
                            has_fixed_points(problem.fixed)};
    GpuTask what = task(p, depth, 1);
    what.partitions = {static_cast<int>(partitions[0].column),
                       static_cast<int>(partitions[1].column)};
    if (what.partitions != OuterPartitions{}) what.skew = {};  // the same on all devices
    GpuPass<V> pass = describe(p, to, launch, what, launcher.has_mask);
    pass.decomp = selection_.best(what).decomp;
    const Decomposition& decomp = pass.decomp;
    const int rows_of_group = Decomposition::band_rows * decomp.stack;
    const bool too_narrow =
        what.partitions.ahead > 0 &&
        what.partitions.ahead - what.partitions.behind < Decomposition::narrowest;
    if (decomp.stack != tuning.warps || lines[0].row % rows_of_group != 0 ||
        lines[1].row % rows_of_group != 0 || too_narrow || !selection_.has_room(decomp) ||
        !supports(p) || !same_alignment(p.x, to))
      return false;
    const std::size_t words =
        static_cast<std::size_t>(decomp.column_blocks) * decomp.steps() * (depth + 1);
    V* const kept = kept_.template uncleared_room<V>(exec, "WaveScan::sor::lines",
                                                     static_cast<Index>(lines.size() * words));
    for (std::size_t k = 0; k < lines.size(); ++k)
      pass.lines[k] = {static_cast<int>(lines[k].row / Decomposition::band_rows),
                       reinterpret_cast<std::uint32_t*>(kept + k * words)};
    copy_halo(exec, p.x, to);
    set_checks(pass);
    const Kernels kernels = launcher.kernels(launch);
    enqueue(exec, kernels, pass);
    if (decomp.blocks() > 1) enqueue_checks(exec, kernels, pass);
    const auto tell = [&](const char* name, Index length, const auto& values) {
      Kokkos::parallel_for(name,
                           Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<Index>>(
                               exec, 0, Index(depth) * length),
                           values);
    };
    for (std::size_t k = 0; k < 2; ++k) {
      if (lines[k].row > 0)
        tell("WaveScan::sor::lines", decomp.n,
             ValuesOfLine<V>{decomp, kept + k * words, lines[k].values});
      if (partitions[k].column > 0)
        tell("WaveScan::sor::partitions", decomp.m,
             ValuesOfPartition<V>{decomp, k == 0 ? 0 : decomp.column_blocks - 1,
                                  k == 0 ? pass.left_checks : pass.right_checks,
                                  partitions[k].values});
    }
    return true;
  }
  /// @brief A word in the device's memory that is not zero after a sweep_and_export_edges whose
  /// blocks do not agree.
  const unsigned* failed() const { return &state()->failed; }
  /// @brief Whether the blocks of the last sweep_and_export_edges agreed. If not, nothing of its
  /// results is of use. Waits.
  bool speculation_valid(const Kokkos::Cuda& exec) const {
    const bool valid = copied_to_host(exec, state()).failed == 0;
    if (!valid)
      gpu::check(cudaMemsetAsync(&state()->failed, 0, sizeof(unsigned), exec.cuda_stream()),
                 "cudaMemsetAsync");
    throw_if_stuck();
    return valid;
  }

  /// @brief Reports sweeps that have got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("sor"); }

  /// @brief Makes workspace beforehand. False if other kernels must sweep such arrays.
  template <class P>
  bool reserve(const Kokkos::Cuda& exec, const P& problem) const {
    const Problem<V> p = without_mask(with_dense_rows(problem));
    if (!supports(p)) return false;
    second_.like(exec, p.x);
    return true;
  }

  /// @brief The number of passes that were done again because blocks did not fit. Waits.
  unsigned redone(const Kokkos::Cuda& exec) const { return copied_to_host(exec, state()).redone; }

 private:
  /// @brief A pass's kernels.
  struct Kernels {
    void (*pass)(GpuPass<V>);
    void (*check)(GpuPass<V>);
  };
  /// @brief The parameters that the launches of a call have in common.
  struct Launcher {
    Kernels (*kernels)(const PassLaunch&);
    bool has_mask;
  };
  template <class P>
  static constexpr bool masked = !std::is_same_v<typename P::fixed_type, NoFixedPoints>;

  /// @brief Whether arrays have sizes for this: for small ones other kernels are as good.
  static bool supports(Index rows, Index columns) {
    constexpr Index limit = Index(1) << 30;
    const bool is_small = rows * columns < (1 << 14) && std::max(rows, columns) < 1024;
    return rows <= limit && columns <= limit && !is_small;
  }
  static GpuSelection selection_on(const Kokkos::Cuda& exec) {
    const auto& device = gpu::device_properties(exec);
    return GpuSelection(
        sizeof(V), device.multiProcessorCount,
        std::min(static_cast<int>(device.sharedMemPerBlockOptin), gpu::block_memory));
  }
  /// Blocks must do with what is enough for passes without blocks, and a part of x.
  std::size_t part_of_x(std::size_t part) const {
    return static_cast<std::size_t>(rows_ * columns_) * sizeof(V) / 8 / part + (1u << 20);
  }
  std::size_t message_words() const {
    std::size_t words = part_of_x(6);
    for (const int depth : {1, 2, 4, 5, 8, 9})  // more measures residuals
      for (const auto& [m, n] : {std::pair(rows_ - 2, columns_ - 2), {columns_ - 2, rows_ - 2}})
        words = std::max(
            words, selection_.message_words(
                       selection_.whole({static_cast<int>(m), static_cast<int>(n), depth}).decomp));
    return words;
  }

  /// @name Where things are in the memory, whose words are counted: at lines of the cache
  /// @{
  static constexpr std::size_t line = 16;
  static_assert(sizeof(PassState) <= line * sizeof(gpu::TaggedWord));
  static std::size_t end_of(std::size_t begin, std::size_t words) {
    return begin + (words + line - 1) / line * line;
  }
  std::size_t message_place() const {
    const int sums = 1 + selection_.multiprocessors() * pass_sizes<V, 1>.max_warps;
    return end_of(line, static_cast<std::size_t>(sums) * sizeof(ResidualSum) / 8);
  }
  std::size_t check_place() const { return end_of(message_place(), message_words_); }
  template <class T>
  T* in_memory(std::size_t word) const {
    return reinterpret_cast<T*>(memory_.template data<gpu::TaggedWord>() + word);
  }
  PassState* state() const { return in_memory<PassState>(0); }
  ResidualSum* sums() const { return in_memory<ResidualSum>(line); }
  gpu::TaggedWord* messages() const { return in_memory<gpu::TaggedWord>(message_place()); }
  /// @}

  template <class T>
  static T copied_to_host(const Kokkos::Cuda& exec, const T* from) {
    T value;
    Kokkos::deep_copy(exec, Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&value),
                      Kokkos::View<const T, Kokkos::CudaSpace, Kokkos::MemoryUnmanaged>(from));
    exec.fence("WaveScan::sor: what passes tell");
    return value;
  }

  static bool has_fixed_points(NoFixedPoints) { return false; }
  static bool has_fixed_points(const EncodedMask<V>& mask) { return mask.any; }
  /// @brief Returns the part of a problem that everything but the choice of kernels needs.
  template <class Fixed>
  static Problem<V> without_mask(const MaskedProblem<V, Fixed>& p) {
    return {p.coefficients, p.x, p.rhs};
  }

  bool supports(const Problem<V>& p) const {
    return selection_.multiprocessors() > 0 &&
           ((p.x.rows == rows_ && p.x.columns == columns_) ||
            (p.x.rows == columns_ && p.x.columns == rows_)) &&
           p.x.rows > 2 && p.x.columns > 2 && gpu::has_tiles(p.x) &&
           (!p.rhs.data ||
            (gpu::has_tiles(p.rhs) && (p.rhs.column_stride > 0) == (p.x.column_stride > 0)));
  }
  /// @brief True if tiles of one are tiles of the other.
  static bool same_alignment(const Grid<V>& a, const Grid<V>& b) {
    constexpr Index alignment = 16 / static_cast<Index>(sizeof(V));
    const auto address = [](const Grid<V>& g) { return reinterpret_cast<std::uintptr_t>(g.data); };
    return a.column_stride == b.column_stride && gpu::has_tiles(b) &&
           (a.row_stride - b.row_stride) % alignment == 0 && (address(a) - address(b)) % 16 == 0;
  }

  /// @brief Returns the task for which passes of that depth are decomposed.
  GpuTask task(const Problem<V>& p, int depth, int passes) const {
    const SORCoefficients<V>& c = p.coefficients;
    return {
        static_cast<int>(p.interior_rows()),
        static_cast<int>(p.interior_columns()),
        depth,
        rhs_rows(p),
        tuning.overlap_rows > 0 ? tuning.overlap_rows : speculation_overlap<V>(c.up, c.left, depth),
        tuning.overlap_columns > 0 ? tuning.overlap_columns
                                   : speculation_overlap<V>(c.left, c.up, depth),
        tuning,
        passes,
        skew(p, depth, passes)};
  }

  /// @param measured by the last launch; residuals only where that is faster
  LaunchSequence launches_for(const Problem<V>& p, bool has_mask, const SweepRequest& r,
                              Measurement measured) const {
    if (r.forward && r.backward) {
      LaunchSequence launches;
      launches.add({1, 1}, 2 * r.count);
      if (measured != Measurement::Nothing)
        launches.measure(measured, [](const PassLaunch&) { return true; });
      return launches;
    }
    const auto task_of = [&](int depth, int passes) { return task(p, depth, passes); };
    GpuTuning planned = tuning;
    if (has_mask) planned.max_depth = std::min(planned.max_depth, max_masked_depth);
    const GpuPlanner<decltype(task_of)> planner(selection_, planned, task_of);
    return (measured == Measurement::Nothing ? planner.best(r.count)
                                             : planner.best_with(measured, r.count))
        .launches;
  }

  template <class Shape>
  static Kernels kernels_of() {
    return {pass_kernel<Shape>, speculation_check_kernel<typename Shape::plain>};
  }
  /// @tparam Measured what the last launch measures. A single sweep does so with fixed points and
  ///                  without in the same kernel, and two sweeps not at all.
  template <Measurement Measured, bool Transposed, bool Masked>
  static Kernels kernels_of(const PassLaunch& launch) {
    constexpr bool measures = Measured != Measurement::Nothing;
    if constexpr (measures)
      if (launch.measured != Measured)
        return kernels_of<Measurement::Nothing, Transposed, Masked>(launch);
    switch (launch.depth) {
      case 8:
        if constexpr (!Masked && can_measure_pass(sizeof(V), 8, 1, Measured))
          return kernels_of<MeasuringShape<V, 8, Transposed, Masked, Measured>>();
        [[fallthrough]];
      case 4:
        return kernels_of<MeasuringShape<V, 4, Transposed, Masked, Measured>>();
      case 2:
        if constexpr (!measures) return kernels_of<PassShape<V, 2, Transposed, Masked>>();
        [[fallthrough]];
      default:
        return kernels_of<MeasuringShape<V, 1, Transposed, Masked || measures, Measured>>();
    }
  }

  void run_launches(const Kokkos::Cuda& exec, LaunchSequence launches, const Problem<V>& p,
                    const Grid<V>& to, const SweepRequest& r, const Launcher& launcher) const {
    if (launches.empty()) return;
    const Grid<V> other = second_.like(exec, p.x);
    const bool in_place = p.x.data == to.data, odd = launches.count() % 2 == 1;
    const bool blocks = in_blocks(p, launches.front());
    // Zeros are in any array, so that passes from there end where they should.
    Problem<V> next = p;
    if (r.from_zero) {
      if (blocks && odd) next.x = other;
      start_from_zero(exec, p.x, next.x);
    } else if (blocks && odd && in_place) {
      launches.split_one();
    }
    int left = launches.count();
    const bool ends_in_other = blocks && next.x.data == to.data && left % 2 == 1;
    int lack_halo = next.x.data == p.x.data ? 2 : 0;  // launches before all arrays have it
    bool backward = r.backward && !r.forward, from_zero = r.from_zero;
    launches.for_each([&](const PassLaunch& launch) {
      const Grid<V>& result = blocks && (left % 2 == 1) == ends_in_other ? other : to;
      --left;
      // That of a second array is read by the next launch, if there is one.
      const bool lacks_halo = lack_halo-- > 0 && result.data != p.x.data &&
                              result.data != next.x.data && (result.data == to.data || left > 0);
      run_passes(exec, backward ? reversed(next) : next, backward ? reversed(result) : result,
                 launch, launcher, from_zero, lacks_halo);
      next.x = result;
      from_zero = false;
      backward = backward != (r.forward && r.backward);
    });
    if (ends_in_other) copy_unknowns(exec, other, to);
  }

  /// @brief Whether there is shared memory for a band of each launch.
  bool have_room(const Problem<V>& p, const LaunchSequence& launches) const {
    bool room = true;
    launches.for_each([&](const PassLaunch& launch) {
      const int sweeps = sweeps_of(launch.depth, launch.measured);
      room = room && selection_.whole(task(p, sweeps, launch.passes())).decomp.warps > 0;
    });
    return room;
  }

  /// @brief Whether a launch is one pass in blocks, from one array to another.
  bool in_blocks(const Problem<V>& p, const PassLaunch& launch) const {
    return selection_.best(task(p, launch.depth, launch.passes())).decomp.blocks() > 1;
  }

  /// @brief Enqueues what passes from zero need, which begin in `start`.
  static void start_from_zero(const Kokkos::Cuda& exec, const Grid<V>& x, const Grid<V>& start) {
    const StartFromZero<V> zeros{{read_only(x), start}, interior(start), start.data == x.data};
    Kokkos::parallel_for(
        "WaveScan::sor::start_from_zero",
        Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<Index>>(exec, 0, zeros.work_items()),
        zeros);
  }

  /// @brief Copies the unknowns between arrays of the same alignment.
  static void copy_unknowns(const Kokkos::Cuda& exec, const Grid<V>& from, const Grid<V>& to) {
    const CopyUnits<V> copy{read_only(from), to};
    for_rectangle(exec, "WaveScan::sor::copy", 1, to.rows - 2, copy.units(), copy);
  }

  /// @brief A pass, but for how it is decomposed.
  GpuPass<V> describe(const Problem<V>& p, const Grid<V>& to, const PassLaunch& launch,
                      const GpuTask& what, bool has_mask) const {
    const PassSizes sizes(sizeof(V), what.depth);
    const int chunk = sizes.chunk;
    GpuPass<V> pass{};
    pass.rhs_pitch = sizes.rhs_pitch(what.rhs);
    pass.slot_bytes = sizes.slot_bytes(what.rhs);
    pass.old_values = band_tiles_of(p.x, chunk, what.skew);
    if (p.rhs.data) {
      if (sizes.rhs_like_results)
        pass.rhs = band_tiles_of(p.rhs, chunk, what.skew, sizes.sweeps);
      else
        pass.rhs.tiles =
            gpu::tiles_of(p.rhs, PassSizes::rhs_rows(sizes.sweeps, what.rhs.class_bits), chunk,
                          pass.rhs_pitch / static_cast<int>(sizeof(V)) - chunk);
    }
    const BandTiles<V> between = band_tiles_of(to, chunk, what.skew);
    std::copy_n(between.tiles.of_class, gpu::max_tile_classes, pass.values_between);
    pass.results = band_tiles_of(to, chunk, what.skew, sizes.sweeps, true);
    pass.out = to;
    pass.coefficients = p.coefficients;
    pass.equation = equation_of(p.coefficients);
    pass.has_rhs = p.rhs.data != nullptr;
    pass.has_mask = has_mask;
    pass.watchdog = report_.watchdog();
    pass.state = state();
    pass.measured = sums();
    pass.messages = messages();
    pass.last_sweeps = launch.sweeps - (launch.passes() - 1) * launch.depth;
    return pass;
  }
  /// @brief Sets where blocks keep what is checked, and passes tell each other of tiles.
  void set_checks(GpuPass<V>& pass) const {
    pass.stored_tiles = messages() + selection_.row_words(pass.decomp);
    const std::size_t side = selection_.side_check_values(pass.decomp);
    V* const start = in_memory<V>(check_place());
    pass.left_checks = start;
    pass.right_checks = start + side;
    pass.top_checks = reinterpret_cast<std::uint32_t*>(start + 2 * side);
    pass.bottom_checks = pass.top_checks + selection_.end_check_words(pass.decomp);
  }
  void enqueue_checks(const Kokkos::Cuda& exec, const Kernels& kernels,
                      const GpuPass<V>& pass) const {
    gpu::launch({exec, "WaveScan::sor::checks", false}, kernels.check,
                pass.decomp.blocks() * check_parts, 256, 0, pass);
  }

  void run_passes(const Kokkos::Cuda& exec, const Problem<V>& p, const Grid<V>& to,
                  const PassLaunch& launch, const Launcher& launcher, bool from_zero,
                  bool lacks_halo) const {
    const Kernels kernels = launcher.kernels(launch);
    GpuTask what = task(p, sweeps_of(launch.depth, launch.measured), launch.passes());
    if (line_aligned_skew(to) != what.skew) what.skew = {};
    GpuPass<V> pass = describe(p, to, launch, what, launcher.has_mask);
    pass.from_zero = from_zero;
    pass.decomp = (p.x.data == to.data ? selection_.whole(what) : selection_.best(what)).decomp;
    set_checks(pass);
    if (pass.decomp.blocks() > 1) {
      enqueue(exec, kernels, pass);
      if (lacks_halo) pass.halo = read_only(p.x);
      enqueue_checks(exec, kernels, pass);
      pass.only_if_failed = true;
      pass.decomp = selection_.whole(what).decomp;
    } else if (lacks_halo) {
      copy_halo(exec, p.x, to);
    }
    enqueue(exec, kernels, pass);
  }

  /// @brief The skew of tiles: they begin at cache lines if all arrays have them at the same
  /// places, and passes do not follow each other, which would mix their places up.
  static TileSkew skew(const Problem<V>& p, int depth, int passes) {
    const TileSkew skew = line_aligned_skew(p.x);
    const bool line_aligned =
        depth == 1 && passes == 1 && (!p.rhs.data || line_aligned_skew(p.rhs) == skew);
    return line_aligned ? skew : TileSkew{};
  }
  static RhsRows rhs_rows(const Problem<V>& p) {
    if (!p.rhs.data) return {0, true};
    constexpr int columns = 32;
    const auto tiles = gpu::tiles_of(p.rhs, gpu::max_tile_classes, columns);
    return {tiles.class_bits, tiles.aligned()};
  }

  void enqueue(const Kokkos::Cuda& exec, const Kernels& kernels, const GpuPass<V>& pass) const {
    const int blocks = std::min(selection_.multiprocessors(), pass.decomp.tickets());
    const int warps = pass.decomp.warps;
    const PassSizes sizes(sizeof(V), pass.decomp.sweeps);
    const char* const name = pass.only_if_failed ? "WaveScan::sor::again" : "WaveScan::sor::pass";
    gpu::launch({exec, name, true}, kernels.pass, blocks, sizes.threads(warps),
                sizes.shared_bytes(warps, pass.decomp.slots, pass.slot_bytes), pass);
  }

  Index rows_ = 0;
  Index columns_ = 0;
  GpuSelection selection_;
  std::size_t message_words_ = 0;
  WorkMemory<Kokkos::Cuda> memory_;
  WorkMemory<Kokkos::Cuda> kept_;  ///< lines
  SecondArray<Kokkos::Cuda, V> second_;
  gpu::StallReport report_;
};

}  // namespace wavescan::Impl::sor

#endif
