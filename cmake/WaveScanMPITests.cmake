# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# WaveScan_add_mpi_test(NAME TARGET PROCESSES LABEL [ARGUMENT...]): a test that runs a program as so many
# processes, more than there are cores, and as root, too, if need be.

set(WaveScan_MPI_FLAGS ${MPIEXEC_PREFLAGS})
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
if(version MATCHES "Open MPI|OpenRTE")
  list(APPEND WaveScan_MPI_FLAGS --oversubscribe --allow-run-as-root --bind-to none)
endif()

function(WaveScan_add_mpi_test name target processes label)
  add_test(NAME ${name}
    COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${processes} ${WaveScan_MPI_FLAGS}
      $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${ARGN})
  set(threads 1)
  if(processes LESS 3) # more would only wait for each other
    set(threads 2)
  endif()
  set(environment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # where it stands for the flag
    OMPI_MCA_mpi_yield_when_idle=1 # processes share cores
    OMPI_MCA_btl_vader_single_copy_mechanism=none # which containers forbid
    OMP_NUM_THREADS=${threads} KOKKOS_NUM_THREADS=${threads} OMP_WAIT_POLICY=passive OMP_PROC_BIND=false)
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT 300 PROCESSORS ${processes} ENVIRONMENT "${environment}")
endfunction()
