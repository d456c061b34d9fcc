# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# The target WaveScan_warnings, linked by tests, benchmarks and examples, never by users of WaveScan.

add_library(WaveScan_warnings INTERFACE)
if(MSVC)
  target_compile_options(WaveScan_warnings INTERFACE /W4 $<$<BOOL:${WaveScan_ENABLE_WERROR}>:/WX>)
else()
  target_compile_options(WaveScan_warnings INTERFACE
    -Wall -Wextra -Wshadow
    $<$<BOOL:${WaveScan_ENABLE_WERROR}>:-Werror>)
  if(NOT Kokkos_ENABLE_CUDA) # nvcc's own generated code is not pedantic
    target_compile_options(WaveScan_warnings INTERFACE -Wpedantic)
  elseif(WaveScan_ENABLE_WERROR AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # nvcc hands -Werror to the host's compiler. Files that do not use Kokkos are not nvcc's.
    set(definitions $<TARGET_PROPERTY:COMPILE_DEFINITIONS>)
    target_compile_options(WaveScan_warnings INTERFACE
      $<$<IN_LIST:KOKKOS_DEPENDENCE,${definitions}>:-Werror=all-warnings>)
  endif()
endif()
