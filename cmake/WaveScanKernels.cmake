# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# What saves compile time for the programs of this checkout, and users never see: precompiled headers,
# and the library WaveScan_kernels of the host kernels that most of them use.

# Compilers for devices do not take them, and compiler caches do better without.
if(MSVC OR CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_DISABLE_PRECOMPILE_HEADERS
   OR Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(WaveScan_PRECOMPILE OFF)
else()
  set(WaveScan_PRECOMPILE ON)
  # A twentieth to a tenth less time for a third more memory. Not for devices: nvcc_wrapper passes for
  # g++, too.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>"
                        "$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=200>")
  endif()
  file(GLOB WaveScan_kernel_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/*.cpp)
  add_library(WaveScan_kernels STATIC EXCLUDE_FROM_ALL ${WaveScan_kernel_sources})
  target_include_directories(WaveScan_kernels PUBLIC ${CMAKE_CURRENT_LIST_DIR}/kernels)
  target_link_libraries(WaveScan_kernels PUBLIC WaveScan::wavescan PRIVATE WaveScan_warnings)
  # The examples solve in double.
  if(WaveScan_ENABLE_TESTS OR WaveScan_ENABLE_PERF_TESTS)
    target_sources(WaveScan_kernels PRIVATE
      ${CMAKE_CURRENT_LIST_DIR}/kernels/for_tests/sor_of_float.cpp)
    target_compile_definitions(WaveScan_kernels PUBLIC WAVESCAN_SOR_KERNELS_OF_FLOAT)
  endif()
endif()

# WaveScan_precompile(TARGET HEADER...): all of WaveScan and these headers are precompiled for the
# target, which takes the kernels from the library.
function(WaveScan_precompile target)
  if(WaveScan_PRECOMPILE)
    target_link_libraries(${target} PRIVATE WaveScan_kernels)
    target_precompile_headers(${target} PRIVATE
      <WaveScan_Kernels.hpp> <algorithm> <functional> <sstream> <string> <vector> ${ARGN})
  endif()
endfunction()

# WaveScan_take_kernels(TARGET): the target, for whose few files nothing is precompiled, takes the
# kernels from the library.
function(WaveScan_take_kernels target)
  if(WaveScan_PRECOMPILE)
    target_link_libraries(${target} PRIVATE WaveScan_kernels)
    target_compile_options(${target} PRIVATE "SHELL:-include WaveScan_Kernels.hpp")
  endif()
endfunction()

# WaveScan_precompile_as(TARGET OTHER): the target, compiled with the same options as the other one,
# takes what was precompiled for that.
function(WaveScan_precompile_as target other)
  if(WaveScan_PRECOMPILE)
    target_link_libraries(${target} PRIVATE WaveScan_kernels)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
