// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_RESIDENTKERNEL_HPP
#define WAVESCAN_IMPL_SOR_GPU_RESIDENTKERNEL_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_LaneStreams.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/sor/gpu/WaveScan_ResidentRun.hpp>

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
/// border rows; the blocks of a cluster have the words that they await in their shared memory, and
/// their relaxing warps look for them by themselves. Everything is in place, each value once.
///
/// Progress: all blocks are resident. Take the earliest point, in the order of sweeps and in each
/// in natural order, that has not been relaxed. All that it needs has been, words are sent without
/// waiting for anything, and no warp has to get further than some columns behind the one that does
/// the sweep before it; that many (`min_lag_of`) are between two sweeps, around the ring of warps
/// as well. So its lane gets on, unless the watchdog has given up.
///
/// Memory order. In a block values are handed on by flags, which are stored after them: a warp's
/// accesses to shared memory are done in their order. (A release would wait for the words that have
/// just been sent.) Between blocks a word says all by itself. Each column of a border has one word
/// and one value, which the next sweep's replace without asking whether the former was used: the
/// next sweep's value at that column was computed, over the neighbour's own value there, from the
/// former, so the lane that reads the former has.
namespace wavescan::Impl::sor {

/// @brief A block's work.
template <class V, bool Transposed, bool InCluster>
class ResidentBlock {
  static constexpr int chunk = ResidentLayout::chunk;
  static constexpr int ahead = ResidentLayout::ahead;
  static constexpr int bytes = sizeof(V);
  static constexpr int words = gpu::Tagged<V>::words;
  using Flag = typename ResidentState<V>::Flag;
  using Access = std::conditional_t<InCluster, gpu::ClusterAccess, gpu::PlainAccess>;

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
    if (InCluster || w < layout_.warps)
      relax(w);
    else
      receive(w - layout_.warps);
    sync();
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
  /// @brief The words that come from the block above or below: in a cluster in shared memory.
  __device__ gpu::TaggedWord* words_from(bool above) const {
    return InCluster ? shared_words(above) : global_words(block_ + (above ? -1 : 1), above);
  }
  /// @brief The words that the block below or above gets, if there is one.
  __device__ gpu::TaggedWord* words_to(bool below) const {
    if (!InCluster) return global_words(block_, below);
    const int receiver = below ? block_ + !is_last() : block_ - !is_first();
    return gpu::in_block(receiver, shared_words(below));
  }
  __device__ gpu::TaggedWord* global_words(int sender, bool last_row) const {
    return run_.epochs.messages() +
           static_cast<std::size_t>(2 * sender + last_row) * layout_.n * words;
  }
  __device__ gpu::TaggedWord* shared_words(bool above) const {
    return reinterpret_cast<gpu::TaggedWord*>(values_ - layout_.pad + layout_.values()) +
           above * layout_.n * words;
  }

  __device__ void load() {
    const int lane = gpu::lane();
    for (int i = gpu::warp() - 1; i <= rows_; i += gpu::warps()) {
      if (i < 0 && !is_first()) continue;  // comes from the block above
      V* const row = x_row(i);
      for (int j = lane - 1; j <= layout_.n; j += 32)
        gpu::copy_async<bytes>(row + j, &run_.x(first_row_ + i + 1, j + 1));
    }
    for (int i = gpu::warp(); i < rows_; i += gpu::warps()) {
      V* const row = rhs_row(i);
      for (int j = lane; j < layout_.n; j += 32)
        if (run_.rhs.data)
          gpu::copy_async<bytes>(row + j, &run_.rhs(first_row_ + i + 1, j + 1));
        else
          row[j] = -V(0);
    }
    if (threadIdx.x == 0) {
      state_.coefficients = run_.coefficients;
      if (!run_.rhs.data) state_.coefficients.rhs = V(1);  // times -0, which changes nothing
      state_.layout = run_.layout;
      state_.tags = InCluster ? gpu::LaunchTags{1}
                              : run_.epochs.take(static_cast<std::uint32_t>(run_.sweeps));
      for (int w = 0; w < layout_.warps; ++w) {
        state_.relaxed[w].clear();
        state_.imported[w].clear();
      }
    }
    if constexpr (InCluster)
      for (int i = static_cast<int>(threadIdx.x); i < 2 * layout_.n * words; i += blockDim.x)
        shared_words(false)[i] = 0;
    gpu::commit_async_copies();
    gpu::wait_for_async_copies<0>();
    sync();
  }
  /// @brief Blocks of a cluster begin to send, and end, when all are there.
  __device__ void sync() const {
    if constexpr (InCluster) gpu::sync_cluster();
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
    __device__ Border(const ResidentBlock& block, int warp, int stride)
        : block_(block),
          stages_(block.layout_.sweeps_under_way()),
          stride_(stride),
          position_(gpu::lane() % stride_),
          above_(gpu::lane() / stride_ % 2 == 0) {
      const ResidentLayout& layout = block.layout_;
      const int group = gpu::lane() / (2 * stride_);
      any_comes_ = group < layout.groups() && (above_ ? !block.is_first() : !block.is_last());
      words_ = gpu::fixed_in_registers(block.words_from(above_));
      row_ = gpu::fixed_in_registers(static_cast<std::uint32_t>(
          __cvta_generic_to_shared(block.x_row(above_ ? -1 : block.rows_))));
      const int from = (above_ ? -ahead : -1 - (block.rows_ - 1)) - group * layout.lag;
      column_ = position_ + from;
      begin(warp * layout.groups() + group);
      turn();
    }

    __device__ int position() const { return position_; }
    __device__ bool wanted() const {
      return comes_ && static_cast<unsigned>(column_) < static_cast<unsigned>(block_.layout_.n);
    }
    /// @brief The place at which the value arrives; in a cluster any place if none is wanted.
    __device__ const gpu::TaggedWord* place() const {
      return words_ + (!InCluster || wanted() ? column_ : 0) * words;
    }
    __device__ std::uint32_t tag() const { return tag_; }
    __device__ void take_if(bool came, V value) const {
      if (gpu::shows_flags && came) rely_on_last_use(position_);
      gpu::store_shared_if(came, row_ + offset(column_), value);
    }
    __device__ void advance_if(bool done) {
      position_ += done ? stride_ : 0;
      column_ += done ? stride_ : 0;
    }
    /// @brief Goes on to the warp's next sweep where the row ends.
    __device__ void turn() {
      if (column_ < block_.layout_.n + ahead) return;
      column_ -= block_.layout_.period;
      begin(sweep_ + stages_);
    }

   private:
    /// @brief The value that is replaced has been used: see at the head of the file why. Tools have
    /// to see it.
    __device__ void rely_on_last_use(int step) const {
      const ResidentLayout& layout = block_.layout_;
      int warp = gpu::warp() - (InCluster ? 0 : layout.warps);
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
      comes_ = any_comes_ && sweep < block_.run_.sweeps && (above_ || sweep > 0);
      tag_ = block_.state_.tags.of(static_cast<std::uint32_t>(sweep - (above_ ? 0 : 1)));
    }

    const ResidentBlock& block_;
    const gpu::TaggedWord* words_;
    bool any_comes_;
    std::uint32_t row_;
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
    // Looks that can find nothing yet would keep others waiting.
    gpu::wait_for(state_.relaxed[before_warp(warp)], min(layout_.needed(warp) - 2 * chunk, end));
    Border border(*this, warp, layout_.band_rows / 2);
    gpu::receive_by_lanes<V>(border, end, state_.imported[warp], run_.watchdog);
  }

  /// @brief The imported values of a relaxing warp whose importer brings them.
  class ImportedByOther {
   public:
    __device__ ImportedByOther(const ResidentBlock& block, int warp)
        : imported_(block.state_.imported[warp]), seen_(imported_.look()) {}
    __device__ void look() { seen_ = imported_.look(); }
    __device__ void wait(const Flag& before, int needed, int& seen_before, int step) {
      gpu::wait_for_both(before, needed, seen_before, imported_, step, seen_);
    }

   private:
    const Flag& imported_;
    int seen_;
  };
  /// @brief The imported values of a relaxing warp that brings them itself, in a cluster.
  class ImportedByOneself {
   public:
    __device__ ImportedByOneself(const ResidentBlock& block, int warp)
        : values_(Border(block, warp, chunk)) {}
    __device__ void look() { values_.look(); }
    __device__ void wait(const Flag& before, int needed, int& seen_before, int) {
      gpu::wait_for_both(before, needed, seen_before, values_);
    }

   private:
    gpu::OwnValues<V, Border, Access> values_;
  };
  using Imported = std::conditional_t<InCluster, ImportedByOneself, ImportedByOther>;

  /// @brief Sends the neighbours what four steps have left in the rows at both ends of the band: a
  /// lane one value.
  class Sender {
   public:
    __device__ Sender(const ResidentBlock& block, int warp) : block_(block) {
      constexpr int of_group = 2 * chunk;
      const int group = gpu::lane() / of_group;
      const bool above = gpu::lane() / chunk % 2 == 0;
      const int row = above ? 0 : block.rows_ - 1;
      shift_ = gpu::lane() % chunk;
      column_ = shift_ - ahead - 1 - row - group * block.layout_.lag;
      from_ = gpu::fixed_in_registers(
          static_cast<std::uint32_t>(__cvta_generic_to_shared(block.x_row(row) + column_)));
      word_ = gpu::fixed_in_registers(block.words_to(!above) + column_ * words);
      sweeps_ = group < block.layout_.groups() && (above ? !block.is_first() : !block.is_last())
                    ? block.run_.sweeps
                    : 0;
      begin(warp * block.layout_.groups() + group);
    }
    /// @param inside whether all are inside their rows
    __device__ void look(bool inside) {
      sends_ = live_ &&
               (inside || static_cast<unsigned>(column_) < static_cast<unsigned>(block_.layout_.n));
      if (!gpu::shows_flags || sends_) gpu::load_shared(value_, from_);
    }
    __device__ void send() {
      gpu::Tagged<V>::publish_if(sends_, word_, value_, tag_, Access());
      move(chunk);
    }
    __device__ void wrap(int period, int stages) {
      if (column_ - shift_ < block_.layout_.n) return;
      move(-period);
      begin(sweep_ + stages);
    }

   private:
    __device__ void move(int columns) {
      column_ += columns;
      from_ += offset(columns);
      word_ += columns * words;
    }
    __device__ void begin(int sweep) {
      sweep_ = sweep;
      live_ = sweep < sweeps_;
      tag_ = block_.state_.tags.of(static_cast<std::uint32_t>(sweep));
    }

    const ResidentBlock& block_;
    int shift_;
    int column_;
    int sweep_;
    int sweeps_;  ///< that are sent
    bool live_;
    bool sends_;
    std::uint32_t from_;
    std::uint32_t tag_;
    gpu::TaggedWord* word_;
    V value_;
  };

  __device__ void relax(int warp) {
    const int groups = layout_.groups();
    const bool idle = gpu::lane() >= groups * layout_.band_rows;
    const int group = idle ? 0 : gpu::lane() / layout_.band_rows;
    const int row = idle ? 0 : gpu::lane() % layout_.band_rows;
    // What the loop needs stays in registers; what it branches on is the same in all lanes.
    const auto fixed = [](auto value) { return gpu::fixed_in_registers(value); };
    const auto common = [](auto value) { return gpu::broadcast(value, 0); };
    const int n = common(state_.layout.n), period = common(state_.layout.period), lag = layout_.lag,
              end = common(layout_.steps(run_.sweeps)), stages = common(groups * layout_.warps);
    const int sweeps = fixed(!idle && row < rows_ ? run_.sweeps : 0);
    const SORCoefficients<V> c = coefficients();

    Flag& own = state_.relaxed[warp];
    const Flag& before = state_.relaxed[before_warp(warp)];

    const bool is_top = row == 0;

    int sweep = warp * groups + group;
    int column = -1 - row - group * lag;  // of the next loads
    const auto address = [&](const V* p) {
      return fixed(static_cast<std::uint32_t>(__cvta_generic_to_shared(p + column)));
    };
    std::uint32_t center = address(x_row(row)), down = address(x_row(row + 1)),
                  up = address(x_row(row - 1)), rhs = address(rhs_row(row));
    const V halo = fixed(x_row(row)[-1]);

    Sender sender(*this, warp);
    FivePointValues<V> x{};
    V b{}, partial{}, above{}, from_above{};
    // What a lane does in its sweep.
    bool live = false, any_stores = false;
    V* place = nullptr;  // of column 0 in a snapshot, if there is one
    const bool may_store = run_.snapshots.slot.data != nullptr;
    V* const first_place = &run_.snapshots.slot(first_row_ + row + 1, 1);
    auto taken = run_.snapshots.after(sweep + 1);
    const auto begin_sweep = [&] {
      live = sweep < sweeps;
      if (!may_store) return;
      const int slot = live && sweep + 1 < run_.sweeps ? run_.snapshots.slot_at(taken) : -1;
      place = slot < 0 ? nullptr : first_place + slot * run_.snapshots.apart;
      any_stores = gpu::any(place != nullptr);
    };
    begin_sweep();
    const int place_stride = common(static_cast<int>(run_.snapshots.slot.column_stride));

    int needed = layout_.needed(warp);
    int seen_before = before.look();
    Imported comes(*this, warp);
    const auto steps = [&](auto all_inside, auto some_store) {
      constexpr bool inside = decltype(all_inside)::value, keeps = decltype(some_store)::value;
      // All that the steps need is there: loaded first, it keeps none of them waiting.
      const Loaded rights = load(center, 1, column), downs = load(down, 0, column),
                   bs = load(rhs, 0, column), ups = load(up, -1, column, is_top);
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
        if constexpr (keeps)
          gpu::store_global_if(stores && place, place + now * place_stride, value);
        x.left = !inside && now == -1 ? halo : value;
        // What is known of column + k - 1 before its new neighbours.
        partial = old_terms<Transposed>(c, x, own_terms(c, x.center, b, true));
        x.center = x.right;
        if (k == 1)
          gpu::sync_warp();  // the lane below stores from the next step on what was loaded
        x.right = rights.of_step[k];
        x.down = downs.of_step[k];
        b = bs.of_step[k];
        from_above = ups.of_step[k];
        if (k == chunk - 2) {  // early, for the next steps
          seen_before = before.look();
          comes.look();
        }
      }
    };

    // The first lane's column, and where it is if all lanes are inside their rows, far from the
    // ends.
    int front = common(column);
    const int first_inside = common(layout_.band_rows - 1 + (groups - 1) * lag + 2),
              last_inside = n + ahead - 2 * chunk;
    int t = 0;
    const auto move = [&](int columns) {
      column += columns;
      center += offset(columns);
      down += offset(columns);
      up += offset(columns);
      rhs += offset(columns);
    };
    const auto go_on = [&](auto all_inside, auto some_store) {
      constexpr bool inside = decltype(all_inside)::value;
      comes.wait(before, min(needed, end), seen_before, t + chunk);
      steps(all_inside, some_store);
      gpu::sync_warp();
      sender.look(inside);
      own.publish(t + chunk);
      sender.send();
      move(chunk);
      front += chunk;
      needed += chunk;
      t += chunk;
    };
    using Yes = std::true_type;
    using No = std::false_type;
    while (t < end) {
      // Most of the time: a loop of its own, without branches (in a cluster it would take longer).
      if (!InCluster && front >= first_inside && !any_stores)
        while (front < last_inside) go_on(Yes(), No());
      if (any_stores)
        go_on(No(), Yes());
      else
        go_on(No(), No());
      if (!gpu::any(column >= n + ahead)) continue;
      if (front >= n + ahead) front -= period;
      if (column >= n + ahead) {
        move(-period);
        sweep += stages;
        if (may_store) run_.snapshots.advance(taken, stages);
      }
      sender.wrap(period, stages);
      gpu::sync_warp();
      begin_sweep();
    }
  }

  /// @brief The coefficients, from shared memory: constants would be loaded again for each use.
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
  /// @brief A row's values for some steps.
  struct Loaded {
    V of_step[chunk];
  };
  /// @brief Loads, if wanted, what lies `shift` columns from those of the steps. Values beside the
  /// grid are loaded and not used; tools that look for races would care.
  __device__ Loaded load(std::uint32_t at, int shift, int column, bool wanted = true) const {
    Loaded loaded{};
#pragma unroll
    for (int k = 0; k < chunk; ++k) {
      const int of_row = column + k + shift;
      if (gpu::shows_flags &&
          (gpu::lane() % layout_.band_rows >= rows_ || of_row < -1 || of_row > layout_.n))
        continue;
      gpu::load_shared_if(wanted, loaded.of_step[k], at + offset(k + shift));
    }
    return loaded;
  }

  const ResidentRun<V>& run_;
  const ResidentLayout& layout_;
  ResidentState<V>& state_;
  V* const values_;
  const int block_;
  const int first_row_;  ///< of the band
  const int rows_;
};

/// @brief Whether blocks reach each other's shared memory on all GPUs that are compiled for.
inline constexpr bool has_clusters = compiled_device.has_bulk_copies();

/// @brief The kernel.
template <class V, bool Transposed, bool InCluster>
__global__ void __launch_bounds__((InCluster ? 1 : 2) * 32 * ResidentLayout::max_warps, 1)
    resident_kernel(const WAVESCAN_GRID_CONSTANT ResidentRun<V> run) {
  extern __shared__ __align__(16) unsigned char wavescan_sor_resident_memory[];
  if constexpr (has_clusters || !InCluster)
    ResidentBlock<V, Transposed, InCluster>(run, wavescan_sor_resident_memory).run();
}

}  // namespace wavescan::Impl::sor

#endif
