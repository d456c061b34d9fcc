// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_GPUBAND_HPP
#define WAVESCAN_IMPL_SOR_GPU_GPUBAND_HPP

#include <WaveScan_Arithmetic.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>
#include <impl/sor/gpu/WaveScan_PassNorm.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief The warps that relax bands.

namespace wavescan::Impl::sor {

/// @brief A lane's way along a row through the slots, in which a tile of columns follows the other.
struct TileWalk {
  std::uint32_t slot;  ///< of the next step, or the end of it if columns run backwards
  int offset;          ///< from the step to the place in the sequence of tiles

  /// @brief The addresses of the next steps.
  struct Block {
    std::uint32_t before;
    std::uint32_t after;
    int crossing;
    int step_bytes;
    __device__ std::uint32_t operator()(int i) const {
      return (i >= crossing ? after : before) + static_cast<std::uint32_t>(i * step_bytes);
    }
  };
};

/// @brief A lane's part of a band.
template <class Shape>
class GpuBand {
  using V = typename Shape::value_type;
  using Term = std::conditional_t<Shape::measured == Measurement::Residuals, double, V>;
  static constexpr int T = Shape::sweeps;
  static constexpr int stride = Shape::stride;
  static constexpr int chunk = Shape::chunk;
  static constexpr int never = 1 << 29;
  static constexpr bool measures = Shape::measured != Measurement::Nothing;
  static constexpr bool skips_uncounted = measures && Shape::skips_uncounted;

 public:
  __device__ GpuBand(const GpuPass<V>& pass, const PassMemory<Shape>& shared, int warp)
      : pass_(pass),
        decomp_(pass.decomp),
        shared_(shared),
        c_(pass.coefficients),
        no_mask_(pass.has_mask ? 0 : ~0u),
        warp_(warp),
        place_(place_of(pass.decomp, warp)),
        lane_(static_cast<int>(threadIdx.x) % 32),
        ring_in_(shared.ring(warp)),
        ring_out_(shared.ring(warp + 1)),
        slots_begin_(shared.slot(warp, 0)),
        slots_end_(shared.slot(warp + 1, 0)) {
    // Where the lane's rows lie in the tiles, and by how many columns they begin early there.
    x_row_ = pass.old_values.place(lane_) * Shape::row_bytes;
    skew_ = pass.old_values.skew_of(lane_);
    result_skew_ = pass.results.skew_of(lane_);
    if constexpr (Shape::rhs_like_results) {
      rhs_skew_ = pass.has_rhs ? pass.rhs.skew_of(lane_) : 0;
      rhs_row_[T] =
          Shape::x_bytes + (pass.has_rhs ? pass.rhs.place(lane_) : lane_) * Shape::row_bytes;
    } else {
      rhs_skew_ = 0;
#pragma unroll
      for (int s = 1; s <= T; ++s) rhs_row_[s] = Shape::x_bytes + row_of_widened(lane_ - s);
    }
    if (!pass.has_rhs) c_.rhs = V(1);  // times -0, which changes nothing
    step_bytes_ = (pass.old_values.tiles.reversed ? -1 : 1) * static_cast<int>(sizeof(V));
  }

  __device__ void run() {
    for_each_ticket(decomp_, [&](const Ticket& ticket, int time) {
      const Ticket part = decomp_.part(ticket, place_);
      band_ = decomp_.band(part, place_);
      if (band_ < decomp_.bands)
        relax_band(part, decomp_.first_band(part.row_block), time);
      else
        shared_.progress_of(place_)->publish(time + decomp_.steps());
      gpu::sync_warp();
    });
  }

  /// @brief The sum that was measured in the rows of this lane.
  __device__ ResidualSum measured() const { return measured_.sum(); }

 private:
  static __device__ WarpPlace place_of(const Decomposition& decomp, int warp) {
    const WarpPlace place = decomp.place(warp);
    return {gpu::broadcast(place.beside, 0), gpu::broadcast(place.level, 0)};
  }

  /// @brief The place of column 0 of a row of the band, or above it, in tiles of the right-hand
  /// side that have rows for all sweeps.
  __device__ int row_of_widened(int row) const {
    const auto& rhs = pass_.rhs.tiles;
    const int bits = pass_.has_rhs ? rhs.class_bits : 0;
    const int place = row + PassSizes::rhs_rows_above(T, bits);
    const int k = place >> bits;
    const int last = (PassSizes::rhs_rows(T, bits) >> bits) - 1;
    return (place & ((1 << bits) - 1)) * PassSizes::rhs_tile_bytes(T, bits, pass_.rhs_pitch) +
           (pass_.old_values.tiles.reversed ? last - k : k) * pass_.rhs_pitch +
           (pass_.has_rhs ? rhs.lead(row) * static_cast<int>(sizeof(V)) : 0);
  }

  /// @brief The values that a step reads.
  struct Inputs {
    V x;
    V rhs[T + 1];
    V above[T + 1];  ///< the last row of the band above
  };

  __device__ void relax_band(const Ticket& ticket, int first_band, int time) {
    begin(ticket, first_band);
    ProgressFlag& mine = *shared_.progress_of(place_);
    const ProgressFlag& from = *(&mine - 1);
    const ProgressFlag& to = *(&mine + 1);
    // A band reads so much of the row above before its own first step; the exporter reads all.
    const int read_before = place_.level + 1 == decomp_.stack ? 0 : Decomposition::band_rows;
    const int steps = decomp_.steps();

    const auto wait_for_chunk = [&](int q) {
      if (q * chunk >= steps) return;
      shared_.full[warp_ * decomp_.slots + load_.place].wait(load_.parity);
      load_.advance(decomp_.slots);
    };
    const int ahead = Shape::ahead(decomp_.skew);
    for (int q = 0; q <= ahead / chunk; ++q) wait_for_chunk(q);
    int known = gpu::wait_for(from, time + Decomposition::band_rows);
    int room = gpu::broadcast(to.look(), 0);
    begin_inputs(time);

    int finished = 0;
#pragma unroll 1
    for (int t0 = 0; t0 < steps; t0 += stride) {
      const int need = t0 + stride + Decomposition::band_rows;
      const int need_in = time + (need < steps ? need : steps);
      gpu::wait_for(from, need_in, known);
      // A stride more than the steps themselves need: the warp that is done with a ticket has still
      // to read what comes before its next one, the step of the halo's first column.
      const int need_out = time + t0 + 2 * stride - Shape::ring - read_before;
      gpu::wait_for(to, need_out, room);
      if (const int t = t0 + stride + ahead; t % chunk == 0) wait_for_chunk(t / chunk);
      gpu::sync_warp();

      // What the neighbours have done by now is looked at when this stride is over.
      const int next_known = from.look();
      const int next_room = to.look();
      // Most strides need no masks, nor looks at which points count.
      const bool all_count = skips_uncounted && counted_.all(t0, stride);
      const bool some_count = skips_uncounted && !all_count && counted_.any(t0, stride);
      if (t0 < left_edge_end_ || t0 + stride > right_edge_begin_ || t0 + stride > check_column_ ||
          some_count)
        relax_steps<true, true, measures>(t0, time);
      else if (masks_rows_)
        relax_steps<true, false, measures>(t0, time);
      else if (all_count)
        relax_steps<false, false, measures>(t0, time);
      else
        relax_steps<false, false, measures && !skips_uncounted>(t0, time);

      known = gpu::broadcast(next_known, 0);
      room = gpu::broadcast(next_room, 0);
      const int t1 = t0 + stride;
      gpu::sync_warp();  // the first lane has read what the warp above may now overwrite
      mine.publish(time + t1);
      if (t1 > check_column_ + 31 + T) store_checks();
      if (t1 > finished * chunk + chunk + T + decomp_.skew.behind(T) || t1 == steps) {
        gpu::order_before_bulk_copies();
        do {
          gpu::arrive_as_warp(shared_.done[warp_ * decomp_.slots + store_.place]);
          store_.advance(decomp_.slots);
          ++finished;
        } while (t1 == steps && finished * chunk < steps);
      }
    }
  }

  /// @brief Finds where the band begins and ends, and which points of it are unknowns.
  __device__ void begin(const Ticket& ticket, int first_band) {
    const int first_column = decomp_.first_column(ticket.column_block);
    first_unknown_ = first_column < 0 ? 1 - first_column : 1;
    unknowns_ = decomp_.n + 1 - first_column - first_unknown_;
    const int first_row = decomp_.first_row(ticket, band_);
    const int row_above = Decomposition::band_rows * first_band;
    const int sweeps = ticket.pass + 1 == decomp_.passes ? pass_.last_sweeps : Shape::relaxing;
    unknown_rows_ = 0;
#pragma unroll
    for (int s = 1; s <= T; ++s) {
      const int row = first_row + lane_ - s;
      if (s <= sweeps && row > row_above && row <= decomp_.m) unknown_rows_ |= 1u << s;
    }
    masks_rows_ =
        first_row - T <= row_above || first_row + 30 > decomp_.m || sweeps < Shape::relaxing;

    // The columns of tiles that are not stored.
    const int first_stored = decomp_.first_stored_column(0);
    const int end_stored = decomp_.end_of_stored_columns(decomp_.column_blocks - 1);
    const bool owned = band_ >= decomp_.first_owned_band(ticket.row_block);
    const int row = first_row + lane_ - T;
    const int begin = decomp_.first_owned_column(ticket.column_block);
    const int end = decomp_.last_owned_column(ticket.column_block) + 1;
    store_end_ = 0;
    store_again_ = store_last_ = 0;
    if (owned && row > row_above && row <= decomp_.m) {
      const bool last = end == decomp_.n + 1;
      if (ticket.column_block == 0) {
        store_end_ = first_stored - result_skew_ - first_column;
        if (const int all = end - (last ? 0 : result_skew_) - first_column; store_end_ > all)
          store_end_ = all;
      }
      if (last || end > end_stored) {
        store_again_ = (end_stored > begin ? end_stored : begin) - result_skew_ - first_column;
        if (store_again_ < first_unknown_) store_again_ = first_unknown_;
        store_last_ = end - (last ? 0 : result_skew_) - first_column;
      }
      out_ = pass_.out.data + row * pass_.out.row_stride + first_column * pass_.out.column_stride;
    }
    if constexpr (measures) {
      counted_.begin = (begin > 0 ? begin : 1) - first_column + T;
      counted_.end =
          owned && ticket.pass + 1 == decomp_.passes ? end - first_column + T : counted_.begin;
      const bool counts = row > row_above && row <= decomp_.m;
      measured_.begin(counted_.begin + lane_, counts ? counted_.end - counted_.begin : 0);
    }
    left_edge_end_ = 1 + T + decomp_.skew.behind(T);
    if (left_edge_end_ < 32 + T) left_edge_end_ = 32 + T;
    if (ticket.column_block == 0) left_edge_end_ += first_stored - first_column;
    // Results of the last steps may belong beyond the last tile.
    right_edge_begin_ = end_stored - decomp_.skew.max_written(T) - first_column;
    const int end_of_tiles = decomp_.steps() - 1 - decomp_.skew.ahead();
    if (right_edge_begin_ > end_of_tiles) right_edge_begin_ = end_of_tiles;

    const int bands = decomp_.bands_of_block();
    check_place_ =
        (static_cast<std::int64_t>(ticket.block) * T * bands + band_ - first_band) * 32 + lane_;
    const bool is_checked = decomp_.is_checked(ticket.column_block);
    const int left_check_column = decomp_.left_check_column(ticket.column_block) - first_column;
    right_check_column_ = decomp_.is_checked(ticket.column_block + 1)
                              ? decomp_.left_check_column(ticket.column_block + 1) - first_column
                              : never;
    check_column_ = is_checked ? left_check_column : right_check_column_;
    checks_ = is_checked ? pass_.left_checks : pass_.right_checks;

#pragma unroll
    for (int s = 0; s <= T; ++s) {
      v_[s] = u_[s] = check_values_[s] = V(0);
      if (s < T) before_[s] = V(0);
    }
  }

  /// @brief Stores what was kept of a check column, and looks out for the next one.
  __device__ void store_checks() {
    const std::int64_t pitch = static_cast<std::int64_t>(decomp_.bands_of_block()) * 32;
#pragma unroll
    for (int s = 1; s <= T; ++s) checks_[check_place_ + (s - 1) * pitch] = check_values_[s];
    check_column_ = check_column_ == right_check_column_ ? never : right_check_column_;
    checks_ = pass_.right_checks;
  }

  /// @brief Goes to the begin of the rows, and reads the inputs of step 0.
  __device__ void begin_inputs(int time) {
    begin_walk(x_walk_, 1 - lane_ + skew_);
    begin_walk(rhs_walk_, 1 - lane_ + rhs_skew_);
    begin_walk(result_walk_, -1 - T - lane_ + result_skew_);
    const std::uint32_t x = place_before(x_walk_);
    const std::uint32_t rhs = place_before(rhs_walk_);
#pragma unroll
    for (int k = 0; k <= T; ++k) rhs_place_[k] = rhs;
    load(in_.x, x + x_row_, x_walk_.offset - 1);
#pragma unroll
    for (int s = 1; s <= T; ++s) load(in_.rhs[s], rhs + rhs_row_[s], rhs_walk_.offset - 1);
    // What lane 0 has above it before step 0: the first column of halo, which is passed on.
    V halo;
    gpu::load_shared(halo, ring_in_ + ring_place(time + Decomposition::band_rows - 1));
    if (lane_ == 0) u_[0] = halo;
  }

  /// @brief Begins a walk through tiles. All tiles but those ahead have been waited for.
  __device__ void begin_walk(TileWalk& walk, int offset) const {
    const int tile = (offset + 32 * chunk) / chunk - 32;  // rounded down
    int index = load_.place - 1 - Shape::ahead(decomp_.skew) / chunk + tile;
    while (index < 0) index += decomp_.slots;
    while (index >= decomp_.slots) index -= decomp_.slots;
    walk.slot = slots_begin_ + static_cast<std::uint32_t>(index * shared_.slot_bytes) +
                (step_bytes_ < 0 ? (chunk - 1) * static_cast<int>(sizeof(V)) : 0);
    walk.offset = offset;
  }
  /// @brief The place of the step before the first one, if that is in the first tile, or any.
  __device__ std::uint32_t place_before(const TileWalk& walk) const {
    const int inside = walk.offset & (chunk - 1);
    std::uint32_t slot = walk.slot;
    const auto bytes = static_cast<std::uint32_t>(shared_.slot_bytes);
    if (inside == 0) slot += (slot < slots_begin_ + bytes ? slots_end_ - slots_begin_ : 0) - bytes;
    return slot + ((inside - 1) & (chunk - 1)) * step_bytes_;
  }

  /// @param row where the lane's row begins in a tile
  __device__ TileWalk::Block steps_of(TileWalk& walk, int t0, int row) const {
    const int inside = (t0 + walk.offset) & (chunk - 1);
    const int crossing = chunk - inside;
    std::uint32_t next = walk.slot + static_cast<std::uint32_t>(shared_.slot_bytes);
    if (next >= slots_end_) next -= slots_end_ - slots_begin_;
    const TileWalk::Block block{walk.slot + inside * step_bytes_ + row,
                                next - crossing * step_bytes_ + row, crossing, step_bytes_};
    if (crossing <= stride) walk.slot = next;
    return block;
  }

  /// @brief Loads what is at a column of the band's sequence of tiles. Before the first one and
  /// after the last one a lane loads what is there just then, perhaps parts of a tile on its way,
  /// and uses nothing of it: racecheck is not shown that.
  __device__ void load(V& to, std::uint32_t address, [[maybe_unused]] int column) const {
    if constexpr (gpu::shows_flags) {
      to = V(0);
      if (static_cast<unsigned>(column) >= static_cast<unsigned>(decomp_.steps())) return;
    }
    gpu::load_shared(to, address);
  }

  static __device__ std::uint32_t ring_place(int time) {
    return static_cast<std::uint32_t>(time & (Shape::ring - 1)) *
           static_cast<std::uint32_t>(sizeof(typename Shape::LastRow));
  }

  __device__ bool is_fixed(V rhs) const {
    return ((FixedPointCode<V>::word_of(rhs) ^ FixedPointCode<V>::word) | no_mask_) == 0;
  }

  /// @brief The term that is measured at a step whose last sweep gives `now`.
  __device__ Term term([[maybe_unused]] V now) {
    if constexpr (Shape::measured == Measurement::Residuals)
      return residual_(pass_.equation, u_[T], u_[T - 1], v_[T - 1], in_.rhs[T]);
    else
      return now - before_[T - 1];
  }

  template <bool MaskRows, bool MaskColumns, bool Measure>
  __device__ __forceinline__ void relax_steps(int t0, int time) {
    // Masks take registers, and edges are rare: their code should leave the instruction cache to
    // the other.
    constexpr int unrolled = T * sizeof(V) < 32 || !MaskRows ? Shape::unrolled
                             : MaskColumns                   ? 1
                                                             : 2;
    constexpr std::uint32_t row_bytes = sizeof(typename Shape::LastRow);
    const TileWalk::Block x_place = steps_of(x_walk_, t0, x_row_);
    const TileWalk::Block rhs_place = steps_of(rhs_walk_, t0, 0);
    const TileWalk::Block result_place = steps_of(result_walk_, t0, x_row_);
    const std::uint32_t above = ring_in_ + ring_place(time + t0 + Decomposition::band_rows);
    const std::uint32_t last_row = ring_out_ + ring_place(time + t0);
    gpu::load_row(in_.above, above);

#pragma unroll 1
    for (int part = 0; part < stride; part += unrolled) {
#pragma unroll
      for (int k = 0; k < unrolled; ++k) {
        const int i = part + k;
        // rhs_place_[k] is where the column of step t + 1 - k lies.
#pragma unroll
        for (int j = T; j > 0; --j) rhs_place_[j] = rhs_place_[j - 1];
        rhs_place_[0] = rhs_place(i);
        Inputs next_in;
        load(next_in.x, x_place(i), t0 + i + x_walk_.offset);
#pragma unroll
        for (int s = 1; s <= T; ++s)
          load(next_in.rhs[s], rhs_place_[s] + rhs_row_[s], t0 + i - s + rhs_walk_.offset);
        const bool stays = k + 1 < unrolled || part + unrolled < stride;
        gpu::load_row(next_in.above, stays ? above + (i + 1) * row_bytes : above);

        // The last step's results: now that x has been read they are in nobody's way. Stores wait
        // for results, and loads should not wait for stores.
        if (lane_ == 31 && (k > 0 || part > 0)) gpu::store_row(last_row + (i - 1) * row_bytes, v_);
        if constexpr (MaskColumns) {
          const int done = t0 + i - 1 - lane_ - T;
          gpu::store_shared_if(
              static_cast<unsigned>(done + result_skew_) < static_cast<unsigned>(decomp_.steps()),
              result_place(i), v_[T]);
          gpu::store_global_if(((done >= first_unknown_) & (done < store_end_)) |
                                   ((done >= store_again_) & (done < store_last_)),
                               out_ + done * pass_.out.column_stride, v_[T]);
        } else {
          gpu::store_shared(result_place(i), v_[T]);
        }

        V v[T + 1];
        v[0] = in_.x;
#pragma unroll
        for (int s = 1; s <= T; ++s) {
          if (s > Shape::relaxing) {
            v[s] = before_[s - 1];
          } else {
            const FivePointValues<V> near{before_[s - 1], v_[s], u_[s], u_[s - 1], v_[s - 1]};
            v[s] =
                relaxed<Shape::transposed>(c_, near, own_terms(c_, near.center, in_.rhs[s], true));
            if constexpr (Shape::masked)
              v[s] = gpu::select(is_fixed(in_.rhs[s]), before_[s - 1], v[s]);
          }
          const int column = t0 + i - lane_ - s;
          bool unknown = true;
          if constexpr (MaskRows) unknown = unknown_rows_ >> s & 1;
          if constexpr (MaskColumns)
            unknown &=
                static_cast<unsigned>(column - first_unknown_) < static_cast<unsigned>(unknowns_);
          if constexpr (MaskRows || MaskColumns) v[s] = gpu::select(unknown, v[s], before_[s - 1]);
          if constexpr (MaskColumns)
            check_values_[s] = gpu::select(column == check_column_, v[s], check_values_[s]);
        }
        if constexpr (Measure)
          measured_.template add<!MaskRows && !MaskColumns && skips_uncounted, Shape::masked>(
              t0 + i, term(v[T]), Shape::masked && is_fixed(in_.rhs[T]));
#pragma unroll
        for (int s = 0; s < T; ++s) before_[s] = u_[s];
#pragma unroll
        for (int s = 0; s <= T; ++s) {
          const V shuffled = gpu::shuffle_up(v[s], 1);
          u_[s] = lane_ == 0 ? in_.above[s] : shuffled;
          v_[s] = v[s];
        }
        in_ = next_in;
      }
    }
    if (lane_ == 31) gpu::store_row(last_row + (stride - 1) * row_bytes, v_);
  }

  const GpuPass<V>& pass_;
  const Decomposition& decomp_;
  const PassMemory<Shape>& shared_;
  SORCoefficients<V> c_;
  unsigned no_mask_;  ///< all bits, if no point is fixed
  int warp_;
  WarpPlace place_;
  int lane_;
  std::uint32_t ring_in_;
  std::uint32_t ring_out_;
  std::uint32_t slots_begin_;
  std::uint32_t slots_end_;
  int x_row_;
  int rhs_row_[T + 1];
  int skew_;         ///< columns by which the tiles begin early in the row that is read
  int result_skew_;  ///< likewise in the row that is written
  int rhs_skew_;     ///< likewise in the right-hand side
  int step_bytes_;
  gpu::RingCursor load_;
  gpu::RingCursor store_;
  LaneSum<Term> measured_;
  RowResidual residual_;

  // The band.
  CountedSteps counted_;
  int band_;
  int first_unknown_;
  int unknowns_;  ///< of a row
  unsigned unknown_rows_;
  bool masks_rows_;
  int left_edge_end_;
  int right_edge_begin_;
  int check_column_;  ///< the next one
  int right_check_column_;
  V* checks_;
  std::int64_t check_place_;
  V check_values_[T + 1];
  V* out_ = nullptr;  ///< columns before store_end_, and from store_again_ to store_last_
  int store_end_;
  int store_again_;
  int store_last_;

  // The step.
  TileWalk x_walk_;
  TileWalk rhs_walk_;
  TileWalk result_walk_;
  std::uint32_t rhs_place_[T + 1];
  Inputs in_;
  V v_[T + 1];   ///< of the last step
  V u_[T + 1];   ///< of the lane above
  V before_[T];  ///< u_ a step earlier
};

}  // namespace wavescan::Impl::sor

#endif
