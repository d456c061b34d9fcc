# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Makes sure that the target Kokkos::kokkos exists. In this order:
#   1. it exists already (a project that has Kokkos adds WaveScan as a subdirectory);
#   2. the source tree that FETCHCONTENT_SOURCE_DIR_KOKKOS names;
#   3. an installed Kokkos: Kokkos_ROOT, CMAKE_PREFIX_PATH, the system's folders;
#   4. the upstream release, downloaded and built. Kokkos' own options (Kokkos_ENABLE_CUDA,
#      Kokkos_ARCH_...) pass through.

set(WaveScan_MINIMUM_KOKKOS_VERSION 5.0)

if(NOT TARGET Kokkos::kokkos)
  include(FetchContent)
  FetchContent_Declare(Kokkos
    URL https://github.com/kokkos/kokkos/archive/refs/tags/5.2.2.tar.gz
    DOWNLOAD_EXTRACT_TIMESTAMP OFF
    FIND_PACKAGE_ARGS ${WaveScan_MINIMUM_KOKKOS_VERSION})

  # Kokkos' imported targets, and those which they need, must reach the projects around this one.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  FetchContent_MakeAvailable(Kokkos)
  unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)

  if(Kokkos_FOUND AND Kokkos_DIR)
    message(STATUS "WaveScan uses the installed Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}): "
                   "${Kokkos_DIR}")
    foreach(device CUDA HIP SYCL)
      if(Kokkos_ENABLE_${device} AND NOT ${device} IN_LIST Kokkos_DEVICES)
        message(FATAL_ERROR "WaveScan: the Kokkos in ${Kokkos_DIR} was built without ${device}. "
          "Set Kokkos_ROOT to one with it, or CMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON for one from "
          "source.")
      endif()
    endforeach()
    if(Kokkos_ENABLE_OPENMP AND NOT OPENMP IN_LIST Kokkos_DEVICES)
      message(STATUS "That Kokkos was built without OpenMP, which the preset would have chosen")
    endif()
  else()
    message(STATUS "WaveScan builds Kokkos from source: ${kokkos_SOURCE_DIR}")
  endif()
endif()
