// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_ROWNORMS_HPP
#define WAVESCAN_IMPL_MPI_ROWNORMS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_ExactSum.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/sor/WaveScan_Norms.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/// @file
/// @brief Norms that do not depend on how rows are distributed: the terms of a row are added up
/// from its first column to the last, and sums of rows exactly. Where columns are distributed, the
/// sums of rows go from process to process.

namespace wavescan::Impl::mpi {

/// @brief Adds the terms of a row, scaled, to its sum.
template <class Terms, class Fixed>
struct SumOfRow {
  Terms terms;
  Fixed fixed;
  Index columns;
  double scale;
  sor::ResidualSum* sums;
  KOKKOS_FUNCTION void operator()(const Index k) const {
    sor::ResidualSum sum = sums[k];
    for (Index j = 1; j <= columns; ++j)
      if (!fixed(k + 1, j)) sum.add(scale * terms(k + 1, j));
    sums[k] = sum;
  }
};

/// @brief Norms of distributed arrays.
template <ExecutionSpace Exec>
class RowNorms {
 public:
  RowNorms() = default;
  /// @param left, right the processes that have these rows' columns before and after this one's
  RowNorms(const Transport<Exec>& transport, Index rows, int left, int right)
      : transport_(transport),
        left_(left),
        right_(right),
        sums_(transport.template buffer<sor::ResidualSum>(rows)),
        on_host_(Kokkos::create_mirror_view(sums_.view())) {}

  /// @brief The norm over all rows of all processes; waits for it. Collective.
  /// @param columns of unknowns
  template <class Terms, class Fixed>
  double norm(const Exec& exec, const Communicator& comm, const Terms& terms, const Fixed& fixed,
              Index columns, ResidualNorm which) const {
    return sor::scaled_norm(which, [&](double scale) {
      const bool has_rows = sums_.size() > 0;
      if (has_rows)
        add_rows(exec, SumOfRow<Terms, Fixed>{terms, fixed, columns, scale, sums_.view().data()});
      return sum_of_all(comm, has_rows && right_ == no_rank ? sums_.size() : 0);
    });
  }

 private:
  using sums_type = typename Transport<Exec>::template buffer_type<sor::ResidualSum>;
  static constexpr int tag = 6;

  /// @brief The sum of all processes, of which this one has some rows, or has sent them on.
  sor::ResidualSum sum_of_all(const Communicator& comm, Index rows) const {
    ExactSum squares;
    sor::ResidualSum all;
    std::int64_t infinite = 0;
    for (Index k = 0; k < rows; ++k) {
      const sor::ResidualSum& row = on_host_(k);
      if (std::isfinite(row.squares))
        squares.add(row.squares);
      else
        ++infinite;
      all.add(row);
    }
    std::array<std::int64_t, ExactSum::size + 3> numbers{};
    std::copy_n(squares.limbs().begin(), ExactSum::size, numbers.begin());
    numbers[ExactSum::size] = all.points;
    numbers[ExactSum::size + 1] = all.non_finite;
    numbers[ExactSum::size + 2] = infinite;
    check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                        MPI_SUM, comm.get()),
          "MPI_Allreduce");
    check(MPI_Allreduce(MPI_IN_PLACE, &all.largest, 1, MPI_DOUBLE, MPI_MAX, comm.get()),
          "MPI_Allreduce");
    ExactSum::limbs_type limbs;
    std::copy_n(numbers.begin(), ExactSum::size, limbs.begin());
    all.squares = numbers[ExactSum::size + 2] > 0 ? std::numeric_limits<double>::infinity()
                                                  : ExactSum::of(limbs).value();
    all.points = numbers[ExactSum::size];
    all.non_finite = numbers[ExactSum::size + 1];
    return all;
  }

  template <class Kernel>
  void add_rows(const Exec& exec, const Kernel& kernel) const {
    if (left_ == no_rank) {
      Kokkos::deep_copy(exec, sums_.view(), sor::ResidualSum());
    } else {
      Exchange from_left(transport_);
      from_left.receive(sums_, left_, tag);
      from_left.wait();
    }
    enqueue_items(exec, "WaveScan::mpi::row_sums", static_cast<Index>(sums_.size()), 1e-6, kernel);
    if (right_ == no_rank) {
      Kokkos::deep_copy(exec, on_host_, sums_.view());
      exec.fence("WaveScan::mpi::norm");
    } else {
      Exchange to_right(transport_);
      to_right.send(sums_, right_, tag);
      to_right.wait();
    }
  }

  Transport<Exec> transport_;
  int left_ = no_rank, right_ = no_rank;
  sums_type sums_;
  typename sums_type::view_type::host_mirror_type on_host_;
};

}  // namespace wavescan::Impl::mpi

#endif
