# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# WaveScan_instructions(RESULT): which instructions, of those by which vectors of hosts are chosen, the
# compiler may use with Kokkos' options and CMAKE_CXX_FLAGS; as a condition for the preprocessor.

function(WaveScan_instructions result)
  get_target_property(options Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)
  string(REGEX MATCHALL "-m(arch|cpu|avx|sse|fma)[a-z0-9=.+_-]*" options "${options} ${CMAKE_CXX_FLAGS}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${options} -dM -E -x c++ /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET)
  set(instructions)
  foreach(macro __SSE4_1__ __SSE4_2__ __AVX2__ __FMA__ __AVX512F__ __ARM_FEATURE_FMA __ARM_FEATURE_SVE)
    string(FIND "${macros}" "#define ${macro} " position)
    if(position EQUAL -1)
      list(APPEND instructions "!defined(${macro})")
    else()
      list(APPEND instructions "defined(${macro})")
    endif()
  endforeach()
  list(JOIN instructions " && " instructions)
  set(${result} "${instructions}" PARENT_SCOPE)
endfunction()
