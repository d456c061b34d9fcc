// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PETSC_SWEEPS_HPP
#define WAVESCAN_PETSC_SWEEPS_HPP

#include <WaveScan_MPI_SOR.hpp>
#include <WaveScan_SORPlan.hpp>
#include <WaveScan_StencilMatrix.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "DmdaMatrix.hpp"

/// @file
/// @brief Sweeps over the unknowns of a DMDA's matrix.

namespace wavescan::petsc {

using Exec = Kokkos::DefaultExecutionSpace;
using MemorySpace = Exec::memory_space;

/// @brief Where PETSc keeps a vector's numbers.
template <class T>
struct Numbers {
  T* data;
  bool on_device;
};

template <class T>
Numbers<const T> as_const(const Numbers<T>& numbers) {
  return {numbers.data, numbers.on_device};
}

/// @brief Sweeps of one matrix.
class Sweeps {
 public:
  Sweeps() = default;
  Sweeps(const Sweeps&) = delete;
  Sweeps& operator=(const Sweeps&) = delete;
  virtual ~Sweeps() = default;
  /// @brief Relaxes y by `count` sweeps towards the solution of A y = b; waits.
  /// @param from_zero whether y is zero at first, whatever it holds
  virtual void relax(Numbers<const PetscScalar> b, Numbers<PetscScalar> y, int count,
                     bool from_zero) = 0;
};

template <class T, int Rank>
using RankedArray =
    Kokkos::View<std::conditional_t<Rank == 2, T**, T***>, Kokkos::LayoutRight, MemorySpace>;

/// @brief A process' array with a halo, whose unknowns PETSc has closely packed.
template <int Rank>
class PaddedArray {
 public:
  using view_type = RankedArray<PetscScalar, Rank>;

  PaddedArray() = default;
  PaddedArray(const Box& box, const char* label) : PaddedArray(box, with_halo(box, label)) {}
  PaddedArray(const Box& box, const view_type& view)
      : view_(view), unknowns_(interior(view)), box_(box) {}

  const view_type& view() const { return view_; }

  void take(const Exec& exec, const Numbers<const PetscScalar>& from) const {
    visit(from, [&](const auto& packed) { copy(exec, packed, unknowns_); });
  }
  void give(const Exec& exec, const Numbers<PetscScalar>& to) const {
    visit(to, [&](const auto& packed) { copy(exec, unknowns_, packed); });
  }

 private:
  using interior_type = Kokkos::View<std::conditional_t<Rank == 2, PetscScalar**, PetscScalar***>,
                                     Kokkos::LayoutStride, MemorySpace>;
  static std::array<std::size_t, 3> extents(const Box& box, std::size_t more) {
    std::array<std::size_t, 3> e{};
    for (std::size_t d = 0; d < e.size(); ++d)
      e[d] = static_cast<std::size_t>(box.size[2 - d]) + more;
    return e;
  }
  static view_type with_halo(const Box& box, const char* label) {
    const auto e = extents(box, 2);
    if constexpr (Rank == 2)
      return {label, e[1], e[2]};
    else
      return {label, e[0], e[1], e[2]};
  }
  static interior_type interior(const view_type& view) {
    const auto inner = [&](int r) {
      return std::pair<std::size_t, std::size_t>(1, view.extent(static_cast<std::size_t>(r)) - 1);
    };
    if constexpr (Rank == 2)
      return Kokkos::subview(view, inner(0), inner(1));
    else
      return Kokkos::subview(view, inner(0), inner(1), inner(2));
  }
  template <class T, class Use>
  void visit(const Numbers<T>& numbers, const Use& use) const {
    const auto e = extents(box_, 0);
    const auto packed = [&]<class Space>(Space) {
      using View = Kokkos::View<std::conditional_t<Rank == 2, T**, T***>, Kokkos::LayoutRight,
                                Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      if constexpr (Rank == 2)
        return View(numbers.data, e[1], e[2]);
      else
        return View(numbers.data, e[0], e[1], e[2]);
    };
    if (numbers.on_device)
      use(packed(MemorySpace()));
    else
      use(packed(Kokkos::HostSpace()));
  }
  /// @brief Copies in the device's memory, and packed to or from the host's.
  template <class From, class To>
  static void copy(const Exec& exec, const From& from, const To& to) {
    constexpr bool from_host = !AccessibleFrom<From, Exec>;
    if constexpr (from_host) {
      const auto here = Kokkos::create_mirror_view_and_copy(MemorySpace(), from);
      Kokkos::deep_copy(exec, to, here);
      exec.fence("WaveScan::petsc::take");
    } else if constexpr (!AccessibleFrom<To, Exec>) {
      const auto packed = Kokkos::create_mirror(Kokkos::WithoutInitializing, MemorySpace(), to);
      Kokkos::deep_copy(exec, packed, from);
      exec.fence("WaveScan::petsc::give");
      Kokkos::deep_copy(to, packed);
    } else {
      Kokkos::deep_copy(exec, to, from);
    }
  }

  view_type view_;
  interior_type unknowns_;
  Box box_;
};

/// @brief Sweeps over a process' own unknowns, whose entries may differ from point to point.
template <class Coefficients, int Rank>
class OwnSweeps : public Sweeps {
 public:
  OwnSweeps(const Box& box, SOR<Exec, PetscScalar, Rank> plan, Coefficients coefficients,
            PaddedArray<Rank> x)
      : plan_(std::move(plan)),
        coefficients_(std::move(coefficients)),
        x_(std::move(x)),
        b_(box, "WaveScan::petsc::rhs") {}

  void relax(Numbers<const PetscScalar> b, Numbers<PetscScalar> y, int count,
             bool from_zero) override {
    const Exec exec;
    b_.take(exec, b);
    if (from_zero) {
      plan_.sweeps(ZeroGuess{}, x_.view(), coefficients_, count, SORInputs().rhs(b_.view()));
    } else {
      x_.take(exec, as_const(y));
      plan_.sweeps(x_.view(), coefficients_, count, SORInputs().rhs(b_.view()));
    }
    x_.give(exec, y);
    plan_.wait();
  }

 private:
  SOR<Exec, PetscScalar, Rank> plan_;
  Coefficients coefficients_;
  PaddedArray<Rank> x_, b_;
};

/// @brief Sweeps over the unknowns of all processes in natural order, for five points with the same
/// entries everywhere.
class DistributedSweeps : public Sweeps {
 public:
  DistributedSweeps(MPI_Comm comm, const Box& box, SweepOrder order,
                    const SORCoefficients<PetscScalar>& coefficients)
      : plan_(comm, exec_, box.size[1] + 2, box.size[0] + 2,
              {.order = order,
               .restore = false,
               .process_columns = static_cast<int>(box.processes[0])}),
        coefficients_(coefficients),
        x_(box, "WaveScan::petsc::x"),
        b_(box, "WaveScan::petsc::rhs") {}

  void relax(Numbers<const PetscScalar> b, Numbers<PetscScalar> y, int count,
             bool from_zero) override {
    b_.take(exec_, b);
    if (from_zero)
      Kokkos::deep_copy(exec_, x_.view(), PetscScalar(0));
    else
      x_.take(exec_, as_const(y));
    plan_.sweeps(x_.view(), coefficients_, count, SORInputs().rhs(b_.view()));
    x_.give(exec_, y);
    exec_.fence("WaveScan::petsc::relax");
  }

 private:
  Exec exec_;
  mpi::SOR<Exec, PetscScalar> plan_;
  SORCoefficients<PetscScalar> coefficients_;
  PaddedArray<2> x_, b_;
};

/// @brief A sparse matrix as wavescan::CrsMatrixLike says.
struct DeviceRows {
  struct {
    Kokkos::View<PetscInt*, MemorySpace> row_map, entries;
  } graph;
  Kokkos::View<PetscScalar*, MemorySpace> values;

  explicit DeviceRows(const OwnRows& rows)
      : graph{on_device(rows.begins), on_device(rows.columns)}, values(on_device(rows.values)) {}
  PetscInt numRows() const { return static_cast<PetscInt>(graph.row_map.extent(0)) - 1; }

 private:
  template <class T>
  static Kokkos::View<T*, MemorySpace> on_device(const std::vector<T>& from) {
    Kokkos::View<T*, MemorySpace> to("WaveScan::petsc::matrix", from.size());
    Kokkos::deep_copy(
        to, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                from.data(), from.size()));
    return to;
  }
};

/// @brief Sweeps over a process' own unknowns.
/// @throws std::invalid_argument if the matrix couples other points than neighbours, or has a zero
/// on its diagonal
inline std::unique_ptr<Sweeps> make_own_sweeps(const Box& box, const OwnRows& rows, double omega,
                                               SweepOrder order) {
  const Exec exec;
  const DeviceRows crs(rows);
  const auto make = [&]<int Rank>(const PaddedArray<Rank>& x,
                                  const auto& matrix) -> std::unique_ptr<Sweeps> {
    auto coefficients = sor_coefficients(exec, matrix, omega);
    return std::make_unique<OwnSweeps<decltype(coefficients), Rank>>(
        box, SOR<Exec, PetscScalar, Rank>::like(exec, x.view(), {.order = order}), coefficients, x);
  };
  if (box.rank == 3) {
    const PaddedArray<3> x(box, "WaveScan::petsc::x");
    return make(x, seven_point_matrix(exec, crs, x.view()));
  }
  const PaddedArray<2> x(box, "WaveScan::petsc::x");
  if (rows.has_corners(box.size[0])) return make(x, nine_point_matrix(exec, crs, x.view()));
  return make(x, five_point_matrix(exec, crs, x.view()));
}

}  // namespace wavescan::petsc

#endif
