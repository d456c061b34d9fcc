// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_GPUSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_GPUSCAN_HPP

#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_ScanSelection.hpp>
#include <impl/scan/gpu/WaveScan_ColumnsScan.hpp>
#include <impl/scan/gpu/WaveScan_RegisterScan.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>
#include <impl/segmented/gpu/WaveScan_HeadLines.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/scan/gpu/WaveScan_PersistentScan.hpp>
#include <impl/scan/gpu/WaveScan_RowTilesScan.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

/// @file
/// @brief Scans on CUDA and HIP devices: what the kernels are for, and their launches.

namespace wavescan::Impl {

/// @brief Algebras whose zeros can stand for missing elements.
template <class A>
concept GpuAlgebra = Algebra<A> && zero_absorbs<A>;

/// @brief True for recurrences that the GPU kernels are compiled for: their segments have a weight
/// that follows from their length, or is composed from their elements' weights. Identities stand
/// for missing elements.
template <class Recurrence>
inline constexpr bool gpu_scannable = false;

template <Operator Op>
inline constexpr bool gpu_scannable<PlainRecurrence<Op>> = has_identity<Op> &&
                                                           sizeof(typename Op::value_type) <= 64;

template <GpuAlgebra A>
inline constexpr bool
    gpu_scannable<WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>> =
        sizeof(typename A::value_type) <= 64;

template <GpuAlgebra A>
  requires(sizeof(typename A::value_type) == sizeof(typename A::weight_type) &&
           (sizeof(typename A::value_type) == 4 || sizeof(typename A::value_type) == 8))
inline constexpr bool gpu_scannable<WeightedRecurrence<A, Lines<const typename A::weight_type>>> =
    true;

/// @brief Whether identities can stand for missing elements: no finite weight turns them into
/// anything else.
template <class Recurrence>
bool identities_suffice(const Recurrence&) {
  return true;
}
template <class A, std::floating_point W>
bool identities_suffice(const WeightedRecurrence<A, ConstantWeight<W>>& recurrence) {
  return std::isfinite(recurrence.weight.value);
}

/// @brief The kernels for a type of scans, by their sizes.
template <class Scan>
struct ScanKernels;
template <class P, class In, class Starts>
struct ScanKernels<RowsScan<P, In, Starts>> {
  static constexpr bool heads = Starts::have_heads;
  /// Only the kernel in shared memory takes what tells heads as it is.
  static constexpr bool bits = !heads || std::same_as<typename Starts::told, Heads>;
  static constexpr int size = static_cast<int>(sizeof(typename P::value_type));

  using Columns = ColumnsTuning<P, false>;
  using StackedColumns = ColumnsTuning<P, true>;
  using Small = RegisterTuning<P, 256, 1, false, Starts>;
  using Medium = RegisterTuning<P, 512, 4, false>;
  /// As many elements of 8 bytes as of 4.
  using Large = RegisterTuning<P, 512, P::streams == 1 && size == 8 ? 8 : 4, false>;
  using InTurn = RegisterTuning<P, 512, 4, true, Starts>;
  /// Of a line that no mover brings: the more of it a block holds, the less often it waits for
  /// the others. Weights, or functions on the way, leave no more registers.
  using LineInTurn =
      std::conditional_t<heads || gpu::mover != gpu::Mover::Plain || P::streams == 2 ||
                             !std::same_as<In, typename P::value_type> || (size != 4 && size != 8),
                         InTurn,
                         std::conditional_t<size == 4, RegisterTuning<P, 448, 8, true>,
                                            RegisterTuning<P, 448, 4, true, EqualLines, 2>>>;
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  using Aligned = PersistentTuning<P, false>;
  using Segmented = PersistentTuning<P, true, Starts>;
  using Rows = RowTilesTuning<P>;
#endif

  static constexpr ScanTiles tiles = [] {
    ScanTiles t;
    if constexpr (bits) {
      t.small = Small::tile;
      t.in_turn = InTurn::tile;
    }
    if constexpr (!heads) {
      t.medium = Medium::tile;
      t.large = Large::tile;
      t.columns = Columns::threads;
      t.rows_of_columns = Columns::tile;
    }
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (std::same_as<In, typename P::value_type>) {
      if constexpr (!heads) {
        if constexpr (Segmented::fits && Rows::fits) {
          t.segmented = Segmented::tile;
          t.aligned = Aligned::tile;
          t.rows = Rows::tile;
          t.row_unit = Rows::unit;
        }
      } else if constexpr (Segmented::fits) {
        if constexpr (bits || HeadsAhead<typename Starts::told, Segmented::items>::fits)
          t.segmented = Segmented::tile;
      }
    }
#endif
    return t;
  }();
};

/// @brief The workspace and the launches of the GPU kernels for scans of one size.
template <class Segment>
class GpuScan {
 public:
  GpuScan() = default;
  GpuScan(const gpu::Device& exec, LineExtents extents) {
    if (extents.lines * extents.length == 0) return;
    multiprocessors_ = gpu::device_properties(exec).multiProcessorCount;
    // Zero is no tag of a launch; after this nothing is ever cleared.
    allocate_cleared(exec, totals_, "WaveScan::scan::totals",
                     gpu::TotalsMailbox::size<Segment>(multiprocessors_));
    sharing_ = StripSharing(extents, multiprocessors_, shortest_shared_tile);
    if (extents.lines >= fewest_columns && sharing_.sharers > 1) {
      allocate_cleared(exec, strips_, "WaveScan::scan::strips", sharing_.size<Segment>());
      sharing_.words = strips_.data();
    }
  }

  Index multiprocessors() const { return multiprocessors_; }

  /// @brief The scan as the selection of an algorithm sees it: without tiles where the kernels
  /// cannot do it.
  template <class Recurrence, class In>
  ScanRequest request(const ScanProblem<Recurrence, In>& problem) const {
    ScanRequest request{problem.extents, {}, {problem.accessors_are_adjacent()}};
    if constexpr (is_scannable<Recurrence>)
      if (can_be_scanned(problem)) {
        const auto scan = rows_scan(problem);
        request.tiles = ScanKernels<std::remove_cvref_t<decltype(scan)>>::tiles;
        describe_layout(scan, request.layout);
      }
    return request;
  }

  template <class Recurrence, class In>
  void enqueue(const gpu::Device& exec, const ScanProblem<Recurrence, In>& problem,
               ScanAlgorithm algorithm) const {
    if constexpr (is_scannable<Recurrence>) launch(exec, rows_scan(problem), algorithm);
  }

  /// @brief Enqueues a scan of segments by a kernel that tells heads by values, if there is one.
  /// @param told a test of values
  template <class R, class In, class Told>
  bool enqueue_tiles(const gpu::Device& exec,
                     const ScanProblem<SegmentedRecurrence<R>, In>& problem,
                     const Told& told) const {
    if constexpr (gpu_scannable<R>) {
      if (problem.recurrence.heads.step < 0 || !can_be_scanned(problem)) return false;
      const auto scan = heads_scan(problem, told);
      using Own = ScanKernels<std::remove_cvref_t<decltype(scan)>>;
      if constexpr (Own::tiles.segmented > 0) {
        ScanRequest request{problem.extents, Own::tiles, {}};
        describe_layout(scan, request.layout);
        const ScanAlgorithm algorithm = select_algorithm(request, {multiprocessors_});
        if (algorithm != ScanAlgorithm::SegmentedTiles) return false;
        launch(exec, scan, algorithm);
        return true;
      }
    }
    return false;
  }

  std::size_t bytes() const { return (totals_.size() + strips_.size()) * sizeof(gpu::TaggedWord); }

 private:
  using Words = Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space>;

  // ---- what the kernels are given

  template <class Recurrence>
  struct Scannable : std::bool_constant<gpu_scannable<Recurrence>> {};
  template <class R>
  struct Scannable<SegmentedRecurrence<R>> : Scannable<R> {};
  template <class Recurrence>
  static constexpr bool is_scannable = Scannable<Recurrence>::value;

  template <class Recurrence, class In>
  bool can_be_scanned(const ScanProblem<Recurrence, In>& problem) const {
    if constexpr (is_segmented<Recurrence>)  // tiles' totals count heads in 32 bits
      return identities_suffice(problem.recurrence.inner) && problem.extents.length >> 32 == 0;
    else
      return identities_suffice(problem.recurrence);
  }

  template <class Recurrence, class In>
  auto rows_scan(const ScanProblem<Recurrence, In>& problem) const {
    using P = ScanTraits<Recurrence>;
    Lines<const typename P::element_weight> weights;
    if constexpr (P::streams == 2) weights = problem.recurrence.weight;
    return RowsScan<P, std::remove_const_t<In>>{
        {},           problem.in,       weights,           problem.out,      problem.extents,
        problem.kind, problem.carry_in, problem.carry_out, {totals_.data()}, P(problem.recurrence)};
  }
  /// @brief One line, in which a state begins anew at heads.
  template <class R, class In>
  auto rows_scan(const ScanProblem<SegmentedRecurrence<R>, In>& problem) const {
    return heads_scan(problem, problem.recurrence.heads);
  }
  /// @param heads what tells them
  template <class R, class In, class Told>
  auto heads_scan(const ScanProblem<SegmentedRecurrence<R>, In>& problem, const Told& heads) const {
    using P = ScanTraits<R>;
    static_assert(sizeof(typename HeadTraits<P>::segment) <= sizeof(Segment));
    const auto& recurrence = problem.recurrence;
    Lines<const typename P::element_weight> weights;
    if constexpr (P::streams == 2) weights = recurrence.inner.weight;
    return RowsScan<P, std::remove_const_t<In>, HeadLines<typename R::value_type, Told>>{
        {heads, recurrence.entry},
        problem.in,
        weights,
        problem.out,
        problem.extents,
        problem.kind,
        {recurrence.entry.common, recurrence.entry.each},
        {},
        {totals_.data()},
        P(recurrence.inner)};
  }

  // ---- launches

  /// @brief Launches the kernel that was selected.
  template <class P, class In, class Starts>
  void launch(const gpu::Device& exec, const RowsScan<P, In, Starts>& scan,
              ScanAlgorithm algorithm) const {
    using Own = ScanKernels<RowsScan<P, In, Starts>>;
    constexpr ScanTiles tiles = Own::tiles;
    using A = ScanAlgorithm;
    if constexpr (tiles.columns > 0) {
      if (algorithm == A::Columns)
        return launch_columns<typename Own::Columns>(
            exec, scan, ceil_div(sharing_.strips, Own::Columns::warps), false);
      if (algorithm == A::StackedColumns)
        return launch_columns<typename Own::StackedColumns>(
            exec, scan, sharing_.strips * sharing_.sharers, sharing_.sharers > 1);
    }
    if constexpr (tiles.small > 0)
      if (algorithm == A::SmallTiles) return launch_registers<typename Own::Small>(exec, scan);
    if constexpr (tiles.medium > 0)
      if (algorithm == A::MediumTiles) return launch_registers<typename Own::Medium>(exec, scan);
    if constexpr (tiles.large > 0)
      if (algorithm == A::LargeTiles) return launch_registers<typename Own::Large>(exec, scan);
    if constexpr (tiles.in_turn > 0)
      if (algorithm == A::TilesInTurn)
        return scan.extents.lines == 1 ? launch_registers<typename Own::LineInTurn>(exec, scan)
                                       : launch_registers<typename Own::InTurn>(exec, scan);
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (tiles.aligned > 0)
      if (algorithm == A::AlignedTiles) return launch_aligned<typename Own::Aligned>(exec, scan);
    if constexpr (tiles.rows > 0)
      if (algorithm == A::RowTiles) return launch_row_tiles<typename Own::Rows>(exec, scan);
    if constexpr (tiles.segmented > 0)
      if (algorithm == A::SegmentedTiles)
        return launch_persistent<typename Own::Segmented>(exec, scan, *tile_front(scan.out.data),
                                                          0);
#endif
  }

  // ---- the columns kernel

  /// Blocks share a strip only if each gets tiles of this many rows.
  static constexpr Index shortest_shared_tile = 256;

  template <class Tuning, class P, class In>
  void launch_columns(const gpu::Device& exec, const RowsScan<P, In>& scan, Index blocks,
                      bool together) const {
    gpu::launch({exec, "WaveScan::scan::columns", together}, columns_scan<P, In, Tuning>, blocks,
                Tuning::threads, 0, scan, sharing_, ColumnsWeights<P, Tuning>(scan.traits));
  }

  // ---- the register kernel

  template <class Tuning, class P, class In, class Starts>
  void launch_registers(const gpu::Device& exec, const RowsScan<P, In, Starts>& scan) const {
    const Index resident =
        std::min(multiprocessors_, gpu::PrefixExchange<P, Tuning::look_back_loads>::max_blocks);
    const Index tiles = scan.extents.lines * ceil_div(scan.extents.length, Tuning::tile);
    const auto blocks = static_cast<int>(std::min(tiles, resident));
    gpu::launch({exec, "WaveScan::scan::registers", true}, register_scan<P, In, Tuning>, blocks,
                Tuning::threads, 0, scan, RegisterWeights<P, Tuning>(scan.traits, blocks));
  }

  // ---- the kernels in shared memory

#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  template <class Tuning, class P>
  void launch_aligned(const gpu::Device& exec, const RowsScan<P>& scan) const {
    // As many elements before the first boundary as there would be from one after it.
    const Index unit = Tuning::unit, front = *tile_front(scan.out.data);
    const Index head = std::min((unit - front % unit) % unit, scan.extents.length);
    RowsScan<P> rest = scan;
    rest.in.data += head;
    rest.out.data += head;
    if constexpr (P::streams == 2) rest.weights.data += head;
    rest.extents.length -= head;
    launch_persistent<Tuning>(exec, rest, 0, static_cast<int>(head));
  }

  template <class Tuning, class P, class In, class Starts>
  void launch_persistent(const gpu::Device& exec, const RowsScan<P, In, Starts>& scan, Index front,
                         int head) const {
    using Kernel = PersistentScan<P, Tuning>;
    // More blocks than the look-back of one warp reaches would stay idle.
    const Index resident =
        std::min(multiprocessors_, gpu::PrefixExchange<P, Tuning::look_back_loads>::max_blocks);
    const auto blocks = static_cast<int>(
        std::clamp(ceil_div(front + scan.count(), Tuning::tile), Index(1), resident));
    gpu::launch({exec, "WaveScan::scan::persistent", true}, persistent_scan<P, Tuning>, blocks,
                Kernel::block_threads, Kernel::shared_bytes, scan,
                TileMap<P, Tuning>(scan, front, head, blocks),
                TileWeights<P, Tuning>(scan.traits, blocks));
  }

  template <class Tuning, class P>
  void launch_row_tiles(const gpu::Device& exec, const RowsScan<P>& scan) const {
    using Kernel = RowTilesScan<P, Tuning>;
    const RowTilesShape shape(scan.extents, Tuning::tile, Tuning::unit);
    const Index blocks = std::min<Index>(shape.tiles, multiprocessors_);
    gpu::launch({exec, "WaveScan::scan::row_tiles", false}, row_tiles_scan<P, Tuning>, blocks,
                Kernel::block_threads, Kernel::shared_bytes, scan, shape,
                RowTilesMap<P, Tuning>(scan), RowTilesWeights<P, Tuning>(scan.traits));
  }
#endif

  // ---- where the lines lie

  template <class P, class In, class Starts>
  static void describe_layout(const RowsScan<P, In, Starts>& scan, ScanLayout& layout) {
    if constexpr (ScanKernels<RowsScan<P, In, Starts>>::tiles.segmented > 0) {
      const auto front = tile_front(scan.out.data);
      if (!front) return;
      const auto in_all_arrays = [&](const auto& holds) {
        if constexpr (P::streams == 2)
          if (!holds(scan.weights)) return false;
        return holds(scan.in) && holds(scan.out);
      };
      const std::size_t boundary = misalignment(scan.out.data);
      layout.aligned = scan.extents.lines == 1 && in_all_arrays([&](const auto& lines) {
                         return lines.stride == 1 && misalignment(lines.data) == boundary;
                       });
      layout.in_words =
          in_all_arrays([&](const auto& lines) { return in_words(lines, scan.extents, *front); });
      layout.from_words =
          in_all_arrays([](const auto& lines) { return misalignment(lines.data) == 0; });
      // A line's carry is read twice, and must not be overwritten between.
      layout.carries_in_place =
          scan.carry_out.data && scan.carry_out.data == scan.carry_in.each.data;
    }
  }

  static std::size_t misalignment(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16;
  }

  /// @brief The number of elements that fit between a 16-byte boundary and the first element; none
  /// if no boundary is whole elements away.
  template <class T>
  static std::optional<Index> tile_front(const T* first) {
    for (Index front = 0; front < 16; ++front)
      if (misalignment(first) == front * sizeof(T) % 16) return front;
    return std::nullopt;
  }

  /// @brief Whether 16-byte words can move the lines: without gaps, or in long parts between
  /// 16-byte boundaries.
  template <class T>
  static bool in_words(const Lines<T>& lines, LineExtents extents, Index front) {
    if (lines.stride != 1) return false;
    if (extents.lines == 1 || lines.line_stride == extents.length) return true;
    const auto size = static_cast<Index>(sizeof(T));
    return front == 0 && misalignment(lines.data) == 0 && lines.line_stride * size % 16 == 0 &&
           extents.length * size % 16 == 0 && extents.length * size >= 512;
  }

  int multiprocessors_ = 0;
  Words totals_;
  StripSharing sharing_;
  Words strips_;
};

}  // namespace wavescan::Impl

#endif
