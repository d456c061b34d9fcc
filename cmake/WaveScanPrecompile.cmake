# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Headers that are precompiled once for all programs of this checkout.

# Compilers for devices do not take them. ccache does if it is told to, as scripts/lib/build.sh does.
if(MSVC OR CMAKE_DISABLE_PRECOMPILE_HEADERS
   OR (CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES pch_defines)
   OR Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(WaveScan_PRECOMPILE OFF)
else()
  set(WaveScan_PRECOMPILE ON)
  # A twentieth to a tenth less time for a third more memory. Not for devices: nvcc_wrapper passes for
  # g++, too.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>"
                        "$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=200>")
    if(CMAKE_CXX_COMPILER_LAUNCHER) # ccache preprocesses
      add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")
    endif()
  endif()

  # Targets that own what is precompiled: all of WaveScan, with what tests need, and Kokkos alone.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
  foreach(owner WaveScan_precompiled WaveScan_precompiled_kokkos)
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(${owner} PRIVATE WaveScan::wavescan WaveScan_warnings) # -Wpedantic sets macros
  endforeach()
  target_precompile_headers(WaveScan_precompiled PRIVATE
    <WaveScan.hpp> <algorithm> <functional> <sstream> <string> <vector>)
  target_precompile_headers(WaveScan_precompiled_kokkos PRIVATE <Kokkos_Core.hpp>)
  if(TARGET GTest::gtest)
    target_link_libraries(WaveScan_precompiled PRIVATE GTest::gtest)
    target_precompile_headers(WaveScan_precompiled PRIVATE <gtest/gtest.h>)
  endif()
endif()

# WaveScan_precompile(TARGET [KOKKOS]): the target is compiled with all of WaveScan precompiled, or with
# Kokkos alone, where the target's own includes are to be tested.
function(WaveScan_precompile target)
  if(NOT WaveScan_PRECOMPILE)
    return()
  endif()
  set(owner WaveScan_precompiled)
  if("KOKKOS" IN_LIST ARGN)
    set(owner WaveScan_precompiled_kokkos)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(TARGET GTest::gtest) # whose header was precompiled with these
    target_compile_definitions(${target} PRIVATE
      $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_DEFINITIONS>)
    target_compile_options(${target} PRIVATE
      $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>)
  endif()
endfunction()

# WaveScan_join_sources(TARGET COUNT): joins the target's sources, so many at a time, because what they
# have in common takes longest: the same kernels, or the headers, which nvcc reads three times.
function(WaveScan_join_sources target count)
  if(WaveScan_PRECOMPILE OR Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()
