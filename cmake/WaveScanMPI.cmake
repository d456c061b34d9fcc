# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# The target WaveScan::mpi: headers for arrays that are distributed over processes, WaveScan::wavescan
# and MPI. Built where MPI is found, unless WaveScan_ENABLE_MPI says otherwise: AUTO, ON or OFF.

set(WaveScan_ENABLE_MPI AUTO CACHE STRING "Provide WaveScan::mpi: AUTO (where MPI is found), ON, OFF")
set_property(CACHE WaveScan_ENABLE_MPI PROPERTY STRINGS AUTO ON OFF)
set(WaveScan_HAS_MPI OFF)
if(NOT WaveScan_ENABLE_MPI)
  return()
endif()

set(MPI_CXX_SKIP_MPICXX ON) # the interface of C is what is used
if(WaveScan_ENABLE_MPI STREQUAL AUTO)
  find_package(MPI QUIET COMPONENTS CXX)
else()
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
if(NOT MPI_CXX_FOUND)
  message(STATUS "WaveScan: no MPI, so WaveScan::mpi is not there")
  return()
endif()
set(WaveScan_HAS_MPI ON)

set(mpi_folder ${PROJECT_SOURCE_DIR}/src/mpi)
file(GLOB mpi_headers CONFIGURE_DEPENDS ${mpi_folder}/*.hpp)
file(GLOB_RECURSE mpi_details CONFIGURE_DEPENDS ${mpi_folder}/impl/*.hpp)
set(WaveScan_MPI_PRIVATE_HEADERS ${mpi_details})

add_library(WaveScan_mpi INTERFACE)
add_library(WaveScan::mpi ALIAS WaveScan_mpi)
set_target_properties(WaveScan_mpi PROPERTIES EXPORT_NAME mpi)
target_sources(WaveScan_mpi
  INTERFACE
    FILE_SET layers TYPE HEADERS BASE_DIRS ${mpi_folder} FILES ${mpi_headers}
    FILE_SET details TYPE HEADERS BASE_DIRS ${mpi_folder} FILES ${mpi_details})
target_link_libraries(WaveScan_mpi INTERFACE WaveScan MPI::MPI_CXX)
