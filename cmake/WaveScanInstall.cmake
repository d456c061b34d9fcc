# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Installs the headers, flat, the library WaveScan::kernels if it is built, the CMake package WaveScan, and
# wavescan.pc for those who build without CMake. The tool is installed where it is built.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(headers ${CMAKE_INSTALL_INCLUDEDIR}/wavescan)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/WaveScan)

set(targets WaveScan)
set(required_kokkos ${WaveScan_MINIMUM_KOKKOS_VERSION})
set(required_backends)
set(architecture ARCH_INDEPENDENT)
if(WaveScan_ENABLE_KERNELS)
  list(APPEND targets WaveScan_kernels)
  set(architecture)
  if(Kokkos_VERSION) # the library was compiled with this one
    set(required_kokkos "${Kokkos_VERSION} EXACT")
  endif()
  foreach(backend SERIAL OPENMP THREADS HPX CUDA HIP SYCL OPENACC)
    if(Kokkos_ENABLE_${backend})
      list(APPEND required_backends ${backend})
    endif()
  endforeach()
endif()

install(TARGETS ${targets}
  EXPORT WaveScanTargets
  FILE_SET umbrella DESTINATION ${headers}
  FILE_SET layers DESTINATION ${headers}
  FILE_SET details DESTINATION ${headers}
  FILE_SET device DESTINATION ${headers}
  INCLUDES DESTINATION ${headers})
install(EXPORT WaveScanTargets NAMESPACE WaveScan:: DESTINATION ${package})
if(WaveScan_HAS_MPI) # apart from the others, which do without MPI
  install(TARGETS WaveScan_mpi
    EXPORT WaveScanMPITargets
    FILE_SET layers DESTINATION ${headers}
    FILE_SET details DESTINATION ${headers}
    INCLUDES DESTINATION ${headers})
  install(EXPORT WaveScanMPITargets NAMESPACE WaveScan:: DESTINATION ${package})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/WaveScanConfig.cmake.in ${PROJECT_BINARY_DIR}/WaveScanConfig.cmake
  INSTALL_DESTINATION ${package}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WaveScanConfigVersion.cmake
  COMPATIBILITY SameMinorVersion
  ${architecture})
install(
  FILES ${PROJECT_BINARY_DIR}/WaveScanConfig.cmake
        ${PROJECT_BINARY_DIR}/WaveScanConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/WaveScanInstructions.cmake
  DESTINATION ${package})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/wavescan)
include(WaveScanPkgConfig)
