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
#include <impl/scan/gpu/WaveScan_ColumnsScan.hpp>
#include <impl/scan/gpu/WaveScan_Registers.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>
#include <impl/scan/gpu/WaveScan_ScanTraits.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>
#include <impl/segmented/gpu/WaveScan_HeadLines.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/scan/gpu/WaveScan_Persistent.hpp>
#include <impl/scan/gpu/WaveScan_RowTilesScan.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

/// @file
/// @brief Scans on CUDA and HIP devices: which kernel does which scan.

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
bool identities_suffice(const Recurrence& recurrence) {
  if constexpr (requires { requires std::floating_point<decltype(recurrence.weight.value)>; })
    return std::isfinite(recurrence.weight.value);
  else
    return true;
}

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

  /// @brief Enqueues the scan, or returns false if other kernels suit it better.
  template <class Recurrence, class In>
  bool enqueue(const gpu::Device& exec, const ScanProblem<Recurrence, In>& problem) const {
    if constexpr (is_segmented<Recurrence>) {
      return enqueue_segments(exec, problem);
    } else if constexpr (gpu_scannable<Recurrence>) {
      if (multiprocessors_ == 0 || !identities_suffice(problem.recurrence)) return false;
      using Element = std::remove_const_t<In>;
      const auto scan = rows_scan<ScanTraits<Recurrence>, Element>(problem);
      return enqueue_columns(exec, scan) || enqueue_in_one_wave(exec, scan) ||
             enqueue_moved(exec, scan) || enqueue_in_waves(exec, scan);
    } else {
      return false;
    }
  }

  /// @brief Enqueues a scan of segments by a kernel that tells heads by values, if there is one.
  /// @param told a test of values
  template <class R, class In, class Told>
  bool enqueue_tiles(const gpu::Device& exec,
                     const ScanProblem<SegmentedRecurrence<R>, In>& problem,
                     const Told& told) const {
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (gpu_scannable<R>) {
      constexpr int items =
          PersistentTuning<ScanTraits<R>, true, HeadLines<typename R::value_type, Told>>::items;
      if constexpr (HeadsAhead<Told, items>::fits)
        return problem.recurrence.heads.step > 0 && can_have_heads(problem) &&
               enqueue_moved_segments(exec, heads_scan(problem, told));
    }
#endif
    static_cast<void>(exec), static_cast<void>(problem), static_cast<void>(told);
    return false;
  }

  std::size_t bytes() const { return (totals_.size() + strips_.size()) * sizeof(gpu::TaggedWord); }

 private:
  using Words = Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space>;

  template <class P, class In, class Problem>
  RowsScan<P, In> rows_scan(const Problem& problem) const {
    Lines<const typename P::element_weight> weights;
    if constexpr (P::streams == 2) weights = problem.recurrence.weight;
    return {
        {},           problem.in,       weights,           problem.out,      problem.extents,
        problem.kind, problem.carry_in, problem.carry_out, {totals_.data()}, P(problem.recurrence)};
  }

  // ---- one line, in which a state begins anew at heads

  template <class R, class In>
  bool enqueue_segments(const gpu::Device& exec,
                        const ScanProblem<SegmentedRecurrence<R>, In>& problem) const {
    if constexpr (gpu_scannable<R>) {
      if (!can_have_heads(problem)) return false;
      const auto scan = heads_scan(problem, problem.recurrence.heads);
      using P = ScanTraits<R>;
      using Starts = HeadLines<typename R::value_type>;
      if (register_tiles<FewHeads<P>>(scan.extents) <= multiprocessors_)
        return launch_registers<FewHeads<P>>(exec, scan);
      return enqueue_moved_segments(exec, scan) ||
             launch_registers<RegisterTuning<P, 512, 4, true, Starts>>(exec, scan);
    } else {
      return false;
    }
  }

  template <class P>
  using FewHeads = RegisterTuning<P, 256, 1, false, HeadLines<typename P::value_type>>;

  template <class R, class In>
  bool can_have_heads(const ScanProblem<SegmentedRecurrence<R>, In>& problem) const {
    // Tiles' totals count heads in 32 bits.
    return multiprocessors_ > 0 && identities_suffice(problem.recurrence.inner) &&
           problem.extents.length >> 32 == 0;
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

  template <class P, class In, class Starts>
  bool enqueue_moved_segments(const gpu::Device& exec, const RowsScan<P, In, Starts>& scan) const {
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (std::same_as<In, typename P::value_type>) {
      using Tuning = PersistentTuning<P, true, Starts>;
      if constexpr (Tuning::fits) {
        const auto front = tile_front(scan.out.data);
        if (!front || !movable(scan, *front)) return false;
        launch_persistent<Tuning>(exec, scan, *front, 0);
        return true;
      }
    }
#else
    static_cast<void>(exec), static_cast<void>(scan);
#endif
    return false;
  }

  // ---- the columns kernel

  /// Fewer lines than this fill too little of what a warp reads at once.
  static constexpr Index fewest_columns = 8;
  /// Blocks share a strip only if each gets tiles of this many rows.
  static constexpr Index shortest_shared_tile = 256;

  template <class P, class In>
  bool enqueue_columns(const gpu::Device& exec, const RowsScan<P, In>& scan) const {
    if (scan.extents.lines < fewest_columns || scan.extents.length == 1 || !are_adjacent(scan.in) ||
        !are_adjacent(scan.out))
      return false;
    using Stacked = ColumnsTuning<P, true>;
    using Alone = ColumnsTuning<P, false>;
    const Index crowd = Index(multiprocessors_) * 2 * Alone::threads;
    if (scan.extents.lines >= crowd || scan.extents.length <= Alone::tile)
      return launch_columns<Alone>(exec, scan, ceil_div(sharing_.strips, Alone::warps), false);
    return launch_columns<Stacked>(exec, scan, sharing_.strips * sharing_.sharers,
                                   sharing_.sharers > 1);
  }

  template <class Tuning, class P, class In>
  bool launch_columns(const gpu::Device& exec, const RowsScan<P, In>& scan, Index blocks,
                      bool together) const {
    gpu::launch({exec, "WaveScan::scan::columns", together}, columns_scan<P, In, Tuning>, blocks,
                Tuning::threads, 0, scan, sharing_, ColumnsWeights<P, Tuning>(scan.traits));
    return true;
  }

  // ---- the register kernel

  template <class P>
  using SmallTiles = RegisterTuning<P, 256, 1, false>;
  template <class P>
  using MediumTiles = RegisterTuning<P, 512, 4, false>;
  /// As many elements of 8 bytes as of 4.
  template <class P>
  using LargeTiles =
      RegisterTuning<P, 512, P::streams == 1 && sizeof(typename P::value_type) == 8 ? 8 : 4, false>;
  template <class P>
  using ManyTiles = RegisterTuning<P, 512, 4, true>;
  /// Of a line that no mover brings: the more of it a block holds, the less often it waits for the
  /// others. Weights, or functions on the way, leave no more registers.
  template <class P, class In, int Size = static_cast<int>(sizeof(typename P::value_type))>
  using LongLine =
      std::conditional_t<gpu::mover != gpu::Mover::Plain || P::streams == 2 ||
                             !std::same_as<In, typename P::value_type> || (Size != 4 && Size != 8),
                         ManyTiles<P>,
                         std::conditional_t<Size == 4, RegisterTuning<P, 448, 8, true>,
                                            RegisterTuning<P, 448, 4, true, EqualLines, 2>>>;

  /// @brief A short line, each block one tile, over as many blocks as there can be: nothing is
  /// quicker.
  template <class P, class In>
  bool enqueue_in_one_wave(const gpu::Device& exec, const RowsScan<P, In>& scan) const {
    if (scan.extents.lines != 1) return false;
    if (register_tiles<SmallTiles<P>>(scan.extents) <= multiprocessors_)
      return launch_registers<SmallTiles<P>>(exec, scan);
    if (register_tiles<MediumTiles<P>>(scan.extents) <= multiprocessors_)
      return launch_registers<MediumTiles<P>>(exec, scan);
    if (register_tiles<LargeTiles<P>>(scan.extents) <= multiprocessors_)
      return launch_registers<LargeTiles<P>>(exec, scan);
    return false;
  }

  /// @brief Lines that are long enough to fill tiles of their own.
  template <class P, class In>
  bool enqueue_in_waves(const gpu::Device& exec, const RowsScan<P, In>& scan) const {
    if (scan.extents.lines == 1) return launch_registers<LongLine<P, In>>(exec, scan);
    if (scan.extents.length < ManyTiles<P>::tile / 2) return false;
    return launch_registers<ManyTiles<P>>(exec, scan);
  }

  template <class Tuning>
  static Index register_tiles(LineExtents extents) {
    return extents.lines * ceil_div(extents.length, Tuning::tile);
  }

  template <class Tuning, class P, class In, class Starts>
  bool launch_registers(const gpu::Device& exec, const RowsScan<P, In, Starts>& scan) const {
    const Index resident =
        std::min(multiprocessors_, gpu::PrefixExchange<P, Tuning::look_back_loads>::max_blocks);
    const auto blocks = static_cast<int>(std::min(register_tiles<Tuning>(scan.extents), resident));
    gpu::launch({exec, "WaveScan::scan::registers", true}, register_scan<P, In, Tuning>, blocks,
                Tuning::threads, 0, scan, RegisterWeights<P, Tuning>(scan.traits, blocks));
    return true;
  }

  // ---- the persistent kernel

  template <class P, class In>
  bool enqueue_moved(const gpu::Device& exec, const RowsScan<P, In>& scan) const {
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (std::same_as<In, typename P::value_type> && PersistentTuning<P, true>::fits &&
                  RowTilesTuning<P>::fits) {
      return enqueue_same_alignment(exec, scan) || enqueue_row_tiles(exec, scan) ||
             enqueue_segmented(exec, scan);
    }
#else
    static_cast<void>(exec), static_cast<void>(scan);
#endif
    return false;
  }

#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  /// @brief One line, whose arrays have the same alignment to 16 bytes.
  template <class P>
  bool enqueue_same_alignment(const gpu::Device& exec, const RowsScan<P>& scan) const {
    if (scan.extents.lines != 1 || scan.in.stride != 1 || scan.out.stride != 1 ||
        misalignment(scan.in.data) != misalignment(scan.out.data))
      return false;
    if constexpr (P::streams == 2)
      if (scan.weights.stride != 1 ||
          misalignment(scan.weights.data) != misalignment(scan.out.data))
        return false;
    const auto place = tile_front(scan.out.data);
    if (!place) return false;
    // As many elements before the first boundary as there would be from one after it.
    const Index unit = 16 / std::gcd(Index(16), static_cast<Index>(sizeof(typename P::value_type)));
    const Index head = std::min((unit - *place % unit) % unit, scan.extents.length);
    RowsScan<P> rest = scan;
    rest.in.data += head;
    rest.out.data += head;
    if constexpr (P::streams == 2) rest.weights.data += head;
    rest.extents.length -= head;
    launch_persistent<PersistentTuning<P, false>>(exec, rest, 0, static_cast<int>(head));
    return true;
  }

  /// @brief Lines that consist of 16-byte words, between their ends.
  template <class P>
  bool enqueue_segmented(const gpu::Device& exec, const RowsScan<P>& scan) const {
    const auto front = tile_front(scan.out.data);
    if (!front || !movable(scan, *front) || (scan.extents.lines > 1 && carries_in_place(scan)))
      return false;
    launch_persistent<PersistentTuning<P, true>>(exec, scan, *front, 0);
    return true;
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

  /// @brief Short rows, many to a tile.
  template <class P>
  bool enqueue_row_tiles(const gpu::Device& exec, const RowsScan<P>& scan) const {
    using Tuning = RowTilesTuning<P>;
    using Kernel = RowTilesScan<P, Tuning>;
    const RowTilesShape shape(scan.extents, Tuning::tile, Tuning::unit);
    if (shape.rows == 0 || misalignment(scan.out.data) != 0 || misalignment(scan.in.data) != 0 ||
        !movable(scan, 0) || carries_in_place(scan))
      return false;
    if constexpr (P::streams == 2)
      if (misalignment(scan.weights.data) != 0) return false;
    const Index blocks = std::min<Index>(shape.tiles, multiprocessors_);
    gpu::launch({exec, "WaveScan::scan::row_tiles", false}, row_tiles_scan<P, Tuning>, blocks,
                Kernel::block_threads, Kernel::shared_bytes, scan, shape,
                RowTilesMap<P, Tuning>(scan), RowTilesWeights<P, Tuning>(scan.traits));
    return true;
  }

  /// @brief A line's carry is read twice, and must not be overwritten between.
  template <class P>
  static bool carries_in_place(const RowsScan<P>& scan) {
    return scan.carry_out.data && scan.carry_out.data == scan.carry_in.each.data;
  }

  template <class P, class In, class Starts>
  static bool movable(const RowsScan<P, In, Starts>& scan, Index front) {
    if constexpr (P::streams == 2)
      if (!in_words(scan.weights, scan.extents, front)) return false;
    return in_words(scan.in, scan.extents, front) && in_words(scan.out, scan.extents, front);
  }
#endif

  static std::size_t misalignment(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16;
  }

  /// @brief How many elements before the first one there is a 16-byte boundary; none if there is no
  /// such number.
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
