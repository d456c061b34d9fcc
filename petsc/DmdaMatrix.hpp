// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PETSC_DMDAMATRIX_HPP
#define WAVESCAN_PETSC_DMDAMATRIX_HPP

#include <petscdmda.h>
#include <petscmat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

/// @file
/// @brief What a matrix of PETSc says about the grid whose points it couples.

namespace wavescan::petsc {

/// @brief Errors of this library are those of PETSc's calls.
inline constexpr auto success = static_cast<PetscErrorCode>(0);

/// @brief A process' box of a DMDA's grid. Directions are PETSc's: x, in which memory runs, y, z.
struct Box {
  int rank = 2;                                 ///< dimensions of the arrays that hold it: 2 or 3
  std::array<PetscInt, 3> begin{}, size{};      ///< of this process
  std::array<PetscInt, 3> grid{}, processes{};  ///< of all of them

  PetscInt unknowns() const { return size[0] * size[1] * size[2]; }
};

/// @brief The box of this process.
/// Fails for several unknowns a point and for periodic directions.
inline PetscErrorCode get_box(DM dm, Box* box) {
  PetscInt dimensions, unknowns, width;
  std::array<DMBoundaryType, 3> boundary{};
  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(dm, &dimensions, &box->grid[0], &box->grid[1], &box->grid[2],
                        &box->processes[0], &box->processes[1], &box->processes[2], &unknowns,
                        &width, &boundary[0], &boundary[1], &boundary[2], nullptr));
  PetscCheck(unknowns == 1, PetscObjectComm(reinterpret_cast<PetscObject>(dm)), PETSC_ERR_SUP,
             "PCWAVESCAN: the DMDA must have one unknown a point, but has %" PetscInt_FMT,
             unknowns);
  for (const DMBoundaryType type : boundary)
    PetscCheck(type == DM_BOUNDARY_NONE || type == DM_BOUNDARY_GHOSTED,
               PetscObjectComm(reinterpret_cast<PetscObject>(dm)), PETSC_ERR_SUP,
               "PCWAVESCAN: the DMDA must not be periodic, twisted or mirrored");
  PetscCall(DMDAGetCorners(dm, &box->begin[0], &box->begin[1], &box->begin[2], &box->size[0],
                           &box->size[1], &box->size[2]));
  box->rank = dimensions == 3 ? 3 : 2;
  PetscFunctionReturn(success);
}

/// @brief The couplings among this process' own unknowns, in compressed rows.
struct OwnRows {
  std::vector<PetscInt> begins, columns;
  std::vector<PetscScalar> values;

  /// @brief Whether an equation has an entry for a neighbour in both directions of a row.
  bool has_corners(PetscInt row_length) const {
    for (std::size_t r = 0; r + 1 < begins.size(); ++r)
      for (auto k = static_cast<std::size_t>(begins[r]);
           k < static_cast<std::size_t>(begins[r + 1]); ++k) {
        const auto row = static_cast<PetscInt>(r);
        if (values[k] != PetscScalar(0) && columns[k] / row_length != row / row_length &&
            columns[k] % row_length != row % row_length)
          return true;
      }
    return false;
  }
};

inline PetscErrorCode get_own_rows(Mat matrix, OwnRows* rows) {
  Mat own;
  PetscInt count;
  const PetscInt *begins, *columns;
  const PetscScalar* values;
  PetscBool done;
  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(matrix, &own));
  PetscCall(MatGetRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &count, &begins, &columns, &done));
  PetscCheck(done, PetscObjectComm(reinterpret_cast<PetscObject>(matrix)), PETSC_ERR_SUP,
             "PCWAVESCAN: the matrix must be of type aij");
  PetscCall(MatSeqAIJGetArrayRead(own, &values));
  rows->begins.assign(begins, begins + count + 1);
  rows->columns.assign(columns, columns + begins[count]);
  rows->values.assign(values, values + begins[count]);
  PetscCall(MatSeqAIJRestoreArrayRead(own, &values));
  PetscCall(MatRestoreRowIJ(own, 0, PETSC_FALSE, PETSC_FALSE, &count, &begins, &columns, &done));
  PetscFunctionReturn(success);
}

/// @brief The entries of an equation in two dimensions: its own, left, up, right, down; up is y
/// - 1.
using FivePoints = std::array<PetscReal, 5>;

/// @brief Whether all equations of all processes have the same entries, but for those of neighbours
/// outside of the grid; collective.
inline PetscErrorCode get_constant_entries(DM dm, Mat matrix, const Box& box, PetscBool* constant,
                                           FivePoints* entries) {
  constexpr PetscReal none = std::numeric_limits<PetscReal>::infinity();
  constexpr std::array<std::array<PetscInt, 2>, 5> offsets{
      {{0, 0}, {-1, 0}, {0, -1}, {1, 0}, {0, 1}}};
  ISLocalToGlobalMapping numbers;
  std::array<PetscInt, 3> begin{}, size{};  // of the box with the neighbours' points
  PetscInt first, end;
  FivePoints least, most;  // the most is kept with its sign turned, so that one reduction does both
  PetscFunctionBegin;
  least.fill(none);
  most.fill(none);
  bool is_stencil = box.rank == 2;
  PetscCall(DMGetLocalToGlobalMapping(dm, &numbers));
  PetscCall(DMDAGetGhostCorners(dm, &begin[0], &begin[1], &begin[2], &size[0], &size[1], &size[2]));
  PetscCall(MatGetOwnershipRange(matrix, &first, &end));
  std::vector<PetscInt> points;
  for (PetscInt row = first; row < end && is_stencil; ++row) {
    const PetscInt x = box.begin[0] + (row - first) % box.size[0];
    const PetscInt y = box.begin[1] + (row - first) / box.size[0];
    PetscInt count, found;
    const PetscInt* columns;
    const PetscScalar* values;
    FivePoints own{};
    PetscCall(MatGetRow(matrix, row, &count, &columns, &values));
    points.resize(static_cast<std::size_t>(count));
    PetscCall(
        ISGlobalToLocalMappingApply(numbers, IS_GTOLM_MASK, count, columns, &found, points.data()));
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (values[k] == PetscScalar(0)) continue;
      const std::array<PetscInt, 2> offset{begin[0] + points[k] % size[0] - x,
                                           begin[1] + points[k] / size[0] - y};
      const auto at = std::find(offsets.begin(), offsets.end(), offset);
      if (points[k] < 0 || at == offsets.end())
        is_stencil = false;
      else
        own[static_cast<std::size_t>(at - offsets.begin())] += PetscRealPart(values[k]);
    }
    PetscCall(MatRestoreRow(matrix, row, &count, &columns, &values));
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const PetscInt i = x + offsets[k][0], j = y + offsets[k][1];
      if (i < 0 || i >= box.grid[0] || j < 0 || j >= box.grid[1]) continue;
      is_stencil = is_stencil && !std::isnan(own[k]);
      least[k] = std::min(least[k], own[k]);
      most[k] = std::min(most[k], -own[k]);
    }
  }
  std::array<PetscReal, 11> all{};
  std::copy(least.begin(), least.end(), all.begin());
  std::copy(most.begin(), most.end(), all.begin() + 5);
  all[10] = is_stencil ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPIU_REAL,
                             MPIU_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(matrix))));
  *constant = all[10] > 0 ? PETSC_TRUE : PETSC_FALSE;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const bool occurs = all[k] != none;
    if (occurs && all[k] != -all[k + 5]) *constant = PETSC_FALSE;
    (*entries)[k] = occurs ? all[k] : 0;
  }
  PetscFunctionReturn(success);
}

}  // namespace wavescan::petsc

#endif
