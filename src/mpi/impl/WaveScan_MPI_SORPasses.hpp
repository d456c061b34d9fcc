// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_SORPASSES_HPP
#define WAVESCAN_IMPL_MPI_SORPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_MPI_SOROptions.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORPlan.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_ExtendedRows.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <exception>
#include <map>
#include <type_traits>

/// @file
/// @brief Sweeps of SOR over blocks of rows, bit for bit those of the whole array.
///
/// A pass is up to `depth` sweeps between two exchanges of rows. A sweep needs, of the row behind
/// the block, the values of the same sweep, and of the row ahead those of the sweep before. For the
/// latter a block is extended by `depth` rows ahead: each sweep makes one more of them wrong, from
/// the far end, and the last sweep finds one that is right. For the former there are two ways:
///
/// Pipeline: the process behind sends its last row after every sweep.
///
/// Speculation: the block is extended behind, too, and begins from old values there. Errors shrink
/// from row to row until trajectories agree to the bit. Whether they did by the last row behind the
/// block is known when the process behind has sent what it has there, for every sweep of the pass:
/// if all is equal, a block has seen nothing but right values, provided that those of the process
/// behind are right, which by induction from the first process they are. From the first process on
/// that finds a difference the pass is done again in the pipeline, from the array, which nobody
/// changes before all are right.

namespace wavescan::Impl::mpi {

/// @brief Whether values differ, as bits.
template <class T>
struct BitsDiffer {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T* a;
  const T* b;
  KOKKOS_FUNCTION void operator()(const Index k, int& differ) const {
    if (reinterpret_cast<const word*>(a)[k] != reinterpret_cast<const word*>(b)[k]) differ = 1;
  }
};

/// @brief A mask as bytes.
template <class Fixed>
struct BytesOfMask {
  Fixed fixed;
  Grid<unsigned char> bytes;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const { bytes(i, j) = fixed(i, j) ? 1 : 0; }
};

/// @brief Passes over the blocks of the processes that have rows.
template <ExecutionSpace Exec, class T>
class SorPasses {
 public:
  SorPasses() = default;
  /// @param rows       unknown rows of this process
  /// @param columns    with the halo
  /// @param least_rows of all processes
  SorPasses(const Transport<Exec>& transport, Index rows, Index columns, Index least_rows,
            const wavescan::mpi::SOROptions& options)
      : transport_(transport),
        rows_(rows),
        columns_(columns),
        least_rows_(least_rows),
        options_(options),
        depth_(std::min<Index>(options.depth > 0 ? options.depth : 8, least_rows)) {
    const auto seam = [&] { return transport.template buffer<T>(depth_ * columns); };
    sent_ = seam();
    right_ = seam();
    seen_ = seam();
  }

  /// @brief Does `count` sweeps in one direction on `problem.x`. Collective.
  /// @return passes that had to be done again
  /// @throws on all processes what one of them has caught
  template <class Problem>
  std::int64_t sweep(const Problem& problem, int count, bool backward) {
    const auto p = backward ? sor::reversed(problem) : problem;
    const int size = transport_.comm().size(), rank = transport_.comm().rank();
    place_ = backward ? size - 1 - rank : rank;
    const auto rank_at = [&](int place) {
      if (place < 0 || place >= size) return no_rank;
      return backward ? size - 1 - place : place;
    };
    const Index overlap = overlap_of(p.coefficients, count);
    extension_ = {rank_at(place_ - 1),
                  rank_at(place_ + 1),
                  rows_,
                  columns_,
                  std::max<Index>(overlap, 0),
                  depth_};
    error_ = nullptr;
    fill_inputs(p, overlap >= 0);
    if (size == 1) {  // nobody to exchange rows with
      x_.fill(transport_, extension_, sor::read_only(p.x), false);
      guarded([&] { sweep_block(p, 0, count); });
      store(p.x);
      agree();
      return 0;
    }
    std::int64_t repeated = 0;
    for (int left = count; left > 0; left -= static_cast<int>(depth_)) {
      const int sweeps = static_cast<int>(std::min<Index>(left, depth_));
      if (overlap >= 0) {
        repeated += speculate(p, sweeps) ? 0 : 1;
      } else {
        x_.fill(transport_, extension_, sor::read_only(p.x), false);
        pipeline(p, sweeps, 0);
      }
      store(p.x);
    }
    if (overlap < 0) agree();
    return repeated;
  }

 private:
  static constexpr int row_tag = 4, seam_tag = 5;

  const Exec& exec() const { return transport_.exec(); }

  /// @brief Work that another process may wait for the end of, but not for its success.
  template <class Work>
  void guarded(const Work& work) {
    if (!error_) error_ = exception_of(work);
  }
  std::int64_t agree(std::int64_t least = 0) {
    return Agreement(transport_.comm(), "mpi::sor_sweeps", {}, error_, least).reach();
  }

  /// @brief By how many rows blocks begin early; -1 for the pipeline. The same on all processes.
  Index overlap_of(const SORCoefficients<T>& c, int count) const {
    using wavescan::mpi::SORScheme;
    if (options_.scheme == SORScheme::Pipeline) return -1;
    const Index possible = least_rows_ - 1;
    const Index wanted = options_.overlap >= 0
                             ? options_.overlap
                             : sor::speculation_overlap<T>(c.up, c.left, static_cast<int>(depth_));
    if (options_.scheme == SORScheme::Speculation) return std::min(wanted, possible);
    if (wanted > possible) return -1;
    // Time in units of a sweep of a block: rows that are done twice, or a pipeline that fills, and
    // that waits for the rows ahead between passes.
    const double again = count * static_cast<double>(wanted) / static_cast<double>(least_rows_);
    const Index passes = (count + depth_ - 1) / depth_;
    const auto fill = static_cast<double>(transport_.comm().size() - 1 + 2 * (passes - 1));
    return again < fill ? wanted : -1;
  }

  template <class E>
  void make(ExtendedRows<Exec, E>& extended) const {
    const Index before = extension_.overlap + 1;
    if (extended.most_before() < before)
      extended =
          ExtendedRows<Exec, E>(transport_, rows_, columns_, before, std::max<Index>(depth_, 1));
  }

  /// @brief Extends what does not change from pass to pass. Allocations fail here or never.
  template <class Problem>
  void fill_inputs(const Problem& p, bool from_behind) {
    guarded([&] {
      make(x_);
      if (p.rhs.data != nullptr) make(rhs_);
      if constexpr (has_mask<Problem>) {
        make(mask_);
        if (bytes_.size() == 0)
          bytes_ = decltype(bytes_)("WaveScan::mpi::mask", static_cast<std::size_t>(rows_ + 2),
                                    static_cast<std::size_t>(columns_));
      }
    });
    agree();
    if (p.rhs.data != nullptr) rhs_.fill(transport_, extension_, p.rhs, from_behind);
    if constexpr (has_mask<Problem>) {
      const Grid<unsigned char> bytes = grid_in(bytes_, rows_ + 2, columns_);
      sor::for_rectangle(exec(), "WaveScan::mpi::mask", 0, rows_ + 2, columns_,
                         BytesOfMask<typename Problem::fixed_type>{p.fixed, bytes});
      mask_.fill(transport_, extension_, sor::read_only(bytes), from_behind);
    }
  }

  template <class Problem>
  static constexpr bool has_mask = !std::same_as<typename Problem::fixed_type, sor::NoFixedPoints>;

  /// @brief Sweeps of the extended block from its row `first` on.
  template <class Problem>
  void sweep_block(const Problem& p, Index first, int count) {
    const Index rows = extension_.all() - first;
    const auto part = [&](const auto& extended) { return extended.view(extension_, first); };
    auto plan = plans_.find(rows);
    if (plan == plans_.end()) {
      wavescan::SOROptions options;
      options.restore = false;
      plan = plans_.emplace(rows, wavescan::SOR<Exec, T>(exec(), rows, columns_, options)).first;
    }
    const auto sweep = [&](const auto& inputs) {
      plan->second.sweeps(part(x_), p.coefficients, count, inputs);
    };
    const auto with_mask = [&](const auto& inputs) {
      if constexpr (has_mask<Problem>)
        sweep(inputs.mask(part(mask_)));
      else
        sweep(inputs);
    };
    if (p.rhs.data != nullptr)
      with_mask(SORInputs<>().rhs(part(rhs_)));
    else
      with_mask(SORInputs<>());
  }

  void copy_row(const Grid<T>& from, const Grid<T>& to) const {
    sor::copy_entries(exec(), "WaveScan::mpi::row", sor::read_only(from), to);
  }
  /// @brief A row of the extended block.
  Grid<T> row(Index k) const { return rows_of(x_.grid(extension_), k, 1); }
  /// @brief A row of a seam's buffer: of one sweep of the pass.
  auto seam_part(const auto& buffer, int s) const { return buffer.part(s * columns_, columns_); }
  Grid<T> seam_row(const auto& buffer, int s) const {
    return grid_in(seam_part(buffer, s).view(), 1, columns_);
  }

  /// @brief A pass in which processes from `first` on follow each other, sweep by sweep. The first
  /// one has the rows behind in `right_` already, unless nobody is behind it.
  template <class Problem>
  void pipeline(const Problem& p, int sweeps, int first) {
    const Extension& e = extension_;
    const Index halo = e.before() - 1;
    Exchange to_ahead(transport_.comm());
    for (int s = 0; s < sweeps; ++s) {
      if (e.behind != no_rank) {
        if (place_ > first) {
          Exchange from_behind(transport_.comm());
          from_behind.receive(seam_part(right_, s), e.behind, row_tag);
          from_behind.wait();
          seam_part(right_, s).received(exec(), columns_);
        }
        copy_row(seam_row(right_, s), row(halo));
      }
      guarded([&] { sweep_block(p, halo, 1); });
      if (e.ahead != no_rank) {
        copy_row(row(halo + rows_), seam_row(sent_, s));
        to_ahead.send(exec(), seam_part(sent_, s), columns_, e.ahead, row_tag);
      }
    }
    to_ahead.wait();
  }

  /// @brief A pass in which processes do not wait for each other. False if it had to be repeated.
  template <class Problem>
  bool speculate(const Problem& p, int sweeps) {
    const Extension& e = extension_;
    x_.fill(transport_, e, sor::read_only(p.x), true);
    for (int s = 0; s < sweeps; ++s) {
      guarded([&] { sweep_block(p, 0, 1); });
      if (e.behind != no_rank) copy_row(row(e.before() - 1), seam_row(seen_, s));
      if (e.ahead != no_rank) copy_row(row(e.before() + rows_ - 1), seam_row(sent_, s));
    }
    const Index values = sweeps * columns_;
    Exchange exchange(transport_.comm());
    exchange.receive(right_, e.behind, seam_tag);
    exchange.send(exec(), sent_, values, e.ahead, seam_tag);
    exchange.wait();
    int differ = 0;
    if (e.behind != no_rank) {
      right_.received(exec(), values);
      Kokkos::parallel_reduce(
          "WaveScan::mpi::compare",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec(), 0, values),
          BitsDiffer<T>{right_.view().data(), seen_.view().data()}, Kokkos::Max<int>(differ));
    }
    const int size = transport_.comm().size();
    const auto first = static_cast<int>(agree(differ > 0 ? place_ : size));
    if (first == size) return true;
    if (place_ >= first) {
      x_.assemble(exec(), e, sor::read_only(p.x), true);
      pipeline(p, sweeps, first);
    }
    agree();
    return false;
  }

  /// @brief Brings the block's own values to the array.
  void store(const Grid<T>& x) {
    if (error_) return;
    const Grid<T> from = rows_of(x_.grid(extension_), extension_.before() - 1, rows_ + 2);
    const Grid<T> own = sor::interior(from), to = sor::interior(x);
    constexpr const char* label = "WaveScan::mpi::store";
    if (to.row_stride < 0)
      sor::copy_entries(exec(), label, sor::read_only(reversed(own)), reversed(to));
    else
      sor::copy_entries(exec(), label, sor::read_only(own), to);
  }

  Transport<Exec> transport_;
  Index rows_ = 0, columns_ = 0, least_rows_ = 0;
  wavescan::mpi::SOROptions options_;
  Index depth_ = 1;
  Extension extension_;
  int place_ = 0;  ///< of this process in the order of the sweep
  std::exception_ptr error_;
  ExtendedRows<Exec, T> x_, rhs_;
  ExtendedRows<Exec, unsigned char> mask_;
  Kokkos::View<unsigned char**, Kokkos::LayoutRight, typename Exec::memory_space> bytes_;
  std::map<Index, wavescan::SOR<Exec, T>> plans_;            ///< by their numbers of rows
  typename Transport<Exec>::template buffer_type<T> sent_;   ///< own last row, sweep by sweep
  typename Transport<Exec>::template buffer_type<T> right_;  ///< that of the process behind
  typename Transport<Exec>::template buffer_type<T> seen_;   ///< and what stood for it here
};

}  // namespace wavescan::Impl::mpi

#endif
