// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScan_PETSc.h"

#include <petsc/private/pcimpl.h>

#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "Sweeps.hpp"

/// @file
/// @brief What PETSc calls.

namespace wavescan::petsc {
namespace {

static_assert(std::is_same_v<PetscScalar, double> || std::is_same_v<PetscScalar, float>,
              "WaveScan: PETSc must be configured for real numbers in single or double precision");

/// @brief What PETSc keeps of a preconditioner.
struct Preconditioner {
  PetscReal omega = 1;
  PetscInt count = 1;
  SweepOrder order = SweepOrder::Symmetric;
  PetscBool local = PETSC_FALSE;

  std::unique_ptr<Sweeps> sweeps;  ///< of the matrix that was set up last
  bool is_distributed = false;     ///< they are of all processes' unknowns together
};

Preconditioner& of(PC pc) { return *static_cast<Preconditioner*>(pc->data); }

/// @brief Runs what may throw; errors become PETSc's.
template <class Call>
PetscErrorCode guarded(PC pc, const Call& call) {
  PetscFunctionBegin;
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  std::string text;
  PetscErrorCode error = success;
  try {
    call();
  } catch (const std::invalid_argument& e) {
    text = e.what();
    error = static_cast<PetscErrorCode>(PETSC_ERR_ARG_WRONG);
  } catch (const std::exception& e) {
    text = e.what();
    error = static_cast<PetscErrorCode>(PETSC_ERR_LIB);
  }
  PetscCheck(error == success, comm, error, "PCWAVESCAN: %s", text.c_str());
  PetscFunctionReturn(success);
}

/// @brief The DMDA that a preconditioner or its matrix knows.
PetscErrorCode get_dmda(PC pc, DM* dm) {
  PetscFunctionBegin;
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PetscCall(PCGetDM(pc, dm));
  if (*dm == nullptr) PetscCall(MatGetDM(pc->pmat, dm));
  PetscBool is_dmda = PETSC_FALSE;
  if (*dm != nullptr)
    PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(*dm), DMDA, &is_dmda));
  PetscCheck(
      is_dmda, comm, PETSC_ERR_ARG_WRONG,
      "PCWAVESCAN: the matrix must come from DMCreateMatrix of a DMDA, or the solver have one "
      "by KSPSetDM");
  PetscFunctionReturn(success);
}

/// @brief y becomes what `count` sweeps make of it, or of zero.
PetscErrorCode relax(PC pc, Vec b, Vec y, PetscInt count, bool from_zero) {
  PetscFunctionBegin;
  const PetscScalar* from;
  PetscScalar* to;
  PetscMemType from_memory, to_memory;
  PetscCall(VecGetArrayReadAndMemType(b, &from, &from_memory));
  if (from_zero)
    PetscCall(VecGetArrayWriteAndMemType(y, &to, &to_memory));
  else
    PetscCall(VecGetArrayAndMemType(y, &to, &to_memory));
  PetscCall(guarded(pc, [&] {
    of(pc).sweeps->relax({from, PetscMemTypeDevice(from_memory)},
                         {to, PetscMemTypeDevice(to_memory)}, static_cast<int>(count), from_zero);
  }));
  if (from_zero)
    PetscCall(VecRestoreArrayWriteAndMemType(y, &to));
  else
    PetscCall(VecRestoreArrayAndMemType(y, &to));
  PetscCall(VecRestoreArrayReadAndMemType(b, &from));
  PetscFunctionReturn(success);
}

PetscErrorCode apply(PC pc, Vec b, Vec y) {
  PetscFunctionBegin;
  PetscCall(relax(pc, b, y, of(pc).count, true));
  PetscFunctionReturn(success);
}

/// @brief Richardson's iterations with this preconditioner are sweeps, where these are over all
/// unknowns. Where a process relaxes its own, the others' are behind the residual, which KSP
/// computes.
PetscErrorCode apply_richardson(PC pc, Vec b, Vec y, Vec, PetscReal, PetscReal, PetscReal,
                                PetscInt iterations, PetscBool from_zero, PetscInt* done,
                                PCRichardsonConvergedReason* reason) {
  PetscFunctionBegin;
  PetscCall(relax(pc, b, y, of(pc).count * iterations, from_zero == PETSC_TRUE));
  *done = iterations;
  *reason = PCRICHARDSON_CONVERGED_ITS;
  PetscFunctionReturn(success);
}

PetscErrorCode set_up(PC pc) {
  PetscFunctionBegin;
  Preconditioner& p = of(pc);
  DM dm;
  Box box;
  PetscMPIInt processes;
  PetscCall(get_dmda(pc, &dm));
  PetscCall(get_box(dm, &box));
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PetscCallMPI(MPI_Comm_size(comm, &processes));
  PetscInt rows;
  PetscCall(MatGetLocalSize(pc->pmat, &rows, nullptr));
  PetscCheck(rows == box.unknowns(), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "PCWAVESCAN: the matrix has %" PetscInt_FMT
             " rows on this process where its DMDA has %" PetscInt_FMT " points",
             rows, box.unknowns());
  PetscBool constant = PETSC_FALSE;
  FivePoints a{};
  if (processes > 1 && !p.local && box.rank == 2)
    PetscCall(get_constant_entries(dm, pc->pmat, box, &constant, &a));
  p.is_distributed = processes == 1 || constant;
  pc->ops->applyrichardson = p.is_distributed ? apply_richardson : nullptr;
  if (constant) {
    PetscCall(guarded(pc, [&] {
      if (!(std::isfinite(a[0]) && a[0] != 0))
        throw std::invalid_argument("the matrix must have a diagonal that is finite and not zero");
      const auto entry = [&](std::size_t k) {
        return static_cast<PetscScalar>(-p.omega * a[k] / a[0]);
      };
      p.sweeps = std::make_unique<DistributedSweeps>(
          comm, box, p.order,
          SORCoefficients<PetscScalar>{static_cast<PetscScalar>(1 - p.omega), entry(1), entry(2),
                                       entry(3), entry(4),
                                       static_cast<PetscScalar>(p.omega / a[0])});
    }));
  } else {
    OwnRows own;
    PetscCall(get_own_rows(pc->pmat, &own));
    PetscCall(guarded(pc, [&] { p.sweeps = make_own_sweeps(box, own, p.omega, p.order); }));
  }
  PetscFunctionReturn(success);
}

// Items is PetscOptionItems* or, from PETSc 3.23 on, PetscOptionItems: PC's table of functions
// decides. Macros of PETSc take the argument by its name.
template <class Items>
PetscErrorCode set_from_options(PC pc, Items PetscOptionsObject) {
  PetscFunctionBegin;
  Preconditioner& p = of(pc);
  PetscBool found = PETSC_FALSE;
  PetscOptionsHeadBegin(PetscOptionsObject, "WaveScan's SOR");
  PetscCall(PetscOptionsReal("-pc_wavescan_omega", "relaxation factor, in (0, 2)", "None", p.omega,
                             &p.omega, nullptr));
  PetscCheck(p.omega > 0 && p.omega < 2, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE,
             "PCWAVESCAN: -pc_wavescan_omega must lie in (0, 2), but is %g",
             static_cast<double>(p.omega));
  PetscCall(PetscOptionsRangeInt("-pc_wavescan_its", "sweeps", "None", p.count, &p.count, nullptr,
                                 1, std::numeric_limits<int>::max() / 4));
  const auto choose = [&](const char* name, const char* text, SweepOrder order) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PetscOptionsBoolGroup(name, text, "None", &found));
    if (found) p.order = order;
    PetscFunctionReturn(success);
  };
  PetscCall(choose("-pc_wavescan_symmetric", "forward, then backward", SweepOrder::Symmetric));
  PetscCall(
      choose("-pc_wavescan_forward", "from the first point to the last", SweepOrder::Forward));
  PetscCall(
      choose("-pc_wavescan_backward", "from the last point to the first", SweepOrder::Backward));
  PetscCall(PetscOptionsBool("-pc_wavescan_local", "each process relaxes its own unknowns", "None",
                             p.local, &p.local, nullptr));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(success);
}

PetscErrorCode view(PC pc, PetscViewer viewer) {
  PetscFunctionBegin;
  const Preconditioner& p = of(pc);
  PetscBool is_text;
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_text));
  if (is_text) {
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "  %s sweeps: %" PetscInt_FMT ", omega = %g, by Kokkos' %s\n", to_string(p.order),
        p.count, static_cast<double>(p.omega), Exec::name()));
    if (p.sweeps)
      PetscCall(PetscViewerASCIIPrintf(
          viewer, "  %s\n",
          p.is_distributed ? "in natural order over the whole grid"
                           : "over each process' own unknowns (block Jacobi between processes)"));
  }
  PetscFunctionReturn(success);
}

PetscErrorCode reset(PC pc) {
  PetscFunctionBegin;
  of(pc).sweeps.reset();
  PetscFunctionReturn(success);
}

PetscErrorCode destroy(PC pc) {
  PetscFunctionBegin;
  delete static_cast<Preconditioner*>(pc->data);
  pc->data = nullptr;
  PetscFunctionReturn(success);
}

void initialize_kokkos() {
  try {
    Kokkos::initialize();
  } catch (const std::exception& e) {
    throw std::runtime_error(
        std::string("Kokkos does not start: ") + e.what() +
        ". If PETSc was built with Trilinos, which has a Kokkos of its own, the one "
        "of WaveScan must be loaded first: link the program with it, or name it in "
        "LD_PRELOAD");
  }
}
PetscErrorCode finalize_kokkos() {
  PetscFunctionBegin;
  if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
  PetscFunctionReturn(success);
}

PetscErrorCode create(PC pc) {
  PetscFunctionBegin;
  PetscCheck(!Kokkos::is_finalized(), PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "PCWAVESCAN: Kokkos has been finalized");
  if (!Kokkos::is_initialized()) {
    PetscCall(guarded(pc, initialize_kokkos));
    PetscCall(PetscRegisterFinalize(finalize_kokkos));
  }
  pc->data = new Preconditioner;
  pc->ops->setup = set_up;
  pc->ops->apply = apply;
  pc->ops->setfromoptions = set_from_options;
  pc->ops->view = view;
  pc->ops->reset = reset;
  pc->ops->destroy = destroy;
  PetscFunctionReturn(success);
}

}  // namespace
}  // namespace wavescan::petsc

PetscErrorCode WaveScanPCRegister(void) {
  PetscFunctionBegin;
  PetscCall(PCRegister(PCWAVESCAN, wavescan::petsc::create));
  PetscFunctionReturn(wavescan::petsc::success);
}

/// What PETSc calls in a library that it loads: its name follows from the library's.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_wavescan_petsc(void);
PetscErrorCode PetscDLLibraryRegister_wavescan_petsc(void) {
  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  PetscCall(WaveScanPCRegister());
  PetscFunctionReturn(wavescan::petsc::success);
}
