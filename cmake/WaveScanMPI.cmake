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
set(WaveScan_MPI_HEADERS ${mpi_headers} ${mpi_details})

add_library(WaveScan_mpi INTERFACE)
add_library(WaveScan::mpi ALIAS WaveScan_mpi)
set_target_properties(WaveScan_mpi PROPERTIES EXPORT_NAME mpi)
target_sources(WaveScan_mpi
  INTERFACE
    FILE_SET layers TYPE HEADERS BASE_DIRS ${mpi_folder} FILES ${mpi_headers}
    FILE_SET details TYPE HEADERS BASE_DIRS ${mpi_folder} FILES ${mpi_details})
target_link_libraries(WaveScan_mpi INTERFACE WaveScan MPI::MPI_CXX)

# NCCL, for messages from device to device where MPI takes no memory of devices. Found where
# CMAKE_PREFIX_PATH or NCCL_ROOT say, too; programs are linked with the library that was found.
set(WaveScan_ENABLE_NCCL AUTO CACHE STRING
  "Let WaveScan::mpi send by NCCL: AUTO (with CUDA, where NCCL is found), ON, OFF")
set_property(CACHE WaveScan_ENABLE_NCCL PROPERTY STRINGS AUTO ON OFF)
if(WaveScan_ENABLE_NCCL AND Kokkos_ENABLE_CUDA)
  find_path(NCCL_INCLUDE_FOLDER nccl.h HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} PATH_SUFFIXES include)
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT}
    PATH_SUFFIXES lib lib64)
  mark_as_advanced(NCCL_INCLUDE_FOLDER NCCL_LIBRARY)
  if(NCCL_INCLUDE_FOLDER AND NCCL_LIBRARY)
    message(STATUS "WaveScan: messages of GPUs by NCCL: ${NCCL_LIBRARY}")
    target_compile_definitions(WaveScan_mpi INTERFACE WAVESCAN_HAS_NCCL)
    target_include_directories(WaveScan_mpi SYSTEM INTERFACE ${NCCL_INCLUDE_FOLDER})
    target_link_libraries(WaveScan_mpi INTERFACE ${NCCL_LIBRARY})
  elseif(NOT WaveScan_ENABLE_NCCL STREQUAL AUTO)
    message(FATAL_ERROR "WaveScan: WaveScan_ENABLE_NCCL is ON, but NCCL was not found")
  endif()
elseif(WaveScan_ENABLE_NCCL AND NOT WaveScan_ENABLE_NCCL STREQUAL AUTO)
  message(FATAL_ERROR "WaveScan: WaveScan_ENABLE_NCCL is ON, but Kokkos has no CUDA")
endif()
