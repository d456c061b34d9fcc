// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_COLUMNSSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_COLUMNSSCAN_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/scan/gpu/WaveScan_LengthWeights.hpp>
#include <impl/scan/gpu/WaveScan_RowsScan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Lines that lie next to each other, as the columns of a row-major matrix, on any GPU.
///
/// A warp takes as many neighbouring lines as it has lanes, so that it reads whole cache lines, and
/// `rows` elements of each at a time. With very many lines each warp goes down its own (`Stacked`
/// false). Otherwise the warps of a block lie below each other in a *strip* of lines, and where
/// there are fewer strips than the GPU has room for blocks, several blocks share a strip: block b
/// of K takes its tiles b, b + K, b + 2K, ... They must then all be resident.

namespace wavescan::Impl {

template <class P, bool Stacked>
struct ColumnsTuning {
  static constexpr int threads = 256;
  static constexpr int warps = threads / gpu::warp_size;
  static constexpr int rows =
      std::clamp(64 / static_cast<int>(sizeof(typename P::value_type)) / P::streams, 2, 16);
  static constexpr bool stacked = Stacked;
  static constexpr Index tile = Index(rows) * (Stacked ? warps : 1);
  static constexpr int loads = 4;  ///< totals that a lane asks for at once
};

/// @brief Assignment of strips to blocks, and the mailbox of the totals that they leave for each
/// other.
struct StripSharing {
  /// A lane of each sharer has a total in each wave; after four nobody can still need it.
  using Totals = gpu::Mailbox<4, 2>;
  static constexpr int residents = 2;  ///< blocks that a multiprocessor certainly holds

  Index strips = 0;
  int sharers = 1;  ///< blocks a strip
  gpu::TaggedWord* words = nullptr;

  StripSharing() = default;
  StripSharing(LineExtents extents, int multiprocessors, Index shortest_tile)
      : strips(ceil_div(extents.lines, gpu::warp_size)) {
    const Index room = residents * multiprocessors / std::max<Index>(strips, 1);
    sharers = static_cast<int>(
        std::clamp<Index>(std::min(room, extents.length / shortest_tile), 1, 1024));
  }
  template <class Segment>
  std::size_t size() const {
    return sharers == 1 ? 0 : static_cast<std::size_t>(strips) * strip_words<Segment>();
  }
  template <class Segment>
  KOKKOS_FUNCTION std::size_t strip_words() const {
    return Totals::size<Segment>(sharers, gpu::warp_size);
  }
  template <class Segment>
  __device__ Totals strip(Index index) const {
    return {words + static_cast<std::size_t>(index) * strip_words<Segment>()};
  }
};

/// @brief The weights of the lengths that occur in a strip, computed on the host.
template <class P, class Tuning>
struct ColumnsWeights {
  LengthWeights<P, 4> rows;  ///< of a warp's rows
  LengthWeights<P, 10> tile;

  explicit ColumnsWeights(const P& traits)
      : rows(traits, Tuning::rows), tile(traits, Tuning::tile) {}
};

template <class P, class In, class Tuning>
class ColumnsScan {
  using value_type = typename P::value_type;
  using element_weight = typename P::element_weight;
  using segment = typename P::segment;
  static constexpr int rows = Tuning::rows;
  static constexpr int warps = Tuning::warps;
  static constexpr int weights_per_thread = P::streams == 2 ? rows : 1;

 public:
  struct Shared {
    segment total[warps][gpu::warp_size];
    segment before[warps][gpu::warp_size];
  };

  __device__ ColumnsScan(const RowsScan<P, In>& scan, const StripSharing& sharing,
                         const ColumnsWeights<P, Tuning>& weights, Shared& shared)
      : scan_(scan),
        weights_(weights),
        shared_(shared),
        sharers_(Tuning::stacked ? sharing.sharers : 1),
        sharer_(static_cast<int>(blockIdx.x) % sharers_),
        tiles_((scan.extents.length + Tuning::tile - 1) / Tuning::tile),
        strip_(Index(blockIdx.x) / sharers_ * (Tuning::stacked ? 1 : warps) +
               (Tuning::stacked ? 0 : gpu::warp())),
        line_(strip_ * gpu::warp_size + gpu::lane()),
        totals_(sharers_ > 1 ? sharing.template strip<segment>(strip_)
                             : StripSharing::Totals{nullptr}) {}

  __device__ void run() {
    if (sharers_ > 1) tags_ = totals_.epoch().tags();
    const auto entering = line_ < scan_.extents.lines
                              ? scan_.carry_in(line_)
                              : State<value_type>{scan_.traits.empty_state(), false};
    Elements now, next;
    load(sharer_, now);
    State<value_type> after = entering;  // the state after the block's last tile
    for (Index t = sharer_; t < tiles_; t += sharers_) {
      const auto load_next = [&] {
        if (t + sharers_ < tiles_) load(t + sharers_, next);
      };
      after = scan_tile(t, now, t == 0 ? entering : after, load_next);
      now = next;
    }
  }

 private:
  struct Elements {
    value_type x[rows];
    element_weight w[weights_per_thread];
    __device__ element_weight weight(int r) const { return w[P::streams == 2 ? r : 0]; }
  };

  /// @brief Place in its line of the thread's first element of a tile.
  __device__ Index first_of(Index tile) const {
    return tile * Tuning::tile + (Tuning::stacked ? gpu::warp() * rows : 0);
  }

  /// @brief Loads the thread's elements; those outside the lines become identities.
  __device__ void load(Index tile, Elements& elements) const {
    const Index first = first_of(tile);
    const Index count = line_ < scan_.extents.lines ? scan_.extents.length - first : 0;
    const auto from = scan_.in.from(line_, first);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      elements.x[r] = r < count ? static_cast<value_type>(from[r])
                                : scan_.traits.state(scan_.traits.identity());
    if constexpr (P::streams == 2) {
      const auto* const weights =
          scan_.weights.data + line_ * scan_.weights.line_stride + first * scan_.weights.stride;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        elements.w[r] = r < count ? weights[r * scan_.weights.stride] : scan_.traits.algebra.one();
      if (first == 0 && !scan_.carry_in.present()) elements.w[0] = scan_.traits.algebra.one();
    }
  }

  /// @param before the state that enters the tile, or for a shared strip, the one after the
  /// block's last tile
  /// @param load_next called when the tile's total is known to the other blocks
  /// @returns the state after the tile, if there is one
  template <class LoadNext>
  __device__ State<value_type> scan_tile(Index tile, const Elements& elements,
                                         State<value_type> before, const LoadNext& load_next) {
    const P& traits = scan_.traits;
    if constexpr (Tuning::stacked) {
      const int lane = gpu::lane(), warp = gpu::warp();
      shared_.total[warp][lane] = traits.reduce(elements.x, elements.w);
      __syncthreads();
      segment above = traits.identity();  // this warp's rows
      segment total = shared_.total[0][lane];
      for (int i = 1; i < warps; ++i) {
        if (i == warp) above = total;
        total = traits.join(total, shared_.total[i][lane], weights_.rows[0]);
      }
      const State<value_type> entering = before;
      if (tile == 0 && entering.present)
        total = traits.enter(entering.value, total, weights_.tile[0]);
      if (sharers_ > 1 && warp == 0) publish(tile, total);
      load_next();
      if (sharers_ > 1) before = look_back(tile, before);
      value_type s = before.present ? before.value : traits.state(traits.identity());
      const State<value_type> after{
          tile == 0 ? traits.state(total) : traits.leave(s, total, weights_.tile[0]), true};
      if (warp > 0) s = traits.leave(s, above, weights_.rows.of(traits, warp));
      scan_rows(tile, elements, {s, before.present || warp > 0});
      if (sharers_ == 1) __syncthreads();  // before the next tile's totals
      return after;
    } else {
      load_next();
      return scan_rows(tile, elements, before);
    }
  }

  /// @brief Scans the thread's elements and returns the state after them.
  __device__ State<value_type> scan_rows(Index tile, const Elements& elements,
                                         State<value_type> before) const {
    const P& traits = scan_.traits;
    const Index first = first_of(tile);
    const Index count = line_ < scan_.extents.lines ? scan_.extents.length - first : 0;
    const auto to = scan_.out.from(line_, first);
    value_type s = before.value;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const bool nothing = r == 0 && !before.present;
      const value_type next =
          nothing ? elements.x[0] : traits.advance(s, elements.x[r], elements.weight(r));
      const value_type y = scan_.kind == ScanKind::Inclusive ? next
                           : nothing                         ? traits.empty_state()
                                                             : s;
      if (r < count) to[r] = y;
      s = next;
      if (scan_.carry_out.data && r + 1 == count) scan_.carry_out(line_, 0) = s;
    }
    return {s, true};
  }

  // ---- strips that several blocks share

  __device__ gpu::TaggedWord* place(Index tile) const {
    const auto wave = static_cast<std::uint32_t>(tile / sharers_);
    return totals_.template place<segment>(wave, static_cast<int>(tile % sharers_), sharers_,
                                           gpu::warp_size, gpu::lane());
  }
  __device__ std::uint32_t tag(Index tile) const {
    return tags_.of(static_cast<std::uint32_t>(tile / sharers_));
  }
  __device__ void publish(Index tile, const segment& total) const {
    gpu::Tagged<segment>::publish(place(tile), total, tag(tile));
  }

  /// @brief The state that enters a tile, from that after the block's last tile and the totals of
  /// the tiles between, which the warps gather in equal parts.
  __device__ State<value_type> look_back(Index tile, const State<value_type>& after) const {
    const P& traits = scan_.traits;
    const int lane = gpu::lane();
    const Index oldest = tile >= sharers_ ? tile - sharers_ + 1 : 0;
    const auto between = static_cast<int>(tile - oldest);
    const int part = (between + warps - 1) / warps;
    const auto count = [&](int warp) {
      const int rest = between - warp * part;
      return rest < 0 ? 0 : rest < part ? rest : part;
    };
    shared_.before[gpu::warp()][lane] =
        join_totals(oldest + gpu::warp() * part, count(gpu::warp()));
    __syncthreads();
    // The last tile has heard of all sharers, and so they have read the epoch.
    if (tile == tiles_ - 1 && threadIdx.x == 0)
      totals_.epoch().end(tags_, static_cast<std::uint32_t>(tile / sharers_));
    if (tile == 0) return after;
    // The strip's first tile has made what enters it part of its total.
    bool present = tile >= sharers_;
    value_type s = present ? after.value : traits.state(traits.identity());
    for (int w = 0; w < warps; ++w) {
      if (count(w) == 0) continue;
      const segment& joined = shared_.before[w][lane];
      s = present ? traits.leave(s, joined, weights_.tile.of(traits, count(w)))
                  : traits.state(joined);
      present = true;
    }
    return {s, true};
  }

  __device__ segment join_totals(Index oldest, int count) const {
    segment sum = scan_.traits.identity();
    for (int begin = 0; begin < count; begin += Tuning::loads) {
      const int rest = count - begin;
      typename gpu::Tagged<segment>::Found found[Tuning::loads];
      gpu::await_all<segment>(
          found, rest, [&](int m) { return place(oldest + begin + m); },
          [&](int m) { return tag(oldest + begin + m); });
#pragma unroll
      for (int m = 0; m < Tuning::loads; ++m)
        if (m < rest) {
          const segment total = found[m].value();
          sum = begin + m == 0 ? total : scan_.traits.join(sum, total, weights_.tile[0]);
        }
    }
    return sum;
  }

  const RowsScan<P, In>& scan_;
  const ColumnsWeights<P, Tuning>& weights_;
  Shared& shared_;
  int sharers_;
  int sharer_;
  Index tiles_;
  Index strip_;
  Index line_;
  StripSharing::Totals totals_;
  gpu::LaunchTags tags_{0};
};

template <class P, class In, class Tuning>
__global__ void __launch_bounds__(Tuning::threads, StripSharing::residents)
    columns_scan(const WAVESCAN_GRID_CONSTANT RowsScan<P, In> scan,
                 const WAVESCAN_GRID_CONSTANT StripSharing sharing,
                 const WAVESCAN_GRID_CONSTANT ColumnsWeights<P, Tuning> weights) {
  using Kernel = ColumnsScan<P, In, Tuning>;
  // As bytes, since types with constructors cannot be in shared memory.
  constexpr std::size_t bytes = Tuning::stacked ? sizeof(typename Kernel::Shared) : 16;
  alignas(16) __shared__ char memory[bytes];
  Kernel(scan, sharing, weights, *reinterpret_cast<typename Kernel::Shared*>(memory)).run();
}

}  // namespace wavescan::Impl

#endif
