// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_RESIDENT_HPP
#define WAVESCAN_IMPL_SOR_GPU_RESIDENT_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_LaneStreams.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/sor/WaveScan_FivePoint.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Sweeps of grids that stay in the multiprocessors' shared memory for all sweeps of a call.
///
/// A block of threads has a band of rows, with a border row above and one below. A warp relaxes
/// several sweeps of it at once: lanes go along the band's rows, each a column behind the lane
/// above, and the groups of lanes, a sweep each, follow each other by some columns. The warps of a
/// block do the sweeps after these, and go on around: the warp that has done sweep s is the one
/// that does sweep s + `sweeps_under_way`, without a pause. Values of the rows at both ends of the
/// band go to the neighbouring blocks as tagged words, which importing warps there put into the
/// border rows. Everything is in place, each value once.
///
/// Progress: all blocks are resident. Take the earliest point, in the order of sweeps and in each
/// in natural order, that has not been relaxed. All that it needs has been, words are sent without
/// waiting for anything, and no warp has to get further than some columns behind the one that does
/// the sweep before it; that many (`min_lag_of`) are between two sweeps, around the ring of warps
/// as well. So its lane gets on, unless the watchdog has given up.
///
/// Memory order. In a block values are handed on by flags. Between blocks a word says all by
/// itself. Each column of a border has one word and one value, which the next sweep's replace
/// without asking whether the former was used: the next sweep's value at that column was computed,
/// over the neighbour's own value there, from the former, so whoever reads the former has.
namespace wavescan::Impl::sor {

/// @brief How a grid is shared out.
struct ResidentLayout {
  static constexpr int chunk = 4;       ///< columns between two looks at the neighbours
  static constexpr int ahead = 2;       ///< columns from a load to the update
  static constexpr int max_warps = 10;  ///< that relax, and as many that import
  /// Columns by which a sweep must follow the one before at least: the block below is `chunk` +
  /// band_rows steps behind, or the next multiple of `chunk`, since it imports by so many, and no
  /// more than lag + band_rows - `chunk` - 3, since the next sweep here imports from there.
  static constexpr int min_lag_of(int band_rows) {
    return 2 * chunk + 3 + (band_rows % chunk == 0 ? 0 : chunk);
  }

  int m = 0;          ///< the grid's rows, without its border
  int n = 0;          ///< and columns
  int band_rows = 1;  ///< of a block: even, 8 to 32; the last one may have fewer
  int warps = 0;      ///< that relax
  int lag = 0;        ///< columns between the sweeps of a warp
  int period = 0;     ///< steps until a warp begins its next sweeps
  int pitch = 0;      ///< of rows in shared memory
  int pad = 0;        ///< values before the first row

  ResidentLayout() = default;
  ResidentLayout(int rows, int columns, int rows_of_band, int number_of_warps, int sweep_lag,
                 int value_bytes)
      : m(rows),
        n(columns),
        band_rows(rows_of_band),
        warps(number_of_warps),
        lag(std::max(sweep_lag, min_lag_of(rows_of_band)) | 1) {
    const int warp_lag = (groups() - 1) * lag + min_lag_of(band_rows);
    period = std::max(n + chunk + ahead, warps * warp_lag + 2 * chunk);
    // Lanes of a step lie in banks of their own: a row further and a column back.
    const int banks = 128 / value_bytes;
    const int wanted = (1 + std::max(1, banks / band_rows)) % banks;
    pitch = n + 2 + ((wanted - (n + 2)) % banks + banks) % banks;
    // Lanes begin a period that many columns before the grid's first one.
    pad = (std::max((groups() - 1) * lag + band_rows, period - n) + 8 + 3) / 4 * 4;
  }

  KOKKOS_FUNCTION int groups() const { return 32 / band_rows; }
  KOKKOS_FUNCTION int sweeps_under_way() const { return warps * groups(); }
  KOKKOS_FUNCTION int blocks() const { return (m + band_rows - 1) / band_rows; }
  KOKKOS_FUNCTION int threads() const { return 2 * 32 * warps; }
  /// @brief Steps of a launch.
  KOKKOS_FUNCTION int steps(int sweeps) const {
    const int cycles = (sweeps + sweeps_under_way() - 1) / sweeps_under_way();
    const int steps = (cycles - 1) * period + n + band_rows + (groups() - 1) * lag + ahead + 1;
    return (steps + chunk - 1) / chunk * chunk;
  }
  /// @brief Values in shared memory: x with both border rows, then the right-hand side.
  std::size_t values() const {
    return static_cast<std::size_t>(pad + (2 * band_rows + 2) * pitch + 16);
  }
};

/// @brief Where sweeps show what x is after them, while others go on.
template <class V>
struct ResidentShow {
  int every = 1 << 30;  ///< so many sweeps; more than a launch has: none is shown
  int since = 0;        ///< sweeps since one was shown, before the launch
  int of_look = 1;      ///< 2: the sweep before is shown, too
  int first = 0;        ///< the first slot that is used
  int slots = 1;        ///< which are used in turn
  Index apart = 0;      ///< entries between two slots
  Grid<V> slot{};       ///< slot 0

  /// @brief The slot, counted from the first one, for what is after so many sweeps; or -1.
  __device__ int slot_after(int sweeps) const {
    const int looks = (since + sweeps) / every, rest = (since + sweeps) % every;
    if (rest == 0) return of_look * looks - 1;
    return of_look == 2 && rest == every - 1 ? 2 * looks : -1;
  }
};

/// @brief A launch's parameters.
template <class V>
struct ResidentRun {
  ResidentLayout layout;
  Grid<const V> x;
  Grid<const V> rhs;
  Grid<V> to;
  SORCoefficients<V> coefficients;
  int sweeps;
  ResidentShow<V> show;
  gpu::BlockEpochs epochs;  ///< and after them each block's words: of its first row, of its last
  gpu::Watchdog watchdog;
};

/// @brief What the warps of a block tell each other, and what they have in common.
template <class V>
struct ResidentState {
  using Flag = gpu::BlockFlag<gpu::FlagOrder::Program, ResidentLayout::chunk>;
  Flag relaxed[ResidentLayout::max_warps];   ///< steps that are done ...
  Flag imported[ResidentLayout::max_warps];  ///< and for which values have come
  gpu::LaunchTags tags;
  SORCoefficients<V> coefficients;
};

/// @brief A block's work.
template <class V, bool Transposed>
class ResidentBlock {
  static constexpr int chunk = ResidentLayout::chunk;
  static constexpr int ahead = ResidentLayout::ahead;
  static constexpr int bytes = sizeof(V);
  static constexpr int words = gpu::Tagged<V>::words;

 public:
  __device__ ResidentBlock(const ResidentRun<V>& run, unsigned char* memory)
      : run_(run),
        layout_(run.layout),
        state_(*reinterpret_cast<ResidentState<V>*>(memory)),
        values_(reinterpret_cast<V*>(memory + state_bytes) + layout_.pad),
        block_(static_cast<int>(blockIdx.x)),
        first_row_(block_ * layout_.band_rows),
        rows_(min(layout_.band_rows, layout_.m - first_row_)) {}

  /// @brief Bytes of shared memory before the values.
  static constexpr std::size_t state_bytes = (sizeof(ResidentState<V>) + 15) / 16 * 16;

  __device__ void run() {
    load();
    const int w = gpu::broadcast(gpu::warp(), 0);
    if (w < layout_.warps)
      relax(w);
    else
      receive(w - layout_.warps);
    __syncthreads();
    store();
  }

 private:
  /// @brief Entry (row, column) in shared memory; row and column -1 are the border.
  __device__ V* x_row(int row) const { return values_ + (row + 1) * layout_.pitch + 1; }
  __device__ V* rhs_row(int row) const {
    return values_ + (layout_.band_rows + 2 + row) * layout_.pitch + 1;
  }
  __device__ bool is_first() const { return block_ == 0; }
  __device__ bool is_last() const { return block_ + 1 == static_cast<int>(gridDim.x); }
  /// @brief The words of a block's first or last row.
  __device__ gpu::TaggedWord* words_of(int block, bool last) const {
    return run_.epochs.messages() + static_cast<std::size_t>(2 * block + last) * layout_.n * words;
  }

  __device__ void load() {
    const int lane = gpu::lane();
    for (int i = gpu::warp() - 1; i <= rows_; i += gpu::warps()) {
      if (i < 0 && !is_first()) continue;  // comes from the block above
      V* const row = x_row(i);
      for (int j = lane - 1; j <= layout_.n; j += 32) row[j] = run_.x(first_row_ + i + 1, j + 1);
    }
    for (int i = gpu::warp(); i < rows_; i += gpu::warps()) {
      V* const row = rhs_row(i);
      for (int j = lane; j < layout_.n; j += 32)
        row[j] = run_.rhs.data ? run_.rhs(first_row_ + i + 1, j + 1) : -V(0);
    }
    if (threadIdx.x == 0) {
      state_.coefficients = run_.coefficients;
      if (!run_.rhs.data) state_.coefficients.rhs = V(1);  // times -0, which changes nothing
      state_.tags = run_.epochs.take(static_cast<std::uint32_t>(run_.sweeps));
      for (int w = 0; w < layout_.warps; ++w) {
        state_.relaxed[w].clear();
        state_.imported[w].clear();
      }
    }
    __syncthreads();
  }

  __device__ void store() const {
    for (int i = gpu::warp(); i < rows_; i += gpu::warps())
      for (int j = gpu::lane(); j < layout_.n; j += 32)
        run_.to(first_row_ + i + 1, j + 1) = x_row(i)[j];
  }

  /// @brief The values that a lane receives: of one border, for one of a warp's sweeps, every
  /// `stride`th column.
  class Border {
   public:
    /// Looked for at once: more take longer to come, and leave later ones behind.
    static constexpr int at_once = 1;

    __device__ Border(const ResidentBlock& block, int warp)
        : block_(block),
          stages_(block.layout_.sweeps_under_way()),
          stride_(block.layout_.band_rows / 2),
          position_(gpu::lane() % stride_),
          above_(gpu::lane() / stride_ % 2 == 0) {
      const ResidentLayout& layout = block.layout_;
      const int group = gpu::lane() / (2 * stride_);
      if (group < layout.groups() && (above_ ? !block.is_first() : !block.is_last()))
        words_ = block.words_of(above_ ? block.block_ - 1 : block.block_ + 1, above_);
      row_ = block.x_row(above_ ? -1 : block.rows_);
      const int from = (above_ ? -ahead : -1 - (block.rows_ - 1)) - group * layout.lag;
      column_ = position_ + from;
      begin(warp * layout.groups() + group);
      wrap();
    }

    __device__ int position() const { return position_; }
    __device__ bool wanted(int) const {
      return comes_ && static_cast<unsigned>(column_) < static_cast<unsigned>(block_.layout_.n);
    }
    __device__ const gpu::TaggedWord* place(int) const { return words_ + column_ * words; }
    __device__ std::uint32_t tag(int) const { return tag_; }
    __device__ void take(int, V value) const {
      if constexpr (gpu::shows_flags) rely_on_last_use(position_);
      row_[column_] = value;
    }
    __device__ void advance(int count) {
      position_ += count * stride_;
      column_ += count * stride_;
      wrap();
    }

   private:
    /// @brief The value that is replaced has been used: see at the head of the file why. Tools have
    /// to see it.
    __device__ void rely_on_last_use(int step) const {
      const ResidentLayout& layout = block_.layout_;
      int warp = gpu::warp() - layout.warps;
      step -= layout.lag;
      if (gpu::lane() < 2 * stride_) {  // the first group
        step += layout.groups() * layout.lag - (warp == 0 ? layout.period : 0);
        warp = block_.before_warp(warp);
      }
      block_.state_.relaxed[warp].rely_on((step + chunk) / chunk * chunk);
    }
    __device__ void begin(int sweep) {
      sweep_ = sweep;
      // Before the first sweep the row below has its old values.
      comes_ = words_ && sweep < block_.run_.sweeps && (above_ || sweep > 0);
      tag_ = block_.state_.tags.of(static_cast<std::uint32_t>(sweep - (above_ ? 0 : 1)));
    }
    __device__ void wrap() {
      if (column_ < block_.layout_.n + ahead) return;
      column_ -= block_.layout_.period;
      begin(sweep_ + stages_);
    }

    const ResidentBlock& block_;
    const gpu::TaggedWord* words_ = nullptr;
    V* row_;
    int stages_;    ///< sweeps under way
    int stride_;    ///< so many lanes for each border of a group
    int position_;  ///< the step before which the next value is needed
    bool above_;
    bool comes_;  ///< a value for each column of the sweep
    std::uint32_t tag_;
    int column_;
    int sweep_;
  };

  /// @brief Brings a relaxing warp the border rows' values.
  __device__ void receive(int warp) {
    const int end = layout_.steps(run_.sweeps);
    if (is_first() && is_last()) {
      state_.imported[warp].publish(end);
      return;
    }
    Border border(*this, warp);
    gpu::receive_by_lanes<V, Border::at_once>(border, end, state_.imported[warp], run_.watchdog);
  }

  __device__ void relax(int warp) {
    const int groups = layout_.groups();
    const bool idle = gpu::lane() >= groups * layout_.band_rows;
    const int group = idle ? 0 : gpu::lane() / layout_.band_rows;
    const int row = idle ? 0 : gpu::lane() % layout_.band_rows;
    // What the loop needs stays in registers; what it branches on is the same in all lanes.
    const auto fixed = [](auto value) { return gpu::fixed_in_registers(value); };
    const auto common = [](auto value) { return gpu::broadcast(value, 0); };
    const int n = common(layout_.n), period = common(layout_.period), lag = layout_.lag,
              end = common(layout_.steps(run_.sweeps)), stages = common(groups * layout_.warps);
    const int sweeps = fixed(!idle && row < rows_ ? run_.sweeps : 0);
    const SORCoefficients<V> c = coefficients();

    typename ResidentState<V>::Flag& own = state_.relaxed[warp];
    const typename ResidentState<V>::Flag& before = state_.relaxed[before_warp(warp)];
    const typename ResidentState<V>::Flag& imported = state_.imported[warp];

    // Where the row's values are sent: no row but that of a single last one is at both ends, and
    // that one has no block below.
    const bool is_top = row == 0;
    const bool to_above = is_top && !is_first(), to_below = row == rows_ - 1 && !is_last();
    const bool sends = fixed(to_above || to_below);

    int sweep = warp * groups + group;
    int column = -1 - row - group * lag;  // of the next loads
    const auto address = [&](const V* p) {
      return fixed(static_cast<std::uint32_t>(__cvta_generic_to_shared(p + column)));
    };
    std::uint32_t center = address(x_row(row)), down = address(x_row(row + 1)),
                  up = address(x_row(row - 1)), rhs = address(rhs_row(row));
    gpu::TaggedWord* word = fixed(words_of(block_, to_below) + column * words);
    const gpu::LaunchTags tags = fixed(state_.tags);
    const V halo = fixed(x_row(row)[-1]);

    FivePointValues<V> x{};
    V b{}, partial{}, above{}, from_above{};
    // What a lane does in its sweep.
    bool live = false, any_shows = false;
    int slot = -1;
    std::uint32_t tag = 0;
    const auto begin_sweep = [&] {
      live = sweep < sweeps;
      slot = sweep + 1 < sweeps ? run_.show.slot_after(sweep + 1) : -1;
      any_shows = gpu::any(slot >= 0);
      tag = tags.of(static_cast<std::uint32_t>(sweep));
    };
    begin_sweep();
    const auto steps = [&](auto all_inside) {
      constexpr bool inside = decltype(all_inside)::value;
#pragma unroll
      for (int k = 0; k < chunk; ++k) {
        // The update of column + k - 2.
        const int now = column + k - 2;
        x.up = is_top ? from_above : above;
        const V value = new_terms<Transposed>(c, x, partial);
        above = gpu::shuffle_up(value, 1);
        const bool stores =
            live && (inside || static_cast<unsigned>(now) < static_cast<unsigned>(n));
        gpu::store_shared_if(stores, center + offset(k - 2), value);
        gpu::Tagged<V>::publish_if(stores && sends, word + (k - 2) * words, value, tag);
        x.left = !inside && now == -1 ? halo : value;
        // What is known of column + k - 1 before its new neighbours.
        partial = old_terms<Transposed>(c, x, own_terms(c, x.center, b, true));
        x.center = x.right;
        // The lane below stores three steps after these loads.
        if (k % 2 == 0) gpu::sync_warp();
        // Loads for the columns after.
        load(x.right, center, k + 1, column);
        load(x.down, down, k, column);
        load(b, rhs, k, column);
        load(from_above, up, k - 1, column);
      }
    };

    // What the sweep before must have done: of this warp's first sweep, it is the last one of the
    // warp before, that of warp 0 a period ago.
    int needed = chunk + ahead + 1 + (groups - 1) * lag - (warp == 0 ? period : 0);
    int seen_before = before.look(), seen_imported = imported.look();
    // The first lane's column, and where it is if all lanes are inside their rows, far from the
    // ends.
    int front = common(column);
    const int first_inside = common(layout_.band_rows - 1 + (groups - 1) * lag + 2),
              last_inside = n + ahead - chunk;
    for (int t = 0; t < end; t += chunk) {
      gpu::wait_for_both(before, min(needed, end), seen_before, imported, t + chunk, seen_imported);
      needed += chunk;
      const bool inside = front >= first_inside && front < last_inside;
      if (inside)
        steps(std::true_type());
      else
        steps(std::false_type());
      if (any_shows && slot >= 0) show(slot, row, column - 2, center - offset(2));
      gpu::sync_warp();
      own.publish(t + chunk);
      seen_before = before.look();
      seen_imported = imported.look();
      const auto move = [&](int columns) {
        column += columns;
        center += offset(columns);
        down += offset(columns);
        up += offset(columns);
        rhs += offset(columns);
        word += columns * words;
      };
      move(chunk);
      front += chunk;
      if (inside || !gpu::any(column >= n + ahead)) continue;
      if (front >= n + ahead) front -= period;
      if (column >= n + ahead) {
        move(-period);
        sweep += stages;
      }
      gpu::sync_warp();
      begin_sweep();
    }
  }

  /// @brief Stores the columns from `column` on where they show what a look sees.
  __device__ void show(int slot, int row, int column, std::uint32_t from) const {
    const ResidentShow<V>& to = run_.show;
    V* const place = &to.slot(first_row_ + row + 1, 1) + (to.first + slot) % to.slots * to.apart;
    for (int k = 0; k < chunk; ++k, ++column) {
      if (static_cast<unsigned>(column) >= static_cast<unsigned>(layout_.n)) continue;
      V value;
      gpu::load_shared(value, from + offset(k));
      place[column * to.slot.column_stride] = value;
    }
  }

  /// @brief From shared memory: constants would be loaded again for each use.
  __device__ SORCoefficients<V> coefficients() const {
    return map_coefficients(state_.coefficients, [](const V& coefficient) {
      V value;
      gpu::load_shared(value, static_cast<std::uint32_t>(__cvta_generic_to_shared(&coefficient)));
      return value;
    });
  }

  /// @brief The warp that does the sweeps before.
  __device__ int before_warp(int warp) const { return (warp == 0 ? layout_.warps : warp) - 1; }

  static __device__ std::uint32_t offset(int columns) {
    return static_cast<std::uint32_t>(columns * bytes);
  }
  /// @brief Values beside the grid are loaded and not used; tools that look for races would care.
  __device__ void load(V& v, std::uint32_t at, int k, int column) const {
    if (gpu::shows_flags &&
        (gpu::lane() % layout_.band_rows >= rows_ || column + k < -1 || column + k > layout_.n))
      return;
    gpu::load_shared(v, at + offset(k));
  }

  const ResidentRun<V>& run_;
  const ResidentLayout& layout_;
  ResidentState<V>& state_;
  V* const values_;
  const int block_;
  const int first_row_;  ///< of the band
  const int rows_;
};

/// @brief The kernel.
template <class V, bool Transposed>
__global__ void __launch_bounds__(2 * 32 * ResidentLayout::max_warps, 1)
    resident_kernel(const WAVESCAN_GRID_CONSTANT ResidentRun<V> run) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  extern __shared__ __align__(16) unsigned char wavescan_sor_resident_memory[];
  ResidentBlock<V, Transposed>(run, wavescan_sor_resident_memory).run();
#else
  static_cast<void>(run);
#endif
}

}  // namespace wavescan::Impl::sor

#endif
