/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * SPDX-FileCopyrightText: Copyright WaveScan contributors */

#ifndef WAVESCAN_PETSC_H
#define WAVESCAN_PETSC_H

#include <petscpc.h>

/* SOR in natural order, or Gauss-Seidel, as a preconditioner of PETSc, in parallel on every device that
 * Kokkos has.
 *
 * For matrices of a DMDA with one unknown a point that couple it with its two, four, six or, in two
 * dimensions, eight neighbours: MATAIJ and MATAIJKOKKOS, sequential or distributed. On one process, and
 * on several if the matrix has five points with the same entries everywhere, iterations are those of one
 * process' PCSOR; else each process relaxes its own unknowns, as PCSOR does.
 *
 *   -pc_type wavescan               also -mg_levels_pc_type wavescan
 *   -pc_wavescan_omega <1.>         relaxation factor, in (0, 2)
 *   -pc_wavescan_its <1>            sweeps
 *   -pc_wavescan_symmetric          a forward pass and then a backward one; the default
 *   -pc_wavescan_forward
 *   -pc_wavescan_backward
 *   -pc_wavescan_local <false>      each process relaxes its own unknowns, whatever the matrix is
 *
 * Work: O(unknowns) a sweep. Memory: seven arrays of the process' unknowns for five points, eleven for
 * nine, nine in three dimensions; four where all entries are the same.
 */
#define PCWAVESCAN "wavescan"

/* Makes the type known; once, after PetscInitialize. Programs that were not written for it take the
 * option -dll_append with the name of this library instead. Initializes Kokkos, if nobody has, when the
 * first preconditioner is made, and then finalizes it in PetscFinalize. */
PETSC_EXTERN PetscErrorCode WaveScanPCRegister(void);

#endif
